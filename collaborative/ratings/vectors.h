/* vectors.h: the rows that describe users and items in the ridge regressions. */
#ifndef DORM_COLLABORATIVE_RATINGS_VECTORS_H
#define DORM_COLLABORATIVE_RATINGS_VECTORS_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"
#include "collaborative/ratings/side_file.h"

/* Rows that describe items and users: attributes that are known, what the ratings tell of them, and factors. */
typedef struct dorm__vectors {
  dorm__rows items;        /* attributes, log popularity, mean attributes of the raters, factors */
  size_t num_item_content; /* The first entries of an item row, attributes and log popularity, are its content. */
  dorm__rows users;        /* attributes, mean content of the rated items, factors */
  size_t num_user_content; /* The first entries of a user row, all but the factors, are its content. */
  double *log_popularity;  /* [num_items], log(1 + number of ratings) */
} dorm__vectors;

/* False when out of memory. */
bool dorm__vectors_new(const dorm__rating_table *table, const dorm__rows *user_side, const dorm__rows *item_side,
                       const dorm__factorisation *factors, dorm__vectors *vectors);
void dorm__vectors_clear(dorm__vectors *vectors);

#endif
