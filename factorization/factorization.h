/*
 * factorization.h: ranking matrix factorisation (Le and Smola 2007, section
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
 *
 * Reading order: lists, start, user_step, item_step, objective, factorize,
 * factors, factors_file, fold_in.
 */
#ifndef DORM_FACTORIZATION_FACTORIZATION_H
#define DORM_FACTORIZATION_FACTORIZATION_H

#include "ratings/ratings.h"
#include "solver/solver.h"

/* ---- lists.c ---------------------------------------------------------------- */

/* The rated items of every user with the tables of a loss: what oracles need. */
typedef struct dorm__lists {
  size_t num_lists; /* users with ratings */
  uint32_t *users;  /* [num_lists] */
  size_t *start;    /* [num_lists + 1], into items */
  uint32_t *items;  /* [start[num_lists]] */
  size_t longest;
  double mu;
  size_t num_threads;
  dorm_dataset *dataset; /* of the ratings, without features */
  dorm__loss *loss;
  dorm__loss_tables *tables;
  double *c_table;           /* [longest]; unused where c is the loss's own */
  const double **c;          /* [num_lists] */
  dorm__oracle_plan **plans; /* [num_lists]; NULL for a list that no order could improve */
  dorm__oracle_cache *cache;
  dorm__oracle_workspace **workspaces; /* [num_threads] */
  uint32_t **orders;                   /* [num_threads][longest] */
} dorm__lists;

/* Loss, position weights and mu as the settings say. The ratings are not needed
 * afterwards. */
dorm_status dorm__lists_new(dorm_context *context, const dorm_settings *settings, const dorm_ratings *ratings,
                            size_t num_threads, dorm__lists **lists);
void dorm__lists_free(dorm__lists *lists);
size_t dorm__lists_size(const dorm__lists *lists, size_t list);
/* The best ranking for scores [size] and t (assignment/): the weight c[rank] of
 * each item, and Delta. By the calling OpenMP thread. */
dorm_status dorm__lists_oracle(const dorm__lists *lists, size_t list, const double *scores, double t, double *weights,
                               double *loss);

/* ---- start.c ------------------------------------------------------------------ */

/* Offsets, rows of items and rows of users. */
typedef struct dorm__point {
  size_t rank;
  size_t num_users;
  size_t num_items;
  double *offset; /* [num_items] */
  double *item;   /* [num_items][rank] */
  double *user;   /* [num_users][rank] */
} dorm__point;

bool dorm__point_new(size_t num_users, size_t num_items, size_t rank, dorm__point *point);
void dorm__point_clear(dorm__point *point);
void dorm__point_copy(const dorm__point *from, dorm__point *to);
/* scores[size] of the items of a list. */
void dorm__point_scores(const dorm__point *point, const dorm__lists *lists, size_t list, double *scores);

/* How the start comes from a squared-error factorisation. */
typedef struct dorm__start_rule {
  double mean;
  double scale; /* of all scores */
  double user_ridge;
  double *balance; /* [rank]: user rows were multiplied by it, item rows divided */
} dorm__start_rule;

/* The scaled and balanced factorisation: f = scale (b[i] + <U, V>). */
dorm_status dorm__start_point(dorm_context *context, const dorm__rating_table *table, size_t rank, double scale,
                              uint64_t seed, size_t num_threads, dorm__point *start, dorm__start_rule *rule);
/* The start of a user who was not there: the user step of the factorisation.
 * row [rank]. */
dorm_status dorm__start_user(dorm_context *context, const dorm__start_rule *rule, const dorm__point *start,
                             size_t count, const uint32_t *items, const double *ratings, double *row);

/* ---- user_step.c ---------------------------------------------------------------- */

typedef struct dorm__step_options {
  double penalty; /* L */
  double gap;     /* relative, to stop at */
  size_t most_passes;
} dorm__step_options;

/* What a step came to. */
typedef struct dorm__step_info {
  size_t passes;  /* oracle passes over all lists; of the user step the most of any user */
  size_t columns; /* rankings held at the end, in all */
  double primal;
  double dual;
} dorm__step_info;

/* One user's problem: row [rank] is where it is and becomes the best row found,
 * centre [rank] what it is drawn to. info may be NULL. Independent of any other
 * user. O(passes (size log size + size rank)). */
dorm_status dorm__user_step_one(const dorm__lists *lists, size_t list, const dorm__point *point, const double *centre,
                                const dorm__step_options *options, double *row, dorm__step_info *info);
/* All users, in parallel. */
dorm_status dorm__user_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info);

/* ---- item_step.c ---------------------------------------------------------------- */

/* Offsets and rows of items for fixed users. A column of a list holds its size + 1
 * numbers. O(passes (num_ratings rank + sorting)), and as much a sweep. */
dorm_status dorm__item_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info);

/* ---- objective.c ---------------------------------------------------------------- */

/* F at the point. Where `gradient` is given it becomes the derivative of F by
 * offsets and item rows, where the maxima are unique; its user rows are left. */
dorm_status dorm__objective(dorm_context *context, const dorm__lists *lists, const dorm__point *start, double penalty,
                            const dorm__point *point, double *value, dorm__point *gradient);

/* ---- factors.c, factors_file.c -------------------------------------------------- */

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
