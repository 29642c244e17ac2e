/* merge.h: a merge of several runs while it is made. */
#ifndef DORM_ASSIGNMENT_RUNS_MERGE_H
#define DORM_ASSIGNMENT_RUNS_MERGE_H

#include "assignment/runs/runs.h"
#include "base/base.h"

/* From the lowest to the highest position whose potential was raised, or whose step to the next position leaves a doubt
 * (certificate.c); none when lowest > highest. */
typedef struct dorm__doubtful {
  size_t lowest, highest;
} dorm__doubtful;

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
  bool by_midpoints;                       /* rather than by thresholds (certificate.h) */
  dorm__doubtful doubtful;                 /* of these potentials */
  uint32_t *positions;                     /* [count] positions of run q, rising, from first[q] on */
  uint32_t first[DORM__MOST_LEVELS + 1];
} dorm__merge;

/* How many documents of run q stand before `position`. Written without branches. */
static inline size_t dorm__count_before(const dorm__merge *merge, size_t q, size_t position)
{
  const uint32_t *list = merge->positions + merge->first[q], *at = list;
  size_t count = merge->length[q];
  while (count > 1) {
    size_t half = count / 2;
    at += at[half - 1] < position ? half : 0;
    count -= half;
  }
  return (size_t)(at - list) + (count == 1 && *at < position);
}

/* Positions whose potential is too low for some arc. */
typedef struct dorm__violations {
  size_t count;
  size_t lowest, highest;
} dorm__violations;

#endif
