/*
 * factors.h: what ranking matrix factorisation learns (Le and Smola 2007, section
 * 5.2). Item i is worth f[u][i] = o[i] + <U[u], V[i]> to user u, and
 *
 *   F = sum_u xi_u + L/2 (|U - U0|^2 + |V - V0|^2 + |o - o0|^2),
 *   xi_u = max over rankings [<c, f> + Delta] - max over rankings [<c, f> - mu Delta]
 *
 * of the user's rated items falls with every half step: for fixed V and o
 * independent small problems, one a user; for fixed U one large problem in V and
 * o. In each the reference (the second maximum) is fixed at the present point,
 * which makes the problem convex and an upper bound of F that touches it there.
 * (U0, V0, o0) is a squared-error factorisation, scaled.
 */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_FACTORS_H
#define DORM_COLLABORATIVE_FACTORIZATION_FACTORS_H

#include "base/base.h"
#include "collaborative/factorization/start.h"
#include "collaborative/ratings/ratings.h"

struct dorm_factors {
  dorm__id_table users;
  dorm__id_table items;
  dorm__point start; /* without user rows */
  dorm__point point;
  dorm__start_rule rule;
  size_t *rated_start; /* [num_users + 1] */
  uint32_t *rated;     /* items that users have rated */
  dorm_settings *settings;
  size_t num_rounds; /* made; those of a model that was read: 0 */
  dorm_factor_round *rounds;
};

/* Room for the counts; ids, rows and rated items are 0. Takes nothing. */
dorm_status dorm__factors_new(dorm_context *context, const dorm_settings *settings, size_t num_users, size_t num_items,
                              size_t rank, size_t num_rated, dorm_factors **factors);
/* What an item is worth to a user of that row; NULL: its offset alone. */
double dorm__factors_score_pair(const dorm_factors *factors, const double *user_row, size_t item);

#endif
