/* features.h: the documents as a ranker sees them. A feature map defines the features of a data set that are used, and
 * their normalisation. It makes rows from documents, dense or sparse. */
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

#define DORM__FIRST_CROSS ((size_t)1 << 31) /* id of the first product, all other ids are smaller */

/* Products of the features of two lists. Uses the original values of the data. */
typedef struct dorm__cross {
  char *text;  /* "1-5 x 20-40" or "1-5 x 20-40 into 300" */
  size_t size; /* number of columns to hash products to, or 0 for one per pair */
  dorm__id_ranges left, right;
  size_t num_columns; /* their ids are DORM__FIRST_CROSS, DORM__FIRST_CROSS + 1, ... */
} dorm__cross;

/* Parses the two lists. `name` names the text in messages. */
dorm_status dorm__cross_new(dorm_context *context, const char *name, const char *text, dorm__cross **cross);
/* The length of the text before " into". */
size_t dorm__cross_lists_size(const dorm__cross *cross);
void dorm__cross_free(dorm__cross *cross);

/* ---- feature_map.c, continued ------------------------------------------- */

/* A model sees a document as one normalised value for each id (0 if the feature is constant). If rank_block > 0,
 * rank_block times the feature's mid-ranks within the query follow: 1 - (above + (ties - 1) / 2) / (docs - 1), or 1/2
 * if constant.
 *
 * A missing value (NaN) counts neither for the normalisation nor for the ranks. It is replaced by the mean of the
 * query's values, or of the training data if the normalisation is not within queries. Its rank is replaced by the mean
 * rank, 1/2. With keeps_missing both stay NaN, which only dorm__features_build_full supports. */
typedef struct dorm__feature_map {
  size_t num_ids;
  const size_t *ids; /* increasing */
  dorm__normalisation normalisation;
  double rank_block;    /* 0 for no rank features */
  const double *shift;  /* [num_ids] of global normalisations, (x - shift) / spread, or NULL */
  const double *spread; /* [num_ids] 0 if constant */
  const double *mean;   /* [num_ids] of the training data, or NULL if features are normalised within queries */
  bool keeps_missing;
  const dorm__cross *cross; /* defines the ids that are products, or NULL */
} dorm__feature_map;

size_t dorm__feature_map_width(const dorm__feature_map *map);

typedef struct dorm__feature_options {
  dorm__id_ranges ids; /* of the features to use, all if empty */
  dorm__normalisation normalisation;
  const dorm__cross *cross; /* products that are features too, whatever `ids` are, or NULL */
} dorm__feature_options;

/* Makes a map of the chosen features of a data set, without a rank block. It owns its arrays. Returns DORM_BAD_USAGE if
 * the data set has none of the features. O(entries of the data set). */
dorm_status dorm__feature_map_new(dorm_context *context, const dorm__feature_options *options,
                                  const dorm_dataset *dataset, dorm__feature_map *map);
void dorm__feature_map_clear(dorm__feature_map *map);
/* Copies a map with its arrays. */
dorm_status dorm__feature_map_copy(dorm_context *context, const dorm__feature_map *map, dorm__feature_map *copy);
/* Counts the features of a data set that are among the ids (all if there are no ids). */
dorm_status dorm__features_chosen(dorm_context *context, const dorm__id_ranges *ids, const dorm_dataset *dataset,
                                  size_t *count);

/* ---- features.c --------------------------------------------------------- */

/* The rows of a data set, dense or sparse (with increasing indices) like the data set.
 *
 * Sparse rows omit the shifts that would fill them, because adding a constant to a feature of all documents of a query
 * changes no ranking. Min-max becomes x / (max - min), and the rank of 0 is subtracted from ranks. The scores then
 * differ from scores by dense rows by a constant within each query. */
typedef struct dorm__features {
  size_t num_docs;
  size_t num_features; /* num_ids, or twice as many with a rank block */
  float *values;
  size_t *row_start;       /* [num_docs + 1], or NULL if dense */
  uint32_t *indices;       /* or NULL if dense */
  dorm__file_memory *file; /* holds the values of dense rows, or NULL if they are in memory */
  double *exact;           /* [num_docs][num_features], instead of `values`, for computed rows (kernels/) */
} dorm__features;

/* Makes the rows of a data set. O(entries), with a rank block O(entries log docs_per_query). */
dorm_status dorm__features_build(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                 size_t num_threads, dorm__features *features);
/* Makes dense rows for any storage of the data, because a kernel also uses the shifts. */
dorm_status dorm__features_build_full(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                      size_t num_threads, dorm__features *features);
/* Does what dorm__features_build does, but in the memory of the data set, which keeps labels and ids but loses its
 * values, even on failure. Needs no second matrix, except for a rank block on sparse rows. */
dorm_status dorm__features_take(dorm_context *context, dorm_dataset *dataset, const dorm__feature_map *map,
                                size_t num_threads, dorm__features *features);

/* Rows for a sample, the queries 0, stride, 2 stride, ... A first model is fitted to them before the other rows are
 * made. */
typedef struct dorm__sampled_features {
  dorm__features rows;
  size_t stride;  /* 1 if the sample is all queries */
  bool is_whole;  /* all rows can be read */
  bool owns_rows; /* otherwise they are borrowed from finished features */
} dorm__sampled_features;

/* The sample, and the destination of all rows and their scores [num_docs]. */
typedef struct dorm__finished_rows {
  dorm__sampled_features *sample;
  dorm__features *features;
  double *scores;
} dorm__finished_rows;

/* A sample of finished rows. */
dorm__sampled_features dorm__features_sample(const dorm__features *features, size_t stride);
/* Makes the rows of the sample, or all rows of a sparse data set. `owned` is the data set if its memory may be taken,
 * as in dorm__features_take, else NULL. */
dorm_status dorm__features_begin(dorm_context *context, const dorm_dataset *dataset, dorm_dataset *owned,
                                 const dorm__feature_map *map, size_t stride, size_t num_threads,
                                 dorm__sampled_features *sample);
/* Makes the missing rows and, in the same pass, scores[num_docs] = <weights, row>, so that large data are read from
 * memory once. Moves the rows to *features, and `sample` becomes a sample of them. */
dorm_status dorm__features_finish(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                  const double *weights, size_t num_threads, const dorm__finished_rows *rows);
/* Frees the rows if the sample owns them. */
void dorm__sampled_features_clear(dorm__sampled_features *sample);

/* ---- feature_rows.c ----------------------------------------------------- */

/* One row: feature indices[i] has values[i], i < count, and all others are 0. indices is NULL for dense rows. */
typedef struct dorm__row {
  const uint32_t *indices;
  const float *values;
  const double *exact; /* used instead of values, or NULL */
  size_t count;
} dorm__row;

void dorm__features_free(dorm__features *features);
dorm__row dorm__features_row(const dorm__features *features, size_t doc);
/* Entry i of a row. */
static inline double dorm__row_value(const dorm__row *row, size_t i)
{
  return row->exact ? row->exact[i] : (double)row->values[i];
}
/* Computes scores[i] = <weights, row first + i>, i < count, with sums in double. */
void dorm__features_score(const dorm__features *features, size_t first, size_t count, const double *weights,
                          double *scores);
/* Does the same, and prefetches the next query, which will be scored after some other work. */
void dorm__features_score_in_turn(const dorm__features *features, size_t first, size_t count, const double *weights,
                                  double *scores);
/* Does the same for whole queries in parallel. scores [query_start[num_queries]]. */
void dorm__features_score_queries(const dorm__features *features, size_t num_queries, const size_t *query_start,
                                  const double *weights, size_t num_threads, double *scores);
/* Prefetches the beginning of row `doc`. */
void dorm__features_fetch(const dorm__features *features, size_t doc);
/* Computes result += factor * row doc. */
void dorm__features_add(const dorm__features *features, size_t doc, double factor, double *result);

/* ---- batch_scores.c ----------------------------------------------------- */

/* Fills scores[num_docs] with <weights, row> of every document. Makes rows in batches and discards them. */
dorm_status dorm__score_by_batches(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                   size_t num_threads, const double *weights, double *scores);

/* Receives rows [count][width], the first of which is document `first`. */
typedef void dorm__take_rows(void *taker, size_t first, size_t count, const float *rows);

/* Passes the dense rows of dorm__features_build_full in batches, in order. O(num_docs * width). */
dorm_status dorm__features_visit_full(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                      size_t num_threads, dorm__take_rows *take, void *taker);

#endif
