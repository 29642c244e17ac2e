/* features_sparse.h: sparse rows of features. */
#ifndef DORM_FEATURES_FEATURES_SPARSE_H
#define DORM_FEATURES_FEATURES_SPARSE_H

#include "features/features.h"

/* The same as dorm__features_build_dense for all queries of a sparse data set. */
bool dorm__features_build_sparse(const dorm_dataset *dataset, dorm_dataset *owned, const dorm__feature_map *map,
                                 const size_t *sources, size_t num_threads, dorm__features *features);

#endif
