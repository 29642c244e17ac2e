/* levels.h: what levels.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_RUNS_LEVELS_H
#define DORM_ASSIGNMENT_RUNS_LEVELS_H

#include "base/base.h"

/* ---- levels.c ----------------------------------------------------------- */

enum { DORM__MOST_LEVELS = 64 };

typedef struct dorm__levels {
  size_t count;      /* 0: too many */
  double *gain;      /* [count] the distinct values of b, as they first come */
  uint32_t *size;    /* [count] documents of each */
  uint8_t *level_of; /* [num_docs] */
} dorm__levels;

/* Fills level_of [num_docs] and the first of gain and size [DORM__MOST_LEVELS];
 * returns the number of levels, 0 when there are more than DORM__MOST_LEVELS.
 * O(num_docs levels). */
size_t dorm__levels_find(size_t num_docs, const double *b, uint8_t *level_of, double *gain, uint32_t *size);

/* ---- greedy_merge.c ----------------------------------------------------- */

/* The documents of each level by falling score: those of run q from start[q]
 * on. */
typedef struct dorm__runs {
  uint32_t *start; /* [DORM__MOST_LEVELS] */
  uint32_t *docs;  /* [num_docs] */
  double *scores;  /* [num_docs] */
} dorm__runs;

/* The documents by falling score, as the merging methods get them. */
typedef struct dorm__ranked {
  const uint32_t *docs;
  const double *scores;
  double offset; /* to take off the scores: they should be small */
} dorm__ranked;

#endif
