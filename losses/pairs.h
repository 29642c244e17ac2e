/* pairs.h: the worst output of losses that are sums over pairs of documents. */
#ifndef DORM_LOSSES_PAIRS_H
#define DORM_LOSSES_PAIRS_H

#include "base/base.h"
#include "base/memory.h"

#define DORM__ROW_PAIRS                                                                                                \
  {                                                                                                                    \
    "pairs", "mean", "mean, sum", 0, 0, 0, "a query costs the mean over its pairs, or their sum"                       \
  }

/* Weights of pairs by their labels. */
typedef struct dorm__pair_weights {
  size_t num_labels;
  size_t stride;
  const double *labels;  /* [num_labels], rising */
  const double *weights; /* [num_labels][stride], by the better and the worse label, >= 0 */
} dorm__pair_weights;

/* Receives the worst output. */
typedef struct dorm__worst_pairs {
  double *coefficients; /* [num_docs] */
  double *delta;
} dorm__worst_pairs;

/* Finds the worst output of the hinge over pairs, the sum over pairs (i better than j) of weight max(0, 1 - (g_i -
 * g_j)). It is the set of the pairs with g_i - g_j < 1. Fills its coefficients and Delta, both divided by the number of
 * pairs if is_mean. labels [num_docs]. If weights is NULL, every pair has weight 1 and the cost is O(num_docs log
 * num_docs), otherwise O(num_docs (log num_docs + levels)). Returns 0, or 1 after host->fail. */
int dorm__pairs_find_worst(const dorm_host *host, size_t num_docs, const double *labels,
                           const dorm__pair_weights *weights, bool is_mean, const double *scores,
                           const dorm__worst_pairs *worst);

/* ---- Sorted halves ----------------------------------------------------------------------------- */

/* Relevant and other documents, each sorted by score. Ties are in document order. */
typedef struct dorm__sorted_halves {
  size_t num_relevant;
  size_t num_others;
  uint32_t *relevant; /* [num_relevant] */
  uint32_t *others;   /* [num_others], after the relevant ones in the same memory */
} dorm__sorted_halves;

/* Fills halves, which are in `memory`. Returns false when out of memory. O(num_docs log num_docs). */
bool dorm__sorted_halves_make(const dorm_loss_query *query, double threshold, const double *scores,
                              dorm__region *memory, dorm__sorted_halves *halves);

#endif
