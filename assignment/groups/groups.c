/* groups.c: solves one call of a plan with groups by the method of the plan, and checks the result. */
#include "assignment/groups/groups.h"
#include "assignment/assignment.h"
#include "assignment/call.h"
#include "assignment/plan.h"
#include "assignment/workspace.h"

#include <math.h>

static double largest_score(const dorm__oracle_call *call)
{
  double largest = 0;
  for (size_t j = 0; j < call->num_docs; j++)
    largest = fmax(largest, fabs(call->g[j]));
  return largest;
}

dorm_status dorm__groups_solve(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                               const dorm__oracle_call *call, uint32_t *order, dorm__oracle_method *method)
{
  const dorm__group_plan *groups = plan->groups;
  *method = groups->is_free && call->t == 0 ? DORM__ORACLE_GROUP_SORT : groups->method;
  if (*method == DORM__ORACLE_GROUP_SORT) {
    dorm__group_sort_solve(groups, workspace, call->num_docs, dorm__oracle_keys(plan, workspace, call), order);
    return DORM_OK;
  }
  if (*method == DORM__ORACLE_GROUP_ASSIGNMENT) {
    dorm__group_assignment_solve(groups, call, dorm__oracle_tolerance(plan, call->t, largest_score(call)),
                                 &workspace->groups, order);
    return DORM_OK;
  }
  dorm_status status =
      dorm__programme_rank(groups, call, &workspace->groups, order, &workspace->excess, NULL, workspace->failure);
  workspace->failed = status;
  workspace->counts.unproved += status == DORM_OK && workspace->excess > 0;
  return status;
}

bool dorm__groups_check(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const dorm__oracle_call *call,
                        dorm__oracle_method method, const uint32_t *order)
{
  enum { LENIENCE = 1000, GLPK_LENIENCE = 1000000 }; /* GLPK stops at reduced costs of 1e-11 */
  const dorm__group_plan *groups = plan->groups;
  if (!groups || !dorm__groups_allow(&groups->groups, call->num_docs, order))
    return false;
  if (method == DORM__ORACLE_GROUP_SORT)
    return dorm__group_sort_is_best(groups, workspace, call->num_docs, dorm__oracle_keys(plan, workspace, call), order);
  if (groups->is_disjoint && groups->flat_from == groups->groups.top) /* also proves a programme's ranking */
    return dorm__group_assignment_is_best(groups, call,
                                          (method == DORM__ORACLE_GROUP_ASSIGNMENT ? LENIENCE : GLPK_LENIENCE) *
                                              dorm__oracle_tolerance(plan, call->t, largest_score(call)),
                                          &workspace->groups, order);
  return true;
}
