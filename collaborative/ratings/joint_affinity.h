/* joint_affinity.h: predicts residuals by one ridge regression on products of user and item attributes. */
#ifndef DORM_COLLABORATIVE_RATINGS_JOINT_AFFINITY_H
#define DORM_COLLABORATIVE_RATINGS_JOINT_AFFINITY_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"
#include "collaborative/ratings/vectors.h"

/* Fits W (joint_affinity.c). (*of_items)[num_items][num_user_content] becomes W z[i] of each item, whose inner product
 * with the content of a user is the prediction; the caller frees it. */
dorm_status dorm__joint_affinity_fit(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                     const dorm__vectors *vectors, double **of_items);
void dorm__joint_affinity_predict(const dorm__vectors *vectors, const double *of_items, const dorm__pairs *pairs,
                                  size_t num_threads, double *predictions);

#endif
