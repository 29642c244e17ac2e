/* sorted_halves.h: what sorted_halves.c offers to the other files of this folder. */
#ifndef DORM_LOSSES_SORTED_HALVES_H
#define DORM_LOSSES_SORTED_HALVES_H

#include "base/base.h"

/* The relevant and the other documents of a query, each by falling score, ties as listed. */
typedef struct dorm__sorted_halves {
  size_t num_relevant;
  size_t num_others;
  uint32_t *relevant; /* [num_relevant] */
  uint32_t *others;   /* [num_others], behind them in one block */
} dorm__sorted_halves;

/* False when out of memory; to be freed also then. O(num_docs log num_docs) */
bool dorm__sorted_halves_make(const dorm_loss_query *query, double threshold, const double *scores,
                              dorm__sorted_halves *halves);
void dorm__sorted_halves_free(dorm__sorted_halves *halves);

#endif
