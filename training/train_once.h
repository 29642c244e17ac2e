/* train_once.h: one training, with one normalisation of the features. */
#ifndef DORM_TRAINING_TRAIN_ONCE_H
#define DORM_TRAINING_TRAIN_ONCE_H

#include "training/grid.h"

/* dorm_train on the data of the grid, which are dealt into shards and have no queries of weight 0; the trainers `extra`
 * [num_extra] come to those of the settings. With DORM_STOPPED *training may be what was made until then, or NULL. */
dorm_status dorm__train_once(dorm_context *context, const dorm_settings *settings, dorm__grid grid, size_t num_extra,
                             const dorm__trainer *const *extra, dorm_training **training);

#endif
