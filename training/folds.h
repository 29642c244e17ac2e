/* folds.h: cross-validation over queries. */
#ifndef DORM_TRAINING_FOLDS_H
#define DORM_TRAINING_FOLDS_H

#include "training/grid.h"

/* For each fold, trains a grid on the queries of all other folds, measures its candidates on the fold, and adds their
 * values to `sums`. `grid` holds what all grids share. *last, unless it is NULL, becomes the grid of the last finished
 * fold, also when the training is stopped; if no fold is finished, that of the fold in which it was stopped, if that
 * has candidates; else it stays empty. The caller clears it. */
dorm_status dorm__folds_train(const dorm__job *job, const dorm__grid *grid, dorm__fold_sums *sums, dorm__grid *last);

#endif
