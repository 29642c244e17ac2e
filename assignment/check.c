/* check.c: proves that a ranking is optimal, independently of the method that found it.
 *
 * Sort: the keys decrease wherever the sorted table decreases (rearrangement inequality). Runs: potentials, computed
 * from the ranking alone (runs/proof.c). Shortest paths, Kuhn-Munkres and moves: their final prices are dual feasible
 * for every document and position, and tight on the ranking. Groups: groups/group_plan.c. */
#include "assignment/assignment.h"
#include "assignment/groups/groups.h"
#include "assignment/plan.h"
#include "assignment/runs/runs.h"
#include "assignment/workspace.h"

#include <math.h>

/* Times dorm__oracle_tolerance, because each method may leave small rounding errors. */
static const double LENIENCE = 100;
/* Times the largest key. */
static const double KEY_TOLERANCE = 1e-14;

/* The key of document j (keys.c), recomputed here. */
static double key_of(const dorm__oracle_plan *plan, const dorm__oracle_call *call, size_t j)
{
  if (call->t == 0 || !plan->can_sort)
    return call->g[j];
  return plan->key_of_g * call->g[j] - call->t * plan->key_of_b * call->b[j];
}

/* Whether no document follows one with a smaller key, among positions that differ. */
static bool is_sorted(const dorm__oracle_plan *plan, const dorm__oracle_call *call, const uint32_t *order)
{
  double largest = 0, highest_after = -INFINITY;
  for (size_t j = 0; j < call->num_docs; j++)
    largest = fmax(largest, fabs(key_of(plan, call, j)));
  for (size_t p = call->num_docs; p-- > 0;) {
    double key = key_of(plan, call, order[p]);
    if (p < plan->top && key < highest_after - KEY_TOLERANCE * largest)
      return false;
    highest_after = fmax(highest_after, key);
  }
  return true;
}

/* Whether no document is worth more at a position than the sum of their prices. */
static bool prices_are_feasible(const dorm__oracle_call *call, const uint32_t *order, const double *doc_price,
                                const double *position_price, double sign, double tolerance)
{
  for (size_t p = 0; p < call->num_docs; p++)
    for (size_t j = 0; j < call->num_docs; j++) {
      double surplus = sign * (doc_price[j] + position_price[p]) - dorm__oracle_gain(call, j, p);
      if (surplus < -tolerance || (order[p] == j && surplus > tolerance))
        return false;
    }
  return true;
}

bool dorm__oracle_check(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const dorm__oracle_call *call,
                        dorm__oracle_method method, const uint32_t *order)
{
  double lowest = INFINITY, highest = -INFINITY;
  for (size_t p = 0; p <= call->num_own; p++)
    for (size_t j = 0; j < call->num_docs; j++) {
      double score = call->g[j] + (p ? call->g[p * call->num_docs + j] : 0);
      lowest = fmin(lowest, score);
      highest = fmax(highest, score);
    }
  double offset = 0.5 * (lowest + highest);
  double tolerance = LENIENCE * dorm__oracle_tolerance(plan, call->t, highest - offset);
  double wide = LENIENCE * dorm__oracle_tolerance(plan, call->t, fmax(fabs(lowest), fabs(highest)));
  switch (method) {
  case DORM__ORACLE_SORT:
    return is_sorted(plan, call, order);
  case DORM__ORACLE_RUNS:
    return dorm__runs_are_best(call, &plan->levels, offset, tolerance, DORM__MOST_SWEEPS, &workspace->merge, order);
  case DORM__ORACLE_SHORTEST_PATH: /* its prices are for costs, which are minus the gains */
    return prices_are_feasible(call, order, workspace->shortest_path.doc_price, workspace->shortest_path.position_price,
                               -1, wide);
  case DORM__ORACLE_HUNGARIAN:
    return prices_are_feasible(call, order, workspace->hungarian.doc_label, workspace->hungarian.position_label, 1,
                               wide);
  case DORM__ORACLE_MOVES:
    dorm__moves_prices(call, offset, order, &workspace->moves);
    return prices_are_feasible(call, order, workspace->moves.key, workspace->moves.position_price, 1, wide);
  case DORM__ORACLE_GROUP_SORT:
  case DORM__ORACLE_GROUP_ASSIGNMENT:
  case DORM__ORACLE_LP:
  case DORM__ORACLE_MIP:
    return dorm__groups_check(plan, workspace, call, method, order);
  default:
    return false;
  }
}
