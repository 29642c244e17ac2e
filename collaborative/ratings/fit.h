/* fit.h: all models that predict a rating, fitted on one table of ratings, and the features they give. */
#ifndef DORM_COLLABORATIVE_RATINGS_FIT_H
#define DORM_COLLABORATIVE_RATINGS_FIT_H

#include "base/base.h"
#include "collaborative/ratings/bias.h"
#include "collaborative/ratings/ratings.h"
#include "collaborative/ratings/side_file.h"
#include "collaborative/ratings/vectors.h"

/* In the order of the choices of ratings.features; feature f has the id f + 1. */
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
  dorm__factorisation factors; /* of rank 0 where no wanted feature needs it */
  dorm__vectors vectors;
  double *joint; /* [table.num_items][vectors.num_user_content], joint_affinity.h; NULL where it is not wanted */
} dorm__fit;

/* Takes the table, which is empty afterwards. */
dorm_status dorm__fit_new(dorm_context *context, dorm__rating_table *table, const dorm__rows *user_side,
                          const dorm__rows *item_side, const dorm__fit_options *options, dorm__fit *made);
void dorm__fit_clear(dorm__fit *fit);
/* Fills features[pairs->count][DORM__NUM_RATING_FEATURES]; those that are not wanted become 0. */
dorm_status dorm__fit_predict(dorm_context *context, const dorm__fit *fit, const dorm__pairs *pairs, double *features);

#endif
