/* minimise.h: minimises a smooth function of many variables. */
#ifndef DORM_BASE_MINIMISE_H
#define DORM_BASE_MINIMISE_H

#include "base/base.h"

/* Writes the value and the gradient [size] of a function at x [size]. */
typedef dorm_status (*dorm__slope_function)(void *user, const double *x, double *value, double *gradient);

typedef struct dorm__minimise_options {
  dorm__slope_function slope;
  void *user;
  /* Stops when the squared length of the gradient is at most 2 tolerance |value|. If the function minus |x|^2/2 is
   * convex, its minimum is then above value - tolerance |value|. */
  double tolerance;
  size_t most_calls; /* of the function */
} dorm__minimise_options;

typedef struct dorm__minimum {
  double value;
  double square;    /* squared length of the gradient */
  size_t num_calls; /* of the function */
  bool is_reached;  /* whether the tolerance was reached */
} dorm__minimum;

/* Minimises from x [size] by L-BFGS, and overwrites x with the last accepted point. DORM_OK with is_reached = false
 * means that the calls were used up, or that rounding prevented a further decrease. Fails only if the function fails or
 * when out of memory. O(size) per call of the function, in addition to the call. */
dorm_status dorm__minimise(dorm_context *context, size_t size, const dorm__minimise_options *options, double *x,
                           dorm__minimum *made);

#endif
