/* repeat_swap.h: which documents of a ranking repeat a group, and where that changes in a swap of two. */
#ifndef DORM_LAMBDAS_REPEAT_SWAP_H
#define DORM_LAMBDAS_REPEAT_SWAP_H

#include "base/base.h"
#include "lambdas/target.h"

/* One ranking of one query. */
typedef struct dorm__repeat_swap {
  size_t *taken_at;  /* [groups] position of the first document of a group that is no repeat; num_docs: none */
  size_t *next_at;   /* [groups] where groups do not overlap, position of the second document; num_docs: none */
  size_t *trial_of;  /* [groups] number of the trial that took the group last */
  size_t num_trials; /* counted from 1 */
  size_t *positions; /* [docs] the positions at which the last swap changed a value, increasing */
  double *values;    /* [docs] what these values became */
} dorm__repeat_swap;

/* Room for the queries of a target. False when out of memory; to be freed also then. */
bool dorm__repeat_swap_alloc(const dorm__target *target, size_t max_docs, dorm__repeat_swap *swap);
void dorm__repeat_swap_free(dorm__repeat_swap *swap);
/* Takes up a ranking: document order[p] stands at position p. values [num_docs], those of the documents by position,
 * become 0 for repeats. O(entries). */
void dorm__repeat_swap_begin(const dorm__target_query *query, const uint32_t *order, double *values,
                             dorm__repeat_swap *swap);
/* The number of positions at which the values, which are those of the beginning, change when positions p < q change
 * places, p < depth of the query; positions and values of `swap` say which, and what they become. O(1), at most four
 * positions. Where groups overlap, O(entries of the documents at p .. depth - 1), and only positions above `depth`
 * count. */
size_t dorm__repeat_swap_changes(const dorm__target_query *query, const uint32_t *order, const double *values, size_t p,
                                 size_t q, dorm__repeat_swap *swap);

#endif
