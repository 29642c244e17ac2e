/* oracle_test.c: every method of the oracle against brute force, against the others and against linear programming. */
#include "assignment/groups/groups.h"
#include "assignment/plan.h"
#include "assignment/workspace.h"
#include "tests/unit/oracle_cases.h"
#include "tests/unit/unit.h"

#include <float.h>

/* Values may differ by rounding alone, which is this times num_docs terms of the size of oracle_case_scale. */
static const double TOLERANCE = 1e-13;

static bool is_as_good(const oracle_case *instance, double value, double best)
{
  double allowed = TOLERANCE * (double)instance->num_docs * oracle_case_scale(instance);
  if (fabs(value - best) <= allowed)
    return true;
  oracle_case_print(instance);
  printf("    value %.17g, best %.17g, allowed %.3g\n", value, best, allowed);
  return false;
}

/* One instance after the other is drawn into `instance` and solved. */
typedef struct trial {
  dorm_context *context;
  dorm__oracle_workspace *workspace;
  oracle_case *instance;
  dorm__random random;
  uint32_t *order; /* the ranking that was found last */
} trial;

static trial trial_new(size_t max_docs)
{
  static uint32_t order[ORACLE_CASE_MOST_DOCS];
  trial made = {.context = unit_context(), .instance = oracle_case_new(), .order = order};
  UNIT_OK(made.context, dorm__oracle_workspace_new(made.context, max_docs, &made.workspace));
  dorm__random_seed(&made.random, unit_seed());
  return made;
}

static void trial_free(trial *made)
{
  oracle_case_free(made->instance);
  dorm__oracle_workspace_free(made->workspace);
  dorm_context_free(made->context);
}

/* Whether documents of equal b are in the order of their scores, ties in the order of the data. */
static bool equals_follow_scores(const oracle_case *instance, const uint32_t *order)
{
  for (size_t p = 0; p < instance->num_docs; p++)
    for (size_t q = p + 1; q < instance->num_docs; q++) {
      uint32_t x = order[p], y = order[q];
      bool is_after = instance->g[x] < instance->g[y] || (instance->g[x] == instance->g[y] && x > y);
      if (is_after && instance->b[x] == instance->b[y])
        return false;
    }
  return true;
}

/* Solves by one method and checks the ranking and its value; NAN if the method does not apply. */
static double solve(const trial *own, dorm__oracle_method method)
{
  dorm_context *context = own->context;
  const oracle_case *instance = own->instance;
  uint32_t *order = own->order;
  DORM__OWNED(dorm__oracle_plan) *plan = NULL;
  dorm_status status =
      dorm__oracle_plan_new(context, method, instance->num_docs, instance->a, instance->b, instance->c, &plan);
  if (status == DORM_BAD_USAGE && method != DORM__ORACLE_AUTO) {
    CU_ASSERT_PTR_NULL(plan);
    return NAN;
  }
  UNIT_OK(context, status);
  double value = NAN;
  dorm__oracle_workspace_set_check(own->workspace, true);
  CU_ASSERT_EQUAL(dorm__oracle_solve(plan, own->workspace, instance->g, instance->t, order, &value), DORM_OK);
  CU_ASSERT_EQUAL(dorm__oracle_workspace_counts(own->workspace)->failed_checks, 0);
  CU_ASSERT_TRUE(oracle_case_is_permutation(instance->num_docs, order));
  CU_ASSERT_TRUE(is_as_good(instance, value, oracle_case_value(instance, order)));
  if (dorm__oracle_workspace_counts(own->workspace)->last == DORM__ORACLE_MOVES)
    CU_ASSERT_TRUE(equals_follow_scores(instance, order));
  return value;
}

static void check_all_methods(const trial *own, double best, bool with_hungarian)
{
  for (int method = 0; method < DORM__NUM_PLAIN_ORACLE_METHODS; method++) {
    double value = method != DORM__ORACLE_HUNGARIAN || with_hungarian ? solve(own, (dorm__oracle_method)method) : NAN;
    CU_ASSERT_TRUE(isnan(value) || is_as_good(own->instance, value, best));
  }
}

UNIT_TEST(oracles_find_the_best_of_all_permutations)
{
  DORM__AT_END(trial_free) trial own = trial_new(7);
  for (int i = 0; i < 3000; i++) {
    uint32_t order[7];
    double best = -INFINITY;
    oracle_case_draw(own.instance, &own.random, 1 + dorm__random_below(&own.random, 6 + (i % 10 == 0)),
                     1 + dorm__random_below(&own.random, 5));
    for (size_t r = 0; unit_ranking(own.instance->num_docs, r, order); r++)
      best = fmax(best, oracle_case_value(own.instance, order));
    check_all_methods(&own, best, true);
  }
}

/* The gain of moving the document at x of a ranking to y. */
static double gain_of_move(const oracle_case *instance, const uint32_t *order, size_t x, size_t y)
{
  return (instance->c[y] - instance->c[x]) * instance->g[order[x]] -
         instance->t * (instance->a[y] - instance->a[x]) * instance->b[order[x]];
}

/* Whether there are potentials for which no move gains more than the tolerance, by Bellman-Ford's method on the
 * complete graph of moves: the ranking is then the best up to num_docs times that. */
static bool is_proved(const oracle_case *instance, const uint32_t *order)
{
  enum { MOST_SWEEPS = 200 };
  static double potential[ORACLE_CASE_MOST_DOCS];
  double tolerance = TOLERANCE * oracle_case_scale(instance);
  potential[0] = 0;
  for (size_t p = 1; p < instance->num_docs; p++)
    potential[p] =
        potential[p - 1] + 0.5 * (gain_of_move(instance, order, p - 1, p) - gain_of_move(instance, order, p, p - 1));
  bool raised = true;
  for (int sweep = 0; raised && sweep < MOST_SWEEPS; sweep++) {
    raised = false;
    for (size_t x = 0; x < instance->num_docs; x++)
      for (size_t y = 0; y < instance->num_docs; y++) {
        double value = potential[x] + gain_of_move(instance, order, x, y);
        if (value > potential[y] + tolerance) {
          potential[y] = value;
          raised = true;
        }
      }
  }
  return !raised;
}

/* Up to 300 documents and, every thousandth time, up to 5,000, whose ranking has to be proved. */
UNIT_TEST(oracles_agree_with_each_other)
{
  DORM__AT_END(trial_free) trial own = trial_new(ORACLE_CASE_MOST_DOCS);
  size_t count = unit_long_count(2000);
  for (size_t i = 0; i < count; i++) {
    bool is_large = i % 1000 == 999, with_hungarian = i % 10 == 0;
    size_t most = is_large ? ORACLE_CASE_MOST_DOCS : i % 200 == 0 ? 300 : i % 4 == 0 ? 80 : 20;
    oracle_case_draw(own.instance, &own.random, 1 + dorm__random_below(&own.random, most),
                     1 + dorm__random_below(&own.random, 10));
    if (!is_large) {
      check_all_methods(&own, solve(&own, with_hungarian ? DORM__ORACLE_HUNGARIAN : DORM__ORACLE_SHORTEST_PATH),
                        with_hungarian);
      continue;
    }
    double value = solve(&own, i % 2000 == 999 ? DORM__ORACLE_RUNS : DORM__ORACLE_MOVES);
    if (!isnan(value) && !is_proved(own.instance, own.order)) /* Bellman-Ford's method was only too slow */
      CU_ASSERT_TRUE(is_as_good(own.instance, value, solve(&own, DORM__ORACLE_SHORTEST_PATH)));
  }
}

/* Without sweeps, shortest paths have to replace every merge that pairs of runs do not complete. */
UNIT_TEST(shortest_paths_replace_a_merge_that_gives_up)
{
  DORM__AT_END(trial_free) trial own = trial_new(60);
  const dorm__oracle_counts *counts = dorm__oracle_workspace_counts(own.workspace);
  uint64_t merged = 0, replaced = 0;
  for (int i = 0; i < 2000; i++) {
    oracle_case_draw(own.instance, &own.random, 20 + dorm__random_below(&own.random, 41), 5);
    own.workspace->most_sweeps = 0;
    uint64_t before = counts->calls[DORM__ORACLE_SHORTEST_PATH];
    double value = solve(&own, DORM__ORACLE_RUNS);
    if (counts->calls[DORM__ORACLE_SHORTEST_PATH] == before) {
      merged++;
      continue;
    }
    replaced++;
    own.workspace->most_sweeps = DORM__MOST_SWEEPS;
    uint64_t merges = counts->calls[DORM__ORACLE_RUNS];
    CU_ASSERT_TRUE(is_as_good(own.instance, value, solve(&own, DORM__ORACLE_RUNS)));
    CU_ASSERT_EQUAL(counts->calls[DORM__ORACLE_RUNS], merges + 1);
  }
  CU_ASSERT_TRUE(merged > 100);
  CU_ASSERT_TRUE(replaced > 10);
}

/* Gains that all differ: moves find what shortest paths find, prove it, and do not give up. */
UNIT_TEST(moves_find_the_best_of_many_gains)
{
  DORM__AT_END(trial_free) trial own = trial_new(200);
  dorm__oracle_workspace_set_check(own.workspace, true);
  const dorm__oracle_counts *counts = dorm__oracle_workspace_counts(own.workspace);
  for (int i = 0; i < 120; i++) {
    size_t n = 65 + dorm__random_below(&own.random, 136);
    oracle_case_draw(own.instance, &own.random, n, 5);
    own.instance->t = i % 3 == 0 ? -0.3 : 1;
    for (size_t j = 0; j < n; j++)
      own.instance->b[j] = i % 4 == 0 && j % 3 ? 0 : exp(dorm__random_normal(&own.random)) / (double)n;
    double value = solve(&own, DORM__ORACLE_MOVES);
    CU_ASSERT_EQUAL(counts->last, DORM__ORACLE_MOVES);
    CU_ASSERT_TRUE(is_as_good(own.instance, value, solve(&own, DORM__ORACLE_SHORTEST_PATH)));
    CU_ASSERT_TRUE(is_as_good(own.instance, value, solve(&own, DORM__ORACLE_AUTO)));
    CU_ASSERT_NOT_EQUAL(counts->last, DORM__ORACLE_SHORTEST_PATH);
  }
  own.workspace->most_sweeps = 0;
  solve(&own, DORM__ORACLE_MOVES);
  CU_ASSERT_EQUAL(counts->last, DORM__ORACLE_SHORTEST_PATH);
  CU_ASSERT_EQUAL(counts->failed_checks, 0);
}

/* A ranking that is worth less than the best must fail the check of every method. */
/* A table that ends in a cliff, and few documents of large gain, whose scores are among the lowest: for t < 0 they come
 * to the front from far behind. Scores are tied now and then, and some heads are of one gain. */
static void draw_cliff(oracle_case *instance, dorm__random *random, size_t truncation)
{
  size_t n = instance->num_docs, levels = instance->num_levels;
  bool is_tied = dorm__random_below(random, 4) == 0;
  double scale = pow(10, -3 * dorm__random_uniform(random)), rare = 0.5 * dorm__random_uniform(random);
  for (size_t p = 0; p < n; p++) {
    instance->a[p] = p < truncation ? 1 / log2((double)p + 2) : 0;
    instance->c[p] = 1 / sqrt((double)p + 2);
  }
  for (size_t j = 0; j < n; j++) {
    size_t level = 0;
    while (level + 1 < levels && dorm__random_uniform(random) < rare)
      level++;
    double score = scale * (dorm__random_normal(random) - (double)level * dorm__random_uniform(random));
    instance->b[j] = (exp2((double)level) - 1) / (double)truncation;
    instance->g[j] = is_tied ? scale * floor(2 * score / scale) : score;
  }
  instance->loss = "ndcg@n";
  instance->weights = "power";
  instance->labels = "rare";
  instance->scores = is_tied ? "tied" : "following the labels backwards";
}

UNIT_TEST(documents_come_from_far_behind_a_truncation)
{
  static const size_t truncations[] = {2, 3, 10, 40};
  static const double factors[] = {1, -0.3, -1, -3};
  DORM__AT_END(trial_free) trial own = trial_new(600);
  dorm__oracle_workspace_set_check(own.workspace, true);
  const dorm__oracle_counts *counts = dorm__oracle_workspace_counts(own.workspace);
  for (int i = 0; i < 400; i++) {
    oracle_case *instance = own.instance;
    instance->num_docs = 45 + dorm__random_below(&own.random, i % 20 == 0 ? 556 : 156);
    instance->num_levels = 2 + dorm__random_below(&own.random, 8);
    instance->t = factors[i % 4];
    draw_cliff(instance, &own.random, truncations[i / 4 % 4]);
    double value = solve(&own, DORM__ORACLE_RUNS);
    CU_ASSERT_EQUAL(counts->last, DORM__ORACLE_RUNS);
    CU_ASSERT_TRUE(is_as_good(instance, value, solve(&own, DORM__ORACLE_SHORTEST_PATH)));
  }
  CU_ASSERT_EQUAL(counts->failed_checks, 0);
}

UNIT_TEST(the_check_finds_what_is_not_the_best)
{
  DORM__AT_END(trial_free) trial own = trial_new(40);
  size_t checked[DORM__NUM_PLAIN_ORACLE_METHODS] = {0};
  for (int i = 0; i < 3000; i++) {
    size_t n = 2 + dorm__random_below(&own.random, 39);
    oracle_case_draw(own.instance, &own.random, n, 1 + dorm__random_below(&own.random, 6));
    dorm__oracle_method method = (dorm__oracle_method)(1 + i % (DORM__NUM_PLAIN_ORACLE_METHODS - 1));
    DORM__OWNED(dorm__oracle_plan) *plan = NULL;
    if (dorm__oracle_plan_new(own.context, method, n, own.instance->a, own.instance->b, own.instance->c, &plan) !=
        DORM_OK)
      continue;
    uint32_t order[40];
    double best = NAN;
    CU_ASSERT_EQUAL(dorm__oracle_solve(plan, own.workspace, own.instance->g, own.instance->t, order, &best), DORM_OK);
    size_t x = dorm__random_below(&own.random, n), y = dorm__random_below(&own.random, n);
    uint32_t swapped = order[x];
    order[x] = order[y];
    order[y] = swapped;
    if (oracle_case_value(own.instance, order) < best - 1e-9 * oracle_case_scale(own.instance)) {
      dorm__oracle_call call = plan->tables;
      call.g = own.instance->g;
      call.t = own.instance->t;
      CU_ASSERT_FALSE(dorm__oracle_check(plan, own.workspace, &call, method, order));
      checked[method]++;
    }
  }
  for (int method = 1; method < DORM__NUM_PLAIN_ORACLE_METHODS; method++)
    CU_ASSERT_TRUE(checked[method] > 20);
}

UNIT_TEST(general_costs_are_solved)
{
  DORM__AT_END(trial_free) trial own = trial_new(60);
  static const dorm__oracle_method methods[] = {DORM__ORACLE_AUTO, DORM__ORACLE_SHORTEST_PATH, DORM__ORACLE_HUNGARIAN};
  dorm__oracle_workspace_set_check(own.workspace, true);
  DORM__FREED double *cost = unit_alloc(60 * 60, sizeof *cost);
  for (int i = 0; i < 60; i++) {
    size_t n = 1 + dorm__random_below(&own.random, 60);
    bool is_product = i % 2;
    oracle_case_draw(own.instance, &own.random, n, 4);
    for (size_t j = 0; j < n; j++)
      for (size_t p = 0; p < n; p++)
        cost[j * n + p] =
            is_product ? -own.instance->a[p] * own.instance->b[j] : floor(4 * dorm__random_normal(&own.random));
    double values[3];
    for (int m = 0; m < 3; m++) {
      uint32_t order[60];
      dorm__oracle_plan *plan = NULL;
      UNIT_OK(own.context, dorm__oracle_plan_new_general(own.context, methods[m], n, cost, own.instance->c, &plan));
      CU_ASSERT_EQUAL(dorm__oracle_solve(plan, own.workspace, own.instance->g, own.instance->t, order, &values[m]),
                      DORM_OK);
      CU_ASSERT_TRUE(oracle_case_is_permutation(n, order));
      dorm__oracle_plan_free(plan);
      double scale = oracle_case_scale(own.instance) + fabs(own.instance->t) * 16;
      CU_ASSERT_TRUE(fabs(values[m] - values[0]) <= TOLERANCE * (double)n * scale);
    }
    if (is_product)
      CU_ASSERT_TRUE(is_as_good(own.instance, values[0], solve(&own, DORM__ORACLE_AUTO)));
  }
  dorm__oracle_plan *plan = NULL;
  UNIT_FAILS(own.context,
             dorm__oracle_plan_new_general(own.context, DORM__ORACLE_SORT, 3, cost, own.instance->c, &plan),
             DORM_BAD_USAGE, "oracle = sort");
}

#ifdef HAVE_GLPK
UNIT_TEST(oracles_agree_with_linear_programming)
{
  DORM__AT_END(trial_free) trial own = trial_new(30);
  DORM__FREED double *gain = unit_alloc(30 * 30, sizeof *gain);
  for (int i = 0; i < 100; i++) {
    size_t n = 1 + dorm__random_below(&own.random, 30);
    oracle_case_draw(own.instance, &own.random, n, 1 + dorm__random_below(&own.random, 5));
    double scale = oracle_case_scale(own.instance);
    for (size_t j = 0; j < n; j++)
      for (size_t p = 0; p < n; p++)
        gain[j * n + p] =
            own.instance->c[p] * own.instance->g[j] - own.instance->t * own.instance->a[p] * own.instance->b[j];
    double value = oracle_case_linear_programme(n, gain);
    double found = solve(&own, DORM__ORACLE_AUTO);
    CU_ASSERT_TRUE(fabs(found - value) <= 1e-10 * (double)n * scale);
  }
}
#endif

UNIT_TEST_IN(context, scores_that_are_not_finite_are_refused)
{
  static const double bad[] = {NAN, INFINITY, -INFINITY, DBL_MAX};
  const double table[3] = {1, 0.5, 0.25}, b[3] = {1, 0, 1}, other[3] = {3, 1, 0.1};
  DORM__OWNED(dorm__oracle_workspace) *workspace = unit_workspace(context, 3);
  for (int sorted = 0; sorted < 2; sorted++) {
    DORM__OWNED(dorm__oracle_plan) *plan = unit_plan(context, DORM__ORACLE_AUTO, 3, table, b, sorted ? table : other);
    CU_ASSERT_EQUAL(plan->method == DORM__ORACLE_SORT, sorted);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
      for (size_t at = 0; at < 3; at++) {
        double g[3] = {0, 0, 0}, value = 7;
        uint32_t order[3] = {7, 7, 7};
        g[at] = bad[i];
        CU_ASSERT_EQUAL(dorm__oracle_solve(plan, workspace, g, 1, order, &value), DORM_NUMERICAL_FAILURE);
        CU_ASSERT_TRUE(order[0] == 7 && order[1] == 7 && order[2] == 7 && value == 7);
        g[at] = 0;
        CU_ASSERT_EQUAL(dorm__oracle_solve(plan, workspace, g, bad[i], order, &value), DORM_NUMERICAL_FAILURE);
      }
  }
}

UNIT_TEST_IN(context, tables_are_checked)
{
  static const struct {
    double a[3], b[3], c[3];
    const char *message;
  } bad[] = {
      {{1, NAN, 0}, {0, 1, 2}, {1, 1, 1}, "a[1] is nan"},
      {{1, 0, 0}, {0, 1, INFINITY}, {1, 1, 1}, "b[2] is inf"},
      {{1, 0, 0}, {0, 1, 2}, {-INFINITY, 1, 1}, "c[0] is -inf"},
      {{1, 0, 0.5}, {0, 1, 2}, {1, 1, 1}, "a[2] = 0.5 is more than a[1] = 0"},
      {{1, 0, 0}, {0, 1, 2}, {1, 2, 1}, "c[1] = 2 is more than c[0] = 1"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dorm__oracle_plan *plan = NULL;
    UNIT_BAD_USAGE(dorm__oracle_plan_new(context, DORM__ORACLE_AUTO, 3, bad[i].a, bad[i].b, bad[i].c, &plan),
                   bad[i].message);
    CU_ASSERT_PTR_NULL(plan);
  }
  DORM__OWNED(dorm__oracle_plan) *plan = NULL;
  double a[3] = {3, 2, 0}, b[3] = {0, 1, 2}, c[3] = {3, 1, 0};
  UNIT_BAD_USAGE(dorm__oracle_plan_new(context, DORM__ORACLE_SORT, 3, a, b, c, &plan),
                 "oracle = sort is exact only where");
  UNIT_OK(context, dorm__oracle_plan_new(context, DORM__ORACLE_AUTO, 3, a, b, c, &plan));
  DORM__OWNED(dorm__oracle_workspace) *workspace = unit_workspace(context, 2);
  uint32_t order[3];
  CU_ASSERT_EQUAL(dorm__oracle_solve(plan, workspace, b, 1, order, NULL),
                  DORM_BAD_USAGE); /* the workspace is too small */
}

/* For qsort: falling keys, then rising indices. */
static const double *compared_keys;
static int compare_keys(const void *left, const void *right)
{
  uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
  if (compared_keys[x] != compared_keys[y])
    return compared_keys[x] > compared_keys[y] ? -1 : 1;
  return x < y ? -1 : x > y;
}

UNIT_TEST(sorting_is_stable)
{
  static uint32_t order[ORACLE_CASE_MOST_DOCS], words[ORACLE_CASE_MOST_DOCS], expected[ORACLE_CASE_MOST_DOCS];
  static uint64_t pairs[ORACLE_CASE_MOST_DOCS], other_pairs[ORACLE_CASE_MOST_DOCS];
  static double sorted[ORACLE_CASE_MOST_DOCS];
  dorm__sort_scratch scratch = {pairs, other_pairs, words};
  oracle_case *instance = oracle_case_new();
  dorm__random random = unit_random(0);
  for (int i = 0; i < 500; i++) {
    size_t n = 1 + dorm__random_below(&random, i % 10 ? 300 : ORACLE_CASE_MOST_DOCS);
    oracle_case_draw(instance, &random, n, 3);
    for (size_t j = 0; j < n; j++)
      expected[j] = (uint32_t)j;
    compared_keys = instance->g;
    qsort(expected, n, sizeof *expected, compare_keys);
    dorm__sort_descending(n, instance->g, order, sorted, &scratch);
    CU_ASSERT_EQUAL(memcmp(order, expected, n * sizeof *order), 0);
    bool keys_follow = true;
    for (size_t p = 0; p < n; p++)
      keys_follow &= sorted[p] == instance->g[order[p]];
    CU_ASSERT_TRUE(keys_follow);
    size_t top = dorm__random_below(&random, DORM__MOST_TOP_SORTED + 1);
    dorm__sort_top(n, top, instance->g, order);
    CU_ASSERT_TRUE(oracle_case_is_permutation(n, order));
    bool rest_follows = true;
    for (size_t p = 0; p < n; p++)
      rest_follows &= p < top ? order[p] == expected[p] : p == top || order[p] > order[p - 1];
    CU_ASSERT_TRUE(rest_follows);
  }
  oracle_case_free(instance);
}

/* Keys in so few blocks of lanes that a wrong bound on the key of a rank leaves out documents. */
UNIT_TEST(the_first_few_are_those_of_the_whole_sort)
{
  enum { MOST = 100 };
  uint32_t order[MOST], expected[MOST];
  double key[MOST];
  dorm__random random = unit_random(0);
  size_t num_wrong = 0;
  for (int i = 0; i < 5000; i++) {
    size_t n = 33 + dorm__random_below(&random, MOST - 32), top = 1 + dorm__random_below(&random, 16);
    for (size_t j = 0; j < n; j++) {
      key[j] = dorm__random_normal(&random) + (i % 3 == 0 ? -0.1 * (double)j : 0);
      key[j] = i % 5 == 0 && j % 11 ? -INFINITY : key[j]; /* fewer finite keys than places */
      expected[j] = (uint32_t)j;
    }
    compared_keys = key;
    qsort(expected, n, sizeof *expected, compare_keys);
    dorm__sort_top(n, top, key, order);
    num_wrong += memcmp(order, expected, top * sizeof *order) != 0;
  }
  CU_ASSERT_EQUAL(num_wrong, 0);
}
