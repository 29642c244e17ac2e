/* folds.h: cross-validation over queries. */
#ifndef DORM_TRAINING_FOLDS_H
#define DORM_TRAINING_FOLDS_H

#include "training/blend.h"
#include "training/committee.h"

/* For each fold, trains a grid on the queries of all other folds, measures its candidates on the fold, adds their
 * values to `sums`, and what the best of them give under each share of parts to `shares`. `grid` holds what all grids
 * share. Unless `committee` is NULL, it takes the grids of finished folds; if no fold is finished, that of the fold in
 * which the training was stopped. The caller clears it. */
dorm_status dorm__folds_train(const dorm__job *job, const dorm__grid *grid, dorm__fold_sums *sums,
                              dorm__share_sums *shares, dorm__committee *committee);

#endif
