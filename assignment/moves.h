/* moves.h: the best ranking by improving moves, for any number of distinct gains b (moves.c). */
#ifndef DORM_ASSIGNMENT_MOVES_H
#define DORM_ASSIGNMENT_MOVES_H

#include "assignment/call.h"
#include "assignment/runs/runs.h"
#include "base/base.h"

enum { DORM__MOVES_BLOCK = 16 };

/* All arrays are [max_docs], except the bounds of blocks of DORM__MOVES_BLOCK positions. */
typedef struct dorm__moves_scratch {
  uint32_t *docs;                  /* at each position */
  double *score, *gain;            /* of the document at each position: g - offset, t b */
  double *potential;               /* of each position */
  double *base;                    /* the line y -> base + c[y] score - a[y] gain of the document at each position */
  double *key;                     /* of the remaining documents while the head is filled */
  double *start;                   /* the largest c at which a line of the tail's envelope is the highest */
  double *position_price;          /* for checks */
  uint32_t *parent, *visit, *next; /* of positions: the arc that raised it, the walk that met it, its next one */
  uint32_t *lines;                 /* positions of the head by falling score */
  uint32_t *envelope;              /* a subset of `lines`, the highest in the tail */
  uint32_t *rank;                  /* of each document by score */
  double *low, *high;              /* [blocks] the highest line of each block at two positions */
  double *most_gain;               /* [blocks] the largest magnitudes */
} dorm__moves_scratch;

/* Documents of equal b. Document j is in group group_of[j]. The documents of a group begin at place start[group] among
 * all documents by groups. */
typedef struct dorm__equals {
  size_t count;               /* groups */
  uint32_t *group_of, *start; /* [num_docs] */
} dorm__equals;

/* Fills order with the best ranking. Returns false, with order undefined, if `most_sweeps` was not sufficient. a is
 * constant from position `truncation` on. */
bool dorm__moves_solve(const dorm__oracle_call *call, const dorm__equals *equals, const dorm__search_limits *limits,
                       const dorm__ranked *ranked, const dorm__moves_scratch *scratch, uint32_t *order);

/* Computes the prices that prove `order` after dorm__moves_solve: position_price and, for documents, key. `offset` is
 * the offset of the scores. */
void dorm__moves_prices(const dorm__oracle_call *call, double offset, const uint32_t *order,
                        const dorm__moves_scratch *scratch);

#endif
