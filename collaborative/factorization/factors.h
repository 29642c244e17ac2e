/*
 * factors.h: ranking matrix factorisation (Le and Smola 2007, section 5.2). The score of item i for user u is f[u][i] =
 * o[i] + <U[u], V[i]>. The objective
 *
 *   F = sum_u xi_u + L/2 (|U - U0|^2 + |V - V0|^2 + |o - o0|^2),
 *   xi_u = max over rankings [<c, f> + Delta] - max over rankings [<c, f> - mu Delta]   of the user's rated items,
 *
 * decreases with every half step. With V and o fixed, each user has an independent small problem. With U fixed, there
 * is one large problem in V and o. Each problem fixes the reference, which attains the second maximum, at the current
 * point. This makes the problem convex, and an upper bound of F that equals F at that point. (U0, V0, o0) is a scaled
 * squared-error factorisation (start.c).
 *
 * Section 5.2 as printed starts from random vectors and has no offsets, (U0, V0) = 0, and a fixed ideal ranking instead
 * of the second maximum. Its F is convex in U and in V.
 */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_FACTORS_H
#define DORM_COLLABORATIVE_FACTORIZATION_FACTORS_H

#include "base/base.h"
#include "collaborative/factorization/start.h"
#include "collaborative/ratings/ratings.h"

struct dorm_factors {
  dorm__id_table users;
  dorm__id_table items;
  dorm__point start; /* without U0, so num_users is 0 */
  dorm__point point;
  dorm__start_rule rule;
  size_t *rated_start;     /* [num_users + 1] */
  uint32_t *rated;         /* [rated_start[num_users]], items that each user has rated in training */
  dorm_settings *settings; /* with which the model was trained */
  size_t num_rounds;       /* 0 for a model read from a file */
  dorm_factor_round *rounds;
};

/* Creates factors for these numbers of users, items and rated items. Ids are not set, numbers are 0. The settings are
 * copied. */
dorm_status dorm__factors_new(dorm_context *context, const dorm_settings *settings, size_t num_users, size_t num_items,
                              size_t rank, size_t num_rated, dorm_factors **factors);
/* Returns the score of an item for a user with the row user_row [rank], or the item's offset alone if user_row is NULL.
 */
double dorm__factors_score_pair(const dorm_factors *factors, const double *user_row, size_t item);

#endif
