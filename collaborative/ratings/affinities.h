/* affinities.h: what affinities.c offers to the other files of this folder. */
#ifndef DORM_COLLABORATIVE_RATINGS_AFFINITIES_H
#define DORM_COLLABORATIVE_RATINGS_AFFINITIES_H

#include "base/base.h"
#include "collaborative/ratings/neighbours.h"
#include "collaborative/ratings/ratings.h"
#include "collaborative/ratings/vectors.h"

/* One ridge regression a user of residuals on the rows of the rated items. */
dorm_status dorm__item_affinity_predict(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                        const dorm__vectors *vectors, const dorm__pairs *pairs, size_t num_threads,
                                        double *predictions);
/* One ridge regression an item of residuals on the rows of its raters. */
dorm_status dorm__user_affinity_predict(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                        const dorm__vectors *vectors, const dorm__pairs *pairs, size_t num_threads,
                                        double *predictions);

#endif
