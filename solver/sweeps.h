/* sweeps.h: raises the dual by sweeps over the columns of the working set, and by sequential passes, which ask the
 * oracles for more columns. */
#ifndef DORM_SOLVER_SWEEPS_H
#define DORM_SOLVER_SWEEPS_H

#include "solver/working_set.h"

/* Solves one exact QP per column set and keeps w up to date. The own gap of a column set is C weight max(0, largest
 * margin) - sum alpha margin; a set whose own gap is at most `negligible` is left as it is. With `looks_again` all own
 * gaps are computed; without it, a set whose own gap was negligible when last computed is skipped. The shards are swept
 * in parallel, each from the same v, and their moves are joined by a line search. *gap becomes the sum of the own gaps,
 * each before its solve: an estimate of what the duality gap of the working set was. O(columns num_features). */
dorm_status dorm__working_set_sweep(dorm_context *context, dorm__working_set *set, double C, double negligible,
                                    bool looks_again, double *gap);
/* When the sweeps of a solve end: at a gap of `tolerance`, but not while the gap is above gain_share times what the
 * dual value has gained over `dual`, unless it is at most least_tolerance. */
typedef struct dorm__sweep_limits {
  double tolerance;
  double gain_share;
  double dual; /* before the pass whose columns are swept */
  double least_tolerance;
  double enough;      /* the dual value at which they end; INFINITY: none */
  size_t most_sweeps; /* the number after which they end */
  bool goes_on;       /* where sweeps creep, all column sets are moved together */
} dorm__sweep_limits;
/* Sweeps until one of the limits is reached. */
dorm_status dorm__working_set_solve(dorm_context *context, dorm__working_set *set, double C,
                                    const dorm__sweep_limits *limits);
/* Makes one sequential pass over the data, for n-slack only: goes from query to query, asks its oracle at the present
 * w, takes the ranking into the query's column set if its margin is more than `tolerance` above the largest one of the
 * set, and solves the set's QP. *gap becomes the sum of the own gaps with the new rankings, each before its solve: an
 * estimate of what the duality gap of the whole problem was. */
dorm_status dorm__working_set_pass(dorm_context *context, dorm__working_set *set, double C, double tolerance,
                                   double *gap);

#endif
