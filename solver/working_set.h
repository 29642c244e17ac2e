/* working_set.h: what working_set.c offers to the other files of this folder. */
#ifndef DORM_SOLVER_WORKING_SET_H
#define DORM_SOLVER_WORKING_SET_H

#include "base/base.h"
#include "solver/solver.h"

/* v and w from alpha, from scratch. */
void dorm__working_set_refresh(dorm__working_set *set);
/* min over w within the bounds of the Lagrangian: sum alpha Delta + 1/2 |w|^2 -
 * <w, v>, which is sum alpha Delta - 1/2 |w|^2 without bounds. */
double dorm__working_set_dual(const dorm__working_set *set);
size_t dorm__working_set_num_columns(const dorm__working_set *set);
/* Those with alpha > 0: the support vectors. */
size_t dorm__working_set_num_support(const dorm__working_set *set);
/* v [num_features] within the bounds, into w. */
void dorm__working_set_project(const dorm__working_set *set, const double *v, double *w);
/* Counts idle passes and drops columns idle for `limit`; without a limit below
 * it, drops every column of no weight when they take more than `most_bytes`. */
void dorm__working_set_prune(dorm__working_set *set, uint32_t limit, size_t most_bytes);

#endif
