/*
 * structured_losses_test.c: the worst outputs of structured losses against enumerations of all outputs.
 */
#include "tests/unit/unit.h"

#include "losses/loss.h"
#include "measures/measure.h"

enum { FEW = 6, MANY = 400 };

/* The maximum over all outputs of Delta + sum coefficient g, from the definition. */
typedef double (*enumerated_value)(size_t num_docs, const double *labels, const double *scores);

/* Draws few levels and few different scores, so that equal labels and ties are common; every fourth time all scores are
 * zero, other times some differ by exactly 1. */
static void random_query(dorm__random *random, size_t round, size_t num_docs, double *labels, double *scores)
{
  size_t levels = 1 + dorm__random_below(random, 4);
  for (size_t j = 0; j < num_docs; j++) {
    labels[j] = (double)dorm__random_below(random, levels);
    scores[j] = round % 4 == 0   ? 0
                : round % 4 == 1 ? 0.5 * (double)dorm__random_below(random, 5)
                : round % 4 == 2 ? dorm__random_normal(random)
                                 : 0.1 * dorm__random_normal(random);
  }
}

static double value_at(size_t num_docs, const double *coefficients, double delta, const double *scores)
{
  for (size_t j = 0; j < num_docs; j++)
    delta += coefficients[j] * scores[j];
  return delta;
}

/* The worst output reaches the largest value at its scores, and at other scores at most the largest value there: so it
 * is an output, and the worst one. */
static void compare_with_enumeration(const char *spec, enumerated_value enumerate)
{
  DORM__OWNED(dorm_context) *context = unit_context();
  DORM__OWNED(dorm__loss) *loss = unit_loss(context, spec);
  CU_ASSERT_TRUE(dorm__loss_is_structured(loss));
  dorm__random random = unit_random(0);
  for (size_t round = 0; round < 200; round++) {
    double labels[FEW], scores[FEW], others[FEW], coefficients[FEW], delta;
    size_t num_docs = 1 + round % FEW;
    random_query(&random, round, num_docs, labels, scores);
    DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, num_docs, labels);
    UNIT_OK(context, dorm__loss_prepare(context, loss, dataset));
    UNIT_OK(context, dorm__loss_find_worst(context, loss, dataset, 0, scores, coefficients, &delta));
    double reached = value_at(num_docs, coefficients, delta, scores);
    double largest = enumerate(num_docs, labels, scores);
    if (!unit_close(reached, largest, 1e-12))
      printf("\n    %s, round %zu: %.17g reached, %.17g possible\n", spec, round, reached, largest);
    CU_ASSERT_TRUE_FATAL(unit_close(reached, largest, 1e-12));
    for (size_t other = 0; other < 4; other++) {
      double scratch[FEW];
      random_query(&random, other, num_docs, scratch, others);
      CU_ASSERT_TRUE(value_at(num_docs, coefficients, delta, others) <= enumerate(num_docs, labels, others) + 1e-12);
    }
  }
}

/* ---- Pairs ------------------------------------------------------------------------ */

typedef struct listed_pair {
  size_t better, worse;
} listed_pair;

static size_t list_pairs(size_t num_docs, const double *labels, listed_pair *pairs)
{
  size_t count = 0;
  for (size_t i = 0; i < num_docs; i++)
    for (size_t j = 0; j < num_docs; j++)
      if (labels[i] > labels[j])
        pairs[count++] = (listed_pair){i, j};
  return count;
}

/* The weight of a pair of these labels in a query of num_pairs pairs. */
typedef double (*pair_weight)(double better, double worse, double num_pairs);

/* The maximum over all sets of pairs. */
static double worst_pair_set_by(pair_weight weight, size_t num_docs, const double *labels, const double *scores)
{
  listed_pair pairs[FEW * FEW];
  size_t count = list_pairs(num_docs, labels, pairs);
  double largest = 0;
  for (size_t set = 0; set < (size_t)1 << count; set++) {
    double value = 0;
    for (size_t k = 0; k < count; k++)
      if (set >> k & 1)
        value += weight(labels[pairs[k].better], labels[pairs[k].worse], (double)count) *
                 (1 - scores[pairs[k].better] + scores[pairs[k].worse]);
    largest = fmax(largest, value);
  }
  return largest;
}

static double one_each(double better, double worse, double num_pairs)
{
  (void)better, (void)worse, (void)num_pairs;
  return 1;
}

static double worst_pair_set(size_t num_docs, const double *labels, const double *scores)
{
  return worst_pair_set_by(one_each, num_docs, labels, scores);
}

static double over_their_number(double better, double worse, double num_pairs)
{
  (void)better, (void)worse;
  return 1 / num_pairs;
}

static double mean_worst_pair_set(size_t num_docs, const double *labels, const double *scores)
{
  return worst_pair_set_by(over_their_number, num_docs, labels, scores);
}

static void binary(size_t num_docs, const double *labels, double *relevance)
{
  for (size_t j = 0; j < num_docs; j++)
    relevance[j] = labels[j] >= 1;
}

static double worst_binary_pair_set(size_t num_docs, const double *labels, const double *scores)
{
  double relevance[FEW];
  binary(num_docs, labels, relevance);
  return mean_worst_pair_set(num_docs, relevance, scores);
}

/* By the weights "1 0 0.5 / 2 0 2 / 2 1 0/3 0 1.25 / 3 1 4 / 3 2 0.1". */
static double given_weight(double better, double worse, double num_pairs)
{
  static const double weights[4][4] = {{0}, {0.5}, {2, 0}, {1.25, 4, 0.1}};
  return weights[(size_t)better][(size_t)worse] / num_pairs;
}

static double weighted_worst_pair_set(size_t num_docs, const double *labels, const double *scores)
{
  return worst_pair_set_by(given_weight, num_docs, labels, scores);
}

static const char given_tau[] = "rsvm_ir:tau=1 0 0.5 / 2 0 2 / 2 1 0/3 0 1.25 / 3 1 4 / 3 2 0.1";

UNIT_TEST(the_worst_pairs_are_the_worst)
{
  compare_with_enumeration("rsvm:pairs=sum", worst_pair_set);
  compare_with_enumeration("rsvm", mean_worst_pair_set);
  compare_with_enumeration("roc_area:levels=all", mean_worst_pair_set);
  compare_with_enumeration("roc_area", worst_binary_pair_set);
  compare_with_enumeration(given_tau, weighted_worst_pair_set);
}

/* There are enough documents for every path of the counting; the pairs are added one by one here. */
UNIT_TEST_DRAWN(context, random, long_queries_count_as_pairs_do)
{
  static double labels[MANY], scores[MANY], coefficients[MANY], expected[MANY];
  static const size_t levels[] = {2, 5, 1000};
  DORM__OWNED(dorm__loss) *loss = unit_loss(context, "rsvm:pairs=sum");
  for (size_t round = 0; round < 9; round++) {
    double delta = 0, expected_delta = 0;
    for (size_t j = 0; j < MANY; j++) {
      labels[j] = (double)dorm__random_below(random, levels[round % 3]);
      scores[j] = round < 3 ? dorm__random_normal(random) : (double)dorm__random_below(random, 9) / (double)round;
      expected[j] = 0;
    }
    for (size_t i = 0; i < MANY; i++)
      for (size_t j = 0; j < MANY; j++)
        if (labels[i] > labels[j] && scores[i] - scores[j] < 1) {
          expected_delta++;
          expected[i]--;
          expected[j]++;
        }
    DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, MANY, labels);
    UNIT_OK(context, dorm__loss_find_worst(context, loss, dataset, 0, scores, coefficients, &delta));
    CU_ASSERT_EQUAL(delta, expected_delta);
    CU_ASSERT_EQUAL(memcmp(coefficients, expected, sizeof expected), 0);
  }
}

/* ---- tau from the data ----------------------------------------------------------------- */

/* The mean loss of NDCG@1 over all orders in which the documents of levels `better` and `worse` can fill the places
 * that they have in an ideal ranking. labels [num_docs] fall. */
static double exchange_cost(size_t num_docs, const double *labels, double better, double worse)
{
  double sum = 0, orders = 0;
  if (labels[0] != better && labels[0] != worse)
    return 0;
  for (size_t j = 0; j < num_docs; j++) /* each of them is at the top in equally many orders */
    if (labels[j] == better || labels[j] == worse) {
      sum += (pow(2, labels[j]) - 1) / (pow(2, labels[0]) - 1);
      orders++;
    }
  return 1 - sum / orders;
}

UNIT_TEST_IN(context, weights_of_labels_are_taken_from_the_data)
{
  const size_t query_start[] = {0, 4, 6, 9, 11};
  const double labels[] = {3, 1, 1, 0, 1, 0, 2, 1, 0, 0, 0}; /* fall within queries */
  const double asked[] = {3, 1, 3, 0, 1, 0, 2, 1, 2, 0};     /* pairs of one query each */
  const size_t asked_start[] = {0, 2, 4, 6, 8, 10};
  const double zero[2] = {0, 0};
  DORM__OWNED(dorm_dataset) *dataset = unit_dataset(context, 4, query_start, 0, labels, NULL);
  DORM__OWNED(dorm_dataset) *pairs = unit_dataset(context, 5, asked_start, 0, asked, NULL);
  dorm__loss *loss = unit_loss(context, "rsvm_ir");
  UNIT_OK(context, dorm__loss_prepare(context, loss, dataset));
  for (size_t i = 0; i < 5; i++) {
    double better = asked[2 * i], worse = asked[2 * i + 1], sum = 0, count = 0, coefficients[2], delta;
    for (size_t q = 0; q < 4; q++) {
      bool has_better = false, has_worse = false;
      for (size_t j = query_start[q]; j < query_start[q + 1]; j++) {
        has_better = has_better || labels[j] == better;
        has_worse = has_worse || labels[j] == worse;
      }
      if (has_better && has_worse) {
        sum += exchange_cost(query_start[q + 1] - query_start[q], labels + query_start[q], better, worse);
        count++;
      }
    }
    UNIT_OK(context, dorm__loss_find_worst(context, loss, pairs, i, zero, coefficients, &delta));
    UNIT_CLOSE(delta, sum / count, 1e-14);
    CU_ASSERT_TRUE(i == 4 || delta > 0);
  }
  /* by hand: of the three queries, label 1 is the largest against 0 in the second alone */
  double coefficients[2], delta;
  UNIT_OK(context, dorm__loss_find_worst(context, loss, pairs, 2, zero, coefficients, &delta));
  UNIT_CLOSE(delta, 0.5 / 3, 1e-14);
  dorm__loss_close(loss);
  static const unit_refusal bad[] = {
      {"rsvm_ir:tau=2 0", "needs entries"},         {"rsvm_ir:tau=0 2 1", "needs entries"},
      {"rsvm_ir:tau=2 0 -1", "needs entries"},      {"rsvm_ir:tau=2 0 1 1", "needs entries"},
      {"rsvm_ir:tau=1 0 1 / 1 0 1", "two weights"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    UNIT_BAD_USAGE(dorm__loss_open(context, bad[i].given, &loss), bad[i].message);
  UNIT_OK(context, dorm__loss_open(context, "rsvm_ir:tau=1 0 1 / 3 0 2 / 3 1 2 / 2 0 1", &loss));
  UNIT_BAD_DATA(dorm__loss_prepare(context, loss, dataset), "no weight for labels 2 and 1");
  dorm__loss_close(loss);
}

/* ---- Sets ------------------------------------------------------------------------------- */

/* The maximum over all sets of min(n, num_docs) documents. The right output, which is subtracted, is the mean over the
 * sets that cost nothing. */
static double worst_set(size_t wanted, size_t num_docs, const double *labels, const double *scores)
{
  size_t size = wanted < num_docs ? wanted : num_docs;
  double most = 0, right = 0, num_right = 0, largest = -INFINITY;
  for (int step = 0; step < 3; step++) /* the most relevant in a set, the mean of those sets, the worst set */
    for (size_t set = 0; set < (size_t)1 << num_docs; set++) {
      double count = 0, relevant = 0, sum = 0;
      for (size_t j = 0; j < num_docs; j++)
        if (set >> j & 1) {
          count++;
          relevant += labels[j] >= 1;
          sum += scores[j];
        }
      if (count != (double)size)
        continue;
      if (step == 0)
        most = fmax(most, relevant);
      if (step == 1 && relevant == most) {
        right += sum;
        num_right++;
      }
      if (step == 2)
        largest = fmax(largest, (wanted ? (most - relevant) / (double)wanted : 0) + sum - right / num_right);
    }
  return largest;
}

static double worst_set_of_three(size_t num_docs, const double *labels, const double *scores)
{
  return worst_set(3, num_docs, labels, scores);
}

static double worst_set_at_break_even(size_t num_docs, const double *labels, const double *scores)
{
  size_t num_relevant = 0;
  for (size_t j = 0; j < num_docs; j++)
    num_relevant += labels[j] >= 1;
  return worst_set(num_relevant, num_docs, labels, scores);
}

UNIT_TEST(the_worst_sets_are_the_worst)
{
  compare_with_enumeration("precision_set@3", worst_set_of_three);
  compare_with_enumeration("precision_set@0", worst_set_at_break_even);
}

/* ---- Average precision ---------------------------------------------------------------------- */

static double value_of_ranking(size_t num_docs, const double *labels, const double *scores, const uint32_t *order)
{
  double found = 0, precision = 0, relevant = 0, lead = 0;
  for (size_t p = 0; p < num_docs; p++) {
    if (labels[order[p]] >= 1)
      precision += ++found / (double)(p + 1);
    for (size_t q = p + 1; q < num_docs; q++) /* one of the others above a relevant document */
      if (labels[order[p]] < 1 && labels[order[q]] >= 1)
        lead += scores[order[p]] - scores[order[q]];
  }
  relevant = found;
  return relevant > 0 && relevant < (double)num_docs
             ? 1 - precision / relevant + 2 * lead / (relevant * ((double)num_docs - relevant))
             : 0;
}

static double worst_ranking(size_t num_docs, const double *labels, const double *scores)
{
  uint32_t order[FEW];
  double largest = -INFINITY;
  for (size_t r = 0; unit_ranking(num_docs, r, order); r++)
    largest = fmax(largest, value_of_ranking(num_docs, labels, scores, order));
  return largest;
}

/* The greedy method of Yue et al. on sorted scores: each of the others in turn comes to the place where the sum of its
 * steps past relevant documents is largest. */
static double greedy_value(size_t num_relevant, const double *relevant, size_t num_others, const double *others)
{
  double m = (double)num_relevant, k = (double)num_others, value = 0;
  for (size_t j = 1; j <= num_others; j++) {
    double sum = 0, largest = 0;
    for (size_t i = num_relevant; i > 0; i--) {
      double ahead = (double)j, place = (double)i;
      sum += (ahead / (ahead + place) - (ahead - 1) / (ahead + place - 1)) / m -
             2 * (relevant[i - 1] - others[j - 1]) / (m * k);
      largest = fmax(largest, sum);
    }
    value += largest;
  }
  return value;
}

UNIT_TEST_DRAWN(context, random, the_worst_average_precision_is_the_worst)
{
  static double labels[MANY], scores[MANY], coefficients[MANY], halves[2][MANY];
  compare_with_enumeration("map", worst_ranking);
  DORM__OWNED(dorm__loss) *loss = unit_loss(context, "map");
  for (size_t round = 0; round < 30; round++) {
    size_t counts[2] = {0, 0};
    double delta, step = round % 3 == 0 ? 0 : round % 3 == 1 ? 0.003 : 0.3; /* scores fall from document to document */
    for (size_t j = 0; j < MANY; j++) {
      labels[j] = dorm__random_below(random, 2 + round) == 0;
      scores[j] = -step * (double)(dorm__random_below(random, 2) ? j : j / 7 * 7);
      scores[j] = j ? fmin(scores[j], scores[j - 1]) : 0;
      size_t half = labels[j] > 0;
      halves[half][counts[half]++] = scores[j];
    }
    DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, MANY, labels);
    UNIT_OK(context, dorm__loss_find_worst(context, loss, dataset, 0, scores, coefficients, &delta));
    double expected = counts[1] ? greedy_value(counts[1], halves[1], counts[0], halves[0]) : 0;
    UNIT_CLOSE(value_at(MANY, coefficients, delta, scores), expected, 1e-10);
  }
}

/* ---- What a ranking costs ------------------------------------------------------------ */

/* For each loss: minus its mean, or 1 minus its mean, is a measure that has a name. */
static const struct {
  const char *loss, *measure;
  double sign; /* measure = from + sign * minus_loss */
  double from;
} own_measures[] = {
    {"rsvm", "pair_error", -1, 0},
    {"rsvm", "roc_area:empty=1", 1, 1},
    {"roc_area", "roc_area:levels=two,empty=1", 1, 1},
    {"map", "map:empty=1", 1, 1},
    {"precision_set@3", "minus_loss(precision@3)", 1, 0},
};

UNIT_TEST_DRAWN(context, random, a_ranking_costs_what_its_measure_misses)
{
  for (size_t round = 0; round < 60; round++) {
    double labels[FEW], scores[FEW];
    size_t num_docs = 1 + round % FEW;
    random_query(random, 2, num_docs, labels, scores);
    DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, num_docs, labels);
    for (size_t i = 0; i < sizeof own_measures / sizeof *own_measures; i++) {
      dorm_evaluation by_loss = {.struct_size = sizeof by_loss};
      dorm_evaluation by_measure = by_loss;
      UNIT_OK(context, dorm_evaluate(context, unit_text("minus_loss(%s)", own_measures[i].loss), dataset, scores, NULL,
                                     &by_loss));
      UNIT_OK(context, dorm_evaluate(context, own_measures[i].measure, dataset, scores, NULL, &by_measure));
      UNIT_CLOSE(by_measure.mean, own_measures[i].from + own_measures[i].sign * by_loss.mean, 1e-9);
    }
  }
}

/* Over as many documents as are relevant the measure is R-precision; p over all positions is the same for all rankings.
 */
UNIT_TEST_IN(context, sets_of_all_relevant_documents_have_their_measure)
{
  static const char *const cases[][2] = {{"precision_set@0", "rprec:"}, {"precision_set:truncation=3", "p@3:"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__FREED char *spec = NULL;
    DORM__OWNED(dorm__loss) *loss = unit_loss(context, cases[i][0]);
    UNIT_OK(context, dorm__measure_spec_of_loss(context, loss, &spec));
    CU_ASSERT_EQUAL(strncmp(spec, cases[i][1], strlen(cases[i][1])), 0);
  }
}
