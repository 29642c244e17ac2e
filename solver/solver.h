/*
 * solver.h: training. For one choice of loss, features, position weights and
 * reference, minimise over w
 *
 *   1/2 |w|^2 + C sum_i xi_i,
 *   xi_i = max over rankings of  <w, Phi_i(ranking) - Phi_i(reference)> + Delta_i(ranking)
 *
 * by cutting planes, where Phi_i(ranking) = sum_j c[rank[j]] x_j; recompute the
 * reference where it follows the scores; choose among the models so made.
 *
 * Reading order: position_weights, start, problem, reference, dual_qp, columns,
 * working_set, cutting_plane, selection, train.
 */
#ifndef DORM_SOLVER_SOLVER_H
#define DORM_SOLVER_SOLVER_H

#include "assignment/assignment.h"
#include "data/data.h"
#include "losses/losses.h"

/* ---- position_weights.c --------------------------------------------------- */

/* c[num_positions] from "power:0.5", "log", "loglog" or "file:PATH" (one number
 * a line, 0 behind the last). Not for "loss", which differs by query. */
dorm_status dorm__position_weights(dorm_context *context, const char *spec, size_t num_positions, double *c);

/* ---- start.c ---------------------------------------------------------------- */

/* Query-centred ridge regression on the labels: (S + lambda I) w = s with S
 * and s the covariances within queries of features, and of features with
 * labels; lambda = ridge * trace(S) / num_features. w [num_features].
 * O(num_docs num_features^2). */
dorm_status dorm__start(dorm_context *context, const dorm_dataset *dataset, const dorm__features *features,
                        double ridge, double *w);

/* ---- problem.c -------------------------------------------------------------- */

typedef struct dorm__keyed_doc {
  double gain;
  double score;
  uint32_t doc;
} dorm__keyed_doc;

/* Scratch of one thread, [max_docs] each. */
typedef struct dorm__thread {
  dorm__oracle_workspace *workspace;
  double *scores;
  double *weights;
  uint32_t *order;
  dorm__keyed_doc *docs;
} dorm__thread;

/* What all trainings with the same loss, features and position weights share. */
typedef struct dorm__problem {
  const dorm_dataset *dataset;
  const dorm__features *features;
  dorm__loss_tables *losses;
  double *c_table;           /* [max_docs]; unused where c is the loss's own */
  size_t num_queries;        /* that train: some ranking costs more than the best */
  size_t *queries;           /* [num_queries], numbers in the data set */
  const double **c;          /* [num_queries], each [num_docs] */
  dorm__oracle_plan **plans; /* [num_queries] */
  size_t max_docs;
  size_t num_threads;
  dorm__thread *threads; /* [num_threads] */
} dorm__problem;

/* Takes the losses' minimum where the general form leaves it open; everything
 * given is borrowed. */
dorm_status dorm__problem_new(dorm_context *context, const dorm_dataset *dataset, const dorm__features *features,
                              dorm__loss_tables *losses, const char *position_weights, dorm__oracle_method method,
                              size_t num_threads, dorm__problem **problem);
void dorm__problem_free(dorm__problem *problem);

/* The scratch of the calling OpenMP thread. */
dorm__thread *dorm__problem_thread(const dorm__problem *problem);

/* Below, a query is a number among those that train. */

/* The loss of a query. */
const dorm__query_loss *dorm__problem_loss(const dorm__problem *problem, size_t query);
/* Scores of its documents at w, into thread->scores. */
void dorm__problem_score(const dorm__problem *problem, size_t query, const double *w, dorm__thread *thread);
/* DORM_NUMERICAL_FAILURE with the query's name, for a failed oracle. */
dorm_status dorm__problem_fail(dorm_context *context, const dorm__problem *problem, size_t query);
/* phi [num_features] = sum_p c[p] x_order[p] */
void dorm__problem_feature_map(const dorm__problem *problem, size_t query, const uint32_t *order, double *phi);

/* ---- reference.c ------------------------------------------------------------ */

typedef enum dorm__reference_kind {
  DORM__REFERENCE_LISTED,   /* ideal, ties as listed */
  DORM__REFERENCE_AVERAGED, /* mean of Phi over the ideal rankings */
  DORM__REFERENCE_IDEAL,    /* the best-scored ideal ranking */
  DORM__REFERENCE_MU        /* argmax <w, Phi> - mu Delta; mu = 0 is `current` */
} dorm__reference_kind;

typedef struct dorm__reference {
  dorm__reference_kind kind;
  double mu;
} dorm__reference;

/* From a word of the setting ranking.reference, already checked. */
dorm__reference dorm__reference_from(const char *word);
/* Whether the reference depends on w, so that it has to be recomputed. */
bool dorm__reference_moves(const dorm__reference *reference);
/* The reference at w: phi [num_features] and its loss Delta. Fails only where
 * the oracle does; no message. */
dorm_status dorm__reference_at(const dorm__problem *problem, const dorm__reference *reference, size_t query,
                               const double *w, dorm__thread *thread, double *phi, double *loss);

/* ---- dual_qp.c --------------------------------------------------------------- */

typedef struct dorm__qp_workspace dorm__qp_workspace;
dorm__qp_workspace *dorm__qp_workspace_new(void); /* NULL when out of memory */
void dorm__qp_workspace_free(dorm__qp_workspace *workspace);

/* min 1/2 alpha' H alpha - h' alpha  over  alpha >= 0, sum alpha <= bound.
 * H [size][size], rows `stride` apart, positive semi-definite, may be
 * singular; alpha [size] comes in feasible and goes out optimal. Returns false
 * when out of memory. O(size^3) for each change of the support. */
bool dorm__qp_solve(dorm__qp_workspace *workspace, size_t size, size_t stride, const double *H, const double *h,
                    double bound, double *alpha);

/* ---- columns.c --------------------------------------------------------------- */

/* The working set of one query: rankings as (Phi, Delta) with their dual
 * variables, so that a new reference changes only psi = Phi(reference) - Phi. */
typedef struct dorm__columns {
  size_t count;
  size_t capacity;
  double *phi;    /* [capacity][num_features] */
  double *loss;   /* [capacity] Delta */
  double *alpha;  /* [capacity] */
  double *gram;   /* [capacity][capacity] of psi */
  uint32_t *idle; /* [capacity] passes since alpha was positive */
} dorm__columns;

void dorm__columns_clear(dorm__columns *columns);
/* Appends a ranking with alpha = 0 and its row of the Gram matrix. Returns
 * false when out of memory. O(count num_features). */
bool dorm__columns_add(dorm__columns *columns, size_t num_features, const double *reference, const double *phi,
                       double loss);
/* The Gram matrix under a new reference. O(count^2 num_features). */
void dorm__columns_set_reference(dorm__columns *columns, size_t num_features, const double *reference);
/* Counts idle passes and drops columns that were idle for `limit`. */
void dorm__columns_prune(dorm__columns *columns, size_t num_features, uint32_t limit);

/* ---- working_set.c ------------------------------------------------------------ */

/* The columns of all queries, the reference they are held against, and
 * w = sum alpha psi. */
typedef struct dorm__working_set {
  const dorm__problem *problem;
  dorm__columns *queries; /* [num_queries] */
  double *reference_phi;  /* [num_queries][num_features] */
  double *reference_loss; /* [num_queries] */
  double *w;              /* [num_features] */
  dorm__qp_workspace *qp;
  double *scratch; /* [3][scratch_size]: margins, h, old alpha */
  size_t scratch_size;
} dorm__working_set;

dorm_status dorm__working_set_new(dorm_context *context, const dorm__problem *problem, dorm__working_set **set);
void dorm__working_set_free(dorm__working_set *set);
/* Takes the references at `w` for all queries; alpha stays. */
dorm_status dorm__working_set_set_reference(dorm_context *context, dorm__working_set *set,
                                            const dorm__reference *reference, const double *w);
/* alpha *= factor, w with it: stays feasible when C is multiplied by it. */
void dorm__working_set_scale(dorm__working_set *set, double factor);
/* w from alpha, from scratch. */
void dorm__working_set_refresh(dorm__working_set *set);
/* sum alpha Delta - 1/2 |w|^2 */
double dorm__working_set_dual(const dorm__working_set *set);
size_t dorm__working_set_num_columns(const dorm__working_set *set);
/* max over the columns of a query of Delta - <w, psi>, at least 0. */
double dorm__working_set_slack(const dorm__working_set *set, size_t query, const double *w);
/* One exact solve a query, in order, w kept up to date; queries whose own gap
 * is below `negligible` are passed over. *gap becomes the sum over the queries
 * of C max(0, margin) - sum alpha margin, each before its solve: an estimate of
 * what the working set's duality gap was. O(columns num_features). */
dorm_status dorm__working_set_sweep(dorm_context *context, dorm__working_set *set, double C, double negligible,
                                    double *gap);
void dorm__working_set_prune(dorm__working_set *set, uint32_t limit);

/* ---- cutting_plane.c ----------------------------------------------------------- */

typedef struct dorm__cutting_plane_options {
  double C; /* of one query */
  double gap;
  size_t max_iterations;
  /* called after each pass with the certificate so far; may be NULL */
  void (*progress)(void *user, const dorm_certificate *certificate);
  void *user;
} dorm__cutting_plane_options;

/* Solves the convex problem of the working set's reference to the relative
 * gap. w [num_features] is the best point found. The certificate is computed
 * from w and alpha from scratch; its reference_constant is left to the caller.
 * DORM_STOPPED when cancelled or at the limit of iterations: w and the
 * certificate are then what was reached. */
dorm_status dorm__cutting_plane(dorm_context *context, dorm__working_set *set,
                                const dorm__cutting_plane_options *options, double *w, dorm_certificate *certificate);

/* ---- selection.c --------------------------------------------------------------- */

/* A candidate with what the model is made of. */
typedef struct dorm__trained {
  dorm_candidate candidate;
  char *reference; /* owned; the candidate's texts point here */
  char *position_weights;
  double *w; /* [width of the map with the candidate's rank block] */
} dorm__trained;

struct dorm_training {
  size_t num_trained;
  size_t capacity;
  dorm__trained *trained;
  size_t num_training_queries;
  double validation; /* of the model */
  dorm_model *model;
};

/* Marks the candidates that make the model, and makes it: with validation
 * values the mean of the `average` best, without the mean of all of round 2 and
 * later (of round 1 where there are no later ones), each candidate divided by
 * its score_scale. */
dorm_status dorm__select(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train,
                         bool has_validation, size_t average, dorm_training *training);

#endif
