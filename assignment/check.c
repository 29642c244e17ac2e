/*
 * check.c: proves that a ranking is the best, without the method that found it.
 *
 * Sort: the keys fall wherever the sorted table does (rearrangement inequality).
 * Runs: potentials as in certificate.c, found anew for the ranking as
 * it stands. Shortest paths and Kuhn-Munkres: the prices they end with are dual
 * feasible for every document and position, and tight on the ranking. With
 * groups: groups.c.
 */
#include "assignment/check.h"
#include "assignment/assignment.h"
#include "assignment/call.h"
#include "assignment/groups/groups.h"
#include "assignment/plan.h"
#include "assignment/runs/levels.h"
#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"
#include "assignment/workspace.h"

#include <math.h>

/* Times dorm__oracle_tolerance: the methods may each leave a little. */
static const double LENIENCE = 100;
/* Times the largest key. */
static const double KEY_TOLERANCE = 1e-14;

/* Of document j; see plan.c. */
static double key_of(const dorm__oracle_plan *plan, const dorm__oracle_call *call, size_t j)
{
  if (call->t == 0 || !plan->can_sort)
    return call->g[j];
  return plan->key_of_g * call->g[j] - call->t * plan->key_of_b * call->b[j];
}

/* Nothing stands behind a document of a smaller key, as far as positions
 * differ. */
static bool is_sorted(const dorm__oracle_plan *plan, const dorm__oracle_call *call, const uint32_t *order)
{
  double largest = 0, highest_behind = -INFINITY;
  for (size_t j = 0; j < call->num_docs; j++)
    largest = fmax(largest, fabs(key_of(plan, call, j)));
  for (size_t p = call->num_docs; p-- > 0;) {
    double key = key_of(plan, call, order[p]);
    if (p < plan->top && key < highest_behind - KEY_TOLERANCE * largest)
      return false;
    highest_behind = fmax(highest_behind, key);
  }
  return true;
}

/* The ranking as a merge of runs, and a proof of it. */
static bool has_potentials(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                           const dorm__oracle_call *call, const uint32_t *order, double offset, double tolerance)
{
  const dorm__merge_scratch *scratch = &workspace->merge;
  dorm__merge merge = {.count = call->num_docs,
                       .num_runs = plan->levels.count,
                       .a = call->a,
                       .c = call->c,
                       .tolerance = tolerance,
                       .sequence = scratch->sequence,
                       .score_at = scratch->score_at,
                       .potential = scratch->potential,
                       .positions = scratch->positions};
  double last[DORM__MOST_LEVELS];
  for (size_t q = 0; q < merge.num_runs; q++) {
    merge.gain[q] = call->t * plan->levels.gain[q];
    last[q] = INFINITY;
  }
  for (size_t p = 0; p < call->num_docs; p++) {
    size_t run = plan->levels.level_of[order[p]];
    double score = call->g[order[p]] - offset;
    merge.sequence[p] = (uint8_t)run;
    merge.score_at[p] = score;
    if (score > last[run]) /* then the potentials would prove nothing */
      return false;
    last[run] = score;
  }
  return dorm__merge_is_proved(&merge, &scratch->cycles, DORM__MOST_SWEEPS);
}

/* No document and position are worth more together than their prices. */
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
  for (size_t j = 0; j < call->num_docs; j++) {
    lowest = fmin(lowest, call->g[j]);
    highest = fmax(highest, call->g[j]);
  }
  double offset = 0.5 * (lowest + highest);
  double tolerance = LENIENCE * dorm__oracle_tolerance(plan, call->t, highest - offset);
  double wide = LENIENCE * dorm__oracle_tolerance(plan, call->t, fmax(fabs(lowest), fabs(highest)));
  switch (method) {
  case DORM__ORACLE_SORT:
    return is_sorted(plan, call, order);
  case DORM__ORACLE_RUNS:
    return has_potentials(plan, workspace, call, order, offset, tolerance);
  case DORM__ORACLE_SHORTEST_PATH: /* of costs, which are gains with the other sign */
    return prices_are_feasible(call, order, workspace->shortest_path.doc_price, workspace->shortest_path.position_price,
                               -1, wide);
  case DORM__ORACLE_HUNGARIAN:
    return prices_are_feasible(call, order, workspace->hungarian.doc_label, workspace->hungarian.position_label, 1,
                               wide);
  case DORM__ORACLE_GROUP_SORT:
  case DORM__ORACLE_GROUP_ASSIGNMENT:
  case DORM__ORACLE_LP:
  case DORM__ORACLE_MIP:
    return dorm__groups_check(plan, workspace, call, method, order);
  default:
    return false;
  }
}
