/* thread.h: the scratch memory and the clock of one thread that works on a problem's queries. */
#ifndef DORM_SOLVER_THREAD_H
#define DORM_SOLVER_THREAD_H

#include "assignment/assignment.h"
#include "base/base.h"
#include "base/memory.h"
#include "data/data.h"

/* A document with the keys by which references sort. */
typedef struct dorm__keyed_doc {
  double gain;
  double score;
  uint32_t doc;
} dorm__keyed_doc;

/* The scratch of one thread. Arrays without a shape are [max_docs]. */
typedef struct dorm__thread {
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

/* Makes scratch for queries of up to max_docs documents, each of which has a score by every function. */
dorm_status dorm__thread_init(dorm_context *context, size_t max_docs, size_t num_functions, size_t num_features,
                              bool is_sparse, dorm__thread *thread);
void dorm__thread_clear(dorm__thread *thread);
/* Begins the next phase of the work on a query and returns the seconds of the phase that ends. */
double dorm__next_phase(dorm__thread *thread);
/* Does the same at the end of an oracle call, and adds the seconds to the seconds of the oracle's method. */
double dorm__oracle_phase(dorm__thread *thread);
/* Sets the message that explains why the thread's last oracle call ended with `status`, and returns the status of that
 * failure. Does nothing for DORM_OK. `query` is the number in the data set. */
dorm_status dorm__thread_explain(dorm_context *context, const dorm__thread *thread, const dorm_dataset *dataset,
                                 size_t query, dorm_status status);

#endif
