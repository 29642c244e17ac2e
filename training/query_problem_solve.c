/*
 * query_problem_solve.c: solves the oracle's problem of one query by every method that is exact for it, and compares
 * what they find. What a ranking is worth is added up here again, and up to MOST_ENUMERATED documents all rankings are
 * tried, so that a fault that the methods share is seen too.
 */
#include "base/base.h"
#include "training/query_problem.h"

#include <math.h>
#include <string.h>

enum {
  MOST_ENUMERATED = 8, /* documents: 40,320 rankings */
  MOST_CUBIC = 500,    /* documents, for methods that take O(num_docs^3): some seconds */
  MOST_ROWS = 8        /* solutions of one call */
};
static const double SPAN = 2e-4; /* seconds for which a call is repeated while it is timed */
/* Of the largest |c| |g| + |t| |cost|: what the check of a ranking lets pass (assignment/check.c), per document; and of
 * GLPK, which stops at reduced costs above 0. */
static const double TOLERANCE = 4e-13, GLPK_TOLERANCE = 4e-9;

/* What the solutions of one call have in common. */
typedef struct solving {
  dorm_context *context;
  dorm_problem *problem;
  dorm__oracle_workspace *workspace;
  dorm__oracle_groups groups; /* that rankings have to respect; of no group where none matters */
  size_t most_cubic;
  double t;
  size_t first;            /* of the call's solutions */
  double slack[MOST_ROWS]; /* by which a programme that stopped at its limit may be short */
  double worth[MOST_ROWS]; /* what the rankings are worth */
  bool is_good[MOST_ROWS]; /* they are feasible, and pass their proofs */
} solving;

/* ---- What a ranking is worth ---------------------------------------------------------------- */

static double worth_at(const dorm_problem *problem, double t, size_t j, size_t p)
{
  double cost = problem->cost ? problem->cost[j * problem->about.num_docs + p] : -problem->a[p] * problem->b[j];
  return problem->c[p] * problem->scores[j] + t * cost;
}

static double worth_of(const dorm_problem *problem, double t, const uint32_t *order)
{
  double sum = 0;
  for (size_t p = 0; p < problem->about.num_docs; p++)
    sum += worth_at(problem, t, order[p], p);
  return sum;
}

static double largest(const double *x, size_t count)
{
  double most = 0;
  for (size_t i = 0; x && i < count; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

/* By how much the values of rankings may differ that are equally good. */
static double tolerance_of(const solving *all)
{
  const dorm_problem *problem = all->problem;
  size_t count = problem->about.num_docs;
  double costs = largest(problem->a, count) * largest(problem->b, count) + largest(problem->cost, count * count);
  double scale = largest(problem->c, count) * largest(problem->scores, count) + fabs(all->t) * costs;
  return scale * (all->groups.num_groups ? fmax(GLPK_TOLERANCE, TOLERANCE * (double)count) : TOLERANCE * (double)count);
}

/* ---- Asking --------------------------------------------------------------------------------- */

dorm_status dorm__problem_plan(dorm_context *context, const dorm_problem *problem, dorm__oracle_method method,
                               dorm__group_method group_method, dorm__oracle_plan **plan, size_t *top)
{
  size_t count = problem->about.num_docs;
  dorm__oracle_plan *made = NULL;
  *plan = NULL;
  *top = 0;
  dorm_status status = problem->cost
                           ? dorm__oracle_plan_new_general(context, method, count, problem->cost, problem->c, &made)
                           : dorm__oracle_plan_new(context, method, count, problem->a, problem->b, problem->c, &made);
  if (status == DORM_OK && problem->about.num_groups)
    status = dorm__oracle_plan_add_groups(context, made, &problem->groups.groups, group_method, problem->limit, top);
  if (status == DORM_OK)
    *plan = made;
  else
    dorm__oracle_plan_free(made);
  return status;
}

/* Says why a call ended with this status, and returns it. */
static dorm_status explain(dorm_context *context, const dorm__oracle_workspace *workspace, dorm_status status)
{
  dorm_status unused;
  if (status == DORM_OK)
    return status;
  if (status == DORM_NUMERICAL_FAILURE)
    return dorm__fail(context, status, "a score is not finite, or so large that sums overflow");
  if (status == DORM_OUT_OF_MEMORY)
    return dorm__out_of_memory(context, "an oracle");
  return dorm__fail(context, status, "an oracle failed: %s", dorm__oracle_failure(workspace, &unused));
}

/* One call, repeated for SPAN; *microseconds becomes the shortest time. */
static dorm_status ask(dorm_context *context, const dorm_problem *problem, const dorm__oracle_plan *plan,
                       dorm__oracle_workspace *workspace, double t, uint32_t *order, double *value,
                       double *microseconds)
{
  double began = dorm__seconds(), started;
  dorm_status status;
  *microseconds = INFINITY;
  dorm__oracle_workspace_set_check(workspace, false);
  do {
    started = dorm__seconds();
    status = dorm__oracle_solve(plan, workspace, problem->scores, t, order, value);
    *microseconds = fmin(*microseconds, 1e6 * (dorm__seconds() - started));
  } while (status == DORM_OK && started - began < SPAN);
  return explain(context, workspace, status);
}

dorm_status dorm__problem_record(dorm_context *context, dorm_problem *problem)
{
  dorm__oracle_plan *plan;
  dorm__oracle_workspace *workspace = NULL;
  size_t top, count = problem->about.num_docs;
  dorm_status status = dorm__problem_plan(context, problem, problem->method, problem->group_method, &plan, &top);
  if (status == DORM_OK)
    status = dorm__oracle_workspace_new(context, count, &workspace);
  for (size_t i = 0; status == DORM_OK && i < problem->num_calls; i++) {
    dorm__problem_call *call = &problem->calls[i];
    call->order = dorm__alloc(count, sizeof *call->order);
    status = call->order
                 ? ask(context, problem, plan, workspace, call->t, call->order, &call->value, &call->microseconds)
                 : dorm__out_of_memory(context, "a ranking");
    if (status == DORM_OK)
      call->found_by = dorm__copy_text(dorm__oracle_method_name(dorm__oracle_workspace_counts(workspace)->last));
    if (status == DORM_OK && !call->found_by)
      status = dorm__out_of_memory(context, "a ranking");
  }
  dorm__oracle_workspace_free(workspace);
  dorm__oracle_plan_free(plan);
  return status;
}

/* ---- Solutions ------------------------------------------------------------------------------ */

/* Adds a solution, whose ranking the caller fills in. */
static dorm_solution *add_row(solving *all, const char *method, uint32_t **order)
{
  dorm_problem *problem = all->problem;
  dorm_solution *row = &problem->solutions[problem->num_solutions];
  *order = problem->orders + problem->num_solutions++ * problem->about.num_docs;
  *row = (dorm_solution){.call = all->t > 0    ? "most violated"
                                 : all->t == 0 ? "prediction"
                                               : "reference",
                         .t = all->t,
                         .method = method,
                         .found_by = method,
                         .order = *order,
                         .microseconds = NAN};
  return row;
}

/* Notes what the latest solution is worth, once its ranking is there. */
static void note_worth(solving *all, double slack, bool passes)
{
  const dorm_problem *problem = all->problem;
  size_t row = problem->num_solutions - 1, i = row - all->first;
  const uint32_t *order = problem->solutions[row].order;
  all->worth[i] = worth_of(problem, all->t, order);
  all->slack[i] = slack;
  all->is_good[i] =
      passes && (!all->groups.num_groups || dorm__groups_allow(&all->groups, problem->about.num_docs, order));
}

static void add_recorded(solving *all, const dorm__problem_call *call)
{
  uint32_t *order;
  dorm_solution *row = add_row(all, "recorded", &order);
  memcpy(order, call->order, all->problem->about.num_docs * sizeof *order);
  row->found_by = call->found_by;
  row->value = call->value;
  row->microseconds = call->microseconds;
  note_worth(all, 0, true);
}

/* Adds what a method finds; nothing where it is not exact for the problem. */
static dorm_status add_method(solving *all, dorm__oracle_method method, dorm__group_method group_method)
{
  dorm_problem *problem = all->problem;
  dorm__oracle_plan *plan;
  uint32_t *order;
  size_t top;
  if (dorm__cancelled(all->context))
    return dorm__fail(all->context, DORM_STOPPED, "interrupted");
  bool is_programme = all->groups.num_groups && group_method != problem->group_method &&
                      (group_method == DORM__GROUPS_LP || group_method == DORM__GROUPS_MIP);
  bool is_slow = method == DORM__ORACLE_HUNGARIAN || method == DORM__ORACLE_SHORTEST_PATH || is_programme;
  if (is_slow && problem->about.num_docs > all->most_cubic)
    return DORM_OK;
  dorm_status status = dorm__problem_plan(all->context, problem, method, group_method, &plan, &top);
  if (status != DORM_OK)
    return status == DORM_BAD_USAGE ? DORM_OK : status;
  const dorm__oracle_counts *counts = dorm__oracle_workspace_counts(all->workspace);
  dorm_solution *row = add_row(
      all, all->groups.num_groups ? dorm__group_method_name(group_method) : dorm__oracle_method_name(method), &order);
  status = ask(all->context, problem, plan, all->workspace, all->t, order, &row->value, &row->microseconds);
  uint64_t failed = counts->failed_checks;
  row->found_by = dorm__oracle_method_name(counts->last);
  if (status == DORM_OK) { /* once more, with its proof, which the time is not to have in it */
    dorm__oracle_workspace_set_check(all->workspace, true);
    status = dorm__oracle_solve(plan, all->workspace, problem->scores, all->t, order, &row->value);
    double slack = dorm__oracle_excess(all->workspace);
    bool passes = counts->failed_checks == failed;
    status = passes ? explain(all->context, all->workspace, status) : DORM_OK;
    note_worth(all, slack, passes);
  }
  dorm__oracle_plan_free(plan);
  return status;
}

/* All rankings, by exchanging documents from position `p` on. */
static void try_from(const solving *all, size_t p, double sum, uint32_t *order, uint32_t *best, double *value)
{
  size_t count = all->problem->about.num_docs;
  if (p == count && sum > *value && (!all->groups.num_groups || dorm__groups_allow(&all->groups, count, order))) {
    memcpy(best, order, count * sizeof *best);
    *value = sum;
  }
  for (size_t i = p; i < count; i++) {
    uint32_t doc = order[i], other = order[p];
    order[i] = other;
    order[p] = doc;
    try_from(all, p + 1, sum + worth_at(all->problem, all->t, doc, p), order, best, value);
    order[i] = doc;
    order[p] = other;
  }
}

static void add_enumeration(solving *all)
{
  uint32_t tried[MOST_ENUMERATED], *order;
  dorm_solution *row = add_row(all, "enumeration", &order);
  for (size_t j = 0; j < all->problem->about.num_docs; j++)
    tried[j] = order[j] = (uint32_t)j;
  row->value = -INFINITY;
  try_from(all, 0, 0, tried, order, &row->value);
  note_worth(all, 0, true);
}

/* Compares the solutions of a call with the best of them. */
static void judge(const solving *all)
{
  size_t count = all->problem->num_solutions - all->first;
  dorm_solution *rows = all->problem->solutions + all->first;
  double best = -INFINITY, tolerance = tolerance_of(all);
  for (size_t i = 0; i < count; i++)
    best = all->is_good[i] ? fmax(best, all->worth[i]) : best;
  for (size_t i = 0; i < count; i++) {
    rows[i].shortfall = best - all->worth[i];
    rows[i].agrees = all->is_good[i] && rows[i].shortfall <= tolerance + all->slack[i] &&
                     fabs(rows[i].value - all->worth[i]) <= tolerance;
  }
}

static dorm_status solve_call(solving *all, const dorm__problem_call *call)
{
  const dorm_problem *problem = all->problem;
  dorm_status status = DORM_OK;
  all->t = call->t;
  all->first = problem->num_solutions;
  if (call->order)
    add_recorded(all, call);
  if (all->groups.num_groups)
    for (int i = 0; status == DORM_OK && i < DORM__NUM_GROUP_METHODS; i++)
      status = add_method(all, DORM__ORACLE_AUTO, (dorm__group_method)i);
  else
    for (int i = 0; status == DORM_OK && i < DORM__NUM_PLAIN_ORACLE_METHODS; i++)
      status = add_method(all, (dorm__oracle_method)i, DORM__GROUPS_AUTO);
  if (status == DORM_OK && problem->about.num_docs <= MOST_ENUMERATED)
    add_enumeration(all);
  judge(all);
  return status;
}

dorm_status dorm__problem_compare(dorm_context *context, dorm_problem *problem, size_t most_cubic)
{
  size_t top, count = problem->about.num_docs, most = problem->num_calls * MOST_ROWS;
  solving all = {.context = context, .problem = problem, .groups = problem->groups.groups, .most_cubic = most_cubic};
  dorm__oracle_plan *plan;
  dorm__free(problem->solutions);
  dorm__free(problem->orders);
  problem->num_solutions = 0;
  problem->solutions = dorm__alloc(most, sizeof *problem->solutions);
  problem->orders = count <= SIZE_MAX / most ? dorm__alloc(most * count, sizeof *problem->orders) : NULL;
  dorm_status status = problem->solutions && problem->orders
                           ? dorm__problem_plan(context, problem, DORM__ORACLE_AUTO, DORM__GROUPS_AUTO, &plan, &top)
                           : dorm__out_of_memory(context, "rankings");
  if (status != DORM_OK)
    return status;
  dorm__oracle_plan_free(plan);
  all.groups.top = top;
  all.groups.num_groups = top ? all.groups.num_groups : 0;
  status = dorm__oracle_workspace_new(context, count, &all.workspace);
  for (size_t i = 0; status == DORM_OK && i < problem->num_calls; i++)
    status = solve_call(&all, &problem->calls[i]);
  dorm__oracle_workspace_free(all.workspace);
  if (status != DORM_OK)
    problem->num_solutions = 0;
  return status;
}

dorm_status dorm_problem_solve(dorm_context *context, dorm_problem *problem)
{
  return DORM__LACKS(context, DORM__GIVEN(problem)) ? DORM_BAD_USAGE
                                                    : dorm__problem_compare(context, problem, MOST_CUBIC);
}

bool dorm__problem_agrees(const dorm_problem *problem)
{
  for (size_t i = 0; i < problem->num_solutions; i++)
    if (!problem->solutions[i].agrees)
      return false;
  return true;
}

const dorm_solution *dorm_problem_solution(const dorm_problem *problem, size_t index)
{
  return problem && index < problem->num_solutions ? &problem->solutions[index] : NULL;
}
