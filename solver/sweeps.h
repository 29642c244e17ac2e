/* sweeps.h: raising the dual on the columns that are there, and by passes that ask the oracles for more. */
#ifndef DORM_SOLVER_SWEEPS_H
#define DORM_SOLVER_SWEEPS_H

#include "solver/working_set.h"

/* Solves one exact QP per column set and keeps w up to date. Column sets whose own gap is below
 * `negligible` are passed over; where `looks_again` is false, that is decided by the gap that a sweep last
 * saw, without a look at the columns. The shards are swept in parallel, each
 * from the same v, and their moves are joined by a line search. *gap becomes the
 * sum over the column sets of C max(0, margin) - sum alpha margin, each before its
 * solve: an estimate of what the working set's duality gap was.
 * O(columns num_features). */
dorm_status dorm__working_set_sweep(dorm_context *context, dorm__working_set *set, double C, double negligible,
                                    bool looks_again, double *gap);
/* Sweeps until that gap is at most `tolerance`, the dual value at least `enough`
 * (INFINITY: not looked at), or `most_sweeps` times. */
dorm_status dorm__working_set_solve(dorm_context *context, dorm__working_set *set, double C, double tolerance,
                                    double enough, size_t most_sweeps);
/* One pass over the data, n-slack only: asks the oracle of each query at the w of the
 * moment, takes its ranking into the working set where it adds more than `tolerance`
 * to what the columns prove, and solves the set's QP. *gap as above, with the new
 * rankings: an estimate of what the duality gap of the whole problem was. */
dorm_status dorm__working_set_pass(dorm_context *context, dorm__working_set *set, double C, double tolerance,
                                   double *gap);

#endif
