/*
 * lambda_texts_test.c: λ-functions through the public interface: all queries at once, texts, and modules.
 */
#include "tests/unit/lambda_cases.h"

/* ---- All queries ------------------------------------------------------------------------------------------ */

/* Bulk results equal the results of single queries, bit for bit, for every number of threads. */
UNIT_TEST_IN(context, all_queries_are_as_each_alone)
{
  static const char *const texts[] = {
      "ranknet", "ranknet-weight-pairs of map", "spring-smooth", "softmax:alpha=0.5", "ranknet-weight-pairs of rsvm",
      "dorm",    "dorm:power=1 of wta",         "perturbed"};
  DORM__OWNED(dorm_dataset) *dataset = unit_artificial(context, 40, 17, 3, 0, 0, 5);
  enum { NUM_DOCS = 40 * 17 };
  double scores[NUM_DOCS];
  double results[2][2][NUM_DOCS];
  for (size_t j = 0; j < NUM_DOCS; j++)
    scores[j] = (double)dorm_dataset_value(dataset, j, 0);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    dorm_lambda_summary summaries[2] = {{.struct_size = sizeof *summaries}, {.struct_size = sizeof *summaries}};
    for (size_t k = 0; k < 2; k++)
      UNIT_OK(context,
              dorm_lambdas(context, texts[i], dataset, scores, 1 + 2 * k, results[k][0], results[k][1], &summaries[k]));
    CU_ASSERT_EQUAL(memcmp(results[0], results[1], sizeof results[0]), 0);
    CU_ASSERT_EQUAL(summaries[0].num_pairs, summaries[1].num_pairs);
    dorm_lambda *lambda = NULL;
    double cost = 0;
    size_t num_pairs = 0;
    UNIT_OK(context, dorm_lambda_open(context, texts[i], dataset, &lambda));
    for (size_t q = 0; q < 40; q++) {
      double one_cost;
      size_t one_pairs;
      UNIT_OK(context, dorm_lambda_at(context, lambda, q, scores + 17 * q, results[1][0] + 17 * q,
                                      results[1][1] + 17 * q, &one_cost, &one_pairs));
      cost += one_cost;
      num_pairs += one_pairs;
    }
    CU_ASSERT_EQUAL(memcmp(results[0], results[1], sizeof results[0]), 0);
    CU_ASSERT_EQUAL(num_pairs, summaries[0].num_pairs);
    CU_ASSERT_TRUE(isnan(cost) ? isnan(summaries[0].cost) : cost == summaries[0].cost);
    UNIT_BAD_USAGE(dorm_lambda_at(context, lambda, 40, scores, results[1][0], results[1][1], NULL, NULL),
                   "no query number 40");
    dorm_lambda_close(lambda);
  }
  scores[100] = NAN;
  UNIT_BAD_DATA(dorm_lambdas(context, "ranknet", dataset, scores, 2, results[0][0], results[0][1], NULL),
                "query '6': the score of document 16 is not a finite number");
}

/* The queries of `dataset`, which is freed (NULL: none), and the one of `last`. */
static dorm_dataset *with_query(dorm_context *context, dorm_dataset *dataset, const dorm_dataset *last)
{
  enum { MOST_QUERIES = 20 };
  size_t count = dataset ? dataset->num_queries : 0;
  dorm__query_of queries[MOST_QUERIES];
  CU_ASSERT_FATAL(count < MOST_QUERIES);
  for (size_t q = 0; q <= count; q++)
    queries[q] = q < count ? (dorm__query_of){dataset, q} : (dorm__query_of){last, 0};
  dorm_dataset *made = unit_gather(context, count + 1, queries);
  dorm_dataset_free(dataset);
  return made;
}

/* Groups and subtopics belong to the query, whatever its place in the data set. */
UNIT_TEST_IN(context, lists_are_those_of_the_query)
{
  static const char *const texts[] = {
      "ranknet-weight-pairs of alpha_ndcg@3",     "ranknet-weight-pairs of ndcg@3:repeats=irrelevant",
      "local-gradient of map:repeats=irrelevant", "discrete-bounded of redundancy@3",
      "spring-smooth of subtopic_recall@3",       "local-cost of err_ia@20"};
  enum { COUNT = 12, MOST = COUNT * LAMBDA_MOST_DOCS };
  double scores[MOST], all[2][MOST], alone[2][MOST];
  lambda_query queries[COUNT];
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  dorm__random random = unit_random(6);
  for (size_t q = 0; q < COUNT; q++) {
    queries[q] = lambda_draw(context, &random, q);
    lambda_draw_lists(context, &random, q, &queries[q]);
    dataset = with_query(context, dataset, queries[q].dataset);
  }
  for (size_t q = 0; q < COUNT; q++)
    memcpy(scores + dataset->query_start[q], queries[q].scores, queries[q].num_docs * sizeof *scores);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    UNIT_OK(context, dorm_lambdas(context, texts[i], dataset, scores, 2, all[0], all[1], NULL));
    for (size_t q = 0; q < COUNT; q++) {
      size_t start = dataset->query_start[q];
      UNIT_OK(context, dorm_lambdas(context, texts[i], queries[q].dataset, queries[q].scores, 1, alone[0] + start,
                                    alone[1] + start, NULL));
    }
    for (size_t k = 0; k < 2; k++)
      CU_ASSERT_EQUAL(memcmp(all[k], alone[k], dataset->num_docs * sizeof(double)), 0);
  }
  for (size_t q = 0; q < COUNT; q++)
    dorm_dataset_free(queries[q].dataset);
}

/* ---- Texts ----------------------------------------------------------------------------------------------- */

UNIT_TEST_IN(context, texts_are_checked_and_spelled_out)
{
  static const char *const good[][2] = {
      {"ranknet", "ranknet:sigma=1,alpha=0"},
      {"ranknet-weight-pairs", "ranknet-weight-pairs:sigma=1,alpha=0 of "
                               "ndcg@10:gain=exp2,discount=log2,empty=0,ties=order"},
      {"RankNet-weight-pairs of NDCG@3", "ranknet-weight-pairs:sigma=1,alpha=0 of "
                                         "ndcg@3:gain=exp2,discount=log2,empty=0,ties=order"},
      {" margin:0.5 ", "margin:delta=0.5,sigma=1,alpha=0"},
      {"margin:2,sigma=3", "margin:delta=2,sigma=3,alpha=0"},
      {"local-cost:sigma=2 of precision@3", "local-cost:sigma=2,alpha=0 of "
                                            "minus_loss(precision:truncation=3,threshold=1)"},
  };
  static const char *const bad[][2] = {
      {"rank-net", "unknown lambda-function 'rank-net'; did you mean 'ranknet'?"},
      {"ranknet:sigma=-1", "sigma=-1 is not between"},
      {"ranknet:theta=1", "has no parameter 'theta'"},
      {"ranknet of ndcg", "is not of a measure or a loss: leave out 'of ndcg'"},
      {"ranknet-weight-pairs of ndgc@10", "unknown measure 'ndgc'; did you mean 'ndcg'?"},
      {"ranknet-weight-pairs of minus_loss(ndcg", "needs a closing bracket"},
      {"ranknet-weight-pairs of ", "the name of a measure is missing"},
      {"local-cost of rsvm", "needs what a swap changes, and a structured loss has none"},
      {"ranknet-weight-pairs of redundancy@5", "redundancy@5:ties=order needs the groups of the documents"},
      {"ranknet-weight-pairs of ndcg@5:repeats=irrelevant", "repeats=irrelevant needs the groups of the documents"},
      {"local-cost of err_ia@5", "err_ia@5:max_label=1,empty=0,ties=order needs the subtopics of the documents"},
      {"dorm of map", "needs a measure that is a sum over positions"},
      {"perturbed of map", "has no weights of positions"},
      {"", "the name of a lambda-function is missing"},
  };
  const double labels[] = {0, 2, 1};
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, 3, labels);
  dorm__lambda *lambda = NULL;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    UNIT_OK(context, dorm__lambda_open(context, good[i][0], NULL, dataset, 1, &lambda));
    CU_ASSERT_STRING_EQUAL(dorm__lambda_spec(lambda), good[i][1]);
    dorm__lambda_close(lambda);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    UNIT_BAD_USAGE(dorm__lambda_open(context, bad[i][0], NULL, dataset, 1, &lambda), bad[i][1]);
    CU_ASSERT_PTR_NULL(lambda);
  }
  UNIT_BAD_DATA(dorm__lambda_open(context, "local-cost of err:max_label=1", NULL, dataset, 1, &lambda),
                "label 2 is too large for err");
}

/* A measure that counts groups once is no sum over positions, and none of subtopics is. */
UNIT_TEST_DRAWN(context, random, functions_of_sums_refuse_groups_and_subtopics)
{
  static const char *const bad[] = {"dorm of ndcg@5:repeats=irrelevant", "dorm of redundancy@5",
                                    "dorm of alpha_ndcg@5"};
  dorm__lambda *lambda = NULL;
  DORM__AT_END(lambda_clear) lambda_query query = lambda_draw(context, random, 10);
  do
    lambda_draw_lists(context, random, 10, &query);
  while (!query.dataset->groups->start[query.num_docs] || !query.dataset->subtopics->start[query.num_docs]);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    UNIT_BAD_USAGE(dorm__lambda_open(context, bad[i], NULL, query.dataset, 1, &lambda),
                   "needs a measure that is a sum over positions");
  UNIT_BAD_USAGE(dorm__lambda_open(context, "perturbed of alpha_ndcg@5", NULL, query.dataset, 1, &lambda),
                 "has no weights of positions");
}

/* ---- Modules ------------------------------------------------------------------------------------------------- */

UNIT_TEST_IN(context, a_module_is_a_function)
{
  dorm__random random = unit_random(5);
  const char *path = unit_compile_module("square_hinge.c", "");
  const char *text = unit_text("square_hinge:margin=2 from %s", path);
  for (size_t round = 0; round < 20; round++) {
    double lambdas[LAMBDA_MOST_DOCS];
    double curvature[LAMBDA_MOST_DOCS];
    DORM__AT_END(lambda_clear) lambda_query query = lambda_draw_smooth(context, &random, round);
    lambda_compare_with_differences(context, text, 1e-5, &query);
    DORM__AT_END(lambda_cases_close) lambda_opened made = lambda_cases_open(context, text, query.dataset);
    CU_ASSERT_STRING_EQUAL(dorm__lambda_spec(made.lambda), text);
    lambda_cases_at(context, &made, query.scores, lambdas, curvature);
    for (size_t i = 0; i < query.num_docs; i++) {
      double sum = 0;
      for (size_t j = 0; j < query.num_docs; j++) {
        double sign = (query.labels[i] > query.labels[j]) - (query.labels[i] < query.labels[j]);
        sum += sign * fmax(0, 2 - sign * (query.scores[i] - query.scores[j]));
      }
      UNIT_CLOSE(lambdas[i], sum, 1e-12);
    }
  }
  const double labels[] = {1, 0};
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, 2, labels);
  dorm__lambda *lambda = NULL;
  UNIT_OK(context, dorm__lambda_open(context, unit_text("from %s", path), NULL, dataset, 1, &lambda));
  CU_ASSERT_STRING_EQUAL(dorm__lambda_spec(lambda), unit_text("square_hinge:margin=1 from %s", path));
  dorm__lambda_close(lambda);
  UNIT_BAD_USAGE(dorm__lambda_open(context, unit_text("ranknet from %s", path), NULL, dataset, 1, &lambda),
                 "holds the lambda-function 'square_hinge', not 'ranknet'");
  text = unit_text("square_hinge:margin=-1 from %s", path);
  UNIT_BAD_USAGE(dorm__lambda_open(context, text, NULL, dataset, 1, &lambda), "not between");
  unlink(path);
  UNIT_FAILS(context, dorm__lambda_open(context, text, NULL, dataset, 1, &lambda), DORM_IO_ERROR, "cannot read");
}

UNIT_TEST_IN(context, modules_that_break_a_promise_are_refused)
{
  static const char *const bad[][2] = {
      {"WRONG_ABI", "interface 2"},
      {"SMALL", "struct"},
      {"WITHOUT_FILL", "fill must be set"},
      {"FAILING", "three documents are not to its taste"},
      {"NOT_A_NUMBER", "infinite or not a number"},
      {"NEGATIVE", "a curvature is negative"},
      {"OUTSIDE", "writes outside its arrays"},
      {"WITHOUT_COST", "the cost that it promises is missing"},
      {"CHANGING", "asked twice"},
      {"NOT_ZERO", "do not add up to 0"},
  };
  const double labels[] = {1, 0};
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, 2, labels);
  dorm__lambda *lambda = NULL;
  const char *path = unit_compile_module("bad_lambda.c", "-DMISSING_SYMBOL");
  const char *text = unit_text("from %s", path);
  UNIT_FAILS(context, dorm__lambda_open(context, text, NULL, dataset, 1, &lambda), DORM_BAD_MODULE,
             "has no function dorm_lambda_module_entry");
  unit_compile_module("bad_lambda.c", "");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    unit_set_fault(bad[i][0]);
    UNIT_FAILS(context, dorm__lambda_open(context, text, NULL, dataset, 1, &lambda), DORM_BAD_MODULE, bad[i][1]);
    CU_ASSERT_PTR_NULL(lambda);
  }
  unit_set_fault(NULL);
}

/* The cost of a function that has none is NaN. */
UNIT_TEST_IN(context, costs_are_there_where_they_exist)
{
  const double labels[] = {1, 0, 2}, scores[] = {0.5, 0.1, -1};
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, 3, labels);
  size_t num_costs = 0, index = 0;
  for (; dorm_lambda_info_at(index); index++) {
    const dorm_lambda_info *info = dorm_lambda_info_at(index);
    dorm_lambda *lambda = NULL;
    double lambdas[3], curvature[3], cost = 0;
    UNIT_OK(context, dorm_lambda_open(context, info->name, dataset, &lambda));
    UNIT_OK(context, dorm_lambda_at(context, lambda, 0, scores, lambdas, curvature, &cost, NULL));
    CU_ASSERT_EQUAL(!isnan(cost), info->has_cost);
    CU_ASSERT_NOT_EQUAL(cost, 0); /* it was computed */
    num_costs += info->has_cost ? 1 : 0;
    dorm_lambda_close(lambda);
  }
  CU_ASSERT_TRUE(num_costs > 0 && num_costs < index);
}

UNIT_TEST_IN(context, scores_that_are_no_numbers_are_refused)
{
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  const double labels[] = {1, 0, 2};
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, 3, labels);
  dorm_lambda *lambda = NULL;
  UNIT_OK(context, dorm_lambda_open(context, "ranknet", dataset, &lambda));
  for (size_t i = 0; i < 9; i++) {
    double scores[] = {0.5, 0.1, -1}, lambdas[3], curvature[3];
    scores[i % 3] = bad[i / 3];
    const char *message = unit_text("the score of document %zu is not a finite number", i % 3 + 1);
    UNIT_BAD_DATA(dorm_lambda_at(context, lambda, 0, scores, lambdas, curvature, NULL, NULL), message);
    UNIT_BAD_DATA(dorm_lambdas(context, "softmax", dataset, scores, 1, lambdas, curvature, NULL), message);
  }
  dorm_lambda_close(lambda);
}
