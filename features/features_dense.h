/* features_dense.h: dense rows of features, made in one step or in two. */
#ifndef DORM_FEATURES_FEATURES_DENSE_H
#define DORM_FEATURES_FEATURES_DENSE_H

#include "features/features.h"

/* The largest query, in bytes of its rows, for which the next query is prefetched. A larger query would evict it from
 * the cache. */
enum { DORM__MOST_FETCHED = 256 << 10 };

typedef struct dorm__row_layout {
  bool is_sparse;
  size_t stride; /* rows of every stride-th query are made */
  size_t num_threads;
} dorm__row_layout;

/* Makes the rows of every stride-th query, and leaves raw values in the others. Id i of the map is at sources[i] of the
 * data set's rows (num_features: nowhere). `owned` is the data set if its memory may be taken, else NULL. The rows are
 * in a file if the values are. */
dorm_status dorm__features_build_dense(dorm_context *context, const dorm_dataset *dataset, dorm_dataset *owned,
                                       const dorm__feature_map *map, const size_t *sources,
                                       const dorm__row_layout *layout, dorm__features *features);
/* Transforms the queries outside the sample in place, and scores all documents. Returns false when out of memory. */
bool dorm__features_finish_dense(const dorm_dataset *dataset, const dorm__feature_map *map, const double *weights,
                                 size_t num_threads, const dorm__sampled_features *sample, double *scores);

/* ---- Features sparse --------------------------------------------------------------------------- */

/* Does what dorm__features_build_dense does, for all queries of a sparse data set. */
dorm_status dorm__features_build_sparse(dorm_context *context, const dorm_dataset *dataset, dorm_dataset *owned,
                                        const dorm__feature_map *map, const size_t *sources,
                                        const dorm__row_layout *layout, dorm__features *features);

/* ---- Cross ------------------------------------------------------------------------------------- */

/* Fails if no feature of the data is in one of the lists, because there are then no products. */
dorm_status dorm__cross_check(dorm_context *context, const dorm__cross *cross, const dorm_dataset *dataset);
/* Makes a view of the data set with the products after its own features, in the same storage. *crossed borrows all but
 * ids and values, which dorm__cross_clear frees. Returns DORM_BAD_DATA if the data set uses an id of a product. */
dorm_status dorm__cross_dataset(dorm_context *context, const dorm__cross *cross, const dorm_dataset *dataset,
                                dorm_dataset *crossed);
void dorm__cross_clear(dorm_dataset *crossed);

/* ---- Feature rows ------------------------------------------------------------------------------- */

typedef struct dorm__valued_doc {
  float value;
  uint32_t doc;
} dorm__valued_doc;

/* Sorts by falling value, with equal values in any order. O(count log count). */
void dorm__sort_valued(size_t count, dorm__valued_doc *items);

#endif
