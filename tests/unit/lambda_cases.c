/* lambda_cases.c: random queries, and an opened function, for the tests of λ-functions. */
#include "tests/unit/lambda_cases.h"

/* ---- Random queries ------------------------------------------------------------------------ */

lambda_query lambda_draw(dorm_context *context, dorm__random *random, size_t round)
{
  static const double scales[] = {1, 0.1, 1, 300};
  lambda_query query = {.num_docs = round < 4 ? 1 + round / 2 : 2 + dorm__random_below(random, LAMBDA_MOST_DOCS - 1)};
  float features[LAMBDA_MOST_DOCS];
  size_t levels = 1 + dorm__random_below(random, 5);
  for (size_t j = 0; j < query.num_docs; j++) {
    query.labels[j] = (double)dorm__random_below(random, levels) * (round % 5 == 0 ? 0.75 : 1);
    query.scores[j] =
        round % 3 == 1 ? (double)dorm__random_below(random, 3) : scales[round % 4] * dorm__random_normal(random);
    features[j] = (float)dorm__random_below(random, 2);
  }
  query.dataset = unit_even_dataset(context, 1, query.num_docs, 1, query.labels, features);
  return query;
}

void lambda_clear(lambda_query *query)
{
  dorm_dataset_free(query->dataset);
}

void lambda_draw_lists(dorm_context *context, dorm__random *random, size_t round, lambda_query *query)
{
  enum { MOST_EACH = 3 };
  static const uint32_t names[] = {7, 4000000000, 0, 19};
  size_t start[LAMBDA_MOST_DOCS + 1] = {0}, judged[LAMBDA_MOST_DOCS + 1] = {0};
  size_t num_subtopics = dorm__random_below(random, 6);
  uint32_t groups[LAMBDA_MOST_DOCS * MOST_EACH], subtopics[LAMBDA_MOST_DOCS * MOST_EACH];
  double judgements[LAMBDA_MOST_DOCS * MOST_EACH];
  for (size_t j = 0; j < query->num_docs; j++) {
    size_t count = dorm__random_below(random, round % 2 ? MOST_EACH + 1 : 2);
    start[j + 1] = start[j] + count;
    for (size_t e = start[j]; e < start[j + 1]; e++)
      groups[e] = names[dorm__random_below(random, round % 3 ? 4 : 2)];
    judged[j + 1] = judged[j] + (num_subtopics ? dorm__random_below(random, MOST_EACH + 1) : 0);
    for (size_t e = judged[j]; e < judged[j + 1]; e++) {
      subtopics[e] = (uint32_t)dorm__random_below(random, num_subtopics);
      judgements[e] = (double)(1 + dorm__random_below(random, 3));
    }
  }
  UNIT_OK(context, dorm_dataset_set_groups(context, query->dataset, start, groups, NULL));
  UNIT_OK(context, dorm_dataset_set_subtopics(context, query->dataset, &num_subtopics, judged, subtopics, judgements));
}

lambda_query lambda_draw_smooth(dorm_context *context, dorm__random *random, size_t round)
{
  lambda_query query = lambda_draw(context, random, round);
  bool is_smooth;
  do {
    is_smooth = true;
    for (size_t j = 0; j < query.num_docs; j++)
      query.scores[j] = dorm__random_normal(random);
    for (size_t j = 0; j < query.num_docs; j++)
      for (size_t k = 0; k < j; k++) {
        double distance = fabs(query.scores[j] - query.scores[k]);
        is_smooth = is_smooth && distance > 0.01 && fabs(distance - 0.7) > 0.01 && fabs(distance - 1) > 0.01;
      }
  } while (!is_smooth);
  return query;
}

/* ---- Functions ----------------------------------------------------------------------------- */

lambda_opened lambda_cases_open(dorm_context *context, const char *text, const dorm_dataset *dataset)
{
  lambda_opened made = {0};
  UNIT_OK(context, dorm__lambda_open(context, text, NULL, dataset, 1, &made.lambda));
  UNIT_OK(context, dorm__lambda_workspace_new(context, made.lambda, &made.workspace));
  return made;
}

void lambda_cases_close(lambda_opened *made)
{
  dorm__lambda_workspace_free(made->workspace);
  dorm__lambda_close(made->lambda);
}

double lambda_cases_at(dorm_context *context, const lambda_opened *made, const double *scores, double *lambdas,
                       double *curvature)
{
  double cost = NAN;
  UNIT_OK(context, dorm__lambda_at(context, made->lambda, 0, scores, made->workspace,
                                   &(const dorm__lambda_result){lambdas, curvature, &cost, NULL}));
  return cost;
}

void lambda_compare_with_differences(dorm_context *context, const char *text, double step, const lambda_query *query)
{
  double lambdas[LAMBDA_MOST_DOCS], unused[2][LAMBDA_MOST_DOCS];
  DORM__AT_END(lambda_cases_close) lambda_opened made = lambda_cases_open(context, text, query->dataset);
  CU_ASSERT_TRUE(dorm__lambda_has_cost(made.lambda));
  CU_ASSERT_TRUE(isfinite(lambda_cases_at(context, &made, query->scores, lambdas, unused[0])));
  for (size_t j = 0; j < query->num_docs; j++) {
    double scores[LAMBDA_MOST_DOCS];
    memcpy(scores, query->scores, sizeof scores);
    scores[j] += step;
    double above = lambda_cases_at(context, &made, scores, unused[0], unused[1]);
    scores[j] -= 2 * step;
    double below = lambda_cases_at(context, &made, scores, unused[0], unused[1]);
    double slope = (below - above) / (2 * step);
    UNIT_CLOSE_OF(text, lambdas[j], slope, 1e-6);
  }
}
