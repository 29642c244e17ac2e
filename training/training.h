/*
 * training.h: from settings and data to one model. The trainers of a job make candidates of rows. The best candidates
 * of all trainers make the model.
 *
 * Reading order: grid, selection, blend, committee, folds, check, train_once, train, most_violated,
 * stream_rows, stream_call, stream.
 */
#ifndef DORM_TRAINING_TRAINING_H
#define DORM_TRAINING_TRAINING_H

#include "jobs/jobs.h"

/* Does dorm_train with the trainers `extra` [num_extra], borrowed, in addition to those that training.trainer names. */
dorm_status dorm__train_with(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train,
                             const dorm_dataset *validation, size_t num_extra, const dorm__trainer *const *extra,
                             dorm_training **training);

#endif
