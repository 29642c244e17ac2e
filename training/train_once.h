/* train_once.h: one training, with one normalisation of the features. */
#ifndef DORM_TRAINING_TRAIN_ONCE_H
#define DORM_TRAINING_TRAIN_ONCE_H

#include "jobs/jobs.h"

/* One of several trainings of a call. */
typedef struct dorm__turn {
  size_t number, count; /* this one, from 0, and the number of all */
  bool is_complete;     /* set by the training if it was not interrupted */
} dorm__turn;

/* Makes a data set of the queries of both. */
dorm_status dorm__train_join(dorm_context *context, const dorm_dataset *train, const dorm_dataset *validation,
                             dorm_dataset **whole);
/* Does dorm_train on the data of the grid, which are split into shards and have no queries of weight 0. With
 * DORM_STOPPED *training may be the training so far, or NULL. It is complete if solves stopped at their own limits. */
dorm_status dorm__train_once(dorm_context *context, const dorm_settings *settings, dorm__grid grid,
                             const dorm__trainer_set *set, dorm__turn *turn, dorm_training **training);

/* ---- Grid --------------------------------------------------------------------------------------- */

/* Makes the feature map of a grid that trains on these data, without rank block. The caller clears it. */
dorm_status dorm__grid_map(const dorm__job *job, const dorm_dataset *train, dorm__feature_map *map);
/* Trains the grid into grid->training. The fields that the caller sets are borrowed. */
dorm_status dorm__grid_train(const dorm__job *job, dorm__grid *grid);
void dorm__grid_clear(dorm__grid *grid);

/* ---- Check -------------------------------------------------------------------------------------- */

/* Returns DORM_BAD_USAGE on all processes if a process has another setting, another file that a setting names, or data
 * with other features than the first process. The data of the grid may be NULL. */
dorm_status dorm__check_processes_agree(dorm_context *context, const dorm_settings *settings, const dorm__grid *grid);
/* Returns DORM_BAD_USAGE if an output file of the settings is also another output, an input file of theirs, or a file
 * that the context has read (base/file.h). output.model may be data.from. */
dorm_status dorm__check_outputs(dorm_context *context, const dorm_settings *settings);

/* ---- Automatic -------------------------------------------------------------------------------- */

/* *settings becomes a copy of `given` in which the training data determine training.trainer instead of auto. The caller
 * frees it. */
dorm_status dorm__settle_trainer(dorm_context *context, const dorm_settings *given, const dorm_dataset *train,
                                 bool has_validation, dorm_settings **settings);
/* Returns the budget for each value of the data, in sparse data for each stored one. Returns INFINITY without a budget,
 * or with a checkpoint, since a later call may then have another budget. */
double dorm__seconds_of_a_value(const dorm_settings *given, double num_values);
/* Returns the number of values of this process's data, or of the stored ones of sparse data. */
double dorm__train_num_values(const dorm_dataset *train);

#endif
