/* vectors.h: what vectors.c offers to the other files of this folder. */
#ifndef DORM_COLLABORATIVE_RATINGS_VECTORS_H
#define DORM_COLLABORATIVE_RATINGS_VECTORS_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"
#include "collaborative/ratings/side_file.h"

/* How items and users look to the ridge regressions: known attributes, what the
 * ratings say of them, and factors. */
typedef struct dorm__vectors {
  dorm__rows items;        /* attributes, log popularity, mean attributes of the raters, factors */
  size_t num_item_content; /* leading columns of items: attributes and log popularity */
  dorm__rows users;        /* attributes, mean content of the rated items, factors */
  size_t num_user_content; /* leading columns of users: without factors */
  double *log_popularity;  /* [num_items], log(1 + number of ratings) */
} dorm__vectors;

bool dorm__vectors_new(const dorm__rating_table *table, const dorm__rows *user_side, const dorm__rows *item_side,
                       const dorm__factorisation *factors, dorm__vectors *vectors);
void dorm__vectors_clear(dorm__vectors *vectors);

#endif
