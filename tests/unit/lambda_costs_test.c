/*
 * lambda_costs_test.c: λ as the slope of a cost by finite differences, functions with noise, and structured losses.
 */
#include "tests/unit/lambda_cases.h"
#include "tests/unit/unit.h"

#include "losses/losses.h"

#include <math.h>
#include <string.h>

/* ---- Costs ---------------------------------------------------------------------------------------------- */

static void forces_are_slopes_of_the_cost(void)
{
  static const char *const texts[] = {
      "ranknet",
      "ranknet:sigma=3,alpha=0.2",
      "margin:0.7",
      "margin:delta=0.7,alpha=1",
      "softmax",
      "softmax:sigma=0.3,alpha=0.01",
      "ranknet-weight-pairs of rsvm",
  };
  /* Their costs are linear between kinks, which a short step meets with a chance below 1e-4. */
  static const char *const kinked[] = {
      "perturbed of ndcg@3",
      "perturbed:sigma=0.5,power=0.5,draws=7,alpha=0.1 of map",
      "dorm:sigma=0.5 of ndcg@3",
      "dorm:power=0.5,draws=3,mu=0.3 of precision@2",
  };
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed() + 2);
  for (size_t round = 0; round < LAMBDA_ROUNDS; round++) {
    lambda_query query;
    lambda_draw_smooth(context, &random, round, &query);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
      lambda_compare_with_differences(context, texts[i], 1e-5, &query);
    for (size_t i = 0; i < sizeof kinked / sizeof *kinked; i++)
      lambda_compare_with_differences(context, kinked[i], 1e-8, &query);
    dorm_dataset_free(query.dataset);
  }
  dorm_context_free(context);
}

/* ---- Noise ----------------------------------------------------------------------------------------------- */

/* The weights c of each document in the best of all rankings of five, by trying them. */
static void best_of_all(const lambda_query *query, const double *c, const double *a, const double *b, double t,
                        double *weights)
{
  static uint32_t rankings[UNIT_RANKINGS_OF_FIVE][5];
  unit_rankings_of_five(rankings);
  double best = -INFINITY;
  for (size_t r = 0; r < UNIT_RANKINGS_OF_FIVE; r++) {
    double value = 0;
    for (size_t p = 0; p < 5; p++)
      value += c[p] * query->scores[rankings[r][p]] - t * a[p] * b[rankings[r][p]];
    if (value <= best)
      continue;
    best = value;
    for (size_t p = 0; p < 5; p++)
      weights[rankings[r][p]] = c[p];
  }
}

static void without_noise_dorm_is_the_best_of_all_rankings(void)
{
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed() + 4);
  for (size_t round = 0; round < LAMBDA_ROUNDS; round++) {
    lambda_query query;
    double a[5] = {0};
    double b[5];
    double c[5];
    double ideal = 0;
    double sorted[5];
    do {
      lambda_draw_smooth(context, &random, 10, &query);
      if (query.num_docs < 5)
        dorm_dataset_free(query.dataset);
    } while (query.num_docs < 5);
    const size_t query_start[] = {0, 5};
    dorm_dataset *dataset = NULL;
    UNIT_OK(context, dorm_dataset_from_arrays(context, 1, query_start, 0, query.labels, NULL, &dataset));
    CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
    memcpy(sorted, query.labels, sizeof sorted);
    for (size_t i = 0; i < 5; i++)
      for (size_t j = i + 1; j < 5; j++)
        if (sorted[i] < sorted[j]) {
          double label = sorted[i];
          sorted[i] = sorted[j];
          sorted[j] = label;
        }
    for (size_t p = 0; p < 3; p++) {
      a[p] = 1 / log2((double)p + 2);
      ideal += a[p] * (exp2(sorted[p]) - 1);
    }
    for (size_t i = 0; i < 5; i++)
      b[i] = ideal > 0 ? (exp2(query.labels[i]) - 1) / ideal : 0;
    for (size_t i = 0; i < 5; i++)
      c[i] = round % 2 ? pow((double)i + 2, -0.5) : a[i];
    const double mu = round % 3 ? 3 : 0.3;
    char text[LAMBDA_MOST_TEXT];
    double worst[5];
    double reference[5];
    double lambdas[5];
    double curvature[5];
    snprintf(text, sizeof text, "dorm:sigma=0,mu=%g,draws=2,power=%s of ndcg@3", mu, round % 2 ? "0.5" : "0");
    lambda_opened made = lambda_cases_open(context, text, dataset);
    UNIT_OK(context,
            dorm__lambda_at(context, made.lambda, 0, query.scores, made.workspace, lambdas, curvature, NULL, NULL));
    best_of_all(&query, c, a, b, 1, worst);
    best_of_all(&query, c, a, b, -mu, reference);
    for (size_t j = 0; j < 5; j++) {
      double half = (reference[j] - worst[j]) / 2;
      CU_ASSERT_TRUE(unit_close(lambdas[j], reference[j] - worst[j], 1e-12));
      CU_ASSERT_TRUE(unit_close(curvature[j], half * half, 1e-12));
    }
    lambda_cases_close(&made);
    dorm_dataset_free(dataset);
    dorm_dataset_free(query.dataset);
  }
  dorm_context_free(context);
}

/* Noise is the same at every call, other in another round, and goes to 0 with sigma. */
static void draws_are_fixed_within_a_round(void)
{
  const double labels[] = {0, 2, 1, 0, 1};
  const double scores[] = {0.1, 0.2, 0.3, 0.4, 0.5};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = unit_one_query(context, 5, labels);
  static const char *const texts[] = {"dorm of ndcg@3", "perturbed of ndcg@3"};
  for (size_t i = 0; i < 2; i++) {
    double lambdas[4][5];
    double curvature[5];
    lambda_opened made = lambda_cases_open(context, texts[i], dataset);
    for (size_t k = 0; k < 4; k++) {
      dorm__lambda_set_round(made.lambda, k == 2);
      UNIT_OK(context,
              dorm__lambda_at(context, made.lambda, 0, scores, made.workspace, lambdas[k], curvature, NULL, NULL));
    }
    CU_ASSERT_EQUAL(memcmp(lambdas[0], lambdas[1], sizeof lambdas[0]), 0);
    CU_ASSERT_EQUAL(memcmp(lambdas[0], lambdas[3], sizeof lambdas[0]), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(lambdas[0], lambdas[2], sizeof lambdas[0]), 0);
    lambda_cases_close(&made);
  }
  double lambdas[5];
  double curvature[5];
  lambda_opened made = lambda_cases_open(context, "perturbed:sigma=1e-6 of wta", dataset);
  UNIT_OK(context, dorm__lambda_at(context, made.lambda, 0, scores, made.workspace, lambdas, curvature, NULL, NULL));
  const double expected[] = {0, 1, 0, 0, -1}; /* the only document of the top level, the one on top */
  for (size_t j = 0; j < 5; j++)
    CU_ASSERT_TRUE(unit_close(lambdas[j], expected[j], 1e-12));
  lambda_cases_close(&made);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

/* ---- Structured losses ----------------------------------------------------------------------------------- */

/* For a structured loss λ is minus the coefficients of its most violated output. */
static void structured_losses_give_their_most_violated_output(void)
{
  static const char *const losses[] = {"rsvm", "map", "roc_area:levels=two", "precision_set@2"};
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed() + 3);
  for (size_t round = 0; round < LAMBDA_ROUNDS; round++) {
    lambda_query query;
    lambda_draw(context, &random, round, &query);
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
      char text[LAMBDA_MOST_TEXT];
      double lambdas[LAMBDA_MOST_DOCS];
      double curvature[LAMBDA_MOST_DOCS];
      double coefficients[LAMBDA_MOST_DOCS];
      double delta;
      double cost;
      dorm__loss *loss = NULL;
      snprintf(text, sizeof text, "ranknet-weight-pairs of minus_loss(%s)", losses[i]);
      lambda_opened made = lambda_cases_open(context, text, query.dataset);
      UNIT_OK(context, dorm__loss_open(context, losses[i], &loss));
      UNIT_OK(context,
              dorm__lambda_at(context, made.lambda, 0, query.scores, made.workspace, lambdas, curvature, &cost, NULL));
      UNIT_OK(context, dorm__loss_find_worst(context, loss, query.dataset, 0, query.scores, coefficients, &delta));
      for (size_t j = 0; j < query.num_docs; j++) {
        CU_ASSERT_EQUAL(lambdas[j], 0 - coefficients[j]);
        delta += coefficients[j] * query.scores[j];
      }
      CU_ASSERT_TRUE(unit_close(cost, delta, 1e-12));
      dorm__loss_close(loss);
      lambda_cases_close(&made);
    }
    dorm_dataset_free(query.dataset);
  }
  dorm_context_free(context);
}

static const unit_test tests[] = {
    {"forces are slopes of the cost", forces_are_slopes_of_the_cost},
    {"without noise dorm is the best of all rankings", without_noise_dorm_is_the_best_of_all_rankings},
    {"draws are fixed within a round", draws_are_fixed_within_a_round},
    {"structured losses give their most violated output", structured_losses_give_their_most_violated_output},
    {NULL, NULL},
};

const unit_suite lambda_costs_suite = {"lambda_costs", tests};
