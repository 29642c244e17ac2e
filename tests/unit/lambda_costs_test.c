/*
 * lambda_costs_test.c: λ as the slope of a cost by finite differences, functions with noise, and structured losses.
 */
#include "tests/unit/lambda_cases.h"

/* ---- Costs ---------------------------------------------------------------------------------------------- */

UNIT_TEST_IN(context, forces_are_slopes_of_the_cost)
{
  static const char *const texts[] =
      UNIT_TEXTS("ranknet", "ranknet:sigma=3,alpha=0.2", "margin:0.7", "margin:delta=0.7,alpha=1", "softmax",
                 "softmax:sigma=0.3,alpha=0.01", "listmle", "listmle:sigma=3,alpha=0.2", "ranknet-weight-pairs of rsvm",
                 "smoothrank of ndcg@3", "smoothrank:sigma=0.4,alpha=0.1 of precision@2", "smoothrank:sigma=3 of eru");
  /* Their costs are linear between kinks, which a short step meets with a chance below 1e-4. */
  static const char *const kinked[] =
      UNIT_TEXTS("perturbed of ndcg@3", "perturbed:sigma=0.5,power=0.5,draws=7,alpha=0.1 of map",
                 "dorm:sigma=0.5 of ndcg@3", "dorm:power=0.5,draws=3,mu=0.3 of precision@2");
  dorm__random random = unit_random(2);
  for (size_t round = 0; round < LAMBDA_ROUNDS; round++) {
    DORM__AT_END(lambda_clear) lambda_query query = lambda_draw_smooth(context, &random, round);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
      lambda_compare_with_differences(context, texts[i], 1e-5, &query);
    for (size_t i = 0; i < sizeof kinked / sizeof *kinked; i++)
      lambda_compare_with_differences(context, kinked[i], 1e-8, &query);
  }
}

/* ---- Noise ----------------------------------------------------------------------------------------------- */

/* Whether no group has more than one document among the first `top` of a ranking of five. */
static bool respects(const dorm_dataset *dataset, size_t top, const uint32_t *ranking)
{
  const dorm__doc_lists *groups = dataset->groups;
  for (size_t p = 0; p < top; p++)
    for (size_t q = 0; q < p; q++)
      for (size_t e = groups->start[ranking[p]]; e < groups->start[ranking[p] + 1]; e++)
        for (size_t f = groups->start[ranking[q]]; f < groups->start[ranking[q] + 1]; f++)
          if (groups->numbers[e] == groups->numbers[f])
            return false;
  return true;
}

/* The weights c of each document in the best of the rankings of five that respect the groups, by trying them; false if
 * none does. */
static bool best_of_all(const dorm_dataset *dataset, const double *scores, size_t top, const double *c, const double *a,
                        const double *b, double t, double *weights)
{
  static uint32_t rankings[UNIT_RANKINGS_OF_FIVE][5];
  unit_rankings_of_five(rankings);
  double best = -INFINITY;
  for (size_t r = 0; r < UNIT_RANKINGS_OF_FIVE; r++) {
    double value = 0;
    for (size_t p = 0; p < 5; p++)
      value += c[p] * scores[rankings[r][p]] - t * a[p] * b[rankings[r][p]];
    if (value <= best || !respects(dataset, top, rankings[r]))
      continue;
    best = value;
    for (size_t p = 0; p < 5; p++)
      weights[rankings[r][p]] = c[p];
  }
  return best > -INFINITY;
}

/* a and b [5] of ndcg@3. */
static void tables_of_ndcg(const double *labels, double *a, double *b)
{
  uint32_t sorted[5];
  double ideal = 0;
  unit_sort_by(5, labels, sorted);
  for (size_t p = 0; p < 5; p++) {
    a[p] = p < 3 ? 1 / log2((double)p + 2) : 0;
    ideal += a[p] * (exp2(labels[sorted[p]]) - 1);
  }
  for (size_t i = 0; i < 5; i++)
    b[i] = ideal > 0 ? (exp2(labels[i]) - 1) / ideal : 0;
}

/* A query of five documents, which have groups, overlapping in every second round if overlapping ones are wanted. */
static dorm_dataset *draw_five(dorm_context *context, dorm__random *random, bool may_overlap, lambda_query *query)
{
  size_t start[6] = {0};
  uint32_t groups[10];
  do {
    *query = lambda_draw_smooth(context, random, 10);
    dorm_dataset_free(query->dataset);
  } while (query->num_docs < 5);
  dorm_dataset *dataset = unit_one_query(context, 5, query->labels);
  for (size_t j = 0; j < 5; j++) {
    start[j + 1] = start[j] + dorm__random_below(random, may_overlap ? 3 : 2);
    for (size_t e = start[j]; e < start[j + 1]; e++)
      groups[e] = (uint32_t)dorm__random_below(random, 3);
  }
  UNIT_OK(context, dorm_dataset_set_groups(context, dataset, start, groups, NULL));
  return dataset;
}

/* Without noise λ is the difference of the weights in two rankings that are the best of all that respect the groups
 * among the first `top` positions. */
static void compare_with_all_rankings(size_t round, size_t top, bool may_overlap, double power)
{
  DORM__OWNED(dorm_context) *context = unit_context();
  lambda_query query;
  double a[5], b[5], c[5], worst[5], reference[5], lambdas[5], curvature[5];
  const double mu = round % 3 ? 3 : 0.3;
  dorm__random random = unit_random(4 + round);
  DORM__OWNED(dorm_dataset) *dataset = draw_five(context, &random, may_overlap, &query);
  tables_of_ndcg(query.labels, a, b);
  for (size_t p = 0; p < 5; p++)
    c[p] = power > 0 ? pow((double)p + 2, -power) : a[p];
  const char *text = unit_text("dorm:sigma=0,mu=%g,draws=2,power=%g,top=%zu of ndcg@3", mu, power, top);
  if (best_of_all(dataset, query.scores, top, c, a, b, 1, worst) &&
      best_of_all(dataset, query.scores, top, c, a, b, -mu, reference)) {
    DORM__AT_END(lambda_cases_close) lambda_opened made = lambda_cases_open(context, text, dataset);
    lambda_cases_at(context, &made, query.scores, lambdas, curvature);
    for (size_t j = 0; j < 5; j++) {
      double half = (reference[j] - worst[j]) / 2;
      UNIT_CLOSE(lambdas[j], reference[j] - worst[j], 1e-12);
      UNIT_CLOSE(curvature[j], half * half, 1e-12);
    }
  }
}

UNIT_TEST(without_noise_dorm_is_the_best_of_all_rankings)
{
  for (size_t round = 0; round < LAMBDA_ROUNDS; round++)
    compare_with_all_rankings(round, 0, true, round % 2 ? 0.5 : 0);
}

/* If groups overlap, or positions after the first are not alike, GLPK is needed. */
UNIT_TEST(with_groups_dorm_is_the_best_of_those_that_respect_them)
{
  for (size_t round = 0; round < 4 * LAMBDA_ROUNDS; round++)
    compare_with_all_rankings(round, 1 + round % 3, false, 0);
  for (size_t round = 0; dorm__has_glpk() && round < LAMBDA_ROUNDS / 2; round++)
    compare_with_all_rankings(round, 2 + round % 2, round % 2, round % 3 ? 0.5 : 0);
}

/* λ is the slope of the cost with groups, too, and defaults replace parameters that a text leaves out. */
UNIT_TEST_IN(context, groups_come_from_the_text_or_from_defaults)
{
  static const dorm__lambda_defaults defaults = {.target = "ndcg@3", .top = 2, .capacity = 1, .seconds = 5};
  static const char *const texts[][2] = {
      {"dorm", "dorm:sigma=0.3,mu=3,draws=4,power=0,seed=1,alpha=0,top=2,capacity=1,seconds=5 of ndcg@3:"},
      {"dorm:capacity=2", "dorm:sigma=0.3,mu=3,draws=4,power=0,seed=1,alpha=0,top=2,capacity=2,seconds=5 of ndcg@3:"},
      {"dorm:top=0 of p@2", "dorm:sigma=0.3,mu=3,draws=4,power=0,seed=1,alpha=0,top=0,capacity=1,seconds=10 of p@2:"},
      {"dorm:draws=1,top=0",
       "dorm:sigma=0.3,mu=3,draws=1,power=0,seed=1,alpha=0,top=0,capacity=1,seconds=10 of ndcg@3:"},
      {"perturbed:draws=1", "perturbed:sigma=1,draws=1,power=0,seed=1,alpha=0 of ndcg@3:"},
      {"perturbed", "perturbed:sigma=1,draws=40,power=0,seed=1,alpha=0 of ndcg@3:"}};
  dorm__random random = unit_random(7);
  for (size_t round = 0; round < LAMBDA_ROUNDS; round++) {
    DORM__AT_END(lambda_clear) lambda_query query = lambda_draw_smooth(context, &random, round);
    lambda_draw_lists(context, &random, 2 * round, &query); /* no overlaps */
    lambda_compare_with_differences(context, "dorm:sigma=0.5,top=2 of ndcg@3", 1e-8, &query);
    for (size_t i = 0; round == 10 && i < sizeof texts / sizeof *texts; i++) {
      DORM__OWNED(dorm__lambda) *lambda = NULL;
      UNIT_OK(context, dorm__lambda_open(context, texts[i][0], &defaults, query.dataset, 1, &lambda));
      CU_ASSERT_EQUAL(strncmp(dorm__lambda_spec(lambda), texts[i][1], strlen(texts[i][1])), 0);
    }
  }
  DORM__OWNED(dorm_dataset) *plain = unit_one_query(context, 2, (const double[]){1, 0});
  dorm__lambda *lambda = NULL;
  UNIT_BAD_USAGE(dorm__lambda_open(context, "dorm:top=2", NULL, plain, 1, &lambda),
                 "top = 2 needs the groups of the documents of");
}

/* Noise is the same at every call, other in another round, and goes to 0 with sigma. */
UNIT_TEST_IN(context, draws_are_fixed_within_a_round)
{
  const double labels[] = {0, 2, 1, 0, 1};
  const double scores[] = {0.1, 0.2, 0.3, 0.4, 0.5};
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, 5, labels);
  static const char *const texts[] = {"dorm of ndcg@3", "perturbed of ndcg@3"};
  for (size_t i = 0; i < 2; i++) {
    double lambdas[4][5];
    double curvature[5];
    DORM__AT_END(lambda_cases_close) lambda_opened made = lambda_cases_open(context, texts[i], dataset);
    for (size_t k = 0; k < 4; k++) {
      dorm__lambda_workspace_set_round(made.workspace, k == 2);
      lambda_cases_at(context, &made, scores, lambdas[k], curvature);
    }
    CU_ASSERT_EQUAL(memcmp(lambdas[0], lambdas[1], sizeof lambdas[0]), 0);
    CU_ASSERT_EQUAL(memcmp(lambdas[0], lambdas[3], sizeof lambdas[0]), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(lambdas[0], lambdas[2], sizeof lambdas[0]), 0);
  }
  double lambdas[5];
  double curvature[5];
  DORM__AT_END(lambda_cases_close)
  lambda_opened made = lambda_cases_open(context, "perturbed:sigma=1e-6 of wta", dataset);
  lambda_cases_at(context, &made, scores, lambdas, curvature);
  const double expected[] = {0, 1, 0, 0, -1}; /* the only document of the top level, the one on top */
  for (size_t j = 0; j < 5; j++)
    UNIT_CLOSE(lambdas[j], expected[j], 1e-12);
}

/* A query of one label has no order to learn, whatever its scores. */
UNIT_TEST_IN(context, perturbed_leaves_queries_of_one_label_alone)
{
  const double labels[] = {2, 2, 2, 2};
  const double scores[] = {0.1, 3, -2, 0.4};
  static const char *const texts[] = {"perturbed of ndcg@3", "perturbed:power=1"};
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, 4, labels);
  for (size_t i = 0; i < 2; i++) {
    double lambdas[4] = {1, 1, 1, 1};
    double curvature[4] = {1, 1, 1, 1};
    double cost = 1;
    DORM__AT_END(lambda_cases_close) lambda_opened made = lambda_cases_open(context, texts[i], dataset);
    cost = lambda_cases_at(context, &made, scores, lambdas, curvature);
    CU_ASSERT_EQUAL(cost, 0);
    for (size_t j = 0; j < 4; j++)
      CU_ASSERT_TRUE(lambdas[j] == 0 && curvature[j] == 0);
  }
}

/* ---- Structured losses ----------------------------------------------------------------------------------- */

/* For a structured loss λ is minus the coefficients of its most violated output. */
UNIT_TEST_IN(context, structured_losses_give_their_most_violated_output)
{
  static const char *const losses[] = {"rsvm", "map", "roc_area:levels=two", "precision_set@2"};
  dorm__random random = unit_random(3);
  for (size_t round = 0; round < LAMBDA_ROUNDS; round++) {
    DORM__AT_END(lambda_clear) lambda_query query = lambda_draw(context, &random, round);
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
      double lambdas[LAMBDA_MOST_DOCS];
      double curvature[LAMBDA_MOST_DOCS];
      double coefficients[LAMBDA_MOST_DOCS];
      double delta;
      double cost;
      const char *text = unit_text("ranknet-weight-pairs of minus_loss(%s)", losses[i]);
      DORM__AT_END(lambda_cases_close) lambda_opened made = lambda_cases_open(context, text, query.dataset);
      DORM__OWNED(dorm__loss) *loss = unit_loss(context, losses[i]);
      cost = lambda_cases_at(context, &made, query.scores, lambdas, curvature);
      UNIT_OK(context, dorm__loss_find_worst(context, loss, query.dataset, 0, query.scores, coefficients, &delta));
      for (size_t j = 0; j < query.num_docs; j++) {
        CU_ASSERT_EQUAL(lambdas[j], 0 - coefficients[j]);
        delta += coefficients[j] * query.scores[j];
      }
      UNIT_CLOSE(cost, delta, 1e-12);
    }
  }
}
