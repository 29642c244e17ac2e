/* problem.h: the parts of a problem, for the other files of solver/. A `query` in these files is a number among the
 * training queries, 0 .. num_queries - 1, unless it is called a number in the data set. */
#ifndef DORM_SOLVER_PROBLEM_H
#define DORM_SOLVER_PROBLEM_H

#include "base/team.h"
#include "solver/columns.h"
#include "solver/solver.h"

/* ---- Threads --------------------------------------------------------------------------------------- */

/* A document with the keys by which references sort. */
typedef struct dorm__keyed_doc {
  double gain;
  double score;
  uint32_t doc;
} dorm__keyed_doc;

/* The scratch of one thread. Arrays without a shape are [max_docs]. */
typedef struct dorm__thread {
  dorm__region memory; /* of the arrays */
  dorm__oracle_workspace *workspace;
  double *scores; /* [num_functions][number of documents of the query] */
  double *weights;
  uint32_t *order;
  dorm__keyed_doc *docs; /* [2 max_docs] */
  double *sum;           /* [num_functions num_features], zero between uses */
  bool *is_touched;      /* likewise, false between uses, only with sparse data */
  uint32_t *touched;     /* likewise, only with sparse data */
  dorm__pool vectors;    /* memory for the dense vectors of the working set, as long as sum */
  double phase_started;
  double score_seconds;
  double oracle_seconds;
  double column_seconds;                           /* spent on turning rankings into columns, within passes */
  double method_seconds[DORM__NUM_ORACLE_METHODS]; /* of all oracle calls on this thread, by method */
  double join_seconds; /* of the first thread, on work of sweeps between barriers that is not shard by shard */
  size_t num_joins, num_barriers; /* of the first thread: joins of moves, and barriers for them */
  dorm_context failure;           /* the message of a structured loss that failed */
  dorm_status failed;             /* the status of that failure, DORM_OK if none so far */
} dorm__thread;

/* Begins the next phase of the work on a query and returns the seconds of the phase that ends. */
double dorm__next_phase(dorm__thread *thread);
/* Does the same at the end of an oracle call, and adds the seconds to the seconds of the oracle's method. */
double dorm__oracle_phase(dorm__thread *thread);
/* Sets the message that explains why the thread's last oracle call ended with `status`, and returns the status of that
 * failure. Does nothing for DORM_OK. `query` is the number in the data set. */
dorm_status dorm__thread_explain(dorm_context *context, const dorm__thread *thread, const dorm_dataset *dataset,
                                 size_t query, dorm_status status);

/* ---- Problem --------------------------------------------------------------------------------------- */

/* Sums over the training queries. */
typedef struct dorm__problem_totals {
  double weight; /* of the queries */
  size_t queries;
  size_t docs;
} dorm__problem_totals;

/* The blocks of a sum: the shards of this process, or one block of all queries. */
typedef struct dorm__problem_blocks {
  bool is_dealt; /* the data set is split into shards */
  size_t count;
  size_t *start; /* [count + 1] queries start[i] .. start[i + 1] - 1 are block i */
  double *sums;  /* [count] scratch */
  size_t first;  /* number of the first block of this process among `all` */
  size_t all;
} dorm__problem_blocks;

/* Scratch of the threads. */
typedef struct dorm__problem_threads {
  size_t count;
  dorm__thread *threads; /* [num_threads] scratch */
} dorm__problem_threads;

struct dorm__problem {
  dorm__region memory;   /* of the arrays */
  dorm_context *context; /* of the processes that train together */
  const dorm_dataset *dataset;
  const dorm__features *features;
  dorm__loss_tables *losses;
  double *c_table;          /* [max_docs], unused if c is the loss's own table */
  size_t num_queries;       /* training queries */
  size_t *queries;          /* [num_queries], numbers in the data set */
  double *weights;          /* [num_queries] of the queries, > 0; the slack of query i costs C weights[i] */
  dorm__problem_totals all; /* over all processes */
  dorm__problem_blocks blocks;
  const double **c; /* [num_queries], each [num_docs], or NULL if the loss is structured */
  size_t *depth; /* [num_queries] number of positions up to the last with c other than 0, or num_docs if structured */
  dorm__oracle_plan **plans;  /* [num_queries], or NULL if the loss is structured */
  dorm__query_groups *groups; /* [num_queries], or NULL if every ranking is feasible */
  size_t num_short;           /* queries that have too few groups (solver.h) */
  size_t max_docs;
  dorm__problem_threads workers;
  dorm__team *team; /* scratch: which query failed first */
  size_t num_own;   /* first positions with a function of their own */
  double *reach;    /* [num_queries] structured loss: bound on sum_j coefficient_j^2 of outputs, NAN at first */
};

/* Returns the number of weights: num_features for the function of all positions, and as many for each position with its
 * own.
 */
size_t dorm__problem_width(const dorm__problem *problem);
/* Returns the scratch of the calling OpenMP thread. */
dorm__thread *dorm__problem_thread(const dorm__problem *problem);
/* Returns the loss of a query. */
const dorm__query_loss *dorm__problem_loss(const dorm__problem *problem, size_t query);

/* ---- Sums -------------------------------------------------------------------------------------- */

/* Adds the terms of one query to a sum. */
typedef void (*dorm__add_query)(const void *user, size_t query, double *sum);
/* Returns the sum over all queries, which begins with `start`. */
double dorm__sum_queries(const dorm__problem *problem, double start, dorm__add_query add, const void *user);
/* Replaces each of numbers [count] by its sum over the processes. */
void dorm__count_all(const dorm__problem *problem, size_t count, size_t *numbers);

/* ---- Outputs ----------------------------------------------------------------------------------- */

/* Receives the most violated output: the weights of its documents, its Delta, and <w, Phi> + Delta. */
typedef struct dorm__violation {
  const double **weights;
  double *loss, *value;
} dorm__violation;

/* Scores the query and finds its most violated output. Scores at `point`, which keeps the scores, or at w if `point` is
 * NULL. If both are NULL, uses thread->scores. Leaves the documents of the output in thread->order. *weights becomes
 * their weights in its feature map (borrowed from the problem or the thread), *loss its Delta, and *value its <w, Phi>
 * + Delta. Fails if the oracle fails, without a message. Adds the seconds of scoring and of the oracle to the thread's
 * times, and begins the thread's next phase. */
dorm_status dorm__output_violation(const dorm__problem *problem, size_t query, dorm__scored_point *point,
                                   const double *w, dorm__thread *thread, const dorm__violation *found);
/* Computes phi = sum_i weights[i] x_docs[i], i < count, without documents of weight 0. If the first positions have
 * functions of their own, docs[i] is at position i, and weights[i] x_docs[i] is also block 1 + i of phi. Returns false
 * when out of memory. */
bool dorm__output_combine(const dorm__problem *problem, size_t query, size_t count, const uint32_t *docs,
                          const double *weights, dorm__thread *thread, dorm__vector *phi);
/* Makes phi, the feature map of the output with the documents thread->order and the weights `weights`. Returns false
 * when out of memory. */
bool dorm__output_vector(const dorm__problem *problem, size_t query, const double *weights, dorm__thread *thread,
                         dorm__vector *phi);
/* Returns an upper bound on |p - q|^2. p and q [num_docs] are the weights of the documents in an output and in the
 * reference, so psi is sum_j (q[j] - p[j]) x_j. For a structured loss the first call for a query makes 2 num_docs
 * oracle calls. Returns INFINITY if the loss fails. */
double dorm__output_reach(const dorm__problem *problem, size_t query);

/* ---- Scored point ------------------------------------------------------------------------------ */

/* Returns the w of the point, borrowed until it is freed. */
const double *dorm__scored_point_weights(const dorm__scored_point *point);
/* Fills own [num_own][count] with the scores of the rows first .. first + count - 1 by the functions of the first
 * positions, the blocks of w after the first one. Does nothing if there are none. */
void dorm__own_scores(const dorm__problem *problem, size_t first, size_t count, const double *w, double *own);
/* Puts the scores of the query's documents by every function into thread->scores. Computes them only if they are not
 * known yet. Threads may call it for different queries at the same time. */
void dorm__scored_point_query(dorm__scored_point *point, size_t query, dorm__thread *thread);

/* ---- Reference --------------------------------------------------------------------------------- */

/* Makes the reference, its feature map phi and its loss Delta, at the point or, if that is NULL, at the scores in
 * thread->scores. Keeps the scores if the reference depends on them. Fails only if the oracle fails
 * (DORM_NUMERICAL_FAILURE) or memory runs out, without a message. */
dorm_status dorm__reference_at(const dorm__problem *problem, const dorm__reference *reference, size_t query,
                               dorm__scored_point *point, dorm__thread *thread, dorm__vector *phi, double *loss);

#endif
