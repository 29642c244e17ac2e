/* minimise.h: the least value of a smooth function of many variables. */
#ifndef DORM_BASE_MINIMISE_H
#define DORM_BASE_MINIMISE_H

#include "base/base.h"

/* Writes the value and the gradient [size] of a function at x [size]. */
typedef dorm_status (*dorm__slope_function)(void *user, const double *x, double *value, double *gradient);

typedef struct dorm__minimise_options {
  dorm__slope_function slope;
  void *user;
  /* Ends where the squared length of the gradient is at most 2 tolerance |value|. If the function minus |x|^2/2 is
   * convex, its least value is then above value - tolerance |value|. */
  double tolerance;
  size_t most_calls; /* of the function */
} dorm__minimise_options;

typedef struct dorm__minimum {
  double value;
  double square;    /* squared length of the gradient */
  size_t num_calls; /* of the function */
  bool is_reached;  /* the tolerance */
} dorm__minimum;

/* Moves x [size] downhill from its present value by L-BFGS and gives the result, also if the calls are used up or
 * rounding hides every further step. A status other than DORM_OK comes from the function, or from the lack of memory.
 * O(size) for each call of the function besides that call. */
dorm_status dorm__minimise(dorm_context *context, size_t size, const dorm__minimise_options *options, double *x,
                           dorm__minimum *made);

#endif
