/*
 * solver.h: the convex problem. For one choice of loss, rows, position weights and reference, minimise over w
 *
 *   1/2 |w - centre|^2 + C sum_i weight_i xi_i,
 *   xi_i = max over rankings of  <w, Phi_i(ranking) - Phi_i(reference)> + Delta_i(ranking)
 *
 * by cutting planes, with Phi_i(ranking) = sum_j c[rank[j]] x_j (Le and Smola 2007, equation 10). If the first
 * positions have functions of their own (section 3.4), Phi has a further block c[p] x_j for each such position p, with
 * j the document there. The score of a document at p is then its score by the first block of w, for all positions, plus
 * its score by the block of p. The centre is 0 or the weights of an earlier model, and w moves from it only as far as
 * the data justify. training/ decides which problems are solved and which solutions are chosen.
 *
 * Reading order: position_weights, columns, problem, outputs, scored_point, reference, dual_qp, moves, working_set,
 * sweeps, cutting_plane, stream.
 */
#ifndef DORM_SOLVER_SOLVER_H
#define DORM_SOLVER_SOLVER_H

#include "assignment/assignment.h"
#include "base/record.h"
#include "data/data.h"
#include "features/features.h"
#include "losses/losses.h"
#include "solver/columns.h" /* column sets, which the factorisation sweeps too */

/* ---- position_weights.c ------------------------------------------------- */

typedef enum dorm__position_weights_kind {
  DORM__WEIGHTS_OF_LOSS, /* c = a, the loss's own table, which differs from query to query */
  DORM__WEIGHTS_POWER,   /* (p + 2)^-exponent */
  DORM__WEIGHTS_LOG,     /* 1 / log(p + 3) */
  DORM__WEIGHTS_LOG_LOG, /* 1 / log log(p + 3) */
  DORM__WEIGHTS_LISTED   /* the given values, and 0 after the last of them */
} dorm__position_weights_kind;

/* The weights c of the positions in the feature map; positions p count from 0. */
typedef struct dorm__position_weights {
  dorm__position_weights_kind kind;
  double exponent;
  size_t count;
  double *values; /* [count], owned, non-increasing */
} dorm__position_weights;

/* Reads weights of the listed kind from a file with one number per line. Warns if two neighbouring weights are
 * equal. */
dorm_status dorm__position_weights_read(dorm_context *context, const char *path, dorm__position_weights *weights);
void dorm__position_weights_clear(dorm__position_weights *weights);
/* Fills c [num_positions]. For DORM__WEIGHTS_OF_LOSS callers use the loss's own table instead. */
void dorm__position_weights_fill(const dorm__position_weights *weights, size_t num_positions, double *c);

/* The condition that makes a ranking feasible if documents belong to groups. */
typedef struct dorm__diversity {
  bool is_on;
  size_t top;      /* number of first positions for which the groups hold */
  double capacity; /* largest total weight of the documents of one group at these positions */
  dorm__group_method method;
  double seconds; /* time limit of one mixed-integer programme, 0 for none */
} dorm__diversity;

/* ---- problem.c ---------------------------------------------------------- */

/* The data that all trainings with the same loss, rows and position weights share. It is constant but for the scratch
 * memory of its threads, so one training uses it at a time. */
typedef struct dorm__problem dorm__problem;

typedef struct dorm__problem_options {
  const dorm__position_weights *position_weights;
  dorm__oracle_method method;
  bool checks_oracles; /* proves each ranking of an oracle to be the best before it is used */
  dorm__diversity diversity;
  size_t num_threads;
  size_t num_own; /* first positions with a function of their own; 0 with structured losses, groups and averaged */
} dorm__problem_options;

/* Makes a problem. All arguments are borrowed. In the general form and with groups, the losses do not know the least
 * loss of a query. This function finds it and sets it in `losses`. Delta then begins at this least loss. */
dorm_status dorm__problem_new(dorm_context *context, const dorm_dataset *dataset, const dorm__features *features,
                              dorm__loss_tables *losses, const dorm__problem_options *options, dorm__problem **problem);
void dorm__problem_free(dorm__problem *problem);
/* Returns the number of training queries: their weight is above 0, and some ranking costs more than the best one. */
size_t dorm__problem_num_queries(const dorm__problem *problem);
/* Returns the sum of their weights, or their number if the data set has no weights. */
double dorm__problem_total_weight(const dorm__problem *problem);
/* Returns the number of queries that have too few groups to fill the first diversity.top positions. There the groups
 * hold for as many positions as can be filled. */
size_t dorm__problem_num_short(const dorm__problem *problem);
/* Returns num_threads, or 1 if a pass over num_entries values is too short to gain from more threads. */
size_t dorm__useful_threads(size_t num_entries, size_t num_threads);
/* Adds the oracle calls made so far to *counts, and their seconds to seconds [DORM__NUM_ORACLE_METHODS], by method. */
void dorm__problem_count_oracles(const dorm__problem *problem, dorm__oracle_counts *counts, double *seconds);

/* ---- scored_point.c ----------------------------------------------------- */

/* Weights w together with the scores of the documents at w, as far as these are known. */
typedef struct dorm__scored_point dorm__scored_point;

dorm_status dorm__scored_point_new(dorm_context *context, const dorm__problem *problem, dorm__scored_point **point);
void dorm__scored_point_free(dorm__scored_point *point);
/* Moves the point to w, num_features weights for each function. If w has not changed, the scores stay known. Otherwise
 * none is known. */
void dorm__scored_point_move(dorm__scored_point *point, const double *w);
/* Moves the point to w and gives it the scores [num_docs of the data set] there, which the caller has computed. */
void dorm__scored_point_know(dorm__scored_point *point, const double *w, const double *scores);
/* Returns the scores of all documents of the data set by the function of all positions, borrowed until the next move.
 * Computes those that are not known. */
const double *dorm__scored_point_scores(dorm__scored_point *point);

/* ---- reference.c -------------------------------------------------------- */

typedef enum dorm__reference_kind {
  DORM__REFERENCE_LISTED,   /* the ideal ranking with documents of equal gain in the order of the data */
  DORM__REFERENCE_AVERAGED, /* the mean of Phi over the ideal rankings */
  DORM__REFERENCE_IDEAL,    /* the best-scored ideal ranking */
  DORM__REFERENCE_NONE,     /* the right output of a structured loss, whose Phi is 0 */
  DORM__REFERENCE_MU        /* argmax <w, Phi> - mu Delta, with mu = 0 for `current` */
} dorm__reference_kind;

typedef struct dorm__reference {
  dorm__reference_kind kind;
  double mu;
} dorm__reference;

/* Returns whether the reference depends on w, so that it must be recomputed. */
bool dorm__reference_moves(const dorm__reference *reference);

/* ---- dual_qp.c ---------------------------------------------------------- */

typedef struct dorm__qp_workspace dorm__qp_workspace;
dorm__qp_workspace *dorm__qp_workspace_new(void); /* NULL when out of memory */
void dorm__qp_workspace_free(dorm__qp_workspace *workspace);

/* Minimises 1/2 alpha' H alpha - h' alpha over alpha >= 0, sum alpha <= bound. H [size][size], rows `stride` apart, is
 * positive semi-definite and may be singular. alpha [size] must be feasible and becomes optimal. Returns false when out
 * of memory. O(size^3) for each change of the support. */
bool dorm__qp_solve(dorm__qp_workspace *workspace, size_t size, size_t stride, const double *H, const double *h,
                    double bound, double *alpha);

/* ---- working_set.c ------------------------------------------------------ */

/* Bounds on the weights, [num_features] each, or NULL if there are none. */
typedef struct dorm__bounds {
  const double *lower;
  const double *upper;
} dorm__bounds;

/* Moves x [num_features] into the bounds. */
void dorm__bounds_project(const dorm__bounds *bounds, size_t num_features, double *x);

/* The dual: columns with their dual variables alpha, and w, which is centre + sum alpha psi moved into the bounds. */
typedef struct dorm__working_set dorm__working_set;

/* Makes an empty working set. Passes at fixed points use `point`, which is borrowed. A problem has one working set at a
 * time. */
dorm_status dorm__working_set_new(dorm_context *context, const dorm__problem *problem, dorm__scored_point *point,
                                  dorm__bounds bounds, dorm__working_set **set);
void dorm__working_set_free(dorm__working_set *set);
/* Copies the centre [num_features], which is 0 in a new set, and recomputes w. alpha stays. With a centre of NULL or of
 * zeros, every value of the solver is the same as without one, to the last bit. */
dorm_status dorm__working_set_set_centre(dorm_context *context, dorm__working_set *set, const double *centre);
/* Makes new references of all queries at w [num_features]. Recomputes the Gram matrices and the w of the set. alpha
 * stays. */
dorm_status dorm__working_set_set_reference(dorm_context *context, dorm__working_set *set,
                                            const dorm__reference *reference, const double *w);
/* Returns the sum over the queries of weight times the references' losses Delta. */
double dorm__working_set_reference_loss(const dorm__working_set *set);
/* Multiplies alpha by `factor` and recomputes w. When C is multiplied by the same factor, alpha stays feasible. */
void dorm__working_set_scale(dorm__working_set *set, double factor);
/* Returns the sum over queries i of A_i sqrt(t_i D_i). A_i is the sum of alpha over the query's columns, and t_i the
 * sum of residual [num_docs of the data set] over its documents. D_i is the bound of dorm__output_reach (problem.h).
 * The sum bounds the loss by approximating a kernel (kernels/factor.c). */
double dorm__working_set_residual_length(const dorm__working_set *set, const double *residual);
/* Writes shard `shard` of this process or, with DORM__NO_SHARD, the state of the loop between passes and, if the data
 * have no shards, all columns. If the data are split into shards, the columns of each shard are a record of their own
 * in a checkpoint. */
#define DORM__NO_SHARD SIZE_MAX
void dorm__working_set_save(const dorm__working_set *set, size_t shard, dorm__record_writer *writer);
/* Reads the same into a new set of the same problem. The caller sets the references afterwards. Returns false when out
 * of memory. Sets reader->is_bad if the record does not fit such a set. */
bool dorm__working_set_restore(dorm__working_set *set, size_t shard, dorm__record_reader *reader);

/* ---- cutting_plane.c ---------------------------------------------------- */

typedef struct dorm__cutting_plane_options {
  double C;              /* the slack of query i costs C weight[i] */
  double gap;            /* relative duality gap to reach */
  size_t max_iterations; /* passes over the data */
  double deadline;       /* on the clock of dorm__seconds, 0 for none */
  /* Called after each pass with the point and the certificate so far. A status other than DORM_OK ends the solve with
   * it. May be NULL. */
  dorm_status (*after_pass)(void *user, const double *w, const dorm_certificate *certificate);
  void *user;
} dorm__cutting_plane_options;

/* Solves the convex problem of the working set's references to the relative gap. w [num_features] holds the start, is
 * moved into the bounds, and becomes the best point found. If the working set is empty, the first pass is made at the
 * start. The certificate's primal value comes from a pass at w, and its dual value is computed from alpha alone. The
 * caller sets reference_constant. When certificate->iterations is not 0, the solve continues from the given w and from
 * the primal value, the seconds and the iterations in the certificate. Returns DORM_STOPPED when cancelled, or at the
 * limit of iterations or the deadline. w and the certificate then hold the best point so far. */
dorm_status dorm__cutting_plane(dorm_context *context, dorm__working_set *set,
                                const dorm__cutting_plane_options *options, double *w, dorm_certificate *certificate);

#include "solver/stream.h" /* queries that come one after the other */

#endif
