/* sweeps.h: what sweeps.c offers to the other files of this folder. */
#ifndef DORM_SOLVER_SWEEPS_H
#define DORM_SOLVER_SWEEPS_H

#include "base/base.h"
#include "solver/solver.h"

/* Makes set->groups; false when out of memory. */
bool dorm__sweep_groups_new(dorm__working_set *set);
void dorm__sweep_groups_free(dorm__working_set *set);
/* One exact solve a block, w kept up to date; blocks whose own gap is below
 * `negligible` are passed over, without a look at their columns where it was when
 * a sweep last looked and `looks_again` is false. Groups of blocks are swept in parallel, each
 * from the same v, and their moves joined by a line search. *gap becomes the
 * sum over the blocks of C max(0, margin) - sum alpha margin, each before its
 * solve: an estimate of what the working set's duality gap was.
 * O(columns num_features). */
dorm_status dorm__working_set_sweep(dorm_context *context, dorm__working_set *set, double C, double negligible,
                                    bool looks_again, double *gap);
/* Sweeps until that gap is at most `tolerance`, the dual value at least `enough`
 * (INFINITY: not looked at), or `most_sweeps` times. */
dorm_status dorm__working_set_solve(dorm_context *context, dorm__working_set *set, double C, double tolerance,
                                    double enough, size_t most_sweeps);
/* One pass over the data, n-slack only: the oracle of each query at the w of the
 * moment, its ranking into the working set where it adds more than `tolerance`
 * to what the block knows, then the block's QP. *gap as above, with the new
 * rankings: an estimate of what the duality gap of the whole problem was. */
dorm_status dorm__working_set_pass(dorm_context *context, dorm__working_set *set, double C, double tolerance,
                                   double *gap);

#endif
