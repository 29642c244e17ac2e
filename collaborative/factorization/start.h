/* start.h: points of ranking matrix factorisation, its starting point, and its steps. */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_START_H
#define DORM_COLLABORATIVE_FACTORIZATION_START_H

#include "base/base.h"
#include "collaborative/factorization/lists.h"
#include "collaborative/ratings/ratings.h"

/* All learned numbers: offsets and rows of items, rows of users. */
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
/* Fills scores [size] with the scores of the items of a list. */
void dorm__point_scores(const dorm__point *point, const dorm__lists *lists, size_t list, double *scores);

/* How to compute the start from a squared-error factorisation. */
typedef struct dorm__start_rule {
  double mean;
  double scale; /* of all scores */
  double user_ridge;
  double *balance; /* [rank], a factor of user rows and divisor of item rows */
} dorm__start_rule;

typedef struct dorm__start_options {
  size_t rank;
  double scale;
  uint64_t seed;
  size_t num_threads;
} dorm__start_options;

/* Makes the scaled and balanced factorisation, with scores scale (b[i] + <U, V>). */
dorm_status dorm__start_point(dorm_context *context, const dorm__rating_table *table, const dorm__start_options *asked,
                              dorm__point *start, dorm__start_rule *rule);
/* Starts as printed in section 5.2. `start`, the centre of the penalty, becomes 0, so the penalty is on the Frobenius
 * norms. `point` [same sizes, made by the caller] becomes random vectors whose scores have the standard deviation
 * `scale`. */
dorm_status dorm__start_random(dorm_context *context, const dorm__rating_table *table, double scale, uint64_t seed,
                               dorm__point *start, dorm__start_rule *rule, dorm__point *point);
/* Computes the start row [rank] of a new user from `count` ratings, by the user step of the squared-error
 * factorisation. */
dorm_status dorm__start_user(dorm_context *context, const dorm__start_rule *rule, const dorm__point *start,
                             size_t count, const uint32_t *items, const double *ratings, double *row);

/* ---- Objective --------------------------------------------------------------------------------- */

/* Sets *value to F at the point. If `gradient` is not NULL, fills its offsets and item rows with the derivatives of F,
 * which exist if both maxima are unique. Leaves its user rows unchanged. Tests use the gradient. */
dorm_status dorm__objective(dorm_context *context, const dorm__lists *lists, const dorm__point *start, double penalty,
                            const dorm__point *point, double *value, dorm__point *gradient);

/* ---- Cutting planes ---------------------------------------------------------------------------- */

typedef struct dorm__step_options {
  double penalty; /* L */
  double gap;     /* relative gap at which to stop */
  size_t most_passes;
} dorm__step_options;

/* The outcome of a step. */
typedef struct dorm__step_info {
  size_t passes;  /* oracle passes over all lists (user step: the most of any user) */
  size_t columns; /* total number of rankings held at the end */
  double primal;
  double dual;
} dorm__step_info;

/* A convex problem for the loop. The problem holds the trial point, at first the starting point of the step. */
typedef struct dorm__convex_problem {
  void *problem;
  /* Computes the exact value at the trial point. The problem keeps the worst rankings for `raise`. */
  dorm_status (*evaluate)(void *problem, double *value);
  /* Adds the worst rankings to the column sets, raises the dual over all columns, moves the trial point to the point of
   * the dual variables, and returns the dual value. `info` has the state so far, at first 0 passes and the dual value
   * -INFINITY. */
  dorm_status (*raise)(void *problem, const dorm__step_info *info, double *dual);
  /* Keeps the trial point as the best so far. The starting point counts as kept. */
  void (*keep)(void *problem);
} dorm__convex_problem;

/* Runs the loop. Fills all of info except the number of columns. */
dorm_status dorm__cutting_planes(const dorm__convex_problem *convex, const dorm__step_options *options,
                                 dorm__step_info *info);

/* ---- User step --------------------------------------------------------------------------------- */

/* The new row [rank] of a user, and counts of the work. */
typedef struct dorm__user_result {
  double *row;
  dorm__step_info *info;
} dorm__user_result;

/* Solves the problem of one user. row [rank] is the user's current row and is replaced by the best one found. centre
 * [rank] is the centre of the penalty. The result does not depend on other users. O(passes (size log size + size
 * rank)). */
dorm_status dorm__user_step_one(dorm_context *context, const dorm__lists *lists, size_t list, const dorm__point *point,
                                const double *centre, const dorm__step_options *options,
                                const dorm__user_result *result);
/* Solves the problems of all users in parallel. Sets info->passes to the largest number of passes of any user. */
dorm_status dorm__user_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info);

/* ---- Item step --------------------------------------------------------------------------------- */

/* Replaces the item offsets and rows of the point by the best ones found. A column of a list holds as many numbers as
 * the list has items. O(passes (num_ratings rank + sorting)), and O(num_ratings rank + columns size) per sweep. */
dorm_status dorm__item_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info);

#endif
