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

typedef struct dorm__start_options {
  size_t rank;
  double scale;
  uint64_t seed;
  size_t num_threads;
} dorm__start_options;

/* Makes the scaled and balanced factorisation, of scores scale (b[i] + <U, V>). */
dorm_status dorm__start_point(dorm_context *context, const dorm__rating_table *table, const dorm__start_options *asked,
                              dorm__point *start, dorm__start_rule *rule);
/* Section 5.2 as printed: `start`, to which the point is drawn, is 0, so that the penalty is on the Frobenius norms;
 * `point` [of the same sizes, made by the caller] becomes random vectors whose scores have the deviation scale.
 */
dorm_status dorm__start_random(dorm_context *context, const dorm__rating_table *table, double scale, uint64_t seed,
                               dorm__point *start, dorm__start_rule *rule, dorm__point *point);
/* The start of a user without a row, by the user step of the squared-error factorisation from `count` ratings of items.
 * row [rank]. */
dorm_status dorm__start_user(dorm_context *context, const dorm__start_rule *rule, const dorm__point *start,
                             size_t count, const uint32_t *items, const double *ratings, double *row);

/* ---- Objective --------------------------------------------------------------------------------- */

/* *value becomes F at the point. If `gradient` is given, its offsets and item rows become the derivatives of F by them,
 * which exist where both maxima are unique; its user rows stay as they are. Tests need it. */
dorm_status dorm__objective(dorm_context *context, const dorm__lists *lists, const dorm__point *start, double penalty,
                            const dorm__point *point, double *value, dorm__point *gradient);

/* ---- Cutting planes ---------------------------------------------------------------------------- */

typedef struct dorm__step_options {
  double penalty; /* L */
  double gap;     /* relative, to stop at */
  size_t most_passes;
} dorm__step_options;

/* The outcome of a step. */
typedef struct dorm__step_info {
  size_t passes;  /* oracle passes over all lists; of the users' step the most of any user */
  size_t columns; /* rankings held at the end, in all */
  double primal;
  double dual;
} dorm__step_info;

/* A convex problem as the loop sees it. The problem holds the point tried, which is at first where the step begins. */
typedef struct dorm__convex_problem {
  void *problem;
  /* The exact value at the point tried; the problem keeps the worst rankings there for `raise`. */
  dorm_status (*evaluate)(void *problem, double *value);
  /* Adds the worst rankings to the column sets, raises the dual over all columns, moves the trial point to the point
   * of the dual variables, and gives the dual value. `info` says what is known so far: 0 passes and the dual value
   * -INFINITY at first. */
  dorm_status (*raise)(void *problem, const dorm__step_info *info, double *dual);
  /* The point tried is the best so far. The starting point counts as kept. */
  void (*keep)(void *problem);
} dorm__convex_problem;

/* Fills all of info but the number of columns. */
dorm_status dorm__cutting_planes(const dorm__convex_problem *convex, const dorm__step_options *options,
                                 dorm__step_info *info);

/* ---- User step --------------------------------------------------------------------------------- */

/* The new row [rank] of a user, and counts of the work. */
typedef struct dorm__user_result {
  double *row;
  dorm__step_info *info;
} dorm__user_result;

/* Solves the problem of one user: row [rank] is the user's present row and becomes the best one found; centre [rank] is
 * the row that the penalty draws it to. The result does not depend on any other user. O(passes
 * (size log size + size rank)). */
dorm_status dorm__user_step_one(dorm_context *context, const dorm__lists *lists, size_t list, const dorm__point *point,
                                const double *centre, const dorm__step_options *options,
                                const dorm__user_result *result);
/* Solves the problems of all users in parallel. info->passes becomes the largest number of passes of any user. */
dorm_status dorm__user_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info);

/* ---- Item step --------------------------------------------------------------------------------- */

/* Replaces offsets and rows of items of the point by the best ones found. A column of a list holds as many numbers as
 * the list has items. O(passes (num_ratings rank + sorting)), and O(num_ratings rank + columns size) per sweep. */
dorm_status dorm__item_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info);

#endif
