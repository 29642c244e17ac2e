/* training.h: trains a model and the candidates from which it is chosen. */
#ifndef DORM_TRAINING_H
#define DORM_TRAINING_H

#include <stddef.h>

#include "dorm/dataset.h"
#include "dorm/model.h"
#include "dorm/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The certificate of a solution: the primal and dual values of a convex problem, which bound its distance from the
 * optimum. gap = (primal - dual) / primal. Both values leave out the constant C sum_i mu Delta_i(reference). Without a
 * convex problem, as for a start or for trees, `iterations` is 0 and the first four fields are NaN. */
typedef struct dorm_certificate {
  double primal;
  double dual;
  double gap;                /* NaN, like dual, if the problem is not convex */
  double reference_constant; /* the constant C sum_i mu Delta_i(reference) */
  size_t iterations;         /* oracle passes over all training queries */
  size_t num_columns;        /* columns (rankings) in the final working set */
  size_t num_support;        /* columns with a weight other than 0: the support vectors */
  double seconds;            /* of the whole solve; the three below are seconds of one thread */
  double score_seconds;      /* spent on matrix-vector products over the data */
  double oracle_seconds;     /* spent on the search for the most violated rankings */
  double qp_seconds;         /* spent on adding columns and solving on the working set */
  double join_seconds;       /* part of these: joining the moves of shards, which does not run in parallel */
  size_t num_barriers;       /* times that the threads waited for each other to join moves */
} dorm_certificate;

/* A candidate: a model that training made. The training owns the texts. */
struct dorm_candidate {
  size_t number;                /* from 1, in the order of training */
  const char *reference;        /* "mu:0.3", "" for the start; for trees the chosen parameters, such as
                                 * "ordinal:leaves=10" */
  const char *position_weights; /* "loss"; "" for the start */
  size_t truncation;            /* of the loss, 0: none */
  double rank_block;            /* factor of the rank block, 0: none */
  double ridge;                 /* of the start */
  double C;                     /* as in the settings, 0 for the start and for trees */
  size_t round;                 /* of the convex-concave procedure or of boosting, from 1; 0 for the start; for trees
                                 * in folds the rounded mean over the folds */
  dorm_certificate certificate;
  double validation;       /* NaN without validation data or folds */
  double validation_error; /* standard error of `validation`, a mean over queries */
  double score_scale;      /* standard deviation of the training scores within queries */
  int is_selected;         /* 1: part of the returned model */
  const char *kernel;      /* "linear", "linear + rbf:gamma=0.5,scale=1" */
  size_t kernel_rank;      /* of the approximation L L' of the Gram matrix K, 0 for the linear kernel */
  double kernel_trace;     /* tr(K) over the training documents */
  double kernel_residual;  /* tr(K - L L') */
  double kernel_bound;     /* the optimum of the exact kernel is between certificate.dual - kernel_bound and
                            * certificate.primal */
  double rho;              /* factor of the weights of data.from in the centre of the norm, 0: none */
  double training;         /* the measure on the training queries, NaN if it was not computed */
};

typedef struct dorm_training dorm_training;

/* Checks settings before the data are read. dorm_train makes the same checks. No output file of the settings may be one
 * of their input files, except for data.from = output.model. Processes that train as one (dorm_context_set_processes)
 * must have the same settings, except for threads, storage and folder. */
DORM_API dorm_status dorm_train_check(dorm_context *context, const dorm_settings *settings);

/* Trains with every combination of values of the settings that are lists. If several normalisations are given, it
 * trains with one after the other and returns the training of the best. The caller frees *training. `validation` may be
 * NULL. On DORM_STOPPED *training has the best model so far, or is NULL if no candidate was finished. */
DORM_API dorm_status dorm_train(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train,
                                const dorm_dataset *validation, dorm_training **training);
/* Trains like dorm_train, but may use the memory of the feature values of both data sets for its rows, which otherwise
 * are a second matrix of the same size. Afterwards the data sets still have labels and ids, but their values read as 0.
 * Training, scoring or writing them afterwards returns DORM_BAD_USAGE.
 *
 * With data.rank_block = 0 training then needs only one matrix. With a rank block rows are twice as wide. If several
 * factors of the rank block or several normalisations are tried, only the last one uses the memory of the data. With a
 * loss that reads features, the data sets are left unchanged. */
DORM_API dorm_status dorm_train_consuming(dorm_context *context, const dorm_settings *settings, dorm_dataset *train,
                                          dorm_dataset *validation, dorm_training **training);
/* Frees a training, its candidates and, unless it was taken, its model. */
DORM_API void dorm_training_free(dorm_training *training);

/* Returns the model, owned by the training, or NULL if it was taken. */
DORM_API const dorm_model *dorm_training_model(const dorm_training *training);
/* Takes the model out of the training. The caller frees it by dorm_model_free. Returns NULL if it was taken before. */
DORM_API dorm_model *dorm_training_take_model(dorm_training *training);
/* Returns the number of finished candidates. */
DORM_API size_t dorm_training_num_candidates(const dorm_training *training);
/* Returns candidate number `index`, from 0, owned by the training. Returns NULL for a number out of range. */
DORM_API const dorm_candidate *dorm_training_candidate(const dorm_training *training, size_t index);
/* Returns the number of queries that the last trainer trained on. The trainer `svm` leaves out queries on which every
 * ranking costs the same, such as queries without a relevant document. */
DORM_API size_t dorm_training_num_training_queries(const dorm_training *training);
/* Returns the number of folds on whose held-out queries the candidates were measured, 0 without a cross-validation.
 * After a stop it is the number of finished folds, at least 1. */
DORM_API size_t dorm_training_num_folds(const dorm_training *training);
/* Returns the measure of the model on the validation data, or on the held-out queries of the folds. Returns NaN without
 * them. */
DORM_API double dorm_training_validation(const dorm_training *training);
/* Returns an estimate of selection.measure on new queries like the training queries, if folds were averaged and all
 * finished, otherwise NaN. Each query was ranked by a model that was neither trained nor chosen with it, so the choice
 * among candidates does not bias the value upwards. With fewer than 300 queries, models that learned from half of them
 * show how much the value rises with the number of queries. A fifth of this rise is added, and counts as an error, too:
 * the model has learned from more queries than single folds. *standard_error becomes the standard error of the estimate
 * and may be NULL. The value plus and minus 1.96 standard errors is a 95 % interval. */
DORM_API double dorm_training_estimate(const dorm_training *training, double *standard_error);

/* Baselines for the estimate. */
typedef enum dorm_baseline {
  DORM_BASELINE_CHANCE,  /* the mean over random rankings */
  DORM_BASELINE_FEATURE, /* the best single feature, as it is or negated, of dense data */
  DORM_BASELINE_LINEAR,  /* the candidates without parts such as trees, estimated like the model */
  DORM_BASELINE_SERVING  /* the same for candidates that score each document by itself, if not all do */
} dorm_baseline;

/* Returns the value of a baseline on the training queries, computed from at most 2^20 feature values. Returns NaN if it
 * is not known, or without an estimate. *feature becomes the id of the best feature, else 0. It may be NULL. */
DORM_API double dorm_training_baseline(const dorm_training *training, dorm_baseline which, size_t *feature);

/* ---- Streams ---- */

/* The progress of training on a stream. Each query is ranked and measured before the model learns from it. The mean of
 * these values is the progressive measure. Its standard error assumes independent queries. */
typedef struct dorm_stream_report {
  size_t num_queries;  /* so far */
  size_t num_lines;    /* of the input, up to the end of the last query */
  size_t num_trained;  /* queries with rankings of different cost */
  size_t num_features; /* so far */
  size_t num_measured; /* queries that count in the measure */
  double progressive, progressive_error;
  size_t num_recent; /* the same for the queries since the last report */
  double recent, recent_error;
  double C;           /* present C of each query */
  double seconds;     /* since the call began */
  size_t num_resumed; /* queries of the checkpoint that this call resumed, 0: none */
} dorm_stream_report;

typedef void (*dorm_stream_function)(void *user, const dorm_stream_report *report);

/* Trains on the queries of the file or pipe data.train ("-": standard input), one after the other, until the input ends
 * or the work is cancelled. Both return DORM_OK. *model becomes the last model. The caller frees it. Memory does not
 * grow with the number of queries.
 *
 * After every stream.every queries and at the end, it calls `report`, unless that is NULL, and writes the model and, if
 * output.checkpoint is set, the checkpoint. Each file is complete or not written at all. With output.resume = yes, it
 * continues from the checkpoint, and the result has the same bits as without an interruption. The first report is then
 * about the checkpoint, before the input is opened.
 *
 * A bad line returns DORM_BAD_DATA, after checkpoint and model of the queries before it were written. The message names
 * file and line. */
DORM_API dorm_status dorm_train_stream(dorm_context *context, const dorm_settings *settings,
                                       dorm_stream_function report, void *user, dorm_model **model);

#ifdef __cplusplus
}
#endif

#endif
