/* training.h: from settings and data to a model and the candidates that it was chosen from. */
#ifndef DORM_TRAINING_H
#define DORM_TRAINING_H

#include <stddef.h>

#include "dorm/dataset.h"
#include "dorm/model.h"
#include "dorm/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The primal and dual values of a convex problem at the solution, which prove
 * how far it is from the optimum: gap = (primal - dual) / primal. Both values
 * leave out the constant C sum_i mu Delta_i(reference). Without such a problem,
 * as for a start or trees, `iterations` is 0 and the first four are NaN. */
typedef struct dorm_certificate {
  double primal;
  double dual;
  double gap;                /* NaN, like dual, where the problem is not convex */
  double reference_constant; /* that constant */
  size_t iterations;         /* oracle passes over all training queries */
  size_t num_columns;        /* columns (rankings) in the working set at the end */
  size_t num_support;        /* those with a weight other than 0: the support vectors */
  double seconds;            /* of the whole solve; the three below are those of one thread */
  double score_seconds;      /* matrix-vector products over the data */
  double oracle_seconds;     /* search for the most violated rankings */
  double qp_seconds;         /* adding columns and solving on the working set */
  double join_seconds;       /* of these, on joining the moves of shards, which threads do alike and not in parallel */
  size_t num_barriers;       /* times that the threads waited for each other to join moves */
} dorm_certificate;

/* A candidate: a model that training made. The training result owns the texts. */
struct dorm_candidate {
  size_t number;                /* from 1, in the order of training */
  const char *reference;        /* "mu:0.3"; "" for the start; for trees what was chosen, as in "ordinal:leaves=10" */
  const char *position_weights; /* "loss"; "" for the start */
  size_t truncation;            /* of the loss; 0: none */
  double rank_block;            /* factor of the rank block; 0: none */
  double ridge;                 /* of the start */
  double C;                     /* as in the settings; 0 for the start and for trees */
  size_t round;                 /* of the convex-concave procedure, or of boosting, from 1; 0 for the start. Of trees in
                                 * folds the mean over these, rounded */
  dorm_certificate certificate;
  double validation;       /* NaN without validation data or folds */
  double validation_error; /* standard error of `validation`, a mean over queries */
  double score_scale;      /* standard deviation of the training scores within queries */
  int is_selected;         /* 1: it is part of the returned model */
  const char *kernel;      /* "linear", "linear + rbf:gamma=0.5,scale=1" */
  size_t kernel_rank;      /* of the approximation L L' of the Gram matrix K; 0 for the linear kernel */
  double kernel_trace;     /* tr(K) over the training documents */
  double kernel_residual;  /* tr(K - L L') */
  double kernel_bound;     /* the optimum of the exact kernel lies between certificate.dual - kernel_bound and
                            * certificate.primal */
  double rho;              /* factor of the weights of data.from in the centre of the norm; 0: none */
  double training;         /* of events: the measure on the training queries; NaN where it was not computed */
};

typedef struct dorm_training dorm_training;

/* Checks before the data are read what dorm_train checks, too: no output file of the settings may be one that they name
 * to be read, except for data.from = output.model, and processes that train as one (dorm_context_set_processes) need
 * the same settings, except for threads, storage and folder. */
DORM_API dorm_status dorm_train_check(dorm_context *context, const dorm_settings *settings);

/* Trains with every combination of values of the settings that are lists; of several
 * normalisations, with one after the other, and *training is that of the best.
 * `validation` may be NULL. On DORM_STOPPED *training has the best model so far,
 * or is NULL if no candidate was finished. */
DORM_API dorm_status dorm_train(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train,
                                const dorm_dataset *validation, dorm_training **training);
/* Like dorm_train, but may use the memory of the feature values of both data sets
 * for the rows that it trains on, which otherwise are a second matrix of the same
 * size. Afterwards the data sets still have labels and ids, but their values read
 * as 0, and what makes rows of them again, or writes them, is DORM_BAD_USAGE. With
 * data.rank_block = 0 training needs one matrix in this way. With a rank block rows
 * are twice as wide; if several factors of the rank block or normalisations are tried,
 * only the last one uses the memory of the data. With a loss that reads features the data sets
 * are left as they are. */
DORM_API dorm_status dorm_train_consuming(dorm_context *context, const dorm_settings *settings, dorm_dataset *train,
                                          dorm_dataset *validation, dorm_training **training);
/* Frees a training, its candidates and, unless it was taken, its model. */
DORM_API void dorm_training_free(dorm_training *training);

/* The model, owned by the training; NULL if it was taken. */
DORM_API const dorm_model *dorm_training_model(const dorm_training *training);
/* Takes the model out of the training result, which has none afterwards; the caller frees it by dorm_model_free. NULL
 * if it was taken before. */
DORM_API dorm_model *dorm_training_take_model(dorm_training *training);
/* The number of candidates that were finished. */
DORM_API size_t dorm_training_num_candidates(const dorm_training *training);
/* Candidate number `index`, from 0, owned by the training; NULL for a number out of range. */
DORM_API const dorm_candidate *dorm_training_candidate(const dorm_training *training, size_t index);
/* The queries that were trained on, by the last trainer where there are several; `svm` leaves out queries of which
 * every ranking costs the same, such as those without a relevant document. */
DORM_API size_t dorm_training_num_training_queries(const dorm_training *training);
/* The number of folds on whose held-out queries the candidates were measured: after a stop, of those finished by then
 * or, if none was, 1. 0 without a cross-validation. */
DORM_API size_t dorm_training_num_folds(const dorm_training *training);
/* The measure of the model on the validation data, or on the held-out queries of the folds; NaN without them. */
DORM_API double dorm_training_validation(const dorm_training *training);
/* What the model is worth on new queries like those of training, by selection.measure, if folds were averaged and all
 * finished; otherwise NaN. Each query was ranked by a model that was neither trained nor chosen with it, so that the
 * value is not too high for having been chosen. Unless it is NULL, *standard_error becomes its standard error; 1.96 of
 * them on both sides are a 95 % interval. */
DORM_API double dorm_training_estimate(const dorm_training *training, double *standard_error);

/* Values to compare the estimate with. */
typedef enum dorm_baseline {
  DORM_BASELINE_CHANCE,  /* the mean over random rankings */
  DORM_BASELINE_FEATURE, /* the best single feature, as it is or negated, of dense data */
  DORM_BASELINE_LINEAR,  /* the candidates that have no parts such as trees, estimated as the model is */
  DORM_BASELINE_SERVING  /* the candidates that score each document by itself, where others do not; likewise */
} dorm_baseline;

/* One of these values on the queries of training, of which at most 2^20 feature values count; NaN where it is not
 * known, and without an estimate. Unless it is NULL, *feature becomes the id of the best feature, else 0. */
DORM_API double dorm_training_baseline(const dorm_training *training, dorm_baseline which, size_t *feature);

/* ---- Streams ---- */

/* The progress of training on a stream. Each query is ranked and measured before the model learns from it. The mean of
 * these values is the progressive measure. Its standard error assumes independent queries. */
typedef struct dorm_stream_report {
  size_t num_queries;  /* so far */
  size_t num_lines;    /* of the input, up to the end of the last query */
  size_t num_trained;  /* queries some of whose rankings cost more than others */
  size_t num_features; /* so far */
  size_t num_measured; /* queries that count in the measure */
  double progressive, progressive_error;
  size_t num_recent; /* the same for the queries since the last report */
  double recent, recent_error;
  double C;           /* of each query at present */
  double seconds;     /* since the call */
  size_t num_resumed; /* queries of the checkpoint that this call resumed; 0: none */
} dorm_stream_report;

typedef void (*dorm_stream_function)(void *user, const dorm_stream_report *report);

/* Trains on the queries of the file or pipe data.train ("-": standard input), one after the other, until it ends or the
 * work is cancelled, which here is DORM_OK. After every stream.every queries and at the end, `report` is called if it
 * is not NULL, and the checkpoint (if output.checkpoint is set) and the model are written to their files, each whole or
 * not at all. With output.resume = yes it goes on from the checkpoint to the same bits as if it had not been
 * interrupted; the first report then is of the checkpoint, at once, before the input is opened. Memory does not grow
 * with the number of queries. *model becomes the last model; the caller frees it. DORM_BAD_DATA names file and line of
 * what is wrong, after checkpoint and model of the queries before it have been written. */
DORM_API dorm_status dorm_train_stream(dorm_context *context, const dorm_settings *settings,
                                       dorm_stream_function report, void *user, dorm_model **model);

#ifdef __cplusplus
}
#endif

#endif
