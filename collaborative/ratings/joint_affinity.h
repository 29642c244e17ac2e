/* joint_affinity.h: what joint_affinity.c offers to the other files of this folder. */
#ifndef DORM_COLLABORATIVE_RATINGS_JOINT_AFFINITY_H
#define DORM_COLLABORATIVE_RATINGS_JOINT_AFFINITY_H

#include "base/base.h"
#include "collaborative/ratings/neighbours.h"
#include "collaborative/ratings/ratings.h"
#include "collaborative/ratings/vectors.h"

/* One ridge regression of residuals on products of user and item content:
 * (*of_items)[num_items][num_user_content], freed by the caller, whose products
 * with the content of users are the predictions. */
dorm_status dorm__joint_affinity_fit(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                     const dorm__vectors *vectors, double **of_items);
void dorm__joint_affinity_predict(const dorm__vectors *vectors, const double *of_items, const dorm__pairs *pairs,
                                  size_t num_threads, double *predictions);

#endif
