/* merge.h: a merge of several runs while it is made. */
#ifndef DORM_ASSIGNMENT_RUNS_MERGE_H
#define DORM_ASSIGNMENT_RUNS_MERGE_H

#include "assignment/runs/runs.h"
#include "base/base.h"

/* Covers positions 0 .. count - 1. */
typedef struct dorm__merge {
  size_t count;
  size_t num_runs;
  const double *a, *c;                     /* [count] */
  double gain[DORM__MOST_LEVELS];          /* t b of a run */
  const double *scores[DORM__MOST_LEVELS]; /* of a run, falling */
  uint32_t length[DORM__MOST_LEVELS];      /* documents of a run within the positions */
  double tolerance;                        /* improvements below this are rounding */
  uint8_t *sequence;                       /* [count] the run at each position: what is sought */
  double *score_at;                        /* [count] the score of the document at each position */
  double *potential;                       /* [count] */
  uint32_t *positions;                     /* [count] positions of run q, rising, from first[q] on */
  uint32_t first[DORM__MOST_LEVELS + 1];
} dorm__merge;

/* Positions whose potential is too low for some arc. */
typedef struct dorm__violations {
  size_t count;
  size_t lowest, highest;
} dorm__violations;

#endif
