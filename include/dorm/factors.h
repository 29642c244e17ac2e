/* factors.h: ranking matrix factorisation. */
#ifndef DORM_FACTORS_H
#define DORM_FACTORS_H

#include <stddef.h>

#include "dorm/ratings.h"
#include "dorm/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The factors: an offset o[i] and a vector V[i] for every item, and a vector U[u] for every user. The score of item i
 * for user u is o[i] + <U[u], V[i]>. They are learned by minimising an upper bound of the mean loss of the users' rated
 * items, for the users and for the items in turn. */
typedef struct dorm_factors dorm_factors;

/* One round. Number 0 is the start. F is the objective, which never increases. */
typedef struct dorm_factor_round {
  size_t number;
  double before; /* F before the round */
  double after_users;
  double after_items;
  double held_out; /* measure on held-out ratings, 0 without them */
  double user_seconds;
  double item_seconds;
  size_t item_passes; /* oracle passes of the step over the items */
  double item_gap;    /* relative duality gap at the end of this step */
  size_t num_columns; /* columns (rankings) in the working set of this step */
  int is_kept;        /* 1: the factors come from this round */
} dorm_factor_round;

/* Learns factors. The caller frees them. The settings give the loss, the reference and the position weights. Of a list
 * only the first value counts. If held_out is not NULL, the factors of the round that is best on these ratings are
 * kept. The held-out ratings must have been read or split together with the training ratings. */
DORM_API dorm_status dorm_factorize(dorm_context *context, const dorm_settings *settings, const dorm_ratings *training,
                                    const dorm_ratings *held_out, dorm_factors **factors);
/* Reads factors that dorm_factors_write wrote. The caller frees them. No other file is opened. A damaged file returns
 * DORM_BAD_DATA. */
DORM_API dorm_status dorm_factors_read(dorm_context *context, const char *path, dorm_factors **factors);
/* Gives factors that were read those settings that were set in `settings`. Reading opens no other file and loads no
 * module. Therefore dorm_factors_recommend with ratings fails until a loss from a module, or position weights from a
 * file, are set again. */
DORM_API dorm_status dorm_factors_use_settings(dorm_context *context, dorm_factors *factors,
                                               const dorm_settings *settings);
/* Writes factors as readable text. The file is complete or not written at all. */
DORM_API dorm_status dorm_factors_write(dorm_context *context, const dorm_factors *factors, const char *path);
/* Frees factors. */
DORM_API void dorm_factors_free(dorm_factors *factors);
/* Returns the number of users with a vector. */
DORM_API size_t dorm_factors_num_users(const dorm_factors *factors);
/* Returns the number of items with a vector. */
DORM_API size_t dorm_factors_num_items(const dorm_factors *factors);
/* Returns the number of entries of a vector. */
DORM_API size_t dorm_factors_rank(const dorm_factors *factors);
/* Returns round `index` of training, owned by the factors. Returns NULL after the last, and for factors that were
 * read. */
DORM_API const dorm_factor_round *dorm_factors_round(const dorm_factors *factors, size_t index);
/* Computes scores[dorm_ratings_count(pairs)], in the order of dorm_ratings_write. For a user who is not in the factors
 * the score is the offset of the item. For an item that is not in the factors it is 0. A log note gives the numbers of
 * such users and items. */
DORM_API dorm_status dorm_factors_score(dorm_context *context, const dorm_factors *factors, const dorm_ratings *pairs,
                                        double *scores);
/* Finds the best items for a user, at most `most` of them, without the items that the user has rated. Fills *count,
 * items[most] and scores[most]. The factors own the texts in items. If `given` is not NULL and has ratings by the user,
 * the user's vector is fitted to them, and the items stay unchanged. In this way new users get recommendations. */
DORM_API dorm_status dorm_factors_recommend(dorm_context *context, const dorm_factors *factors, const char *user_id,
                                            const dorm_ratings *given, size_t most, size_t *count, const char **items,
                                            double *scores);

#ifdef __cplusplus
}
#endif

#endif
