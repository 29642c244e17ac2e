/* features_dense.h: what features_dense.c offers to the other files of this folder. */
#ifndef DORM_FEATURES_FEATURES_DENSE_H
#define DORM_FEATURES_FEATURES_DENSE_H

#include "base/base.h"
#include "data/data.h"
#include "features/features.h"

/* Rows of the given storage for a map whose id i is column columns[i] of the
 * data set (num_features: nowhere in it). `owned` is the data set when its
 * memory may be taken, else NULL. False when out of memory. */
bool dorm__features_build_dense(const dorm_dataset *dataset, dorm_dataset *owned, const dorm__feature_map *map,
                                const size_t *columns, size_t stride, size_t num_threads, dorm__features *features);
/* What dorm__features_begin left. */
bool dorm__features_finish_dense(const dorm_dataset *dataset, const dorm__feature_map *map, const double *weights,
                                 size_t num_threads, dorm__features *features, double *scores);

#endif
