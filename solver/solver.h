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
 * Reading order: position_weights, start, vector, problem, diversity, reference, dual_qp,
 * columns, working_set, sweeps, cutting_plane, kernel_grid, candidates, path, grid, folds,
 * checkpoint, selection, train.
 */
#ifndef DORM_SOLVER_SOLVER_H
#define DORM_SOLVER_SOLVER_H

#include "assignment/assignment.h"
#include "base/base.h"
#include "base/pool.h"
#include "data/data.h"
#include "features/features.h"
#include "losses/losses.h"

/* ---- position_weights.c ------------------------------------------------- */

/* c[num_positions] from "power:0.5", "log", "loglog" or "file:PATH" (one number
 * a line, 0 behind the last). Not for "loss", which differs by query. */
dorm_status dorm__position_weights(dorm_context *context, const char *spec, size_t num_positions, double *c);

/* ---- vector.c ----------------------------------------------------------- */

/* A vector of features: values[count], of feature indices[i] where the data are
 * sparse, of feature i where indices is NULL. Grows as needed, owned. */
typedef struct dorm__vector {
  size_t count;
  size_t capacity;
  double *values;
  uint32_t *indices;
  dorm__pool *pool; /* where the values come from; NULL: allocated */
} dorm__vector;

void dorm__vector_clear(dorm__vector *vector);
/* Room for `count` entries, what was there is lost; false when out of memory. */
bool dorm__vector_reserve(dorm__vector *vector, size_t count, bool is_sparse);

/* ---- problem.c ---------------------------------------------------------- */

typedef struct dorm__keyed_doc {
  double gain;
  double score;
  uint32_t doc;
} dorm__keyed_doc;

/* Scratch of one thread, [max_docs] each but docs and the last three. */
typedef struct dorm__thread {
  dorm__oracle_workspace *workspace;
  double *scores;
  double *weights;
  uint32_t *order;
  dorm__keyed_doc *docs; /* [2 max_docs] */
  double *sum;           /* [num_features], zero between uses */
  bool *is_touched;      /* [num_features], false between uses; with sparse data */
  uint32_t *touched;     /* [num_features]; with sparse data */
  dorm__pool vectors;    /* dense ones, [num_features], of the working set */
  double phase_started;
  double score_seconds;
  double oracle_seconds;
  double column_seconds;                           /* rankings made columns, within passes */
  double method_seconds[DORM__NUM_ORACLE_METHODS]; /* of all oracle calls on this thread */
  dorm_context failure;                            /* what a structured loss said of failed_query */
  size_t failed_query;                             /* SIZE_MAX: none */
  dorm_status failed;                              /* its status */
} dorm__thread;

/* What all trainings with the same loss, features and position weights share. */
typedef struct dorm__problem {
  const dorm_dataset *dataset;
  const dorm__features *features;
  dorm__loss_tables *losses;
  double *c_table;                   /* [max_docs]; unused where c is the loss's own */
  size_t num_queries;                /* that train: some ranking costs more than the best */
  size_t *queries;                   /* [num_queries], numbers in the data set */
  const double **c;                  /* [num_queries], each [num_docs]; NULL where the loss is structured */
  size_t *depth;                     /* [num_queries] positions behind which c is 0; structured: num_docs */
  dorm__oracle_plan **plans;         /* [num_queries]; NULL where the loss is structured */
  dorm__oracle_cache *cache;         /* of the plans */
  struct dorm__query_groups *groups; /* [num_queries]; NULL: every ranking is feasible */
  size_t max_docs;
  size_t num_threads;
  dorm__thread *threads; /* [num_threads] */
  double *point;         /* [num_features] where scores are kept */
  double *scores;        /* [num_docs of the data set] at the point */
  bool *is_scored;       /* [num_queries of the data set] */
  double *reach; /* [num_queries] bounds sum_j coefficient_j^2 of a structured loss; NaN until it is asked for */
} dorm__problem;

/* Takes the losses' minimum where the general form leaves it open; everything
 * given is borrowed. */
dorm_status dorm__problem_new(dorm_context *context, const dorm_dataset *dataset, const dorm__features *features,
                              dorm__loss_tables *losses, const char *position_weights, dorm__oracle_method method,
                              size_t num_threads, dorm__problem **problem);
void dorm__problem_free(dorm__problem *problem);

/* Threads worth waking for passes over so many values, of those given. */
size_t dorm__problem_threads(size_t num_entries, size_t num_threads);
/* The largest squared distance between the documents' weights in two outputs, or
 * a bound on it: what psi can be at most. 2 num_docs oracle calls at first where
 * the loss is structured. INFINITY where the loss fails. */
double dorm__problem_reach(const dorm__problem *problem, size_t query);
/* Scores [num_docs of the data set] at w that are known already. */
void dorm__problem_know(const dorm__problem *problem, const double *w, const double *scores);
/* Scores at w of all documents of the data set, borrowed until the next point. */
const double *dorm__problem_scores(const dorm__problem *problem, const double *w);

/* ---- diversity.c -------------------------------------------------------- */

/* What the settings diversity.* say. */
typedef struct dorm__diversity {
  bool is_on;
  size_t top;
  double capacity;
  dorm__group_method method;
  double seconds; /* of one mixed-integer programme */
} dorm__diversity;

dorm__diversity dorm__diversity_from(const dorm_settings *settings, size_t truncation);

/* The groups of one query and the arrays that they stand in. */
typedef struct dorm__query_groups {
  dorm__oracle_groups groups;
  uint32_t *start, *docs;
  double *weights;
} dorm__query_groups;
/* From now on all rankings of the problem respect the groups of its data.
 * *num_short: queries with too few groups for so many positions. */
dorm_status dorm__problem_diversify(dorm_context *context, dorm__problem *problem, const dorm__diversity *diversity,
                                    size_t *num_short);

/* ---- reference.c -------------------------------------------------------- */

typedef enum dorm__reference_kind {
  DORM__REFERENCE_LISTED,   /* ideal, ties as listed */
  DORM__REFERENCE_AVERAGED, /* mean of Phi over the ideal rankings */
  DORM__REFERENCE_IDEAL,    /* the best-scored ideal ranking */
  DORM__REFERENCE_NONE,     /* a structured loss has its own, of which Phi is 0 */
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

/* ---- columns.c ---------------------------------------------------------- */

/* The working set of one block of the dual: rankings as (Phi, Delta) with their
 * dual variables and the reference they are held against, psi = Phi(reference)
 * - Phi, so that a new reference changes no column. */
typedef struct dorm__columns {
  dorm__vector reference;
  size_t count;
  size_t capacity;
  dorm__vector *phi; /* [capacity]; the arrays below stand behind it in the same memory */
  double *loss;      /* [capacity] Delta */
  double *alpha;     /* [capacity] */
  double *old_alpha; /* [capacity] before the present sweep */
  double *gram;      /* [capacity][capacity] of psi */
  uint32_t *idle;    /* [capacity] passes since alpha was positive */
  double own_gap;    /* the block's part of the gap when a sweep last looked */
} dorm__columns;
/* The same without the Gram matrix, which dorm__columns_refill then makes. */
bool dorm__columns_add_bare(dorm__columns *columns, dorm__vector *phi, double loss, double alpha, uint32_t idle);
void dorm__columns_drop(dorm__columns *columns); /* before the pools of its vectors are cleared */
/* Appends a ranking with alpha = 0 and takes its vector. sum [num_features] is
 * scratch, zero before and after. False when out of memory.
 * O(count num_features). */
bool dorm__columns_add(dorm__columns *columns, size_t num_features, dorm__vector *phi, double loss, double *sum);
/* margins[k] = Delta_k - <w, psi_k> (NULL: not wanted); returns the largest, at
 * least 0. */
double dorm__columns_margins(const dorm__columns *columns, const double *w, double *margins);
/* v += sum_k factors[k] psi_k */
void dorm__columns_add_psi(const dorm__columns *columns, const double *factors, double *v);

/* ---- working_set.c ------------------------------------------------------ */

/* Bounds on the weights, [num_features] each; NULL where there are none. */
typedef struct dorm__bounds {
  const double *lower;
  const double *upper;
} dorm__bounds;

/* A group of blocks that one thread sweeps, and its scratch. */
typedef struct dorm__sweep_group {
  size_t first; /* blocks first .. end - 1 */
  size_t end;
  dorm__qp_workspace *qp;
  double *v; /* [num_features]; after the sweep the group's move */
  double *w;
  double *scratch; /* [3][scratch_size]: margins, h, change of alpha */
  size_t scratch_size;
  double gap;
  double gain;  /* sum over the group of (alpha - old alpha) Delta */
  double theta; /* part of the move that is taken */
} dorm__sweep_group;

/* The dual: blocks of columns, one a query (n-slack), or one for all of them
 * (one-slack). v = sum alpha psi, and w is v within the bounds. */
typedef struct dorm__working_set {
  const dorm__problem *problem;
  dorm__bounds bounds;
  bool is_one_slack;
  size_t num_blocks;      /* num_queries, or 1 */
  dorm__columns *blocks;  /* [num_blocks] */
  double *reference_loss; /* [num_queries] */
  double *v;              /* [num_features] */
  double *w;              /* [num_features] */
  size_t num_groups;      /* that are swept in parallel */
  dorm__sweep_group *groups;
  size_t num_sequential; /* passes since the last one at a fixed point */
  double estimate;       /* of the duality gap, by the last of them; INFINITY: none */
} dorm__working_set;

/* A problem has one working set at a time: with it go all vectors of the problem's pools. */
dorm_status dorm__working_set_new(dorm_context *context, const dorm__problem *problem, bool is_one_slack,
                                  dorm__bounds bounds, dorm__working_set **set);
void dorm__working_set_free(dorm__working_set *set);
/* Takes the references at `w` for all queries; alpha stays. */
dorm_status dorm__working_set_set_reference(dorm_context *context, dorm__working_set *set,
                                            const dorm__reference *reference, const double *w);
/* alpha *= factor, w with it: stays feasible when C is multiplied by it. */
void dorm__working_set_scale(dorm__working_set *set, double factor);
/* x [num_features] into the bounds. */
void dorm__bounds_project(const dorm__bounds *bounds, size_t num_features, double *x);

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
