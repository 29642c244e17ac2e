/*
 * dorm.h: direct optimization of ranking measures.
 *
 * The library learns a scoring function, linear or with kernels, by a
 * structured SVM whose loss is the ranking measure itself (Le and Smola,
 * "Direct Optimization of Ranking Measures", 2007).
 *
 * Conventions
 *  - Handles are opaque. The caller frees what a function named *_new, *_read,
 *    *_train or *_generate returns, with the matching *_free; freeing NULL is
 *    allowed.
 *  - Every call that can fail returns a dorm_status. If that is not DORM_OK,
 *    the context holds one sentence that says why (dorm_context_message), and
 *    the output argument is NULL unless its function says otherwise.
 *  - An argument may be NULL only where its function says so. Otherwise the call
 *    is DORM_BAD_USAGE, and the message names the argument; without a context it
 *    is DORM_BAD_USAGE alone. Functions that return a value or a text return 0,
 *    NaN or NULL for a handle that is NULL and for a number out of range; pointers
 *    through which they return more values may be NULL.
 *  - The library never exits, prints, reads the environment or changes the
 *    locale. One context serves one thread at a time; different contexts are
 *    independent. Several threads may read the same data set or model at the
 *    same time.
 *  - Numbers in files are read and written in the same way in every locale.
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

/* The result of a call. The exit codes of the command are the same numbers. */
typedef enum dorm_status {
  DORM_OK = 0,
  DORM_STOPPED = 1,           /* stopped before the gap was reached; the output is the result so far */
  DORM_BAD_USAGE = 2,         /* bad argument, setting or configuration file */
  DORM_IO_ERROR = 3,          /* cannot read or write */
  DORM_BAD_DATA = 4,          /* bad data or model */
  DORM_NUMERICAL_FAILURE = 5, /* a number left its range or a factorisation failed */
  DORM_BAD_MODULE = 6,        /* a module was refused, or is missing */
  DORM_OUT_OF_MEMORY = 7
} dorm_status;

/* The version of this header. A program that may meet another library compares it with dorm_version. */
#define DORM_VERSION_MAJOR 0
#define DORM_VERSION_MINOR 1
#define DORM_VERSION_PATCH 0

/* The version of the library, "0.1.0"; static. */
DORM_API const char *dorm_version(void);

/* One word for a status ("bad data"); static. */
DORM_API const char *dorm_status_name(dorm_status status);

/* The one of candidates[count] that `word` is probably a mistyped form of, for messages of the kind "did you mean";
 * NULL if none is near. */
DORM_API const char *dorm_nearest_word(const char *word, size_t count, const char *const *candidates);

/* Sets the number of threads of OpenBLAS, which is one number for the whole
 * process. A program whose training must repeat bit for bit calls this with 1
 * when it starts. It has no effect if libdorm was built on another BLAS. */
DORM_API void dorm_set_blas_threads(int num_threads);

/* ---- Context: messages, log, cancellation ------------------------------ */

typedef struct dorm_context dorm_context;
typedef struct dorm_event dorm_event;

/* Returns NULL when out of memory. */
DORM_API dorm_context *dorm_context_new(void);
DORM_API void dorm_context_free(dorm_context *context);

/* The sentence of the last failure, or "" if there was none. It is owned by the
 * context and valid until the next call that fails. */
DORM_API const char *dorm_context_message(const dorm_context *context);

/* Called between steps, only from the thread that called the library. */
typedef void (*dorm_log_function)(void *user, const dorm_event *event);
DORM_API void dorm_context_set_log(dorm_context *context, dorm_log_function log, void *user);

/* Called often, only from the thread that called the library. If it returns a
 * value other than 0, the work stops cleanly (DORM_STOPPED). */
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

/* Row `index` of the table; NULL after the last. */
DORM_API const dorm_setting_info *dorm_setting_at(size_t index);

/* Makes settings that all have their defaults. */
DORM_API dorm_status dorm_settings_new(dorm_context *context, dorm_settings **settings);
DORM_API void dorm_settings_free(dorm_settings *settings);

/* Reads an INI file; what it sets replaces the present values. An unknown key or
 * a bad value is DORM_BAD_USAGE, and the message names the file, the line and
 * the nearest known key. */
DORM_API dorm_status dorm_settings_read(dorm_context *context, dorm_settings *settings, const char *path);

/* Sets one key ("solver.C") from text ("1, 3, 10"). */
DORM_API dorm_status dorm_settings_set(dorm_context *context, dorm_settings *settings, const char *key,
                                       const char *text);

/* The text of a setting, as it was given or by default; NULL for an unknown key.
 * It is valid until the setting changes. */
DORM_API const char *dorm_settings_get(const dorm_settings *settings, const char *key);

/* ---- Data sets ---------------------------------------------------------- */

typedef struct dorm_dataset dorm_dataset;

/* Reads LETOR / SVMlight text, `label qid:Q id:value ... # comment`, plain or
 * gzip; the path "-" is standard input. The lines of a query stand next to each other; feature ids, up to
 * 4294967295, increase along a line; a feature that is absent is 0, and one
 * whose value is nan, NA or ? is missing: it is not known. A bad line is DORM_BAD_DATA; the
 * message is "file:line: what" for the first bad line of the file. If lines
 * have no qid, the query sizes are read from PATH.query or PATH.group, one per
 * line, as LightGBM and XGBoost write them; the queries are then numbered from
 * 1. Files of dorm_dataset_write_cache are read too. */
DORM_API dorm_status dorm_dataset_read(dorm_context *context, const char *path, dorm_dataset **dataset);

/* How feature values are kept: one float for each document and feature (dense),
 * or eight bytes for each value other than 0 (sparse). Auto chooses sparse if
 * the dense matrix would take more than a megabyte and less than a quarter of
 * its values are other than 0. */
typedef enum dorm_storage { DORM_STORAGE_AUTO, DORM_STORAGE_DENSE, DORM_STORAGE_SPARSE } dorm_storage;

/* The default is 0 in every field. */
typedef struct dorm_read_options {
  size_t num_threads; /* 0: one per processor; the data set is the same for every number */
  dorm_storage storage;
  int use_cache;       /* 1: write PATH.dorm-cache beside the text, and read that as long as the text is unchanged */
  int sort_queries;    /* 1: the lines of a query may be apart; its documents are then brought together, where its first
                        * line stands, and dorm_dataset_input_doc says where each one stood */
  int labels_optional; /* 1: a line may begin with its qid or its features; its label is then 0 */
} dorm_read_options;

/* Like dorm_dataset_read, with options; NULL for the defaults. */
DORM_API dorm_status dorm_dataset_read_with(dorm_context *context, const char *path, const dorm_read_options *options,
                                            dorm_dataset **dataset);

/* Copies arrays. Query q has the documents query_start[q] ..
 * query_start[q + 1] - 1; query_start has num_queries + 1 entries, the first is
 * 0. labels[num_docs] are finite and >= 0; features[num_docs][num_features],
 * row-major, are finite, or NaN where they are missing. Feature f gets the id
 * f + 1. */
DORM_API dorm_status dorm_dataset_from_arrays(dorm_context *context, size_t num_queries, const size_t *query_start,
                                              size_t num_features, const double *labels, const float *features,
                                              dorm_dataset **dataset);

/* Copies sparse rows. Document j has the value values[e] for feature indices[e],
 * for row_start[j] <= e < row_start[j + 1], and 0 for all other features;
 * row_start has num_docs + 1 entries, the first is 0. Features are numbered from
 * 0 and increase along a row. The other arguments are as above. */
DORM_API dorm_status dorm_dataset_from_sparse(dorm_context *context, size_t num_queries, const size_t *query_start,
                                              size_t num_features, const double *labels, const size_t *row_start,
                                              const uint32_t *indices, const float *values, dorm_dataset **dataset);

/* Documents in arrays of the calling program, or of a data set. Set struct_size to sizeof(dorm_arrays), and leave at 0
 * or NULL what does not apply. */
typedef struct dorm_arrays {
  size_t struct_size;
  size_t num_docs;
  size_t num_queries;
  const size_t *query_start; /* [num_queries + 1]: query q has the documents query_start[q] .. query_start[q + 1] - 1,
                              * the first entry is 0, the last num_docs; NULL: all documents are one query */
  size_t num_features;
  const size_t *feature_ids;    /* [num_features], increasing, at most 4294967295; NULL: 1, 2, 3, ... */
  const char *const *query_ids; /* [num_queries]; NULL: "1", "2", ... */
  const char *const *doc_ids;   /* [num_docs]; NULL: none */
  const double *labels;         /* [num_docs], finite and >= 0; NULL: all 0 */

  /* The values, as floats or as doubles; the other one is NULL. They are finite, or NaN where they are missing. A
   * double is rounded to the nearest float. */
  const float *floats;
  const double *doubles;
  /* Dense rows: feature f of document j stands at entry j * row_stride + f * column_stride. If both are 0, the rows
   * stand one after the other: row_stride is num_features, column_stride is 1. */
  ptrdiff_t row_stride;
  ptrdiff_t column_stride;
  /* Sparse rows: document j has entry e for feature number indices[e], from 0 and increasing along a row, for
   * row_start[j] <= e < row_start[j + 1], and 0 for all other features. row_start has num_docs + 1 entries, the first
   * is 0. NULL: the rows are dense. */
  const size_t *row_start;
  const uint32_t *indices;
  dorm_storage storage; /* how the data set keeps the values, whatever form they have here; auto as above */
} dorm_arrays;

/* Makes a data set of arrays, which are copied. */
DORM_API dorm_status dorm_dataset_new(dorm_context *context, const dorm_arrays *arrays, dorm_dataset **dataset);

/* Parameters of the artificial data of dorm_dataset_generate_artificial. */
typedef struct dorm_artificial {
  size_t num_queries;
  size_t docs_per_query;
  size_t num_features;
  double noise;        /* standard deviation of the noise that is added to the standardised target */
  uint64_t model_seed; /* seed of the target function: data sets for the same task have the same one */
  uint64_t data_seed;  /* seed of the documents */
} dorm_artificial;

/* Generates ranking data like those of Burges et al. 2005. Features are uniform
 * in [-1, 1]. The target is the mean of three standardised terms, linear,
 * quadratic and cubic in the features, with coefficients drawn from model_seed.
 * Labels 4, 3, 2, 1, 0 go to the best 5, the next 10, 15, 20 and the last 50 %
 * of all documents by the target. */
DORM_API dorm_status dorm_dataset_generate_artificial(dorm_context *context, const dorm_artificial *parameters,
                                                      dorm_dataset **dataset);

/* Generates sparse ranking data. A document has `entries` different features out
 * of num_features, features of low id more often, with values uniform in (0, 1].
 * The target is a linear function of the features, drawn from model_seed, plus
 * noise; labels follow the target as above. */
DORM_API dorm_status dorm_dataset_generate_sparse(dorm_context *context, const dorm_artificial *parameters,
                                                  size_t entries, dorm_dataset **dataset);

/* Generates queries of one word with several senses. Each has 14 similar pages of
 * one host, 8 pages on other senses, each of another host, and 20 irrelevant
 * pages. The ids of the documents are URLs (for diversity.groups = host), and the
 * data set has their subtopics. */
DORM_API dorm_status dorm_dataset_generate_ambiguous(dorm_context *context, size_t num_queries, uint64_t seed,
                                                     dorm_dataset **dataset);

/* A file that dorm_split writes: it takes the queries of every part p with takes[p] other than 0. */
typedef struct dorm_split_file {
  const char *path;
  const int *takes; /* [num_parts] */
} dorm_split_file;

/* Deals the queries of a text into 2 to 1000 parts by these shares (above 0, of any sum), so that queries with many
 * relevant documents (label above 0) and with few are spread alike, and writes the lines of the parts, as they are, to
 * the files. The seed draws the parts. Lines without qid get one. */
DORM_API dorm_status dorm_split(dorm_context *context, const char *path, const dorm_read_options *options,
                                size_t num_parts, const double *shares, uint64_t seed, size_t num_files,
                                const dorm_split_file *files);

/* Writes a binary file, whole or not at all, that dorm_dataset_read loads about
 * as fast as memory can be copied. It is for this kind of machine and this
 * version of dorm. */
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
/* The number of a document's line in the file, among the lines with documents, from 0; without
 * dorm_read_options.sort_queries that is `doc`. */
DORM_API size_t dorm_dataset_input_doc(const dorm_dataset *dataset, size_t doc);
DORM_API double dorm_dataset_label(const dorm_dataset *dataset, size_t doc);
/* Fills `arrays`, whose struct_size must be set, with the arrays of a data set, borrowed until it is freed; without
 * query_ids and doc_ids. The values are floats, NULL after training has taken their memory. */
DORM_API dorm_status dorm_dataset_arrays(dorm_context *context, const dorm_dataset *dataset, dorm_arrays *arrays);
/* NaN where the value is missing. */
DORM_API float dorm_dataset_value(const dorm_dataset *dataset, size_t doc, size_t feature);

/* ---- Diversity ----------------------------------------------------------- */

/* Gives a data set its groups, as the settings diversity.* say: sets of documents
 * of which only few may stand among the first positions of a ranking. If
 * diversity.groups is set, training and validation data must have groups before
 * training. Measures such as redundancy@10 or ndcg@10:repeats=irrelevant need
 * them too. */
DORM_API dorm_status dorm_dataset_read_groups(dorm_context *context, dorm_dataset *dataset,
                                              const dorm_settings *settings);
/* Gives a data set groups from arrays, which are copied (diversity.groups =
 * given). Document j is in the groups groups[e] with weights[e], for
 * start[j] <= e < start[j + 1]; start has num_docs + 1 entries. If weights is
 * NULL, all are 1. */
DORM_API dorm_status dorm_dataset_set_groups(dorm_context *context, dorm_dataset *dataset, const size_t *start,
                                             const uint32_t *groups, const double *weights);
/* Reads subtopics of the documents, from lines `query subtopic document
 * judgement`, for the measures alpha_ndcg, err_ia and subtopic_recall. */
DORM_API dorm_status dorm_dataset_read_subtopics(dorm_context *context, dorm_dataset *dataset, const char *path);
/* The same from arrays, which are copied. Document j is relevant to the
 * subtopics subtopics[e] of its query with judgements[e] > 0, for start[j] <= e <
 * start[j + 1]; start has num_docs + 1 entries. Query q has num_subtopics[q]
 * subtopics, numbered from 0. If judgements is NULL, all are 1. */
DORM_API dorm_status dorm_dataset_set_subtopics(dorm_context *context, dorm_dataset *dataset,
                                                const size_t *num_subtopics, const size_t *start,
                                                const uint32_t *subtopics, const double *judgements);
/* Writes them, whole or not at all; the subtopics are numbered from 1. */
DORM_API dorm_status dorm_dataset_write_subtopics(dorm_context *context, const dorm_dataset *dataset, const char *path);
/* Changes scores[num_docs] into diverse[num_docs], so that sorting by these gives
 * a ranking that respects the groups. If groups do not overlap, the best
 * documents of each group, up to the capacity, come before all others; otherwise
 * it is the best ranking that respects the groups among the first diversity.top
 * positions. A document that is moved back gets a score just below that of the
 * document before it; the others keep theirs. `scores` and `diverse` may be the
 * same array. */
DORM_API dorm_status dorm_diversify(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                    const double *scores, double *diverse);

/* ---- Training ----------------------------------------------------------- */

/* The primal and dual values of a convex problem at the solution, which prove
 * how far it is from the optimum: gap = (primal - dual) / primal. Both values
 * leave out the constant C sum_i mu Delta_i(reference). */
typedef struct dorm_certificate {
  double primal;
  double dual;
  double gap;
  double reference_constant; /* that constant */
  size_t iterations;         /* oracle passes over all training queries */
  size_t num_columns;        /* columns (rankings) in the working set at the end */
  size_t num_support;        /* those with a weight other than 0: the support vectors */
  double seconds;            /* of the whole solve; the three below are those of one thread */
  double score_seconds;      /* matrix-vector products over the data */
  double oracle_seconds;     /* search for the most violated rankings */
  double qp_seconds;         /* adding columns and solving on the working set */
} dorm_certificate;

/* A candidate: a model that training made. The training result owns the texts. */
typedef struct dorm_candidate {
  size_t number;                /* from 1, in the order of training */
  const char *reference;        /* "mu:0.3"; "" for the start; for trees what was chosen, as in "ordinal:leaves=10" */
  const char *position_weights; /* "loss"; "" for the start */
  size_t truncation;            /* of the loss; 0: none */
  double rank_block;            /* factor of the rank block; 0: none */
  double ridge;                 /* of the start */
  double C;                     /* as in the settings; 0 for the start and for trees */
  size_t round;                 /* of the convex-concave procedure, or of boosting, from 1; 0 for the start */
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
} dorm_candidate;

typedef struct dorm_training dorm_training;
typedef struct dorm_model dorm_model;

/* Trains with every combination of values of the settings that are lists.
 * `validation` may be NULL. On DORM_STOPPED *training has the best model so far,
 * or is NULL if no candidate was finished. */
DORM_API dorm_status dorm_train(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train,
                                const dorm_dataset *validation, dorm_training **training);
/* Like dorm_train, but may use the memory of the feature values of both data sets
 * for the rows that it trains on, which otherwise are a second matrix of the same
 * size. Afterwards the data sets still have labels and ids, but their values read
 * as 0. With data.rank_block = 0 training needs one matrix in this way. With a
 * rank block rows are twice as wide; if several factors of the rank block are
 * tried, only the last one uses the memory of the data. With a loss that reads
 * features the data sets are left as they are. */
DORM_API dorm_status dorm_train_consuming(dorm_context *context, const dorm_settings *settings, dorm_dataset *train,
                                          dorm_dataset *validation, dorm_training **training);
DORM_API void dorm_training_free(dorm_training *training);

DORM_API const dorm_model *dorm_training_model(const dorm_training *training);
/* Takes the model out of the training result, which has none afterwards; the caller frees it by dorm_model_free. NULL
 * if it was taken before. */
DORM_API dorm_model *dorm_training_take_model(dorm_training *training);
DORM_API size_t dorm_training_num_candidates(const dorm_training *training);
DORM_API const dorm_candidate *dorm_training_candidate(const dorm_training *training, size_t index);
DORM_API size_t dorm_training_num_training_queries(const dorm_training *training); /* with a relevant document */
DORM_API double dorm_training_validation(const dorm_training *training); /* of the model; NaN without such data */

/* ---- Models ------------------------------------------------------------- */

/* A model is a weighted sum of parts, each of which scores documents: a linear function of their features, kernels
 * between them and some training documents, boosted trees, or nets. */

DORM_API dorm_status dorm_model_read(dorm_context *context, const char *path, dorm_model **model);
/* Writes a temporary file and renames it, so that the file is whole or not there. */
DORM_API dorm_status dorm_model_write(dorm_context *context, const dorm_model *model, const char *path);
/* Writes the text of the model's file into memory: *text[*size], a zero byte after it, freed by dorm_text_free. */
DORM_API dorm_status dorm_model_to_text(dorm_context *context, const dorm_model *model, char **text, size_t *size);
DORM_API void dorm_text_free(char *text);
/* Reads a model from text[size], as dorm_model_to_text or dorm_model_write wrote it. */
DORM_API dorm_status dorm_model_from_text(dorm_context *context, const char *text, size_t size, dorm_model **model);
/* Makes a JSON object with the parts of the model, its settings, and the remarks on its training, for programs that
 * show models; freed by dorm_text_free. A setting that is not UTF-8 is DORM_BAD_DATA. */
DORM_API dorm_status dorm_model_describe(dorm_context *context, const dorm_model *model, char **json);
/* Writes a model for another program, whole or not at all; path "-" is standard
 * output. `format` is elasticsearch, opensearch, solr, ranklib, xgboost, json or
 * c. `name` is the name of the model. `names_path` is a file with one `ID NAME`
 * of a feature per line; if it is NULL, features are called feature_ID. A model
 * with kernels, or with ranks or features normalised within queries, which
 * depend on the other documents of the query, is DORM_BAD_DATA, and so is one
 * whose weights are too large to be divided by the spreads of the features, and
 * one with trees or nets that the format cannot express; json and c express all. */
DORM_API dorm_status dorm_model_export(dorm_context *context, const dorm_model *model, const char *format,
                                       const char *name, const char *names_path, const char *path);
/* DORM_OK if dorm_model_export would write this model as json and c; else DORM_BAD_DATA, and the message says why. */
DORM_API dorm_status dorm_model_check_export(dorm_context *context, const dorm_model *model);
/* 1 if the score of a document depends on the other documents of its query, 0 if not. */
DORM_API int dorm_model_needs_query(const dorm_model *model);
/* Frees a model that was read or taken. That of dorm_training_model is owned by the training result. */
DORM_API void dorm_model_free(dorm_model *model);

/* Loads the module at this path for a model that was read and needs its kernel.
 * Reading a model never loads a module, so a model with such a kernel can be
 * scored only after this call. It is no failure if no part of the model needs
 * the module. */
DORM_API dorm_status dorm_model_use_module(dorm_context *context, dorm_model *model, const char *path);

/* Computes scores[num_docs]; a higher score is better. Features that the model
 * does not know are ignored. num_threads is at most 1024; 0 is one per
 * processor. The scores are the same for any number, and several threads may call
 * this for one model. */
DORM_API dorm_status dorm_model_score(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                                      size_t num_threads, double *scores);

/* The same for documents in arrays, without a data set: floats in sparse rows, or in dense rows one after the other,
 * are not copied. Labels are not looked at. */
DORM_API dorm_status dorm_model_score_rows(dorm_context *context, const dorm_model *model, const dorm_arrays *arrays,
                                           size_t num_threads, double *scores);

/* Part `index` of the model in a few words, as in "rbf:gamma=2, 100 pivots, rank block 0.5", borrowed from the model;
 * NULL past the last. *kind is "linear", "kernel" or "trees", *weight what the scores of the part are multiplied by. */
DORM_API const char *dorm_model_part(const dorm_model *model, size_t index, const char **kind, double *weight);
/* The weights of feature number `index` in the linear part: `value` multiplies the
 * normalised feature, `rank` its rank within the query. Returns 0 after the last
 * feature, otherwise 1. Both are 0 in a model without a linear part. */
DORM_API int dorm_model_weight(const dorm_model *model, size_t index, size_t *feature_id, double *value, double *rank);
/* Remark `index` on how the model was trained, a line for people: what was averaged, and the certificates; NULL after
 * the last. */
DORM_API const char *dorm_model_remark(const dorm_model *model, size_t index);
/* Computes importance[features of the model], as dorm_model_weight numbers them: the standard deviation, within the
 * queries of the data set, of what the feature adds to the scores of the linear part, by its value and its rank
 * together. It is |weight| times the spread of the normalised feature where the feature has no weight for its rank. */
DORM_API dorm_status dorm_model_importance(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                                           double *importance);
/* Reads names of the model's features from lines `ID NAME`, which must name all of them; without a file (NULL) they are
 * called feature_ID. names[features of the model] is freed by dorm_feature_names_free. */
DORM_API dorm_status dorm_feature_names_read(dorm_context *context, const dorm_model *model, const char *path,
                                             char ***names);
DORM_API void dorm_feature_names_free(const dorm_model *model, char **names);
/* The expression of kernel part `index`, or NULL after the last; *num_pivots is
 * its number of pivots and *rank_block the factor of the rank block that it sees. */
DORM_API const char *dorm_model_kernel(const dorm_model *model, size_t index, size_t *num_pivots, double *rank_block);

/* Boosted trees as a part of a model. */
typedef struct dorm_trees {
  const char *objective; /* what they were fitted to, borrowed from the model */
  size_t num_trees, num_leaves;
  size_t num_outputs; /* sums of trees that the score is made of */
  double rank_block;  /* factor of the ranks that the trees see; 0: none */
} dorm_trees;
/* The trees of part `index`, numbered as by dorm_model_part. Returns 0 if the part is not made of trees, else 1. Unless
 * they are NULL, gain and splits [twice the features of the model] become the importances of features: by how much all
 * splits on a feature improved the fit, and how many splits there are; first of the features' values, then of their
 * ranks within the query. */
DORM_API int dorm_model_trees(const dorm_model *model, size_t index, dorm_trees *trees, double *gain, size_t *splits);
/* The settings that made the model, with their defaults, as a copy that the
 * caller frees. */
DORM_API dorm_status dorm_model_settings(dorm_context *context, const dorm_model *model, dorm_settings **settings);
/* The value of one of these settings; NULL for an unknown key. */
DORM_API const char *dorm_model_setting(const dorm_model *model, const char *key);

/* ---- Losses --------------------------------------------------------------- */

/* A built-in loss with its parameters (plugin.h); NULL after the last. */
DORM_API const dorm_loss_module *dorm_loss_at(size_t index);

/* Opens a loss from a text such as "ndcg:truncation=10,gain=linear", or the loss
 * of a module from an explicit path, "my_loss:alpha=2 from ./my_loss.so" or, with
 * the default parameters, "from ./my_loss.so". A file that is not a module, or a
 * module that has another version of the interface or fails its self-check, is
 * DORM_BAD_MODULE, and the message says why. */
typedef struct dorm_loss dorm_loss;
DORM_API dorm_status dorm_loss_open(dorm_context *context, const char *spec, dorm_loss **loss);
DORM_API void dorm_loss_close(dorm_loss *loss);
/* Name, help and parameters; owned by the loss. */
DORM_API const dorm_loss_module *dorm_loss_module_of(const dorm_loss *loss);

/* ---- Kernels ----------------------------------------------------------------- */

/* A built-in kernel with its parameters as text ("rbf:gamma=auto,scale=1") and
 * its formula; both are static. Returns 0 after the last, otherwise 1. */
DORM_API int dorm_kernel_at(size_t index, const char **usage, const char **formula);

/* Opens the kernel of a module from a text such as "my_kernel:alpha=2 from
 * ./my_kernel.so" or, with the default parameters, "from ./my_kernel.so", and
 * checks it; what is refused is DORM_BAD_MODULE, and the message says why. For
 * training, kernel.kernel names the module instead. */
typedef struct dorm_kernel dorm_kernel;
DORM_API dorm_status dorm_kernel_open(dorm_context *context, const char *spec, dorm_kernel **kernel);
DORM_API void dorm_kernel_close(dorm_kernel *kernel);
/* Name, help and parameters; owned by the kernel. */
DORM_API const dorm_kernel_module *dorm_kernel_module_of(const dorm_kernel *kernel);

/* ---- Measures ----------------------------------------------------------------- */

/* A measure and its conventions, which are parameters like those of a loss. */
typedef struct dorm_measure_info {
  const char *name;
  const char *help;
  int lower_is_better;
  size_t num_parameters;
  const dorm_loss_parameter *parameters;
} dorm_measure_info;

/* NULL after the last. In addition to these, "minus_loss(SPEC)" is minus the loss
 * SPEC. */
DORM_API const dorm_measure_info *dorm_measure_at(size_t index);

/* ---- Gradients on scores --------------------------------------------------- */

/* A lambda-function says for each document of a query how its score should move:
 * lambda[j] > 0 where document j should rise, and a curvature h[j] >= 0 for
 * trainers that take Newton steps. Where a cost exists, lambda = -d cost / d score. */
typedef struct dorm_lambda_info {
  const char *name;
  const char *formula;
  const char *source;
  int has_target;   /* 1: it is of a measure or a loss, as in "NAME of ndcg@10" */
  int has_cost;     /* 1: a cost exists */
  int sums_to_zero; /* 1: the lambdas of a query add up to 0 (without alpha) */
  size_t num_parameters;
  const dorm_loss_parameter *parameters;
} dorm_lambda_info;

/* A built-in lambda-function; NULL after the last. */
DORM_API const dorm_lambda_info *dorm_lambda_info_at(size_t index);

/* Opens a lambda-function for a data set from a text:
 *   NAME[:KEY=VALUE,...][ of TARGET]
 *   NAME[:KEY=VALUE,...] from ./my_lambda.so
 * as in "ranknet-weight-pairs:sigma=1 of ndcg@10". TARGET is a measure (for a loss
 * "minus_loss(LOSS)", or only LOSS where no measure has that name); without one it
 * is ndcg@10. The data set must not be freed before. One handle serves one thread
 * at a time. */
typedef struct dorm_lambda dorm_lambda;
DORM_API dorm_status dorm_lambda_open(dorm_context *context, const char *spec, const dorm_dataset *dataset,
                                      dorm_lambda **lambda);
DORM_API void dorm_lambda_close(dorm_lambda *lambda);
/* The text with every parameter and the target spelled out; owned by the handle. */
DORM_API const char *dorm_lambda_spec(const dorm_lambda *lambda);

/* Fills lambdas[l] and curvature[l] for query number `query` of l documents at
 * scores[l]. *cost becomes the cost, NaN where none exists; *num_pairs the number of
 * effective pairs, those that push (of a function without pairs: documents with a
 * lambda other than 0). Both may be NULL. */
DORM_API dorm_status dorm_lambda_at(dorm_context *context, const dorm_lambda *lambda, size_t query,
                                    const double *scores, double *lambdas, double *curvature, double *cost,
                                    size_t *num_pairs);

typedef struct dorm_lambda_summary {
  double cost;        /* sum over the queries; NaN where no cost exists */
  size_t num_pairs;   /* effective pairs of all queries */
  size_t num_queries; /* number of queries with a lambda other than 0 */
} dorm_lambda_summary;

/* The same for all documents of a data set: scores, lambdas and curvature are
 * [num_docs]. `summary` may be NULL. num_threads is at most 1024, 0 is one per
 * processor; the numbers are the same for any number of threads. */
DORM_API dorm_status dorm_lambdas(dorm_context *context, const char *spec, const dorm_dataset *dataset,
                                  const double *scores, size_t num_threads, double *lambdas, double *curvature,
                                  dorm_lambda_summary *summary);

enum { DORM_LAMBDA_MOST_DOCS = 7 };

/* A query at which something was found; `scores` and `other_scores` are two points of it. */
typedef struct dorm_lambda_example {
  size_t num_docs; /* 0: none was found */
  double labels[DORM_LAMBDA_MOST_DOCS];
  double scores[DORM_LAMBDA_MOST_DOCS];
  double other_scores[DORM_LAMBDA_MOST_DOCS];
  size_t first, second; /* two documents, from 0 */
  double values[2];
} dorm_lambda_example;

/* What dorm_lambda_check finds. A cost exists if and only if the Jacobian J with the
 * entries d lambda_i / d score_j is symmetric everywhere, and lambda jumps, if at
 * all, at right angles to the surface where it jumps; the cost is convex if and only
 * if -J has no negative eigenvalue and no jump goes uphill (Burges, "Ranking as
 * Learning Structured Outputs", equation 11). All figures are shares of the largest
 * entry of J, or of lambda, at the same point. */
typedef struct dorm_lambda_report {
  char spec[400];
  size_t num_points;       /* Jacobians taken, by central differences, away from ties */
  double largest_entry;    /* of all Jacobians, not a share; 0: lambda is constant where the order is */
  double asymmetry;        /* largest |J_ij - J_ji| */
  double least_eigenvalue; /* of -(J + J')/2 */
  double largest_jump;     /* of a lambda, where two documents change places in the ranking */
  double skew_jump;        /* the same without the part that is opposite and equal for the two documents */
  double uphill;           /* largest <lambda - lambda', g - g'> over both lengths, for two points g and g' */
  /* The extreme cases: values are J_ij and J_ji; the eigenvalue and 0; lambda of `first` on both sides of the
   * jump; <lambda - lambda', g - g'> and 0. */
  dorm_lambda_example asymmetric, bent, jumping, climbing;
  int is_symmetric;  /* asymmetry below 1e-6 */
  int is_continuous; /* largest_jump below 1e-6 */
  int has_cost;      /* is_symmetric, and skew_jump below 1e-6 */
  int is_convex;     /* no eigenvalue below -1e-6, and no uphill above 1e-6 */
} dorm_lambda_report;

/* Tries a lambda-function on random small queries. What it finds missing is missing;
 * what it does not find may still be, as everywhere with samples. */
DORM_API dorm_status dorm_lambda_check(dorm_context *context, const char *spec, uint64_t seed,
                                       dorm_lambda_report *report);

/* ---- Evaluation --------------------------------------------------------- */

typedef struct dorm_evaluation {
  double mean;           /* over the queries that count */
  double standard_error; /* of that mean; 0 for fewer than two queries */
  size_t num_queries;    /* number of queries that count */
  size_t num_empty;      /* number of queries with nothing to find, such as those without a relevant document */
  int lower_is_better;
  char conventions[400]; /* the measure with all its conventions as parameters */
} dorm_evaluation;

/* Evaluates a measure such as "ndcg@10" or "ndcg@10:discount=letor,empty=skip"
 * on scores[num_docs]. Documents of equal score rank in the order of the data set
 * unless the measure says ties=docid, worst or expected. per_query[num_queries]
 * gets the value of each query, NaN for one that is skipped; it may be NULL. */
DORM_API dorm_status dorm_evaluate(dorm_context *context, const char *measure, const dorm_dataset *dataset,
                                   const double *scores, double *per_query, dorm_evaluation *evaluation);

/* Reads one number per line into scores[num_docs]; a file of more or fewer lines
 * is DORM_BAD_DATA. */
DORM_API dorm_status dorm_scores_read(dorm_context *context, const char *path, size_t num_docs, double *scores);
DORM_API dorm_status dorm_scores_write(dorm_context *context, const char *path, size_t num_docs, const double *scores);

/* ---- Is a model a local optimum of a measure? ------------------------------ */

/* How dorm_model_probe moves the weights of a model. All zeros, or NULL, are the
 * values in brackets. */
typedef struct dorm_probe_options {
  double epsilon;        /* share of directions that may go unnoticed (0.01) */
  double delta;          /* probability of an error (0.01) */
  size_t num_directions; /* K (the least number for epsilon and delta, 459) */
  size_t num_steps;
  const double *steps; /* [num_steps] positive (0.001, 0.01, 0.1, 0.2, ..., 1) */
  int skips_single;    /* 1: does not move the weights one at a time */
  uint64_t seed;       /* of the directions */
  size_t num_threads;  /* 0: one for each processor; what is found does not depend on it */
} dorm_probe_options;

/* What moves of one length did to the mean of the measure. Values that differ by
 * less than 1e-12 of the values count as equal. */
typedef struct dorm_probe_row {
  double step;
  double length;                           /* of the moves: step, or step times |w| */
  size_t num_better, num_equal, num_worse; /* moves */
  double largest_gain;                     /* of the measure by such a move; 0 if none is better */
  double least_share, most_share;          /* of moves that are better, among all that could be drawn: each bound holds
                                              with confidence 1 - delta (Clopper and Pearson) */
} dorm_probe_row;

typedef struct dorm_probe_moves {
  size_t num_moves;
  size_t num_rows; /* twice the number of steps: first absolute, then in units of |w| */
  const dorm_probe_row *rows;
  size_t num_rising;              /* moves that are better at one length at least */
  double least_share, most_share; /* of these, as above */
} dorm_probe_moves;

typedef struct dorm_probe {
  char measure[400]; /* with all its conventions */
  int lower_is_better;
  double value;       /* of the measure at the weights w */
  size_t num_weights; /* in w */
  double norm;        /* |w| */
  double epsilon, delta;
  dorm_probe_moves directions; /* random ones, by all weights */
  dorm_probe_moves singles;    /* one weight up (even numbers) or down (odd numbers) */
  const double *curves;        /* [directions.num_moves][directions.num_rows] the measure there */
} dorm_probe;

/* The test of local optimality of Donmez, Svore and Burges (2009, section 5) for
 * the weights of linear parts, kernel parts (in the feature space of the kernel, by
 * its pivots) and nets, all of them together: moves them by every step along K =
 * ceil(ln delta / ln(1 - epsilon)) directions, uniform on the sphere, and looks
 * where the measure on the data set is better than at the weights. If it is nowhere,
 * the probability that it is in a share epsilon of all directions is below delta.
 * A model with trees is DORM_BAD_USAGE; a call that is cancelled leaves no probe,
 * and is DORM_STOPPED. Cost: K products of rows and weights, and
 * for each query, direction and step a ranking that is found from the one before. */
DORM_API dorm_status dorm_model_probe(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                                      const char *measure, const dorm_probe_options *options, dorm_probe **probe);
DORM_API void dorm_probe_free(dorm_probe *probe);

/* ---- TREC files --------------------------------------------------------- */

/* Writes a TREC run: lines `query Q0 document rank score tag`, each query from the
 * top, documents of equal score by falling id. Scores are written in single
 * precision, since some versions of trec_eval read them so, and moved by one unit
 * in the last place where that is needed to keep their order. A document without
 * an id is named after its number in the data set, D1, D2, ...; one of score
 * -INFINITY is left out. The measures of trec_eval are those of dorm with
 * ties=docid, for example "map:ties=docid" and, for ndcg_cut,
 * "ndcg@10:gain=linear,ties=docid". */
DORM_API dorm_status dorm_trec_run_write(dorm_context *context, const char *path, const dorm_dataset *dataset,
                                         const double *scores, const char *tag);
/* Writes qrels: lines `query 0 document label`. Labels must be whole numbers. */
DORM_API dorm_status dorm_trec_qrels_write(dorm_context *context, const char *path, const dorm_dataset *dataset);
/* Reads qrels and a TREC run, and makes a data set without features and its
 * scores (freed by dorm_scores_free). A judged document that is not in the run
 * has the score -INFINITY and counts as not found. A document of the run without
 * a judgement, or with a negative one, has label 0. Queries that are not in the
 * run are left out, as trec_eval does, unless all_queries is not 0. */
DORM_API dorm_status dorm_trec_read(dorm_context *context, const char *qrels, const char *run, int all_queries,
                                    dorm_dataset **dataset, double **scores);
DORM_API void dorm_scores_free(double *scores);

/* ---- Is one better than the other? ---------------------------------------- */

/* A comparison of two rankers by the values of a measure for each query. */
typedef struct dorm_comparison {
  size_t num_pairs; /* number of queries that count for both */
  double first;     /* mean over these queries */
  double second;
  double difference;     /* first - second */
  double standard_error; /* of the difference */
  double t;              /* difference / standard error */
  double t_test;         /* two-sided p-value, Student's t with num_pairs - 1 degrees of freedom */
  double randomisation;  /* two-sided p-value: share of random sign changes with a mean difference as large */
  size_t num_rounds;     /* number of sign changes tried; for few pairs all 2^num_pairs of them */
} dorm_comparison;

/* Compares first[count] and second[count], which dorm_evaluate gives as per_query;
 * a query of which either is NaN is left out. At least two pairs must be left.
 * Cost: O(count num_rounds). */
DORM_API dorm_status dorm_compare(dorm_context *context, size_t count, const double *first, const double *second,
                                  size_t num_rounds, uint64_t seed, dorm_comparison *comparison);

/* ---- Ratings -------------------------------------------------------------- */

/* Ratings of items by users. In a data set made from them, users are queries,
 * items are documents and ratings are labels. */
typedef struct dorm_ratings dorm_ratings;
/* Attributes of users, or of items. */
typedef struct dorm_side dorm_side;

/* Reads lines `user item rating [time]`, separated by blanks, commas or "::",
 * plain or gzip. The settings ratings.* give the range of ratings and the rule for
 * duplicates. If held_out_path is not NULL, it reads held-out ratings too; both
 * then have the same numbers of users and items, and no pair in common. If it is
 * NULL, held_out may be NULL. A bad line is DORM_BAD_DATA, "file:line: what". */
DORM_API dorm_status dorm_ratings_read(dorm_context *context, const dorm_settings *settings, const char *path,
                                       const char *held_out_path, dorm_ratings **ratings, dorm_ratings **held_out);
/* Divides ratings at random into training and held-out ratings, as ratings.split
 * says, which must not be none. */
DORM_API dorm_status dorm_ratings_split(dorm_context *context, const dorm_settings *settings,
                                        const dorm_ratings *ratings, dorm_ratings **training, dorm_ratings **held_out);
/* Writes one line per rating, by user, whole or not at all. */
DORM_API dorm_status dorm_ratings_write(dorm_context *context, const dorm_ratings *ratings, const char *path);
DORM_API void dorm_ratings_free(dorm_ratings *ratings);

DORM_API size_t dorm_ratings_count(const dorm_ratings *ratings);
DORM_API size_t dorm_ratings_num_users(const dorm_ratings *ratings); /* also counts those without a rating here */
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

/* Generates ratings 1 to 5 by users of three tastes for items of three styles, and
 * writes attributes of users and items to the paths that are not NULL. */
DORM_API dorm_status dorm_ratings_generate(dorm_context *context, const dorm_artificial_ratings *parameters,
                                           const char *users_path, const char *items_path, dorm_ratings **ratings);

/* Reads one user or item per line: `id tag ... name:number ...`. */
DORM_API dorm_status dorm_side_read(dorm_context *context, const char *path, dorm_side **side);
DORM_API void dorm_side_free(dorm_side *side);

/* Methods that predict ratings, fitted to training ratings; their predictions are
 * features of (user, item) pairs for a ranker. The features of a training pair
 * come from fits without its fold. `users` and `items` may be NULL. The training
 * ratings must not be freed before the features. */
typedef struct dorm_rating_features dorm_rating_features;
DORM_API dorm_status dorm_rating_features_fit(dorm_context *context, const dorm_settings *settings,
                                              const dorm_ratings *training, const dorm_side *users,
                                              const dorm_side *items, dorm_rating_features **features);
DORM_API void dorm_rating_features_free(dorm_rating_features *features);
/* The name of feature id index + 1, such as "bias"; NULL after the last. Two more
 * ids after these are the numbers of user and item, from 1. */
DORM_API const char *dorm_rating_feature_name(size_t index);
/* Makes one query per user with training ratings and, if `only` is not NULL, with
 * ratings in `only`; it has one document per training rating. */
DORM_API dorm_status dorm_rating_features_training(dorm_context *context, const dorm_rating_features *features,
                                                   const dorm_ratings *only, dorm_dataset **dataset);
/* The same for held-out ratings; a feature is the mean over all fits that the
 * features of training pairs come from. The documents are in the order of
 * dorm_ratings_write. */
DORM_API dorm_status dorm_rating_features_predict(dorm_context *context, const dorm_rating_features *features,
                                                  const dorm_ratings *pairs, dorm_dataset **dataset);
/* Makes one query of all items that the user has not rated, with label 0. */
DORM_API dorm_status dorm_rating_features_candidates(dorm_context *context, const dorm_rating_features *features,
                                                     const char *user_id, dorm_dataset **dataset);
/* Writes the Gram matrices of the kernels ratings.user_kernel and
 * ratings.item_kernel. Their rows are numbered as users and items are in the
 * features above. */
DORM_API dorm_status dorm_rating_kernels_write(dorm_context *context, const dorm_settings *settings,
                                               const dorm_ratings *training, const dorm_side *users,
                                               const dorm_side *items, const char *users_path, const char *items_path);

/* ---- Ranking matrix factorisation ------------------------------------------ */

/* The offset o[i] and vector V[i] of every item and the vector U[u] of every user;
 * the score of item i for user u is o[i] + <U[u], V[i]>. They are learned by
 * minimising an upper bound of the mean loss of the users' rated items, for the
 * users and for the items in turn. */
typedef struct dorm_factors dorm_factors;

/* One round; number 0 is the start. F is the objective, which never rises. */
typedef struct dorm_factor_round {
  size_t number;
  double before; /* F before the round */
  double after_users;
  double after_items;
  double held_out; /* measure on held-out ratings; 0 without them */
  double user_seconds;
  double item_seconds;
  size_t item_passes; /* oracle passes of the step over the items */
  double item_gap;    /* relative duality gap at the end of that step */
  size_t num_columns; /* columns (rankings) in its working set */
  int is_kept;        /* 1: the factors are those of this round */
} dorm_factor_round;

/* Loss, reference and position weights are those of the settings; of a list the
 * first value counts. If held_out is not NULL, the factors of the round that is
 * best on these ratings are kept; they must have been read or split together with
 * the training ratings. */
DORM_API dorm_status dorm_factorize(dorm_context *context, const dorm_settings *settings, const dorm_ratings *training,
                                    const dorm_ratings *held_out, dorm_factors **factors);
DORM_API dorm_status dorm_factors_read(dorm_context *context, const char *path, dorm_factors **factors);
/* Writes readable text, whole or not at all. */
DORM_API dorm_status dorm_factors_write(dorm_context *context, const dorm_factors *factors, const char *path);
DORM_API void dorm_factors_free(dorm_factors *factors);
DORM_API size_t dorm_factors_num_users(const dorm_factors *factors);
DORM_API size_t dorm_factors_num_items(const dorm_factors *factors);
DORM_API size_t dorm_factors_rank(const dorm_factors *factors);
/* The rounds of training; NULL after the last, and for factors that were read. */
DORM_API const dorm_factor_round *dorm_factors_round(const dorm_factors *factors, size_t index);
/* Computes scores[dorm_ratings_count(pairs)], in the order of dorm_ratings_write.
 * For a user who is not in the factors the score is the offset of the item; for an
 * item that is not in the factors it is 0. A note says how many there were. */
DORM_API dorm_status dorm_factors_score(dorm_context *context, const dorm_factors *factors, const dorm_ratings *pairs,
                                        double *scores);
/* Finds the best items for a user, at most `most` of them, without those that the
 * user has rated. Fills *count, items[most] and scores[most]; the texts in items
 * are owned by the factors. If `given` is not NULL and has ratings by the user,
 * the user's vector is fitted to them while the items stay as they are; this is
 * how new users get recommendations. */
DORM_API dorm_status dorm_factors_recommend(dorm_context *context, const dorm_factors *factors, const char *user_id,
                                            const dorm_ratings *given, size_t most, size_t *count, const char **items,
                                            double *scores);

/* ---- Events ------------------------------------------------------------- */

typedef enum dorm_event_kind {
  DORM_EVENT_NOTE,      /* `text` says what may be useful to know */
  DORM_EVENT_WARNING,   /* `text` says what is probably wrong */
  DORM_EVENT_ITERATION, /* an oracle pass was made for `candidate` */
  DORM_EVENT_CANDIDATE, /* `candidate` is finished */
  DORM_EVENT_STEP       /* `text` says what is being computed, and how far that is, as in "Gram matrix: 40 %" */
} dorm_event_kind;

struct dorm_event {
  dorm_event_kind kind;
  const char *text;                /* for NOTE, WARNING and STEP; otherwise "" */
  const dorm_candidate *candidate; /* ITERATION: with its certificate so far; CANDIDATE: finished; otherwise NULL */
  size_t num_done;                 /* number of candidates finished, in all folds */
  size_t num_candidates;           /* number of candidates expected, in all folds */
  double seconds;                  /* since training began */
};

#ifdef __cplusplus
}
#endif

#endif
