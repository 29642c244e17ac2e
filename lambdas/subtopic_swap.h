/* subtopic_swap.h: by how much a measure of subtopics changes when two documents change places. */
#ifndef DORM_LAMBDAS_SUBTOPIC_SWAP_H
#define DORM_LAMBDAS_SUBTOPIC_SWAP_H

#include "base/base.h"
#include "lambdas/target.h"

/* One ranking of one query with S subtopics. */
typedef struct dorm__subtopic_swap {
  double *above;    /* [depth + 1][S] product of 1 - chance over the documents above a position */
  double *between;  /* [S] */
  double *passing;  /* [S] */
  size_t *entry_of; /* [S] */
} dorm__subtopic_swap;

/* Room for the queries of a target. False when out of memory; to be freed also then. */
bool dorm__subtopic_swap_alloc(const dorm__target *target, dorm__subtopic_swap *swap);
void dorm__subtopic_swap_free(dorm__subtopic_swap *swap);
/* Takes up a ranking: document order[p] stands at position p. O(depth S + entries). */
void dorm__subtopic_swap_begin(const dorm__target_query *query, const uint32_t *order, dorm__subtopic_swap *swap);
/* As dorm__swap_row, for p < depth. O(S), and for each q O(entries of the documents at p and q). */
void dorm__subtopic_swap_row(const dorm__target_query *query, const uint32_t *order, size_t p, size_t end,
                             dorm__subtopic_swap *swap, double *change);

#endif
