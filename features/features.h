/* features.h: the documents as a ranker sees them. A feature map defines which features of a data set are used and how
 * they are normalised. By a feature map, dorm makes a row of numbers from each document, dense or sparse. */
#ifndef DORM_FEATURES_FEATURES_H
#define DORM_FEATURES_FEATURES_H

#include "base/base.h"
#include "base/spec.h"
#include "data/data.h"

/* ---- feature_map.c ------------------------------------------------------ */

/* The kinds of normalisation, in the order of the words of data.normalisation in settings/settings_list.h. */
typedef enum dorm__normalisation {
  DORM__NORMALISATION_NONE,
  DORM__NORMALISATION_MIN_MAX,        /* (x - min) / (max - min) within the query */
  DORM__NORMALISATION_Z_SCORE,        /* (x - mean) / standard deviation within the query */
  DORM__NORMALISATION_GLOBAL_MIN_MAX, /* with min and max of all training data */
  DORM__NORMALISATION_GLOBAL_Z_SCORE, /* with mean and standard deviation of all training data */
  DORM__NUM_NORMALISATIONS
} dorm__normalisation;

const char *dorm__normalisation_name(dorm__normalisation normalisation);
/* Finds the normalisation with this name. Returns false if there is none. */
bool dorm__normalisation_from(const char *name, dorm__normalisation *normalisation);
bool dorm__normalisation_is_global(dorm__normalisation normalisation);
bool dorm__normalisation_is_within_queries(dorm__normalisation normalisation);

/* ---- cross.c ------------------------------------------------------------ */

#define DORM__FIRST_CROSS ((size_t)1 << 31) /* id of the first product; ids of features of the data are smaller */

/* Products of a feature of the left list and a feature of the right list. They are products of the values in the data,
 * before normalisation. */
typedef struct dorm__cross {
  char *text;  /* "1-5 x 20-40" or "1-5 x 20-40 into 300" */
  size_t size; /* number of columns to hash products to, or 0 for one per pair */
  dorm__id_ranges left, right;
  size_t num_columns; /* number of columns, whose ids are DORM__FIRST_CROSS, DORM__FIRST_CROSS + 1, ... */
} dorm__cross;

/* Parses the two lists in `text`. Messages call the text `name`. The caller frees *cross by dorm__cross_free. */
dorm_status dorm__cross_new(dorm_context *context, const char *name, const char *text, dorm__cross **cross);
/* The length of the part of the text that has the two lists, without " into N". */
size_t dorm__cross_lists_size(const dorm__cross *cross);
void dorm__cross_free(dorm__cross *cross);

/* ---- feature_map.c, continued ------------------------------------------- */

/* The row of a document has one normalised value for each id, which is 0 if the feature is constant. If rank_block > 0,
 * a rank for each id follows. It is rank_block times the mid-rank of the document within its query,
 *
 *   1 - (above + (ties - 1) / 2) / (docs - 1),   or 1/2 if the feature is constant
 *
 * with `above` the number of documents with a larger value, and `ties` the number with the same value, itself included.
 *
 * A missing value (NaN) counts neither for the normalisation nor for the ranks of other documents. It is replaced by
 * the mean over the query if features are normalised within queries, otherwise by the mean over the training data. Its
 * mid-rank is 1/2, the mean. With keeps_missing, the value and the rank stay NaN, which only dorm__features_build_full
 * supports. Then the values of a category are not normalised either. */
typedef struct dorm__feature_map {
  size_t num_ids;
  const size_t *ids; /* increasing */
  dorm__normalisation normalisation;
  double rank_block;    /* 0 for no rank features */
  const double *shift;  /* [num_ids] of global normalisations, which are (x - shift) / spread, otherwise NULL */
  const double *spread; /* [num_ids] likewise, 0 if the feature is constant */
  const double *mean;   /* [num_ids] of the training data, or NULL if features are normalised within queries */
  bool keeps_missing;
  const bool *is_category;  /* [num_ids], or NULL for none; only with keeps_missing */
  const dorm__cross *cross; /* defines the ids that are products, or NULL */
} dorm__feature_map;

size_t dorm__feature_map_width(const dorm__feature_map *map);

typedef struct dorm__feature_options {
  dorm__id_ranges ids; /* ids of the features to use; all features if empty */
  dorm__normalisation normalisation;
  const dorm__cross *cross; /* products to use in addition to `ids`, or NULL */
} dorm__feature_options;

/* Makes a map of the chosen features of a data set, without a rank block. The caller frees its arrays by
 * dorm__feature_map_clear. Returns DORM_BAD_USAGE if the data set has none of the chosen features. O(entries of the
 * data set). */
dorm_status dorm__feature_map_new(dorm_context *context, const dorm__feature_options *options,
                                  const dorm_dataset *dataset, dorm__feature_map *map);
void dorm__feature_map_clear(dorm__feature_map *map);
/* Copies a map with its arrays. */
dorm_status dorm__feature_map_copy(dorm_context *context, const dorm__feature_map *map, dorm__feature_map *copy);
/* Counts the features of a data set whose ids are in `ids`. Counts all features if `ids` is empty. */
dorm_status dorm__features_chosen(dorm_context *context, const dorm__id_ranges *ids, const dorm_dataset *dataset,
                                  size_t *count);

/* ---- features.c --------------------------------------------------------- */

/* The rows of a data set. They are dense or sparse, like the data set. Indices increase within a sparse row.
 *
 * In sparse rows, shifts are omitted, since they would turn zeros into other values. This changes no ranking, because a
 * shift adds the same number to a feature of all documents of a query. Min-max becomes x / (max - min), and the rank of
 * the value 0 is subtracted from ranks. The scores by sparse rows differ from the scores by dense rows by a constant
 * within each query. */
typedef struct dorm__features {
  size_t num_docs;
  size_t num_features; /* num_ids, or twice as many with a rank block */
  float *values;
  size_t *row_start;       /* [num_docs + 1], or NULL if dense */
  uint32_t *indices;       /* or NULL if dense */
  dorm__file_memory *file; /* holds the values of dense rows, or NULL if they are in memory */
  double *exact;           /* [num_docs][num_features], instead of `values`, for computed rows (kernels/) */
} dorm__features;

/* Makes the rows of a data set. The caller frees them by dorm__features_free. Fails only when out of memory or if a
 * file for the values cannot be written. O(entries), with a rank block O(entries log docs_per_query). */
dorm_status dorm__features_build(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                 size_t num_threads, dorm__features *features);
/* Makes dense rows, also of sparse data. Kernels need them, because their values depend on the shifts. */
dorm_status dorm__features_build_full(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                      size_t num_threads, dorm__features *features);
/* Makes the rows of a data set in its memory, without a second matrix, except for a rank block on sparse rows. The data
 * set keeps labels and ids but loses its values, even on failure. */
dorm_status dorm__features_take(dorm_context *context, dorm_dataset *dataset, const dorm__feature_map *map,
                                size_t num_threads, dorm__features *features);

/* The rows of a sample of the queries, 0, stride, 2 stride, ... A first model is fitted to the sample before the other
 * rows are made. */
typedef struct dorm__sampled_features {
  dorm__features rows;
  size_t stride;  /* 1 if the sample is all queries */
  bool is_whole;  /* `rows` has the rows of all queries, not only of the sample */
  bool owns_rows; /* otherwise `rows` is borrowed from features that are complete */
} dorm__sampled_features;

/* The arguments of dorm__features_finish: the sample, and the destination of the rows and scores [num_docs] of all
 * documents. */
typedef struct dorm__finished_rows {
  dorm__sampled_features *sample;
  dorm__features *features;
  double *scores;
} dorm__finished_rows;

/* Returns a sample of rows that are complete. It borrows `features`. */
dorm__sampled_features dorm__features_sample(const dorm__features *features, size_t stride);
/* Makes the rows of the sample of a dense data set, or all rows of a sparse data set. If the memory of the data set may
 * be taken as in dorm__features_take, `owned` is the data set, otherwise NULL. */
dorm_status dorm__features_begin(dorm_context *context, const dorm_dataset *dataset, dorm_dataset *owned,
                                 const dorm__feature_map *map, size_t stride, size_t num_threads,
                                 dorm__sampled_features *sample);
/* Makes the rows that the sample lacks and, in the same pass, scores[num_docs] = <weights, row>, so that large data are
 * read from memory only once. Moves all rows to *features, from which the sample then borrows its rows. */
dorm_status dorm__features_finish(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                  const double *weights, size_t num_threads, const dorm__finished_rows *rows);
/* Frees the rows if the sample owns them. */
void dorm__sampled_features_clear(dorm__sampled_features *sample);

/* ---- feature_rows.c ----------------------------------------------------- */

/* One row: feature indices[i] has values[i], i < count, and all others are 0. indices is NULL for dense rows. */
typedef struct dorm__row {
  const uint32_t *indices;
  const float *values;
  const double *exact; /* if not NULL, replaces `values` */
  size_t count;        /* entries of the row */
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
/* Does the same, and prefetches the next `count` rows, which belong to the query that will be scored next. */
void dorm__features_score_in_turn(const dorm__features *features, size_t first, size_t count, const double *weights,
                                  double *scores);
/* Computes scores[query_start[num_queries]] = <weights, row> of all documents, in parallel over the queries. */
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

/* Makes the rows of dorm__features_build_full in batches, and passes each batch to `take`, in order. O(num_docs *
 * width). */
dorm_status dorm__features_visit_full(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                      size_t num_threads, dorm__take_rows *take, void *taker);

#endif
