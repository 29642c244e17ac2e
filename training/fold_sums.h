/* fold_sums.h: what the candidates reach on the held-out queries of all folds. */
#ifndef DORM_TRAINING_FOLD_SUMS_H
#define DORM_TRAINING_FOLD_SUMS_H

#include "training/candidates.h"

/* Sums over the held-out queries of all folds, one per candidate. */
typedef struct dorm__fold_sums {
  size_t count;
  double *values;  /* [count] sum of the measure */
  double *squares; /* [count] sum of its squares */
  double *queries; /* [count] */
} dorm__fold_sums;

/* Makes room for `count` candidates, unless there is some already. */
dorm_status dorm__fold_sums_reserve(dorm_context *context, size_t count, dorm__fold_sums *sums);
void dorm__fold_sums_clear(dorm__fold_sums *sums);
/* Adds what the candidates of one fold reach, as means over num_queries held-out queries with their standard errors. */
void dorm__fold_sums_add(dorm__fold_sums *sums, const dorm_training *training, size_t num_queries);
/* Whether a fold is among the sums. */
bool dorm__fold_sums_has_some(const dorm__fold_sums *sums);
/* Keeps candidates 0, step, 2 step, ... */
void dorm__fold_sums_thin(dorm__fold_sums *sums, size_t step);
/* Gives the candidates of a training the means over all folds, with their standard errors. */
void dorm__fold_sums_assign(const dorm__fold_sums *sums, dorm_training *training);

#endif
