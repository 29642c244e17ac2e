/*
 * options.h: the settings for reading, splitting, features and kernels of ratings, as numbers and enums. The other
 * files of this folder take these structs and never see the settings.
 */
#ifndef DORM_COLLABORATIVE_RATINGS_OPTIONS_H
#define DORM_COLLABORATIVE_RATINGS_OPTIONS_H

#include "base/base.h"
#include "collaborative/ratings/fit.h"
#include "collaborative/ratings/ratings.h"

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
