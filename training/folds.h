/* folds.h: what folds.c offers to the other files of this folder. */
#ifndef DORM_TRAINING_FOLDS_H
#define DORM_TRAINING_FOLDS_H

#include "base/base.h"
#include "training/candidates.h"
#include "training/run.h"

/* ---- folds.c ------------------------------------------------------------ */

/* Trains the grid on all but each fold of run->train, measured on that fold,
 * and adds up what the candidates reach in run->folds. */
dorm_status dorm__folds_train(dorm__run *run, size_t num_folds, uint64_t seed);
/* Gives the candidates of a training what the folds say of them. */
void dorm__folds_assign(const dorm__fold_sums *folds, dorm_training *training);
void dorm__fold_sums_clear(dorm__fold_sums *folds);

/* ---- checkpoint.c ------------------------------------------------------- */

/* What a run needs to go on from: the folds' sums, the candidates of the
 * present grid, and the solve in progress with its working set. A binary file
 * of this machine's numbers, with a checksum, written whole or not at all. */

#endif
