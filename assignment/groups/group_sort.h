/* group_sort.h: rankings with disjoint groups where one sort is exact. */
#ifndef DORM_ASSIGNMENT_GROUPS_GROUP_SORT_H
#define DORM_ASSIGNMENT_GROUPS_GROUP_SORT_H

#include "assignment/assignment.h"
#include "assignment/groups/groups.h"
#include "base/base.h"

/* key and order [num_docs]. */
void dorm__group_sort_solve(const dorm__group_plan *plan, dorm__oracle_workspace *workspace, size_t num_docs,
                            const double *key, uint32_t *order);
/* Whether no exchange of two documents pays. */
bool dorm__group_sort_is_best(const dorm__group_plan *plan, dorm__oracle_workspace *workspace, size_t num_docs,
                              const double *key, const uint32_t *order);

#endif
