/*
 * sweeps.c: raising the dual one exact QP a block after the other.
 *
 * A sweep goes over the columns that are there and costs no pass over the data.
 * A sequential pass asks each query's oracle first, at the w of that moment, and
 * takes the most violated ranking into the block before it is solved: coordinate
 * ascent with an oracle, the block-coordinate Frank-Wolfe method (Lacoste-Julien,
 * Jaggi, Schmidt and Pletscher 2013) with all columns of the block in place of a
 * line search. Its rankings are violated at a w that all queries before have
 * moved, and so they say more than those of a pass at a fixed w; but it tells no
 * primal value.
 *
 * With bounds on the weights projections do not lengthen, so the block's QP with
 * the Gram matrix of psi is a minorant of the dual, exact without bounds: its
 * solution never lowers the dual.
 *
 * In parallel, each thread sweeps a group of blocks from the same v, which gives
 * moves d_g of v. D along v + sum theta_g d_g, 0 <= theta_g <= 1, has the
 * quadratic minorant with the Gram matrix of the d_g; its maximum, a box QP of
 * as many variables as there are threads, says how much of each group's move is
 * taken, behind each sweep and each sequential pass. The result depends on the
 * number of threads and on nothing else.
 */
#include "solver/sweeps.h"
#include "base/linalg.h"
#include "solver/columns.h"
#include "solver/problem.h"
#include "solver/solver.h"
#include "solver/vector.h"
#include "solver/working_set.h"

#include <math.h>
#include <string.h>

/* Of the gap that is left over, what a block may have and still be passed over; and
 * how often the blocks passed over are looked at again. */
static const double negligible_share = 0.3;
enum { SWEEPS_A_LOOK = 8 };

/* ---- Groups of blocks ------------------------------------------------------------ */

/* Equal shares, as OpenMP's static schedule deals them to the loops over all queries:
 * a thread meets its columns in its own cache. */
bool dorm__sweep_groups_new(dorm__working_set *set)
{
  size_t num_features = set->problem->features->num_features;
  size_t num_threads = set->problem->num_threads;
  set->num_groups = set->num_blocks < num_threads ? set->num_blocks : num_threads;
  set->groups = dorm__alloc_zero(set->num_groups, sizeof *set->groups);
  for (size_t g = 0; set->groups && g < set->num_groups; g++) {
    dorm__sweep_group *group = &set->groups[g];
    group->first = g * set->num_blocks / set->num_groups;
    group->end = (g + 1) * set->num_blocks / set->num_groups;
    group->qp = dorm__qp_workspace_new();
    group->v = dorm__alloc_zero(num_features, sizeof *group->v);
    group->w = dorm__alloc_zero(num_features, sizeof *group->w);
    if (!group->qp || !group->v || !group->w)
      return false;
  }
  return set->groups != NULL;
}

void dorm__sweep_groups_free(dorm__working_set *set)
{
  for (size_t g = 0; set->groups && g < set->num_groups; g++) {
    dorm__qp_workspace_free(set->groups[g].qp);
    dorm__free(set->groups[g].v);
    dorm__free(set->groups[g].w);
    dorm__free(set->groups[g].scratch);
  }
  dorm__free(set->groups);
}

/* Moves from the present v are about to begin. */
static void group_begin(const dorm__working_set *set, dorm__sweep_group *group)
{
  size_t num_features = set->problem->features->num_features;
  memcpy(group->v, set->v, num_features * sizeof *group->v);
  memcpy(group->w, set->w, num_features * sizeof *group->w); /* used with bounds only */
  group->gain = 0;
  group->gap = 0;
}

/* ---- One block ------------------------------------------------------------------- */

static bool has_bounds(const dorm__working_set *set)
{
  return set->bounds.lower || set->bounds.upper;
}

/* Where the group's margins are taken. */
static const double *point_of(const dorm__working_set *set, const dorm__sweep_group *group)
{
  return has_bounds(set) ? group->w : group->v;
}

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

/* Solves the QP of one block at the margins in the group's scratch; alpha, v and
 * w follow. */
static bool solve_block(const dorm__working_set *set, dorm__sweep_group *group, dorm__columns *columns, double C)
{
  const double *margins = group->scratch;
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
    dorm__working_set_project(set, group->v, group->w);
  return true;
}

/* Notes alpha for the joining of moves. */
static void note_block(dorm__columns *columns)
{
  for (size_t k = 0; k < columns->count; k++)
    columns->old_alpha[k] = columns->alpha[k];
}

/* sum alpha margin of a block */
static double weighted_margins(const dorm__columns *columns, const double *margins)
{
  double sum = 0;
  for (size_t k = 0; k < columns->count; k++)
    sum += columns->alpha[k] * margins[k];
  return sum;
}

/* ---- Joining the groups' moves ----------------------------------------------------- */

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

/* The moves of the groups into v, w and alpha. */
static void join_groups(dorm__working_set *set)
{
  size_t num_features = set->problem->features->num_features;
  if (set->num_groups == 1) {
    memcpy(set->v, set->groups[0].v, num_features * sizeof *set->v);
    dorm__working_set_project(set, set->v, set->w);
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
  dorm__working_set_project(set, set->v, set->w);
}

/* ---- Sweeps ------------------------------------------------------------------------ */

static bool sweep_group(const dorm__working_set *set, dorm__sweep_group *group, double C, double negligible,
                        bool looks_again)
{
  group_begin(set, group);
  for (size_t i = group->first; i < group->end; i++) {
    dorm__columns *columns = &set->blocks[i];
    if (!columns->count)
      continue;
    note_block(columns);
    if (looks_again || columns->own_gap > negligible) {
      if (!reserve_scratch(group, columns->count))
        return false;
      columns->own_gap = C * dorm__columns_margins(columns, point_of(set, group), group->scratch);
      columns->own_gap -= weighted_margins(columns, group->scratch);
      if (columns->own_gap > negligible && !solve_block(set, group, columns, C))
        return false;
    }
    group->gap += columns->own_gap;
  }
  return true;
}

dorm_status dorm__working_set_sweep(dorm_context *context, dorm__working_set *set, double C, double negligible,
                                    bool looks_again, double *gap)
{
  bool is_out_of_memory = false;
#pragma omp parallel for schedule(static, 1) num_threads((int)set->num_groups) reduction(|| : is_out_of_memory)
  for (size_t g = 0; g < set->num_groups; g++)
    is_out_of_memory = !sweep_group(set, &set->groups[g], C, negligible, looks_again) || is_out_of_memory;
  if (is_out_of_memory)
    return dorm__out_of_memory(context, "a quadratic programme");
  *gap = 0;
  for (size_t g = 0; g < set->num_groups; g++)
    *gap += set->groups[g].gap;
  join_groups(set);
  return DORM_OK;
}

dorm_status dorm__working_set_solve(dorm_context *context, dorm__working_set *set, double C, double tolerance,
                                    double enough, size_t most_sweeps)
{
  double gap = INFINITY;
  double negligible = negligible_share * tolerance / (double)(set->num_blocks + 1);
  bool looks_again = true;
  for (size_t i = 0; i < most_sweeps && (gap > tolerance || !looks_again); i++) {
    looks_again = i % SWEEPS_A_LOOK == 0 || gap <= tolerance;
    dorm_status status = dorm__working_set_sweep(context, set, C, negligible, looks_again, &gap);
    if (status != DORM_OK)
      return status;
    if (enough < INFINITY && dorm__working_set_dual(set) >= enough)
      break;
  }
  dorm__working_set_refresh(set);
  return DORM_OK;
}

/* ---- Sequential passes --------------------------------------------------------------- */

/* One query: its most violated ranking, where it adds more than `tolerance` to
 * what the block knows, then the block's QP. */
static dorm_status pass_query(const dorm__working_set *set, dorm__sweep_group *group, size_t query, double C,
                              double tolerance, dorm__thread *thread)
{
  const dorm__problem *problem = set->problem;
  const double *point = point_of(set, group);
  dorm__columns *columns = &set->blocks[query];
  const double *weights = NULL;
  double loss = 0;
  double value = 0;
  dorm__columns_fetch(columns);
  dorm_status status = dorm__problem_violation(problem, query, point, thread, &weights, &loss, &value);
  if (status != DORM_OK)
    return status;
  if (!reserve_scratch(group, columns->count + 1))
    return DORM_OUT_OF_MEMORY;
  double margin = value - dorm__vector_dot(&columns->reference, point);
  double known = dorm__columns_margins(columns, point, group->scratch);
  double own_gap = C * fmax(known, margin) - weighted_margins(columns, group->scratch);
  note_block(columns);
  group->gap += own_gap;
  if (margin > known + tolerance) {
    dorm__vector phi = {0};
    if (!dorm__problem_output_vector(problem, query, weights, thread, &phi) ||
        !dorm__columns_add(columns, problem->features->num_features, &phi, loss, thread->sum)) {
      dorm__vector_clear(&phi);
      return DORM_OUT_OF_MEMORY;
    }
    group->scratch[columns->count - 1] = margin;
  }
  bool is_solved = !columns->count || own_gap <= 0 || solve_block(set, group, columns, C);
  thread->column_seconds += dorm__next_phase(thread);
  return is_solved ? DORM_OK : DORM_OUT_OF_MEMORY;
}

/* A group's share of a pass; the first query that failed. */
static dorm_status pass_group(const dorm__working_set *set, dorm__sweep_group *group, double C, double tolerance,
                              size_t *failed)
{
  dorm__thread *thread = dorm__problem_thread(set->problem);
  group_begin(set, group);
  for (size_t i = group->first; i < group->end; i++) {
    dorm_status status = pass_query(set, group, i, C, tolerance, thread);
    if (status != DORM_OK) {
      *failed = i;
      return status;
    }
  }
  return DORM_OK;
}

dorm_status dorm__working_set_pass(dorm_context *context, dorm__working_set *set, double C, double tolerance,
                                   double *gap)
{
  const dorm__problem *problem = set->problem;
  size_t first_failed = problem->num_queries;
  bool is_out_of_memory = false;
#pragma omp parallel for schedule(static, 1) num_threads((int)set->num_groups) reduction(min                           \
                                                                                         : first_failed)               \
    reduction(||                                                                                                       \
              : is_out_of_memory)
  for (size_t g = 0; g < set->num_groups; g++) {
    size_t failed = problem->num_queries;
    dorm_status status = pass_group(set, &set->groups[g], C, tolerance, &failed);
    first_failed = failed < first_failed ? failed : first_failed;
    is_out_of_memory = is_out_of_memory || status == DORM_OUT_OF_MEMORY;
  }
  if (is_out_of_memory)
    return dorm__out_of_memory(context, "an oracle pass");
  if (first_failed < problem->num_queries)
    return dorm__problem_fail(context, problem, first_failed);
  join_groups(set);
  *gap = 0;
  for (size_t g = 0; g < set->num_groups; g++)
    *gap += set->groups[g].gap;
  return DORM_OK;
}
