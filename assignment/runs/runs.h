/* runs.h: the best ranking as a merge of runs, for the files of assignment/ outside this subfolder. Documents of equal
 * gain keep the order of their scores, so a ranking is a merge of sorted runs, one for each level of the gain. */
#ifndef DORM_ASSIGNMENT_RUNS_RUNS_H
#define DORM_ASSIGNMENT_RUNS_RUNS_H

#include "assignment/call.h"

/* ---- Levels (proof.c) ----------------------------------------------------- */

enum { DORM__MOST_LEVELS = 64 };

typedef struct dorm__levels {
  size_t count;      /* 0 if there are more than DORM__MOST_LEVELS */
  double *gain;      /* [count] distinct values of b, in the order of their first documents */
  uint32_t *size;    /* [count] documents of each level */
  uint8_t *level_of; /* [num_docs] */
} dorm__levels;

/* Fills level_of [num_docs] and the first entries of gain and size [DORM__MOST_LEVELS]. Returns the number of levels,
 * or 0 if there are more than DORM__MOST_LEVELS. O(num_docs levels) */
size_t dorm__levels_find(size_t num_docs, const double *b, uint8_t *level_of, double *gain, uint32_t *size);

/* The documents by falling score. */
typedef struct dorm__ranked {
  const uint32_t *docs;
  const double *scores;
  double offset; /* to be subtracted from the scores, so that they are small */
} dorm__ranked;

/* ---- Scratch -------------------------------------------------------------- */

/* The documents of each level by falling score. Run q begins at start[q]. */
typedef struct dorm__runs {
  uint32_t *start; /* [DORM__MOST_LEVELS] */
  uint32_t *docs;  /* [num_docs] */
  uint32_t *ranks; /* [num_docs] by score among all documents */
  double *scores;  /* [num_docs] */
} dorm__runs;

typedef struct dorm__two_runs_scratch {
  double *left, *right;                              /* [max_docs + 1] */
  uint32_t *left_position, *right_position, *argmax; /* [max_docs + 1] */
} dorm__two_runs_scratch;

typedef struct dorm__pair_scratch {
  dorm__two_runs_scratch two_runs;
  double *a, *c;     /* [max_docs] */
  uint32_t *places;  /* [max_docs] */
  uint8_t *run_at;   /* [max_docs] */
  uint32_t *merged;  /* [DORM__MOST_LEVELS^2] step of the last merge of each pair of runs */
  uint32_t *changed; /* [DORM__MOST_LEVELS] step of the last change of each run */
} dorm__pair_scratch;

typedef struct dorm__cycle_scratch {
  uint32_t *parent, *visit; /* [max_docs] */
  uint8_t *next_run;        /* [max_docs] */
} dorm__cycle_scratch;

typedef struct dorm__merge_scratch {
  dorm__runs runs;
  uint8_t *sequence;            /* [max_docs] */
  double *score_at, *potential; /* [max_docs] */
  uint32_t *positions;          /* [max_docs] */
  dorm__pair_scratch pairs;
  dorm__cycle_scratch cycles;
} dorm__merge_scratch;

/* ---- Solving and proving -------------------------------------------------- */

/* Fills order with the best ranking (merge_runs.c). Returns false, with order undefined, if `most_sweeps` of cycle
 * cancelling were not sufficient. a is constant from position `truncation` on. */
bool dorm__merge_runs_solve(const dorm__oracle_call *call, const dorm__levels *levels,
                            const dorm__search_limits *limits, const dorm__ranked *ranked,
                            const dorm__merge_scratch *scratch, uint32_t *order);

/* Whether potentials prove that the ranking is optimal (proof.c). They are recomputed from the ranking, in at most
 * `most_sweeps` sweeps. */
bool dorm__runs_are_best(const dorm__oracle_call *call, const dorm__levels *levels, double offset, double tolerance,
                         size_t most_sweeps, const dorm__merge_scratch *scratch, const uint32_t *order);

#endif
