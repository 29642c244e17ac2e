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

#include "base/base.h"

typedef enum dorm__oracle_method {
  DORM__ORACLE_AUTO,
  DORM__ORACLE_SORT,          /* a proportional to c, or b constant */
  DORM__ORACLE_SHORTEST_PATH, /* any costs */
  DORM__ORACLE_HUNGARIAN,     /* any costs; the plain reference */
  DORM__NUM_ORACLE_METHODS
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
dorm__oracle_method dorm__oracle_plan_method(const dorm__oracle_plan *plan);

/* Scratch space of one thread, for queries of up to max_docs documents, and
 * its counts. */
typedef struct dorm__oracle_workspace dorm__oracle_workspace;
dorm_status dorm__oracle_workspace_new(dorm_context *context, size_t max_docs, dorm__oracle_workspace **workspace);
void dorm__oracle_workspace_free(dorm__oracle_workspace *workspace);

/* g [num_docs]. order [num_docs] becomes the best ranking: document order[p] at
 * position p; by sort, ties stand in document order. *value (may be NULL) is
 * what the ranking is worth. DORM_NUMERICAL_FAILURE when a score is not finite
 * or so large that the value may overflow, DORM_BAD_USAGE when the workspace is
 * too small; order is then untouched. Does not allocate. */
dorm_status dorm__oracle_solve(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const double *g,
                               double t, uint32_t *order, double *value);

/* "auto", "sort", ...; static. */
const char *dorm__oracle_method_name(dorm__oracle_method method);

/* ---- Within the room: one call, as the methods see it ---------------------- */

enum { DORM__NO_DOC = UINT32_MAX };

/* One call of the oracle; all arrays [num_docs] but cost. */
typedef struct dorm__oracle_call {
  size_t num_docs;
  const double *a; /* product form, else NULL */
  const double *b;
  const double *cost; /* general form, else NULL: [num_docs][num_docs] */
  const double *c;
  const double *g;
  double t;
} dorm__oracle_call;

/* What document j is worth at position p. */
static inline double dorm__oracle_gain(const dorm__oracle_call *call, size_t j, size_t p)
{
  double cost = call->cost ? call->cost[j * call->num_docs + p] : -call->a[p] * call->b[j];
  return call->c[p] * call->g[j] + call->t * cost;
}

/* sort.c. order [count] becomes the documents by falling key, ties by document
 * order; scratch [count]. O(count log count). */
void dorm__sort_descending(size_t count, const double *key, uint32_t *order, uint32_t *scratch);

/* shortest_path.c: exact for any costs. O(num_docs^3) time, linear memory. */
typedef struct dorm__shortest_path_scratch {
  double *row, *distance, *doc_price, *position_price; /* [num_docs] */
  uint32_t *from, *position_of, *scanned;              /* [num_docs] */
  unsigned char *is_scanned;                           /* [num_docs] */
} dorm__shortest_path_scratch;
void dorm__shortest_path_solve(const dorm__oracle_call *call, const dorm__shortest_path_scratch *scratch,
                               uint32_t *order);

/* hungarian.c: exact for any costs, the reference. O(num_docs^3). */
typedef struct dorm__hungarian_scratch {
  double *doc_label, *position_label, *slack; /* [num_docs] */
  uint32_t *slack_doc, *position_of;          /* [num_docs] */
  unsigned char *doc_in_tree, *position_in_tree;
} dorm__hungarian_scratch;
void dorm__hungarian_solve(const dorm__oracle_call *call, const dorm__hungarian_scratch *scratch, uint32_t *order);

/* glpk.c (only with GLPK): the same by linear programming, for tests: the
 * largest value of sum_j gain[j][rank[j]] over fractional assignments too.
 * gain [num_docs][num_docs]. */
dorm_status dorm__glpk_assignment(dorm_context *context, size_t num_docs, const double *gain, double *value);

#endif
