/* ratings.h: ratings of items by users, and their features. */
#ifndef DORM_RATINGS_H
#define DORM_RATINGS_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/dataset.h"
#include "dorm/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Ratings of items by users. In a data set made from them, users are queries, items are documents and ratings are
 * labels. */
typedef struct dorm_ratings dorm_ratings;
/* Attributes of users, or of items. */
typedef struct dorm_attributes dorm_attributes;

/* Reads ratings from lines `user item rating [time]`, separated by blanks, commas or "::", plain or gzip. The
 * settings ratings.* give the range of ratings and the rule for duplicates. If held_out_path is not NULL, it also
 * reads held-out ratings. Both then have the same numbers of users and items, and no pair in common. If
 * held_out_path is NULL, held_out may be NULL. The caller frees both. A bad line returns DORM_BAD_DATA with the
 * message "file:line: reason". */
DORM_API dorm_status dorm_ratings_read(dorm_context *context, const dorm_settings *settings, const char *path,
                                       const char *held_out_path, dorm_ratings **ratings, dorm_ratings **held_out);
/* Splits ratings at random into training and held-out ratings by ratings.split, which must not be none. The caller
 * frees both. */
DORM_API dorm_status dorm_ratings_split(dorm_context *context, const dorm_settings *settings,
                                        const dorm_ratings *ratings, dorm_ratings **training, dorm_ratings **held_out);
/* Writes one line per rating, by user. The file is complete or not written at all. */
DORM_API dorm_status dorm_ratings_write(dorm_context *context, const dorm_ratings *ratings, const char *path);
/* Frees ratings. */
DORM_API void dorm_ratings_free(dorm_ratings *ratings);

/* Returns the number of ratings. */
DORM_API size_t dorm_ratings_count(const dorm_ratings *ratings);
/* Returns the number of users, including users without a rating here. They are numbered from 0. */
DORM_API size_t dorm_ratings_num_users(const dorm_ratings *ratings);
/* Returns the number of items, likewise. */
DORM_API size_t dorm_ratings_num_items(const dorm_ratings *ratings);
/* Returns the number of ratings of a user. */
DORM_API size_t dorm_ratings_user_count(const dorm_ratings *ratings, size_t user);
/* Returns the id of a user, owned by the ratings. */
DORM_API const char *dorm_ratings_user_id(const dorm_ratings *ratings, size_t user);
/* Returns the id of an item, owned by the ratings. */
DORM_API const char *dorm_ratings_item_id(const dorm_ratings *ratings, size_t item);

/* Parameters of dorm_ratings_generate. */
typedef struct dorm_artificial_ratings {
  size_t struct_size; /* sizeof(dorm_artificial_ratings) */
  size_t num_users;
  size_t num_items;
  size_t ratings_per_user; /* at most half of the items */
  double noise;            /* standard deviation added before rounding */
  uint64_t seed;
} dorm_artificial_ratings;

/* Generates ratings 1 to 5 by users of three tastes for items of three styles. Writes attributes of users and items to
 * the paths that are not NULL. The caller frees the ratings. */
DORM_API dorm_status dorm_ratings_generate(dorm_context *context, const dorm_artificial_ratings *parameters,
                                           const char *users_path, const char *items_path, dorm_ratings **ratings);

/* Reads attributes, one user or item per line: `id tag ... name:number ...`. The caller frees them. A bad line returns
 * DORM_BAD_DATA. */
DORM_API dorm_status dorm_attributes_read(dorm_context *context, const char *path, dorm_attributes **side);
/* Frees attributes. */
DORM_API void dorm_attributes_free(dorm_attributes *side);

/* Methods that predict ratings, fitted to training ratings. Their predictions are features of (user, item) pairs for a
 * ranker. */
typedef struct dorm_rating_features dorm_rating_features;

/* Fits the methods. The caller frees the result, before the training ratings are freed. The features of a training pair
 * come from fits without its fold. `users` and `items` may be NULL. */
DORM_API dorm_status dorm_rating_features_fit(dorm_context *context, const dorm_settings *settings,
                                              const dorm_ratings *training, const dorm_attributes *users,
                                              const dorm_attributes *items, dorm_rating_features **features);
/* Frees the methods. */
DORM_API void dorm_rating_features_free(dorm_rating_features *features);
/* Returns the name of feature id index + 1, such as "bias". Returns NULL after the last. The next two ids are the
 * numbers of user and item, from 1. */
DORM_API const char *dorm_rating_feature_name(size_t index);
/* Makes a data set with one query per user with training ratings and, if `only` is not NULL, with ratings in `only`. A
 * query has one document per training rating. `only` must have as many users and items as the training ratings, as
 * ratings do that were read or split together with them. Otherwise the call returns DORM_BAD_USAGE. */
DORM_API dorm_status dorm_rating_features_training(dorm_context *context, const dorm_rating_features *features,
                                                   const dorm_ratings *only, dorm_dataset **dataset);
/* Makes the data set for held-out ratings, likewise. A feature is the mean over all fits that give the features of
 * training pairs. The documents are in the order of dorm_ratings_write. */
DORM_API dorm_status dorm_rating_features_predict(dorm_context *context, const dorm_rating_features *features,
                                                  const dorm_ratings *pairs, dorm_dataset **dataset);
/* Makes a data set with one query of all items that the user has not rated, with label 0. */
DORM_API dorm_status dorm_rating_features_candidates(dorm_context *context, const dorm_rating_features *features,
                                                     const char *user_id, dorm_dataset **dataset);
/* Writes the Gram matrices of the kernels ratings.user_kernel and ratings.item_kernel. Their rows have the numbers of
 * users and items in the features above. */
DORM_API dorm_status dorm_rating_kernels_write(dorm_context *context, const dorm_settings *settings,
                                               const dorm_ratings *training, const dorm_attributes *users,
                                               const dorm_attributes *items, const char *users_path,
                                               const char *items_path);

#ifdef __cplusplus
}
#endif

#endif
