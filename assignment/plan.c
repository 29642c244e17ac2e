/* plan.c: makes plans, which hold the part of an oracle that does not depend on scores. Checks the tables a, b and c,
 * and chooses the cheapest exact method for them. */
#include "assignment/plan.h"
#include "assignment/assignment.h"
#include "assignment/groups/groups.h"
#include "assignment/runs/runs.h"
#include "base/sort.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double largest_magnitude(size_t count, const double *x)
{
  double largest = 0;
  for (size_t i = 0; i < count; i++)
    largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
  return largest;
}

static dorm_status check_finite(dorm_context *context, const char *name, size_t count, const double *x)
{
  for (size_t i = 0; i < count; i++)
    if (!isfinite(x[i]))
      return dorm__fail(context, DORM_BAD_USAGE, "oracle: %s[%zu] is %g, which is not finite", name, i, x[i]);
  return DORM_OK;
}

/* Checks that x [count] is finite and never rises. */
static dorm_status check_falling(dorm_context *context, const char *name, size_t count, const double *x)
{
  dorm_status status = check_finite(context, name, count, x);
  for (size_t p = 1; status == DORM_OK && p < count; p++)
    if (x[p] > x[p - 1])
      status = dorm__fail(context, DORM_BAD_USAGE, "oracle: %s[%zu] = %.17g is more than %s[%zu] = %.17g", name, p,
                          x[p], name, p - 1, x[p - 1]);
  return status;
}

static bool is_constant(size_t count, const double *x)
{
  for (size_t i = 1; i < count; i++)
    if (x[i] != x[0])
      return false;
  return true;
}

/* Returns whether one sort is exact for every t (keys.c). If so, sets key_of_g, key_of_b and top. It is exact if a is
 * affine in c, or if a, b or c is constant. Deviations by rounding from an affine table are allowed, because they
 * change the value of the ranking only by rounding. */
static bool find_sort_key(dorm__oracle_plan *plan)
{
  const dorm__oracle_call *tables = &plan->tables;
  size_t count = tables->num_docs;
  const double *a = tables->a, *c = tables->c;
  plan->key_of_g = 1;
  plan->key_of_b = 0;
  plan->top = count;
  while (plan->top > 0 && a[plan->top - 1] == a[count - 1] && c[plan->top - 1] == c[count - 1])
    plan->top--;
  if (count < 2 || is_constant(count, tables->b) || is_constant(count, a))
    return true;
  if (is_constant(count, c)) {
    plan->key_of_g = 0;
    plan->key_of_b = 1;
    return true;
  }
  double slope = (a[0] - a[count - 1]) / (c[0] - c[count - 1]);
  double tolerance = 8 * DBL_EPSILON * (largest_magnitude(count, a) + slope * largest_magnitude(count, c));
  for (size_t p = 1; p < count; p++)
    if (!(fabs(a[0] - a[p] - slope * (c[0] - c[p])) <= tolerance))
      return false;
  plan->key_of_b = slope;
  return true;
}

/* Returns the first position from which on a is constant, apart from falls whose sum is within rounding. */
static size_t find_truncation(size_t count, const double *a)
{
  double rest = 0, rounding = DBL_EPSILON / 2 * largest_magnitude(count, a);
  size_t truncation = count;
  while (truncation > 0 && rest + (a[truncation - 1] - a[count - 1]) <= rounding)
    rest += a[--truncation] - a[count - 1];
  return truncation;
}

/* Finds the truncation and the levels of the gain. levels.count becomes 0 if there are more than DORM__MOST_LEVELS. */
static dorm_status find_levels(dorm_context *context, dorm__oracle_plan *plan)
{
  size_t count = plan->tables.num_docs;
  double gain[DORM__MOST_LEVELS];
  uint32_t size[DORM__MOST_LEVELS];
  dorm__levels *levels = &plan->levels;
  plan->truncation = find_truncation(count, plan->tables.a);
  levels->level_of = dorm__region_take(&plan->memory, count, sizeof *levels->level_of);
  if (!levels->level_of)
    return dorm__out_of_memory(context, "the plan of an oracle");
  levels->count = dorm__levels_find(count, plan->tables.b, levels->level_of, gain, size);
  levels->gain = dorm__region_take(&plan->memory, levels->count, sizeof *gain);
  levels->size = dorm__region_take(&plan->memory, levels->count, sizeof *size);
  if (plan->memory.is_short)
    return dorm__out_of_memory(context, "the plan of an oracle");
  memcpy(levels->gain, gain, levels->count * sizeof *gain);
  memcpy(levels->size, size, levels->count * sizeof *size);
  return DORM_OK;
}

/* Fills plan->equals for moves: groups documents of equal gain by sorting the gains. */
static dorm_status find_equals(dorm_context *context, dorm__oracle_plan *plan)
{
  size_t count = plan->tables.num_docs, group = 0;
  dorm__equals *equals = &plan->equals;
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  dorm__sort_scratch scratch = dorm__sort_scratch_in(&memory, count);
  double *sorted = dorm__region_take(&memory, count, sizeof *sorted);
  uint32_t *docs = dorm__region_take(&memory, count, sizeof *docs);
  equals->group_of = dorm__region_take(&plan->memory, count, sizeof *equals->group_of);
  equals->start = dorm__region_take(&plan->memory, count, sizeof *equals->start);
  bool is_there = !memory.is_short && !plan->memory.is_short;
  if (is_there) {
    dorm__sort_descending(count, plan->tables.b, docs, sorted, &scratch);
    for (size_t i = 0; i < count; i++) {
      if (i == 0 || sorted[i] != sorted[i - 1])
        equals->start[group++] = (uint32_t)i;
      equals->group_of[docs[i]] = (uint32_t)group - 1;
    }
    equals->count = group;
  }
  return is_there ? DORM_OK : dorm__out_of_memory(context, "the plan of an oracle");
}

/* Chooses the cheapest exact method: sort if it is exact, else runs if there are at most DORM__MOST_LEVELS levels, else
 * moves. A general table of costs needs shortest paths.
 *
 * `oracle_bench --chooser` measures this choice, for 5 to 200 documents, 2 to 64 equally likely levels, and all losses
 * and scales. In all cases, the median time of runs is at most 0.9 times the median time of shortest paths. The ratio
 * is near 0.9 only if there are nearly as many levels as documents, or half as many. */
static dorm__oracle_method cheapest_method(const dorm__oracle_plan *plan)
{
  if (plan->can_sort)
    return DORM__ORACLE_SORT;
  if (plan->tables.cost || plan->tables.num_docs == 0)
    return DORM__ORACLE_SHORTEST_PATH;
  return plan->levels.count > 0 ? DORM__ORACLE_RUNS : DORM__ORACLE_MOVES;
}

/* Rejects a requested method that is not exact for these tables. */
static dorm_status check_method(dorm_context *context, const dorm__oracle_plan *plan)
{
  if (plan->method >= DORM__NUM_PLAIN_ORACLE_METHODS)
    return dorm__fail(context, DORM_BAD_USAGE, "oracle = %s is for groups alone",
                      dorm__oracle_method_name(plan->method));
  if (plan->method == DORM__ORACLE_SORT && !plan->can_sort)
    return dorm__fail(
        context, DORM_BAD_USAGE,
        "oracle = sort is exact only where the position weights follow the loss's, or all gains are equal");
  if (plan->method == DORM__ORACLE_RUNS && plan->levels.count == 0)
    return dorm__fail(context, DORM_BAD_USAGE, "oracle = runs needs gains of at most %d distinct values",
                      DORM__MOST_LEVELS);
  if (plan->method == DORM__ORACLE_MOVES && plan->tables.cost)
    return dorm__fail(context, DORM_BAD_USAGE, "oracle = moves needs costs that are products of weights and gains");
  return DORM_OK;
}

/* Chooses the method, or checks the requested one, and computes the parts of the plan that the method needs. */
static dorm_status choose_method(dorm_context *context, dorm__oracle_plan *plan, dorm__oracle_method method)
{
  dorm_status status = DORM_OK;
  plan->is_free = method == DORM__ORACLE_AUTO;
  plan->top = plan->tables.num_docs;
  plan->can_sort = !plan->tables.cost && find_sort_key(plan);
  if (!plan->tables.cost && plan->tables.num_docs > 0 && !(plan->is_free && plan->can_sort))
    status = find_levels(context, plan);
  plan->method = plan->is_free ? cheapest_method(plan) : method;
  if (status == DORM_OK)
    status = check_method(context, plan);
  if (status == DORM_OK && plan->method == DORM__ORACLE_MOVES)
    status = find_equals(context, plan);
  return status;
}

/* Makes a plan for `tables`, whose arrays are borrowed. Returns DORM_BAD_USAGE if a table is not finite, if a or c
 * rises, or if the requested method is not exact for the tables. */
static dorm_status plan_new(dorm_context *context, dorm__oracle_method method, const dorm__oracle_call *tables,
                            dorm__oracle_plan **plan)
{
  *plan = NULL;
  size_t count = tables->num_docs;
  if (count >= DORM__NO_DOC)
    return dorm__fail(context, DORM_BAD_USAGE, "oracle: %zu documents in one query are too many", count);
  dorm_status status = DORM__ALL(check_falling(context, "c", count, tables->c),
                                 tables->cost ? check_finite(context, "cost", count * count, tables->cost) : DORM_OK,
                                 !tables->cost ? check_falling(context, "a", count, tables->a) : DORM_OK,
                                 !tables->cost ? check_finite(context, "b", count, tables->b) : DORM_OK);
  if (status != DORM_OK)
    return status;
  dorm__oracle_plan *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "the plan of an oracle");
  made->tables = *tables;
  made->magnitude_of_g = largest_magnitude(count, tables->c);
  made->magnitude_of_t = tables->cost ? largest_magnitude(count * count, tables->cost)
                                      : largest_magnitude(count, tables->a) * largest_magnitude(count, tables->b);
  return DORM__GIVE(choose_method(context, made, method), plan, made, dorm__oracle_plan_free);
}

dorm_status dorm__oracle_plan_new(dorm_context *context, dorm__oracle_method method, size_t num_docs, const double *a,
                                  const double *b, const double *c, dorm__oracle_plan **plan)
{
  dorm__oracle_call tables = {.num_docs = num_docs, .a = a, .b = b, .c = c};
  return plan_new(context, method, &tables, plan);
}

dorm_status dorm__oracle_plan_new_general(dorm_context *context, dorm__oracle_method method, size_t num_docs,
                                          const double *cost, const double *c, dorm__oracle_plan **plan)
{
  dorm__oracle_call tables = {.num_docs = num_docs, .cost = cost, .c = c};
  return plan_new(context, method, &tables, plan);
}

dorm_status dorm__oracle_plan_set_functions(dorm_context *context, dorm__oracle_plan *plan, size_t num_own)
{
  if (num_own == 0)
    return DORM_OK;
  if (!plan->is_free && plan->method != DORM__ORACLE_SHORTEST_PATH && plan->method != DORM__ORACLE_HUNGARIAN)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "oracle = %s is not exact where positions have functions of their own; shortest-path is",
                      dorm__oracle_method_name(plan->method));
  plan->adjusts = plan->is_free && !plan->tables.cost && plan->tables.num_docs > 0;
  plan->tables.num_own = num_own < plan->tables.num_docs ? num_own : plan->tables.num_docs;
  plan->method = plan->is_free ? DORM__ORACLE_SHORTEST_PATH : plan->method;
  plan->is_free = false;
  if (!plan->adjusts)
    return DORM_OK;
  plan->truncation = find_truncation(plan->tables.num_docs, plan->tables.a);
  return plan->equals.group_of ? DORM_OK : find_equals(context, plan);
}

void dorm__oracle_plan_free(dorm__oracle_plan *plan)
{
  if (!plan)
    return;
  dorm__group_plan_free(plan->groups);
  dorm__region_clear(&plan->memory);
  dorm__free(plan);
}

bool dorm__oracle_plan_groups(const dorm__oracle_plan *plan, dorm__plan_groups *groups)
{
  if (plan->groups && groups)
    *groups = (dorm__plan_groups){.top = plan->groups->groups.top,
                                  .is_disjoint = plan->groups->is_disjoint,
                                  .group_of = plan->groups->group_of,
                                  .room = plan->groups->room};
  return plan->groups != NULL;
}

void dorm__oracle_plan_fetch(const dorm__oracle_plan *plan)
{
  dorm__fetch(plan, sizeof *plan);
}
