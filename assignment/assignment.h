/*
 * assignment.h: the oracle. For one query, over all rankings,
 *
 *   maximise  sum_j  c[rank[j]] g[j] + t cost[j][rank[j]]
 *
 * with cost[j][p] = -a[p] b[j] in the product form, or a given matrix in the
 * general one. t = 1 gives the most violated ranking, t = -mu a reference
 * ranking, t = 0 the prediction. This room sees arrays and nothing of losses
 * or data.
 */
#ifndef DORM_ASSIGNMENT_ASSIGNMENT_H
#define DORM_ASSIGNMENT_ASSIGNMENT_H

#include "assignment/call.h"
#include "base/base.h"

typedef enum dorm__oracle_method {
  DORM__ORACLE_AUTO,
  DORM__ORACLE_SORT,          /* a affine in c, or b constant */
  DORM__ORACLE_RUNS,          /* few distinct values of b: a merge of sorted runs */
  DORM__ORACLE_SHORTEST_PATH, /* any costs */
  DORM__ORACLE_HUNGARIAN,     /* any costs; the plain reference */
  /* with groups (groups.c): not to be asked for by name */
  DORM__ORACLE_GROUP_SORT,       /* a affine in c: the best of each group by one key */
  DORM__ORACLE_GROUP_ASSIGNMENT, /* groups to positions, where all positions behind are alike */
  DORM__ORACLE_LP,               /* GLPK's linear programme */
  DORM__ORACLE_MIP,              /* GLPK's mixed-integer programme */
  DORM__NUM_ORACLE_METHODS,
  DORM__NUM_PLAIN_ORACLE_METHODS = DORM__ORACLE_GROUP_SORT
} dorm__oracle_method;

/* What stays the same between the calls for one query: its tables, borrowed,
 * and what they allow. Immutable once made: any number of threads may solve
 * with one plan, each with a workspace of its own. */
typedef struct dorm__oracle_plan dorm__oracle_plan;

/* a, b, c [num_docs]: a and c non-increasing. DORM_BAD_USAGE when `method` is
 * not exact for these tables. */
dorm_status dorm__oracle_plan_new(dorm_context *context, dorm__oracle_method method, size_t num_docs, const double *a,
                                  const double *b, const double *c, dorm__oracle_plan **plan);
/* General form: cost[num_docs][num_docs], cost[j][p]. */
dorm_status dorm__oracle_plan_new_general(dorm_context *context, dorm__oracle_method method, size_t num_docs,
                                          const double *cost, const double *c, dorm__oracle_plan **plan);
void dorm__oracle_plan_free(dorm__oracle_plan *plan);

/* Documents that may not crowd the first positions (the paper, section 5.1):
 * among positions 0 .. top - 1 the weights of each group's documents add up to
 * at most `capacity`. All arrays are borrowed; a group has a document at least,
 * and holds each once. */
typedef struct dorm__oracle_groups {
  size_t top; /* n */
  double capacity;
  size_t num_groups;
  const uint32_t *start; /* [num_groups + 1] into docs and weights */
  const uint32_t *docs;
  const double *weights; /* > 0; NULL: 1 each */
} dorm__oracle_groups;

typedef enum dorm__group_method {
  DORM__GROUPS_AUTO,     /* the cheapest exact one */
  DORM__GROUPS_SHORTCUT, /* by sorting or by assignment; needs no GLPK */
  DORM__GROUPS_LP,
  DORM__GROUPS_MIP,
  DORM__NUM_GROUP_METHODS
} dorm__group_method;
const char *dorm__group_method_name(dorm__group_method method); /* "auto", "shortcut", ...; static */

/* From now on the plan's rankings respect the groups. Where fewer than `top`
 * documents can stand together, *top becomes how many can: the groups then hold
 * for that many positions. DORM_BAD_USAGE when the method is not exact here, or
 * not there without GLPK; DORM_BAD_DATA when no document may stand in the first
 * position. A mixed-integer programme ends after `seconds` (0: never) with the
 * best it has. Plans with groups allocate while they solve by LP or MIP. */
dorm_status dorm__oracle_plan_add_groups(dorm_context *context, dorm__oracle_plan *plan,
                                         const dorm__oracle_groups *groups, dorm__group_method method, double seconds,
                                         size_t *top);
/* Whether no document is in two groups and weights are equal within each. */
dorm_status dorm__groups_are_disjoint(dorm_context *context, const dorm__oracle_groups *groups, size_t num_docs,
                                      bool *result);
/* Whether a ranking of num_docs documents respects groups. */
bool dorm__groups_allow(const dorm__oracle_groups *groups, size_t num_docs, const uint32_t *order);
/* What the weights in front may add up to: rounding may take them above the capacity. */
static inline double dorm__groups_limit(const dorm__oracle_groups *groups)
{
  return groups->capacity * (1 + 1e-6);
}
bool dorm__has_glpk(void);
/* Brings the plan from memory for a call that is made soon. */
void dorm__oracle_plan_fetch(const dorm__oracle_plan *plan);

/* Scratch space of one thread, for queries of up to max_docs documents: about
 * 130 bytes a document, and 1 MB at least. */
typedef struct dorm__oracle_workspace dorm__oracle_workspace;
dorm_status dorm__oracle_workspace_new(dorm_context *context, size_t max_docs, dorm__oracle_workspace **workspace);
void dorm__oracle_workspace_free(dorm__oracle_workspace *workspace);

/* g [num_docs]. order [num_docs] becomes the best ranking: document order[p] at
 * position p. In the product form, documents of equal b stand in the order of
 * their scores, ties in document order, as far as positions differ in c or a.
 * *value (may be NULL) is what the
 * ranking is worth. DORM_NUMERICAL_FAILURE when a score is not finite
 * or so large that the value may overflow, DORM_BAD_USAGE when the workspace is
 * too small; order is then untouched. Does not allocate. */
dorm_status dorm__oracle_solve(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const double *g,
                               double t, uint32_t *order, double *value);
/* By how much another ranking may be worth more than the one just found: 0
 * unless a mixed-integer programme stopped at its limit. */
double dorm__oracle_excess(const dorm__oracle_workspace *workspace);
/* Why a programme failed and its status, "" before; owned by the workspace. */
const char *dorm__oracle_failure(const dorm__oracle_workspace *workspace, dorm_status *status);

/* Calls so far by the method that found the ranking (where merging runs gave up
 * that is shortest-path). */
typedef struct dorm__oracle_counts {
  uint64_t calls[DORM__NUM_ORACLE_METHODS];
  dorm__oracle_method last; /* of the latest */
  uint64_t failed_checks;
  uint64_t unproved; /* rankings of programmes that stopped at their limit */
} dorm__oracle_counts;
const dorm__oracle_counts *dorm__oracle_workspace_counts(const dorm__oracle_workspace *workspace);
/* On: every ranking is proved anew (check.c), O(levels num_docs) for the methods
 * that sort, O(num_docs^2) for the others, and a call whose ranking is not the
 * best ends with DORM_NUMERICAL_FAILURE and counts as a failed check. On from
 * the start in builds with --enable-sanitizers. */
void dorm__oracle_workspace_set_check(dorm__oracle_workspace *workspace, bool is_on);
enum { DORM__MOST_SWEEPS = 3000 };

/* "auto", "sort", ...; static. */
const char *dorm__oracle_method_name(dorm__oracle_method method);

/* ---- groups.c ----------------------------------------------------------- */

typedef struct dorm__group_plan {
  dorm__oracle_groups groups; /* top: what can be filled */
  dorm__oracle_method method;
  bool is_free;       /* t = 0 may be sorted */
  bool is_disjoint;   /* and of equal weights: room counts documents */
  size_t flat_from;   /* >= top, < num_docs: from there on all positions are alike, for every document */
  uint32_t *group_of; /* [num_docs]; documents without a group are numbered on behind the groups */
  uint32_t *room;     /* [num_docs] documents that a group may have in front */
  uint32_t *in_front; /* [top] documents that can stand there together; NULL where is_disjoint */
  double seconds;
} dorm__group_plan;
/* The groups that the plan's rankings respect, NULL where there are none that matter. */
const dorm__group_plan *dorm__oracle_plan_groups(const dorm__oracle_plan *plan);

/* ---- oracle.c ----------------------------------------------------------- */

/* What a sort goes by: g, or workspace->keys. */
const double *dorm__oracle_keys(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                                const dorm__oracle_call *call);
/* Improvements below this are taken for rounding; `spread`: the largest
 * |g - offset|. */
double dorm__oracle_tolerance(const dorm__oracle_plan *plan, double t, double spread);

#endif
