/* folds.h: cross-validation over queries. */
#ifndef DORM_TRAINING_FOLDS_H
#define DORM_TRAINING_FOLDS_H

#include "training/grid.h"

/* Trains a grid on all but each fold of the data, measured on that fold,
 * and adds up what the candidates reach. `grid` holds what all grids share. */
dorm_status dorm__folds_train(const dorm__job *job, const dorm__grid *grid, dorm__fold_sums *sums);

#endif
