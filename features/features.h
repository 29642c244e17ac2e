/*
 * features.h: how a ranker sees documents. A feature map says which features of a data set are used and how they
 * are normalised; rows are what it makes of the documents, dense or sparse.
 */
#ifndef DORM_FEATURES_FEATURES_H
#define DORM_FEATURES_FEATURES_H

#include "base/base.h"
#include "base/spec.h"
#include "data/data.h"

/* ---- feature_map.c ------------------------------------------------------ */

/* In the order of the words of data.normalisation in settings/settings_table.c. */
typedef enum dorm__normalisation {
  DORM__NORMALISATION_NONE,
  DORM__NORMALISATION_MIN_MAX,        /* (x - min) / (max - min) within the query */
  DORM__NORMALISATION_Z_SCORE,        /* (x - mean) / standard deviation within the query */
  DORM__NORMALISATION_GLOBAL_MIN_MAX, /* by the numbers of the training data */
  DORM__NORMALISATION_GLOBAL_Z_SCORE,
  DORM__NUM_NORMALISATIONS
} dorm__normalisation;

const char *dorm__normalisation_name(dorm__normalisation normalisation);
bool dorm__normalisation_from(const char *name, dorm__normalisation *normalisation);
bool dorm__normalisation_is_global(dorm__normalisation normalisation);
bool dorm__normalisation_is_within_queries(dorm__normalisation normalisation);

/* ---- cross.c ------------------------------------------------------------ */

#define DORM__FIRST_CROSS ((size_t)1 << 31) /* id of the first product; ids of other features are smaller */

/* Products of the features of two lists, of values as they are in the data. */
typedef struct dorm__cross {
  char *text;  /* "1-5 x 20-40" or "1-5 x 20-40 into 300" */
  size_t size; /* the products are hashed to this many; 0: one for each pair */
  dorm__id_ranges left, right;
  size_t num_columns; /* their ids are DORM__FIRST_CROSS, DORM__FIRST_CROSS + 1, ... */
} dorm__cross;

/* Reads the two lists; `name` names the text in messages. */
dorm_status dorm__cross_new(dorm_context *context, const char *name, const char *text, dorm__cross **cross);
/* Bytes of the text before " into". */
size_t dorm__cross_lists_size(const dorm__cross *cross);
void dorm__cross_free(dorm__cross *cross);

/* ---- feature_map.c, continued ------------------------------------------- */

/* How a model sees a document: for each id its value, normalised, 0 if the feature is constant; then, when
 * rank_block > 0, rank_block times its mid-rank within the query, 1 - (above + (ties - 1) / 2) / (docs - 1), 1/2 where
 * constant. A missing value (NaN) counts neither for the normalisation nor for the ranks: it is replaced by the mean of
 * the values of the query, or of the training data where the normalisation is not within queries, and its rank by the
 * mean of the ranks, 1/2. With keeps_missing both stay NaN, which dorm__features_build_full alone knows. */
typedef struct dorm__feature_map {
  size_t num_ids;
  const size_t *ids; /* increasing */
  dorm__normalisation normalisation;
  double rank_block;    /* 0: no rank features */
  const double *shift;  /* [num_ids] of global normalisations: (x - shift) / spread; else NULL */
  const double *spread; /* [num_ids] 0 if constant */
  const double *mean;   /* [num_ids] of the training data; NULL: features are normalised within queries */
  bool keeps_missing;
  const dorm__cross *cross; /* of which products some ids are; NULL: of none */
} dorm__feature_map;

size_t dorm__feature_map_width(const dorm__feature_map *map);

typedef struct dorm__feature_options {
  dorm__id_ranges ids; /* of the features to use; none: all */
  dorm__normalisation normalisation;
  const dorm__cross *cross; /* whose products are features too, whatever `ids` says; NULL: none */
} dorm__feature_options;

/* The chosen features of a data set, without a rank block; owns its arrays. DORM_BAD_USAGE when the data set has none
 * of them. O(entries of the data set). */
dorm_status dorm__feature_map_new(dorm_context *context, const dorm__feature_options *options,
                                  const dorm_dataset *dataset, dorm__feature_map *map);
void dorm__feature_map_clear(dorm__feature_map *map);
/* Copies a map with its arrays. */
dorm_status dorm__feature_map_copy(dorm_context *context, const dorm__feature_map *map, dorm__feature_map *copy);
/* The number of features of a data set that are among the ids (all when there are no ids). */
dorm_status dorm__features_chosen(dorm_context *context, const dorm__id_ranges *ids, const dorm_dataset *dataset,
                                  size_t *count);

/* ---- features.c --------------------------------------------------------- */

/* Rows of a data set, stored as its own are: dense, or sparse with increasing indices. A constant that is added to a
 * feature of all documents of a query changes no ranking, so sparse rows leave out the shifts that would fill them:
 * min-max becomes x / (max - min), and the rank of 0 is subtracted from ranks. Scores then differ from scores by dense
 * rows by a constant within each query. */
typedef struct dorm__features {
  size_t num_docs;
  size_t num_features; /* num_ids, or twice that with a rank block */
  float *values;
  size_t *row_start;       /* [num_docs + 1]; NULL: dense */
  uint32_t *indices;       /* NULL: dense */
  dorm__file_memory *file; /* that holds the values of dense rows; NULL: they are in memory */
  double *exact;           /* [num_docs][num_features], instead of `values`, for rows that are computed (kernels/) */
} dorm__features;

/* Makes the rows of a data set. O(entries), with a rank block O(entries log docs_per_query). */
dorm_status dorm__features_build(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                 size_t num_threads, dorm__features *features);
/* Makes dense rows whatever the storage of the data, because a kernel also sees the shifts. */
dorm_status dorm__features_build_full(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                      size_t num_threads, dorm__features *features);
/* Does what dorm__features_build does, but in the memory of the data set, which afterwards has its labels and ids but
 * no values, even on failure. No second matrix is needed, except for a rank block on sparse rows. */
dorm_status dorm__features_take(dorm_context *context, dorm_dataset *dataset, const dorm__feature_map *map,
                                size_t num_threads, dorm__features *features);

/* Rows of which the queries 0, stride, 2 stride, ... can be read: a sample, which a first model is fitted to before the
 * other rows are made. */
typedef struct dorm__sampled_features {
  dorm__features rows;
  size_t stride;  /* 1: the sample is all queries */
  bool is_whole;  /* all rows can be read */
  bool owns_rows; /* else they are borrowed from finished features */
} dorm__sampled_features;

/* The sample that was made first, and where all rows and their scores [num_docs] go. */
typedef struct dorm__finished_rows {
  dorm__sampled_features *sample;
  dorm__features *features;
  double *scores;
} dorm__finished_rows;

/* A sample of finished rows. */
dorm__sampled_features dorm__features_sample(const dorm__features *features, size_t stride);
/* Makes the rows of the sample, or of the whole data set if it is sparse. `owned` is the data set if its memory may be
 * taken as by dorm__features_take, else NULL. */
dorm_status dorm__features_begin(dorm_context *context, const dorm_dataset *dataset, dorm_dataset *owned,
                                 const dorm__feature_map *map, size_t stride, size_t num_threads,
                                 dorm__sampled_features *sample);
/* Makes the rows that are missing, and in the same pass, so that large data come from memory once for both,
 * scores[num_docs] = <weights, row>. The rows belong to *features from then on, and `sample` is a sample of them. */
dorm_status dorm__features_finish(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                  const double *weights, size_t num_threads, const dorm__finished_rows *rows);
/* Frees the rows if the sample owns them. */
void dorm__sampled_features_clear(dorm__sampled_features *sample);

/* ---- feature_rows.c ----------------------------------------------------- */

/* One row: feature indices[i] (feature i when indices is NULL: dense) has values[i], i < count; all others are 0. */
typedef struct dorm__row {
  const uint32_t *indices;
  const float *values;
  const double *exact; /* instead of values, else NULL */
  size_t count;
} dorm__row;

void dorm__features_free(dorm__features *features);
dorm__row dorm__features_row(const dorm__features *features, size_t doc);
/* Entry number i of a row. */
static inline double dorm__row_value(const dorm__row *row, size_t i)
{
  return row->exact ? row->exact[i] : (double)row->values[i];
}
/* scores[i] = <weights, row first + i>, i < count; sums in double. */
void dorm__features_score(const dorm__features *features, size_t first, size_t count, const double *weights,
                          double *scores);
/* The same for a query after which, and after some other work, the next query is scored: that one is prefetched. */
void dorm__features_score_in_turn(const dorm__features *features, size_t first, size_t count, const double *weights,
                                  double *scores);
/* The same for whole queries in parallel, scores [query_start[num_queries]]. */
void dorm__features_score_queries(const dorm__features *features, size_t num_queries, const size_t *query_start,
                                  const double *weights, size_t num_threads, double *scores);
/* Prefetches the beginning of row `doc`. */
void dorm__features_fetch(const dorm__features *features, size_t doc);
/* result += factor * row doc */
void dorm__features_add(const dorm__features *features, size_t doc, double factor, double *result);

/* ---- batch_scores.c ----------------------------------------------------- */

/* Fills scores[num_docs] with <weights, row> of every document. Rows are made in batches and forgotten again. */
dorm_status dorm__score_by_batches(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                   size_t num_threads, const double *weights, double *scores);

/* Receives rows [count][width], the first of which is document `first`. */
typedef void dorm__take_rows(void *taker, size_t first, size_t count, const float *rows);

/* Hands over the dense rows of dorm__features_build_full in batches, in order. O(num_docs * width). */
dorm_status dorm__features_visit_full(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                      size_t num_threads, dorm__take_rows *take, void *taker);

#endif
