/* measures_test.c: measures against values computed by hand from their definitions. */
#include "tests/unit/unit.h"

/* One query whose documents are in the order of their scores. */
static dorm_evaluation evaluate_order(dorm_context *context, const char *measure, size_t num_docs, const double *labels)
{
  double scores[16];
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation, .mean = NAN};
  CU_ASSERT_TRUE_FATAL(num_docs <= 16);
  for (size_t i = 0; i < num_docs; i++)
    scores[i] = -(double)i;
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, num_docs, labels);
  UNIT_OK(context, dorm_evaluate(context, measure, dataset, scores, NULL, &evaluation));
  return evaluation;
}

static const double graded[] = {3, 2, 3, 0, 1, 2}, binary[] = {1, 0, 1, 0, 0, 1}, late[] = {0, 0, 1, 2};

typedef struct figure {
  const char *measure;
  size_t num_docs;
  const double *labels;
  double value;
} figure;

static void compare_figures(dorm_context *context, size_t count, const figure *figures)
{
  for (size_t i = 0; i < count; i++) {
    const figure *of = &figures[i];
    dorm_evaluation evaluation = evaluate_order(context, of->measure, of->num_docs, of->labels);
    UNIT_CLOSE_OF(of->measure, evaluation.mean, of->value, 1e-14);
    CU_ASSERT_EQUAL(evaluation.num_queries, 1);
  }
}

UNIT_TEST_IN(context, figures_worked_by_hand)
{
  const figure figures[] = {
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
      {"recall@4", 6, binary, 2.0 / 3},
      {"recall", 6, binary, 1},
      /* relevant at 1 and 3 among the first three: (1/1 + 2/3) over 3, or over min(3, 2) */
      {"map@3", 6, binary, (5.0 / 3) / 3},
      {"map@2:divide=reachable", 6, binary, 1.0 / 2},
      /* only label 3, at positions 1 and 3 from 1 */
      {"map:threshold=0", 6, graded, (1 + 2.0 / 3) / 2},
      /* R = 7/8, 3/8, 7/8, 0, 1/8, 3/8: 7/8 + 1/2 1/8 3/8 + 1/3 1/8 5/8 7/8 +
       * 1/5 1/8 5/8 1/8 1/8 + 1/6 1/8 5/8 1/8 7/8 3/8 */
      {"err:max_label=3", 6, graded, 7.0 / 8 + 3.0 / 128 + 35.0 / 1536 + 5.0 / (5 * 4096.0) + 5.0 * 21 / (6 * 32768.0)},
      {"err@2:max_label=3", 6, graded, 7.0 / 8 + 3.0 / 128},
      {"err:gain=linear", 6, graded, 3.0 / 4 + 1.0 / 16 + 1.0 / 32 + 1.0 / 640 + 1.0 / 512},
      {"err@1:gain=linear,max_label=3", 6, graded, 1},
      /* half-life 2: weights 1, 1/2, 1/4, ...: 3 + 2/2 + 3/4 + 0 + 1/16 + 2/32
       * = 4.875 over 3 + 3/2 + 2/4 + 2/8 + 1/16 = 5.3125 */
      {"eru:half_life=2", 6, graded, 4.875 / 5.3125},
      {"eru:half_life=2,normalised=no", 6, graded, 4.875},
      /* above label 1: 2 + 1/2 + 2/4 + 1/32 */
      {"eru:half_life=2,neutral=1,normalised=no", 6, graded, 3.03125},
      /* labels 0, 0, 1, 2: n = 3, ideal 3 + 1/log2(3), reached 1/log2(4) */
      {"mwta", 4, late, 0.5 / (3 + 1 / log2(3))},
      /* NDCG@1 = NDCG@2 = 0; @3 = 1/2 over 3 + 1/log2(3); @4 adds 3/log2(5) */
      {"mean_ndcg", 4, late, (0.5 + 0.5 + 3 / log2(5)) / (3 + 1 / log2(3)) / 4},
      /* pairs of different labels: 13 of 15; wrong: 2 before 3, 0 before 1 and 2, 1 before 2 */
      {"pair_error", 6, graded, 4.0 / 13},
      /* (9 - 4) / sqrt(13 15) */
      {"tau", 6, graded, 5 / sqrt(13.0 * 15)},
  };
  compare_figures(context, sizeof figures / sizeof *figures, figures);
}

UNIT_TEST_IN(context, figures_of_sets_and_depths_worked_by_hand)
{
  const figure figures[] = {
      {"wta", 6, graded, 1},
      /* R = 3, two of them among the first three */
      {"rprec", 6, binary, 2.0 / 3},
      /* three irrelevant documents: 1, 1 - 1/3, 1 - 3/3 */
      {"bpref", 6, binary, (1 + 2.0 / 3 + 0) / 3},
      /* one irrelevant document, behind three of five relevant ones: 1, 1, 1, 1 - 1/1, 1 - 1/1 */
      {"bpref", 6, graded, 3.0 / 5},
      /* two of each: 1 - 2/2 twice */
      {"bpref", 4, late, 0},
      {"iprec@0.5", 6, graded, 1},
      {"iprec@1", 6, graded, 5.0 / 6},
      {"set_p", 6, graded, 5.0 / 6},
      {"rprec", 6, graded, 4.0 / 5},
      {"success@1", 6, graded, 1},
      {"success@2", 4, late, 0},
      {"success@3", 4, late, 1},
      /* precisions 1, 1/2, 2/3, 1/2, 2/5, 1/2; all three relevant documents, or two, or one */
      {"iprec@1", 6, binary, 1.0 / 2},
      {"iprec@0.5", 6, binary, 2.0 / 3},
      {"iprec:recall=0.3", 6, binary, 1},
      {"rbp:p=0.5", 6, binary, 0.5 * (1 + 0.25 + 0.03125)},
      {"set_p", 6, binary, 1.0 / 2},
      {"set_recall", 6, binary, 1},
      /* (3 + 1) 1/2 1 / (1 + 3/2) */
      {"set_f:importance=3", 6, binary, 4.0 / 5},
      {"num_ret", 6, binary, 6},
      {"num_rel", 6, binary, 3},
      {"gm_map", 6, binary, 13.0 / 18},
      /* as trec_eval names them */
      {"recip_rank", 4, late, 1.0 / 3},
      {"P_4", 6, binary, 2.0 / 4},
      {"ndcg_cut.3:gain=exp2", 4, late, 0.5 / (3 + 1 / log2(3))},
      {"iprec_at_recall_1.00", 6, binary, 1.0 / 2},
      {"set_F_3", 6, binary, 4.0 / 5},
      {"wta", 4, late, 0},
  };
  compare_figures(context, sizeof figures / sizeof *figures, figures);
}

/* Three queries: one of NDCG 1, one without a relevant document, and one whose relevant document is the second of two.
 */
UNIT_TEST_IN(context, empty_queries_count_as_told)
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
      {"ndcg", {1, 0, second}, "ndcg:gain=exp2,discount=log2,empty=0,ties=order"},
      {"ndcg@7:empty=1", {1, 1, second}, "ndcg@7:gain=exp2,discount=log2,empty=1,ties=order"},
      {"ndcg:empty=skip", {1, NAN, second}, "ndcg:gain=exp2,discount=log2,empty=skip,ties=order"},
      {"bpref", {1, 0, 0}, "bpref:threshold=1,empty=0,ties=order"},
      {"map:empty=skip", {1, NAN, 0.5}, "map:threshold=1,divide=relevant,empty=skip,ties=order"},
  };
  DORM__OWNED(dorm_dataset) *dataset = unit_dataset(context, 3, query_start, 0, labels, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double values[3];
    dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
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
    UNIT_CLOSE(evaluation.mean, mean, 1e-14);
    UNIT_CLOSE(evaluation.standard_error, sqrt(variance / (double)count), 1e-14);
    CU_ASSERT_EQUAL(evaluation.num_queries, count);
    CU_ASSERT_EQUAL(evaluation.num_empty, 1);
    CU_ASSERT_STRING_EQUAL(evaluation.conventions, cases[i].conventions);
  }
}

UNIT_TEST_IN(context, bad_measures_and_scores_are_refused)
{
  static const unit_refusal bad[] = {
      {"ndgc@10", "did you mean 'ndcg'"},
      {"tau@10", "no parameter 'truncation'"},
      {"ndcg:ties=best", "none of: order, docid, worst, expected"},
      {"minus_loss(ndcg", "closing bracket"},
      {"minus_loss(ndgc)", "did you mean 'ndcg'"},
      {"ndcg:empty=2", "none of: 0, 1, skip"},
      {"p:treshold=2", "did you mean 'threshold'"},
      {"", "name of a measure is missing"},
  };
  const double labels[] = {2000, 0};
  const double scores[] = {2, 1};
  const double not_a_number[] = {2, NAN};
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, 2, labels);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    UNIT_BAD_USAGE(dorm_evaluate(context, bad[i].given, dataset, scores, NULL, &evaluation), bad[i].message);
  UNIT_BAD_DATA(dorm_evaluate(context, "mrr", dataset, not_a_number, NULL, &evaluation), "document 2 is not a number");
  UNIT_BAD_DATA(dorm_evaluate(context, "ndcg", dataset, scores, NULL, &evaluation), "label 2000 is too large");
  UNIT_BAD_DATA(dorm_evaluate(context, "err@3:max_label=5", dataset, scores, NULL, &evaluation),
                "label 2000 is too large for err@3:max_label=5");
  UNIT_OK(context, dorm_evaluate(context, "ndcg:gain=linear", dataset, scores, NULL, &evaluation));
}

/* Over the queries, gm_map is exp of the mean logarithm of AP, at least 0.00001, and the numbers are sums. */
UNIT_TEST_IN(context, means_are_geometric_and_numbers_sums)
{
  const size_t query_start[] = {0, 2, 4, 6};
  const double labels[] = {1, 0, 0, 0, 0, 1};
  const double scores[] = {2, 1, 2, 1, 2, -INFINITY};
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  double values[3];
  DORM__OWNED(dorm_dataset) *dataset = unit_dataset(context, 3, query_start, 0, labels, NULL);
  UNIT_OK(context, dorm_evaluate(context, "gm_map:empty=skip", dataset, scores, values, &evaluation));
  UNIT_CLOSE(evaluation.mean, sqrt(0.00001), 1e-14);
  CU_ASSERT_TRUE(unit_close(values[0], 0, 1e-14) && isnan(values[1]) && unit_close(values[2], log(0.00001), 1e-14));
  UNIT_CLOSE(evaluation.standard_error, evaluation.mean * fabs(log(0.00001)) / 2, 1e-14);
  UNIT_OK(context, dorm_evaluate(context, "gm_map", dataset, scores, NULL, &evaluation));
  UNIT_CLOSE(evaluation.mean, cbrt(0.00001 * 0.00001), 1e-14);
  UNIT_OK(context, dorm_evaluate(context, "gm_map:empty=1", dataset, scores, NULL, &evaluation));
  UNIT_CLOSE(evaluation.mean, cbrt(0.00001), 1e-14);
  UNIT_OK(context, dorm_evaluate(context, "num_ret", dataset, scores, values, &evaluation));
  CU_ASSERT_TRUE(evaluation.mean == 5 && values[2] == 1);
  UNIT_OK(context, dorm_evaluate(context, "num_rel", dataset, scores, NULL, &evaluation));
  CU_ASSERT_EQUAL(evaluation.mean, 2);
  UNIT_OK(context, dorm_evaluate(context, "num_rel_ret", dataset, scores, NULL, &evaluation));
  CU_ASSERT_EQUAL(evaluation.mean, 1);
}

/* ---- Ties -------------------------------------------------------------------- */

enum { MOST_DOCS = 6 };

static const char *const tied_measures[] = UNIT_TEXTS(
    "ndcg:empty=0", "ndcg@2:empty=0", "dcg@3:empty=0", "mean_ndcg:empty=0", "mwta:empty=0", "map:empty=0",
    "map@3:empty=0", "mrr:empty=0", "mrr@2:empty=0", "wta:empty=0", "p@3:empty=0", "recall@2:empty=0", "err@4:empty=0",
    "err:max_label=9,empty=0", "eru:empty=0", "pair_error:empty=0", "eru:neutral=1,normalised=no", "rprec:empty=0",
    "success@2:empty=0", "success@4:threshold=2,empty=0", "success@2:threshold=3,empty=0",
    "success@1:threshold=3,empty=0", "success@3:threshold=3,empty=0", "rbp:p=0.6,empty=0");

/* Takes the values of the measure over all orders of the documents, where each order breaks the ties. */
static void over_all_document_orders(dorm_context *context, const char *measure, size_t num_docs, const double *labels,
                                     const double *scores, double *least, double *most, double *mean)
{
  uint32_t order[MOST_DOCS];
  size_t count = 0;
  double sum = 0;
  *least = INFINITY;
  *most = -INFINITY;
  for (; unit_ranking(num_docs, count, order); count++) {
    double own_labels[MOST_DOCS], own_scores[MOST_DOCS];
    for (size_t j = 0; j < num_docs; j++) {
      own_labels[j] = labels[order[j]];
      own_scores[j] = scores[order[j]];
    }
    DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, num_docs, own_labels);
    double value = unit_evaluate(context, measure, dataset, own_scores);
    sum += value;
    *least = fmin(*least, value);
    *most = fmax(*most, value);
  }
  *mean = sum / (double)count;
}

/* The expected value is the mean over all orders, and the worst one is the least over them. */
UNIT_TEST_DRAWN(context, random, ties_are_worth_what_all_orders_say)
{
  for (size_t i = 0; i < sizeof tied_measures / sizeof *tied_measures; i++)
    for (size_t round = 0; round < 8; round++) {
      double labels[MOST_DOCS], scores[MOST_DOCS], least, most, mean;
      size_t num_docs = 1 + dorm__random_below(random, MOST_DOCS);
      for (size_t j = 0; j < num_docs; j++) {
        labels[j] = (double)dorm__random_below(random, 4);
        scores[j] = (double)dorm__random_below(random, 1 + round % 4);
      }
      over_all_document_orders(context, tied_measures[i], num_docs, labels, scores, &least, &most, &mean);
      dorm_evaluation expected = {.struct_size = sizeof expected};
      dorm_evaluation worst = {.struct_size = sizeof worst};
      DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, num_docs, labels);
      const char *measure = unit_text("%s,ties=expected", tied_measures[i]);
      UNIT_OK(context, dorm_evaluate(context, measure, dataset, scores, NULL, &expected));
      measure = unit_text("%s,ties=worst", tied_measures[i]);
      UNIT_OK(context, dorm_evaluate(context, measure, dataset, scores, NULL, &worst));
      UNIT_CLOSE_OF(measure, expected.mean, mean, 1e-12);
      UNIT_CLOSE(worst.mean, worst.lower_is_better ? most : least, 1e-12);
    }
}

static double sign(double x)
{
  return (x > 0) - (x < 0);
}

/* tau-b is the sum of products of signs, divided by the root of the product of the sums of squared signs. */
UNIT_TEST_DRAWN(context, random, kendall_counts_pairs)
{
  enum { MOST = 60 };
  for (size_t round = 0; round < 200; round++) {
    double labels[MOST];
    double scores[MOST];
    size_t num_docs = 2 + dorm__random_below(random, MOST - 1);
    for (size_t j = 0; j < num_docs; j++) {
      labels[j] = (double)dorm__random_below(random, 4);
      scores[j] = (double)dorm__random_below(random, 1 + round % 20);
    }
    double both = 0;
    double of_labels = 0;
    double of_scores = 0;
    for (size_t i = 0; i < num_docs; i++)
      for (size_t j = 0; j < i; j++) {
        both += sign(labels[i] - labels[j]) * sign(scores[i] - scores[j]);
        of_labels += fabs(sign(labels[i] - labels[j]));
        of_scores += fabs(sign(scores[i] - scores[j]));
      }
    double tau = of_labels > 0 && of_scores > 0 ? both / sqrt(of_labels * of_scores) : 0;
    dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
    DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, num_docs, labels);
    UNIT_OK(context, dorm_evaluate(context, "tau", dataset, scores, NULL, &evaluation));
    UNIT_CLOSE(evaluation.mean, tau, 1e-12);
    CU_ASSERT_EQUAL(evaluation.num_empty, of_labels > 0 ? 0 : 1);
  }
}

UNIT_TEST_IN(context, ties_fall_by_document_order_or_by_id)
{
  static const char text[] = "0 qid:1 1:1 #docid = b\n1 qid:1 1:1 #docid = a\n2 qid:1 1:1 #docid = c\n";
  const double scores[] = {5, 5, 5};
  static const struct {
    const char *measure;
    double value;
  } cases[] = {
      {"mrr", 1.0 / 2},               /* 0 1 2 */
      {"mrr:ties=docid", 1},          /* c b a: 2 0 1 */
      {"ndcg@1:ties=docid", 1},       /* the same */
      {"map:ties=docid", 5.0 / 6},    /* (1 + 2/3) / 2 */
      {"map:ties=worst", 7.0 / 12},   /* 0 1 2: (1/2 + 2/3) / 2 */
      {"p@2:ties=expected", 2.0 / 3}, /* 2 2/3 of 2 */
  };
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, text);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    UNIT_CLOSE(unit_evaluate(context, cases[i].measure, dataset, scores), cases[i].value, 1e-14);
  }
}

/* The text of a measure reads back as the same measure, over all positions too. */
UNIT_TEST_IN(context, names_keep_their_truncation)
{
  static const char *const cases[][2] = {{"p@0", "p@0:"}, {"p@3", "p@3:"}, {"p", "p@10:"}, {"ndcg@0", "ndcg:"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__OWNED(dorm__measure) *measure = unit_measure(context, cases[i][0]);
    const char *spec = dorm__measure_spec(measure);
    CU_ASSERT_EQUAL(strncmp(spec, cases[i][1], strlen(cases[i][1])), 0);
    DORM__OWNED(dorm__measure) *again = unit_measure(context, spec);
    CU_ASSERT_STRING_EQUAL(dorm__measure_spec(again), spec);
  }
}

/* Minus the loss of NDCG is NDCG - 1. */
UNIT_TEST_IN(context, a_loss_is_a_measure_too)
{
  const size_t query_start[] = {0, 3, 5};
  const double labels[] = {0, 1, 2, 1, 0};
  const double scores[] = {3, 2, 1, 1, 2};
  double minus[2];
  double ndcg[2];
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  DORM__OWNED(dorm_dataset) *dataset = unit_dataset(context, 2, query_start, 0, labels, NULL);
  UNIT_OK(context, dorm_evaluate(context, "minus_loss(ndcg@2)", dataset, scores, minus, &evaluation));
  CU_ASSERT_STRING_EQUAL(evaluation.conventions, "minus_loss(ndcg:truncation=2,gain=exp2,discount=log2)");
  UNIT_OK(context, dorm_evaluate(context, "ndcg@2", dataset, scores, ndcg, &evaluation));
  for (size_t q = 0; q < 2; q++)
    UNIT_CLOSE(minus[q], ndcg[q] - 1, 1e-14);
}
