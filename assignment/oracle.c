/* oracle.c: one call of the oracle. Sorts if that is exact (keys.c). Otherwise merges sorted runs if b has few distinct
 * values (runs/), and makes improving moves if it has more (moves.c). General costs are solved by shortest augmenting
 * paths. */
#include "assignment/assignment.h"
#include "assignment/groups/groups.h"
#include "assignment/plan.h"
#include "assignment/runs/runs.h"
#include "assignment/workspace.h"
#include "base/lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *const method_names[DORM__NUM_ORACLE_METHODS] = {
    [DORM__ORACLE_AUTO] = "auto",
    [DORM__ORACLE_SORT] = "sort",
    [DORM__ORACLE_RUNS] = "runs",
    [DORM__ORACLE_SHORTEST_PATH] = "shortest-path",
    [DORM__ORACLE_HUNGARIAN] = "hungarian",
    [DORM__ORACLE_MOVES] = "moves",
    [DORM__ORACLE_GROUP_SORT] = "group-sort",
    [DORM__ORACLE_GROUP_ASSIGNMENT] = "group-assignment",
    [DORM__ORACLE_LP] = "lp",
    [DORM__ORACLE_MIP] = "mip",
};

const char *dorm__oracle_method_name(dorm__oracle_method method)
{
  return method_names[method];
}

static void solve_by_sort(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                          const dorm__oracle_call *call, uint32_t *order)
{
  dorm__sort_first(call->num_docs, plan->can_sort ? plan->top : SIZE_MAX, dorm__oracle_keys(plan, workspace, call),
                   order, workspace->scores, &workspace->sort);
}

static bool solve_by_runs(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                          const dorm__oracle_call *call, uint32_t *order)
{
  dorm__ranked ranked = dorm__oracle_rank(workspace, call);
  double tolerance = dorm__oracle_tolerance(plan, call->t, ranked.scores[0] - ranked.offset);
  return dorm__merge_runs_solve(call, &plan->levels,
                                &(const dorm__search_limits){plan->truncation, tolerance, workspace->most_sweeps},
                                &ranked, &workspace->merge, order);
}

static bool solve_by_moves(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                           const dorm__oracle_call *call, uint32_t *order)
{
  if (call->num_docs == 0)
    return true;
  dorm__ranked ranked = dorm__oracle_rank(workspace, call);
  double tolerance = dorm__oracle_tolerance(plan, call->t, ranked.scores[0] - ranked.offset);
  return dorm__moves_solve(call, &plan->equals,
                           &(const dorm__search_limits){plan->truncation, tolerance, workspace->most_sweeps}, &ranked,
                           &workspace->moves, order);
}

/* Solves calls with additional scores of the first positions: finds the best ranking without these by moves, and
 * continues from there. The methods share memory, so prices change arrays through two that neither method uses then. */
static bool solve_by_adjusting(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                               const dorm__oracle_call *call, uint32_t *order)
{
  dorm__oracle_call base = *call;
  base.num_own = 0;
  if (!solve_by_moves(plan, workspace, &base, order))
    return false;
  size_t last = call->num_docs - 1;
  dorm__moves_prices(&base, 0.5 * (workspace->scores[0] + workspace->scores[last]), order, &workspace->moves);
  double *doc_price = workspace->keys, *position_price = workspace->scores;
  for (size_t i = 0; i <= last; i++) {
    doc_price[i] = -workspace->moves.key[i];
    position_price[i] = -workspace->moves.position_price[i];
  }
  memcpy(workspace->shortest_path.doc_price, doc_price, call->num_docs * sizeof *doc_price);
  memcpy(workspace->shortest_path.position_price, position_price, call->num_docs * sizeof *position_price);
  dorm__shortest_path_adjust(call, &workspace->shortest_path, order);
  return true;
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
  if (plan->method == DORM__ORACLE_MOVES && solve_by_moves(plan, workspace, call, order))
    return DORM__ORACLE_MOVES;
  if (!plan->adjusts || !solve_by_adjusting(plan, workspace, call, order))
    dorm__shortest_path_solve(call, &workspace->shortest_path, order);
  return DORM__ORACLE_SHORTEST_PATH;
}

/* Whether all scores and t are finite, and no sum over documents can overflow. */
DORM__WIDE_VECTORS
static bool is_in_range(const dorm__oracle_plan *plan, const dorm__oracle_call *call)
{
  dorm__lanes largest = {0}, zero = {0}; /* 0 times a score that is not finite is NaN */
  const double *g = call->g;
  size_t j = 0, count = (1 + call->num_own) * call->num_docs;
  for (; j + DORM__LANES <= count; j += DORM__LANES) {
    dorm__lanes score;
    memcpy(&score, g + j, sizeof score);
    zero += 0 * score;
    score = (dorm__lanes)((dorm__lane_masks)score & (dorm__lane_masks)DORM__LANES_OF(INT64_MAX)); /* clears the sign */
    dorm__lane_masks is_larger = score > largest;
    dorm__pick_lanes(&largest, &is_larger, &score);
  }
  double magnitude = fmax(fmax(largest[0], largest[1]), fmax(largest[2], largest[3]));
  double sum = zero[0] + zero[1] + zero[2] + zero[3];
  for (; j < count; j++) {
    magnitude = fmax(magnitude, fabs(g[j]));
    sum += 0 * g[j];
  }
  magnitude *= call->num_own ? 2 : 1; /* the score of the position is added */
  double bound = magnitude * plan->magnitude_of_g + fabs(call->t) * plan->magnitude_of_t;
  return isfinite(call->t) && sum == 0 && bound <= DBL_MAX / 8 / (double)(call->num_docs + 1);
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
  dorm__oracle_method method;
  workspace->excess = 0;
  if (plan->groups) {
    dorm_status status = dorm__groups_solve(plan, workspace, &call, order, &method);
    if (status != DORM_OK)
      return status;
  } else {
    method = solve(plan, workspace, &call, order);
  }
  workspace->counts.calls[method]++;
  workspace->counts.last = method;
  if (workspace->is_checking && !dorm__oracle_check(plan, workspace, &call, method, order)) {
    workspace->counts.failed_checks++;
    return DORM_NUMERICAL_FAILURE;
  }
  if (value) {
    double sum = 0;
    for (size_t p = 0; p < call.num_docs; p++)
      sum += dorm__oracle_gain(&call, order[p], p);
    *value = sum;
  }
  return DORM_OK;
}
