/* features.h: how the ratings of each user are dealt into folds. */
#ifndef DORM_COLLABORATIVE_RATINGS_FEATURES_H
#define DORM_COLLABORATIVE_RATINGS_FEATURES_H

#include "base/base.h"
#include "base/random.h"
#include "collaborative/ratings/ratings.h"

/* Shuffles the ratings of each user and deals them into num_folds parts of about equal size. part [num_ratings] becomes
 * the part of each rating. False when out of memory. */
bool dorm__deal_folds(const dorm__rating_table *table, size_t num_folds, dorm__random *random, uint8_t *part);

#endif
