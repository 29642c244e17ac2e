/* fit.h: all models that predict a rating, fitted on one table of ratings, and their features. */
#ifndef DORM_COLLABORATIVE_RATINGS_FIT_H
#define DORM_COLLABORATIVE_RATINGS_FIT_H

#include "base/base.h"
#include "base/random.h"
#include "collaborative/ratings/rating_table.h"
#include "collaborative/ratings/ratings.h"

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

/* ---- Factorisation ----------------------------------------------------------------------------- */

/* <U[user], V[item]> */
double dorm__factorisation_product(const dorm__factorisation *made, size_t user, size_t item);

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

#endif
