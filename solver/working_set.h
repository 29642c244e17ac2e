/* working_set.h: the parts of a working set, for the files that sweep it and add columns to it. */
#ifndef DORM_SOLVER_WORKING_SET_H
#define DORM_SOLVER_WORKING_SET_H

#include "base/base.h"
#include "solver/columns.h"
#include "solver/problem.h"

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

/* ---- Moves ------------------------------------------------------------------------------------- */

/* Moves of v: num_own of this process among `count`, num_features numbers each, `stride` apart. */
typedef struct dorm__moves_shape {
  size_t num_own, count, num_features, stride;
} dorm__moves_shape;

/* Gathers rows own [num_own][stride] of every process into all [count][stride]. Of the first num_features numbers of a
 * row only those are sent that differ from base [num_features], which is the same on all processes (NULL: 0), where
 * there are so many that few differ; the others are sent as they are. */
dorm_status dorm__moves_gather(dorm_context *context, const dorm__moves_shape *shape, const double *base,
                               const double *own, double *all);

/* ---- Face -------------------------------------------------------------------------------------- */

/* Writes into old_alpha of every column set the move that maximises the dual (without bounds on w) among those that
 * keep alpha = 0 where it is 0, and sum alpha where that is at its bound. *found is false, and old_alpha as it was,
 * where nothing can move, where the queries are dealt to processes, and where the face has more directions than sweeps
 * are slower for. O(n^2 num_features + n^3) for n columns with alpha > 0. */
dorm_status dorm__working_set_face_move(dorm_context *context, const dorm__working_set *set, double C, bool *found);

/* ---- Sweeps ------------------------------------------------------------------------------------ */

/* Solves one exact QP per column set and keeps w up to date. The own gap of a column set is C weight max(0, largest
 * margin) - sum alpha margin; a set whose own gap is at most `negligible` is left as it is. With `looks_again` all own
 * gaps are computed; without it, a set whose own gap was negligible when last computed is skipped. The shards are swept
 * in parallel, each from the same v, and their moves are joined by a line search. *gap becomes the sum of the own gaps,
 * each before its solve: an estimate of what the duality gap of the working set was. O(columns num_features). */
dorm_status dorm__working_set_sweep(dorm_context *context, dorm__working_set *set, double C, double negligible,
                                    bool looks_again, double *gap);
/* When the sweeps of a solve end: at a gap of `tolerance`, but not while the gap is above gain_share times what the
 * dual value has gained over `dual`, unless it is at most least_tolerance. */
typedef struct dorm__sweep_limits {
  double tolerance;
  double gain_share;
  double dual; /* before the pass whose columns are swept */
  double least_tolerance;
  double enough;      /* the dual value at which they end; INFINITY: none */
  size_t most_sweeps; /* the number after which they end */
  bool goes_on;       /* where sweeps creep, all column sets are moved together */
} dorm__sweep_limits;
/* Sweeps until one of the limits is reached. */
dorm_status dorm__working_set_solve(dorm_context *context, dorm__working_set *set, double C,
                                    const dorm__sweep_limits *limits);
/* Makes one sequential pass over the data, for n-slack only: goes from query to query, asks its oracle at the present
 * w, takes the ranking into the query's column set if its margin is more than `tolerance` above the largest one of the
 * set, and solves the set's QP. *gap becomes the sum of the own gaps with the new rankings, each before its solve: an
 * estimate of what the duality gap of the whole problem was. */
dorm_status dorm__working_set_pass(dorm_context *context, dorm__working_set *set, double C, double tolerance,
                                   double *gap);

#endif
