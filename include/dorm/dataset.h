/* dataset.h: data sets from files and arrays, artificial data, splitting and writing. */
#ifndef DORM_DATASET_H
#define DORM_DATASET_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dorm_dataset dorm_dataset;

/* Reads a data set from LETOR / SVMlight text, CSV, TSV or a file of dorm_dataset_write_cache. The path "-" is standard
 * input.
 *
 * LETOR lines are `label qid:Q id:value ... # comment`, plain or gzip. All lines of a query must be consecutive.
 * Feature ids, up to 4294967295, increase along a line. An absent feature is 0. A feature whose value is nan, NA or ?
 * is missing, which means that its value is unknown. A bad line returns DORM_BAD_DATA, and the message is "file:line:
 * reason" for the first bad line of the file.
 *
 * If lines have no qid, the query sizes are read from PATH.query or PATH.group, one per line, as LightGBM and XGBoost
 * write them. The queries are then numbered from 1.
 *
 * An optional file PATH.weight has one weight >= 0 per line, for every query or for every document (see
 * dorm_dataset_set_weights). Document weights that are equal within every query are taken as query weights. Any other
 * number of lines returns DORM_BAD_DATA. */
DORM_API dorm_status dorm_dataset_read(dorm_context *context, const char *path, dorm_dataset **dataset);

/* The storage of feature values. Dense is one float for each document and feature. Sparse is eight bytes for each value
 * other than 0. Auto chooses sparse if the dense matrix would take more than a megabyte and less than a quarter of its
 * values are other than 0. File is dense, but keeps the matrix in an unnamed file, so that data sets larger than memory
 * can be read and trained on. It needs disk space for the matrix, works only for data sets that are read from files,
 * and gives the same models. */
typedef enum dorm_storage {
  DORM_STORAGE_AUTO,
  DORM_STORAGE_DENSE,
  DORM_STORAGE_SPARSE,
  DORM_STORAGE_FILE
} dorm_storage;

/* Options of dorm_dataset_read_with. Every default but struct_size is 0. */
typedef struct dorm_read_options {
  size_t struct_size; /* sizeof(dorm_read_options) */
  size_t num_threads; /* at most 1024, 0: one per processor; does not change the data set */
  dorm_storage storage;
  int use_cache;       /* 1: write PATH.dorm-cache beside the text, and read it as long as the text is unchanged */
  int sort_queries;    /* 1: the lines of a query may be scattered, its documents are regrouped at its first line,
                        * and dorm_dataset_input_doc gives their original places */
  int labels_optional; /* 1: a line may begin with its qid or its features, and its label is then 0 */
  int ignore_weights;  /* 1: ignore PATH.weight and weights in a cache */
  size_t num_shards;   /* > 0: split the queries into num_shards shards by their documents (solver.shards), and keep
                        * only the shards of this process (dorm_context_set_processes). Several processes can read
                        * only a cache (`dorm cache`) */
  const char *query_column, *label_column, *id_column; /* columns of CSV and TSV; NULL: one with a usual name, such
                                                        * as qid, label and docid */
  const char *columns; /* of CSV and TSV: the names of the features in the order of their ids, separated by commas,
                        * as from dorm_dataset_columns; NULL: all other columns, in the order of the file */
  const char *folder;  /* folder for the file of DORM_STORAGE_FILE; NULL or "": /var/tmp, because /tmp is often in
                        * memory */
} dorm_read_options;

/* Returns the names of the features of a CSV or TSV file in the order of their ids, separated by commas. Returns "" for
 * other data. */
DORM_API const char *dorm_dataset_columns(const dorm_dataset *dataset);
/* Reads a data set like dorm_dataset_read, with options (NULL: the defaults). */
DORM_API dorm_status dorm_dataset_read_with(dorm_context *context, const char *path, const dorm_read_options *options,
                                            dorm_dataset **dataset);

/* Makes a data set from dense arrays, which are copied. Query q has the documents query_start[q] .. query_start[q + 1]
 * - 1. query_start [num_queries + 1] begins with 0. labels [num_docs] are finite and >= 0. features
 * [num_docs][num_features], row-major, are finite, or NaN if missing. Feature f gets the id f + 1. */
DORM_API dorm_status dorm_dataset_from_arrays(dorm_context *context, size_t num_queries, const size_t *query_start,
                                              size_t num_features, const double *labels, const float *features,
                                              dorm_dataset **dataset);

/* Makes a data set from sparse rows, which are copied. Document j has the value values[e] for feature indices[e], for
 * row_start[j] <= e < row_start[j + 1], and 0 for all other features. row_start [num_docs + 1] begins with 0. Features
 * are numbered from 0 and increase along a row. The other arguments are as above. */
DORM_API dorm_status dorm_dataset_from_sparse(dorm_context *context, size_t num_queries, const size_t *query_start,
                                              size_t num_features, const double *labels, const size_t *row_start,
                                              const uint32_t *indices, const float *values, dorm_dataset **dataset);

/* Documents in arrays, of the caller or of a data set. Fields that do not apply are 0 or NULL. */
typedef struct dorm_arrays {
  size_t struct_size; /* sizeof(dorm_arrays) */
  size_t num_docs;
  size_t num_queries;
  const size_t *query_start; /* [num_queries + 1], query q has the documents query_start[q] .. query_start[q + 1] -
                              * 1, the first entry is 0, the last num_docs; NULL: all documents are one query */
  size_t num_features;
  const size_t *feature_ids;    /* [num_features], increasing, at most 4294967295; NULL: 1, 2, 3, ... */
  const char *const *query_ids; /* [num_queries]; NULL: "1", "2", ... */
  const char *const *doc_ids;   /* [num_docs]; NULL: none */
  const double *labels;         /* [num_docs], finite and >= 0; NULL: all 0 */

  /* The values, either as floats or as doubles. The other pointer is NULL. Values are finite, or NaN if missing. A
   * double is rounded to the nearest float. */
  const float *floats;
  const double *doubles;
  /* Dense rows: feature f of document j is entry j * row_stride + f * column_stride. If both strides are 0, the rows
   * are contiguous: row_stride is num_features, column_stride is 1. */
  ptrdiff_t row_stride;
  ptrdiff_t column_stride;
  /* Sparse rows: document j has entry e for feature number indices[e], for row_start[j] <= e < row_start[j + 1], and 0
   * for all other features. Feature numbers start at 0 and increase along a row. row_start [num_docs + 1] begins with
   * 0. If row_start is NULL, the rows are dense. */
  const size_t *row_start;
  const uint32_t *indices;
  dorm_storage storage;        /* storage in the data set, independent of the form here */
  const double *query_weights; /* [num_queries], finite and >= 0; NULL: all 1 (dorm_dataset_set_weights) */
  const double *doc_weights;   /* [num_docs], likewise */
} dorm_arrays;

/* Makes a data set from arrays, which are copied. */
DORM_API dorm_status dorm_dataset_new(dorm_context *context, const dorm_arrays *arrays, dorm_dataset **dataset);

/* Parameters of the artificial data of dorm_dataset_generate_artificial. */
typedef struct dorm_artificial {
  size_t struct_size; /* sizeof(dorm_artificial) */
  size_t num_queries;
  size_t docs_per_query;
  size_t num_features;
  double noise;        /* standard deviation of the noise that is added to the standardised target */
  uint64_t model_seed; /* seed of the target function, the same for all data sets of one task */
  uint64_t data_seed;  /* seed of the documents */
} dorm_artificial;

/* Generates ranking data like the data of Burges et al. 2005. Features are uniform in [-1, 1]. The target is the mean
 * of three standardised terms, linear, quadratic and cubic in the features, with coefficients drawn from model_seed. By
 * the target, the best 5 % of all documents get label 4, the next 10, 15 and 20 % get 3, 2 and 1, and the last 50 % get
 * 0. */
DORM_API dorm_status dorm_dataset_generate_artificial(dorm_context *context, const dorm_artificial *parameters,
                                                      dorm_dataset **dataset);

/* Generates sparse ranking data. A document has `entries` of the num_features features, features of low id more often,
 * with values uniform in (0, 1]. The target is a linear function of the features, drawn from model_seed, plus noise.
 * Labels follow the target as above. */
DORM_API dorm_status dorm_dataset_generate_sparse(dorm_context *context, const dorm_artificial *parameters,
                                                  size_t entries, dorm_dataset **dataset);

/* Generates queries of one word with several senses. Each has 14 similar pages of one host, 8 pages on other senses,
 * each of another host, and 20 irrelevant pages. The ids of the documents are URLs (for diversity.groups = host). The
 * data set has subtopics. */
DORM_API dorm_status dorm_dataset_generate_ambiguous(dorm_context *context, size_t num_queries, uint64_t seed,
                                                     dorm_dataset **dataset);

/* Splits the queries of a text into num_parts random parts (2 to 1000), drawn from `seed`. shares [num_parts] are their
 * relative sizes (> 0, any sum). Queries with many relevant documents (label above 0) and with few are spread evenly.
 * The lines of the parts are copied unchanged to the files paths[num_files]. takes [num_files][num_parts], row-major:
 * file f gets part p if takes[f][p] is not 0. Every line must have a label. Lines without a qid get one. If the data
 * have a weight file, each file gets its own. */
DORM_API dorm_status dorm_split(dorm_context *context, const char *path, const dorm_read_options *options,
                                size_t num_parts, const double *shares, uint64_t seed, size_t num_files,
                                const char *const *paths, const int *takes);

/* Writes a binary file that dorm_dataset_read loads about as fast as memory can be copied. The file is complete or not
 * written at all. It can be read only on this kind of machine and by this version of dorm. */
DORM_API dorm_status dorm_dataset_write_cache(dorm_context *context, const dorm_dataset *dataset, const char *path);
/* Writes LETOR text, and the weights, if any, to PATH.weight. Each file is complete or not written at all. */
DORM_API dorm_status dorm_dataset_write(dorm_context *context, const dorm_dataset *dataset, const char *path);
/* Frees a data set and everything borrowed from it. */
DORM_API void dorm_dataset_free(dorm_dataset *dataset);

/* ---- The contents of a data set. Documents, queries and features are numbered from 0. ---- */

/* Returns the number of documents. */
DORM_API size_t dorm_dataset_num_docs(const dorm_dataset *dataset);
/* Returns the number of queries. */
DORM_API size_t dorm_dataset_num_queries(const dorm_dataset *dataset);
/* Returns the number of features, which is the number of different ids. */
DORM_API size_t dorm_dataset_num_features(const dorm_dataset *dataset);
/* Returns the id of a feature. Ids increase with the number of the feature. */
DORM_API size_t dorm_dataset_feature_id(const dorm_dataset *dataset, size_t feature);
/* Returns the first document of a query, and the number of documents for query = num_queries. */
DORM_API size_t dorm_dataset_query_start(const dorm_dataset *dataset, size_t query);
/* Returns the id of a query, owned by the data set. */
DORM_API const char *dorm_dataset_query_id(const dorm_dataset *dataset, size_t query);
/* Returns the id of a document, owned by the data set, or "" if it has none. */
DORM_API const char *dorm_dataset_doc_id(const dorm_dataset *dataset, size_t doc);
/* Returns the number of a document's line in the file, from 0, counting only lines with documents. Without
 * dorm_read_options.sort_queries this is `doc`. */
DORM_API size_t dorm_dataset_input_doc(const dorm_dataset *dataset, size_t doc);
/* Returns the label of a document, 0 if none was given. */
DORM_API double dorm_dataset_label(const dorm_dataset *dataset, size_t doc);
/* Replaces the weights of a data set by copies of these arrays. NULL removes weights, and all are then 1.
 *
 * query_weights [num_queries] are finite and >= 0. In training, query q counts query_weights[q] times: its slack costs
 * C query_weights[q], its gradients and its terms of sums over documents are multiplied by it, and C is divided by the
 * sum of the weights. A query of weight 0 counts as absent. In evaluations, means are weighted.
 *
 * doc_weights [num_docs] are finite and >= 0. The loss multiplies the gain b of document j by doc_weights[j]. If a loss
 * is divided by the value of an ideal ranking, this value is computed from the new gains. Training with a loss or
 * lambda-function without gains returns DORM_BAD_USAGE. Trees of the objectives ordinal, classification and regression
 * count the error of document j doc_weights[j] times. Measures ignore doc_weights. */
DORM_API dorm_status dorm_dataset_set_weights(dorm_context *context, dorm_dataset *dataset, const double *query_weights,
                                              const double *doc_weights);
/* Returns the weight of a query, 1 if the data set has no query weights, NaN for a number out of range. */
DORM_API double dorm_dataset_query_weight(const dorm_dataset *dataset, size_t query);
/* Returns the weight of a document, likewise. */
DORM_API double dorm_dataset_doc_weight(const dorm_dataset *dataset, size_t doc);
/* Fills `arrays`, whose struct_size must be set, with the arrays of a data set, without query_ids and doc_ids. They are
 * borrowed and valid until the data set is freed. The values are floats, or NULL after training has consumed them. */
DORM_API dorm_status dorm_dataset_arrays(dorm_context *context, const dorm_dataset *dataset, dorm_arrays *arrays);
/* Returns the value of a feature of a document, NaN if it is missing. */
DORM_API float dorm_dataset_value(const dorm_dataset *dataset, size_t doc, size_t feature);

#ifdef __cplusplus
}
#endif

#endif
