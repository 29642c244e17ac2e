/* trainer.h: the interface of a trainer, and settings translated for the folders below. */
#ifndef DORM_JOBS_TRAINER_H
#define DORM_JOBS_TRAINER_H

#include "models/models.h"
#include "settings/settings.h"
#include "solver/solver.h"

/* ---- options.c: from settings to typed options -------------- */

/* Opens the loss that loss.name names, with the truncation in that name. Ignores loss.truncation. */
dorm_status dorm__loss_from(dorm_context *context, const dorm_settings *settings, dorm__loss **loss);
/* Returns the reference that a word of ranking.reference names, which the settings have checked. */
dorm__reference dorm__reference_from(const char *word);
/* Finds the position weights that a word of ranking.position_weights names. If it names a file, reads the file. */
dorm_status dorm__position_weights_from(dorm_context *context, const char *word, dorm__position_weights *weights);
/* Returns the method that solver.oracle names. */
dorm__oracle_method dorm__oracle_method_from(const dorm_settings *settings);
/* Returns the settings diversity.*. With diversity.top = auto, the groups hold for the first `truncation` positions (0:
 * the first 10). */
dorm__diversity dorm__diversity_from(const dorm_settings *settings, size_t truncation);

/* Makes the map of a data set by data.features and data.normalisation, without a rank block. */
dorm_status dorm__feature_map_from(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                   dorm__feature_map *map);
/* Counts the features of a data set that data.features names, and the products of features.cross. */
dorm_status dorm__features_chosen_by(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                     size_t *count);
/* Notes that a setting has no effect, if it was given with a value other than the default. */
void dorm__note_unused(const dorm_context *context, const dorm_settings *given, dorm__setting setting,
                       const char *reason);
/* Does the same for all settings of a section, such as "trees". */
void dorm__note_unused_section(const dorm_context *context, const dorm_settings *given, const char *section,
                               const char *reason);

/* ---- A trainer ------------------------------------------------------------------------ */

typedef struct dorm__job dorm__job;                     /* the settings and options, constant during training */
typedef struct dorm__training_rows dorm__training_rows; /* training and validation data under one feature map */
typedef struct dorm__sink dorm__sink;                   /* takes the candidates */

typedef struct dorm__trainer {
  const char *name; /* as in training.trainer */
  /* Whether it begins with a start that needs only a sample of the rows (ridge.c). If not, all rows are made first. */
  bool samples_rows;
  /* Whether it makes candidates of all kernels. If not, dorm refuses kernels other than the linear one. */
  bool takes_kernels;
  /* Whether it obeys weights of queries and documents. If not, dorm refuses data with weights. */
  bool takes_weights;
  /* Whether its scores obey training.increasing and training.decreasing. If not, dorm refuses both. */
  bool keeps_order;
  /* Whether several processes train it together, each with some of the queries. */
  bool shares_queries;
  /* Whether it continues from the model of data.from. If not, dorm refuses that setting. */
  bool goes_on;
  /* Whether it can be resumed. Its candidates must be weights of rows, and it must ask the sink for those in a
   * checkpoint. */
  bool resumes;
  /* Whether its candidates are parts, which are scored from the values of the data. The rows then never take over the
   * memory of these values. */
  bool makes_parts;
  /* Whether it visits rows (dorm__training_rows_for_trees), so that they are only made if something else asks for
   * them. */
  bool visits_rows;
  /* Whether the held-out queries of a fold stop its candidates, whose mean over the folds is a candidate of the model
   * (folds.h). If not, a cross-validation trains its candidates again on all queries. */
  bool averages_folds;
  /* Fails if this build lacks something that the trainer needs, or its settings contradict each other. May be NULL. */
  dorm_status (*check)(const dorm__job *job);
  /* Gives values to settings of the trainer that are auto, once the job has its measure. May be NULL. */
  dorm_status (*settle)(dorm__job *job, const dorm_dataset *train, const dorm_dataset *validation);
  /* The number of candidates that it makes of one set of rows. */
  size_t (*count)(const dorm__job *job);
  /* Makes candidates and hands each to the sink. Returns DORM_STOPPED when the job is cancelled or out of time. */
  dorm_status (*train)(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink);
} dorm__trainer;

/* Returns all rows of the training data, and makes those that are missing. */
dorm_status dorm__training_rows_features(const dorm__job *job, dorm__training_rows *rows,
                                         const dorm__features **features);

/* A candidate as a trainer hands it over. Its model is weights of the rows' features, a part, or the sum of both. */
typedef struct dorm__offer {
  dorm_candidate candidate;   /* the settings it was made with, with texts that are copied */
  const double *train_scores; /* [num_docs of the training data] */
  const double *w;            /* [num_features of the rows], or NULL if the model is `part` alone */
  dorm__part part;            /* taken over, even on failure; without a kind if the model is w alone */
  size_t num_more;
  dorm__part *more; /* [num_more] parts beside that one, taken over, but not the array */
  bool ends_path;   /* the start, or the last round of a C, which selection compares on the training data */
  bool races;       /* in folds, the candidate may leave the race, so the trainer asks dorm__sink_has_left */
} dorm__offer;

/* Returns the fields of a candidate that the rows decide: rank block and kernel. */
dorm_candidate dorm__training_rows_candidate(const dorm__training_rows *rows);
/* Measures a candidate on the validation data, keeps it and reports it. */
dorm_status dorm__sink_take(dorm__sink *sink, const dorm__training_rows *rows, const dorm__offer *offer);

/* Trainers that a job may have: those that training.trainer may name, ended by NULL, and extra ones that it always
 * has. */
typedef struct dorm__trainer_set {
  const dorm__trainer *const *known;
  size_t num_extra;
  const dorm__trainer *const *extra; /* [num_extra] */
} dorm__trainer_set;

#endif
