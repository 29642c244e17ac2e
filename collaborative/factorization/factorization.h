/*
 * factorization.h: ranking matrix factorisation (Le and Smola 2007, section 5.2). The score of item i for user u is
 * f[u][i] = o[i] + <U[u], V[i]>. The objective
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
#ifndef DORM_COLLABORATIVE_FACTORIZATION_FACTORIZATION_H
#define DORM_COLLABORATIVE_FACTORIZATION_FACTORIZATION_H

#include "assignment/assignment.h"
#include "base/memory.h"
#include "collaborative/ratings/ratings.h"
#include "losses/losses.h"
#include "solver/solver.h"

/* ---- Options ------------------------------------------------------------------------------------ */

/* The settings as numbers and enums. factors.c and factors_file.c only copy the settings to the model's file and read
 * them back. */
typedef struct dorm__factorization_options {
  size_t rank;
  size_t num_rounds; /* at most */
  bool is_random;    /* starts from random vectors */
  double scale;      /* of the scores at the start */
  double penalty;    /* L */
  double gap;        /* relative, of the item step */
  bool has_offsets;  /* of items (section 5.2 of the paper has none) */
  bool is_fixed;     /* the reference is an ideal ranking, ties by position in the list */
  double mu;         /* of a reference that depends on the scores */
  uint64_t seed;
  size_t num_threads;
  dorm__position_weights position_weights; /* owned */
  const char *selection_measure;           /* spec, borrowed from the settings, or NULL for the measure of the loss */
  dorm__loss *loss;                        /* owned */
} dorm__factorization_options;

/* Reads the options from settings. Of a list of values the first one counts. DORM_BAD_USAGE if the reference is neither
 * `listed` nor mu. */
dorm_status dorm__factorization_options_from(dorm_context *context, const dorm_settings *settings,
                                             dorm__factorization_options *options);
/* Reads the options from the settings of trained factors. DORM_BAD_USAGE if a setting in use came from a model file and
 * names a file. */
dorm_status dorm__factorization_options_again(dorm_context *context, const dorm_settings *record,
                                              dorm__factorization_options *options);
void dorm__factorization_options_clear(dorm__factorization_options *options);

/* ---- Lists -------------------------------------------------------------------------------------- */

/* Users with ratings, their rated items, and the oracle of each list. */
typedef struct dorm__lists {
  dorm__region memory; /* of the arrays below */
  size_t num_lists;    /* users with ratings */
  uint32_t *users;     /* [num_lists] */
  size_t *start;       /* [num_lists + 1], into items */
  uint32_t *items;     /* [start[num_lists]] */
  size_t longest;
  bool has_offsets;
  double mu;
  double *fixed; /* [start[num_lists]] position weights in a fixed reference, NULL if it depends on the scores */
  size_t num_threads;
  dorm_dataset *dataset; /* the lists with their labels, without features */
  dorm__loss *loss;
  dorm__loss_tables *tables;
  double *c_table;                     /* [longest], unused if the loss has its own c */
  const double **c;                    /* [num_lists], position weights */
  dorm__oracle_plan **plans;           /* [num_lists], NULL for a list whose orders all have loss 0 */
  dorm__oracle_workspace **workspaces; /* [num_threads] */
  uint32_t *orders;                    /* [num_threads][longest] */
} dorm__lists;

/* Makes the lists with the loss, position weights and mu of the options. Neither options nor ratings are needed
 * afterwards. The number of threads may be smaller than in the options (a single list needs one). */
dorm_status dorm__lists_new(dorm_context *context, const dorm__factorization_options *options,
                            const dorm_ratings *ratings, size_t num_threads, dorm__lists **lists);
void dorm__lists_free(dorm__lists *lists);
size_t dorm__lists_size(const dorm__lists *lists, size_t list);
/* Finds the best ranking of a list for scores [size] and t (assignment/). Fills weights [size] with the weight c[rank]
 * of each item, and *loss with Delta. Uses the memory of the calling OpenMP thread. The message of a failure names the
 * user. */
dorm_status dorm__lists_oracle(dorm_context *context, const dorm__lists *lists, size_t list, const double *scores,
                               double t, double *weights, double *loss);
/* Finds the reference in the same way, with t = -mu. A fixed reference sets *loss to 0. */
dorm_status dorm__lists_reference(dorm_context *context, const dorm__lists *lists, size_t list, const double *scores,
                                  double *weights, double *loss);

/* ---- Start -------------------------------------------------------------------------------------- */

/* All learned numbers: offsets and rows of items, rows of users. */
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
/* Fills scores [size] with the scores of the items of a list. */
void dorm__point_scores(const dorm__point *point, const dorm__lists *lists, size_t list, double *scores);

/* How to compute the start from a squared-error factorisation. */
typedef struct dorm__start_rule {
  double mean;
  double scale; /* of all scores */
  double user_ridge;
  double *balance; /* [rank], a factor of user rows and divisor of item rows */
} dorm__start_rule;

/* Makes the scaled and balanced factorisation, with scores scale (b[i] + <U, V>). The caller clears the start and frees
 * rule->balance, also on failure. */
dorm_status dorm__start_point(dorm_context *context, const dorm__rating_table *table,
                              const dorm__factorization_options *options, dorm__point *start, dorm__start_rule *rule);
/* Starts as printed in section 5.2. `start`, the centre of the penalty, becomes 0, so the penalty is on the Frobenius
 * norms. `point` [same sizes, made by the caller] becomes random vectors whose scores have the standard deviation
 * `scale`. */
dorm_status dorm__start_random(dorm_context *context, const dorm__rating_table *table,
                               const dorm__factorization_options *options, dorm__point *start, dorm__start_rule *rule,
                               dorm__point *point);
/* Computes the start row [rank] of a new user from `count` ratings, by the user step of the squared-error
 * factorisation. */
dorm_status dorm__start_user(dorm_context *context, const dorm__start_rule *rule, const dorm__point *start,
                             size_t count, const uint32_t *items, const double *ratings, double *row);

/* ---- Objective --------------------------------------------------------------------------------- */

/* Sets *value to F at the point. */
dorm_status dorm__objective(dorm_context *context, const dorm__lists *lists, const dorm__point *start, double penalty,
                            const dorm__point *point, double *value);

/* ---- Cutting planes ---------------------------------------------------------------------------- */

typedef struct dorm__step_options {
  double penalty; /* L */
  double gap;     /* relative gap at which to stop */
  size_t most_passes;
} dorm__step_options;

/* The outcome of a step. */
typedef struct dorm__step_info {
  size_t passes;  /* oracle passes over all lists (user step: the most of any user) */
  size_t columns; /* total number of rankings held at the end */
  double primal;
  double dual;
} dorm__step_info;

/* A convex problem for the loop. The problem holds the trial point, at first the starting point of the step. */
typedef struct dorm__convex_problem {
  void *problem;
  /* Computes the exact value at the trial point. The problem keeps the worst rankings for `raise`. */
  dorm_status (*evaluate)(void *problem, double *value);
  /* Adds the worst rankings to the column sets, raises the dual over all columns, moves the trial point to the point of
   * the dual variables, and returns the dual value. `info` has the state so far, at first 0 passes and the dual value
   * -INFINITY. */
  dorm_status (*raise)(void *problem, const dorm__step_info *info, double *dual);
  /* Keeps the trial point as the best so far. The starting point counts as kept. */
  void (*keep)(void *problem);
} dorm__convex_problem;

/* Runs the loop. Fills all of info except the number of columns. */
dorm_status dorm__cutting_planes(const dorm__convex_problem *convex, const dorm__step_options *options,
                                 dorm__step_info *info);

/* ---- User step --------------------------------------------------------------------------------- */

/* The new row [rank] of a user, and counts of the work. */
typedef struct dorm__user_result {
  double *row;
  dorm__step_info *info;
} dorm__user_result;

/* Solves the problem of one user. row [rank] is the user's current row and is replaced by the best one found. centre
 * [rank] is the centre of the penalty. The result does not depend on other users. O(passes (size log size + size
 * rank)). */
dorm_status dorm__user_step_one(dorm_context *context, const dorm__lists *lists, size_t list, const dorm__point *point,
                                const double *centre, const dorm__step_options *options,
                                const dorm__user_result *result);
/* Solves the problems of all users in parallel. Sets info->passes to the largest number of passes of any user. */
dorm_status dorm__user_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info);

/* ---- Item step --------------------------------------------------------------------------------- */

/* Replaces the item offsets and rows of the point by the best ones found. A column of a list holds as many numbers as
 * the list has items. O(passes (num_ratings rank + sorting)), and O(num_ratings rank + columns size) per sweep. */
dorm_status dorm__item_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info);

/* ---- Factors ------------------------------------------------------------------------------------ */

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
