/* candidates.h: the results of training: the candidates, their models, and the model made of them. */
#ifndef DORM_JOBS_CANDIDATES_H
#define DORM_JOBS_CANDIDATES_H

#include "jobs/trainer.h"

/* A candidate and its model: weights of rows, parts, or the sum of both. */
typedef struct dorm__trained {
  dorm_candidate candidate; /* reference and position_weights point to the two below */
  char *reference;
  char *position_weights;
  const dorm__kernel_factor *kernel; /* of the rows, owned by the training; NULL: linear */
  size_t width;
  double *w;         /* [width] weights of the map's features (if the rows have them), then of the kernel's, or NULL */
  size_t num_parts;  /* 0 for a weight vector, several for a mean over folds (folds.h) */
  dorm__part *parts; /* [num_parts], owned, each with its weight */
  double divisor;    /* a chosen candidate's scores are divided by this times score_scale, unless it is 0 */
  double *held_out;  /* [queries of the validation data] values of the measure, NaN if a query does not count; owned;
                      * only of candidates of a fold in the race, else NULL */
} dorm__trained;

struct dorm_training {
  size_t num_trained;
  size_t capacity;
  dorm__trained *trained;
  size_t num_kernels;
  size_t kernels_capacity;
  dorm__kernel_factor **kernels; /* [num_kernels], owned */
  size_t num_training_queries;
  size_t num_folds;                /* on whose held-out queries the candidates were measured */
  double validation;               /* value of the model on the validation data, or NaN */
  double estimate, estimate_error; /* dorm_training_estimate; NaN: none */
  double baselines[4];             /* dorm_training_baseline; NaN: not known */
  size_t best_feature;             /* id of the feature of DORM_BASELINE_FEATURE, or 0 */
  dorm_model *model;
};

dorm_status dorm__training_new(dorm_context *context, dorm_training **training);
/* Appends a candidate. Takes over its parts, even on failure. Copies its texts and w [width], which is NULL if it has
 * parts alone. */
dorm_status dorm__training_add(dorm_context *context, dorm_training *training, const dorm__trained *trained,
                               size_t width, const double *w);
/* Appends a candidate that was made elsewhere. Takes over all that it owns, and frees it on failure. */
dorm_status dorm__training_adopt(dorm_context *context, dorm_training *training, dorm__trained *made);
/* scores [num_docs] += weight times the scores of a candidate that has parts, with its linear model if it has one.
 * `map` is the feature map without rank block. */
dorm_status dorm__trained_add_scores(dorm_context *context, const dorm__trained *trained, const dorm__feature_map *map,
                                     const dorm_dataset *dataset, size_t num_threads, double weight, double *scores);
/* Frees all that a candidate owns. */
void dorm__trained_clear(dorm__trained *trained);
/* Frees the candidate that was appended last. */
void dorm__training_drop_last(dorm_training *training);
/* Write and read a certificate in a checkpoint. */
void dorm__certificate_save(const dorm_certificate *certificate, dorm__record_writer *writer);
dorm_certificate dorm__certificate_restore(dorm__record_reader *reader);
/* Writes a candidate into a checkpoint, without its parts. */
void dorm__trained_save(const dorm__trained *trained, dorm__record_writer *writer);
/* Appends the candidate that the record holds. Sets reader->is_bad if it holds none. */
dorm_status dorm__trained_restore(dorm_context *context, dorm__record_reader *reader, dorm_training *training);

/* Write and read all candidates of a fold, with their parts and the values of its `num_held_out` queries. */
dorm_status dorm__training_save(dorm_context *context, const dorm_training *training, const dorm__feature_map *map,
                                size_t num_held_out, dorm__record_writer *writer);
dorm_status dorm__training_restore(dorm_context *context, const dorm__feature_map *map, size_t num_held_out,
                                   dorm__record_reader *reader, dorm_training *training);

/* ---- Fold sums --------------------------------------------------------------------------------- */

/* Sums over the held-out queries of all folds, each [count] with one entry per candidate. Queries count by their
 * weights. */
typedef struct dorm__fold_sums {
  dorm__region memory; /* of the arrays */
  size_t count;
  size_t num_folds;       /* finished */
  double *values;         /* [count] sum of the queries' measures */
  double *squares;        /* [count] sum of the squares of these */
  double *queries;        /* [count] sum of their weights */
  double *square_weights; /* [count] sum of the squares of their weights */
  bool *has_left;         /* [count] whether the candidate has left the race, so that further folds do not train it */
} dorm__fold_sums;

/* Makes room for `count` candidates, unless there is room already. */
dorm_status dorm__fold_sums_reserve(dorm_context *context, size_t count, dorm__fold_sums *sums);
void dorm__fold_sums_clear(dorm__fold_sums *sums);
/* Adds one fold: the validation values of the candidates, which are means over the held-out queries, with their
 * standard errors. `held_out` has the queries that count, and their weights. */
void dorm__fold_sums_add(dorm__fold_sums *sums, const dorm_training *training, const dorm_evaluation *held_out);
/* Takes a candidate out of the race, and its values out of the sums. */
void dorm__fold_sums_leave(dorm__fold_sums *sums, size_t index);
/* Returns whether the sums contain a fold. */
bool dorm__fold_sums_has_some(const dorm__fold_sums *sums);
/* Keeps candidates 0, step, 2 step, ... */
void dorm__fold_sums_thin(dorm__fold_sums *sums, size_t step);
/* Gives the candidates of a training the means over all folds, with their standard errors. */
void dorm__fold_sums_assign(const dorm__fold_sums *sums, dorm_training *training);

#endif
