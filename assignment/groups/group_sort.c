/*
 * group_sort.c: rankings with groups: the greedy for tables that one sort does
 * for, and the way to the other methods.
 *
 * With one falling table s and keys v a ranking is worth sum_p s[p] v[order[p]].
 * Sets of documents that respect the rooms of disjoint groups are independent
 * in a matroid, so the greedy (by falling key, whoever still has room, until
 * `top` are found) has the largest i-th key for every i at once; the others
 * follow by falling key. For any k > top the first k of that ranking are the
 * greedy basis of the matroid's elongation to k, so its sum of the first k keys
 * is the largest for every k, and with it the sum weighted by any falling s.
 * O(num_docs log num_docs)
 */
#include "assignment/groups/group_sort.h"
#include "assignment/assignment.h"
#include "assignment/call.h"
#include "assignment/groups/group_assignment.h"
#include "assignment/groups/groups.h"
#include "assignment/groups/programme.h"
#include "assignment/plan.h"
#include "assignment/workspace.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

/* Times the largest key. */
static const double KEY_TOLERANCE = 1e-14;

static void sort_with_groups(const dorm__group_plan *plan, dorm__oracle_workspace *workspace, size_t num_docs,
                             const double *key, uint32_t *order)
{
  const dorm__group_scratch *scratch = &workspace->groups;
  size_t num_front = 0, num_rest = 0;
  dorm__sort_descending(num_docs, key, workspace->docs, workspace->scores, &workspace->sort);
  memset(scratch->used, 0, num_docs * sizeof *scratch->used);
  for (size_t i = 0; i < num_docs; i++) {
    uint32_t doc = workspace->docs[i], group = plan->group_of[doc];
    bool goes_in_front = num_front < plan->groups.top && scratch->used[group] < plan->room[group];
    scratch->used[group] += goes_in_front;
    if (goes_in_front)
      order[num_front++] = doc;
    else
      scratch->rest[num_rest++] = doc;
  }
  memcpy(order + num_front, scratch->rest, num_rest * sizeof *order);
}

void dorm__fill_behind(size_t num_docs, size_t top, uint32_t *holder, uint32_t *order)
{
  for (size_t j = 0; j < num_docs; j++)
    holder[j] = DORM__NO_DOC;
  for (size_t p = 0; p < top; p++)
    holder[order[p]] = (uint32_t)p;
  for (size_t j = 0, p = top; j < num_docs; j++)
    if (holder[j] == DORM__NO_DOC)
      order[p++] = (uint32_t)j;
}

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
    sort_with_groups(groups, workspace, call->num_docs, dorm__oracle_keys(plan, workspace, call), order);
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

/* Keys fall in front and behind, and whoever stands behind and has a larger key
 * than someone in front has a full group, all of whose front documents have
 * keys as large: no exchange pays. */
static bool is_greedy(const dorm__group_plan *plan, dorm__oracle_workspace *workspace, size_t num_docs,
                      const double *key, const uint32_t *order)
{
  const dorm__group_scratch *scratch = &workspace->groups;
  size_t top = plan->groups.top;
  double largest = 0;
  for (size_t j = 0; j < num_docs; j++)
    largest = fmax(largest, fabs(key[j]));
  double tolerance = KEY_TOLERANCE * largest;
  double *least = scratch->best_worth; /* key in front, by group */
  for (size_t s = 0; s < num_docs; s++) {
    least[s] = INFINITY;
    scratch->used[s] = 0;
  }
  for (size_t p = 0; p < num_docs; p++) {
    uint32_t group = plan->group_of[order[p]];
    if (p > 0 && p != top && key[order[p]] > key[order[p - 1]] + tolerance)
      return false;
    if (p < top) {
      scratch->used[group]++;
      least[group] = fmin(least[group], key[order[p]]);
    } else if (key[order[p]] > key[order[top - 1]] + tolerance &&
               (scratch->used[group] < plan->room[group] || key[order[p]] > least[group] + tolerance)) {
      return false;
    }
  }
  return true;
}

bool dorm__groups_check(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const dorm__oracle_call *call,
                        dorm__oracle_method method, const uint32_t *order)
{
  enum { LENIENCE = 1000, GLPK_LENIENCE = 1000000 }; /* GLPK stops at reduced costs of 1e-11 */
  const dorm__group_plan *groups = plan->groups;
  if (!groups || !dorm__groups_allow(&groups->groups, call->num_docs, order))
    return false;
  if (method == DORM__ORACLE_GROUP_SORT)
    return is_greedy(groups, workspace, call->num_docs, dorm__oracle_keys(plan, workspace, call), order);
  if (groups->is_disjoint && groups->flat_from == groups->groups.top) /* also what a programme found */
    return dorm__group_assignment_is_best(groups, call,
                                          (method == DORM__ORACLE_GROUP_ASSIGNMENT ? LENIENCE : GLPK_LENIENCE) *
                                              dorm__oracle_tolerance(plan, call->t, largest_score(call)),
                                          &workspace->groups, order);
  return true;
}
