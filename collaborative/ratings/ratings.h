/*
 * ratings.h: collaborative filtering. Users are queries, items are documents,
 * ratings are labels (Le and Smola 2007, sections 5.2 and 6.6). Reads ratings
 * and what is known of users and items, splits them, fits what predicts a
 * rating, and turns predictions made out of fold into features for a ranker.
 *
 * Reading order: id_table, rating_table, lists, rating_file, side_file, split,
 * generate, bias, factorisation, neighbours, vectors, affinities,
 * joint_affinity, fit, features, rating_kernels.
 */
#ifndef DORM_COLLABORATIVE_RATINGS_RATINGS_H
#define DORM_COLLABORATIVE_RATINGS_RATINGS_H

#include "base/base.h"
#include "base/index_map.h"
#include "data/data.h"

/* ---- id_table.c --------------------------------------------------------- */

/* Words, numbered from 0 in the order in which they came. */
typedef struct dorm__id_table {
  size_t count;
  char *texts;     /* each ended by '\0' */
  size_t *offsets; /* [count] */
  dorm__index_map *map;
  size_t texts_size, texts_capacity, offsets_capacity;
} dorm__id_table;

enum { DORM__NO_ID = UINT32_MAX };

void dorm__id_table_clear(dorm__id_table *table);
/* The number of a word, DORM__NO_ID for one that is not there. */
uint32_t dorm__id_table_find(const dorm__id_table *table, const char *word, size_t size);
/* The same; adds a word that is not there. DORM__NO_ID when out of memory. */
uint32_t dorm__id_table_add(dorm__id_table *table, const char *word, size_t size);
const char *dorm__id_table_text(const dorm__id_table *table, size_t id);
bool dorm__id_table_copy(const dorm__id_table *table, dorm__id_table *copy);

/* ---- rating_table.c ----------------------------------------------------- */

typedef struct dorm__rating {
  uint32_t user;
  uint32_t item;
  double value;
} dorm__rating;

/* Ratings by user, in the order in which they came, and by item. Users and
 * items without a rating have empty ranges. */
typedef struct dorm__rating_table {
  size_t num_users;
  size_t num_items;
  size_t num_ratings;
  size_t *user_start; /* [num_users + 1] */
  uint32_t *items;    /* [num_ratings] */
  double *values;     /* [num_ratings] */
  size_t *item_start; /* [num_items + 1] */
  uint32_t *users;    /* [num_ratings], by item, increasing */
  size_t *by_item;    /* [num_ratings], by item: where the rating stands in `items` */
} dorm__rating_table;

/* Copies `count` ratings; users < num_users, items < num_items. */
bool dorm__rating_table_new(size_t num_users, size_t num_items, size_t count, const dorm__rating *ratings,
                            dorm__rating_table *table);
void dorm__rating_table_clear(dorm__rating_table *table);

/* What the public handle holds. Training and held-out ratings number users and
 * items alike. */
struct dorm_ratings {
  char *name;
  dorm__id_table users;
  dorm__id_table items;
  dorm__rating_table table;
};

/* ---- lists.c ------------------------------------------------------------ */

/* Queries of users with documents of items. */
typedef struct dorm__rating_lists {
  size_t num_queries;
  const uint32_t *users; /* of the queries */
  const size_t *start;   /* [num_queries + 1] */
  const uint32_t *items;
  const double *labels; /* NULL: 0 */
} dorm__rating_lists;

/* Users with ratings in `table`, and in `only` where that is given, into
 * users[num_users]; start[num_users + 1] becomes where each one's ratings begin
 * when put together. Returns how many. */
size_t dorm__rating_users(const dorm__rating_table *table, const dorm__rating_table *only, uint32_t *users,
                          size_t *start);
/* A data set of the lists with room for features, whose ids are 1, 2, ... and
 * values 0; the ratings give the names of users and items. */
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

typedef struct dorm__factorisation_options {
  size_t rank;
  size_t rounds;
  bool has_posterior; /* item steps see the users' posterior covariances */
  double user_ridge;  /* and the variance of the noise */
  double item_ridge;
  uint64_t seed;
  size_t num_threads;
} dorm__factorisation_options;

/* With posterior covariances, ridges 0.8 and 40, 15 rounds: safe at any rank. */
dorm__factorisation_options dorm__factorisation_em(size_t rank, uint64_t seed, size_t num_threads);
/* Ends with a user step, so that dorm__factorisation_user repeats it for a user
 * of the table. O(rounds (num_ratings rank^2 + (num_users + num_items) rank^3));
 * memory of its own (num_users + num_items) rank and some tens of megabytes. */
dorm_status dorm__factorisation_fit(dorm_context *context, const dorm__rating_table *table,
                                    const dorm__factorisation_options *options, dorm__factorisation *made);
void dorm__factorisation_clear(dorm__factorisation *made);
/* The user step for one user: row [rank + 1], bias first, from `count` ratings
 * less mean and item offsets, residuals[count], and the rows of their items,
 * item_rows[count][rank]. gram [rank + 1][rank + 1] becomes the inverse of its
 * matrix; a row of scratch behind it is used. False when singular.
 * O(count rank^2 + rank^3). */
bool dorm__factorisation_user(size_t rank, double user_ridge, size_t count, const double *residuals,
                              const double *item_rows, double *row, double *gram);

/* ---- options.c ---------------------------------------------------------- */

/* solver.threads, where 0 stands for the number of processors. The work on one user
 * or item never depends on this number. */
size_t dorm__rating_threads(const dorm_settings *settings);

#endif
