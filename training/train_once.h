/* train_once.h: one training, with one normalisation of the features. */
#ifndef DORM_TRAINING_TRAIN_ONCE_H
#define DORM_TRAINING_TRAIN_ONCE_H

#include "jobs/jobs.h"

/* One training of a call, which trains once for each normalisation. */
typedef struct dorm__turn {
  size_t number, count; /* of this training, from 0, and of all trainings */
  bool is_complete;     /* set by dorm__train_once: the training was not interrupted */
} dorm__turn;

/* Copies the queries of both data sets, shard by shard, to a new data set. The caller frees *whole. */
dorm_status dorm__train_join(dorm_context *context, const dorm_dataset *train, const dorm_dataset *validation,
                             dorm_dataset **whole);
/* Trains as dorm_train does, with one normalisation, on the data of the grid. These are split into shards and have no
 * queries of weight 0. On DORM_STOPPED *training is the training so far, or NULL. DORM_STOPPED with turn->is_complete
 * means that a solve ended at a limit of its own or diverged. The caller frees *training. */
dorm_status dorm__train_once(dorm_context *context, const dorm_settings *settings, dorm__grid grid,
                             const dorm__trainer_set *set, dorm__turn *turn, dorm_training **training);

/* ---- Grid --------------------------------------------------------------------------------------- */

/* Makes the feature map, without rank block, of a grid that trains on these data. The caller clears it. */
dorm_status dorm__grid_map(const dorm__job *job, const dorm_dataset *train, dorm__feature_map *map);
/* Trains the grid. The candidates come into grid->training, and dorm__grid_clear frees them. The grid borrows
 * everything that the caller has set in it. */
dorm_status dorm__grid_train(const dorm__job *job, dorm__grid *grid);
void dorm__grid_clear(dorm__grid *grid);

/* ---- Check -------------------------------------------------------------------------------------- */

/* Compares the settings of all processes, the files that these name, and the features of the data. If a process differs
 * from the first one, returns DORM_BAD_USAGE on all processes. The data of the grid may be NULL. */
dorm_status dorm__check_processes_agree(dorm_context *context, const dorm_settings *settings, const dorm__grid *grid);
/* Returns DORM_BAD_USAGE if an output file of the settings is also another output file or an input file of the
 * settings, or if the context has read it (base/file.h). output.model may be data.from. */
dorm_status dorm__check_outputs(dorm_context *context, const dorm_settings *settings);

/* ---- Automatic -------------------------------------------------------------------------------- */

/* *settings becomes a copy of `given`. If training.trainer is auto, replaces it in the copy by trainers and values that
 * suit the training data. The caller frees the copy. */
dorm_status dorm__settle_trainer(dorm_context *context, const dorm_settings *given, const dorm_dataset *train,
                                 bool has_validation, dorm_settings **settings);
/* Returns training.budget divided by the number of values, in seconds. Returns INFINITY without a budget, or with a
 * checkpoint, since a later call may then have another budget. */
double dorm__seconds_of_a_value(const dorm_settings *given, double num_values);
/* Returns the number of values of this process's data. Of sparse data only the stored values count. */
double dorm__train_num_values(const dorm_dataset *train);

#endif
