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
#ifndef DORM_RATINGS_RATINGS_H
#define DORM_RATINGS_RATINGS_H

#include "data/data.h"

/* ---- id_table.c ------------------------------------------------------------ */

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

/* ---- rating_table.c -------------------------------------------------------- */

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
/* The ratings e with keep[e] == wanted. */
bool dorm__rating_table_select(const dorm__rating_table *table, const uint8_t *keep, uint8_t wanted,
                               dorm__rating_table *selected);
void dorm__rating_table_clear(dorm__rating_table *table);
double dorm__rating_table_mean(const dorm__rating_table *table);
/* users[e] of rating e; [num_ratings]. */
void dorm__rating_table_users(const dorm__rating_table *table, uint32_t *users);
/* Numbers 0 .. count - 1 by their keys < num_keys, equal keys in order: those of
 * key k are order[start[k]] .. order[start[k + 1] - 1]. */
void dorm__order_by(size_t count, size_t num_keys, const uint32_t *keys, size_t *start, size_t *order);

/* What the public handle holds. Training and held-out ratings number users and
 * items alike. */
struct dorm_ratings {
  char *name;
  dorm__id_table users;
  dorm__id_table items;
  dorm__rating_table table;
};

/* Takes the ratings; the ids are copied. */
dorm_status dorm__ratings_new(dorm_context *context, const char *name, const dorm__id_table *users,
                              const dorm__id_table *items, size_t count, const dorm__rating *ratings,
                              dorm_ratings **made);

/* ---- lists.c ------------------------------------------------------------------ */

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

/* ---- side_file.c ----------------------------------------------------------- */

/* What is known of users, or of items: tags and numbers. */
struct dorm_side {
  char *name;
  dorm__id_table ids;      /* of the lines */
  dorm__id_table features; /* tags "tag", numbers "number:" */
  size_t num_entries;
  size_t *line_start; /* [ids.count + 1] */
  uint32_t *columns;  /* [num_entries] */
  double *values;     /* [num_entries]; 1 for tags */
};

/* Rows of numbers, [count][width], row-major. */
typedef struct dorm__rows {
  size_t count;
  size_t width;
  double *values;
} dorm__rows;

/* A row for each id of the table: tags as 1 / sqrt(number of tags of the line),
 * numbers with mean 0 and variance 1 over the lines; 0 for what is missing and
 * for ids without a line. NULL gives rows of width 0. */
bool dorm__side_rows(const dorm_side *side, const dorm__id_table *ids, dorm__rows *rows);
void dorm__rows_clear(dorm__rows *rows);

/* ---- bias.c ---------------------------------------------------------------- */

/* rating ~ mean + user[u] + item[i]. */
typedef struct dorm__bias {
  double mean;
  double *user; /* [num_users] */
  double *item; /* [num_items] */
} dorm__bias;

/* values [num_ratings] in the order of the table. Unseen users and items get 0.
 * O(num_ratings). */
bool dorm__bias_fit(const dorm__rating_table *table, const double *values, double item_shrinkage, dorm__bias *bias);
void dorm__bias_clear(dorm__bias *bias);
/* residuals[e] = values[e] - mean - user - item */
void dorm__bias_residuals(const dorm__rating_table *table, const double *values, const dorm__bias *bias,
                          double *residuals);

/* ---- factorisation.c --------------------------------------------------------- */

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
/* Plain alternating least squares, ridges 8. */
dorm__factorisation_options dorm__factorisation_als(size_t rank, uint64_t seed, size_t num_threads);
/* Ends with a user step, so that dorm__factorisation_user repeats it for a user
 * of the table. O(rounds (num_ratings rank^2 + (num_users + num_items) rank^3));
 * memory of its own (num_users + num_items) rank and some tens of megabytes. */
dorm_status dorm__factorisation_fit(dorm_context *context, const dorm__rating_table *table,
                                    const dorm__factorisation_options *options, dorm__factorisation *made);
void dorm__factorisation_clear(dorm__factorisation *made);
double dorm__factorisation_product(const dorm__factorisation *made, size_t user, size_t item);
/* The user step for one user: row [rank + 1], bias first, from `count` ratings
 * less mean and item offsets, residuals[count], and the rows of their items,
 * item_rows[count][rank]. gram [rank + 1][rank + 1] becomes the inverse of its
 * matrix; a row of scratch behind it is used. False when singular.
 * O(count rank^2 + rank^3). */
bool dorm__factorisation_user(size_t rank, double user_ridge, size_t count, const double *residuals,
                              const double *item_rows, double *row, double *gram);

/* ---- neighbours.c ------------------------------------------------------------ */

/* Pairs to predict for. */
typedef struct dorm__pairs {
  size_t count;
  const uint32_t *users;
  const uint32_t *items;
} dorm__pairs;

/* Item-item neighbours on residuals [num_ratings]; predictions [pairs.count].
 * Never holds more than a row of item similarities a thread.
 * O(sum over items of their raters' ratings). */
dorm_status dorm__neighbours_predict(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                     const dorm__pairs *pairs, size_t num_threads, double *predictions);

/* ---- vectors.c --------------------------------------------------------------- */

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

/* ---- affinities.c ------------------------------------------------------------- */

/* One ridge regression a user of residuals on the rows of the rated items. */
dorm_status dorm__item_affinity_predict(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                        const dorm__vectors *vectors, const dorm__pairs *pairs, size_t num_threads,
                                        double *predictions);
/* One ridge regression an item of residuals on the rows of its raters. */
dorm_status dorm__user_affinity_predict(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                        const dorm__vectors *vectors, const dorm__pairs *pairs, size_t num_threads,
                                        double *predictions);

/* ---- joint_affinity.c ---------------------------------------------------------- */

/* One ridge regression of residuals on products of user and item content:
 * (*of_items)[num_items][num_user_content], freed by the caller, whose products
 * with the content of users are the predictions. */
dorm_status dorm__joint_affinity_fit(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                     const dorm__vectors *vectors, double **of_items);
void dorm__joint_affinity_predict(const dorm__vectors *vectors, const double *of_items, const dorm__pairs *pairs,
                                  size_t num_threads, double *predictions);

/* ---- fit.c ---------------------------------------------------------------------- */

typedef enum dorm__rating_feature {
  DORM__RATING_BIAS,
  DORM__RATING_GAIN_BIAS,
  DORM__RATING_POPULARITY,
  DORM__RATING_FACTORS,
  DORM__RATING_SMALL_FACTORS,
  DORM__RATING_NEIGHBOURS,
  DORM__RATING_ITEM_AFFINITY,
  DORM__RATING_USER_AFFINITY,
  DORM__RATING_JOINT_AFFINITY,
  DORM__RATING_ITEM_MEAN,
  DORM__RATING_SQUARED_ERROR,
  DORM__NUM_RATING_FEATURES
} dorm__rating_feature;

typedef struct dorm__fit_options {
  bool wanted[DORM__NUM_RATING_FEATURES];
  size_t rank; /* of the factors */
  uint64_t seed;
  size_t num_threads;
} dorm__fit_options;

/* Everything that is wanted, fitted on one table. */
typedef struct dorm__fit {
  dorm__rating_table table;
  dorm__fit_options options;
  dorm__bias bias;
  dorm__bias gain_bias;
  double *residuals;           /* [table.num_ratings], of bias */
  dorm__factorisation factors; /* rank 0: not wanted */
  dorm__factorisation small;
  dorm__vectors vectors;
  double *joint; /* of joint_affinity.c; NULL: not wanted */
} dorm__fit;

/* Takes the table, which is empty afterwards. */
dorm_status dorm__fit_new(dorm_context *context, dorm__rating_table *table, const dorm__rows *user_side,
                          const dorm__rows *item_side, const dorm__fit_options *options, dorm__fit *made);
void dorm__fit_clear(dorm__fit *fit);
/* features[pairs->count][DORM__NUM_RATING_FEATURES]; what is not wanted is 0. */
dorm_status dorm__fit_predict(dorm_context *context, const dorm__fit *fit, const dorm__pairs *pairs, double *features);

/* ---- features.c ------------------------------------------------------------------ */

/* Deals the ratings of each user into parts; part [num_ratings], the part of each. */
bool dorm__deal_folds(const dorm__rating_table *table, size_t num_folds, dorm__random *random, uint8_t *part);

/* solver.threads, where 0 is as many as there are processors: the work on one user
 * or item never depends on their number. */
size_t dorm__rating_threads(const dorm_settings *settings);

#endif
