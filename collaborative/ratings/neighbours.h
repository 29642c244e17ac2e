/* neighbours.h: predicts residuals from the residuals of similar items that the user has rated. */
#ifndef DORM_COLLABORATIVE_RATINGS_NEIGHBOURS_H
#define DORM_COLLABORATIVE_RATINGS_NEIGHBOURS_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"

/* Pairs of a user and an item to predict for. */
typedef struct dorm__pairs {
  size_t count;
  const uint32_t *users;
  const uint32_t *items;
} dorm__pairs;

/* Fills predictions [pairs->count] from residuals [num_ratings]. Holds one row of item similarities per thread.
 * O(sum over ratings of the number of ratings of the same user). */
dorm_status dorm__neighbours_predict(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                     const dorm__pairs *pairs, size_t num_threads, double *predictions);

#endif
