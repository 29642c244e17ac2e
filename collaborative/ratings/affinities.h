/* affinities.h: predicts residuals by one ridge regression per user or per item. */
#ifndef DORM_COLLABORATIVE_RATINGS_AFFINITIES_H
#define DORM_COLLABORATIVE_RATINGS_AFFINITIES_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"
#include "collaborative/ratings/vectors.h"

/* One ridge regression per user, of residuals on the rows of the items that the user has rated. predictions
 * [pairs->count]. */
dorm_status dorm__item_affinity_predict(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                        const dorm__vectors *vectors, const dorm__pairs *pairs, size_t num_threads,
                                        double *predictions);
/* One ridge regression per item, of residuals on the rows of the users who have rated it. */
dorm_status dorm__user_affinity_predict(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                        const dorm__vectors *vectors, const dorm__pairs *pairs, size_t num_threads,
                                        double *predictions);

#endif
