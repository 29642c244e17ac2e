/* worth.h: what documents are worth in front, and what the weights of a group there may add up to. */
#ifndef DORM_ASSIGNMENT_GROUPS_WORTH_H
#define DORM_ASSIGNMENT_GROUPS_WORTH_H

#include "assignment/assignment.h"
#include "assignment/call.h"

/* What the weights of a group in front may add up to: rounding may take them above the capacity. */
static inline double dorm__groups_limit(const dorm__oracle_groups *groups)
{
  return groups->capacity * (1 + 1e-6);
}

/* What document j is worth at position p more than at position `last`. */
static inline double dorm__worth_in_front(const dorm__oracle_call *call, size_t last, size_t p, size_t j)
{
  double score = (call->c[p] - call->c[last]) * call->g[j];
  if (!call->cost)
    return score - call->t * (call->a[p] - call->a[last]) * call->b[j];
  const double *cost = call->cost + j * call->num_docs;
  return score + call->t * (cost[p] - cost[last]);
}

#endif
