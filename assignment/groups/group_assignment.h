/* group_assignment.h: what group_assignment.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_GROUPS_GROUP_ASSIGNMENT_H
#define DORM_ASSIGNMENT_GROUPS_GROUP_ASSIGNMENT_H

#include "assignment/assignment.h"
#include "assignment/call.h"
#include "assignment/groups/groups.h"
#include "base/base.h"

/* What document j is worth at position p more than at position `behind`. */
static inline double dorm__worth_in_front(const dorm__oracle_call *call, size_t behind, size_t p, size_t j)
{
  double score = (call->c[p] - call->c[behind]) * call->g[j];
  if (!call->cost)
    return score - call->t * (call->a[p] - call->a[behind]) * call->b[j];
  const double *cost = call->cost + j * call->num_docs;
  return score + call->t * (cost[p] - cost[behind]);
}

/* Fills order [num_docs], of disjoint groups, positions behind `top` alike.
 * O(top num_docs) where few documents matter, O(top^2 num_docs) at most as a rule. */
void dorm__group_assignment_solve(const dorm__group_plan *plan, const dorm__oracle_call *call, double tolerance,
                                  const dorm__group_scratch *scratch, uint32_t *order);
/* Whether no exchange of documents, along any cycle, is worth more than `tolerance`. */
bool dorm__group_assignment_is_best(const dorm__group_plan *plan, const dorm__oracle_call *call, double tolerance,
                                    const dorm__group_scratch *scratch, const uint32_t *order);

#endif
