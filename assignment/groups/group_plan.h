/* group_plan.h: the groups of one query's plan, as the files of this subfolder see them. */
#ifndef DORM_ASSIGNMENT_GROUPS_GROUP_PLAN_H
#define DORM_ASSIGNMENT_GROUPS_GROUP_PLAN_H

#include "assignment/assignment.h"
#include "assignment/groups/groups.h"
#include "base/base.h"

struct dorm__group_plan {
  dorm__oracle_groups groups; /* its top: positions that can be filled */
  dorm__oracle_method method;
  bool is_free;       /* a call with t = 0 may be sorted */
  bool is_disjoint;   /* and weights are equal within each group: room counts documents */
  size_t flat_from;   /* >= top, < num_docs: from there on all positions are alike, for every document */
  uint32_t *group_of; /* [num_docs]; a document without a group has a number of its own, after those of the groups */
  uint32_t *room;     /* [num_docs] documents that a group may have in front */
  uint32_t *in_front; /* [top] documents that can stand there together; NULL where is_disjoint */
  double seconds;     /* that a mixed-integer programme may take; 0: no limit */
};

#endif
