/* fit.h: parts of tables of ratings, attributes of users and items, and all models that predict a rating, fitted on one
 * table, with their features. */
#ifndef DORM_COLLABORATIVE_RATINGS_FIT_H
#define DORM_COLLABORATIVE_RATINGS_FIT_H

#include "base/random.h"
#include "collaborative/ratings/ratings.h"

/* ---- Rating table -------------------------------------------------------------------------------- */

/* Makes a table of the ratings e with keep[e] == wanted. Users and items keep their numbers. Returns false when out of
 * memory. */
bool dorm__rating_table_select(const dorm__rating_table *table, const uint8_t *keep, uint8_t wanted,
                               dorm__rating_table *selected);
double dorm__rating_table_mean(const dorm__rating_table *table);
/* Sorts the numbers 0 .. count - 1 by keys[count] < num_keys, stably. The ratings of key k are order[start[k]] ..
 * order[start[k + 1] - 1]. start [num_keys + 1], order [count]. */
void dorm__order_by(size_t count, size_t num_keys, const uint32_t *keys, size_t *start, size_t *order);

/* Makes a handle. Copies ids and ratings. */
dorm_status dorm__ratings_new(dorm_context *context, const char *name, const dorm__id_table *users,
                              const dorm__id_table *items, size_t count, const dorm__rating *ratings,
                              dorm_ratings **made);

/* ---- Side file --------------------------------------------------------------------------------- */

/* Attributes of users, or of items: tags and numbers, as sparse rows. */
struct dorm_attributes {
  char *name;
  dorm__id_table ids;      /* of the lines: users or items */
  dorm__id_table features; /* "tag" for a tag, "name:" for a number */
  size_t num_entries;
  size_t *line_start; /* [ids.count + 1], into indices and values */
  uint32_t *indices;  /* [num_entries], of features */
  double *values;     /* [num_entries], 1 for a tag */
};

/* Rows of numbers, [count][width], row-major. */
typedef struct dorm__rows {
  size_t count;
  size_t width;
  double *values;
} dorm__rows;

/* Makes a row for each id of the table. A tag is 1 / sqrt(number of tags of the line). A number has mean 0 and variance
 * 1 over the lines that have it. Missing entries are 0, and so is the row of an id without a line. If `side` is NULL,
 * the rows have width 0. Returns false when out of memory. */
bool dorm__side_rows(const dorm_attributes *side, const dorm__id_table *ids, dorm__rows *rows);
void dorm__rows_clear(dorm__rows *rows);

/* ---- Bias -------------------------------------------------------------------------------------- */

/* rating ~ mean + user[u] + item[i]. */
typedef struct dorm__bias {
  double mean;
  double *user; /* [num_users] */
  double *item; /* [num_items] */
} dorm__bias;

/* Fits the biases to values [num_ratings], which replace the table's own in its order. Users and items without ratings
 * get 0. Returns false when out of memory. O(num_ratings). */
bool dorm__bias_fit(const dorm__rating_table *table, const double *values, double item_shrinkage, dorm__bias *bias);
void dorm__bias_clear(dorm__bias *bias);
/* Sets residuals[e] = values[e] - mean - user[u] - item[i] for rating e of user u and item i. */
void dorm__bias_residuals(const dorm__rating_table *table, const double *values, const dorm__bias *bias,
                          double *residuals);

/* ---- Vectors ----------------------------------------------------------------------------------- */

/* Rows that describe items and users: known attributes, statistics of their ratings, and factors. */
typedef struct dorm__vectors {
  dorm__rows items;        /* attributes, log popularity, mean attributes of the raters, factors */
  size_t num_item_content; /* first entries of an item row: attributes and log popularity */
  dorm__rows users;        /* attributes, mean content of the rated items, factors */
  size_t num_user_content; /* first entries of a user row: all but the factors */
  double *log_popularity;  /* [num_items], log(1 + number of ratings) */
} dorm__vectors;

/* Makes the vectors. Returns false when out of memory. */
bool dorm__vectors_new(const dorm__rating_table *table, const dorm__rows *user_side, const dorm__rows *item_side,
                       const dorm__factorisation *factors, dorm__vectors *vectors);
void dorm__vectors_clear(dorm__vectors *vectors);

/* ---- Fit ---------------------------------------------------------------------------------------- */

/* In the order of the choices of ratings.features. Feature f has the id f + 1. */
typedef enum dorm__rating_feature {
  DORM__RATING_BIAS,
  DORM__RATING_GAIN_BIAS,
  DORM__RATING_POPULARITY,
  DORM__RATING_ITEM_AFFINITY,
  DORM__RATING_USER_AFFINITY,
  DORM__RATING_JOINT_AFFINITY,
  DORM__NUM_RATING_FEATURES
} dorm__rating_feature;

typedef struct dorm__fit_options {
  bool wanted[DORM__NUM_RATING_FEATURES];
  size_t rank; /* of the factorisation */
  uint64_t seed;
  size_t num_threads;
} dorm__fit_options;

/* All models that the wanted features need, fitted on one table. */
typedef struct dorm__fit {
  dorm__rating_table table;
  dorm__fit_options options;
  dorm__bias bias;
  dorm__bias gain_bias;
  double *residuals;           /* [table.num_ratings], of bias */
  dorm__factorisation factors; /* rank 0 if no wanted feature needs it */
  dorm__vectors vectors;
  double *joint; /* [table.num_items][vectors.num_user_content], or NULL if not wanted */
} dorm__fit;

/* Fits the models. Takes over the table, which is empty afterwards. */
dorm_status dorm__fit_new(dorm_context *context, dorm__rating_table *table, const dorm__rows *user_side,
                          const dorm__rows *item_side, const dorm__fit_options *options, dorm__fit *made);
void dorm__fit_clear(dorm__fit *fit);
/* Fills features[pairs->count][DORM__NUM_RATING_FEATURES]. Features that are not wanted become 0. */
dorm_status dorm__fit_predict(dorm_context *context, const dorm__fit *fit, const dorm__pairs *pairs, double *features);

/* ---- Affinities -------------------------------------------------------------------------------- */

/* Fits one ridge regression per user, of residuals on the rows of the rated items. Fills predictions [pairs->count]. */
dorm_status dorm__item_affinity_predict(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                        const dorm__vectors *vectors, const dorm__pairs *pairs, size_t num_threads,
                                        double *predictions);
/* Fits one ridge regression per item, of residuals on the rows of its raters. */
dorm_status dorm__user_affinity_predict(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                        const dorm__vectors *vectors, const dorm__pairs *pairs, size_t num_threads,
                                        double *predictions);

/* ---- Joint affinity ---------------------------------------------------------------------------- */

/* Fits W (joint_affinity.c). Fills (*of_items)[num_items][num_user_content] with W z[i] of each item. Its inner product
 * with the content of a user is the prediction. The caller frees it. */
dorm_status dorm__joint_affinity_fit(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                     const dorm__vectors *vectors, double **of_items);
void dorm__joint_affinity_predict(const dorm__vectors *vectors, const double *of_items, const dorm__pairs *pairs,
                                  size_t num_threads, double *predictions);

/* ---- Features ---------------------------------------------------------------------------------- */

/* Shuffles the ratings of each user and splits them into num_folds parts of about equal size. Fills part [num_ratings]
 * with the part of each rating. Returns false when out of memory. */
bool dorm__deal_folds(const dorm__rating_table *table, size_t num_folds, dorm__random *random, uint8_t *part);

/* ---- Options ------------------------------------------------------------------------------------- */

typedef enum dorm__split_kind {
  DORM__SPLIT_GIVEN, /* a given number of ratings per user is for training */
  DORM__SPLIT_USERS  /* half of the ratings of some users are held out */
} dorm__split_kind;

typedef struct dorm__split_options {
  dorm__split_kind kind;
  size_t given;          /* training ratings per user */
  size_t training_users; /* users with half of their ratings held out */
  size_t input_users;    /* users with all ratings in training */
  size_t most_items;     /* keeps the most rated items */
  uint64_t seed;
} dorm__split_options;

typedef struct dorm__rating_feature_options {
  dorm__fit_options fit; /* of the first repeat */
  size_t num_folds;
  size_t num_repeats;
} dorm__rating_feature_options;

/* The terms of the kernel between users, and of the kernel between items. */
typedef struct dorm__kernel_parts {
  bool has_identity;
  bool has_attributes;
  bool has_correlation;
} dorm__kernel_parts;

/* Reads the options. DORM_BAD_USAGE if ratings.split has neither form. */
dorm_status dorm__split_options_from(dorm_context *context, const dorm_settings *settings,
                                     dorm__split_options *options);
dorm__rating_feature_options dorm__rating_feature_options_from(const dorm_settings *settings);
dorm__kernel_parts dorm__kernel_parts_from(const dorm_settings *settings);

#endif
