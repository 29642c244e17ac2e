/* working_set.h: the parts of a working set, for the files that sweep it and ask the oracles for more. */
#ifndef DORM_SOLVER_WORKING_SET_H
#define DORM_SOLVER_WORKING_SET_H

#include "solver/columns.h"
#include "solver/problem.h"
#include "solver/scored_point.h"

/* The column sets that one thread sweeps, and its scratch. */
typedef struct dorm__shard {
  size_t first; /* column sets first .. end - 1 */
  size_t end;
  dorm__qp_workspace *qp;
  double *v; /* [num_features]; after the sweep the shard's move */
  double *w;
  double *scratch; /* [3][scratch_size]: margins, h, change of alpha */
  size_t scratch_size;
  double gap;
  double gain;  /* sum over the shard of (alpha - old alpha) Delta */
  double theta; /* part of the move that is taken */
} dorm__shard;

/* v = sum alpha psi, and w is v within the bounds. */
struct dorm__working_set {
  const dorm__problem *problem;
  dorm__scored_point *point; /* where references are taken and passes at a fixed point are made */
  dorm__bounds bounds;
  bool is_one_slack;
  size_t num_sets;        /* num_queries, or 1 */
  dorm__columns *sets;    /* [num_sets] */
  double *reference_loss; /* [num_queries] */
  double *v;              /* [num_features] */
  double *w;              /* [num_features] */
  size_t num_shards;      /* that are swept in parallel */
  dorm__shard *shards;
  size_t num_sequential; /* passes since the last one at a fixed point */
  double estimate;       /* of the duality gap, by the last of them; INFINITY: none */
};

/* v and w from alpha, from scratch. */
void dorm__working_set_refresh(dorm__working_set *set);
/* min over w within the bounds of the Lagrangian: sum alpha Delta + 1/2 |w|^2 -
 * <w, v>, which is sum alpha Delta - 1/2 |w|^2 without bounds. */
double dorm__working_set_dual(const dorm__working_set *set);
size_t dorm__working_set_num_columns(const dorm__working_set *set);
/* Those with alpha > 0: the support vectors. */
size_t dorm__working_set_num_support(const dorm__working_set *set);
/* v [num_features] within the bounds, into w. */
void dorm__working_set_project(const dorm__working_set *set, const double *v, double *w);
/* Counts idle passes and drops columns idle for `limit`; drops every column of
 * no weight when all columns take more than `most_bytes`. */
void dorm__working_set_prune(dorm__working_set *set, uint32_t limit, size_t most_bytes);

#endif
