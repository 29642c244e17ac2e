/* call.h: one call of the oracle as its methods receive it: the tables of the query, its scores and t. */
#ifndef DORM_ASSIGNMENT_CALL_H
#define DORM_ASSIGNMENT_CALL_H

#include "base/base.h"

enum { DORM__NO_DOC = UINT32_MAX };

/* All arrays except cost and g are [num_docs]. */
typedef struct dorm__oracle_call {
  size_t num_docs;
  const double *a; /* product form, otherwise NULL */
  const double *b;
  const double *cost; /* general form [num_docs][num_docs], otherwise NULL */
  const double *c;
  const double *g; /* [1 + num_own][num_docs] */
  size_t num_own;  /* number of first positions that add scores of their own, usually 0, at most num_docs */
  double t;
} dorm__oracle_call;

/* The worth of document j at position p. */
static inline double dorm__oracle_gain(const dorm__oracle_call *call, size_t j, size_t p)
{
  double cost = call->cost ? call->cost[j * call->num_docs + p] : -call->a[p] * call->b[j];
  double own = p < call->num_own ? call->g[(p + 1) * call->num_docs + j] : 0;
  return call->c[p] * (call->g[j] + own) + call->t * cost;
}

/* Limits on the search for the best ranking. */
typedef struct dorm__search_limits {
  size_t truncation;
  double tolerance;
  size_t most_sweeps;
} dorm__search_limits;

#endif
