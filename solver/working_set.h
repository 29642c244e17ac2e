/* working_set.h: the parts of a working set, for the files that sweep it and add columns to it. */
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
  double *v; /* [num_features] v as the shard has moved it; while shards are joined, the move alone */
  double *w;
  double *scratch; /* [3][scratch_size]: margins, h, change of alpha */
  size_t scratch_size;
  double gap;
  double gain;    /* sum over the shard's columns of (alpha - old_alpha) Delta */
  double longest; /* step along the shard's move that keeps alpha feasible */
} dorm__shard;

/* What the shards of all processes hand to one another, and what follows from it on each of them. */
typedef struct dorm__moves {
  size_t count;  /* of shards, of all processes */
  size_t first;  /* number of this process's first */
  size_t stride; /* num_features + DORM__NUM_SCALARS */
  double *own;   /* [num_shards][stride]: v of a shard, then its scalars */
  double *all;   /* [count][stride]; `own` where all shards are here */
  double *theta; /* [count] part of the move that is taken, 0 to 1 */
  double *slope; /* [count] of the dual along the moves */
  double *gram;  /* [count][count] of the moves; NULL where nothing is dealt */
  double *sum;   /* [num_features] */
} dorm__moves;
enum { DORM__GAIN, DORM__GAP, DORM__LONGEST, DORM__NUM_SCALARS };

/* v = centre + sum alpha psi, and w is v moved into the bounds. */
struct dorm__working_set {
  const dorm__problem *problem;
  dorm__scored_point *point; /* where references are taken and passes at a fixed point are made */
  dorm__bounds bounds;
  double *centre; /* [num_features] where the regulariser is 0; NULL: at 0 */
  bool is_one_slack;
  size_t num_sets;        /* num_queries, or 1 */
  dorm__columns *sets;    /* [num_sets] */
  double *reference_loss; /* [num_queries] */
  double *v;              /* [num_features] */
  double *w;              /* [num_features] */
  size_t all_sets;        /* of all processes; 1 with one slack, whose columns every process has */
  size_t num_shards;      /* that are swept in parallel, of this process */
  dorm__shard *shards;
  size_t num_threads; /* that sweep them */
  dorm__moves moves;
  size_t num_sequential; /* sequential passes since the last pass at a fixed point */
  double estimate;       /* of the duality gap, by the last sequential pass; INFINITY: none */
};

/* The weight of the slack of a column set: that of its query; with one slack, whose columns are weighted sums, 1. */
double dorm__working_set_weight(const dorm__working_set *set, size_t index);
/* Recomputes v and w from alpha. */
void dorm__working_set_refresh(dorm__working_set *set);
/* Gathers v and the scalars of the shards of all processes into set->moves; v began at base (NULL: 0). */
dorm_status dorm__working_set_gather(dorm__working_set *set, const double *base);
/* 1/2 |w - centre|^2, the regulariser at w [num_features]. */
double dorm__working_set_regulariser(const dorm__working_set *set, const double *w);
/* The dual value, which is the minimum over w within the bounds of the Lagrangian sum alpha Delta + 1/2 |w - centre|^2
 * - <w, sum alpha psi>; without bounds it is sum alpha (Delta - <centre, psi>) - 1/2 |sum alpha psi|^2. */
double dorm__working_set_dual(const dorm__working_set *set);
size_t dorm__working_set_num_columns(const dorm__working_set *set);
/* The number of columns with alpha > 0, the support vectors. */
size_t dorm__working_set_num_support(const dorm__working_set *set);
/* Sets w [num_features] to v moved into the bounds. */
void dorm__working_set_project(const dorm__working_set *set, const double *v, double *w);
/* Counts idle passes and drops columns that were idle for `limit` passes; if the columns take more than `most_bytes`
 * together, drops all with alpha = 0. */
void dorm__working_set_prune(dorm__working_set *set, uint32_t limit, size_t most_bytes);

#endif
