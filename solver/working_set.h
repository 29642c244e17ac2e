/* working_set.h: the parts of a working set, for the files that sweep it and add columns to it. */
#ifndef DORM_SOLVER_WORKING_SET_H
#define DORM_SOLVER_WORKING_SET_H

#include "base/base.h"
#include "solver/columns.h"
#include "solver/problem.h"

/* The column sets of one shard, which one thread sweeps, and its scratch. */
typedef struct dorm__shard {
  size_t first; /* column sets first .. end - 1 */
  size_t end;
  dorm__qp_workspace *qp;
  double *v; /* [num_features] v as the shard has moved it, then its scalars: a row of dorm__moves */
  double *w;
  double *scratch; /* [3][scratch_size]: margins, h, change of alpha */
  size_t scratch_size;
  size_t num_columns, num_support; /* when they were last counted */
} dorm__shard;

/* The scalars behind a shard's row, in order: (1) the sum over its columns of (alpha - old_alpha) Delta; (2) its part
 * of the gap; (3) the longest step that keeps alpha feasible; (4) the sum of alpha Delta; (5) the slope of the dual
 * along its move; (6) 1 when out of memory. */
enum { DORM__GAIN, DORM__GAP, DORM__LONGEST, DORM__VALUE, DORM__SLOPE, DORM__FAILED, DORM__NUM_SCALARS };

/* The rows that the shards of all processes exchange. */
typedef struct dorm__moves {
  size_t count;  /* of shards, of all processes */
  size_t first;  /* number of this process's first */
  size_t stride; /* at least num_features + DORM__NUM_SCALARS */
  double
      *own; /* [2][num_shards][stride], so that a thread may write the next rows while another still reads the last */
  double *all; /* [count][stride] of all processes, or NULL if all shards are here */
} dorm__moves;

/* The sums over the rows of all shards. Each thread computes it for itself, so that a sweep needs one barrier. With
 * several processes or very wide rows there is a single one, which the first thread computes. */
typedef struct dorm__joint {
  double *v;     /* [num_features] */
  double *w;     /* [num_features] */
  double *move;  /* [num_features] */
  double *theta; /* [count] part of the move of each shard that is taken, 0 to 1 */
  double *gram;  /* [count][count] of the moves */
  double gap;    /* sum of the shards' gaps */
  double dual;   /* value of the dual */
  double step;   /* along `move` */
  bool is_cut;   /* the step ended at the bounds of alpha */
  size_t phase;  /* number of the present rows, whose parity chooses the half of moves->own */
  dorm_status status;
  char apart[64]; /* padding to the next thread's joint, which another core writes */
} dorm__joint;

/* The dual variables, with v = centre + sum alpha psi, and w = v moved into the bounds. */
struct dorm__working_set {
  const dorm__problem *problem;
  dorm__scored_point *point; /* for references and passes at a fixed point */
  dorm__bounds bounds;
  double *centre;         /* [num_features] the point at which the regulariser is 0, NULL for 0 */
  dorm__columns *sets;    /* [num_queries] */
  double *reference_loss; /* [num_queries] */
  double *v;              /* [num_features] of the first joint */
  double *w;              /* [num_features] of the first joint */
  size_t num_shards;      /* that are swept in parallel, of this process */
  dorm__shard *shards;
  size_t num_threads; /* that sweep them */
  dorm__moves moves;
  dorm__joint *joints;   /* [num_joints] */
  size_t num_joints;     /* num_threads, or 1 */
  size_t num_sequential; /* sequential passes since the last pass at a fixed point */
  double estimate;       /* of the duality gap, by the last sequential pass, INFINITY if none */
};

/* Does dorm__join_refresh in a region of its own. A failure of the processes is found again in their next call. */
void dorm__working_set_refresh(dorm__working_set *set);
/* Returns 1/2 |w - centre|^2, the regulariser at w [num_features]. */
double dorm__working_set_regulariser(const dorm__working_set *set, const double *w);
/* Returns the dual value at the last refresh or sweep: the minimum over w within the bounds of the Lagrangian sum alpha
 * Delta + 1/2 |w - centre|^2 - <w, sum alpha psi>. Without bounds it is sum alpha (Delta - <centre, psi>) - 1/2 |sum
 * alpha psi|^2. */
double dorm__working_set_dual(const dorm__working_set *set);
/* Returns the number of columns after the last refresh or prune. */
size_t dorm__working_set_num_columns(const dorm__working_set *set);
/* Returns the number of columns with alpha > 0 at the last refresh, the support vectors. */
size_t dorm__working_set_num_support(const dorm__working_set *set);
/* Sets w [num_features] to v moved into the bounds. */
void dorm__working_set_project(const dorm__working_set *set, const double *v, double *w);
/* Counts idle passes and drops columns that were idle for `limit` passes. If the columns take more than `most_bytes`
 * together, drops all with alpha = 0. */
void dorm__working_set_prune(dorm__working_set *set, uint32_t limit, size_t most_bytes);

/* ---- Moves ------------------------------------------------------------------------------------- */

/* Moves of v: num_own of this process among `count`, num_features numbers each, `stride` apart. */
typedef struct dorm__moves_shape {
  size_t num_own, count, num_features, stride;
} dorm__moves_shape;

/* Gathers rows own [num_own][stride] of every process into all [count][stride]. If there are many features, sends only
 * those that are not 0. */
dorm_status dorm__moves_gather(dorm_context *context, const dorm__moves_shape *shape, const double *own, double *all);

/* ---- Joining the shards (moves.c) --------------------------------------------------------------- */

/* Every thread of a parallel region of set->num_threads threads calls the functions below. */

/* Begins the region. Returns the joint of the calling thread. */
dorm__joint *dorm__join_enter(dorm__working_set *set);
/* Finds the shards first .. end - 1 of the calling thread. */
void dorm__join_range(const dorm__working_set *set, size_t *first, size_t *end);
/* Makes shard->v the row that is filled next, with scalars of 0. */
void dorm__join_begin(const dorm__working_set *set, const dorm__joint *joint, dorm__shard *shard);
/* Ends a sweep: waits for all shards and takes the best parts of their moves into v, w and alpha. */
void dorm__join_sweep(dorm__working_set *set, dorm__joint *joint);
/* Ends the search for a direction. Moves v and w by the longest useful step, joint->step, along the sum of the rows. */
void dorm__join_step(dorm__working_set *set, dorm__joint *joint);
/* Recomputes v, w and the dual value from alpha. */
void dorm__join_refresh(dorm__working_set *set, dorm__joint *joint);

/* ---- Face -------------------------------------------------------------------------------------- */

/* Writes into old_alpha of every column set the move that maximises the dual (without bounds on w) among those that
 * keep alpha = 0 if it is 0, and sum alpha if that is at its bound. *found becomes false, and old_alpha stays, if
 * nothing can move, if there are several shards, or if the face has so many directions that sweeps are faster. O(n^2
 * num_features + n^3) for n columns with alpha > 0. */
dorm_status dorm__working_set_face_move(dorm_context *context, const dorm__working_set *set, double C, bool *found);

/* ---- Sweeps ------------------------------------------------------------------------------------ */

/* The limits at which the sweeps of a solve end: at a gap of `tolerance`, but not while the gap is above both
 * least_tolerance and gain_share times the gain of the dual value over `dual`. */
typedef struct dorm__sweep_limits {
  double tolerance;
  double gain_share;
  double dual; /* before the pass whose columns are swept */
  double least_tolerance;
  double enough;      /* the dual value at which they end, INFINITY for none */
  size_t most_sweeps; /* the number after which they end */
  bool goes_on;       /* if sweeps creep, all column sets are moved together */
  double of_dual;     /* if > 0, they compute all own gaps and end at this share of the dual value instead */
} dorm__sweep_limits;
/* Sweeps until one of the limits is reached. A sweep solves one exact QP per column set and keeps w up to date. The own
 * gap of a column set is C weight max(0, largest margin) - sum alpha margin. Sweeps do not change a set whose own gap
 * is negligible. Most sweeps skip sets whose own gap was negligible when last computed. The shards are swept in
 * parallel, each from the same v, and a line search joins their moves. O(columns num_features) a sweep. */
dorm_status dorm__working_set_solve(dorm_context *context, dorm__working_set *set, double C,
                                    const dorm__sweep_limits *limits);
/* Makes one sequential pass over the data. For each query, asks its oracle at the present w. Adds the ranking to the
 * query's column set if its margin is more than `tolerance` above the largest one of the set. Then solves the set's QP.
 * *gap becomes the sum of the own gaps with the new rankings, each before its solve. It estimates the duality gap of
 * the whole problem. */
dorm_status dorm__working_set_pass(dorm_context *context, dorm__working_set *set, double C, double tolerance,
                                   double *gap);

#endif
