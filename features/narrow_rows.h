/* narrow_rows.h: products with rows whose values are whole multiples of a step, in 16 or 8 bits. */
#ifndef DORM_FEATURES_NARROW_ROWS_H
#define DORM_FEATURES_NARROW_ROWS_H

#include "features/features.h"

/* What dorm__features_score and _add do, for narrow rows; the rows after the `count` ones are prefetched as far
 * as there are num_ahead of them. */
void dorm__narrow_score(const dorm__features *features, size_t first, size_t count, const double *weights,
                        size_t num_ahead, double *scores);
void dorm__narrow_add(const dorm__features *features, size_t doc, double factor, double *result);

#endif
