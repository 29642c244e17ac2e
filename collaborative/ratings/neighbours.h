/* neighbours.h: what neighbours.c offers to the other files of this folder. */
#ifndef DORM_COLLABORATIVE_RATINGS_NEIGHBOURS_H
#define DORM_COLLABORATIVE_RATINGS_NEIGHBOURS_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"

/* Pairs to predict for. */
typedef struct dorm__pairs {
  size_t count;
  const uint32_t *users;
  const uint32_t *items;
} dorm__pairs;

/* Item-item neighbours on residuals [num_ratings]; predictions [pairs.count].
 * Never holds more than a row of item similarities a thread.
 * O(sum over items of their raters' ratings). */
dorm_status dorm__neighbours_predict(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                     const dorm__pairs *pairs, size_t num_threads, double *predictions);

#endif
