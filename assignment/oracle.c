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
 * key = g. Else, where b has few distinct values, a ranking is a merge of sorted
 * runs; everything else goes to shortest augmenting paths.
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
  size_t truncation;        /* a is constant from there on, up to what rounding hides even in the sum */
  bool has_levels;
  dorm__levels *levels; /* NULL without */
  uint8_t *level_of;
};

struct dorm__oracle_workspace {
  size_t max_docs;
  size_t most_sweeps;
  bool is_timing;
  dorm__oracle_counts counts;
  unsigned char *block; /* all arrays of all methods, which use it in turns */
  double *keys;         /* [max_docs] */
  uint32_t *docs;       /* [max_docs], and their scores, sorted */
  double *scores;
  dorm__sort_scratch sort;
  dorm__merge_scratch merge;
  dorm__shortest_path_scratch shortest_path;
  dorm__hungarian_scratch hungarian;
};

/* Sweeps of cycle cancelling before shortest paths take over. */
enum { MOST_SWEEPS = 3000 };

static const char *const method_names[DORM__NUM_ORACLE_METHODS] = {
    [DORM__ORACLE_AUTO] = "auto",           [DORM__ORACLE_SORT] = "sort",
    [DORM__ORACLE_RUNS] = "runs",           [DORM__ORACLE_SHORTEST_PATH] = "shortest-path",
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

/* Groups the documents by gain, where that is of use. */
static dorm_status find_levels(dorm_context *context, dorm__oracle_plan *plan)
{
  size_t count = plan->tables.num_docs;
  const double *a = plan->tables.a;
  double rest = 0, rounding = DBL_EPSILON / 2 * largest_magnitude(count, a);
  plan->truncation = count;
  while (plan->truncation > 0 && rest + (a[plan->truncation - 1] - a[count - 1]) <= rounding)
    rest += a[--plan->truncation] - a[count - 1];
  plan->levels = dorm__alloc(1, sizeof *plan->levels);
  plan->level_of = dorm__alloc(count, sizeof *plan->level_of);
  if (!plan->levels || !plan->level_of)
    return dorm__out_of_memory(context, "the plan of an oracle");
  plan->has_levels = dorm__levels_find(count, plan->tables.b, plan->level_of, plan->levels);
  return DORM_OK;
}

static dorm_status choose_method(dorm_context *context, dorm__oracle_plan *plan, dorm__oracle_method method)
{
  plan->is_free = method == DORM__ORACLE_AUTO;
  plan->can_sort = !plan->tables.cost && find_sort_key(plan);
  if (method == DORM__ORACLE_SORT && !plan->can_sort)
    return dorm__fail(
        context, DORM_BAD_USAGE,
        "oracle = sort is exact only where the position weights follow the loss's, or all gains are equal");
  if (!plan->tables.cost && plan->tables.num_docs > 0 && !(plan->is_free && plan->can_sort)) {
    dorm_status status = find_levels(context, plan);
    if (status != DORM_OK)
      return status;
  }
  if (method == DORM__ORACLE_RUNS && !plan->has_levels)
    return dorm__fail(context, DORM_BAD_USAGE, "oracle = runs needs gains of at most %d distinct values",
                      DORM__MOST_LEVELS);
  if (method == DORM__ORACLE_AUTO)
    method = plan->can_sort ? DORM__ORACLE_SORT : plan->has_levels ? DORM__ORACLE_RUNS : DORM__ORACLE_SHORTEST_PATH;
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
  if (!plan)
    return;
  dorm__free(plan->levels);
  dorm__free(plan->level_of);
  dorm__free(plan);
}

dorm__oracle_method dorm__oracle_plan_method(const dorm__oracle_plan *plan)
{
  return plan->method;
}

/* ---- Workspaces ------------------------------------------------------------ */

/* Hands out pieces of a block, or with a NULL block adds up what is needed. */
typedef struct block_cutter {
  unsigned char *block;
  size_t used;
} block_cutter;

enum { ALIGNMENT = 64 };

static void *cut(block_cutter *cutter, size_t count, size_t size)
{
  size_t at = cutter->used;
  cutter->used += (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return cutter->block ? cutter->block + at : NULL;
}

static void cut_sort(block_cutter *cutter, size_t n, dorm__oracle_workspace *workspace)
{
  workspace->keys = cut(cutter, n, sizeof(double));
  workspace->docs = cut(cutter, n, sizeof(uint32_t));
  workspace->scores = cut(cutter, n, sizeof(double));
  workspace->sort.words = cut(cutter, n, sizeof(uint32_t));
  workspace->sort.pairs = cut(cutter, n, sizeof(uint64_t));
  workspace->sort.other_pairs = cut(cutter, n, sizeof(uint64_t));
}

static void cut_merge(block_cutter *cutter, size_t n, dorm__merge_scratch *merge)
{
  enum { LEVELS = DORM__MOST_LEVELS };
  merge->runs.start = cut(cutter, LEVELS + 1, sizeof(uint32_t));
  merge->runs.docs = cut(cutter, n, sizeof(uint32_t));
  merge->runs.scores = cut(cutter, n, sizeof(double));
  merge->sequence = cut(cutter, n, 1);
  merge->score_at = cut(cutter, n, sizeof(double));
  merge->potential = cut(cutter, n, sizeof(double));
  merge->positions = cut(cutter, n, sizeof(uint32_t));
  merge->pairs.two_runs.left = cut(cutter, n + 1, sizeof(double));
  merge->pairs.two_runs.right = cut(cutter, n + 1, sizeof(double));
  merge->pairs.two_runs.left_position = cut(cutter, n + 1, sizeof(uint32_t));
  merge->pairs.two_runs.right_position = cut(cutter, n + 1, sizeof(uint32_t));
  merge->pairs.two_runs.argmax = cut(cutter, n + 1, sizeof(uint32_t));
  merge->pairs.a = cut(cutter, n, sizeof(double));
  merge->pairs.c = cut(cutter, n, sizeof(double));
  merge->pairs.places = cut(cutter, n, sizeof(uint32_t));
  merge->pairs.run_at = cut(cutter, n, 1);
  merge->pairs.merged = cut(cutter, LEVELS * LEVELS, sizeof(uint32_t));
  merge->pairs.changed = cut(cutter, LEVELS, sizeof(uint32_t));
  merge->cycles.parent = cut(cutter, n, sizeof(uint32_t));
  merge->cycles.visit = cut(cutter, n, sizeof(uint32_t));
  merge->cycles.next_run = cut(cutter, n, 1);
}

static void cut_general(block_cutter *cutter, size_t n, dorm__shortest_path_scratch *paths,
                        dorm__hungarian_scratch *hungarian)
{
  paths->row = hungarian->doc_label = cut(cutter, n, sizeof(double));
  paths->distance = hungarian->position_label = cut(cutter, n, sizeof(double));
  paths->doc_price = hungarian->slack = cut(cutter, n, sizeof(double));
  paths->position_price = cut(cutter, n, sizeof(double));
  paths->from = hungarian->slack_doc = cut(cutter, n, sizeof(uint32_t));
  paths->position_of = hungarian->position_of = cut(cutter, n, sizeof(uint32_t));
  paths->scanned = cut(cutter, n, sizeof(uint32_t));
  paths->is_scanned = hungarian->doc_in_tree = cut(cutter, n, 1);
  hungarian->position_in_tree = cut(cutter, n, 1);
}

/* Methods that never work at the same time share the block. */
static size_t cut_block(dorm__oracle_workspace *workspace)
{
  size_t n = workspace->max_docs;
  block_cutter cutter = {.block = workspace->block};
  cut_sort(&cutter, n, workspace);
  block_cutter other = cutter;
  cut_merge(&cutter, n, &workspace->merge);
  cut_general(&other, n, &workspace->shortest_path, &workspace->hungarian);
  return cutter.used > other.used ? cutter.used : other.used;
}

dorm_status dorm__oracle_workspace_new(dorm_context *context, size_t max_docs, dorm__oracle_workspace **workspace)
{
  *workspace = NULL;
  if (max_docs >= DORM__NO_DOC)
    return dorm__fail(context, DORM_BAD_USAGE, "oracle: %zu documents in one query are too many", max_docs);
  dorm__oracle_workspace *made = dorm__alloc_zero(1, sizeof *made);
  if (made) {
    made->max_docs = max_docs;
    made->most_sweeps = MOST_SWEEPS;
    made->block = dorm__alloc(cut_block(made), 1);
  }
  if (!made || !made->block) {
    dorm__oracle_workspace_free(made);
    return dorm__out_of_memory(context, "the workspace of an oracle");
  }
  cut_block(made);
  *workspace = made;
  return DORM_OK;
}

void dorm__oracle_workspace_free(dorm__oracle_workspace *workspace)
{
  if (!workspace)
    return;
  dorm__free(workspace->block);
  dorm__free(workspace);
}

void dorm__oracle_workspace_set_timing(dorm__oracle_workspace *workspace, bool is_on)
{
  workspace->is_timing = is_on;
}

const dorm__oracle_counts *dorm__oracle_workspace_counts(const dorm__oracle_workspace *workspace)
{
  return &workspace->counts;
}

void dorm__oracle_workspace_set_most_sweeps(dorm__oracle_workspace *workspace, size_t most_sweeps)
{
  workspace->most_sweeps = most_sweeps;
}

/* ---- Solving --------------------------------------------------------------- */

static void solve_by_sort(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                          const dorm__oracle_call *call, uint32_t *order)
{
  const double *key = call->g;
  if (plan->can_sort && (plan->key_of_g != 1 || plan->key_of_b != 0) && call->t != 0) {
    for (size_t j = 0; j < call->num_docs; j++)
      workspace->keys[j] = plan->key_of_g * call->g[j] - call->t * plan->key_of_b * call->b[j];
    key = workspace->keys;
  }
  dorm__sort_descending(call->num_docs, key, order, workspace->scores, &workspace->sort);
}

/* Improvements below this, times the largest |gain|, are taken for rounding. */
static const double TOLERANCE = 4e-15;

static bool solve_by_runs(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                          const dorm__oracle_call *call, uint32_t *order)
{
  size_t count = call->num_docs;
  dorm__sort_descending(count, call->g, workspace->docs, workspace->scores, &workspace->sort);
  double mean = 0;
  for (size_t j = 0; j < count; j++)
    mean += workspace->scores[j] / (double)count;
  dorm__ranked ranked = {.docs = workspace->docs, .scores = workspace->scores, .offset = mean};
  double largest = fmax(workspace->scores[0] - mean, mean - workspace->scores[count - 1]);
  double tolerance = TOLERANCE * (largest * plan->magnitude_of_g + fabs(call->t) * plan->magnitude_of_t);
  return dorm__merge_runs_solve(call, plan->levels, plan->truncation, tolerance, workspace->most_sweeps, &ranked,
                                &workspace->merge, order);
}

/* Returns the method that found the ranking. */
static dorm__oracle_method solve(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                                 const dorm__oracle_call *call, uint32_t *order)
{
  if (plan->method == DORM__ORACLE_SORT || (plan->is_free && call->t == 0)) {
    solve_by_sort(plan, workspace, call, order);
    return DORM__ORACLE_SORT;
  }
  if (plan->method == DORM__ORACLE_HUNGARIAN) {
    dorm__hungarian_solve(call, &workspace->hungarian, order);
    return DORM__ORACLE_HUNGARIAN;
  }
  if (plan->method == DORM__ORACLE_RUNS && solve_by_runs(plan, workspace, call, order))
    return DORM__ORACLE_RUNS;
  dorm__shortest_path_solve(call, &workspace->shortest_path, order);
  return DORM__ORACLE_SHORTEST_PATH;
}

/* All scores and t are finite, and no sum over documents can overflow. */
static bool is_in_range(const dorm__oracle_plan *plan, const dorm__oracle_call *call)
{
  double largest = 0;
  bool all_finite = isfinite(call->t);
  for (size_t j = 0; j < call->num_docs; j++) {
    double magnitude = fabs(call->g[j]);
    all_finite &= magnitude <= DBL_MAX;
    largest = magnitude > largest ? magnitude : largest;
  }
  double bound = largest * plan->magnitude_of_g + fabs(call->t) * plan->magnitude_of_t;
  return all_finite && bound <= DBL_MAX / 8 / (double)(call->num_docs + 1);
}

dorm_status dorm__oracle_solve(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const double *g,
                               double t, uint32_t *order, double *value)
{
  dorm__oracle_call call = plan->tables;
  call.g = g;
  call.t = t;
  if (call.num_docs > workspace->max_docs)
    return DORM_BAD_USAGE;
  if (!is_in_range(plan, &call))
    return DORM_NUMERICAL_FAILURE;
  double start = workspace->is_timing ? dorm__seconds() : 0;
  dorm__oracle_method method = solve(plan, workspace, &call, order);
  workspace->counts.calls[method]++;
  if (workspace->is_timing)
    workspace->counts.seconds[method] += dorm__seconds() - start;
  if (value) {
    double sum = 0;
    for (size_t p = 0; p < call.num_docs; p++)
      sum += dorm__oracle_gain(&call, order[p], p);
    *value = sum;
  }
  return DORM_OK;
}
