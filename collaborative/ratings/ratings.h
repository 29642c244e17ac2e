/*
 * ratings.h: collaborative filtering. Users are queries, items are documents, ratings are labels (Le and Smola 2007,
 * sections 5.2 and 6.6). This folder reads ratings and what is known of users and items, splits the ratings, fits
 * models that predict a rating, and turns predictions made out of fold into features for a ranker.
 *
 * Reading order: id_table, rating_table, lists, options, rating_file, side_file, split, generate, bias, factorisation,
 * vectors, affinities, joint_affinity, fit, features, rating_kernels.
 */
#ifndef DORM_COLLABORATIVE_RATINGS_RATINGS_H
#define DORM_COLLABORATIVE_RATINGS_RATINGS_H

#include "base/base.h"
#include "base/hash.h"
#include "data/data.h"

/* ---- id_table.c --------------------------------------------------------- */

/* Words with their numbers, from 0 in the order in which they were added. */
typedef struct dorm__id_table {
  size_t count;
  char *texts;     /* the words one after the other, each ended by '\0' */
  size_t *offsets; /* [count], where a word begins in `texts` */
  dorm__index_map *map;
  size_t texts_size, texts_capacity, offsets_capacity;
} dorm__id_table;

enum { DORM__NO_ID = UINT32_MAX };

void dorm__id_table_clear(dorm__id_table *table);
/* The number of the word word[size]; DORM__NO_ID for a word that is not in the table. */
uint32_t dorm__id_table_find(const dorm__id_table *table, const char *word, size_t size);
/* The same, but a word that is not in the table is added. DORM__NO_ID when out of memory. */
uint32_t dorm__id_table_add(dorm__id_table *table, const char *word, size_t size);
const char *dorm__id_table_text(const dorm__id_table *table, size_t id);
bool dorm__id_table_copy(const dorm__id_table *table, dorm__id_table *copy);

/* ---- rating_table.c ----------------------------------------------------- */

typedef struct dorm__rating {
  uint32_t user;
  uint32_t item;
  double value;
} dorm__rating;

/* Ratings ordered by user, within a user in the order in which they were given, and an index of them ordered by item.
 * A user or item without ratings has an empty range. */
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

/* Copies `count` ratings; users < num_users, items < num_items. */
bool dorm__rating_table_new(size_t num_users, size_t num_items, size_t count, const dorm__rating *ratings,
                            dorm__rating_table *table);
void dorm__rating_table_clear(dorm__rating_table *table);

/* The public handle. Training and held-out ratings that are read or split together give the same number to the same
 * user or item. */
struct dorm_ratings {
  char *name;
  dorm__id_table users;
  dorm__id_table items;
  dorm__rating_table table;
};

/* ---- lists.c ------------------------------------------------------------ */

/* Lists to rank: a query per user, a document per item. */
typedef struct dorm__rating_lists {
  size_t num_queries;
  const uint32_t *users; /* [num_queries] */
  const size_t *start;   /* [num_queries + 1], into items and labels */
  const uint32_t *items;
  const double *labels; /* NULL: All labels are 0. */
} dorm__rating_lists;

/* Fails if `other` (which may be NULL) does not number as many users and items as `training`. */
dorm_status dorm__ratings_check_numbers(dorm_context *context, const dorm_ratings *training, const dorm_ratings *other);
/* Finds the users with ratings in `table`, and in `only` too if that is given. Returns their number n and fills the
 * first n of users[num_users] and the first n + 1 of start[num_users + 1]: where the ratings of each begin when the
 * ratings of these users are put one after the other. */
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
/* The last step is a user step, so that dorm__factorisation_user gives the same row again for a user of the table.
 * O(rounds (num_ratings rank^2 + (num_users + num_items) rank^3)); needs memory for (num_users + num_items) rank
 * numbers and some tens of megabytes. */
dorm_status dorm__factorisation_fit(dorm_context *context, const dorm__rating_table *table,
                                    const dorm__factorisation_options *options, dorm__factorisation *made);
void dorm__factorisation_clear(dorm__factorisation *made);
/* The user step for one user. Given residuals[count], the user's ratings less the mean and the items' offsets, and the
 * rows of the rated items, item_rows[count][rank], fills row [rank + 1]: the user's offset, then U. gram [rank + 2]
 * [rank + 1] is scratch; its first rank + 1 rows become the inverse of the Gram matrix with ridges. Returns false when
 * that matrix is singular. O(count rank^2 + rank^3). */
bool dorm__factorisation_user(size_t rank, double user_ridge, size_t count, const double *residuals,
                              const double *item_rows, double *row, double *gram);

/* ---- options.c ---------------------------------------------------------- */

/* solver.threads, where 0 means the number of processors. The work on one user or item never depends on this number. */
size_t dorm__rating_threads(const dorm_settings *settings);

#endif
