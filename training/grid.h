/* grid.h: what grid.c offers to the other files of this folder. */
#ifndef DORM_TRAINING_GRID_H
#define DORM_TRAINING_GRID_H

#include "base/base.h"
#include "losses/losses.h"
#include "training/run.h"

/* Trains all combinations on run->train into run->training, measured on
 * run->validation. The features stay described in run->map; where the data's
 * memory was taken, the validation rows stay, for the model to be measured. */
dorm_status dorm__grid_train(dorm__run *run);
size_t dorm__grid_size(const dorm_settings *settings);
/* The loss with truncation number `index` of the list. */
dorm_status dorm__grid_loss(dorm__run *run, size_t index, dorm__loss **loss);

#endif
