/*
 * lambda_check_test.c: compares the verdicts of dorm_lambda_check with theory, for functions of which theory tells
 * whether they have a cost and whether the cost is convex. Computes the figures of its examples again.
 */
#include "tests/unit/unit.h"

enum { MOST = DORM_LAMBDA_MOST_DOCS };

static void fill_lambdas(dorm_context *context, const char *spec, const dorm_lambda_example *example,
                         const double *scores, double *lambdas)
{
  double curvature[MOST];
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, example->num_docs, example->labels);
  UNIT_OK(context, dorm_lambdas(context, spec, dataset, scores, 1, lambdas, curvature, NULL));
}

/* Returns J_ij = d lambda_i / d score_j at the scores of the example, by central differences. */
static double slope_of(dorm_context *context, const char *spec, const dorm_lambda_example *example, size_t i, size_t j)
{
  static const double step = 1e-5;
  double scores[MOST], above[MOST], below[MOST];
  memcpy(scores, example->scores, sizeof scores);
  scores[j] = example->scores[j] + step;
  fill_lambdas(context, spec, example, scores, above);
  scores[j] = example->scores[j] - step;
  fill_lambdas(context, spec, example, scores, below);
  return (above[i] - below[i]) / (2 * step);
}

static void check_examples(dorm_context *context, const char *spec, const dorm_lambda_report *report)
{
  double one[MOST], two[MOST];
  const dorm_lambda_example *found = &report->climbing;
  if (found->num_docs) {
    double product = 0, moved = 0, turned = 0;
    fill_lambdas(context, spec, found, found->scores, one);
    fill_lambdas(context, spec, found, found->other_scores, two);
    for (size_t j = 0; j < found->num_docs; j++) {
      product += (two[j] - one[j]) * (found->other_scores[j] - found->scores[j]);
      moved += pow(found->other_scores[j] - found->scores[j], 2);
      turned += pow(two[j] - one[j], 2);
    }
    UNIT_CLOSE(found->values[0], product, 1e-9);
    UNIT_CLOSE(report->uphill, product / sqrt(moved * turned), 1e-9);
  }
  found = &report->jumping;
  if (found->num_docs) {
    fill_lambdas(context, spec, found, found->scores, one);
    fill_lambdas(context, spec, found, found->other_scores, two);
    UNIT_CLOSE(found->values[0], one[found->first], 1e-9);
    UNIT_CLOSE(found->values[1], two[found->first], 1e-9);
  }
  found = &report->asymmetric;
  if (found->num_docs) {
    CU_ASSERT_NOT_EQUAL(found->first, found->second);
    CU_ASSERT_DOUBLE_EQUAL(found->values[0], slope_of(context, spec, found, found->first, found->second), 1e-4);
    CU_ASSERT_DOUBLE_EQUAL(found->values[1], slope_of(context, spec, found, found->second, found->first), 1e-4);
  }
  found = &report->bent;
  if (found->num_docs) { /* a diagonal entry of -J is at least the least eigenvalue of -(J + J')/2 */
    for (size_t i = 0; i < found->num_docs; i++)
      CU_ASSERT_TRUE(-slope_of(context, spec, found, i, i) >= found->values[0] - 1e-4);
  }
}

UNIT_TEST_IN(context, verdicts_are_those_of_theory)
{
  static const struct {
    const char *spec;
    int is_symmetric, is_continuous, has_cost, is_convex;
    bool has_noise; /* drawn by the number of the query, so that the examples cannot be computed again */
  } cases[] = {
      {"ranknet", 1, 1, 1, 1, false},
      {"softmax", 1, 1, 1, 1, false},
      {"listmle", 1, 1, 1, 1, false},
      {"p-norm-push", 1, 1, 1, 1, false},
      {"approx-ndcg", 1, 1, 1, 0, false},
      {"softrank", 1, 1, 1, 0, false},
      {"lambdaloss", 1, 0, 0, 0, false},
      {"margin", 1, 1, 1, 1, false},
      {"margin:0.5", 1, 0, 1, 1, false},
      {"margin:2", 1, 0, 1, 0, false},
      {"ranknet-weight-pairs", 1, 0, 0, 0, false},
      {"ranknet-weight-pairs of rsvm", 1, 1, 1, 1, false},
      {"local-gradient of map", 0, 0, 0, 0, false},
      {"smoothrank", 1, 0, 1, 0, false}, /* the scores in order have a kink where two documents change places */
      {"perturbed", 1, 1, 1, 1, true},   /* equal scores are no longer equal after the noise is added */
      {"dorm", 1, 1, 1, 0, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint64_t seed = 1; seed <= 2; seed++) {
      dorm_lambda_report report = {.struct_size = sizeof report};
      UNIT_OK(context, dorm_lambda_check(context, cases[i].spec, seed, &report));
      bool good = report.is_symmetric == cases[i].is_symmetric && report.is_continuous == cases[i].is_continuous &&
                  report.has_cost == cases[i].has_cost && report.is_convex == cases[i].is_convex;
      if (!good)
        printf("\n    %s: symmetric %d, continuous %d, cost %d, convex %d\n", cases[i].spec, report.is_symmetric,
               report.is_continuous, report.has_cost, report.is_convex);
      CU_ASSERT_TRUE(good);
      CU_ASSERT_TRUE(report.num_points > 0 && report.uphill >= 0 && report.asymmetry >= 0);
      CU_ASSERT_EQUAL(report.uphill > 0, report.climbing.num_docs > 0);
      if (!cases[i].has_noise)
        check_examples(context, cases[i].spec, &report);
    }
}
