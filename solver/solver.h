/*
 * solver.h: the convex problem. For one choice of loss, rows, position weights and reference, minimise over w
 *
 *   1/2 |w|^2 + C sum_i xi_i,
 *   xi_i = max over rankings of  <w, Phi_i(ranking) - Phi_i(reference)> + Delta_i(ranking)
 *
 * by cutting planes, where Phi_i(ranking) = sum_j c[rank[j]] x_j (Le and Smola 2007, equation 10). What is tried
 * and chosen from lies in training/.
 *
 * Reading order: position_weights, vector, query_groups, problem, outputs, scored_point, reference, dual_qp, columns,
 * working_set, sweeps, cutting_plane.
 */
#ifndef DORM_SOLVER_SOLVER_H
#define DORM_SOLVER_SOLVER_H

#include "assignment/assignment.h"
#include "base/base.h"
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
  DORM__WEIGHTS_LISTED   /* values; 0 after the last */
} dorm__position_weights_kind;

/* The weights c of the positions in the feature map; positions p count from 0. */
typedef struct dorm__position_weights {
  dorm__position_weights_kind kind;
  double exponent;
  size_t count;
  double *values; /* [count], owned, non-increasing */
} dorm__position_weights;

/* Reads the listed kind from a file of one number per line. Warns where neighbours are equal. */
dorm_status dorm__position_weights_read(dorm_context *context, const char *path, dorm__position_weights *weights);
void dorm__position_weights_clear(dorm__position_weights *weights);
/* c[num_positions]; not for the weights of the loss. */
void dorm__position_weights_fill(const dorm__position_weights *weights, size_t num_positions, double *c);

/* ---- query_groups.c ----------------------------------------------------- */

/* Which rankings are feasible where documents belong to groups. */
typedef struct dorm__diversity {
  bool is_on;
  size_t top;      /* positions for which the groups hold */
  double capacity; /* what the documents of one group may weigh there together */
  dorm__group_method method;
  double seconds; /* that one mixed-integer programme may take; 0: no limit */
} dorm__diversity;

/* The groups of one query and the arrays that they stand in. */
typedef struct dorm__query_groups {
  dorm__oracle_groups groups;
  uint32_t *start, *docs;
  double *weights;
} dorm__query_groups;

dorm_status dorm__query_groups_make(dorm_context *context, const dorm_dataset *dataset, size_t query,
                                    const dorm__diversity *diversity, dorm__query_groups *made);
void dorm__query_groups_clear(dorm__query_groups *made);

/* ---- problem.c ---------------------------------------------------------- */

/* What all trainings with the same loss, rows and position weights share. It does not change once it is made, but
 * holds the scratch memory of its threads, so one training uses it at a time. */
typedef struct dorm__problem dorm__problem;

typedef struct dorm__problem_options {
  const dorm__position_weights *position_weights;
  dorm__oracle_method method;
  bool checks_oracles; /* every ranking that an oracle finds is proved anew */
  dorm__diversity diversity;
  size_t num_threads;
} dorm__problem_options;

/* Sets the losses' minimum where the general form or the groups leave it open; everything given is borrowed. */
dorm_status dorm__problem_new(dorm_context *context, const dorm_dataset *dataset, const dorm__features *features,
                              dorm__loss_tables *losses, const dorm__problem_options *options, dorm__problem **problem);
void dorm__problem_free(dorm__problem *problem);
/* Queries that train: some ranking costs more than the best. */
size_t dorm__problem_num_queries(const dorm__problem *problem);
/* Queries with fewer documents that may stand together than positions for which the groups should hold. */
size_t dorm__problem_num_short(const dorm__problem *problem);
/* The number of threads that are worth waking for passes over so many values, of those given. */
size_t dorm__useful_threads(size_t num_entries, size_t num_threads);
/* Adds the oracle calls so far, and their seconds by method, to those given; seconds [DORM__NUM_ORACLE_METHODS]. */
void dorm__problem_count_oracles(const dorm__problem *problem, dorm__oracle_counts *counts, double *seconds);

/* ---- scored_point.c ----------------------------------------------------- */

/* Weights w together with the documents' scores at them, as far as these are known. */
typedef struct dorm__scored_point dorm__scored_point;

dorm_status dorm__scored_point_new(dorm_context *context, const dorm__problem *problem, dorm__scored_point **point);
void dorm__scored_point_free(dorm__scored_point *point);
/* Moves to w [num_features]; the scores stay known where w is where the point was. */
void dorm__scored_point_move(dorm__scored_point *point, const double *w);
/* The same with scores [num_docs of the data set] that are known already. */
void dorm__scored_point_know(dorm__scored_point *point, const double *w, const double *scores);
/* Scores of all documents of the data set, borrowed until the next move. */
const double *dorm__scored_point_scores(dorm__scored_point *point);

/* ---- reference.c -------------------------------------------------------- */

typedef enum dorm__reference_kind {
  DORM__REFERENCE_LISTED,   /* an ideal ranking, documents of equal gain as listed */
  DORM__REFERENCE_AVERAGED, /* the mean of Phi over the ideal rankings */
  DORM__REFERENCE_IDEAL,    /* the best-scored ideal ranking */
  DORM__REFERENCE_NONE,     /* a structured loss has its own, whose Phi is 0 */
  DORM__REFERENCE_MU        /* argmax <w, Phi> - mu Delta; mu = 0 is `current` */
} dorm__reference_kind;

typedef struct dorm__reference {
  dorm__reference_kind kind;
  double mu;
} dorm__reference;

/* Whether the reference depends on w, so that it has to be recomputed. */
bool dorm__reference_moves(const dorm__reference *reference);

/* ---- dual_qp.c ---------------------------------------------------------- */

typedef struct dorm__qp_workspace dorm__qp_workspace;
dorm__qp_workspace *dorm__qp_workspace_new(void); /* NULL when out of memory */
void dorm__qp_workspace_free(dorm__qp_workspace *workspace);

/* min 1/2 alpha' H alpha - h' alpha  over  alpha >= 0, sum alpha <= bound.
 * H [size][size], rows `stride` apart, positive semi-definite, may be
 * singular; alpha [size] comes in feasible and goes out optimal. Returns false
 * when out of memory. O(size^3) for each change of the support. */
bool dorm__qp_solve(dorm__qp_workspace *workspace, size_t size, size_t stride, const double *H, const double *h,
                    double bound, double *alpha);

/* ---- working_set.c ------------------------------------------------------ */

/* Bounds on the weights, [num_features] each; NULL where there are none. */
typedef struct dorm__bounds {
  const double *lower;
  const double *upper;
} dorm__bounds;

/* Moves x [num_features] into the bounds. */
void dorm__bounds_project(const dorm__bounds *bounds, size_t num_features, double *x);

/* The dual: columns with their dual variables, and w = sum alpha psi within the bounds. */
typedef struct dorm__working_set dorm__working_set;

/* The passes at fixed points are made at `point`, which is borrowed. One-slack keeps a single column set for the sum
 * over all queries, n-slack one column set per query. A problem has one working set at a time. */
dorm_status dorm__working_set_new(dorm_context *context, const dorm__problem *problem, dorm__scored_point *point,
                                  bool is_one_slack, dorm__bounds bounds, dorm__working_set **set);
void dorm__working_set_free(dorm__working_set *set);
/* Takes the references at w for all queries; alpha stays. */
dorm_status dorm__working_set_set_reference(dorm_context *context, dorm__working_set *set,
                                            const dorm__reference *reference, const double *w);
/* The sum over the queries of the references' losses Delta. */
double dorm__working_set_reference_loss(const dorm__working_set *set);
/* alpha *= factor, w with it: stays feasible when C is multiplied by it. */
void dorm__working_set_scale(dorm__working_set *set, double factor);
/* The sum over queries i of A_i sqrt(residual_i D_i) with A_i the sum of alpha over the query's columns and D_i the
 * largest squared distance between the documents' weights in two outputs; residual [num_docs of the data set] is
 * summed over the query's documents. What a kernel's approximation can cost follows from it (kernels/factor.c). */
double dorm__working_set_residual_length(const dorm__working_set *set, const double *residual);
/* The columns and what the loop remembers of them, for a checkpoint. */
void dorm__working_set_save(const dorm__working_set *set, dorm__record_writer *writer);
/* Into a new set of the same problem. False when memory is out; reader->is_bad where the record is none of such a
 * set. The references are then to be taken again. */
bool dorm__working_set_restore(dorm__working_set *set, dorm__record_reader *reader);

/* ---- cutting_plane.c ---------------------------------------------------- */

typedef struct dorm__cutting_plane_options {
  double C; /* of one query */
  double gap;
  size_t max_iterations;
  size_t most_bytes; /* of the working set, before idle columns are dropped at once */
  double deadline;   /* on dorm__seconds, 0 for none */
  /* Called after each pass with the point and the certificate so far; a status
   * other than DORM_OK ends the solve with it. May be NULL. */
  dorm_status (*after_pass)(void *user, const double *w, const dorm_certificate *certificate);
  void *user;
} dorm__cutting_plane_options;

/* Solves the convex problem of the working set's references to the relative
 * gap. w [num_features] is where the first pass of an empty working set is
 * made, within the bounds, and becomes the best point found. The certificate is computed
 * from w and alpha from scratch; its reference_constant is left to the caller.
 * Goes on from the w, primal, seconds and iterations that are handed in when
 * certificate->iterations is not 0. DORM_STOPPED when cancelled, at the limit of iterations or
 * the deadline: w and the certificate are then what was reached. */
dorm_status dorm__cutting_plane(dorm_context *context, dorm__working_set *set,
                                const dorm__cutting_plane_options *options, double *w, dorm_certificate *certificate);

#endif
