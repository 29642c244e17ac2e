/*
 * oracle.c: plans, workspaces and the choice of a method.
 *
 * In the product form the value of a ranking is
 *
 *   sum_p  c[p] g[order[p]] - t a[p] b[order[p]].
 *
 * When a and c are affine in one falling table s, a = alpha s + const and
 * c = gamma s + const, it is, up to a constant, sum_p s[p] key[order[p]] with
 * key[j] = gamma g[j] - t alpha b[j], and a sort by falling key is exact (the
 * rearrangement inequality). The same holds for constant b or t = 0, with
 * key = g. Everything else goes to shortest augmenting paths.
 */
#include "assignment/assignment.h"

#include <float.h>
#include <math.h>

struct dorm__oracle_plan {
  dorm__oracle_method method;
  bool is_free;    /* chosen here, not asked for: may differ where t = 0 */
  bool can_sort;   /* for every t */
  double key_of_g; /* gamma and alpha above */
  double key_of_b;
  double magnitude_of_g; /* max |c| and max |cost|: bounds on what a call adds up */
  double magnitude_of_t;
  dorm__oracle_call tables; /* without g and t */
};

struct dorm__oracle_workspace {
  size_t max_docs;
  double *doubles;      /* [4 max_docs] */
  uint32_t *words;      /* [3 max_docs] */
  unsigned char *flags; /* [2 max_docs] */
};

static const char *const method_names[DORM__NUM_ORACLE_METHODS] = {
    [DORM__ORACLE_AUTO] = "auto",
    [DORM__ORACLE_SORT] = "sort",
    [DORM__ORACLE_SHORTEST_PATH] = "shortest-path",
    [DORM__ORACLE_HUNGARIAN] = "hungarian",
};

const char *dorm__oracle_method_name(dorm__oracle_method method)
{
  return method_names[method];
}

/* ---- Plans ----------------------------------------------------------------- */

static double largest_magnitude(size_t count, const double *x)
{
  double largest = 0;
  for (size_t i = 0; i < count; i++)
    largest = fmax(largest, fabs(x[i]));
  return largest;
}

static dorm_status check_finite(dorm_context *context, const char *name, size_t count, const double *x)
{
  for (size_t i = 0; i < count; i++)
    if (!isfinite(x[i]))
      return dorm__fail(context, DORM_BAD_USAGE, "oracle: %s[%zu] is %g, which is not finite", name, i, x[i]);
  return DORM_OK;
}

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

/* Sets key_of_g and key_of_b where one sort does for every t. Tables that are
 * affine in each other up to rounding count: what that loses is of the size of
 * the rounding of the value itself. */
static bool find_sort_key(dorm__oracle_plan *plan)
{
  const dorm__oracle_call *tables = &plan->tables;
  size_t count = tables->num_docs;
  const double *a = tables->a, *c = tables->c;
  plan->key_of_g = 1;
  plan->key_of_b = 0;
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

static dorm_status choose_method(dorm_context *context, dorm__oracle_plan *plan, dorm__oracle_method method)
{
  plan->is_free = method == DORM__ORACLE_AUTO;
  plan->can_sort = !plan->tables.cost && find_sort_key(plan);
  if (method == DORM__ORACLE_SORT && !plan->can_sort)
    return dorm__fail(
        context, DORM_BAD_USAGE,
        "oracle = sort is exact only where the position weights follow the loss's, or all gains are equal");
  if (method == DORM__ORACLE_AUTO)
    method = plan->can_sort ? DORM__ORACLE_SORT : DORM__ORACLE_SHORTEST_PATH;
  plan->method = method;
  return DORM_OK;
}

static dorm_status plan_new(dorm_context *context, dorm__oracle_method method, const dorm__oracle_call *tables,
                            dorm__oracle_plan **plan)
{
  *plan = NULL;
  size_t count = tables->num_docs;
  if (count >= DORM__NO_DOC)
    return dorm__fail(context, DORM_BAD_USAGE, "oracle: %zu documents in one query are too many", count);
  dorm_status status = check_falling(context, "c", count, tables->c);
  if (status == DORM_OK && tables->cost)
    status = check_finite(context, "cost", count * count, tables->cost);
  if (status == DORM_OK && !tables->cost)
    status = check_falling(context, "a", count, tables->a);
  if (status == DORM_OK && !tables->cost)
    status = check_finite(context, "b", count, tables->b);
  if (status != DORM_OK)
    return status;
  dorm__oracle_plan *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "the plan of an oracle");
  made->tables = *tables;
  made->magnitude_of_g = largest_magnitude(count, tables->c);
  made->magnitude_of_t = tables->cost ? largest_magnitude(count * count, tables->cost)
                                      : largest_magnitude(count, tables->a) * largest_magnitude(count, tables->b);
  status = choose_method(context, made, method);
  if (status != DORM_OK)
    dorm__oracle_plan_free(made);
  else
    *plan = made;
  return status;
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

void dorm__oracle_plan_free(dorm__oracle_plan *plan)
{
  dorm__free(plan);
}

dorm__oracle_method dorm__oracle_plan_method(const dorm__oracle_plan *plan)
{
  return plan->method;
}

/* ---- Workspaces ------------------------------------------------------------ */

dorm_status dorm__oracle_workspace_new(dorm_context *context, size_t max_docs, dorm__oracle_workspace **workspace)
{
  *workspace = NULL;
  dorm__oracle_workspace *made = dorm__alloc_zero(1, sizeof *made);
  if (made) {
    made->max_docs = max_docs;
    made->doubles = dorm__alloc(max_docs, 4 * sizeof *made->doubles);
    made->words = dorm__alloc(max_docs, 3 * sizeof *made->words);
    made->flags = dorm__alloc(max_docs, 2);
  }
  if (!made || !made->doubles || !made->words || !made->flags) {
    dorm__oracle_workspace_free(made);
    return dorm__out_of_memory(context, "the workspace of an oracle");
  }
  *workspace = made;
  return DORM_OK;
}

void dorm__oracle_workspace_free(dorm__oracle_workspace *workspace)
{
  if (!workspace)
    return;
  dorm__free(workspace->doubles);
  dorm__free(workspace->words);
  dorm__free(workspace->flags);
  dorm__free(workspace);
}

/* ---- Solving --------------------------------------------------------------- */

static void solve_by_sort(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                          const dorm__oracle_call *call, uint32_t *order)
{
  const double *key = call->g;
  if (plan->can_sort && (plan->key_of_g != 1 || plan->key_of_b != 0) && call->t != 0) {
    double *made = workspace->doubles;
    for (size_t j = 0; j < call->num_docs; j++)
      made[j] = plan->key_of_g * call->g[j] - call->t * plan->key_of_b * call->b[j];
    key = made;
  }
  dorm__sort_descending(call->num_docs, key, order, workspace->words);
}

static void solve_in_general(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                             const dorm__oracle_call *call, uint32_t *order)
{
  size_t n = workspace->max_docs;
  double *doubles = workspace->doubles;
  uint32_t *words = workspace->words;
  if (plan->method == DORM__ORACLE_HUNGARIAN) {
    dorm__hungarian_scratch scratch = {doubles,   doubles + n,      doubles + 2 * n,     words,
                                       words + n, workspace->flags, workspace->flags + n};
    dorm__hungarian_solve(call, &scratch, order);
  } else {
    dorm__shortest_path_scratch scratch = {doubles, doubles + n, doubles + 2 * n, doubles + 3 * n,
                                           words,   words + n,   words + 2 * n,   workspace->flags};
    dorm__shortest_path_solve(call, &scratch, order);
  }
}

dorm_status dorm__oracle_solve(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const double *g,
                               double t, uint32_t *order, double *value)
{
  dorm__oracle_call call = plan->tables;
  call.g = g;
  call.t = t;
  if (call.num_docs > workspace->max_docs)
    return DORM_BAD_USAGE;
  double largest = 0;
  bool all_finite = isfinite(t);
  for (size_t j = 0; j < call.num_docs; j++) {
    all_finite &= isfinite(g[j]) != 0;
    largest = fabs(g[j]) > largest ? fabs(g[j]) : largest;
  }
  double bound = largest * plan->magnitude_of_g + fabs(t) * plan->magnitude_of_t;
  if (!all_finite || !(bound <= DBL_MAX / 8 / (double)(call.num_docs + 1)))
    return DORM_NUMERICAL_FAILURE;
  if (plan->method == DORM__ORACLE_SORT || (plan->is_free && t == 0))
    solve_by_sort(plan, workspace, &call, order);
  else
    solve_in_general(plan, workspace, &call, order);
  if (value) {
    double sum = 0;
    for (size_t p = 0; p < call.num_docs; p++)
      sum += dorm__oracle_gain(&call, order[p], p);
    *value = sum;
  }
  return DORM_OK;
}
