/* worth.h: the worth of documents in front, and the bound on the weights of a group there. */
#ifndef DORM_ASSIGNMENT_GROUPS_WORTH_H
#define DORM_ASSIGNMENT_GROUPS_WORTH_H

#include "assignment/assignment.h"
#include "assignment/call.h"

/* The largest sum of weights of a group in front, slightly above the capacity to allow for rounding. */
static inline double dorm__groups_limit(const dorm__oracle_groups *groups)
{
  return groups->capacity * (1 + 1e-6);
}

/* The worth of document j at position p minus its worth at position `last`. */
static inline double dorm__worth_in_front(const dorm__oracle_call *call, size_t last, size_t p, size_t j)
{
  double score = (call->c[p] - call->c[last]) * call->g[j];
  if (!call->cost)
    return score - call->t * (call->a[p] - call->a[last]) * call->b[j];
  const double *cost = call->cost + j * call->num_docs;
  return score + call->t * (cost[p] - cost[last]);
}

/* Appends the documents that are not in order[0 .. top - 1], in document order. Fills holder [num_docs] with the
 * position of each document in front, and with DORM__NO_DOC for the others. O(num_docs) */
static inline void dorm__fill_after(size_t num_docs, size_t top, uint32_t *holder, uint32_t *order)
{
  for (size_t j = 0; j < num_docs; j++)
    holder[j] = DORM__NO_DOC;
  for (size_t p = 0; p < top; p++)
    holder[order[p]] = (uint32_t)p;
  for (size_t j = 0, p = top; j < num_docs; j++)
    if (holder[j] == DORM__NO_DOC)
      order[p++] = (uint32_t)j;
}

#endif
