/* two_runs.h: the best merge of two runs. */
#ifndef DORM_ASSIGNMENT_RUNS_TWO_RUNS_H
#define DORM_ASSIGNMENT_RUNS_TWO_RUNS_H

#include "assignment/runs/runs.h"
#include "base/base.h"

typedef struct dorm__two_runs {
  size_t count[2];         /* documents of each run */
  const double *scores[2]; /* falling */
  double gain_difference;  /* gain of run 0 minus gain of run 1 */
  const double *a, *c;     /* of the positions, [count[0] + count[1]] */
} dorm__two_runs;

/* run_at [count[0] + count[1]] becomes the run, 0 or 1, at each position. */
void dorm__two_runs_merge(const dorm__two_runs *runs, const dorm__two_runs_scratch *scratch, uint8_t *run_at);

#endif
