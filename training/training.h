/*
 * training.h: from settings and data to one model. A trainer makes candidates of rows and hands them to a sink, which
 * measures and keeps them; the best make the model, whatever trainer they come from.
 *
 * Reading order: options, job, rows, candidates, sink, start, bounds, ridge, path, svm, grid, folds, remarks,
 * selection, checkpoint, train.
 */
#ifndef DORM_TRAINING_TRAINING_H
#define DORM_TRAINING_TRAINING_H

#include "models/models.h"
#include "settings/settings.h"
#include "solver/solver.h"

/* ---- options.c: from words of settings to what the folders below take -------------- */

/* The loss that loss.name and loss.module name, with the truncation of its own. */
dorm_status dorm__loss_from(dorm_context *context, const dorm_settings *settings, dorm__loss **loss);
/* A word of ranking.reference, already checked by the settings. */
dorm__reference dorm__reference_from(const char *word);
/* A word of ranking.position_weights; reads the file where it names one. */
dorm_status dorm__position_weights_from(dorm_context *context, const char *word, dorm__position_weights *weights);
/* The method that solver.oracle names. */
dorm__oracle_method dorm__oracle_method_from(const dorm_settings *settings);
/* What the settings diversity.* say; the groups hold for the loss's truncation where diversity.top is auto. */
dorm__diversity dorm__diversity_from(const dorm_settings *settings, size_t truncation);

/* ---- A trainer ------------------------------------------------------------------------ */

typedef struct dorm__job dorm__job;                     /* what is asked for; does not change while it is trained */
typedef struct dorm__training_rows dorm__training_rows; /* training and validation data under one feature map */
typedef struct dorm__sink dorm__sink;                   /* takes the candidates */

typedef struct dorm__trainer {
  const char *name; /* as in training.trainer */
  /* Begins with a start that needs only a sample of the rows (start.c); others get whole rows. */
  bool samples_rows;
  /* Makes candidates of kernels other than the linear one too. */
  bool takes_kernels;
  /* Its candidates are weights of rows, and it asks the sink for those that a checkpoint holds. */
  bool resumes;
  /* The number of candidates that it makes of one set of rows. */
  size_t (*count)(const dorm__job *job);
  /* Makes candidates and hands each to the sink. DORM_STOPPED when the job is cancelled or out of time. */
  dorm_status (*train)(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink);
} dorm__trainer;

/* The whole rows of the training data; those that are missing are made. */
dorm_status dorm__training_rows_features(const dorm__job *job, dorm__training_rows *rows,
                                         const dorm__features **features);
const dorm_dataset *dorm__training_rows_dataset(const dorm__training_rows *rows);

/* A candidate as a trainer hands it over. Its model is either weights of the rows' features or a part. */
typedef struct dorm__offer {
  dorm_candidate candidate;   /* what it was made with; its texts are copied */
  const double *train_scores; /* [num_docs of the training data] */
  const double *w;            /* [num_features of the rows]; NULL: `part` */
  dorm__part part;            /* taken, also on failure; it is scored on the validation data by its kind */
} dorm__offer;

/* The fields of a candidate that the rows decide: rank block and kernel. */
dorm_candidate dorm__training_rows_candidate(const dorm__training_rows *rows);
/* Measures a candidate on the validation data, keeps it and reports it. */
dorm_status dorm__sink_take(dorm__sink *sink, const dorm__training_rows *rows, const dorm__offer *offer);

/* dorm_train with trainers beside those that training.trainer names; `extra` [num_extra] is borrowed. */
dorm_status dorm__train_with(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train,
                             const dorm_dataset *validation, size_t num_extra, const dorm__trainer *const *extra,
                             dorm_training **training);

#endif
