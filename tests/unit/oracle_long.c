/*
 * oracle_long.c: compares the methods of the oracle with each other on as many random instances as asked for.
 *
 *   oracle_long [INSTANCES [SEED]]
 *
 * For up to 300 documents the value of each method is compared with the value of shortest paths (of Kuhn-Munkres every
 * tenth time). Every thousandth instance has up to 5,000 documents, and its ranking is proved by potentials that
 * Bellman-Ford's method finds on the complete graph of moves.
 */
#include "assignment/assignment.h"
#include "assignment/plan.h"
#include "assignment/workspace.h"
#include "base/base.h"
#include "base/random.h"
#include "tests/unit/oracle_cases.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const double TOLERANCE = 1e-13; /* times documents and scale */

static dorm__oracle_workspace *workspace;
static dorm_context *context;
static uint32_t order[ORACLE_CASE_MOST_DOCS];
static double potential[ORACLE_CASE_MOST_DOCS];

/* The value found; NAN if the method does not apply. */
static double solve(const oracle_case *instance, dorm__oracle_method method)
{
  DORM__OWNED(dorm__oracle_plan) *plan = NULL;
  double value = NAN;
  if (dorm__oracle_plan_new(context, method, instance->num_docs, instance->a, instance->b, instance->c, &plan) !=
      DORM_OK)
    return NAN;
  if (dorm__oracle_solve(plan, workspace, instance->g, instance->t, order, &value) != DORM_OK ||
      !oracle_case_is_permutation(instance->num_docs, order))
    value = -INFINITY;
  return value;
}

/* The gain of moving the document at x to y. */
static double gain_of_move(const oracle_case *instance, size_t x, size_t y)
{
  return (instance->c[y] - instance->c[x]) * instance->g[order[x]] -
         instance->t * (instance->a[y] - instance->a[x]) * instance->b[order[x]];
}

/* Whether there are potentials for which no move gains more than the tolerance: the ranking in `order` is then the best
 * up to num_docs times that. */
static bool is_proved(const oracle_case *instance)
{
  enum { MOST_SWEEPS = 200 };
  size_t n = instance->num_docs;
  double tolerance = TOLERANCE * oracle_case_scale(instance);
  potential[0] = 0;
  for (size_t p = 1; p < n; p++)
    potential[p] = potential[p - 1] + 0.5 * (gain_of_move(instance, p - 1, p) - gain_of_move(instance, p, p - 1));
  for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    bool raised = false;
    for (size_t x = 0; x < n; x++)
      for (size_t y = 0; y < n; y++) {
        double value = potential[x] + gain_of_move(instance, x, y);
        if (value > potential[y] + tolerance) {
          potential[y] = value;
          raised = true;
        }
      }
    if (!raised)
      return true;
  }
  return false;
}

static bool check_small(const oracle_case *instance, bool with_hungarian)
{
  double best = solve(instance, with_hungarian ? DORM__ORACLE_HUNGARIAN : DORM__ORACLE_SHORTEST_PATH);
  double allowed = TOLERANCE * (double)instance->num_docs * oracle_case_scale(instance);
  bool good = true;
  for (int method = 0; method < DORM__NUM_PLAIN_ORACLE_METHODS; method++) {
    if (method == DORM__ORACLE_HUNGARIAN || (method == DORM__ORACLE_SHORTEST_PATH && !with_hungarian))
      continue;
    double value = solve(instance, (dorm__oracle_method)method);
    if (isnan(value) || fabs(value - best) <= allowed)
      continue;
    oracle_case_print(instance);
    printf("    %s: %.17g, best %.17g, allowed %.3g\n", dorm__oracle_method_name((dorm__oracle_method)method), value,
           best, allowed);
    good = false;
  }
  return good;
}

static bool check_large(const oracle_case *instance, dorm__oracle_method method)
{
  double value = solve(instance, method);
  if (isnan(value) || is_proved(instance))
    return true;
  double best = solve(instance, DORM__ORACLE_SHORTEST_PATH);
  double allowed = TOLERANCE * (double)instance->num_docs * oracle_case_scale(instance);
  if (fabs(value - best) <= allowed) /* Bellman-Ford's method was only too slow */
    return true;
  oracle_case_print(instance);
  printf("    %s: %.17g, best %.17g, allowed %.3g\n", dorm__oracle_method_name(method), value, best, allowed);
  return false;
}

int main(int argc, char **argv)
{
  uint64_t instances = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 20070401;
  oracle_case *instance = oracle_case_new();
  context = dorm_context_new();
  if (!context || dorm__oracle_workspace_new(context, ORACLE_CASE_MOST_DOCS, &workspace) != DORM_OK)
    return 1;
  dorm__oracle_workspace_set_check(workspace, true);
  dorm__random random;
  dorm__random_seed(&random, seed);
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < instances && wrong < 10; i++) {
    bool is_large = i % 1000 == 999;
    size_t most = is_large ? ORACLE_CASE_MOST_DOCS : i % 200 == 0 ? 300 : i % 4 == 0 ? 80 : 20;
    oracle_case_draw(instance, &random, 1 + dorm__random_below(&random, most), 1 + dorm__random_below(&random, 10));
    wrong += !(is_large ? check_large(instance, i % 2000 == 999 ? DORM__ORACLE_RUNS : DORM__ORACLE_MOVES)
                        : check_small(instance, i % 10 == 0));
  }
  const dorm__oracle_counts *counts = dorm__oracle_workspace_counts(workspace);
  printf("seed %" PRIu64 ": %" PRIu64 " instances, %" PRIu64 " wrong; calls:", seed, instances, wrong);
  for (int method = 0; method < DORM__NUM_PLAIN_ORACLE_METHODS; method++)
    if (counts->calls[method])
      printf(" %s %" PRIu64, dorm__oracle_method_name((dorm__oracle_method)method), counts->calls[method]);
  printf("\n");
  oracle_case_free(instance);
  dorm__oracle_workspace_free(workspace);
  dorm_context_free(context);
  return wrong != 0;
}
