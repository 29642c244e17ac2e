/*
 * lambda_methods_test.c: methods of others by their definitions, written out: the p-norm push, LambdaLoss, ApproxNDCG
 * and SoftRank.
 */
#include "tests/unit/lambda_cases.h"

/* ---- The p-norm push -------------------------------------------------------------------------- */

static double plain_push(const lambda_query *query, double sigma, double power)
{
  double cost = 0;
  for (size_t k = 0; k < query->num_docs; k++) {
    double sum = 0;
    for (size_t i = 0; i < query->num_docs; i++)
      if (query->labels[i] > query->labels[k])
        sum += log(1 + exp(-sigma * (query->scores[i] - query->scores[k]))) / sigma;
    cost += pow(sum, power) / power;
  }
  return cost;
}

UNIT_TEST_IN(context, the_push_with_power_1_is_ranknet)
{
  dorm__random random = unit_random(21);
  for (size_t round = 0; round < LAMBDA_ROUNDS; round++) {
    double lambdas[2][LAMBDA_MOST_DOCS], curvature[2][LAMBDA_MOST_DOCS];
    DORM__AT_END(lambda_clear) lambda_query query = lambda_draw(context, &random, round);
    DORM__AT_END(lambda_cases_close)
    lambda_opened push = lambda_cases_open(context, "p-norm-push:power=1,sigma=2", query.dataset);
    DORM__AT_END(lambda_cases_close)
    lambda_opened ranknet = lambda_cases_open(context, "ranknet:sigma=2", query.dataset);
    double cost = lambda_cases_at(context, &push, query.scores, lambdas[0], curvature[0]);
    UNIT_CLOSE(cost, lambda_cases_at(context, &ranknet, query.scores, lambdas[1], curvature[1]), 1e-12);
    for (size_t j = 0; j < query.num_docs; j++) {
      UNIT_CLOSE(lambdas[0][j], lambdas[1][j], 1e-12);
      UNIT_CLOSE(curvature[0][j], curvature[1][j], 1e-12);
    }
  }
}

UNIT_TEST_IN(context, the_push_is_its_formula_with_its_second_derivatives)
{
  const double step = 1e-4;
  dorm__random random = unit_random(22);
  for (size_t round = 0; round < LAMBDA_ROUNDS; round++) {
    double lambdas[LAMBDA_MOST_DOCS], curvature[LAMBDA_MOST_DOCS];
    DORM__AT_END(lambda_clear) lambda_query query = lambda_draw_smooth(context, &random, round);
    DORM__AT_END(lambda_cases_close)
    lambda_opened made = lambda_cases_open(context, "p-norm-push:power=3,sigma=1.5", query.dataset);
    double cost = lambda_cases_at(context, &made, query.scores, lambdas, curvature);
    UNIT_CLOSE(cost, plain_push(&query, 1.5, 3), 1e-12);
    for (size_t j = 0; j < query.num_docs; j++) {
      lambda_query moved = query;
      moved.scores[j] += step;
      double above = plain_push(&moved, 1.5, 3);
      moved.scores[j] -= 2 * step;
      double below = plain_push(&moved, 1.5, 3);
      UNIT_CLOSE(lambdas[j], (below - above) / (2 * step), 1e-6);
      UNIT_CLOSE(curvature[j], (above - 2 * cost + below) / (step * step), 1e-4);
    }
  }
}

/* ---- LambdaLoss ------------------------------------------------------------------------------- */

/* λ of NDCG-Loss2++ without a truncation, by positions from 1: (rho + mu delta) |G_i - G_j|. */
static void plain_lambdaloss(const lambda_query *query, double mu, double *lambdas)
{
  uint32_t order[LAMBDA_MOST_DOCS], best[LAMBDA_MOST_DOCS];
  double ideal = 0;
  unit_sort_by(query->num_docs, query->scores, order);
  unit_sort_by(query->num_docs, query->labels, best);
  for (size_t p = 0; p < query->num_docs; p++) {
    lambdas[p] = 0;
    ideal += (exp2(query->labels[best[p]]) - 1) / log2((double)p + 2);
  }
  for (size_t p = 1; p <= query->num_docs; p++)
    for (size_t q = 1; q <= query->num_docs; q++) {
      uint32_t i = order[p - 1], j = order[q - 1];
      double distance = fabs((double)p - (double)q);
      if (query->labels[i] <= query->labels[j])
        continue;
      double rho = fabs(1 / log2(1 + (double)p) - 1 / log2(1 + (double)q));
      double delta = 1 / log2(1 + distance) - 1 / log2(2 + distance);
      double force = (rho + mu * delta) * (exp2(query->labels[i]) - exp2(query->labels[j])) / ideal /
                     (1 + exp(query->scores[i] - query->scores[j]));
      lambdas[i] += force;
      lambdas[j] -= force;
    }
}

UNIT_TEST_IN(context, lambdaloss_is_its_formula)
{
  dorm__random random = unit_random(23);
  for (size_t round = 0; round < LAMBDA_ROUNDS; round++) {
    double lambdas[LAMBDA_MOST_DOCS], curvature[LAMBDA_MOST_DOCS], plain[LAMBDA_MOST_DOCS];
    DORM__AT_END(lambda_clear) lambda_query query = lambda_draw(context, &random, round);
    double mu = round % 2 ? 10 : 0;
    DORM__AT_END(lambda_cases_close)
    lambda_opened made =
        lambda_cases_open(context, mu > 0 ? "lambdaloss of ndcg" : "lambdaloss:mu=0 of ndcg", query.dataset);
    lambda_cases_at(context, &made, query.scores, lambdas, curvature);
    plain_lambdaloss(&query, mu, plain);
    for (size_t j = 0; j < query.num_docs; j++)
      UNIT_CLOSE(lambdas[j], plain[j], 1e-12);
  }
}

/* ---- Ranks that change smoothly ----------------------------------------------------------------- */

static double ideal_dcg(const lambda_query *query, size_t depth)
{
  uint32_t best[LAMBDA_MOST_DOCS];
  double sum = 0;
  unit_sort_by(query->num_docs, query->labels, best);
  for (size_t p = 0; p < query->num_docs && p < depth; p++)
    sum += (exp2(query->labels[best[p]]) - 1) / log2((double)p + 2);
  return sum;
}

static double plain_approx(const lambda_query *query, double sigma)
{
  double ideal = ideal_dcg(query, query->num_docs);
  double sum = 0;
  for (size_t i = 0; i < query->num_docs; i++) {
    double rank = 0.5;
    for (size_t j = 0; j < query->num_docs; j++)
      rank += 1 / (1 + exp(-sigma * (query->scores[j] - query->scores[i])));
    sum += (exp2(query->labels[i]) - 1) / log2(1 + rank);
  }
  return ideal > 0 ? -sum / ideal : 0;
}

/* Minus the expected NDCG@3 by a sum over all sets of documents that may be above document i. */
static double plain_soft(const lambda_query *query, double deviation)
{
  double ideal = ideal_dcg(query, 3);
  double sum = 0;
  for (size_t i = 0; i < query->num_docs; i++)
    for (size_t set = 0; set < (size_t)1 << query->num_docs; set++) {
      double chance = 1;
      size_t count = 0;
      for (size_t j = 0; j < query->num_docs; j++) {
        double above = j == i ? 0 : 0.5 + 0.5 * erf((query->scores[j] - query->scores[i]) / (2 * deviation));
        chance *= set >> j & 1 ? above : 1 - above;
        count += set >> j & 1;
      }
      sum += count < 3 ? chance * (exp2(query->labels[i]) - 1) / log2((double)count + 2) : 0;
    }
  return ideal > 0 ? -sum / ideal : 0;
}

/* Compares cost and forces with a formula, and the cost of hard ranks with a measure. */
static void compare_ranks(dorm_context *context, const char *text, const char *hard, size_t depth, double plain,
                          const lambda_query *query)
{
  double lambdas[LAMBDA_MOST_DOCS], curvature[LAMBDA_MOST_DOCS];
  uint32_t order[LAMBDA_MOST_DOCS];
  double reached = 0;
  double ideal = ideal_dcg(query, depth);
  DORM__AT_END(lambda_cases_close) lambda_opened made = lambda_cases_open(context, text, query->dataset);
  DORM__AT_END(lambda_cases_close) lambda_opened limit = lambda_cases_open(context, hard, query->dataset);
  UNIT_CLOSE_OF(text, lambda_cases_at(context, &made, query->scores, lambdas, curvature), plain, 1e-12);
  lambda_compare_with_differences(context, text, 1e-5, query);
  unit_sort_by(query->num_docs, query->scores, order);
  for (size_t p = 0; p < query->num_docs && p < depth; p++)
    reached += (exp2(query->labels[order[p]]) - 1) / log2((double)p + 2);
  UNIT_CLOSE_OF(hard, lambda_cases_at(context, &limit, query->scores, lambdas, curvature),
                ideal > 0 ? -reached / ideal : 0, 1e-9);
}

UNIT_TEST_IN(context, smooth_ranks_are_their_formulas_and_tend_to_ndcg)
{
  dorm__random random = unit_random(24);
  for (size_t round = 0; round < LAMBDA_ROUNDS; round++) {
    DORM__AT_END(lambda_clear) lambda_query query = lambda_draw_smooth(context, &random, round);
    compare_ranks(context, "approx-ndcg:sigma=3", "approx-ndcg:sigma=1e6", LAMBDA_MOST_DOCS, plain_approx(&query, 3),
                  &query);
    compare_ranks(context, "softrank:sigma=0.6 of ndcg@3", "softrank:sigma=1e-4 of ndcg@3", 3, plain_soft(&query, 0.6),
                  &query);
  }
}
