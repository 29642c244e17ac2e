/*
 * cutting_planes.h: what the users' step and the items' step share. Both minimise a convex function that is a quadratic
 * distance plus, for each list, a maximum over its rankings, by cutting planes.
 */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_CUTTING_PLANES_H
#define DORM_COLLABORATIVE_FACTORIZATION_CUTTING_PLANES_H

#include "base/base.h"

typedef struct dorm__step_options {
  double penalty; /* L */
  double gap;     /* relative, to stop at */
  size_t most_passes;
} dorm__step_options;

/* The outcome of a step. */
typedef struct dorm__step_info {
  size_t passes;  /* oracle passes over all lists; of the users' step the most of any user */
  size_t columns; /* rankings held at the end, in all */
  double primal;
  double dual;
} dorm__step_info;

/* A convex problem as the loop sees it. The problem holds the point tried, which is at first where the step begins. */
typedef struct dorm__convex_problem {
  void *problem;
  /* The exact value at the point tried; the problem keeps the worst rankings there for `raise`. */
  dorm_status (*evaluate)(void *problem, double *value);
  /* Adds the worst rankings to those held, raises the dual on all that are held, moves the point tried to that of the
   * dual variables, and gives the dual value. `info` says what is known so far: 0 passes and the dual value -INFINITY
   * at first. */
  dorm_status (*raise)(void *problem, const dorm__step_info *info, double *dual);
  /* The point tried is the best so far. The starting point counts as kept. */
  void (*keep)(void *problem);
} dorm__convex_problem;

/* Fills all of info but the number of columns. */
dorm_status dorm__cutting_planes(const dorm__convex_problem *convex, const dorm__step_options *options,
                                 dorm__step_info *info);

#endif
