/* assignment.h: the oracle. For one query it finds, over all rankings of its documents,
 *
 *   maximise  sum_j  c[rank[j]] g[j] + t cost[j][rank[j]]
 *
 * with cost[j][p] = -a[p] b[j] in the product form, or a given matrix in the general form. t = 1 gives the most
 * violated ranking, t = -mu a reference ranking, t = 0 the prediction. The first positions may have additional scores
 * (dorm__oracle_plan_set_functions). This folder works on arrays and does not know losses or data. */
#ifndef DORM_ASSIGNMENT_ASSIGNMENT_H
#define DORM_ASSIGNMENT_ASSIGNMENT_H

#include "base/base.h"
#include "base/memory.h"

typedef enum dorm__oracle_method {
  DORM__ORACLE_AUTO,
  DORM__ORACLE_SORT,          /* if a is affine in c, or b is constant */
  DORM__ORACLE_RUNS,          /* if b has few distinct values: a merge of sorted runs */
  DORM__ORACLE_SHORTEST_PATH, /* any costs */
  DORM__ORACLE_HUNGARIAN,     /* any costs, a plain method for comparison */
  DORM__ORACLE_MOVES,         /* the product form, any number of distinct values of b: moves that gain */
  /* The methods for groups cannot be requested. dorm__oracle_plan_add_groups chooses one. */
  DORM__ORACLE_GROUP_SORT,       /* a is affine in c: the best documents of each group by one key */
  DORM__ORACLE_GROUP_ASSIGNMENT, /* groups to positions, if all later positions are alike */
  DORM__ORACLE_LP,               /* GLPK's linear programme */
  DORM__ORACLE_MIP,              /* GLPK's mixed-integer programme */
  DORM__NUM_ORACLE_METHODS,
  DORM__NUM_PLAIN_ORACLE_METHODS = DORM__ORACLE_GROUP_SORT
} dorm__oracle_method;
/* "auto", "sort", ... Static. */
const char *dorm__oracle_method_name(dorm__oracle_method method);

/* ---- Plans ---------------------------------------------------------------- */

/* The score-independent part of a query's oracle: its tables, which are borrowed, and the chosen method. A plan is
 * immutable, so any number of threads may solve with it, each with its own workspace. */
typedef struct dorm__oracle_plan dorm__oracle_plan;

/* a, b and c [num_docs]. a and c do not increase. Returns DORM_BAD_USAGE if `method` is not exact for these tables. */
dorm_status dorm__oracle_plan_new(dorm_context *context, dorm__oracle_method method, size_t num_docs, const double *a,
                                  const double *b, const double *c, dorm__oracle_plan **plan);
/* The general form: cost[num_docs][num_docs], cost[j][p]. */
dorm_status dorm__oracle_plan_new_general(dorm_context *context, dorm__oracle_method method, size_t num_docs,
                                          const double *cost, const double *c, dorm__oracle_plan **plan);
void dorm__oracle_plan_free(dorm__oracle_plan *plan);
DORM__OWNER(dorm__oracle_plan, dorm__oracle_plan_free)
/* Gives the first num_own positions additional scores (the paper, section 3.4). Later calls pass g[1 +
 * num_own][num_docs]: document j at position p < num_own is worth c[p] (g[0][j] + g[1 + p][j]) instead of c[p] g[0][j].
 *
 * The method is shortest paths. In the product form it starts from the best ranking without these scores and takes
 * O(num_own num_docs^2) more. Kuhn-Munkres is used if it was requested. Other requested methods return DORM_BAD_USAGE.
 * num_own may exceed num_docs, and 0 changes nothing. Not for plans with groups. */
dorm_status dorm__oracle_plan_set_functions(dorm_context *context, dorm__oracle_plan *plan, size_t num_own);
/* Prefetches the plan into the cache for a call that follows soon. */
void dorm__oracle_plan_fetch(const dorm__oracle_plan *plan);

/* ---- Groups --------------------------------------------------------------- */

/* Limits on similar documents at the first positions (the paper, section 5.1): at positions 0 .. top - 1 the weights of
 * the documents of each group add up to at most `capacity`. All arrays are borrowed. A group has at least one document
 * and contains each document at most once. */
typedef struct dorm__oracle_groups {
  size_t top; /* the paper's n */
  double capacity;
  size_t num_groups;
  const uint32_t *start; /* [num_groups + 1] into docs and weights */
  const uint32_t *docs;
  const double *weights; /* > 0, or NULL if all are 1 */
} dorm__oracle_groups;

/* The groups of one query. `groups` points into the three arrays. */
typedef struct dorm__query_groups {
  dorm__region memory; /* of the arrays */
  dorm__oracle_groups groups;
  uint32_t *start, *docs;
  double *weights;
} dorm__query_groups;

/* The groups of documents: entries start[j] .. start[j + 1] - 1 belong to document j. */
typedef struct dorm__group_entries {
  const size_t *start; /* [num_docs + 1] */
  const uint32_t *numbers;
  const double *weights;
} dorm__group_entries;

/* Makes groups from lists per document: document j is in the groups numbers[e] with weights[e], for start[j] <= e <
 * start[j + 1]. start[0] need not be 0. */
dorm_status dorm__query_groups_make(dorm_context *context, size_t num_docs, const dorm__group_entries *entries,
                                    size_t top, double capacity, dorm__query_groups *made);
void dorm__query_groups_clear(dorm__query_groups *made);

typedef enum dorm__group_method {
  DORM__GROUPS_AUTO,     /* the cheapest exact one */
  DORM__GROUPS_SHORTCUT, /* by sorting or by assignment, without GLPK */
  DORM__GROUPS_LP,
  DORM__GROUPS_MIP,
  DORM__NUM_GROUP_METHODS
} dorm__group_method;
bool dorm__has_glpk(void);

/* Makes later rankings respect the groups. If fewer than `top` documents can be in front together, the groups apply to
 * that many positions only, and *top becomes their number.
 *
 * Returns DORM_BAD_USAGE if the method is not exact for this plan, or needs GLPK and GLPK is missing. Returns
 * DORM_BAD_DATA if no document may be at the first position. A mixed-integer programme stops after `seconds` (0: never)
 * with its best ranking. Plans with groups allocate memory while they solve by LP or MIP. */
dorm_status dorm__oracle_plan_add_groups(dorm_context *context, dorm__oracle_plan *plan,
                                         const dorm__oracle_groups *groups, dorm__group_method method, double seconds,
                                         size_t *top);

/* The groups of a plan. Arrays are borrowed from the plan. */
typedef struct dorm__plan_groups {
  size_t top;               /* positions that the groups apply to */
  bool is_disjoint;         /* every document is in one group with equal weights, so `room` is sufficient */
  const uint32_t *group_of; /* [num_docs], a document without a group has its own number after the groups */
  const uint32_t *room;     /* [num_docs] documents of a group that may be among the first `top` */
} dorm__plan_groups;
/* Returns false if the plan has no effective groups. groups may be NULL. */
bool dorm__oracle_plan_groups(const dorm__oracle_plan *plan, dorm__plan_groups *groups);

/* Whether no document is in two groups and weights are equal within each group. */
dorm_status dorm__groups_are_disjoint(dorm_context *context, const dorm__oracle_groups *groups, size_t num_docs,
                                      bool *result);
/* Whether a ranking of num_docs documents respects the groups. */
bool dorm__groups_allow(const dorm__oracle_groups *groups, size_t num_docs, const uint32_t *order);

/* ---- Calls ---------------------------------------------------------------- */

/* The scratch space of one thread, for queries of up to max_docs documents: about 150 bytes per document and 17 kB. */
typedef struct dorm__oracle_workspace dorm__oracle_workspace;
dorm_status dorm__oracle_workspace_new(dorm_context *context, size_t max_docs, dorm__oracle_workspace **workspace);
void dorm__oracle_workspace_free(dorm__oracle_workspace *workspace);
DORM__OWNER(dorm__oracle_workspace, dorm__oracle_workspace_free)

/* Finds the best ranking. g [num_docs], or [1 + num_own][num_docs]. Fills order [num_docs]: document order[p] is at
 * position p. In the product form, documents of equal b are in the order of their scores (ties in document order)
 * unless positions have equal c and a. *value (may be NULL) is the worth of the ranking.
 *
 * Returns DORM_NUMERICAL_FAILURE if a score is not finite or so large that the value may overflow, and DORM_BAD_USAGE
 * if the workspace is too small. order is then unchanged. Does not allocate. */
dorm_status dorm__oracle_solve(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const double *g,
                               double t, uint32_t *order, double *value);
/* An upper bound on how much better another ranking may be than the last one found. 0 unless a mixed-integer programme
 * stopped at its limit. */
double dorm__oracle_excess(const dorm__oracle_workspace *workspace);
/* The reason why a programme failed, and its status. "" before the first failure. Owned by the workspace. */
const char *dorm__oracle_failure(const dorm__oracle_workspace *workspace, dorm_status *status);

/* The number of calls by the method that found the ranking. It is shortest-path if runs or moves gave up. */
typedef struct dorm__oracle_counts {
  uint64_t calls[DORM__NUM_ORACLE_METHODS];
  dorm__oracle_method last; /* of the latest call */
  uint64_t failed_checks;
  uint64_t unproved; /* rankings from programmes that stopped at their limit */
} dorm__oracle_counts;
const dorm__oracle_counts *dorm__oracle_workspace_counts(const dorm__oracle_workspace *workspace);
/* Switches the check of every ranking on or off (check.c). It takes O(levels num_docs) for the methods that sort and
 * O(num_docs^2) for the others. If a ranking is not the best, its call returns DORM_NUMERICAL_FAILURE and counts as a
 * failed check. The check is initially on in builds with --enable-sanitizers. */
void dorm__oracle_workspace_set_check(dorm__oracle_workspace *workspace, bool is_on);

/* ---- Interactions (quadratic/) ------------------------------------------------ */

/* A ranking of the first positions is worth sum_p weights[p] gains[doc at p], minus the costs of its pairs (similarity
 * times closeness; the paper, equation 29). */
typedef struct dorm__interactions {
  size_t num_docs;          /* sorted by falling gain (memory grows with (num_docs num_positions)^2) */
  size_t num_positions;     /* 1 to num_docs */
  const double *gains;      /* [num_docs] */
  double outside;           /* the largest gain among other documents, or -INFINITY */
  const double *weights;    /* [num_positions], non-increasing, >= 0 */
  const double *similarity; /* [num_docs][num_docs], symmetric, >= 0 */
  const double *closeness;  /* [num_positions][num_positions], symmetric, >= 0 */
} dorm__interactions;

typedef struct dorm__interacting_value {
  double value; /* of the ranking that was found */
  double bound; /* no ranking is worth more */
} dorm__interacting_value;

/* Fills order [num_docs] with a permutation whose first num_positions documents are the ranking. Stops when bound -
 * value is at most tolerance |value|, after `seconds` (0: never), or when cancelled. */
dorm_status dorm__rank_interacting(dorm_context *context, const dorm__interactions *problem, double tolerance,
                                   double seconds, uint32_t *order, dorm__interacting_value *found);

#endif
