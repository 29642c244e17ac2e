/*
 * dorm.h: direct optimization of ranking measures.
 *
 * Learns a scoring function, linear or with kernels, by a structured SVM whose
 * loss is the ranking measure itself (Le and Smola, "Direct Optimization of
 * Ranking Measures", 2007).
 *
 * Conventions
 *  - Handles are opaque. Whatever a function named *_new, *_read, *_train or
 *    *_generate hands out, the caller frees with the matching *_free; freeing
 *    NULL is allowed.
 *  - Every call that can fail returns a dorm_status and, unless that is
 *    DORM_OK, leaves one sentence in the context (dorm_context_message).
 *    On failure the output argument is set to NULL unless said otherwise.
 *  - The library never exits, prints, reads the environment or changes the
 *    locale. One context serves one thread at a time; different contexts are
 *    independent. A data set or a model may be read by many threads at once.
 *  - Numbers in files are read and written the same in every locale.
 */
#ifndef DORM_DORM_H
#define DORM_DORM_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DORM_API __attribute__((visibility("default")))
#else
#define DORM_API
#endif

/* What a call came to. The command exits with the same numbers. */
typedef enum dorm_status {
  DORM_OK = 0,
  DORM_STOPPED = 1,           /* stopped before the gap was reached; what there is so far is handed out */
  DORM_BAD_USAGE = 2,         /* bad argument, setting or configuration file */
  DORM_IO_ERROR = 3,          /* cannot read or write */
  DORM_BAD_DATA = 4,          /* bad data or model */
  DORM_NUMERICAL_FAILURE = 5, /* a number left its range or a factorisation failed */
  DORM_BAD_MODULE = 6,        /* a module was refused, or is missing */
  DORM_OUT_OF_MEMORY = 7
} dorm_status;

/* "0.1.0"; static. */
DORM_API const char *dorm_version(void);

/* One word for a status ("bad data"); static. */
DORM_API const char *dorm_status_name(dorm_status status);

/* OpenBLAS's threads are one number for the whole process; a program that
 * wants training to repeat bit for bit calls this with 1 at its start. Without
 * effect where libdorm was built on another BLAS. */
DORM_API void dorm_set_blas_threads(int num_threads);

/* ---- Context: messages, log, cancellation ------------------------------ */

typedef struct dorm_context dorm_context;
typedef struct dorm_event dorm_event;

/* Returns NULL when out of memory. */
DORM_API dorm_context *dorm_context_new(void);
DORM_API void dorm_context_free(dorm_context *context);

/* The sentence of the last failure, "" before the first; owned by the context,
 * valid until the next failing call. */
DORM_API const char *dorm_context_message(const dorm_context *context);

/* Called from the calling thread only, between steps. */
typedef void (*dorm_log_function)(void *user, const dorm_event *event);
DORM_API void dorm_context_set_log(dorm_context *context, dorm_log_function log, void *user);

/* Asked often, from the calling thread only; a result other than 0 stops the
 * work cleanly (DORM_STOPPED). */
typedef int (*dorm_cancel_function)(void *user);
DORM_API void dorm_context_set_cancel(dorm_context *context, dorm_cancel_function cancel, void *user);

/* ---- Settings ----------------------------------------------------------- */

typedef struct dorm_settings dorm_settings;

typedef enum dorm_setting_kind {
  DORM_SETTING_TEXT,    /* a free text */
  DORM_SETTING_CHOICE,  /* one of the words in `choices` */
  DORM_SETTING_NUMBER,  /* min <= x <= max */
  DORM_SETTING_INTEGER, /* the same, whole */
  DORM_SETTING_SPEC,    /* a word with an optional argument, as in mu:0.3; `choices` says which */
  DORM_SETTING_PATH     /* a path, whatever its characters; never split into a list */
} dorm_setting_kind;

/* One row of the table that defines every setting. */
typedef struct dorm_setting_info {
  const char *key; /* "section.name" */
  dorm_setting_kind kind;
  int is_list; /* several values, separated by commas, are allowed */
  double min;
  double max;
  const char *choices; /* "a, b, c" for CHOICE and SPEC, else NULL */
  const char *default_text;
  const char *help;
} dorm_setting_info;

/* Row `index` of the table, NULL past its end. */
DORM_API const dorm_setting_info *dorm_setting_at(size_t index);

/* All defaults. */
DORM_API dorm_status dorm_settings_new(dorm_context *context, dorm_settings **settings);
DORM_API void dorm_settings_free(dorm_settings *settings);

/* Reads an INI file over what is there. An unknown key or a bad value is
 * DORM_BAD_USAGE with file, line and the nearest known key. */
DORM_API dorm_status dorm_settings_read(dorm_context *context, dorm_settings *settings, const char *path);

/* Sets one key ("solver.C") from text ("1, 3, 10"). */
DORM_API dorm_status dorm_settings_set(dorm_context *context, dorm_settings *settings, const char *key,
                                       const char *text);

/* The text of a setting as given or by default, NULL for an unknown key;
 * valid until the setting changes. */
DORM_API const char *dorm_settings_get(const dorm_settings *settings, const char *key);

/* ---- Data sets ---------------------------------------------------------- */

typedef struct dorm_dataset dorm_dataset;

/* Reads LETOR / SVMlight text, `label qid:Q id:value ... # comment`, plain or
 * gzip. Queries are contiguous; feature ids increase along a line; an absent
 * feature is 0. A bad line is DORM_BAD_DATA, "file:line: what"; the first one
 * of the file is named. Where the lines have no qid, the numbers of documents
 * of the queries are read from PATH.query or PATH.group, one a line, as
 * LightGBM and XGBoost keep them; queries are then known by their numbers from
 * 1, and feature ids may be 0. Files of dorm_dataset_write_cache are read too. */
DORM_API dorm_status dorm_dataset_read(dorm_context *context, const char *path, dorm_dataset **dataset);

/* How feature values are kept: a float for each document and feature, or eight
 * bytes for each value other than 0. Auto takes sparse where less than a
 * quarter of a matrix of more than a megabyte is other than 0. */
typedef enum dorm_storage { DORM_STORAGE_AUTO, DORM_STORAGE_DENSE, DORM_STORAGE_SPARSE } dorm_storage;

/* All zero is the default. */
typedef struct dorm_read_options {
  size_t num_threads; /* 0: one a processor; the result is the same for any number */
  dorm_storage storage;
  int use_cache; /* 1: keep PATH.dorm-cache beside the text and read that while the text stays the same */
} dorm_read_options;

/* The same with options; NULL for the default. */
DORM_API dorm_status dorm_dataset_read_with(dorm_context *context, const char *path, const dorm_read_options *options,
                                            dorm_dataset **dataset);

/* Copies arrays: query q holds the documents query_start[q] ..
 * query_start[q + 1] - 1 (num_queries + 1 entries from 0); labels[num_docs],
 * finite and >= 0; features[num_docs][num_features], row-major, finite;
 * feature f gets the id f + 1. */
DORM_API dorm_status dorm_dataset_from_arrays(dorm_context *context, size_t num_queries, const size_t *query_start,
                                              size_t num_features, const double *labels, const float *features,
                                              dorm_dataset **dataset);

/* The same from sparse rows: the entries of document j are indices[e], values[e]
 * with row_start[j] <= e < row_start[j + 1] (num_docs + 1 entries from 0);
 * indices count from 0 and increase along a row; what is absent is 0. */
DORM_API dorm_status dorm_dataset_from_sparse(dorm_context *context, size_t num_queries, const size_t *query_start,
                                              size_t num_features, const double *labels, const size_t *row_start,
                                              const uint32_t *indices, const float *values, dorm_dataset **dataset);

/* Parameters of the artificial data of dorm_dataset_generate_artificial. */
typedef struct dorm_artificial {
  size_t num_queries;
  size_t docs_per_query;
  size_t num_features;
  double noise;        /* standard deviation added to the standardised target */
  uint64_t model_seed; /* draws the cubic polynomial: sets that share it belong together */
  uint64_t data_seed;  /* draws the documents */
} dorm_artificial;

/* Ranking data in the manner of Burges et al. 2005: features uniform in
 * [-1, 1]; the target is the mean of three standardised terms, linear,
 * quadratic and cubic in the features, drawn from model_seed; labels 4..0 by
 * quantiles of the target over the whole set (5, 10, 15, 20, 50 % from best
 * to worst). */
DORM_API dorm_status dorm_dataset_generate_artificial(dorm_context *context, const dorm_artificial *parameters,
                                                      dorm_dataset **dataset);

/* Sparse ranking data: a document holds `entries` distinct features of
 * num_features, low ids more often, with values uniform in (0, 1]; the target is
 * a random linear function of the features, drawn from model_seed, plus noise;
 * labels 4..0 by the same quantiles. */
DORM_API dorm_status dorm_dataset_generate_sparse(dorm_context *context, const dorm_artificial *parameters,
                                                  size_t entries, dorm_dataset **dataset);

/* Queries of one word with several senses: 14 pages of one host that are alike,
 * 8 pages on other senses from hosts of their own, 20 that are irrelevant. The
 * documents' ids are URLs (diversity.groups = host), and their subtopics are
 * there. */
DORM_API dorm_status dorm_dataset_generate_ambiguous(dorm_context *context, size_t num_queries, uint64_t seed,
                                                     dorm_dataset **dataset);

/* Writes a binary file, whole or not at all, that dorm_dataset_read loads at the
 * speed of memory; it is for this machine and this version. */
DORM_API dorm_status dorm_dataset_write_cache(dorm_context *context, const dorm_dataset *dataset, const char *path);
/* Writes LETOR text, whole or not at all. */
DORM_API dorm_status dorm_dataset_write(dorm_context *context, const dorm_dataset *dataset, const char *path);
DORM_API void dorm_dataset_free(dorm_dataset *dataset);

DORM_API size_t dorm_dataset_num_docs(const dorm_dataset *dataset);
DORM_API size_t dorm_dataset_num_queries(const dorm_dataset *dataset);
DORM_API size_t dorm_dataset_num_features(const dorm_dataset *dataset); /* distinct ids */
DORM_API size_t dorm_dataset_feature_id(const dorm_dataset *dataset, size_t feature);
DORM_API size_t dorm_dataset_query_start(const dorm_dataset *dataset, size_t query); /* query <= num_queries */
DORM_API const char *dorm_dataset_query_id(const dorm_dataset *dataset, size_t query);
DORM_API const char *dorm_dataset_doc_id(const dorm_dataset *dataset, size_t doc); /* "" when not given */
DORM_API double dorm_dataset_label(const dorm_dataset *dataset, size_t doc);
DORM_API float dorm_dataset_value(const dorm_dataset *dataset, size_t doc, size_t feature);

/* ---- Diversity ----------------------------------------------------------- */

/* Groups of documents of which few may stand among the first positions of a
 * ranking, as the settings diversity.* say. Training respects them where
 * diversity.groups is set, so the data sets need them first; measures such as
 * redundancy@10 or ndcg@10:repeats=irrelevant need them too. */
DORM_API dorm_status dorm_dataset_read_groups(dorm_context *context, dorm_dataset *dataset,
                                              const dorm_settings *settings);
/* The same from arrays (diversity.groups = given): document j is in the groups
 * groups[e] with weights[e] (NULL: 1), start[j] <= e < start[j + 1]; start has
 * num_docs + 1 entries. Copied. */
DORM_API dorm_status dorm_dataset_set_groups(dorm_context *context, dorm_dataset *dataset, const size_t *start,
                                             const uint32_t *groups, const double *weights);
/* Subtopics of the documents, lines `query subtopic document judgement`, for the
 * measures alpha_ndcg, err_ia and subtopic_recall. */
DORM_API dorm_status dorm_dataset_read_subtopics(dorm_context *context, dorm_dataset *dataset, const char *path);
/* Writes them, whole or not at all; subtopics go by their numbers from 1. */
DORM_API dorm_status dorm_dataset_write_subtopics(dorm_context *context, const dorm_dataset *dataset, const char *path);
/* scores[num_docs] become `diverse`, by which the documents stand in a ranking
 * that respects the groups: for groups that do not overlap the best of each
 * group first, up to the capacity, the rest behind; else the best ranking with
 * diversity.top such positions. Documents that fall back get a score just below
 * the one before them, the others keep theirs. `scores` and `diverse` may be
 * the same array. */
DORM_API dorm_status dorm_diversify(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                    const double *scores, double *diverse);

/* ---- Training ----------------------------------------------------------- */

/* Primal and dual value of the convex problem solved, and what is proved:
 * gap = (primal - dual) / primal. Both values leave out the constant
 * C sum_i mu Delta_i(reference), given apart. */
typedef struct dorm_certificate {
  double primal;
  double dual;
  double gap;
  double reference_constant;
  size_t iterations;     /* oracle passes over all training queries */
  size_t num_columns;    /* rankings in the working set at the end */
  size_t num_support;    /* those of them with weight: the support vectors */
  double seconds;        /* in all; the phases below are of one thread */
  double score_seconds;  /* matrix-vector products over the data */
  double oracle_seconds; /* most violated rankings */
  double qp_seconds;     /* adding columns and solving the working set */
} dorm_certificate;

/* One model that training made. The texts are owned by the training result. */
typedef struct dorm_candidate {
  size_t number;                /* from 1, in the order of training */
  const char *reference;        /* "mu:0.3"; "" for the start */
  const char *position_weights; /* "loss"; "" for the start */
  size_t truncation;            /* of the loss; 0: none */
  double rank_block;            /* factor of the rank features; 0: none */
  double ridge;                 /* of the start */
  double C;                     /* as in the settings; 0 for the start */
  size_t round;                 /* of the convex-concave procedure, from 1; 0 for the start */
  dorm_certificate certificate;
  double validation;       /* NaN without validation data or folds */
  double validation_error; /* standard error of that mean over the queries */
  double score_scale;      /* standard deviation of its training scores within queries */
  int is_selected;         /* part of the returned model */
  const char *kernel;      /* "linear", "linear + rbf:gamma=0.5,scale=1"; owned by the training result */
  size_t kernel_rank;      /* of its approximation L L' of the Gram matrix K; 0 for the linear kernel */
  double kernel_trace;     /* tr(K) over the training documents */
  double kernel_residual;  /* tr(K - L L') */
  double kernel_bound;     /* the optimum of the exact kernel lies between certificate.dual - kernel_bound and
                            * certificate.primal */
} dorm_candidate;

typedef struct dorm_training dorm_training;
typedef struct dorm_model dorm_model;

/* Trains over all combinations of the settings that are lists. `validation`
 * may be NULL. On DORM_STOPPED *training holds the best model so far, unless
 * nothing was finished (*training is then NULL). */
DORM_API dorm_status dorm_train(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train,
                                const dorm_dataset *validation, dorm_training **training);
/* The same, and may take the memory of the feature values of both data sets for
 * the rows it works on, which otherwise are a second matrix beside the first.
 * Afterwards the data sets keep labels and ids; their values read as 0. With
 * data.rank_block = 0 training so needs one matrix; with a rank block the rows
 * are twice as wide, and where several blocks are tried the rows of all but the
 * last stand beside the data. Losses that read features leave the data alone. */
DORM_API dorm_status dorm_train_consuming(dorm_context *context, const dorm_settings *settings, dorm_dataset *train,
                                          dorm_dataset *validation, dorm_training **training);
DORM_API void dorm_training_free(dorm_training *training);

DORM_API const dorm_model *dorm_training_model(const dorm_training *training);
DORM_API size_t dorm_training_num_candidates(const dorm_training *training);
DORM_API const dorm_candidate *dorm_training_candidate(const dorm_training *training, size_t index);
DORM_API size_t dorm_training_num_training_queries(const dorm_training *training); /* with a relevant document */
DORM_API double dorm_training_validation(const dorm_training *training);           /* of the model; NaN without data */

/* ---- Models ------------------------------------------------------------- */

DORM_API dorm_status dorm_model_read(dorm_context *context, const char *path, dorm_model **model);
/* Whole or not at all: a temporary file, then a rename. */
DORM_API dorm_status dorm_model_write(dorm_context *context, const dorm_model *model, const char *path);
/* Writes a linear model for another program, whole or not at all; path "-" is
 * standard output. `format` is elasticsearch, opensearch, solr, ranklib, json or
 * c; `name` the model's; `names_path` a text of lines `ID NAME` of features, or
 * NULL: feature_ID. DORM_BAD_DATA for kernels, ranks and features normalised
 * within queries, which need the other documents of the query. */
DORM_API dorm_status dorm_model_export(dorm_context *context, const dorm_model *model, const char *format,
                                       const char *name, const char *names_path, const char *path);
/* For models from dorm_model_read; dorm_training_model's belongs to the training result. */
DORM_API void dorm_model_free(dorm_model *model);

/* Lets a model that was read use the kernel of the module at this path: a file
 * never loads one, so a model with such a kernel is scored only after this. A
 * module that no part of the model needs is no failure. */
DORM_API dorm_status dorm_model_use_module(dorm_context *context, dorm_model *model, const char *path);

/* scores[num_docs]; features that the model does not know are ignored. */
DORM_API dorm_status dorm_model_score(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                                      double *scores);

/* Weights of the linear part by feature: `value` multiplies the normalised feature, `rank` its
 * within-query rank. Returns 0 past the last feature, else 1. */
DORM_API int dorm_model_weight(const dorm_model *model, size_t index, size_t *feature_id, double *value, double *rank);
/* Kernel part `index`: its expression, NULL past the last; its pivots and the
 * factor of the rank features that it sees. */
DORM_API const char *dorm_model_kernel(const dorm_model *model, size_t index, size_t *num_pivots, double *rank_block);
/* The effective settings that made the model, as a copy to be freed. */
DORM_API dorm_status dorm_model_settings(dorm_context *context, const dorm_model *model, dorm_settings **settings);
/* One of them, NULL for an unknown key. */
DORM_API const char *dorm_model_setting(const dorm_model *model, const char *key);

/* ---- Losses --------------------------------------------------------------- */

/* A built-in loss with its parameters (plugin.h), NULL past the last. */
DORM_API const dorm_loss_module *dorm_loss_at(size_t index);

/* Opens a loss from a text such as "ndcg:truncation=10,gain=linear", or a
 * module from an explicit path, "my_loss:alpha=2 from ./my_loss.so" (without a
 * name: the module's own). A module that is not one, has another interface or
 * fails its self-check is DORM_BAD_MODULE with the reason. */
typedef struct dorm_loss dorm_loss;
DORM_API dorm_status dorm_loss_open(dorm_context *context, const char *spec, dorm_loss **loss);
DORM_API void dorm_loss_close(dorm_loss *loss);
/* Name, help and parameters; owned by the loss. */
DORM_API const dorm_loss_module *dorm_loss_module_of(const dorm_loss *loss);

/* ---- Kernels ----------------------------------------------------------------- */

/* A built-in kernel with its parameters as text ("rbf:gamma=auto,scale=1") and
 * its formula; static. 0 past the last, else 1. */
DORM_API int dorm_kernel_at(size_t index, const char **usage, const char **formula);

/* Opens the kernel of a module, "my_kernel:alpha=2 from ./my_kernel.so", which
 * passes its self-check, or "from ./my_kernel.so" for its defaults;
 * DORM_BAD_MODULE with the reason. In training it is named by kernel.kernel. */
typedef struct dorm_kernel dorm_kernel;
DORM_API dorm_status dorm_kernel_open(dorm_context *context, const char *spec, dorm_kernel **kernel);
DORM_API void dorm_kernel_close(dorm_kernel *kernel);
/* Name, help and parameters; owned by the kernel. */
DORM_API const dorm_kernel_module *dorm_kernel_module_of(const dorm_kernel *kernel);

/* ---- Measures ----------------------------------------------------------------- */

/* A measure and its conventions, which are parameters as those of a loss. */
typedef struct dorm_measure_info {
  const char *name;
  const char *help;
  int lower_is_better;
  size_t num_parameters;
  const dorm_loss_parameter *parameters;
} dorm_measure_info;

/* NULL past the last. Besides, "minus_loss(SPEC)" is minus the loss SPEC. */
DORM_API const dorm_measure_info *dorm_measure_at(size_t index);

/* ---- Evaluation --------------------------------------------------------- */

typedef struct dorm_evaluation {
  double mean;           /* over the queries that count */
  double standard_error; /* of that mean; 0 for fewer than two queries */
  size_t num_queries;    /* that count */
  size_t num_empty;      /* queries with nothing to find, such as those without a relevant document */
  int lower_is_better;
  char conventions[400]; /* the measure with every convention spelled out */
} dorm_evaluation;

/* Evaluates a measure such as "ndcg@10" or "ndcg@10:discount=letor,empty=skip"
 * on scores[num_docs]. Ties are broken by document order unless the measure
 * says ties=docid, worst or expected. `per_query` ([num_queries]; NaN for a
 * skipped query) may be NULL. */
DORM_API dorm_status dorm_evaluate(dorm_context *context, const char *measure, const dorm_dataset *dataset,
                                   const double *scores, double *per_query, dorm_evaluation *evaluation);

/* Reads one number a line into scores[num_docs]; a line too many or too few
 * is DORM_BAD_DATA. */
DORM_API dorm_status dorm_scores_read(dorm_context *context, const char *path, size_t num_docs, double *scores);
DORM_API dorm_status dorm_scores_write(dorm_context *context, const char *path, size_t num_docs, const double *scores);

/* ---- TREC files --------------------------------------------------------- */

/* Writes `query Q0 document rank score tag`, every query from the top, equal
 * scores by document id downwards. Scores are in single precision, as versions
 * of trec_eval read them, moved by one unit in the last place where that is
 * needed to keep their order. A document without id goes by the number of its
 * line in the data, D1, D2, ...; one of score -INFINITY is left out. The
 * measures of trec_eval are those of dorm with ties=docid, for example
 * "map:ties=docid" and, for ndcg_cut, "ndcg@10:gain=linear,ties=docid". */
DORM_API dorm_status dorm_trec_run_write(dorm_context *context, const char *path, const dorm_dataset *dataset,
                                         const double *scores, const char *tag);
/* Writes `query 0 document label`; labels must be whole numbers. */
DORM_API dorm_status dorm_trec_qrels_write(dorm_context *context, const char *path, const dorm_dataset *dataset);
/* Joins qrels and a run to a data set without features and its scores
 * (dorm_scores_free). A judged document that the run lacks has the score
 * -INFINITY and counts as not found; a retrieved one without judgement, or
 * with a negative one, has label 0. Queries that the run lacks are left out,
 * as trec_eval does, unless all_queries is not 0. */
DORM_API dorm_status dorm_trec_read(dorm_context *context, const char *qrels, const char *run, int all_queries,
                                    dorm_dataset **dataset, double **scores);
DORM_API void dorm_scores_free(double *scores);

/* ---- Is one better than the other? ---------------------------------------- */

/* Two sets of scores by their values query for query. */
typedef struct dorm_comparison {
  size_t num_pairs; /* queries that count on both sides */
  double first;     /* mean over those */
  double second;
  double difference;     /* first - second */
  double standard_error; /* of the difference */
  double t;              /* difference / standard error */
  double t_test;         /* two-sided p-value, Student's t with num_pairs - 1 degrees of freedom */
  double randomisation;  /* two-sided p-value: share of random sign changes that differ as much */
  size_t num_rounds;     /* sign changes tried; all 2^num_pairs of them for few pairs */
} dorm_comparison;

/* first[count], second[count] as from dorm_evaluate's per_query; NaN on either
 * side leaves the query out. Needs two pairs. O(count num_rounds) */
DORM_API dorm_status dorm_compare(dorm_context *context, size_t count, const double *first, const double *second,
                                  size_t num_rounds, uint64_t seed, dorm_comparison *comparison);

/* ---- Ratings -------------------------------------------------------------- */

/* Ratings of items by users: users become queries, items documents, ratings
 * labels. */
typedef struct dorm_ratings dorm_ratings;
/* What is known of users, or of items. */
typedef struct dorm_side dorm_side;

/* Reads `user item rating [time]`, divided by blanks, commas or "::", plain or
 * gzip, within the range and by the rule for duplicates of the settings. With
 * held_out_path (else NULL, as held_out may be then) reads held-out ratings too;
 * both number users and items alike, and share no pair. A bad line is
 * DORM_BAD_DATA, "file:line: what". */
DORM_API dorm_status dorm_ratings_read(dorm_context *context, const dorm_settings *settings, const char *path,
                                       const char *held_out_path, dorm_ratings **ratings, dorm_ratings **held_out);
/* Draws training and held-out ratings as ratings.split says, which must not be
 * none. */
DORM_API dorm_status dorm_ratings_split(dorm_context *context, const dorm_settings *settings,
                                        const dorm_ratings *ratings, dorm_ratings **training, dorm_ratings **held_out);
/* One line a rating, by user, whole or not at all. */
DORM_API dorm_status dorm_ratings_write(dorm_context *context, const dorm_ratings *ratings, const char *path);
DORM_API void dorm_ratings_free(dorm_ratings *ratings);

DORM_API size_t dorm_ratings_count(const dorm_ratings *ratings);
DORM_API size_t dorm_ratings_num_users(const dorm_ratings *ratings); /* also those without a rating here */
DORM_API size_t dorm_ratings_num_items(const dorm_ratings *ratings);
DORM_API size_t dorm_ratings_user_count(const dorm_ratings *ratings, size_t user);
DORM_API const char *dorm_ratings_user_id(const dorm_ratings *ratings, size_t user);
DORM_API const char *dorm_ratings_item_id(const dorm_ratings *ratings, size_t item);

/* Parameters of dorm_ratings_generate. */
typedef struct dorm_artificial_ratings {
  size_t num_users;
  size_t num_items;
  size_t ratings_per_user; /* at most half of the items */
  double noise;            /* standard deviation added before rounding */
  uint64_t seed;
} dorm_artificial_ratings;

/* Ratings 1 to 5 by users with three tastes of items with three styles; writes
 * what is known of both to the paths that are given (else NULL). */
DORM_API dorm_status dorm_ratings_generate(dorm_context *context, const dorm_artificial_ratings *parameters,
                                           const char *users_path, const char *items_path, dorm_ratings **ratings);

/* Reads `id tag ... name:number ...`, one a line. */
DORM_API dorm_status dorm_side_read(dorm_context *context, const char *path, dorm_side **side);
DORM_API void dorm_side_free(dorm_side *side);

/* What predicts ratings, as features of (user, item) pairs for a ranker: those of
 * training rows are out of fold. `users` and `items` may be NULL; the training
 * ratings must outlive the features. */
typedef struct dorm_rating_features dorm_rating_features;
DORM_API dorm_status dorm_rating_features_fit(dorm_context *context, const dorm_settings *settings,
                                              const dorm_ratings *training, const dorm_side *users,
                                              const dorm_side *items, dorm_rating_features **features);
DORM_API void dorm_rating_features_free(dorm_rating_features *features);
/* Feature id index + 1 is "bias", ...; NULL past the last. Two more ids hold the
 * numbers of user and item from 1. */
DORM_API const char *dorm_rating_feature_name(size_t index);
/* One query a user with training ratings (and ratings in `only`, where that is
 * not NULL), one document a rating. */
DORM_API dorm_status dorm_rating_features_training(dorm_context *context, const dorm_rating_features *features,
                                                   const dorm_ratings *only, dorm_dataset **dataset);
/* The same for held-out ratings, means over the fits behind training rows; documents are
 * in the order of dorm_ratings_write. */
DORM_API dorm_status dorm_rating_features_predict(dorm_context *context, const dorm_rating_features *features,
                                                  const dorm_ratings *pairs, dorm_dataset **dataset);
/* All items that a user has not rated; labels 0. */
DORM_API dorm_status dorm_rating_features_candidates(dorm_context *context, const dorm_rating_features *features,
                                                     const char *user_id, dorm_dataset **dataset);
/* Gram matrices of the kernels ratings.user_kernel and ratings.item_kernel; row
 * numbers are those of the features above. */
DORM_API dorm_status dorm_rating_kernels_write(dorm_context *context, const dorm_settings *settings,
                                               const dorm_ratings *training, const dorm_side *users,
                                               const dorm_side *items, const char *users_path, const char *items_path);

/* ---- Ranking matrix factorisation ------------------------------------------ */

/* Offsets and rows of items, rows of users: item i is worth o[i] + <U[u], V[i]>
 * to user u, learned by minimising an upper bound of the mean loss of the users'
 * rated items, in turns over users and items. */
typedef struct dorm_factors dorm_factors;

/* One round; number 0 is the start. F is the objective, which never rises. */
typedef struct dorm_factor_round {
  size_t number;
  double before; /* F */
  double after_users;
  double after_items;
  double held_out; /* measure on held-out ratings; 0 without */
  double user_seconds;
  double item_seconds;
  size_t item_passes; /* oracle passes of the items' step */
  double item_gap;    /* its relative duality gap at the end */
  size_t num_columns; /* rankings it held */
  int is_kept;        /* the factors are those of this round */
} dorm_factor_round;

/* Loss, reference and position weights are those of the settings, of lists the
 * first value. With held-out ratings (else NULL), which must have been read or
 * split together with the training ratings, the best round is kept. */
DORM_API dorm_status dorm_factorize(dorm_context *context, const dorm_settings *settings, const dorm_ratings *training,
                                    const dorm_ratings *held_out, dorm_factors **factors);
DORM_API dorm_status dorm_factors_read(dorm_context *context, const char *path, dorm_factors **factors);
/* Readable text, whole or not at all. */
DORM_API dorm_status dorm_factors_write(dorm_context *context, const dorm_factors *factors, const char *path);
DORM_API void dorm_factors_free(dorm_factors *factors);
DORM_API size_t dorm_factors_num_users(const dorm_factors *factors);
DORM_API size_t dorm_factors_num_items(const dorm_factors *factors);
DORM_API size_t dorm_factors_rank(const dorm_factors *factors);
/* Rounds made; NULL past the last, and for factors that were read. */
DORM_API const dorm_factor_round *dorm_factors_round(const dorm_factors *factors, size_t index);
/* scores[dorm_ratings_count(pairs)] in the order of dorm_ratings_write. A user
 * whom the factors do not know gets the items' offsets, such an item 0; a note
 * says how many there were. */
DORM_API dorm_status dorm_factors_score(dorm_context *context, const dorm_factors *factors, const dorm_ratings *pairs,
                                        double *scores);
/* The up to `most` best items for a user, without those rated: items[most], owned
 * by the factors, and scores[most]. Where `given` (else NULL) has ratings by the
 * user, they make the user's row, the items staying as they are; any new user is
 * folded in like this. */
DORM_API dorm_status dorm_factors_recommend(dorm_context *context, const dorm_factors *factors, const char *user_id,
                                            const dorm_ratings *given, size_t most, size_t *count, const char **items,
                                            double *scores);

/* ---- Events ------------------------------------------------------------- */

typedef enum dorm_event_kind {
  DORM_EVENT_NOTE,      /* `text` says something worth knowing */
  DORM_EVENT_WARNING,   /* `text` says something likely wrong */
  DORM_EVENT_ITERATION, /* an oracle pass was made for `candidate` */
  DORM_EVENT_CANDIDATE  /* `candidate` is finished */
} dorm_event_kind;

struct dorm_event {
  dorm_event_kind kind;
  const char *text;                /* NOTE, WARNING; else "" */
  const dorm_candidate *candidate; /* ITERATION: certificate and numbers so far; else NULL or finished */
  size_t num_done;                 /* candidates finished, in all folds */
  size_t num_candidates;           /* expected in all */
  double seconds;                  /* since training began */
};

#ifdef __cplusplus
}
#endif

#endif
