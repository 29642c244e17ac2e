/* sorted_halves.h: the relevant and the other documents of a query, each by falling score. */
#ifndef DORM_LOSSES_SORTED_HALVES_H
#define DORM_LOSSES_SORTED_HALVES_H

#include "base/base.h"

/* Ties stand in document order. */
typedef struct dorm__sorted_halves {
  size_t num_relevant;
  size_t num_others;
  uint32_t *relevant; /* [num_relevant] */
  uint32_t *others;   /* [num_others], after the relevant ones in the same memory */
} dorm__sorted_halves;

/* Returns false when out of memory; `halves` has to be freed even then. O(num_docs log num_docs) */
bool dorm__sorted_halves_make(const dorm_loss_query *query, double threshold, const double *scores,
                              dorm__sorted_halves *halves);
void dorm__sorted_halves_free(dorm__sorted_halves *halves);

#endif
