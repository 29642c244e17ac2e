/* train_once.h: one training, with one normalisation of the features. */
#ifndef DORM_TRAINING_TRAIN_ONCE_H
#define DORM_TRAINING_TRAIN_ONCE_H

#include "training/grid.h"

/* One of several trainings that make up a call. */
typedef struct dorm__turn {
  size_t number, count; /* this one, from 0, of so many */
  bool is_complete;     /* set by the training: it was not interrupted */
} dorm__turn;

/* Makes a data set of the queries of both. */
dorm_status dorm__train_join(dorm_context *context, const dorm_dataset *train, const dorm_dataset *validation,
                             dorm_dataset **whole);
/* dorm_train on the data of the grid, which are dealt into shards and have no queries of weight 0. With DORM_STOPPED
 * *training may be what was made until then, or NULL; it is complete where solves stopped at a limit of their own. */
dorm_status dorm__train_once(dorm_context *context, const dorm_settings *settings, dorm__grid grid,
                             const dorm__trainer_set *set, dorm__turn *turn, dorm_training **training);

#endif
