/* measures_test.c: measures against figures worked by hand from their definitions. */
#include "tests/unit/unit.h"

#include "losses/losses.h"

#include <math.h>
#include <string.h>

/* One query whose documents stand in the order of their scores. */
static dorm_evaluation evaluate_order(dorm_context *context, const char *measure, size_t num_docs, const double *labels)
{
  size_t query_start[2] = {0, num_docs};
  double scores[16];
  dorm_dataset *dataset = NULL;
  dorm_evaluation evaluation = {.mean = NAN};
  CU_ASSERT_TRUE_FATAL(num_docs <= 16);
  for (size_t i = 0; i < num_docs; i++)
    scores[i] = -(double)i;
  UNIT_OK(context, dorm_dataset_from_arrays(context, 1, query_start, 0, labels, NULL, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  UNIT_OK(context, dorm_evaluate(context, measure, dataset, scores, NULL, &evaluation));
  dorm_dataset_free(dataset);
  return evaluation;
}

static void figures_worked_by_hand(void)
{
  const double graded[] = {3, 2, 3, 0, 1, 2};
  const double binary[] = {1, 0, 1, 0, 0, 1};
  const double late[] = {0, 0, 1, 2};
  const struct {
    const char *measure;
    size_t num_docs;
    const double *labels;
    double value;
  } cases[] = {
      /* 7/1 + 3/log2(3) + 7/2 + 0 + 1/log2(6) + 3/log2(7) */
      {"dcg", 6, graded, 7 + 3 / log2(3) + 3.5 + 1 / log2(6) + 3 / log2(7)},
      /* 3 + 2/log2(3) + 3/2 + 0 + 1/log2(6) + 2/log2(7) = 6.861 over
       * 3 + 3/log2(3) + 2/2 + 2/log2(5) + 1/log2(6) = 7.141 */
      {"ndcg:gain=linear", 6, graded,
       (3 + 2 / log2(3) + 1.5 + 1 / log2(6) + 2 / log2(7)) / (3 + 3 / log2(3) + 1 + 2 / log2(5) + 1 / log2(6))},
      /* LETOR divides the first two by 1: 7 + 3 + 7/log2(3) over 7 + 7 + 3/log2(3) */
      {"ndcg@3:discount=letor", 6, graded, (10 + 7 / log2(3)) / (14 + 3 / log2(3))},
      /* (1/1 + 2/3 + 3/6) / 3 = 13/18 */
      {"map", 6, binary, 13.0 / 18},
      /* first relevant at the third position */
      {"mrr", 4, late, 1.0 / 3},
      {"mrr:threshold=2", 4, late, 1.0 / 4},
      {"mrr@2", 4, late, 0},
      {"p@4", 6, binary, 2.0 / 4},
      {"p@10", 6, binary, 3.0 / 10},
      {"p@10:threshold=2", 6, graded, 4.0 / 10},
      {"wta", 6, graded, 1},
      {"wta", 4, late, 0},
  };
  dorm_context *context = unit_context();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    dorm_evaluation evaluation = evaluate_order(context, cases[i].measure, cases[i].num_docs, cases[i].labels);
    if (!unit_close(evaluation.mean, cases[i].value, 1e-14))
      printf("\n    %s: %.17g, by hand %.17g\n", cases[i].measure, evaluation.mean, cases[i].value);
    CU_ASSERT_TRUE(unit_close(evaluation.mean, cases[i].value, 1e-14));
    CU_ASSERT_EQUAL(evaluation.num_queries, 1);
  }
  dorm_context_free(context);
}

/* Three queries: NDCG 1, none relevant, and the relevant one second of two. */
static void empty_queries_count_as_told(void)
{
  const size_t query_start[] = {0, 2, 4, 6};
  const double labels[] = {1, 0, 0, 0, 0, 1};
  const double scores[] = {2, 1, 2, 1, 2, 1};
  const double second = 1 / log2(3);
  const struct {
    const char *measure;
    double values[3]; /* NaN: skipped */
    const char *conventions;
  } cases[] = {
      {"ndcg", {1, 0, second}, "ndcg:gain=exp2,discount=log2,empty=0"},
      {"ndcg@7:empty=1", {1, 1, second}, "ndcg@7:gain=exp2,discount=log2,empty=1"},
      {"ndcg:empty=skip", {1, NAN, second}, "ndcg:gain=exp2,discount=log2,empty=skip"},
      {"map:empty=skip", {1, NAN, 0.5}, "map:threshold=1,empty=skip"},
  };
  dorm_context *context = unit_context();
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_from_arrays(context, 3, query_start, 0, labels, NULL, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double values[3];
    dorm_evaluation evaluation;
    UNIT_OK(context, dorm_evaluate(context, cases[i].measure, dataset, scores, values, &evaluation));
    double sum = 0;
    double squares = 0;
    size_t count = 0;
    for (size_t q = 0; q < 3; q++) {
      double expected = cases[i].values[q];
      CU_ASSERT_TRUE(isnan(expected) ? isnan(values[q]) : unit_close(values[q], expected, 1e-14));
      if (!isnan(expected)) {
        sum += expected;
        squares += expected * expected;
        count++;
      }
    }
    double mean = sum / (double)count;
    double variance = (squares - (double)count * mean * mean) / (double)(count - 1);
    CU_ASSERT_TRUE(unit_close(evaluation.mean, mean, 1e-14));
    CU_ASSERT_TRUE(unit_close(evaluation.standard_error, sqrt(variance / (double)count), 1e-14));
    CU_ASSERT_EQUAL(evaluation.num_queries, count);
    CU_ASSERT_EQUAL(evaluation.num_empty, 1);
    CU_ASSERT_STRING_EQUAL(evaluation.conventions, cases[i].conventions);
  }
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static void bad_measures_and_scores_are_refused(void)
{
  static const struct {
    const char *measure, *message;
  } bad[] = {
      {"ndgc@10", "did you mean 'ndcg'"},      {"map@10", "no parameter 'truncation'"},
      {"ndcg:empty=2", "none of: 0, 1, skip"}, {"p:treshold=2", "did you mean 'threshold'"},
      {"", "name of a measure is missing"},
  };
  const size_t query_start[] = {0, 2};
  const double labels[] = {2000, 0};
  const double scores[] = {2, 1};
  const double not_a_number[] = {2, NAN};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = NULL;
  dorm_evaluation evaluation;
  UNIT_OK(context, dorm_dataset_from_arrays(context, 1, query_start, 0, labels, NULL, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    UNIT_FAILS(context, dorm_evaluate(context, bad[i].measure, dataset, scores, NULL, &evaluation), DORM_BAD_USAGE,
               bad[i].message);
  UNIT_FAILS(context, dorm_evaluate(context, "mrr", dataset, not_a_number, NULL, &evaluation), DORM_BAD_DATA,
             "document 2 is not a number");
  UNIT_FAILS(context, dorm_evaluate(context, "ndcg", dataset, scores, NULL, &evaluation), DORM_BAD_DATA,
             "label 2000 is too large");
  UNIT_OK(context, dorm_evaluate(context, "ndcg:gain=linear", dataset, scores, NULL, &evaluation));
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static void ties_fall_by_document_order(void)
{
  const size_t query_start[] = {0, 3};
  const double labels[] = {0, 1, 2};
  const double scores[] = {5, 5, 5};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = NULL;
  dorm_evaluation evaluation;
  UNIT_OK(context, dorm_dataset_from_arrays(context, 1, query_start, 0, labels, NULL, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  UNIT_OK(context, dorm_evaluate(context, "mrr", dataset, scores, NULL, &evaluation));
  CU_ASSERT_EQUAL(evaluation.mean, 0.5);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static const unit_test tests[] = {
    {"figures worked by hand", figures_worked_by_hand},
    {"empty queries count as told", empty_queries_count_as_told},
    {"bad measures and scores are refused", bad_measures_and_scores_are_refused},
    {"ties fall by document order", ties_fall_by_document_order},
    {NULL, NULL},
};

const unit_suite measures_suite = {"measures", tests};
