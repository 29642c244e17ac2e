/* features_dense.h: dense rows of features, made at once or in two steps. */
#ifndef DORM_FEATURES_FEATURES_DENSE_H
#define DORM_FEATURES_FEATURES_DENSE_H

#include "base/base.h"
#include "data/data.h"
#include "features/features.h"

/* The largest query, in bytes of its rows, for which the next query is prefetched while this one is worked on; a larger
 * one would evict it from the cache. */
enum { DORM__MOST_FETCHED = 256 << 10 };

typedef struct dorm__dense_layout {
  size_t stride; /* every so many rows are made */
  size_t num_threads;
} dorm__dense_layout;

/* The rows of every stride-th query, and the raw values of the others, for a map whose id i is at sources[i] of the
 * rows of the data set (num_features: nowhere). `owned` is the data set when its memory may be taken, else NULL. The
 * rows are in a file if the values are. */
dorm_status dorm__features_build_dense(dorm_context *context, const dorm_dataset *dataset, dorm_dataset *owned,
                                       const dorm__feature_map *map, const size_t *sources,
                                       const dorm__dense_layout *layout, dorm__features *features);
/* Transforms the queries that are not in the sample, in place, and scores all documents. False when out of memory. */
bool dorm__features_finish_dense(const dorm_dataset *dataset, const dorm__feature_map *map, const double *weights,
                                 size_t num_threads, const dorm__sampled_features *sample, double *scores);

/* ---- Features sparse --------------------------------------------------------------------------- */

/* The same as dorm__features_build_dense for all queries of a sparse data set. */
bool dorm__features_build_sparse(const dorm_dataset *dataset, dorm_dataset *owned, const dorm__feature_map *map,
                                 const size_t *sources, size_t num_threads, dorm__features *features);

/* ---- Cross ------------------------------------------------------------------------------------- */

/* Fails if none of the features of the data is in one of the lists, so that there are no products. */
dorm_status dorm__cross_check(dorm_context *context, const dorm__cross *cross, const dorm_dataset *dataset);
/* Shows the data set with the products behind its own features, stored as it is. *crossed borrows all but ids and
 * values, which dorm__cross_clear frees. DORM_BAD_DATA if an id of the data set is the id of a product. */
dorm_status dorm__cross_dataset(dorm_context *context, const dorm__cross *cross, const dorm_dataset *dataset,
                                dorm_dataset *crossed);
void dorm__cross_clear(dorm_dataset *crossed);

/* ---- Batch scores ------------------------------------------------------------------------------- */

/* The end of the batch of queries that begins at `first`: one query or more, of some million values. */
size_t dorm__batch_end(const dorm_dataset *dataset, size_t first);
/* Shows the queries first .. end - 1 as a data set that borrows everything but query_start [end - first + 1], and
 * fetches their values if these are in a file. */
dorm_dataset dorm__batch(const dorm_dataset *dataset, size_t first, size_t end, size_t *query_start);

/* ---- Feature rows ------------------------------------------------------------------------------- */

typedef struct dorm__valued_doc {
  float value;
  uint32_t doc;
} dorm__valued_doc;

/* Sorts by falling value; equal values in any order. O(count log count). */
void dorm__sort_valued(size_t count, dorm__valued_doc *items);

#endif
