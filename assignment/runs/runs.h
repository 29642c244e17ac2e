/*
 * runs.h: the best ranking as a merge of runs. Documents of equal gain keep the order of their scores, so a ranking
 * is a merge of one sorted run for each level of the gain.
 */
#ifndef DORM_ASSIGNMENT_RUNS_RUNS_H
#define DORM_ASSIGNMENT_RUNS_RUNS_H

#include "assignment/call.h"
#include "assignment/runs/levels.h"
#include "assignment/runs/merge.h"
#include "base/base.h"

/* ---- two_runs.c --------------------------------------------------------- */

typedef struct dorm__two_runs_scratch {
  double *left, *right;                              /* [max_docs + 1] */
  uint32_t *left_position, *right_position, *argmax; /* [max_docs + 1] */
} dorm__two_runs_scratch;

/* ---- pair_merges.c ------------------------------------------------------ */

/* pair_merges.c */
typedef struct dorm__pair_scratch {
  dorm__two_runs_scratch two_runs;
  double *a, *c;              /* [max_docs] */
  uint32_t *places;           /* [max_docs] */
  uint8_t *run_at;            /* [max_docs] */
  uint32_t *merged, *changed; /* [DORM__MOST_LEVELS^2], [DORM__MOST_LEVELS]: rounds */
} dorm__pair_scratch;

/* cycles.c */
typedef struct dorm__cycle_scratch {
  uint32_t *parent, *visit; /* [max_docs] */
  uint8_t *next_run;        /* [max_docs] */
} dorm__cycle_scratch;
/* True when the merge as it is can be proved to be the best. */
bool dorm__merge_is_proved(dorm__merge *merge, const dorm__cycle_scratch *scratch, size_t most_sweeps);

/* merge_runs.c: exact for few levels. */
typedef struct dorm__merge_scratch {
  dorm__runs runs;
  uint8_t *sequence;
  double *score_at, *potential;
  uint32_t *positions;
  dorm__pair_scratch pairs;
  dorm__cycle_scratch cycles;
} dorm__merge_scratch;

/* order becomes the best ranking. False, and order undefined, when
 * `most_sweeps` of cycle cancelling did not suffice. `truncation`: a is
 * constant from there on. */
bool dorm__merge_runs_solve(const dorm__oracle_call *call, const dorm__levels *levels, size_t truncation,
                            double tolerance, size_t most_sweeps, const dorm__ranked *ranked,
                            const dorm__merge_scratch *scratch, uint32_t *order);

#endif
