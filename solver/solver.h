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
#include "data/data.h"
#include "kernels/kernels.h"
#include "losses/losses.h"

/* ---- position_weights.c --------------------------------------------------- */

/* c[num_positions] from "power:0.5", "log", "loglog" or "file:PATH" (one number
 * a line, 0 behind the last). Not for "loss", which differs by query. */
dorm_status dorm__position_weights(dorm_context *context, const char *spec, size_t num_positions, double *c);

/* ---- start.c ---------------------------------------------------------------- */

/* Query-centred ridge regression on the labels, or on the gains 2^label - 1:
 * (S + lambda I) w = s with S and s the covariances within queries of features,
 * and of features with labels or gains; lambda = ridge * trace(S) / num_features. w [num_features].
 * O(num_docs num_features^2), or some dozens of passes where that is too many. */
dorm_status dorm__start(dorm_context *context, const dorm_dataset *dataset, const dorm__features *features,
                        bool on_gains, double ridge, size_t num_threads, double *w);
/* It reads the rows of every so many queries, from the first; 1: of all. */
size_t dorm__start_stride(size_t num_docs, size_t width, bool is_sparse);

/* ---- vector.c ----------------------------------------------------------------- */

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
/* The same before the pool is cleared, which then is not told. */
void dorm__vector_drop(dorm__vector *vector);
/* Room for `count` entries, what was there is lost; false when out of memory. */
bool dorm__vector_reserve(dorm__vector *vector, size_t count, bool is_sparse);
/* The same for a dense one of `count` entries, which items of the pool hold. */
bool dorm__vector_take(dorm__vector *vector, size_t count, dorm__pool *pool);
double dorm__vector_dot(const dorm__vector *vector, const double *x);
/* result += factor * vector */
void dorm__vector_add(const dorm__vector *vector, double factor, double *result);

/* ---- problem.c -------------------------------------------------------------- */

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

/* The scratch of the calling OpenMP thread. */
dorm__thread *dorm__problem_thread(const dorm__problem *problem);
/* Begins the next phase of a thread's work on a query; the seconds of the last one. */
double dorm__next_phase(dorm__thread *thread);
/* The same, of a phase in which the oracle was asked. */
double dorm__oracle_phase(dorm__thread *thread);

/* Below, a query is a number among those that train. */

/* The least cost of a ranking of its plan, which Delta is measured from. */
dorm_status dorm__problem_set_minimum(dorm_context *context, dorm__problem *problem, size_t query);

/* The loss of a query. */
const dorm__query_loss *dorm__problem_loss(const dorm__problem *problem, size_t query);
/* The largest squared distance between the documents' weights in two outputs, or
 * a bound on it: what psi can be at most. 2 num_docs oracle calls at first where
 * the loss is structured. INFINITY where the loss fails. */
double dorm__problem_reach(const dorm__problem *problem, size_t query);
/* Scores of its documents at w, into thread->scores; not computed again where w
 * is the very pointer that dorm__problem_at returned and they are known. */
void dorm__problem_score(const dorm__problem *problem, size_t query, const double *w, dorm__thread *thread);
/* A copy of w [num_features] owned by the problem, at which scores are kept from
 * now on: those that are there stay when it holds the same numbers as before. */
const double *dorm__problem_at(const dorm__problem *problem, const double *w);
/* Scores [num_docs of the data set] at w that are known already. */
void dorm__problem_know(const dorm__problem *problem, const double *w, const double *scores);
/* Scores at w of all documents of the data set, borrowed until the next point. */
const double *dorm__problem_scores(const dorm__problem *problem, const double *w);
/* The most violated output at thread->scores: documents in thread->order, their
 * *weights in its feature map (borrowed from the problem or the thread) and its
 * loss. Fails as the oracle does, without message. */
dorm_status dorm__problem_most_violated(const dorm__problem *problem, size_t query, dorm__thread *thread,
                                        const double **weights, double *loss);
/* The same at w, with its value <w, Phi> + Delta, and timed; a phase begins behind it. */
dorm_status dorm__problem_violation(const dorm__problem *problem, size_t query, const double *w, dorm__thread *thread,
                                    const double **weights, double *loss, double *value);
/* DORM_NUMERICAL_FAILURE, or what a structured loss says, with the query's name, for a failed oracle. */
dorm_status dorm__problem_fail(dorm_context *context, const dorm__problem *problem, size_t query);
/* phi = sum_i weights[i] x_docs[i], i < count; weights of 0 are passed over.
 * False when out of memory. */
bool dorm__problem_combine(const dorm__problem *problem, size_t query, size_t count, const uint32_t *docs,
                           const double *weights, dorm__thread *thread, dorm__vector *phi);
/* Phi of the output in thread->order and `weights`. */
bool dorm__problem_output_vector(const dorm__problem *problem, size_t query, const double *weights,
                                 dorm__thread *thread, dorm__vector *phi);

/* ---- diversity.c ------------------------------------------------------------ */

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

dorm_status dorm__query_groups_make(dorm_context *context, const dorm_dataset *dataset, size_t query,
                                    const dorm__diversity *diversity, dorm__query_groups *made);
void dorm__query_groups_clear(dorm__query_groups *made);
/* From now on all rankings of the problem respect the groups of its data.
 * *num_short: queries with too few groups for so many positions. */
dorm_status dorm__problem_diversify(dorm_context *context, dorm__problem *problem, const dorm__diversity *diversity,
                                    size_t *num_short);

/* ---- reference.c ------------------------------------------------------------ */

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
/* The reference at w: its feature map and its loss Delta. Fails only where the
 * oracle does (DORM_NUMERICAL_FAILURE) or memory; no message. */
dorm_status dorm__reference_at(const dorm__problem *problem, const dorm__reference *reference, size_t query,
                               const double *w, dorm__thread *thread, dorm__vector *phi, double *loss);

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

void dorm__columns_drop(dorm__columns *columns); /* before the pools of its vectors are cleared */
/* Appends a ranking with alpha = 0 and takes its vector. sum [num_features] is
 * scratch, zero before and after. False when out of memory.
 * O(count num_features). */
bool dorm__columns_add(dorm__columns *columns, size_t num_features, dorm__vector *phi, double loss, double *sum);
/* The same without the Gram matrix, which dorm__columns_refill then makes. */
bool dorm__columns_add_bare(dorm__columns *columns, dorm__vector *phi, double loss, double alpha, uint32_t idle);
/* The Gram matrix, after a new reference. O(count^2 num_features). */
void dorm__columns_refill(dorm__columns *columns, size_t num_features, double *sum);
/* margins[k] = Delta_k - <w, psi_k> (NULL: not wanted); returns the largest, at
 * least 0. */
double dorm__columns_margins(const dorm__columns *columns, const double *w, double *margins);
/* Brings the vectors from memory for margins that are wanted soon. */
void dorm__columns_fetch(const dorm__columns *columns);
/* v += sum_k factors[k] psi_k */
void dorm__columns_add_psi(const dorm__columns *columns, const double *factors, double *v);
/* Counts idle passes and drops columns that were idle for `limit`. */
void dorm__columns_prune(dorm__columns *columns, uint32_t limit);
size_t dorm__columns_bytes(const dorm__columns *columns);

/* ---- working_set.c ------------------------------------------------------------ */

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
/* v and w from alpha, from scratch. */
void dorm__working_set_refresh(dorm__working_set *set);
/* x [num_features] into the bounds. */
void dorm__bounds_project(const dorm__bounds *bounds, size_t num_features, double *x);
/* min over w within the bounds of the Lagrangian: sum alpha Delta + 1/2 |w|^2 -
 * <w, v>, which is sum alpha Delta - 1/2 |w|^2 without bounds. */
double dorm__working_set_dual(const dorm__working_set *set);
size_t dorm__working_set_num_columns(const dorm__working_set *set);
/* Those with alpha > 0: the support vectors. */
size_t dorm__working_set_num_support(const dorm__working_set *set);
/* v [num_features] within the bounds, into w. */
void dorm__working_set_project(const dorm__working_set *set, const double *v, double *w);
/* Counts idle passes and drops columns idle for `limit`; without a limit below
 * it, drops every column of no weight when they take more than `most_bytes`. */
void dorm__working_set_prune(dorm__working_set *set, uint32_t limit, size_t most_bytes);

/* ---- sweeps.c ------------------------------------------------------------------ */

/* Makes set->groups; false when out of memory. */
bool dorm__sweep_groups_new(dorm__working_set *set);
void dorm__sweep_groups_free(dorm__working_set *set);
/* One exact solve a block, w kept up to date; blocks whose own gap is below
 * `negligible` are passed over, without a look at their columns where it was when
 * a sweep last looked and `looks_again` is false. Groups of blocks are swept in parallel, each
 * from the same v, and their moves joined by a line search. *gap becomes the
 * sum over the blocks of C max(0, margin) - sum alpha margin, each before its
 * solve: an estimate of what the working set's duality gap was.
 * O(columns num_features). */
dorm_status dorm__working_set_sweep(dorm_context *context, dorm__working_set *set, double C, double negligible,
                                    bool looks_again, double *gap);
/* Sweeps until that gap is at most `tolerance`, the dual value at least `enough`
 * (INFINITY: not looked at), or `most_sweeps` times. */
dorm_status dorm__working_set_solve(dorm_context *context, dorm__working_set *set, double C, double tolerance,
                                    double enough, size_t most_sweeps);
/* One pass over the data, n-slack only: the oracle of each query at the w of the
 * moment, its ranking into the working set where it adds more than `tolerance`
 * to what the block knows, then the block's QP. *gap as above, with the new
 * rankings: an estimate of what the duality gap of the whole problem was. */
dorm_status dorm__working_set_pass(dorm_context *context, dorm__working_set *set, double C, double tolerance,
                                   double *gap);

/* ---- cutting_plane.c ----------------------------------------------------------- */

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

/* ---- kernel_grid.c ------------------------------------------------------------- */

typedef struct dorm__kernel_grid {
  const dorm_settings *settings; /* borrowed */
  dorm__kernel *kernel;
  size_t num_ranks;
  size_t count; /* of kernels to train with */
} dorm__kernel_grid;

dorm_status dorm__kernel_grid_open(dorm_context *context, const dorm_settings *settings, dorm__kernel_grid *grid);
void dorm__kernel_grid_close(dorm__kernel_grid *grid);
/* The features of both data sets under kernel number `index`; *factor is kept
 * by the training result. Not for `linear`. `validation` may be NULL. */
dorm_status dorm__kernel_grid_features(dorm_context *context, const dorm__kernel_grid *grid, size_t index,
                                       const dorm_dataset *train, const dorm_dataset *validation,
                                       const dorm__feature_map *map, size_t num_threads, dorm_training *training,
                                       const dorm__kernel_factor **factor, dorm__features *train_features,
                                       dorm__features *validation_features);
/* How far the optimum of the exact kernel may lie below the dual value of the
 * working set: 1/2 (sum over queries of A sqrt(t D))^2, derived in
 * kernels/factor.c. */
double dorm__kernel_bound(const dorm__working_set *set, const dorm__kernel_factor *factor);

/* ---- candidates.c -------------------------------------------------------------- */

/* A candidate with what the model is made of. */
typedef struct dorm__trained {
  dorm_candidate candidate;
  char *reference; /* owned; the candidate's texts point here */
  char *position_weights;
  const dorm__kernel_factor *kernel; /* NULL: linear; owned by the training */
  size_t width;
  double *w; /* [width], of the map with the candidate's rank block, then [rank of the kernel] */
} dorm__trained;

struct dorm_training {
  size_t num_trained;
  size_t capacity;
  dorm__trained *trained;
  size_t num_kernels;
  size_t kernels_capacity;
  dorm__kernel_factor **kernels; /* [num_kernels], owned */
  size_t num_training_queries;
  double validation; /* of the model */
  dorm_model *model;
};

dorm_status dorm__training_new(dorm_context *context, dorm_training **training);
/* Appends a copy. */
dorm_status dorm__training_add(dorm_context *context, dorm_training *training, const dorm_candidate *candidate,
                               const dorm__kernel_factor *kernel, size_t width, const double *w);

void dorm__training_drop_last(dorm_training *training);

/* Sums over the held-out queries of all folds, a candidate each. */
typedef struct dorm__fold_sums {
  size_t count;
  double *values;  /* [count] sum of the measure */
  double *squares; /* [count] sum of its squares */
  double *queries; /* [count] */
} dorm__fold_sums;

typedef struct dorm__checkpoint dorm__checkpoint;

/* One call of dorm_train. */
typedef struct dorm__run {
  dorm_context *context;
  dorm_settings *settings; /* effective */
  dorm__measure *measure;
  size_t num_threads;
  dorm__kernel_grid kernels;
  double started;
  double deadline; /* on dorm__seconds; 0: none */
  dorm__diversity diversity;
  bool has_said_short; /* that queries have too few groups */
  bool is_limited;     /* some solve ended at its limit of iterations */
  size_t num_passes;   /* over the data, in this call */
  dorm__fold_sums folds;
  dorm__checkpoint *checkpoint;                    /* NULL: none */
  dorm__oracle_counts oracles;                     /* over all solves */
  double oracle_seconds[DORM__NUM_ORACLE_METHODS]; /* by method, likewise */
  size_t num_expected;                             /* candidates, over all grids */
  size_t num_done;

  /* the grid being trained */
  size_t grid; /* its number: the folds, the whole, the retraining */
  const dorm_dataset *train;
  const dorm_dataset *validation; /* may be NULL */
  dorm_dataset *own_train;        /* the same, where their values may be taken; else NULL */
  dorm_dataset *own_validation;
  bool is_taken;         /* the rows of the last rank block are in their memory */
  dorm__feature_map map; /* without rank block */
  dorm_training *training;
  const dorm_training *chosen_from; /* while retraining, the grid that was chosen from; else NULL */
  size_t num_restored;              /* candidates of this grid that a checkpoint held */

  /* the combination being trained */
  dorm_candidate candidate;
  dorm__features train_features;
  dorm__features validation_features;
  dorm__bounds bounds;
  const dorm__kernel_factor *kernel; /* NULL: linear; owned by the training */
  double *start;
  double *scores;               /* of the training documents at the start, then of the validation documents */
  bool has_start;               /* the former are there */
  const dorm__problem *problem; /* once there is one */
} dorm__run;

/* Measures w and keeps it as run->candidate. Before there is a problem w is the start,
 * whose scores of the training documents are in run->scores. */
dorm_status dorm__candidate_keep(dorm__run *run, const double *w);
/* Whether the next candidate is already there, from a checkpoint; it is then
 * passed over, its w copied out (w may be NULL). */
dorm_status dorm__candidate_restore(dorm__run *run, double *w, bool *is_there);

/* ---- path.c ---------------------------------------------------------------------- */

/* Trains one reference of one problem over all values of C. */
dorm_status dorm__path_train(dorm__run *run, const dorm__problem *problem, const char *reference_word);
/* Rounds that a reference takes. */
size_t dorm__path_rounds(const dorm_settings *settings, const dorm__reference *reference);

/* ---- grid.c ---------------------------------------------------------------------- */

/* Trains all combinations on run->train into run->training, measured on
 * run->validation. The features stay described in run->map; where the data's
 * memory was taken, the validation rows stay, for the model to be measured. */
dorm_status dorm__grid_train(dorm__run *run);
size_t dorm__grid_size(const dorm_settings *settings);
/* The loss with truncation number `index` of the list. */
dorm_status dorm__grid_loss(dorm__run *run, size_t index, dorm__loss **loss);

/* ---- folds.c ---------------------------------------------------------------------- */

/* Trains the grid on all but each fold of run->train, measured on that fold,
 * and adds up what the candidates reach in run->folds. */
dorm_status dorm__folds_train(dorm__run *run, size_t num_folds, uint64_t seed);
/* Gives the candidates of a training what the folds say of them. */
void dorm__folds_assign(const dorm__fold_sums *folds, dorm_training *training);
void dorm__fold_sums_clear(dorm__fold_sums *folds);

/* ---- checkpoint.c ------------------------------------------------------------------ */

/* What a run needs to go on from: the folds' sums, the candidates of the
 * present grid, and the solve in progress with its working set. A binary file
 * of this machine's numbers, with a checksum, written whole or not at all. */

/* Reads the file where the run is to resume and it exists. */
dorm_status dorm__checkpoint_open(dorm__run *run, dorm__checkpoint **checkpoint);
void dorm__checkpoint_close(dorm__checkpoint *checkpoint);
/* Whether enough time went by since the last one. */
bool dorm__checkpoint_is_due(const dorm__checkpoint *checkpoint);
/* `round_start` is the w of the references, `w` the best point of the solve. */
dorm_status dorm__checkpoint_save(dorm__run *run, const dorm__working_set *set, const double *round_start,
                                  const double *w, const dorm_certificate *certificate);
/* Whether grid number `grid` is done; gives the present one its candidates. */
bool dorm__checkpoint_has_done(const dorm__checkpoint *checkpoint, size_t grid);
dorm_status dorm__checkpoint_restore_grid(dorm__run *run);
/* Fills in the solve that the checkpoint interrupted, when it is this one. */
dorm_status dorm__checkpoint_restore_solve(dorm__run *run, dorm__working_set *set, double *round_start, double *w,
                                           dorm_certificate *certificate);
/* A run that is done needs none. */
void dorm__checkpoint_remove(dorm__checkpoint *checkpoint);

/* ---- selection.c ------------------------------------------------------------------- */

/* Marks the candidates that make the model: by validation values the best
 * `average`, or under one-se the one of least C within a standard error of the
 * best; without values all of round 2 and later (of round 1 where there are no
 * later ones). */
dorm_status dorm__selection_mark(dorm_context *context, const dorm_settings *settings, bool has_validation,
                                 dorm_training *training);
/* The model of the marked: their mean, each divided by its score_scale; a single
 * one is taken as it is. */
dorm_status dorm__selection_model(dorm_context *context, const dorm_settings *settings,
                                  const dorm__feature_map *features, dorm_training *training);

#endif
