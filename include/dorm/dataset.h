/* dataset.h: data sets: from files, from arrays, artificial ones; how they are split and written. */
#ifndef DORM_DATASET_H
#define DORM_DATASET_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dorm_dataset dorm_dataset;

/* Reads LETOR / SVMlight text, `label qid:Q id:value ... # comment`, plain or
 * gzip; the path "-" is standard input. The lines of a query stand next to each other; feature ids, up to
 * 4294967295, increase along a line; a feature that is absent is 0, and one
 * whose value is nan, NA or ? is missing: it is not known. A bad line is DORM_BAD_DATA; the
 * message is "file:line: what" for the first bad line of the file. If lines
 * have no qid, the query sizes are read from PATH.query or PATH.group, one per
 * line, as LightGBM and XGBoost write them; the queries are then numbered from
 * 1. Files of dorm_dataset_write_cache are read too. PATH.weight beside the text
 * has one weight of 0 or more per line, for every query or for every document
 * (dorm_dataset_set_weights says what they do); weights for documents that are
 * the same within every query are taken as those of the queries, and any other
 * number of lines is DORM_BAD_DATA. */
DORM_API dorm_status dorm_dataset_read(dorm_context *context, const char *path, dorm_dataset **dataset);

/* How feature values are kept: one float for each document and feature (dense),
 * or eight bytes for each value other than 0 (sparse). Auto chooses sparse if
 * the dense matrix would take more than a megabyte and less than a quarter of
 * its values are other than 0. File is dense, but the matrix stands in a file
 * without a name, so that data sets larger than memory can be read and trained
 * on; it takes that much room on the disk, is for data sets that are read from
 * files, and changes no model. */
typedef enum dorm_storage {
  DORM_STORAGE_AUTO,
  DORM_STORAGE_DENSE,
  DORM_STORAGE_SPARSE,
  DORM_STORAGE_FILE
} dorm_storage;

/* The default is 0 in every field but the first. */
typedef struct dorm_read_options {
  size_t struct_size; /* sizeof(dorm_read_options) */
  size_t num_threads; /* 0: one per processor; at most 1024; the data set is the same for every number */
  dorm_storage storage;
  int use_cache;       /* 1: write PATH.dorm-cache beside the text, and read that as long as the text is unchanged */
  int sort_queries;    /* 1: the lines of a query may be apart; its documents are then brought together, where its first
                        * line stands, and dorm_dataset_input_doc says where each one stood */
  int labels_optional; /* 1: a line may begin with its qid or its features; its label is then 0 */
  int ignore_weights;  /* 1: PATH.weight is not read, and weights in a cache are dropped */
  size_t num_shards;   /* above 0: the queries are dealt into so many shards by their documents, as solver.shards says,
                        * and only the shards of this process are kept (dorm_context_set_processes); several processes
                        * read a cache (`dorm cache`), a text is refused */
  const char *query_column, *label_column, *id_column; /* of CSV and TSV; NULL: one with a usual name, such as qid,
                                                        * label and docid */
  const char *columns; /* of CSV and TSV: the names of the features in the order of their ids, separated by commas, as
                        * dorm_dataset_columns gives them; NULL: all other columns, in the order of the file */
  const char *folder; /* where DORM_STORAGE_FILE keeps its file; NULL or "": /var/tmp, which is rarely in memory itself,
                       * as /tmp often is */
} dorm_read_options;

/* The names of the features of a CSV or TSV file in the order of their ids, separated by commas; "" for other data. */
DORM_API const char *dorm_dataset_columns(const dorm_dataset *dataset);
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

/* Documents in arrays of the calling program, or of a data set. Leave at 0 or NULL what does not apply. */
typedef struct dorm_arrays {
  size_t struct_size; /* sizeof(dorm_arrays) */
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
  dorm_storage storage;        /* how the data set keeps the values, whatever form they have here; auto as above */
  const double *query_weights; /* [num_queries], finite and >= 0; NULL: all 1 (dorm_dataset_set_weights) */
  const double *doc_weights;   /* [num_docs], likewise */
} dorm_arrays;

/* Makes a data set of arrays, which are copied. */
DORM_API dorm_status dorm_dataset_new(dorm_context *context, const dorm_arrays *arrays, dorm_dataset **dataset);

/* Parameters of the artificial data of dorm_dataset_generate_artificial. */
typedef struct dorm_artificial {
  size_t struct_size; /* sizeof(dorm_artificial) */
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

/* Deals the queries of a text into 2 to 1000 parts by these shares (above 0, of any sum), so that queries with many
 * relevant documents (label above 0) and with few are spread alike, and writes the lines of the parts, as they are, to
 * the files paths[num_files]: file f gets every part p with takes[f][p] other than 0, takes being
 * [num_files][num_parts], row-major. The seed draws the parts. Every line has a label; lines without qid get one. If
 * the data have weights beside them, each file gets its own. */
DORM_API dorm_status dorm_split(dorm_context *context, const char *path, const dorm_read_options *options,
                                size_t num_parts, const double *shares, uint64_t seed, size_t num_files,
                                const char *const *paths, const int *takes);

/* Writes a binary file, whole or not at all, that dorm_dataset_read loads about
 * as fast as memory can be copied. It is for this kind of machine and this
 * version of dorm. */
DORM_API dorm_status dorm_dataset_write_cache(dorm_context *context, const dorm_dataset *dataset, const char *path);
/* Writes LETOR text, whole or not at all, and the weights, if there are some, to PATH.weight. */
DORM_API dorm_status dorm_dataset_write(dorm_context *context, const dorm_dataset *dataset, const char *path);
/* Frees a data set and what is borrowed from it. */
DORM_API void dorm_dataset_free(dorm_dataset *dataset);

/* ---- What a data set has. Documents, queries and features are numbered from 0. ---- */

/* The number of documents. */
DORM_API size_t dorm_dataset_num_docs(const dorm_dataset *dataset);
/* The number of queries. */
DORM_API size_t dorm_dataset_num_queries(const dorm_dataset *dataset);
/* The number of features, which is the number of different ids. */
DORM_API size_t dorm_dataset_num_features(const dorm_dataset *dataset);
/* The id of a feature. Ids increase with the number of the feature. */
DORM_API size_t dorm_dataset_feature_id(const dorm_dataset *dataset, size_t feature);
/* The first document of a query; the number of documents for query = num_queries. */
DORM_API size_t dorm_dataset_query_start(const dorm_dataset *dataset, size_t query);
/* The id of a query, owned by the data set. */
DORM_API const char *dorm_dataset_query_id(const dorm_dataset *dataset, size_t query);
/* The id of a document, owned by the data set; "" if it has none. */
DORM_API const char *dorm_dataset_doc_id(const dorm_dataset *dataset, size_t doc);
/* The number of a document's line in the file, among the lines with documents, from 0; without
 * dorm_read_options.sort_queries that is `doc`. */
DORM_API size_t dorm_dataset_input_doc(const dorm_dataset *dataset, size_t doc);
/* The label of a document; 0 if it was not given one. */
DORM_API double dorm_dataset_label(const dorm_dataset *dataset, size_t doc);
/* Gives a data set weights, which are copied, in place of those that it has; NULL takes them away: all are then 1.
 *
 * query_weights[num_queries] are finite and >= 0. In training, query q counts query_weights[q] times: its slack costs
 * C query_weights[q], its gradients and its terms of sums over documents are multiplied by it, and C is divided by the
 * sum of the weights. A weight of 0 is the same as absence. In evaluations, means are
 * weighted.
 *
 * doc_weights[num_docs] are finite and >= 0. The gain b of document j in the loss is multiplied by doc_weights[j], and
 * a loss that is divided by the worth of an ideal ranking is divided by that of the new gains. Training fails with
 * DORM_BAD_USAGE for a loss or a lambda-function without gains. Trees of the objectives ordinal, classification and
 * regression count the error of a document doc_weights[j] times. Measures do not know them. */
DORM_API dorm_status dorm_dataset_set_weights(dorm_context *context, dorm_dataset *dataset, const double *query_weights,
                                              const double *doc_weights);
/* The weight of a query: 1 if the data set has no weights of queries, NaN for a number out of range. */
DORM_API double dorm_dataset_query_weight(const dorm_dataset *dataset, size_t query);
/* The weight of a document, likewise. */
DORM_API double dorm_dataset_doc_weight(const dorm_dataset *dataset, size_t doc);
/* Fills `arrays`, whose struct_size must be set, with the arrays of a data set, borrowed until it is freed; without
 * query_ids and doc_ids. The values are floats, NULL after training has taken their memory. */
DORM_API dorm_status dorm_dataset_arrays(dorm_context *context, const dorm_dataset *dataset, dorm_arrays *arrays);
/* The value of a feature of a document; NaN if it is missing. */
DORM_API float dorm_dataset_value(const dorm_dataset *dataset, size_t doc, size_t feature);

#ifdef __cplusplus
}
#endif

#endif
