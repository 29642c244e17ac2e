/* features_sparse.h: what features_sparse.c offers to the other files of this folder. */
#ifndef DORM_FEATURES_FEATURES_SPARSE_H
#define DORM_FEATURES_FEATURES_SPARSE_H

#include "base/base.h"
#include "data/data.h"
#include "features/features.h"

bool dorm__features_build_sparse(const dorm_dataset *dataset, dorm_dataset *owned, const dorm__feature_map *map,
                                 const size_t *columns, size_t num_threads, dorm__features *features);

#endif
