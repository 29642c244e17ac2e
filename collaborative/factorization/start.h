/* start.h: points of ranking matrix factorisation, and the point from which it starts. */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_START_H
#define DORM_COLLABORATIVE_FACTORIZATION_START_H

#include "base/base.h"
#include "collaborative/factorization/lists.h"
#include "collaborative/ratings/ratings.h"

/* All numbers that are learned: offsets and rows of items, rows of users. */
typedef struct dorm__point {
  size_t rank;
  size_t num_users;
  size_t num_items;
  double *offset; /* [num_items] */
  double *item;   /* [num_items][rank] */
  double *user;   /* [num_users][rank] */
} dorm__point;

bool dorm__point_new(size_t num_users, size_t num_items, size_t rank, dorm__point *point);
void dorm__point_clear(dorm__point *point);
void dorm__point_copy(const dorm__point *from, dorm__point *to);
/* scores [size] becomes the scores of the items of a list. */
void dorm__point_scores(const dorm__point *point, const dorm__lists *lists, size_t list, double *scores);

/* How the start is made from a squared-error factorisation. */
typedef struct dorm__start_rule {
  double mean;
  double scale; /* of all scores */
  double user_ridge;
  double *balance; /* [rank]; user rows are multiplied by it, item rows are divided by it. */
} dorm__start_rule;

/* Makes the scaled and balanced factorisation, of scores scale (b[i] + <U, V>). */
dorm_status dorm__start_point(dorm_context *context, const dorm__rating_table *table, size_t rank, double scale,
                              uint64_t seed, size_t num_threads, dorm__point *start, dorm__start_rule *rule);
/* Section 5.2 as the paper has it: `start`, to which the point is drawn, is 0, so that the penalty is that of the
 * Frobenius norms; `point` [of the same sizes, made by the caller] becomes random vectors whose scores have the
 * deviation scale. */
dorm_status dorm__start_random(dorm_context *context, const dorm__rating_table *table, double scale, uint64_t seed,
                               dorm__point *start, dorm__start_rule *rule, dorm__point *point);
/* The start of a user without a row, by the user step of the squared-error factorisation from `count` ratings of items.
 * row [rank]. */
dorm_status dorm__start_user(dorm_context *context, const dorm__start_rule *rule, const dorm__point *start,
                             size_t count, const uint32_t *items, const double *ratings, double *row);

#endif
