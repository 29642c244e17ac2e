/* plan.h: the part of the oracle that does not depend on scores. */
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
  bool is_free;    /* the method was chosen by the plan, not asked for: another may be taken where t = 0 */
  bool adjusts;    /* positions have scores of their own: they enter anew after the best ranking without them */
  bool can_sort;   /* one sort is exact for every t */
  double key_of_g; /* gamma and alpha of keys.c */
  double key_of_b;
  size_t top;            /* the table s of keys.c is constant from there on */
  double magnitude_of_g; /* max |c| and max |cost|: they bound what a call adds up */
  double magnitude_of_t;
  dorm__oracle_call tables; /* without g and t */
  size_t truncation;        /* a is constant from there on, up to falls whose sum is lost in rounding */
  dorm__levels levels;
  dorm__equals equals;      /* for moves; else empty */
  dorm__group_plan *groups; /* NULL if there are none that matter */
};

/* The method that most calls of the plan will take. */
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
  double *from; /* [max_docs] documents, as doubles, so that vector units select them together with distances */
  uint32_t *position_of, *scanned; /* [max_docs] */
} dorm__shortest_path_scratch;

/* O(num_docs^3) time, linear memory. */
void dorm__shortest_path_solve(const dorm__oracle_call *call, const dorm__shortest_path_scratch *scratch,
                               uint32_t *order);
/* The same where `order` comes in as the best ranking without the scores of the first positions, and doc_price and
 * position_price prove it. O(num_own num_docs^2) time. */
void dorm__shortest_path_adjust(const dorm__oracle_call *call, const dorm__shortest_path_scratch *scratch,
                                uint32_t *order);

/* ---- Check ------------------------------------------------------------------------------------- */

/* Uses the tables and scores alone, or the prices that the method left in the workspace. */
bool dorm__oracle_check(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const dorm__oracle_call *call,
                        dorm__oracle_method method, const uint32_t *order);

/* ---- Keys -------------------------------------------------------------------------------------- */

/* The keys of a sort [num_docs]: the call's g, or workspace->keys. */
const double *dorm__oracle_keys(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                                const dorm__oracle_call *call);
/* The documents by falling score. The middle of the range of the scores, which shifts every value alike, is the offset
 * to subtract from them: with it rounding would count for more. The arrays lie in the workspace. */
dorm__ranked dorm__oracle_rank(dorm__oracle_workspace *workspace, const dorm__oracle_call *call);
/* Improvements below this count as rounding. `spread` is the largest |g - offset|. */
double dorm__oracle_tolerance(const dorm__oracle_plan *plan, double t, double spread);

#endif
