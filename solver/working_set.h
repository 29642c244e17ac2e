/* working_set.h: the parts of a working set, for the files that sweep it and add columns to it. */
#ifndef DORM_SOLVER_WORKING_SET_H
#define DORM_SOLVER_WORKING_SET_H

#include "solver/columns.h"
#include "solver/problem.h"

/* The column sets of one shard, which one thread sweeps, and its scratch. */
typedef struct dorm__shard {
  size_t first; /* column sets first .. end - 1 */
  size_t end;
  dorm__qp_workspace *qp;
  double *v;       /* its row in moves.own, borrowed: [num_features] v as it has moved it, then its scalars */
  double *w;       /* [num_features] v moved into the bounds, kept up to date only if there are bounds */
  double *scratch; /* [3][scratch_size]: margins, h, change of alpha */
  size_t scratch_size;
  size_t num_columns, num_support; /* at the last refresh, num_columns also after a prune */
} dorm__shard;

/* The scalars that follow the num_features numbers of a shard's row:
 *
 *   GAIN      the sum over its columns of Delta times the change of alpha, or times the direction of alpha in a step
 *   GAP       the sum of the own gaps of its column sets
 *   LONGEST   the longest step that keeps alpha feasible
 *   VALUE     the sum of alpha Delta
 *   SLOPE     the slope of the dual along the shard's move of v
 *   FAILED    1 when out of memory, otherwise 0
 */
enum { DORM__GAIN, DORM__GAP, DORM__LONGEST, DORM__VALUE, DORM__SLOPE, DORM__FAILED, DORM__NUM_SCALARS };

/* The rows that the shards of all processes exchange. */
typedef struct dorm__moves {
  size_t count;  /* shards of all processes, one row each */
  size_t first;  /* number of the first shard of this process among these */
  size_t stride; /* numbers from one row to the next, at least num_features + DORM__NUM_SCALARS */
  /* [2][num_shards][stride]: a thread may write the next rows while another still reads the last ones. If a single
   * joint serves all threads, there is only one half. */
  double *own;
  double *all; /* [count][stride] of all processes, or NULL if all shards are here */
} dorm__moves;

/* The point that results from the rows of all shards. Every thread computes a joint of its own from them, so that a
 * sweep needs only one barrier. With several processes or very wide rows, the first thread computes a single joint that
 * all threads read. */
typedef struct dorm__joint {
  double *v;     /* [num_features] */
  double *w;     /* [num_features] */
  double *move;  /* [num_features] */
  double *theta; /* [count] share of each shard's move that is taken, 0 to 1 */
  double *gram;  /* [count][count] inner products of the shards' moves */
  double gap;    /* sum of the shards' gaps */
  double dual;   /* value of the dual */
  double step;   /* along `move` */
  bool is_cut;   /* the step ended at the bounds of alpha */
  size_t phase;  /* number of joins so far, whose parity chooses the half of moves->own */
  dorm_status status;
  char apart[64]; /* padding to the next thread's joint, which another core writes */
} dorm__joint;

/* The dual variables, with v = centre + sum alpha psi, and w = v moved into the bounds. */
struct dorm__working_set {
  dorm__region memory; /* of the arrays but the centre */
  const dorm__problem *problem;
  dorm__scored_point *point; /* for references and passes at a fixed point */
  dorm__bounds bounds;
  double *centre;         /* [num_features] the point at which the regulariser is 0, NULL for 0 */
  dorm__columns *sets;    /* [num_queries] */
  double *reference_loss; /* [num_queries] */
  double *v;              /* [num_features] owned by the first joint */
  double *w;              /* [num_features] owned by the first joint */
  size_t num_shards;      /* shards of this process, which are swept in parallel */
  dorm__shard *shards;
  size_t num_threads; /* that sweep these shards */
  dorm__moves moves;
  dorm__joint *joints;   /* [num_joints] */
  size_t num_joints;     /* num_threads, or 1 */
  size_t num_sequential; /* sequential passes since the last pass at a fixed point */
  double estimate;       /* duality gap as the last sequential pass estimated it, INFINITY if none did */
};

/* Calls dorm__join_refresh in a parallel region of its own. If the processes fail, their next call fails as well. */
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

/* ---- Joining the shards (moves.c) --------------------------------------------------------------- */

/* Every thread of a parallel region of set->num_threads threads calls the functions below. */

/* Begins the region. Returns the joint of the calling thread. */
dorm__joint *dorm__join_enter(dorm__working_set *set);
/* Finds the shards first .. end - 1 of the calling thread. */
void dorm__join_range(const dorm__working_set *set, size_t *first, size_t *end);
/* Points shard->v to the row that the shard has to fill next, and sets the scalars of this row to 0. */
void dorm__join_begin(const dorm__working_set *set, const dorm__joint *joint, dorm__shard *shard);
/* Ends a sweep: waits for all shards and takes the best share of each shard's move into v, w and alpha. */
void dorm__join_sweep(dorm__working_set *set, dorm__joint *joint);
/* Ends the search for a direction, which is the sum of the rows. Moves v and w along it by joint->step, up to the
 * maximum of the dual's minorant (sweeps.c), or up to the bounds of alpha if these come first. The caller moves alpha.
 */
void dorm__join_step(dorm__working_set *set, dorm__joint *joint);
/* Recomputes v, w and the dual value from alpha. */
void dorm__join_refresh(dorm__working_set *set, dorm__joint *joint);

/* ---- Face -------------------------------------------------------------------------------------- */

/* Writes a move of alpha into old_alpha of every column set: the move to the maximum of the dual (without bounds on w)
 * on the face of alpha. On this face each alpha that is 0 stays 0, and each sum of alpha that is at its bound stays
 * there. *found becomes false, and old_alpha stays, if nothing can move, if there are several shards, if the face has
 * so many directions that sweeps are faster, or if the system has no solution. O(n^2 num_features + n^3) for n columns
 * with alpha > 0. Fails only when out of memory. */
dorm_status dorm__working_set_face_move(dorm_context *context, const dorm__working_set *set, double C, bool *found);

/* ---- Sweeps ------------------------------------------------------------------------------------ */

/* The limits at which the sweeps of a solve end. They end when the gap is at most
 *
 *   max(least_tolerance, min(tolerance, gain_share (present dual value - dual)))
 *
 * or when another limit is reached. */
typedef struct dorm__sweep_limits {
  double tolerance;
  double gain_share;
  double dual; /* before the pass whose columns are swept */
  double least_tolerance;
  double enough;      /* sweeps end at this dual value, INFINITY for none */
  size_t most_sweeps; /* sweeps end after this number */
  bool goes_on;       /* if sweeps raise the dual value slowly, all column sets are moved together */
  double of_dual; /* if > 0, every sweep computes all own gaps, and the gap to reach is this share of the dual value */
} dorm__sweep_limits;
/* Sweeps until one of the limits is reached. A sweep solves one exact QP per column set and keeps w up to date. The own
 * gap of a column set is C weight max(0, largest margin) - sum alpha margin. Sweeps do not change a set whose own gap
 * is negligible. Most sweeps skip sets whose own gap was negligible when last computed. The shards are swept in
 * parallel, each from the same v, and a line search joins their moves. O(columns num_features) a sweep. */
dorm_status dorm__working_set_solve(dorm_context *context, dorm__working_set *set, double C,
                                    const dorm__sweep_limits *limits);
/* Makes one sequential pass over the data. For each query, asks its oracle at the present w. Adds the ranking to the
 * query's column set if its margin is more than `tolerance` above the largest margin in the set. Then solves the set's
 * QP. *gap becomes an estimate of the duality gap of the whole problem: the sum of the own gaps, each computed with the
 * new ranking and before the QP is solved. */
dorm_status dorm__working_set_pass(dorm_context *context, dorm__working_set *set, double C, double tolerance,
                                   double *gap);

#endif
