/* call.h: one call of the oracle as the methods see it: the tables of the query, its scores and t. */
#ifndef DORM_ASSIGNMENT_CALL_H
#define DORM_ASSIGNMENT_CALL_H

#include "base/base.h"

enum { DORM__NO_DOC = UINT32_MAX };

/* All arrays are [num_docs] but cost and g. */
typedef struct dorm__oracle_call {
  size_t num_docs;
  const double *a; /* product form, else NULL */
  const double *b;
  const double *cost; /* general form, else NULL: [num_docs][num_docs] */
  const double *c;
  const double *g; /* [1 + num_own][num_docs] */
  size_t num_own;  /* first positions with scores of their own beside g[0], at most num_docs; mostly 0 */
  double t;
} dorm__oracle_call;

/* The worth of document j at position p. */
static inline double dorm__oracle_gain(const dorm__oracle_call *call, size_t j, size_t p)
{
  double cost = call->cost ? call->cost[j * call->num_docs + p] : -call->a[p] * call->b[j];
  double own = p < call->num_own ? call->g[(p + 1) * call->num_docs + j] : 0;
  return call->c[p] * (call->g[j] + own) + call->t * cost;
}

/* How far a search for the best ranking goes. */
typedef struct dorm__search_limits {
  size_t truncation;
  double tolerance;
  size_t most_sweeps;
} dorm__search_limits;

#endif
