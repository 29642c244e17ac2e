/* plan.h: the score-independent part of the oracle. */
#ifndef DORM_ASSIGNMENT_PLAN_H
#define DORM_ASSIGNMENT_PLAN_H

#include "assignment/assignment.h"
#include "assignment/call.h"
#include "assignment/groups/groups.h"
#include "assignment/moves.h"
#include "assignment/runs/runs.h"
#include "base/base.h"

struct dorm__oracle_plan {
  dorm__oracle_method method;
  bool is_free;    /* the plan chose the method, so another may be used if t = 0 */
  bool adjusts;    /* positions have additional scores, which enter after the best ranking without them */
  bool can_sort;   /* one sort is exact for every t */
  double key_of_g; /* gamma and alpha of keys.c */
  double key_of_b;
  size_t top;            /* the table s of keys.c is constant from here on */
  double magnitude_of_g; /* max |c| and max |cost|, which bound the sums of a call */
  double magnitude_of_t;
  dorm__oracle_call tables; /* without g and t */
  size_t truncation;        /* a is constant from here on, ignoring falls whose sum is lost in rounding */
  dorm__levels levels;
  dorm__equals equals;      /* for moves, otherwise empty */
  dorm__group_plan *groups; /* or NULL if there are no effective groups */
};

/* The method that most calls of the plan use. */
dorm__oracle_method dorm__oracle_plan_method(const dorm__oracle_plan *plan);

/* ---- Hungarian --------------------------------------------------------------------------------- */

typedef struct dorm__hungarian_scratch {
  double *doc_label, *position_label, *slack; /* [max_docs] */
  uint32_t *slack_doc, *position_of;          /* [max_docs] */
  uint8_t *doc_in_tree, *position_in_tree;    /* [max_docs] */
} dorm__hungarian_scratch;

/* O(num_docs^3) time, linear memory. */
void dorm__hungarian_solve(const dorm__oracle_call *call, const dorm__hungarian_scratch *scratch, uint32_t *order);

/* ---- Shortest path ----------------------------------------------------------------------------- */

typedef struct dorm__shortest_path_scratch {
  double *distance, *scanned_distance, *doc_price, *position_price, *open_price; /* [max_docs] */
  double *from; /* [max_docs] documents as doubles, so that vector units select them together with distances */
  uint32_t *position_of, *scanned; /* [max_docs] */
} dorm__shortest_path_scratch;

/* O(num_docs^3) time, linear memory. */
void dorm__shortest_path_solve(const dorm__oracle_call *call, const dorm__shortest_path_scratch *scratch,
                               uint32_t *order);
/* Does the same if `order` is the best ranking without the scores of the first positions, and doc_price and
 * position_price prove it. O(num_own num_docs^2) time. */
void dorm__shortest_path_adjust(const dorm__oracle_call *call, const dorm__shortest_path_scratch *scratch,
                                uint32_t *order);

/* ---- Check ------------------------------------------------------------------------------------- */

/* Uses only the tables and scores, or the prices that the method left in the workspace. */
bool dorm__oracle_check(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const dorm__oracle_call *call,
                        dorm__oracle_method method, const uint32_t *order);

/* ---- Keys -------------------------------------------------------------------------------------- */

/* The sort keys [num_docs]: the call's g, or workspace->keys. */
const double *dorm__oracle_keys(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                                const dorm__oracle_call *call);
/* Sorts the documents by falling score. The offset, to be subtracted from the scores, is the middle of their range. It
 * shifts all values equally but would increase rounding errors. The arrays are in the workspace. */
dorm__ranked dorm__oracle_rank(dorm__oracle_workspace *workspace, const dorm__oracle_call *call);
/* Smaller improvements count as rounding. `spread` is the largest |g - offset|. */
double dorm__oracle_tolerance(const dorm__oracle_plan *plan, double t, double spread);

#endif
