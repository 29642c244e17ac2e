/*
 * factors.h: what ranking matrix factorisation learns (Le and Smola 2007, section 5.2). Item i is worth f[u][i] = o[i]
 * + <U[u], V[i]> to user u. The objective
 *
 *   F = sum_u xi_u + L/2 (|U - U0|^2 + |V - V0|^2 + |o - o0|^2),
 *   xi_u = max over rankings [<c, f> + Delta] - max over rankings [<c, f> - mu Delta]   of the user's rated items,
 *
 * falls with every half step. For fixed V and o there is an independent small problem per user; for fixed U there is
 * one large problem in V and o. In each of them the reference, which attains the second maximum, is fixed at the
 * present point. This makes the problem convex and an upper bound of F that touches F there. (U0, V0, o0) is a
 * squared-error factorisation, scaled (start.c).
 *
 * Section 5.2 as printed begins at random vectors, has no offsets, (U0, V0) = 0, and a fixed ideal ranking instead of
 * the second maximum. This F is convex in U and in V.
 */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_FACTORS_H
#define DORM_COLLABORATIVE_FACTORIZATION_FACTORS_H

#include "base/base.h"
#include "collaborative/factorization/start.h"
#include "collaborative/ratings/ratings.h"

struct dorm_factors {
  dorm__id_table users;
  dorm__id_table items;
  dorm__point start; /* U0 is left out: its num_users is 0. */
  dorm__point point;
  dorm__start_rule rule;
  size_t *rated_start;     /* [num_users + 1] */
  uint32_t *rated;         /* [rated_start[num_users]], the items that each user has rated in training */
  dorm_settings *settings; /* that made the model */
  size_t num_rounds;       /* 0 for a model that was read */
  dorm_factor_round *rounds;
};

/* Makes factors with room for these numbers of users, items and rated items. Ids are not set, numbers are 0. The
 * settings are copied. */
dorm_status dorm__factors_new(dorm_context *context, const dorm_settings *settings, size_t num_users, size_t num_items,
                              size_t rank, size_t num_rated, dorm_factors **factors);
/* The score of an item for a user with the row user_row [rank]; if that is NULL, the item's offset alone. */
double dorm__factors_score_pair(const dorm_factors *factors, const double *user_row, size_t item);

#endif
