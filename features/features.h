/*
 * features.h: how a ranker sees documents. A feature map says which features of a data set are used and how they
 * are normalised; rows are what it makes of the documents, dense or sparse.
 */
#ifndef DORM_FEATURES_FEATURES_H
#define DORM_FEATURES_FEATURES_H

#include "base/base.h"
#include "data/data.h"
#include "features/feature_map.h"

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

/* How a model sees a document: for each id its value, normalised, 0 where the
 * feature is constant; then, when rank_block > 0, rank_block times its mid-rank
 * within the query, 1 - (above + (ties - 1) / 2) / (docs - 1), 1/2 where
 * constant. */
typedef struct dorm__feature_map {
  size_t num_ids;
  const size_t *ids; /* increasing */
  dorm__normalisation normalisation;
  double rank_block;    /* 0: no rank features */
  const double *shift;  /* [num_ids] of global normalisations: (x - shift) / spread; else NULL */
  const double *spread; /* [num_ids] 0 where constant */
} dorm__feature_map;

/* The features that data.features names, normalised as data.normalisation
 * says, without a rank block; owns its arrays. O(entries of the data set). */
dorm_status dorm__feature_map_new(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                  dorm__feature_map *map);
void dorm__feature_map_clear(dorm__feature_map *map);
/* How many features of a data set data.features names. */
dorm_status dorm__features_chosen(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                  size_t *count);

/* Rows, stored as the data set's are: dense, or sparse with increasing
 * columns. A constant added to a feature of all documents of a query changes
 * no ranking, so sparse rows leave out the shift that would fill them (min-max
 * is x / (max - min), a rank is less the rank of 0): scores differ from those
 * of dense rows by a constant within each query. */
typedef struct dorm__features {
  size_t num_docs;
  size_t num_features; /* num_ids, or twice that with a rank block */
  float *values;
  size_t *row_start; /* [num_docs + 1]; NULL: dense */
  uint32_t *columns; /* NULL: dense */
  double *exact;     /* [num_docs][num_features], instead of `values`, for rows that are computed (kernels/) */
  size_t stride;     /* only every so many queries have their rows so far (dorm__features_begin); 0: all have */
} dorm__features;

/* One row: feature indices[i] (i itself when indices is NULL: dense) has
 * values[i], i < count; all others are 0. */
typedef struct dorm__row {
  const uint32_t *indices;
  const float *values;
  const double *exact; /* instead of values; else NULL */
  size_t count;
} dorm__row;

size_t dorm__feature_map_width(const dorm__feature_map *map);
/* O(entries), with a rank block O(entries log docs_per_query). */
dorm_status dorm__features_build(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                 size_t num_threads, dorm__features *features);
/* Dense rows whatever the storage of the data: a kernel sees the shifts too. */
dorm_status dorm__features_build_full(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                      size_t num_threads, dorm__features *features);
/* The same in the memory of the data set, which keeps its labels and ids but
 * no values, also on failure. Needs no second matrix; with a rank block on
 * sparse rows it does. */
dorm_status dorm__features_take(dorm_context *context, dorm_dataset *dataset, const dorm__feature_map *map,
                                size_t num_threads, dorm__features *features);
/* The same two, the latter where `owned` is the data set and not NULL; of a `stride`
 * other than 0 dense rows are made for every stride-th query only, from the first. The
 * others are for dorm__features_finish, when weights are known that all rows are to be
 * scored with: large data then come from memory once for both. */
dorm_status dorm__features_begin(dorm_context *context, const dorm_dataset *dataset, dorm_dataset *owned,
                                 const dorm__feature_map *map, size_t stride, size_t num_threads,
                                 dorm__features *features);
/* Makes the rows that are missing; scores[num_docs] = <weights, row> of all. */
dorm_status dorm__features_finish(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                  const double *weights, size_t num_threads, dorm__features *features, double *scores);
void dorm__features_free(dorm__features *features);
dorm__row dorm__features_row(const dorm__features *features, size_t doc);
/* scores[i] = <weights, row first + i>, i < count; sums in double. */
void dorm__features_score(const dorm__features *features, size_t first, size_t count, const double *weights,
                          double *scores);
/* The same for a query behind which the next one is wanted, after some other
 * work: that one comes from memory meanwhile. */
void dorm__features_score_in_turn(const dorm__features *features, size_t first, size_t count, const double *weights,
                                  double *scores);
/* The same for whole queries in parallel, scores [query_start[num_queries]]. */
void dorm__features_score_queries(const dorm__features *features, size_t num_queries, const size_t *query_start,
                                  const double *weights, size_t num_threads, double *scores);
/* Row doc is wanted soon: its beginning is brought from memory. */
void dorm__features_fetch(const dorm__features *features, size_t doc);
/* result += factor * row doc */
void dorm__features_add(const dorm__features *features, size_t doc, double factor, double *result);

/* scores[num_docs] = <weights, row> of every document, the rows made and
 * forgotten block by block. */
dorm_status dorm__score_by_blocks(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                  size_t num_threads, const double *weights, double *scores);
void dorm__sort_valued(size_t count, dorm__valued_doc *items);

#endif
