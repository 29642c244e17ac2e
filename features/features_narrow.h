/* features_narrow.h: room for rows whose values are whole multiples of a step, and how they are rounded. */
#ifndef DORM_FEATURES_FEATURES_NARROW_H
#define DORM_FEATURES_FEATURES_NARROW_H

#include "features/features.h"

/* Room for rows of map->bits, which dorm__features_free frees: that of the values of `owned`, which then has none,
 * where it is not NULL and each row fits where its document's values are; else new memory, or a file where the values
 * of the data set stand in one. */
dorm_status dorm__narrow_new(dorm_context *context, const dorm_dataset *dataset, dorm_dataset *owned,
                             const dorm__feature_map *map, dorm__features *made);
/* Makes rows of floats the narrow rows from document `first` on. */
void dorm__narrow_put(const dorm__features *made, size_t first, const dorm__features *rows, size_t num_threads);
/* Gives back what the values of `owned` took more than the rows do. */
void dorm__narrow_shrink(dorm_context *context, dorm__features *made);

#endif
