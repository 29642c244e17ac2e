/* factors.h: ranking matrix factorisation. */
#ifndef DORM_FACTORS_H
#define DORM_FACTORS_H

#include <stddef.h>

#include "dorm/ratings.h"
#include "dorm/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The offset o[i] and vector V[i] of every item and the vector U[u] of every user;
 * the score of item i for user u is o[i] + <U[u], V[i]>. They are learned by
 * minimising an upper bound of the mean loss of the users' rated items, for the
 * users and for the items in turn. */
typedef struct dorm_factors dorm_factors;

/* One round; number 0 is the start. F is the objective, which never rises. */
typedef struct dorm_factor_round {
  size_t number;
  double before; /* F before the round */
  double after_users;
  double after_items;
  double held_out; /* measure on held-out ratings; 0 without them */
  double user_seconds;
  double item_seconds;
  size_t item_passes; /* oracle passes of the step over the items */
  double item_gap;    /* relative duality gap at the end of that step */
  size_t num_columns; /* columns (rankings) in its working set */
  int is_kept;        /* 1: the factors are those of this round */
} dorm_factor_round;

/* Learns factors; the caller frees them. Loss, reference and position weights are those of the settings; of a list the
 * first value counts. If held_out is not NULL, the factors of the round that is best on these ratings are kept; they
 * must have been read or split together with the training ratings. */
DORM_API dorm_status dorm_factorize(dorm_context *context, const dorm_settings *settings, const dorm_ratings *training,
                                    const dorm_ratings *held_out, dorm_factors **factors);
/* Reads factors that dorm_factors_write wrote; the caller frees them. It opens no other file. A damaged file is
 * DORM_BAD_DATA. */
DORM_API dorm_status dorm_factors_read(dorm_context *context, const char *path, dorm_factors **factors);
/* Gives factors that were read the settings that were set in `settings`. Reading opens no other file and loads no
 * module, so dorm_factors_recommend with ratings fails until a loss of a module, or position weights in a file, are set
 * again. */
DORM_API dorm_status dorm_factors_use_settings(dorm_context *context, dorm_factors *factors,
                                               const dorm_settings *settings);
/* Writes readable text, whole or not at all. */
DORM_API dorm_status dorm_factors_write(dorm_context *context, const dorm_factors *factors, const char *path);
/* Frees factors. */
DORM_API void dorm_factors_free(dorm_factors *factors);
/* The number of users with a vector. */
DORM_API size_t dorm_factors_num_users(const dorm_factors *factors);
/* The number of items with a vector. */
DORM_API size_t dorm_factors_num_items(const dorm_factors *factors);
/* The number of entries of a vector. */
DORM_API size_t dorm_factors_rank(const dorm_factors *factors);
/* Round `index` of training, owned by the factors; NULL after the last, and for factors that were read. */
DORM_API const dorm_factor_round *dorm_factors_round(const dorm_factors *factors, size_t index);
/* Computes scores[dorm_ratings_count(pairs)], in the order of dorm_ratings_write.
 * For a user who is not in the factors the score is the offset of the item; for an
 * item that is not in the factors it is 0. A note says how many there were. */
DORM_API dorm_status dorm_factors_score(dorm_context *context, const dorm_factors *factors, const dorm_ratings *pairs,
                                        double *scores);
/* Finds the best items for a user, at most `most` of them, without those that the
 * user has rated. Fills *count, items[most] and scores[most]; the texts in items
 * are owned by the factors. If `given` is not NULL and has ratings by the user,
 * the user's vector is fitted to them while the items stay as they are; this is
 * how new users get recommendations. */
DORM_API dorm_status dorm_factors_recommend(dorm_context *context, const dorm_factors *factors, const char *user_id,
                                            const dorm_ratings *given, size_t most, size_t *count, const char **items,
                                            double *scores);

#ifdef __cplusplus
}
#endif

#endif
