/* call.h: one call of the oracle as the methods see it: the tables of the query, its scores and t. */
#ifndef DORM_ASSIGNMENT_CALL_H
#define DORM_ASSIGNMENT_CALL_H

#include "base/base.h"

enum { DORM__NO_DOC = UINT32_MAX };

/* All arrays are [num_docs] but cost. */
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

#endif
