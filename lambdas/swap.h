/* swap.h: computes how much a measure changes when two documents of a ranking change places. */
#ifndef DORM_LAMBDAS_SWAP_H
#define DORM_LAMBDAS_SWAP_H

#include "lambdas/target.h"

/* One ranking of one query. The arrays have room for the largest query of a data set. */
typedef struct dorm__swap {
  const dorm__target_query *query;
  dorm__target_form form;
  const uint32_t *order; /* document order[p] is at position p; borrowed */
  size_t num_docs;
  size_t depth;         /* a swap of two positions >= depth does not change the measure */
  double *b;            /* [num_docs] by position */
  double *before;       /* [num_docs + 1] sums or products over the positions above */
  double *worth;        /* [num_docs + 1] the same of a second kind */
  uint32_t *counts;     /* [num_docs + 1][num_levels] documents of at most a level above a position */
  size_t first, second; /* positions of the first two relevant documents, num_docs if there are fewer */
  size_t row;           /* with groups or subtopics, the position to which `above` belongs */
  double *above;        /* [lists] amount of a group or subtopic that the documents above leave */
  double *left;         /* [lists] the same during a trial, valid if trial_of has the number of the present trial */
  size_t *trial_of;     /* [lists] */
  size_t num_trials;    /* the number of the present trial */
} dorm__swap;

/* Allocates the arrays in `memory`, which may be short then. */
void dorm__swap_alloc(const dorm__target *target, size_t max_docs, dorm__region *memory, dorm__swap *swap);
/* Begins a ranking. O(l), O(l levels) in the pairs form, O(l + entries) with groups or subtopics. Not for structured
 * losses. */
void dorm__swap_begin(const dorm__target *target, size_t query, const uint32_t *order, dorm__swap *swap);
/* Sets change[q - p - 1], for p < q < end, to the measure after positions p and q have changed places minus the measure
 * before. O(1) for each q. With groups or subtopics, O(entries of the documents from p on that the swap can change),
 * and O(entries above the row) more if it is above the last row. */
void dorm__swap_row(dorm__swap *swap, size_t p, size_t end, double *change);

#endif
