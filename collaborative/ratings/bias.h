/* bias.h: offsets of users and items, and what they leave of the ratings. */
#ifndef DORM_COLLABORATIVE_RATINGS_BIAS_H
#define DORM_COLLABORATIVE_RATINGS_BIAS_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"

/* rating ~ mean + user[u] + item[i]. */
typedef struct dorm__bias {
  double mean;
  double *user; /* [num_users] */
  double *item; /* [num_items] */
} dorm__bias;

/* values [num_ratings] stand in the place of the table's own, in its order. Users and items without ratings get 0.
 * False when out of memory. O(num_ratings). */
bool dorm__bias_fit(const dorm__rating_table *table, const double *values, double item_shrinkage, dorm__bias *bias);
void dorm__bias_clear(dorm__bias *bias);
/* residuals[e] = values[e] - mean - user[u] - item[i] for rating e of user u and item i */
void dorm__bias_residuals(const dorm__rating_table *table, const double *values, const dorm__bias *bias,
                          double *residuals);

#endif
