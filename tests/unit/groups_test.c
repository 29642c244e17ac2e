/*
 * groups_test.c: rankings with groups: every method against enumeration and against the others, the counterexample to
 * the shortcut, whole solutions of the linear programme, and errors of GLPK.
 */
#include "assignment/groups/groups.h"
#include "assignment/plan.h"
#include "assignment/workspace.h"
#include "tests/unit/oracle_cases.h"
#include "tests/unit/unit.h"

#include <pthread.h>

/* GLPK works with tolerances: values may differ by this, times the documents and the most that one may be worth. */
static const double TOLERANCE = 1e-9;

enum { MOST_DOCS = 200, MOST_GROUPS = 250, MOST_MEMBERS = 1000 };

typedef struct group_case {
  dorm__oracle_groups groups;
  uint32_t start[MOST_GROUPS + 1], docs[MOST_MEMBERS];
  double weights[MOST_MEMBERS];
} group_case;

/* Every document draws one of `num_groups` groups or none, and several if groups overlap; weights are multiples of
 * 1/3. */
static void draw_groups(group_case *instance, dorm__random *random, size_t num_docs)
{
  size_t kind = dorm__random_below(random, 4); /* 0 and 1: disjoint; 2: overlapping; 3: with weights */
  size_t num_groups = 1 + dorm__random_below(random, num_docs), count = 0, entries = 0;
  for (size_t s = 0; s < num_groups; s++) {
    instance->start[count] = (uint32_t)entries;
    for (size_t j = 0; j < num_docs; j++) {
      bool is_member = kind == 2 ? dorm__random_below(random, 3) == 0 : (j * 7 + j * j * 3) % (num_groups + 1) == s;
      if (!is_member || entries == MOST_MEMBERS)
        continue;
      instance->docs[entries] = (uint32_t)j;
      instance->weights[entries++] = kind == 3 ? (double)(1 + dorm__random_below(random, 4)) / 3 : 1;
    }
    count += entries > instance->start[count];
    if (kind == 2 && count >= 3)
      break;
  }
  instance->start[count] = (uint32_t)entries;
  instance->groups = (dorm__oracle_groups){
      .top = 1 + dorm__random_below(random, num_docs),
      .capacity = (double)(1 + dorm__random_below(random, 2)),
      .num_groups = count,
      .start = instance->start,
      .docs = instance->docs,
      .weights = kind == 3 || dorm__random_below(random, 2) ? instance->weights : NULL,
  };
}

/* Makes both tables constant from position `top` on. */
static void flatten(oracle_case *instance, size_t top)
{
  for (size_t p = top; p < instance->num_docs; p++) {
    instance->a[p] = instance->a[top];
    instance->c[p] = instance->c[top];
  }
}

/* The best value over all rankings that respect the groups at the first `top` positions; -INFINITY when there is no
 * such ranking. */
static double best_by_enumeration(const oracle_case *instance, dorm__oracle_groups groups, size_t top)
{
  uint32_t order[8];
  double best = -INFINITY;
  groups.top = top;
  for (size_t r = 0; unit_ranking(instance->num_docs, r, order); r++)
    if (dorm__groups_allow(&groups, instance->num_docs, order))
      best = fmax(best, oracle_case_value(instance, order));
  return best;
}

/* Solves by one method; NAN if it does not apply. *top becomes the number of positions that the groups hold for. */
static double solve(dorm_context *context, dorm__oracle_workspace *workspace, const oracle_case *instance,
                    const dorm__oracle_groups *groups, dorm__group_method method, size_t *top)
{
  uint32_t order[MOST_DOCS];
  double value = NAN;
  DORM__OWNED(dorm__oracle_plan) *plan =
      unit_plan(context, DORM__ORACLE_AUTO, instance->num_docs, instance->a, instance->b, instance->c);
  *top = groups->top;
  dorm_status status = dorm__oracle_plan_add_groups(context, plan, groups, method, 0, top);
  if (status == DORM_OK) {
    dorm__oracle_groups held = *groups;
    held.top = *top;
    dorm__oracle_workspace_set_check(workspace, true);
    UNIT_OK(context, dorm__oracle_solve(plan, workspace, instance->g, instance->t, order, &value));
    CU_ASSERT_EQUAL(dorm__oracle_workspace_counts(workspace)->failed_checks, 0);
    CU_ASSERT_EQUAL(dorm__oracle_excess(workspace), 0);
    CU_ASSERT_TRUE(oracle_case_is_permutation(instance->num_docs, order));
    CU_ASSERT_TRUE(dorm__groups_allow(&held, instance->num_docs, order));
    CU_ASSERT_TRUE(fabs(value - oracle_case_value(instance, order)) <=
                   TOLERANCE * (double)instance->num_docs * oracle_case_scale(instance));
  } else {
    CU_ASSERT_TRUE(method != DORM__GROUPS_AUTO || !dorm__has_glpk() || status == DORM_BAD_DATA);
    CU_ASSERT_TRUE(status == DORM_BAD_USAGE || status == DORM_BAD_DATA);
  }
  return value;
}

static bool is_as_good(const oracle_case *instance, const char *method, double value, double best)
{
  double allowed = TOLERANCE * (double)instance->num_docs * oracle_case_scale(instance);
  if (fabs(value - best) <= allowed)
    return true;
  oracle_case_print(instance);
  printf("    %s: value %.17g, best %.17g, allowed %.3g\n", method, value, best, allowed);
  return false;
}

UNIT_TEST_DRAWN(context, random, every_method_finds_the_best_ranking_that_enumeration_finds)
{
  enum { INSTANCES = 4000 };
  oracle_case *instance = oracle_case_new();
  group_case *groups = malloc(sizeof *groups);
  static const char *const names[DORM__NUM_GROUP_METHODS] = {"auto", "shortcut", "lp", "mip"};
  size_t applied[DORM__NUM_GROUP_METHODS] = {0};
  DORM__OWNED(dorm__oracle_workspace) *workspace = unit_workspace(context, 8);
  for (int i = 0; i < INSTANCES; i++) {
    size_t num_docs = 1 + dorm__random_below(random, i % 50 == 0 ? 8 : 6);
    oracle_case_draw(instance, random, num_docs, 1 + dorm__random_below(random, 4));
    draw_groups(groups, random, num_docs);
    if (dorm__random_below(random, 2) && groups->groups.top < num_docs)
      flatten(instance, groups->groups.top);
    if (dorm__random_below(random, 3) == 0)
      memcpy(instance->c, instance->a, num_docs * sizeof *instance->c);
    for (size_t method = 0; method < DORM__NUM_GROUP_METHODS; method++) {
      size_t top;
      double value = solve(context, workspace, instance, &groups->groups, (dorm__group_method)method, &top);
      if (isnan(value))
        continue;
      applied[method]++;
      double best = best_by_enumeration(instance, groups->groups, top);
      CU_ASSERT_TRUE(is_as_good(instance, names[method], value, best));
      /* and no more documents can be in front */
      CU_ASSERT_TRUE(top == groups->groups.top || top == num_docs ||
                     best_by_enumeration(instance, groups->groups, top + 1) == -INFINITY);
    }
  }
  CU_ASSERT_TRUE(applied[DORM__GROUPS_SHORTCUT] > INSTANCES / 4);
  if (dorm__has_glpk()) {
    CU_ASSERT_TRUE(applied[DORM__GROUPS_AUTO] > INSTANCES * 9 / 10);
    CU_ASSERT_TRUE(applied[DORM__GROUPS_LP] > INSTANCES / 4);
    CU_ASSERT_TRUE(applied[DORM__GROUPS_MIP] > INSTANCES * 9 / 10);
  }
  free(groups);
  oracle_case_free(instance);
}

/* The best document of each group at each position, A1 at 0 and B at 1, is not the best ranking, because A1 earns c[2]
 * after these positions. If the positions after the first ones differ, no shortcut is exact. */
UNIT_TEST_IN(context, what_documents_earn_after_the_first_positions_counts)
{
  double a[] = {1, 0.6, 0, 0}, b[] = {1, 0, 0.5, 0}, c[] = {1, 0.7, 0.6, 0.5}, g[] = {1.1, 0, 0, 0};
  uint32_t start[] = {0, 2}, docs[] = {0, 1}, order[4];
  dorm__oracle_groups groups = {.top = 2, .capacity = 1, .num_groups = 1, .start = start, .docs = docs};
  DORM__OWNED(dorm__oracle_workspace) *workspace = unit_workspace(context, 4);
  CU_ASSERT_TRUE(c[0] * g[0] - a[0] * b[0] > c[0] * g[1] - a[0] * b[1]); /* A1 before A2 at position 0 */
  UNIT_CLOSE(c[0] * g[0] - a[0] * b[0] - a[1] * b[2], -0.2, 1e-12);
  for (size_t num_docs = 3; num_docs <= 4; num_docs++) {
    size_t top = 0;
    double value = 0;
    DORM__OWNED(dorm__oracle_plan) *plan = unit_plan(context, DORM__ORACLE_AUTO, num_docs, a, b, c);
    if (num_docs == 4) {
      UNIT_BAD_USAGE(dorm__oracle_plan_add_groups(context, plan, &groups, DORM__GROUPS_SHORTCUT, 0, &top),
                     "constant after the first 2");
      UNIT_BAD_USAGE(dorm__oracle_plan_add_groups(context, plan, &groups, DORM__GROUPS_LP, 0, &top),
                     "solver.oracle = lp");
    }
    if (num_docs == 3 || dorm__has_glpk()) {
      UNIT_OK(context, dorm__oracle_plan_add_groups(context, plan, &groups, DORM__GROUPS_AUTO, 0, &top));
      CU_ASSERT_EQUAL(plan->groups->method, num_docs == 3 ? DORM__ORACLE_GROUP_ASSIGNMENT : DORM__ORACLE_MIP);
      UNIT_OK(context, dorm__oracle_solve(plan, workspace, g, 1, order, &value));
      CU_ASSERT_TRUE(order[2] == 0 && (num_docs == 4 || (order[0] == 1 && order[1] == 2)));
      UNIT_CLOSE(value, num_docs == 4 ? 0.66 : 0.36, 1e-12); /* the best ranking of four documents is A2, D, A1, B */
    } else {
      UNIT_BAD_USAGE(dorm__oracle_plan_add_groups(context, plan, &groups, DORM__GROUPS_AUTO, 0, &top),
                     "built without GLPK");
    }
  }
}

#ifdef HAVE_GLPK
UNIT_TEST_IN(context, shortcut_and_linear_programme_agree_on_long_queries)
{
  enum { INSTANCES = 300 };
  dorm__random random = unit_random(1);
  oracle_case *instance = oracle_case_new();
  group_case *groups = malloc(sizeof *groups);
  size_t compared = 0;
  DORM__OWNED(dorm__oracle_workspace) *workspace = unit_workspace(context, MOST_DOCS);
  for (int i = 0; i < INSTANCES; i++) {
    size_t num_docs = i % 30 ? 2 + dorm__random_below(&random, 60) : MOST_DOCS - (size_t)i / 30;
    oracle_case_draw(instance, &random, num_docs, 1 + dorm__random_below(&random, 10));
    do
      draw_groups(groups, &random, num_docs);
    while (groups->groups.num_groups == 3 || groups->groups.weights);
    groups->groups.top = 1 + dorm__random_below(&random, num_docs < 12 ? num_docs : 12);
    flatten(instance, groups->groups.top < num_docs ? groups->groups.top : num_docs - 1);
    if (i % 7 == 0)
      memset(instance->g, 0, num_docs * sizeof *instance->g);
    size_t top;
    double shortcut = solve(context, workspace, instance, &groups->groups, DORM__GROUPS_SHORTCUT, &top);
    double linear = solve(context, workspace, instance, &groups->groups, DORM__GROUPS_LP, &top);
    if (isnan(shortcut) || isnan(linear))
      continue;
    compared++;
    CU_ASSERT_TRUE(is_as_good(instance, "shortcut", shortcut, linear));
  }
  CU_ASSERT_TRUE(compared > INSTANCES / 2);
  free(groups);
  oracle_case_free(instance);
}

/* The paper, corollary 4: every solution of the linear programme that is found is whole. */
UNIT_TEST(solutions_of_the_linear_programme_are_whole)
{
  enum { INSTANCES = 300, NUM_DOCS = 20 };
  dorm__random random = unit_random(2);
  oracle_case *instance = oracle_case_new();
  group_case *groups = malloc(sizeof *groups);
  size_t solved = 0;
  for (int i = 0; i < INSTANCES; i++) {
    uint32_t order[NUM_DOCS], group_of[NUM_DOCS], room[NUM_DOCS], holder[NUM_DOCS], used[NUM_DOCS];
    char failure[DORM__FAILURE_SIZE] = "";
    double excess = -1, fraction = -1;
    oracle_case_draw(instance, &random, NUM_DOCS, 3);
    do
      draw_groups(groups, &random, NUM_DOCS);
    while (groups->groups.num_groups == 3 || groups->groups.weights);
    for (size_t s = 0; s < NUM_DOCS; s++)
      room[s] = (uint32_t)groups->groups.capacity;
    groups->groups.top = groups->groups.num_groups < 5 ? groups->groups.num_groups : 5;
    flatten(instance, groups->groups.top);
    dorm__group_plan plan = {.groups = groups->groups,
                             .method = DORM__ORACLE_LP,
                             .is_disjoint = true,
                             .flat_from = groups->groups.top,
                             .group_of = group_of,
                             .room = room};
    dorm__group_scratch scratch = {.holder = holder, .used = used};
    dorm__oracle_call call = {
        .num_docs = NUM_DOCS, .a = instance->a, .b = instance->b, .c = instance->c, .g = instance->g, .t = instance->t};
    CU_ASSERT_EQUAL(dorm__programme_rank(&plan, &call, &scratch, order, &excess, &fraction, failure), DORM_OK);
    CU_ASSERT_STRING_EQUAL(failure, "");
    CU_ASSERT_TRUE(excess == 0 && fraction <= 1e-9);
    solved += dorm__groups_allow(&plan.groups, NUM_DOCS, order);
  }
  CU_ASSERT_EQUAL(solved, INSTANCES);
  free(groups);
  oracle_case_free(instance);
}

/* A programme that stopped early has a ranking that respects the groups, and its excess covers the best ranking. */
UNIT_TEST_IN(context, a_programme_that_stops_early_says_what_may_be_missing)
{
  enum { NUM_DOCS = 16, NUM_GROUPS = 12 };
  dorm__random random = unit_random(3);
  oracle_case *instance = oracle_case_new();
  size_t num_unproved = 0;
  DORM__OWNED(dorm__oracle_workspace) *workspace = unit_workspace(context, NUM_DOCS);
  for (int i = 0; i < 12; i++) {
    uint32_t start[NUM_GROUPS + 1], docs[NUM_GROUPS * NUM_DOCS], order[NUM_DOCS];
    double weights[NUM_GROUPS * NUM_DOCS], values[2] = {0}, excess[2] = {0};
    size_t entries = 0, top = 0;
    oracle_case_draw(instance, &random, NUM_DOCS, 4);
    flatten(instance, 3);
    for (size_t s = 0; s < NUM_GROUPS; s++) {
      start[s] = (uint32_t)entries;
      for (uint32_t j = 0; j < NUM_DOCS; j++)
        if (j % NUM_GROUPS == s || dorm__random_below(&random, 3) == 0) {
          docs[entries] = j;
          weights[entries++] = 0.2 + 0.6 * dorm__random_uniform(&random);
        }
    }
    start[NUM_GROUPS] = (uint32_t)entries;
    dorm__oracle_groups groups = {3, 1.1, NUM_GROUPS, start, docs, weights};
    for (int limited = 0; limited < 2; limited++) {
      DORM__OWNED(dorm__oracle_plan) *plan =
          unit_plan(context, DORM__ORACLE_AUTO, NUM_DOCS, instance->a, instance->b, instance->c);
      UNIT_OK(context,
              dorm__oracle_plan_add_groups(context, plan, &groups, DORM__GROUPS_MIP, limited ? 1e-9 : 0, &top));
      dorm__oracle_groups held = groups;
      held.top = top;
      UNIT_OK(context, dorm__oracle_solve(plan, workspace, instance->g, instance->t, order, &values[limited]));
      excess[limited] = dorm__oracle_excess(workspace);
      CU_ASSERT_TRUE(dorm__groups_allow(&held, NUM_DOCS, order));
    }
    CU_ASSERT_EQUAL(excess[0], 0);
    CU_ASSERT_TRUE(values[1] + excess[1] >= values[0] - TOLERANCE * NUM_DOCS * oracle_case_scale(instance));
    num_unproved += excess[1] > 0;
  }
  CU_ASSERT_TRUE(num_unproved > 0);
  CU_ASSERT_EQUAL(dorm__oracle_workspace_counts(workspace)->unproved, num_unproved);
  oracle_case_free(instance);
}

static void *solve_many(void *user)
{
  size_t *num_solved = user;
  static const double gain[] = {3, 1, 2, 5};
  for (int i = 0; i < 50; i++)
    *num_solved += oracle_case_linear_programme(2, gain) == 8;
  return NULL;
}

/* A variable that is twice in one row of the matrix makes GLPK end the process, unless its errors are caught. */
UNIT_TEST(an_error_of_glpk_ends_one_call_and_nothing_else)
{
  static const int rows[] = {0, 1, 1}, variables[] = {0, 1, 1};
  static const double one[] = {0, 1, 1}, limit[] = {1}, objective[] = {1};
  dorm__programme programme = {.num_variables = 1,
                               .objective = objective,
                               .num_rows = 1,
                               .limit = limit,
                               .num_entries = 2,
                               .rows = rows,
                               .variables = variables,
                               .values = one};
  size_t num_solved = 0;
  pthread_t other;
  CU_ASSERT_EQUAL_FATAL(pthread_create(&other, NULL, solve_many, &num_solved), 0);
  for (int i = 0; i < 50; i++) {
    double x[1];
    dorm__programme_result result;
    CU_ASSERT_FALSE(dorm__glpk_solve(&programme, x, &result));
    CU_ASSERT_PTR_NOT_NULL(strstr(result.failure, "duplicate"));
  }
  pthread_join(other, NULL);
  CU_ASSERT_EQUAL(num_solved, 50);
  /* no feasible solution: x = 2 within [0, 1] */
  static const double two[] = {2};
  double x[1];
  dorm__programme_result result;
  programme.limit = two;
  programme.num_entries = 1;
  programme.num_equations = 1;
  CU_ASSERT_FALSE(dorm__glpk_solve(&programme, x, &result));
  CU_ASSERT_PTR_NOT_NULL(strstr(result.failure, "no feasible solution"));
}
#endif

/* With tables that fall strictly the sort's own proof holds for the rankings of the best value and for no other one,
 * also if rounding has changed its keys. */
UNIT_TEST_DRAWN(context, random, the_proof_of_a_sort_holds_for_the_best_rankings_alone)
{
  enum { DOCS = 5 };
  uint32_t orders[UNIT_RANKINGS_OF_FIVE][5];
  DORM__FREED group_case *groups = unit_alloc(1, sizeof *groups);
  DORM__OWNED(dorm__oracle_workspace) *workspace = unit_workspace(context, DOCS);
  unit_rankings_of_five(orders);
  size_t num_sorts = 0, num_wrong = 0;
  for (int i = 0; i < 400; i++) {
    static const double falls[DOCS] = {5, 4, 3, 2, 1};
    double b[DOCS], key[DOCS], values[UNIT_RANKINGS_OF_FIVE], best = -INFINITY;
    draw_groups(groups, random, DOCS);
    for (size_t j = 0; j < DOCS; j++) { /* often equal */
      b[j] = (double)dorm__random_below(random, 6);
      key[j] = b[j] * (1 + 1e-15 * dorm__random_uniform(random));
    }
    size_t top = groups->groups.top;
    DORM__OWNED(dorm__oracle_plan) *plan = unit_plan(context, DORM__ORACLE_AUTO, DOCS, falls, b, falls);
    dorm_status status = dorm__oracle_plan_add_groups(context, plan, &groups->groups, DORM__GROUPS_AUTO, 0, &top);
    if (status == DORM_OK && plan->groups && plan->groups->is_disjoint) {
      groups->groups.top = top;
      for (size_t r = 0; r < UNIT_RANKINGS_OF_FIVE; r++) {
        values[r] = 0;
        for (size_t p = 0; p < DOCS; p++)
          values[r] += falls[p] * b[orders[r][p]];
        if (dorm__groups_allow(&groups->groups, DOCS, orders[r]))
          best = fmax(best, values[r]);
      }
      for (size_t r = 0; r < UNIT_RANKINGS_OF_FIVE; r++)
        if (dorm__groups_allow(&groups->groups, DOCS, orders[r]))
          num_wrong += dorm__group_sort_is_best(plan->groups, workspace, DOCS, key, orders[r]) != (values[r] == best);
      num_sorts++;
    }
  }
  CU_ASSERT_EQUAL(num_wrong, 0);
  CU_ASSERT_TRUE(num_sorts > 50);
}

UNIT_TEST_IN(context, impossible_groups_are_refused)
{
  double a[] = {1, 0.5, 0}, b[] = {1, 0, 0.5};
  uint32_t start[] = {0, 3}, docs[] = {0, 1, 2};
  double weights[] = {2, 3, 4};
  dorm__oracle_groups groups = {2, 1, 1, start, docs, weights};
  size_t top = 0;
  DORM__OWNED(dorm__oracle_plan) *plan = unit_plan(context, DORM__ORACLE_AUTO, 3, a, b, a);
  UNIT_BAD_DATA(dorm__oracle_plan_add_groups(context, plan, &groups, DORM__GROUPS_AUTO, 0, &top),
                "no document may be in the first position");
  weights[1] = NAN;
  UNIT_BAD_DATA(dorm__oracle_plan_add_groups(context, plan, &groups, DORM__GROUPS_AUTO, 0, &top), "the weight nan");
  weights[1] = 1;
  groups.capacity = 0;
  UNIT_BAD_USAGE(dorm__oracle_plan_add_groups(context, plan, &groups, DORM__GROUPS_AUTO, 0, &top), "the capacity is 0");
}
