/* problem.h: the parts of a problem, for the other files of solver/. A `query` in these files is a number among the
 * queries that train, 0 .. num_queries - 1, unless it is said to be a number in the data set. */
#ifndef DORM_SOLVER_PROBLEM_H
#define DORM_SOLVER_PROBLEM_H

#include "base/team.h"
#include "solver/solver.h"
#include "solver/thread.h"

struct dorm__problem {
  dorm_context *context; /* of the processes that train together */
  const dorm_dataset *dataset;
  const dorm__features *features;
  dorm__loss_tables *losses;
  double *c_table;     /* [max_docs]; not used where c is the loss's own table */
  size_t num_queries;  /* queries that train */
  size_t *queries;     /* [num_queries], numbers in the data set */
  double *weights;     /* [num_queries] of the queries, > 0: by so much C is multiplied for each slack */
  double total_weight; /* of all processes */
  size_t all_queries;  /* that train, of all processes */
  size_t all_docs;     /* of these queries */
  bool is_dealt;       /* the data set is dealt into shards; all sums are over shards (sums.h) */
  size_t num_blocks;   /* the shards of this process, one of all queries where nothing is dealt */
  size_t *block_start; /* [num_blocks + 1] queries block_start[i] .. block_start[i + 1] - 1 are block i */
  double *block_sums;  /* [num_blocks] scratch */
  size_t first_block;  /* number of the first block of this process among all_blocks */
  size_t all_blocks;
  const double **c; /* [num_queries], each [num_docs]; NULL where the loss is structured */
  size_t *depth;    /* [num_queries] number of positions up to the last with c other than 0; structured: num_docs */
  dorm__oracle_plan **plans;  /* [num_queries]; NULL where the loss is structured */
  dorm__query_groups *groups; /* [num_queries]; NULL: every ranking is feasible */
  size_t num_short;           /* queries that have too few groups (solver.h) */
  size_t max_docs;
  size_t num_threads;
  dorm__thread *threads; /* [num_threads] scratch */
  dorm__team *team;      /* scratch: which query failed first */
  size_t num_own;        /* first positions with a function of their own */
  double *reach;         /* [num_queries] structured loss: bound on sum_j coefficient_j^2 of outputs, NAN at first */
};

/* The number of weights: num_features of the function of all positions, then as many for each that has one of its own.
 */
size_t dorm__problem_width(const dorm__problem *problem);
/* The scratch of the calling OpenMP thread. */
dorm__thread *dorm__problem_thread(const dorm__problem *problem);
/* Makes the position weights and the oracle plan of a query, and finds the least loss where its tables do not know it.
 */
dorm_status dorm__problem_make_plan(dorm_context *context, dorm__problem *problem, size_t query,
                                    const dorm__problem_options *options);
/* The loss of a query. */
const dorm__query_loss *dorm__problem_loss(const dorm__problem *problem, size_t query);

#endif
