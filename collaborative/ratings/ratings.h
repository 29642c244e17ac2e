/*
 * ratings.h: collaborative filtering. Users are queries, items are documents, ratings are labels (Le and Smola 2007,
 * sections 5.2 and 6.6). This folder reads ratings and attributes of users and items, splits the ratings, fits models
 * that predict a rating, and turns out-of-fold predictions into features for a ranker.
 *
 * Reading order: rating_table, options, rating_file, side_file, split, generate, bias, factorisation,
 * vectors, affinities, joint_affinity, fit, features, rating_kernels.
 */
#ifndef DORM_COLLABORATIVE_RATINGS_RATINGS_H
#define DORM_COLLABORATIVE_RATINGS_RATINGS_H

#include "base/base.h"
#include "base/hash.h"
#include "data/data.h"

/* ---- rating_table.c ----------------------------------------------------- */

typedef struct dorm__rating {
  uint32_t user;
  uint32_t item;
  double value;
} dorm__rating;

/* Ratings ordered by user (within a user in input order), with an index ordered by item. A user or item without ratings
 * has an empty range. */
typedef struct dorm__rating_table {
  size_t num_users;
  size_t num_items;
  size_t num_ratings;
  size_t *user_start; /* [num_users + 1]: user u has ratings user_start[u] .. user_start[u + 1] - 1 */
  uint32_t *items;    /* [num_ratings] */
  double *values;     /* [num_ratings] */
  size_t *item_start; /* [num_items + 1]: item i has places item_start[i] .. item_start[i + 1] - 1 */
  uint32_t *users;    /* [num_ratings], ordered by item, then by user */
  size_t *by_item;    /* [num_ratings], ordered like `users`: the number of the rating in `items` and `values` */
} dorm__rating_table;

/* Makes a table from `count` ratings, which are copied. Users are < num_users, items < num_items. */
bool dorm__rating_table_new(size_t num_users, size_t num_items, size_t count, const dorm__rating *ratings,
                            dorm__rating_table *table);
void dorm__rating_table_clear(dorm__rating_table *table);

/* The public handle. In training and held-out ratings that are read or split together, a user or item has the same
 * number. */
struct dorm_ratings {
  char *name;
  dorm__id_table users;
  dorm__id_table items;
  dorm__rating_table table;
};

/* Lists to rank: a query per user, a document per item. */
typedef struct dorm__rating_lists {
  size_t num_queries;
  const uint32_t *users; /* [num_queries] */
  const size_t *start;   /* [num_queries + 1], into items and labels */
  const uint32_t *items;
  const double *labels; /* NULL: all are 0 */
} dorm__rating_lists;

/* Fails if `other` (may be NULL) and `training` differ in the number of users or items. */
dorm_status dorm__ratings_check_numbers(dorm_context *context, const dorm_ratings *training, const dorm_ratings *other);
/* Finds the users with ratings in `table` and, unless `only` is NULL, also in `only`. Returns their number n. Fills the
 * first n of users[num_users] and the first n + 1 of start[num_users + 1], the beginnings of each user's ratings if
 * their ratings are concatenated. */
size_t dorm__rating_users(const dorm__rating_table *table, const dorm__rating_table *only, uint32_t *users,
                          size_t *start);
/* Makes a data set of the lists with features 1, 2, ..., num_features, all of value 0. Names of users and items as in
 * the ratings. */
dorm_status dorm__rating_dataset(dorm_context *context, const dorm_ratings *ratings, const dorm__rating_lists *lists,
                                 size_t num_features, dorm_dataset **dataset);

/* ---- factorisation.c ---------------------------------------------------- */

/* rating ~ mean + user_bias[u] + item_bias[i] + <user[u], item[i]>. */
typedef struct dorm__factorisation {
  size_t rank;
  double mean;
  double *user_bias; /* [num_users] */
  double *item_bias; /* [num_items] */
  double *user;      /* [num_users][rank] */
  double *item;      /* [num_items][rank] */
} dorm__factorisation;

/* Pairs of a user and an item to predict for. */
typedef struct dorm__pairs {
  size_t count;
  const uint32_t *users;
  const uint32_t *items;
} dorm__pairs;

typedef struct dorm__factorisation_options {
  size_t rank;
  size_t rounds;
  double user_ridge; /* also the variance of the noise */
  uint64_t seed;
  size_t num_threads;
} dorm__factorisation_options;

/* Options of the factorisation with posterior covariances, which does not overfit at any rank. */
dorm__factorisation_options dorm__factorisation_em(size_t rank, uint64_t seed, size_t num_threads);
/* Fits the factorisation. The last step is a user step, so dorm__factorisation_user computes the same row for a user of
 * the table. O(rounds (num_ratings rank^2 + (num_users + num_items) rank^3)). Memory: (num_users + num_items) rank
 * numbers and some tens of megabytes. */
dorm_status dorm__factorisation_fit(dorm_context *context, const dorm__rating_table *table,
                                    const dorm__factorisation_options *options, dorm__factorisation *made);
void dorm__factorisation_clear(dorm__factorisation *made);
/* Makes the user step for one user. residuals[count] are the user's ratings minus the mean and the items' offsets, and
 * item_rows[count][rank] the rows of the rated items. Fills row [rank + 1] with the user's offset and U. gram [rank +
 * 2][rank + 1] is scratch, and its first rank + 1 rows become the inverse of the Gram matrix with ridges. Returns false
 * if that matrix is singular. O(count rank^2 + rank^3). */
bool dorm__factorisation_user(size_t rank, double user_ridge, size_t count, const double *residuals,
                              const double *item_rows, double *row, double *gram);

/* ---- options.c ---------------------------------------------------------- */

/* Returns solver.threads, or the number of processors if that is 0. The work on one user or item never depends on it.
 */
size_t dorm__rating_threads(const dorm_settings *settings);

#endif
