/* folds.h: cross-validation over queries. */
#ifndef DORM_TRAINING_FOLDS_H
#define DORM_TRAINING_FOLDS_H

#include "training/grid.h"

/* Sums over the held-out queries of all folds, one per candidate. */
struct dorm__fold_sums {
  size_t count;
  double *values;  /* [count] sum of the measure */
  double *squares; /* [count] sum of its squares */
  double *queries; /* [count] */
};

/* Makes room for `count` candidates, unless there is some already. */
dorm_status dorm__fold_sums_reserve(dorm_context *context, size_t count, dorm__fold_sums *sums);
void dorm__fold_sums_clear(dorm__fold_sums *sums);
/* Trains a grid on all but each fold of the data, measured on that fold,
 * and adds up what the candidates reach. `grid` holds what all grids share. */
dorm_status dorm__folds_train(const dorm__job *job, const dorm__grid *grid, dorm__fold_sums *sums);
/* Gives the candidates of a training what the folds say of them. */
void dorm__folds_assign(const dorm__fold_sums *sums, dorm_training *training);

#endif
