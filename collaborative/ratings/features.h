/* features.h: what features.c offers to the other files of this folder. */
#ifndef DORM_COLLABORATIVE_RATINGS_FEATURES_H
#define DORM_COLLABORATIVE_RATINGS_FEATURES_H

#include "base/base.h"
#include "base/random.h"
#include "collaborative/ratings/ratings.h"

/* Deals the ratings of each user into parts; part [num_ratings], the part of each. */
bool dorm__deal_folds(const dorm__rating_table *table, size_t num_folds, dorm__random *random, uint8_t *part);

#endif
