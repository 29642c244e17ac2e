/* stream_parts.h: the parts of a stream, for the files that learn from it, report on it, and write it down. */
#ifndef DORM_SOLVER_STREAM_PARTS_H
#define DORM_SOLVER_STREAM_PARTS_H

#include "solver/columns.h"
#include "solver/problem.h"
#include "solver/stream.h"

/* One query of the window: a problem of one query with its column set. */
typedef struct dorm__stream_slot {
  dorm_dataset *dataset; /* NULL: the slot is empty */
  dorm__features features;
  dorm__loss_tables *tables;
  dorm__problem problem; /* its arrays are the fields below */
  size_t number;         /* of the query in its data set, 0 */
  const double *c;
  double *c_table; /* [num_docs]; NULL where c is the loss's own */
  size_t depth;
  dorm__oracle_plan *plan;
  double weight; /* 1 */
  dorm__columns columns;
  double hinge; /* when the query came */
} dorm__stream_slot;

/* alpha, v and bound are in units of 1 / scale: w = base + scale v, v = sum over all queries so far of alpha psi. */
struct dorm__stream {
  dorm__stream_options options;
  dorm__thread thread; /* scratch for max_docs documents and capacity features */
  size_t max_docs;
  size_t width;    /* features so far */
  size_t capacity; /* of the arrays below; 0 behind the width */
  double *base;
  double *v;
  double *w;
  double scale;
  uint64_t num_trained;
  uint64_t num_taken;       /* queries, also those that cannot be learned from */
  dorm__stream_slot *slots; /* [window + 1], a ring: query number i is in slot i % (window + 1) */
  dorm__qp_workspace *qp;
  double *scratch; /* [3][scratch_size]: margins, h, change of alpha */
  size_t scratch_size;
};

/* Makes the tables, position weights and plan of a slot that has its data set and rows; the reference is left. */
dorm_status dorm__stream_open_slot(dorm_context *context, dorm__stream *stream, dorm__stream_slot *slot);
/* Makes room for queries of so many documents and features. */
dorm_status dorm__stream_reserve(dorm_context *context, dorm__stream *stream, size_t num_docs, size_t width);
/* The most violated ranking of a query becomes a column if its margin is above those of its columns, then its dual is
 * solved. *own_gap becomes C max(0, largest margin) - sum alpha margin before that, in units of w. */
dorm_status dorm__stream_visit(dorm_context *context, dorm__stream *stream, dorm__stream_slot *slot, double *own_gap);
/* Solves the dual of a query's columns at w. False when out of memory. */
bool dorm__stream_solve_slot(dorm__stream *stream, dorm__stream_slot *slot, double *own_gap);
/* The slot of query `index` of the window, 0: the oldest. */
dorm__stream_slot *dorm__stream_slot_at(const dorm__stream *stream, size_t index);
size_t dorm__stream_num_kept(const dorm__stream *stream);

#endif
