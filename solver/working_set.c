/*
 * working_set.c: the dual variables of all blocks, v = sum alpha psi with psi =
 * Phi(reference) - Phi(ranking), and w, which is v moved into the bounds on the
 * weights (w = v where there are none). A sweep raises the dual by one exact
 * QP a block after the other and costs no pass over the data.
 *
 * With bounds B the dual is D(alpha) = sum alpha Delta + min over w in B of
 * 1/2 |w|^2 - <w, v>, whose gradient is the margins at w = the projection of v.
 * Projections do not lengthen, so the block's QP with the Gram matrix of psi is
 * a minorant of D, exact without bounds: its solution never lowers D.
 *
 * In parallel, each thread sweeps a group of blocks from the same v, which gives
 * moves d_g of v. D along v + sum theta_g d_g, 0 <= theta_g <= 1, has the
 * quadratic minorant with the Gram matrix of the d_g; its maximum, a box QP of
 * as many variables as there are threads, says how much of each group's move is
 * taken. The result depends on the number of threads and on nothing else.
 */
#include "solver/solver.h"

#include <math.h>
#include <string.h>

struct dorm__sweep_group {
  size_t first; /* blocks first .. end - 1 */
  size_t end;
  dorm__qp_workspace *qp;
  double *v; /* [num_features]; after the sweep the group's move */
  double *w;
  double *scratch; /* [3][scratch_size]: margins, h, change of alpha */
  size_t scratch_size;
  double gap;
  double gain;  /* sum over the group of (alpha - old alpha) Delta */
  double theta; /* part of the move that is taken */
};

/* ---- Making and freeing -------------------------------------------------------- */

static bool group_init(dorm__sweep_group *group, size_t num_features)
{
  group->qp = dorm__qp_workspace_new();
  group->v = dorm__alloc_zero(num_features, sizeof *group->v);
  group->w = dorm__alloc_zero(num_features, sizeof *group->w);
  return group->qp && group->v && group->w;
}

static void group_clear(dorm__sweep_group *group)
{
  dorm__qp_workspace_free(group->qp);
  dorm__free(group->v);
  dorm__free(group->w);
  dorm__free(group->scratch);
}

dorm_status dorm__working_set_new(dorm_context *context, const dorm__problem *problem, bool is_one_slack,
                                  dorm__bounds bounds, dorm__working_set **set)
{
  size_t num_features = problem->features->num_features;
  *set = NULL;
  dorm__working_set *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a working set");
  made->problem = problem;
  made->bounds = bounds;
  made->is_one_slack = is_one_slack;
  made->num_blocks = is_one_slack ? 1 : problem->num_queries;
  made->num_groups = made->num_blocks < problem->num_threads ? made->num_blocks : problem->num_threads;
  made->blocks = dorm__alloc_zero(made->num_blocks, sizeof *made->blocks);
  made->reference_loss = dorm__alloc_zero(problem->num_queries, sizeof *made->reference_loss);
  made->v = dorm__alloc_zero(num_features, sizeof *made->v);
  made->w = dorm__alloc_zero(num_features, sizeof *made->w);
  made->groups = dorm__alloc_zero(made->num_groups, sizeof *made->groups);
  bool is_whole = made->blocks && made->reference_loss && made->v && made->w && made->groups;
  for (size_t g = 0; is_whole && g < made->num_groups; g++) {
    made->groups[g].first = g * made->num_blocks / made->num_groups;
    made->groups[g].end = (g + 1) * made->num_blocks / made->num_groups;
    is_whole = group_init(&made->groups[g], num_features);
  }
  if (!is_whole) {
    dorm__working_set_free(made);
    return dorm__out_of_memory(context, "a working set");
  }
  *set = made;
  return DORM_OK;
}

void dorm__working_set_free(dorm__working_set *set)
{
  if (!set)
    return;
  for (size_t i = 0; set->blocks && i < set->num_blocks; i++)
    dorm__columns_clear(&set->blocks[i]);
  for (size_t g = 0; set->groups && g < set->num_groups; g++)
    group_clear(&set->groups[g]);
  dorm__free(set->blocks);
  dorm__free(set->reference_loss);
  dorm__free(set->v);
  dorm__free(set->w);
  dorm__free(set->groups);
  dorm__free(set);
}

/* ---- References ------------------------------------------------------------------ */

/* The one block's reference is the sum of the queries'. */
static dorm_status sum_references(dorm_context *context, dorm__working_set *set, const dorm__reference *reference,
                                  const double *w)
{
  const dorm__problem *problem = set->problem;
  size_t num_features = problem->features->num_features;
  dorm__columns *columns = &set->blocks[0];
  dorm__vector phi = {0};
  if (!dorm__vector_reserve(&columns->reference, num_features, false))
    return dorm__out_of_memory(context, "a reference");
  columns->reference.count = num_features;
  memset(columns->reference.values, 0, num_features * sizeof(double));
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < problem->num_queries; i++) {
    status = dorm__reference_at(problem, reference, i, w, &problem->threads[0], &phi, &set->reference_loss[i]);
    if (status == DORM_OK)
      dorm__vector_add(&phi, 1, columns->reference.values);
    else
      status = status == DORM_OUT_OF_MEMORY ? dorm__out_of_memory(context, "references")
                                            : dorm__problem_fail(context, problem, i);
  }
  dorm__vector_clear(&phi);
  if (status == DORM_OK)
    dorm__columns_refill(columns, num_features, problem->threads[0].sum);
  return status;
}

dorm_status dorm__working_set_set_reference(dorm_context *context, dorm__working_set *set,
                                            const dorm__reference *reference, const double *w)
{
  const dorm__problem *problem = set->problem;
  size_t num_features = problem->features->num_features;
  if (set->is_one_slack) {
    dorm_status status = sum_references(context, set, reference, w);
    if (status == DORM_OK)
      dorm__working_set_refresh(set);
    return status;
  }
  size_t failed = problem->num_queries;
  bool is_out_of_memory = false;
#pragma omp parallel for schedule(dynamic, 8) num_threads((int)problem->num_threads) reduction(min                     \
                                                                                               : failed)               \
    reduction(||                                                                                                       \
              : is_out_of_memory)
  for (size_t i = 0; i < problem->num_queries; i++) {
    dorm__columns *columns = &set->blocks[i];
    dorm__thread *thread = dorm__problem_thread(problem);
    dorm_status status =
        dorm__reference_at(problem, reference, i, w, thread, &columns->reference, &set->reference_loss[i]);
    is_out_of_memory = is_out_of_memory || status == DORM_OUT_OF_MEMORY;
    if (status != DORM_OK)
      failed = i < failed ? i : failed;
    else
      dorm__columns_refill(columns, num_features, thread->sum);
  }
  if (is_out_of_memory)
    return dorm__out_of_memory(context, "references");
  if (failed < problem->num_queries)
    return dorm__problem_fail(context, problem, failed);
  dorm__working_set_refresh(set);
  return DORM_OK;
}

/* ---- v, w and the dual value --------------------------------------------------------- */

void dorm__bounds_project(const dorm__bounds *bounds, size_t num_features, double *x)
{
  if (bounds->lower)
    for (size_t f = 0; f < num_features; f++)
      x[f] = x[f] < bounds->lower[f] ? bounds->lower[f] : x[f];
  if (bounds->upper)
    for (size_t f = 0; f < num_features; f++)
      x[f] = x[f] > bounds->upper[f] ? bounds->upper[f] : x[f];
}

static bool has_bounds(const dorm__working_set *set)
{
  return set->bounds.lower || set->bounds.upper;
}

static void project(const dorm__working_set *set, const double *v, double *w)
{
  size_t num_features = set->problem->features->num_features;
  memcpy(w, v, num_features * sizeof *w);
  dorm__bounds_project(&set->bounds, num_features, w);
}

void dorm__working_set_refresh(dorm__working_set *set)
{
  size_t num_features = set->problem->features->num_features;
#pragma omp parallel for schedule(static) num_threads((int)set->problem->num_threads)
  for (size_t g = 0; g < set->num_groups; g++) {
    dorm__sweep_group *group = &set->groups[g];
    memset(group->v, 0, num_features * sizeof *group->v);
    for (size_t i = group->first; i < group->end; i++)
      dorm__columns_add_psi(&set->blocks[i], set->blocks[i].alpha, group->v);
  }
  memset(set->v, 0, num_features * sizeof *set->v);
  for (size_t g = 0; g < set->num_groups; g++)
    dorm__add_scaled(num_features, 1, set->groups[g].v, set->v);
  project(set, set->v, set->w);
}

void dorm__working_set_scale(dorm__working_set *set, double factor)
{
  for (size_t i = 0; i < set->num_blocks; i++)
    for (size_t k = 0; k < set->blocks[i].count; k++)
      set->blocks[i].alpha[k] *= factor;
  dorm__working_set_refresh(set);
}

double dorm__working_set_dual(const dorm__working_set *set)
{
  size_t num_features = set->problem->features->num_features;
  double value = 0.5 * dorm__dot(num_features, set->w, set->w) - dorm__dot(num_features, set->w, set->v);
  for (size_t i = 0; i < set->num_blocks; i++)
    for (size_t k = 0; k < set->blocks[i].count; k++)
      value += set->blocks[i].alpha[k] * set->blocks[i].loss[k];
  return value;
}

size_t dorm__working_set_num_columns(const dorm__working_set *set)
{
  size_t count = 0;
  for (size_t i = 0; i < set->num_blocks; i++)
    count += set->blocks[i].count;
  return count;
}

size_t dorm__working_set_num_support(const dorm__working_set *set)
{
  size_t count = 0;
  for (size_t i = 0; i < set->num_blocks; i++)
    for (size_t k = 0; k < set->blocks[i].count; k++)
      count += set->blocks[i].alpha[k] > 0;
  return count;
}

/* ---- Sweeps ------------------------------------------------------------------------ */

static bool reserve_scratch(dorm__sweep_group *group, size_t count)
{
  if (count <= group->scratch_size)
    return true;
  double *larger = dorm__realloc(group->scratch, 2 * count, 3 * sizeof *larger);
  if (!larger)
    return false;
  group->scratch = larger;
  group->scratch_size = 2 * count;
  return true;
}

/* Solves the QP of one block at the margins given; alpha, v and w follow. */
static bool solve_block(const dorm__working_set *set, dorm__sweep_group *group, dorm__columns *columns, double C,
                        const double *margins)
{
  double *h = group->scratch + group->scratch_size;
  double *change = h + group->scratch_size;
  for (size_t k = 0; k < columns->count; k++) {
    double own = 0; /* what this block's own part of v takes off the margin */
    for (size_t m = 0; m < columns->count; m++)
      own += columns->gram[k * columns->capacity + m] * columns->alpha[m];
    h[k] = margins[k] + own;
    change[k] = -columns->alpha[k];
  }
  if (!dorm__qp_solve(group->qp, columns->count, columns->capacity, columns->gram, h, C, columns->alpha))
    return false;
  for (size_t k = 0; k < columns->count; k++) {
    change[k] += columns->alpha[k];
    group->gain += change[k] * columns->loss[k];
  }
  dorm__columns_add_psi(columns, change, group->v);
  if (has_bounds(set))
    project(set, group->v, group->w);
  return true;
}

/* Where the group's margins are taken. */
static const double *point_of(const dorm__working_set *set, const dorm__sweep_group *group)
{
  return has_bounds(set) ? group->w : group->v;
}

static bool sweep_group(dorm__working_set *set, dorm__sweep_group *group, double C, double negligible)
{
  size_t num_features = set->problem->features->num_features;
  memcpy(group->v, set->v, num_features * sizeof *group->v);
  memcpy(group->w, set->w, num_features * sizeof *group->w); /* used with bounds only */
  group->gap = 0;
  group->gain = 0;
  for (size_t i = group->first; i < group->end; i++) {
    dorm__columns *columns = &set->blocks[i];
    if (!columns->count)
      continue;
    if (!reserve_scratch(group, columns->count))
      return false;
    double *margins = group->scratch;
    double own_gap = C * dorm__columns_margins(columns, point_of(set, group), margins);
    for (size_t k = 0; k < columns->count; k++) {
      columns->old_alpha[k] = columns->alpha[k];
      own_gap -= columns->alpha[k] * margins[k];
    }
    group->gap += own_gap;
    if (own_gap > negligible && !solve_block(set, group, columns, C, margins))
      return false;
  }
  return true;
}

/* max over theta in the box of  sum_g theta_g slope_g - 1/2 |sum_g theta_g d_g|^2
 * by coordinate ascent; d_g is in group->v. */
static void choose_parts(dorm__working_set *set)
{
  enum { MOST_ROUNDS = 200 };
  size_t num_features = set->problem->features->num_features;
  double *move = set->groups[0].w; /* free until the next sweep */
  memset(move, 0, num_features * sizeof *move);
  for (size_t g = 0; g < set->num_groups; g++) {
    dorm__add_scaled(num_features, -1, set->v, set->groups[g].v);
    set->groups[g].theta = 0;
  }
  double largest_change = 1;
  for (size_t round = 0; round < MOST_ROUNDS && largest_change > 1e-9; round++) {
    largest_change = 0;
    for (size_t g = 0; g < set->num_groups; g++) {
      dorm__sweep_group *group = &set->groups[g];
      double curvature = dorm__dot(num_features, group->v, group->v);
      double slope = group->gain - dorm__dot(num_features, set->w, group->v) - dorm__dot(num_features, move, group->v);
      double theta = curvature > 0 ? group->theta + slope / curvature : 1;
      theta = fmin(1, fmax(0, theta));
      dorm__add_scaled(num_features, theta - group->theta, group->v, move);
      largest_change = fmax(largest_change, fabs(theta - group->theta));
      group->theta = theta;
    }
  }
}

/* Joins the moves of the groups into v and alpha. */
static void join_groups(dorm__working_set *set)
{
  size_t num_features = set->problem->features->num_features;
  if (set->num_groups == 1) {
    memcpy(set->v, set->groups[0].v, num_features * sizeof *set->v);
    project(set, set->v, set->w);
    return;
  }
  choose_parts(set);
  for (size_t g = 0; g < set->num_groups; g++) {
    dorm__sweep_group *group = &set->groups[g];
    dorm__add_scaled(num_features, group->theta, group->v, set->v);
    if (group->theta == 1)
      continue;
    for (size_t i = group->first; i < group->end; i++) {
      dorm__columns *columns = &set->blocks[i];
      for (size_t k = 0; k < columns->count; k++)
        columns->alpha[k] = columns->old_alpha[k] + group->theta * (columns->alpha[k] - columns->old_alpha[k]);
    }
  }
  project(set, set->v, set->w);
}

dorm_status dorm__working_set_sweep(dorm_context *context, dorm__working_set *set, double C, double negligible,
                                    double *gap)
{
  bool is_out_of_memory = false;
#pragma omp parallel for schedule(static, 1) num_threads((int)set->problem->num_threads) reduction(||                  \
                                                                                                   : is_out_of_memory)
  for (size_t g = 0; g < set->num_groups; g++)
    is_out_of_memory = !sweep_group(set, &set->groups[g], C, negligible) || is_out_of_memory;
  if (is_out_of_memory)
    return dorm__out_of_memory(context, "a quadratic programme");
  *gap = 0;
  for (size_t g = 0; g < set->num_groups; g++)
    *gap += set->groups[g].gap;
  join_groups(set);
  return DORM_OK;
}

dorm_status dorm__working_set_solve(dorm_context *context, dorm__working_set *set, double C, double tolerance,
                                    size_t most_sweeps)
{
  double gap = INFINITY;
  double negligible = 0.1 * tolerance / (double)(set->num_blocks + 1);
  for (size_t i = 0; i < most_sweeps && gap > tolerance; i++) {
    dorm_status status = dorm__working_set_sweep(context, set, C, negligible, &gap);
    if (status != DORM_OK)
      return status;
  }
  dorm__working_set_refresh(set);
  return DORM_OK;
}

void dorm__working_set_prune(dorm__working_set *set, uint32_t limit, size_t most_bytes)
{
  size_t bytes = 0;
  for (size_t i = 0; i < set->num_blocks; i++)
    bytes += dorm__columns_bytes(&set->blocks[i]);
  for (size_t i = 0; i < set->num_blocks; i++)
    dorm__columns_prune(&set->blocks[i], bytes > most_bytes ? 1 : limit);
}
