/* plan.h: the score-independent part of the oracle. */
#ifndef DORM_ASSIGNMENT_PLAN_H
#define DORM_ASSIGNMENT_PLAN_H

#include "assignment/assignment.h"
#include "assignment/call.h"
#include "assignment/groups/groups.h"
#include "assignment/runs/runs.h"

/* ---- Moves ----------------------------------------------------------------------------------------- */

/* The best ranking by improving moves, for any number of distinct gains b (moves.c). */

enum { DORM__MOVES_BLOCK = 16 };

/* All arrays are [max_docs], except the bounds of blocks of DORM__MOVES_BLOCK positions. */
typedef struct dorm__moves_scratch {
  uint32_t *docs;                  /* at each position */
  double *score, *gain;            /* of the document at each position: g - offset, t b */
  double *potential;               /* of each position */
  double *base;                    /* the line y -> base + c[y] score - a[y] gain of the document at each position */
  double *key;                     /* of the remaining documents while the head is filled */
  double *start;                   /* the largest c at which a line of the tail's envelope is the highest */
  double *position_price;          /* for checks */
  uint32_t *parent, *visit, *next; /* of positions: the arc that raised it, the walk that met it, its next one */
  uint32_t *lines;                 /* positions of the head by falling score */
  uint32_t *envelope;              /* a subset of `lines`, the highest in the tail */
  uint32_t *rank;                  /* of each document by score */
  double *low, *high;              /* [blocks] the highest line of each block at two positions */
  double *most_gain;               /* [blocks] the largest magnitudes */
} dorm__moves_scratch;

/* Documents of equal b. Document j is in group group_of[j]. The documents of a group begin at place start[group] among
 * all documents by groups. */
typedef struct dorm__equals {
  size_t count;               /* groups */
  uint32_t *group_of, *start; /* [num_docs] */
} dorm__equals;

/* Fills order with the best ranking. Returns false, with order undefined, if `most_sweeps` was not sufficient. a is
 * constant from position `truncation` on. */
bool dorm__moves_solve(const dorm__oracle_call *call, const dorm__equals *equals, const dorm__search_limits *limits,
                       const dorm__ranked *ranked, const dorm__moves_scratch *scratch, uint32_t *order);

/* Computes the prices that prove `order` after dorm__moves_solve: position_price and, for documents, key. `offset` is
 * the offset of the scores. */
void dorm__moves_prices(const dorm__oracle_call *call, double offset, const uint32_t *order,
                        const dorm__moves_scratch *scratch);

/* ---- Plan ------------------------------------------------------------------------------------------ */

struct dorm__oracle_plan {
  dorm__region memory; /* of levels and equals */
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
