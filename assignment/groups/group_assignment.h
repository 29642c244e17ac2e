/* group_assignment.h: rankings with disjoint groups where all positions after the first ones are alike. */
#ifndef DORM_ASSIGNMENT_GROUPS_GROUP_ASSIGNMENT_H
#define DORM_ASSIGNMENT_GROUPS_GROUP_ASSIGNMENT_H

#include "assignment/call.h"
#include "assignment/groups/groups.h"
#include "base/base.h"

/* Fills order [num_docs]. O(top num_docs) where few documents matter, O(top^2 num_docs) in nearly all other cases. */
void dorm__group_assignment_solve(const dorm__group_plan *plan, const dorm__oracle_call *call, double tolerance,
                                  const dorm__group_scratch *scratch, uint32_t *order);
/* Whether no exchange of documents, along any cycle, is worth more than `tolerance`. */
bool dorm__group_assignment_is_best(const dorm__group_plan *plan, const dorm__oracle_call *call, double tolerance,
                                    const dorm__group_scratch *scratch, const uint32_t *order);

#endif
