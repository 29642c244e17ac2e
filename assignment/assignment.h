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
 * position p; ties by document order. *value (may be NULL) is what it is worth.
 * DORM_NUMERICAL_FAILURE when a score is not finite. Does not allocate. */
dorm_status dorm__oracle_solve(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const double *g,
                               double t, uint32_t *order, double *value);

/* "auto", "sort", ...; static. */
const char *dorm__oracle_method_name(dorm__oracle_method method);

#endif
