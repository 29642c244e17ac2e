/* group_plan.c: plans with groups (the paper, section 5.1). At the first n positions the weights of the documents of
 * each group add up to at most a capacity. With weights and capacity 1, each group has at most one document there.
 *
 * If groups are disjoint and weights are equal within each, only the number of its documents in front matters (its
 * room), and these shortcuts are exact:
 *
 *   c affine in a   group_sort.c: the sets that respect the rooms are a matroid
 *   otherwise       group_assignment.c, if both tables, and so all positions after the first n, are alike for every
 *                   document: a flow problem
 *
 * That condition matters, because the worth of a document after position n has to be subtracted. Take group {A1, A2}, B
 * alone, n = 2, c = (1, .7, .6), a = (1, .6, 0), g = (1.1, 0, 0), b = (1, 0, .5). The best ranking is A2, B, A1, worth
 * 0.36, because A1 earns c[2] at the last position. Taking the best of each group at each position by C[j][p] alone
 * gives A1, B, worth -0.2. All other cases, such as overlapping groups or unequal weights, are mixed-integer programmes
 * (programme.c). */
#include "assignment/assignment.h"
#include "assignment/call.h"
#include "assignment/groups/groups.h"
#include "assignment/plan.h"
#include "assignment/workspace.h"

#include <math.h>
#include <stdlib.h>

DORM__OWNER(dorm__group_plan, dorm__group_plan_free)

void dorm__group_plan_free(dorm__group_plan *plan)
{
  if (!plan)
    return;
  dorm__region_clear(&plan->memory);
  dorm__free(plan);
}

static double weight_at(const dorm__oracle_groups *groups, size_t entry)
{
  return groups->weights ? groups->weights[entry] : 1;
}

bool dorm__groups_allow(const dorm__oracle_groups *groups, size_t num_docs, const uint32_t *order)
{
  size_t top = groups->top < num_docs ? groups->top : num_docs;
  for (size_t s = 0; s < groups->num_groups; s++) {
    double sum = 0;
    for (size_t e = groups->start[s]; e < groups->start[s + 1]; e++)
      for (size_t p = 0; p < top; p++)
        sum += order[p] == groups->docs[e] ? weight_at(groups, e) : 0;
    if (sum > dorm__groups_limit(groups))
      return false;
  }
  return true;
}

static dorm_status check_groups(dorm_context *context, const dorm__oracle_groups *groups, size_t num_docs)
{
  if (!(groups->capacity > 0) || !isfinite(groups->capacity) || groups->top == 0)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "groups: the capacity is %g and there are %zu first positions, and both must be above 0",
                      groups->capacity, groups->top);
  for (size_t e = 0; e < groups->start[groups->num_groups]; e++)
    if (groups->docs[e] >= num_docs || !(weight_at(groups, e) > 0) || !isfinite(weight_at(groups, e)))
      return dorm__fail(context, DORM_BAD_DATA, "groups: document %u of %zu has the weight %g", groups->docs[e],
                        num_docs, weight_at(groups, e));
  return DORM_OK;
}

/* Fills group_of and room. Returns false if groups overlap or weights within one differ. */
static bool find_rooms(const dorm__oracle_groups *groups, size_t num_docs, uint32_t *group_of, uint32_t *room)
{
  for (size_t j = 0; j < num_docs; j++)
    group_of[j] = DORM__NO_DOC;
  for (size_t s = 0; s < groups->num_groups; s++) {
    double weight = weight_at(groups, groups->start[s]);
    double most = floor(dorm__groups_limit(groups) / weight);
    if (s >= num_docs)
      return false;
    room[s] = most < (double)num_docs ? (uint32_t)most : (uint32_t)num_docs;
    for (size_t e = groups->start[s]; e < groups->start[s + 1]; e++) {
      if (group_of[groups->docs[e]] != DORM__NO_DOC || weight_at(groups, e) != weight)
        return false;
      group_of[groups->docs[e]] = (uint32_t)s;
    }
  }
  size_t next = groups->num_groups;
  for (size_t j = 0; j < num_docs; j++)
    if (group_of[j] == DORM__NO_DOC) {
      room[next] = 1;
      group_of[j] = (uint32_t)next++;
    }
  return true;
}

/* Whether every ranking respects the groups. */
static bool are_loose(const dorm__oracle_groups *groups)
{
  for (size_t s = 0; s < groups->num_groups; s++) {
    double sum = 0;
    for (size_t e = groups->start[s]; e < groups->start[s + 1]; e++)
      sum += weight_at(groups, e);
    if (sum > dorm__groups_limit(groups))
      return false;
  }
  return true;
}

/* Lowers groups->top to the number of positions that can be filled. */
static dorm_status count_in_front(dorm_context *context, dorm__group_plan *plan, size_t num_docs)
{
  dorm__oracle_groups *groups = &plan->groups;
  size_t count = num_docs;
  groups->top = groups->top < num_docs ? groups->top : num_docs;
  if (plan->is_disjoint) {
    for (size_t s = 0; s < groups->num_groups; s++) {
      size_t size = groups->start[s + 1] - groups->start[s];
      count -= plan->room[s] < size ? size - plan->room[s] : 0;
    }
  } else {
    plan->in_front = dorm__region_take(&plan->memory, groups->top, sizeof *plan->in_front);
    if (!plan->in_front)
      return dorm__out_of_memory(context, "groups");
    dorm_status status = dorm__programme_count(context, groups, num_docs, plan->seconds, plan->in_front, &count);
    if (status != DORM_OK)
      return status;
  }
  groups->top = groups->top < count ? groups->top : count;
  return count ? DORM_OK
               : dorm__fail(context, DORM_BAD_DATA,
                            "no document may be in the first position: all weights are above the capacity %g",
                            groups->capacity);
}

/* Whether the tables are equal at positions p and q. */
static bool are_alike(const dorm__oracle_call *tables, size_t p, size_t q)
{
  size_t num_docs = tables->num_docs;
  if (tables->c[p] != tables->c[q] || (tables->a && tables->a[p] != tables->a[q]))
    return false;
  for (size_t j = 0; tables->cost && j < num_docs; j++)
    if (tables->cost[j * num_docs + p] != tables->cost[j * num_docs + q])
      return false;
  return true;
}

static dorm_status choose_method(dorm_context *context, const dorm__oracle_plan *plan, dorm__group_method asked,
                                 dorm__group_plan *made)
{
  bool sorts = made->is_disjoint && plan->can_sort;
  bool assigns = made->is_disjoint && made->flat_from == made->groups.top;
  made->is_free = made->is_disjoint && (asked == DORM__GROUPS_AUTO || asked == DORM__GROUPS_SHORTCUT);
  made->method = asked == DORM__GROUPS_LP    ? DORM__ORACLE_LP
                 : asked == DORM__GROUPS_MIP ? DORM__ORACLE_MIP
                 : sorts                     ? DORM__ORACLE_GROUP_SORT
                 : assigns                   ? DORM__ORACLE_GROUP_ASSIGNMENT
                                             : DORM__ORACLE_MIP;
  if (asked == DORM__GROUPS_SHORTCUT && !sorts && !assigns)
    return dorm__fail(context, DORM_BAD_USAGE,
                      made->is_disjoint
                          ? "solver.oracle = shortcut needs position weights and a loss that are constant after "
                            "the first %zu positions, or weights that follow the loss's"
                          : "solver.oracle = shortcut needs groups that do not overlap, of equal weights within "
                            "each (first %zu positions)",
                      made->groups.top);
  if (asked == DORM__GROUPS_LP && !assigns)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "solver.oracle = lp needs groups that do not overlap, of equal weights within each, and "
                      "position weights and a loss that are constant after the first %zu positions",
                      made->groups.top);
  if ((made->method == DORM__ORACLE_LP || made->method == DORM__ORACLE_MIP) && !dorm__has_glpk())
    return dorm__fail(context, DORM_BAD_USAGE,
                      "%s: this dorm was built without GLPK (configure --without-glpk); it finds diverse rankings only "
                      "for groups that do not overlap, of equal weights within each, and tables that are constant "
                      "after the first %zu positions or position weights that follow the loss's",
                      asked == DORM__GROUPS_AUTO ? "these groups need a mixed-integer programme"
                      : asked == DORM__GROUPS_LP ? "solver.oracle = lp"
                                                 : "solver.oracle = mip",
                      made->groups.top);
  return DORM_OK;
}

dorm_status dorm__oracle_plan_add_groups(dorm_context *context, dorm__oracle_plan *plan,
                                         const dorm__oracle_groups *groups, dorm__group_method method, double seconds,
                                         size_t *top)
{
  size_t num_docs = plan->tables.num_docs;
  dorm_status status = check_groups(context, groups, num_docs);
  if (status != DORM_OK || are_loose(groups))
    return status;
  DORM__OWNED(dorm__group_plan) *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "groups");
  made->groups = *groups;
  made->seconds = seconds;
  made->group_of = dorm__region_take(&made->memory, num_docs, sizeof *made->group_of);
  made->room = dorm__region_take(&made->memory, num_docs, sizeof *made->room);
  if (made->memory.is_short)
    return dorm__out_of_memory(context, "groups");
  made->is_disjoint = find_rooms(groups, num_docs, made->group_of, made->room);
  status = count_in_front(context, made, num_docs);
  if (status != DORM_OK)
    return status;
  for (made->flat_from = num_docs - 1; made->flat_from > made->groups.top; made->flat_from--)
    if (!are_alike(&plan->tables, made->flat_from - 1, num_docs - 1))
      break;
  status = choose_method(context, plan, method, made);
  if (status == DORM_OK) {
    *top = made->groups.top;
    plan->groups = made;
    made = NULL;
  }
  return status;
}

dorm_status dorm__groups_are_disjoint(dorm_context *context, const dorm__oracle_groups *groups, size_t num_docs,
                                      bool *result)
{
  DORM__FREED uint32_t *group_of = dorm__alloc(num_docs, sizeof *group_of);
  DORM__FREED uint32_t *room = dorm__alloc(num_docs, sizeof *room);
  bool has_room = group_of && room;
  *result = has_room && find_rooms(groups, num_docs, group_of, room);
  return has_room ? DORM_OK : dorm__out_of_memory(context, "groups");
}

/* ---- Groups of a query ----------------------------------------------------------------------------- */

/* Converts lists of groups per document to the arrays per group that the oracle takes. */

typedef struct group_member {
  uint32_t group, doc;
  double weight;
} group_member;

static int compare_members(const void *x, const void *y)
{
  const group_member *one = x;
  const group_member *two = y;
  if (one->group != two->group)
    return one->group < two->group ? -1 : 1;
  return (one->doc > two->doc) - (one->doc < two->doc);
}

void dorm__query_groups_clear(dorm__query_groups *made)
{
  dorm__region_clear(&made->memory);
  *made = (dorm__query_groups){0};
}

dorm_status dorm__query_groups_make(dorm_context *context, size_t num_docs, const dorm__group_entries *entries,
                                    size_t top, double capacity, dorm__query_groups *made)
{
  size_t count = entries->start[num_docs] - entries->start[0];
  DORM__FREED group_member *members = dorm__alloc(count, sizeof *members);
  *made = (dorm__query_groups){.start = NULL};
  made->start = dorm__region_take(&made->memory, count + 1, sizeof *made->start);
  made->docs = dorm__region_take(&made->memory, count, sizeof *made->docs);
  made->weights = dorm__region_take(&made->memory, count, sizeof *made->weights);
  if (!members || made->memory.is_short) {
    dorm__query_groups_clear(made);
    return dorm__out_of_memory(context, "groups");
  }
  for (size_t j = 0, i = 0; j < num_docs; j++)
    for (size_t e = entries->start[j]; e < entries->start[j + 1]; e++)
      members[i++] = (group_member){entries->numbers[e], (uint32_t)j, entries->weights[e]};
  qsort(members, count, sizeof *members, compare_members);
  size_t num_groups = 0, kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (i && compare_members(&members[i], &members[i - 1]) == 0)
      continue;
    if (!i || members[i].group != members[i - 1].group)
      made->start[num_groups++] = (uint32_t)kept;
    made->docs[kept] = members[i].doc;
    made->weights[kept++] = members[i].weight;
  }
  made->start[num_groups] = (uint32_t)kept;
  made->groups = (dorm__oracle_groups){.top = top,
                                       .capacity = capacity,
                                       .num_groups = num_groups,
                                       .start = made->start,
                                       .docs = made->docs,
                                       .weights = made->weights};
  return DORM_OK;
}

/* ---- Calls ----------------------------------------------------------------------------------------- */

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
