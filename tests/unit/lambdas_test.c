/*
 * lambdas_test.c: λ-functions against plain double loops over documents, in which what a swap changes is the measure
 * computed again after it.
 */
#include "tests/unit/lambda_cases.h"

#include "lambdas/lambda.h"
#include "lambdas/swap.h"
#include "lambdas/target.h"

/* ---- Rankings ------------------------------------------------------------------------------- */

/* The measure of a ranking; one that is better when lower counts negatively. */
static double measure_of(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                         const uint32_t *order)
{
  double scores[LAMBDA_MOST_DOCS];
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  for (size_t p = 0; p < dataset->num_docs; p++)
    scores[order[p]] = -(double)p;
  UNIT_OK(context, dorm__measure_dataset(context, measure, dataset, scores, NULL, &evaluation));
  return dorm__measure_is_cost(measure) ? -evaluation.mean : evaluation.mean;
}

/* changes[p][q] of the measure when positions p and q change places. */
static void plain_changes(dorm_context *context, const char *spec, const lambda_query *query, const uint32_t *order,
                          double changes[LAMBDA_MOST_DOCS][LAMBDA_MOST_DOCS])
{
  uint32_t swapped[LAMBDA_MOST_DOCS];
  DORM__OWNED(dorm__measure) *measure = unit_measure(context, spec);
  double before = measure_of(context, measure, query->dataset, order);
  for (size_t p = 0; p < query->num_docs; p++)
    for (size_t q = 0; q < query->num_docs; q++) {
      memcpy(swapped, order, query->num_docs * sizeof *order);
      swapped[p] = order[q];
      swapped[q] = order[p];
      changes[p][q] = measure_of(context, measure, query->dataset, swapped) - before;
    }
}

/* ---- What a swap changes ------------------------------------------------------------------------ */

static const char *const measure_specs[] = UNIT_TEXTS(
    "ndcg@1", "ndcg@3", "ndcg@6:short=0", "ndcg", "ndcg@10:gain=linear,discount=letor", "dcg@2:discount=letor", "dcg",
    "mean_ndcg", "mwta", "wta", "p@2", "p@3:threshold=2", "recall@2", "recall@4:threshold=0", "eru", "rprec",
    "rprec:threshold=2", "rbp", "rbp:p=0.3,threshold=0", "eru:half_life=2,neutral=1,normalised=no", "map", "map@3",
    "map@2:threshold=2,divide=reachable", "mrr", "mrr@3:threshold=2", "mrr:threshold=0", "err", "err@3",
    "err:max_label=5", "err@3:gain=linear", "pair_error", "roc_area", "roc_area:levels=two,threshold=2", "tau",
    "minus_loss(ndcg@3)", "minus_loss(mrr)", "minus_loss(mrr:top=any)", "minus_loss(dcg@2:gain=linear)",
    "minus_loss(precision@2)", "minus_loss(eru)", "minus_loss(wta)", "minus_loss(mwta)");

enum { NUM_SPECS = sizeof measure_specs / sizeof *measure_specs };

static const char *const list_specs[] = UNIT_TEXTS(
    "redundancy@1", "redundancy@3", "redundancy@20", "ndcg@1:repeats=irrelevant", "ndcg@3:repeats=irrelevant",
    "ndcg:gain=linear,repeats=irrelevant", "dcg@4:discount=letor,repeats=irrelevant",
    "p@3:threshold=2,repeats=irrelevant", "recall@2:repeats=irrelevant", "recall@4:threshold=0,repeats=irrelevant",
    "eru:repeats=irrelevant", "eru:half_life=2,neutral=1,normalised=no,repeats=irrelevant", "map:repeats=irrelevant",
    "map@3:repeats=irrelevant", "map@2:threshold=2,divide=reachable,repeats=irrelevant", "mrr:repeats=irrelevant",
    "mrr@3:threshold=2,repeats=irrelevant", "err:repeats=irrelevant", "err@3:max_label=5,repeats=irrelevant",
    "alpha_ndcg@1", "alpha_ndcg@3", "alpha_ndcg@20:alpha=0.6", "alpha_ndcg@4:alpha=0", "alpha_ndcg@4:alpha=1",
    "err_ia@3", "err_ia@20:max_label=3", "err_ia@5:max_label=2", "subtopic_recall@2", "subtopic_recall@20");

enum { NUM_LIST_SPECS = sizeof list_specs / sizeof *list_specs };

static void compare_swaps(dorm_context *context, const char *spec, const lambda_query *query)
{
  dorm__target *target = NULL;
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  dorm__swap swap = {0};
  uint32_t order[LAMBDA_MOST_DOCS];
  double row[LAMBDA_MOST_DOCS];
  double changes[LAMBDA_MOST_DOCS][LAMBDA_MOST_DOCS];
  UNIT_OK(context, dorm__target_open(context, spec, query->dataset, 1, &target));
  dorm__swap_alloc(target, query->num_docs, &memory, &swap);
  CU_ASSERT_FALSE_FATAL(memory.is_short);
  unit_sort_by(query->num_docs, query->scores, order);
  plain_changes(context, spec, query, order, changes);
  dorm__swap_begin(target, 0, order, &swap);
  for (size_t p = 0; p + 1 < query->num_docs; p++) {
    dorm__swap_row(&swap, p, query->num_docs, row);
    for (size_t q = p + 1; q < query->num_docs; q++)
      UNIT_CLOSE_OF(spec, row[q - p - 1], changes[p][q], 1e-12);
  }
  dorm__target_close(target);
}

UNIT_TEST_DRAWN(context, random, swaps_change_the_measure_by_as_much)
{
  const char *path = unit_compile_module("front_page.c", "");
  for (size_t round = 0; round < LAMBDA_ROUNDS; round++) {
    DORM__AT_END(lambda_clear) lambda_query query = lambda_draw(context, random, round);
    for (size_t i = 0; i < NUM_SPECS; i++)
      compare_swaps(context, measure_specs[i], &query);
    compare_swaps(context, unit_text("minus_loss(front_page:size=2,feature=1 from %s)", path), &query);
  }
}

UNIT_TEST_IN(context, swaps_change_measures_of_groups_and_subtopics_by_as_much)
{
  dorm__random random = unit_random(2);
  for (size_t round = 0; round < 4 * LAMBDA_ROUNDS; round++) {
    DORM__AT_END(lambda_clear) lambda_query query = lambda_draw(context, &random, round);
    lambda_draw_lists(context, &random, round, &query);
    for (size_t i = 0; i < NUM_LIST_SPECS; i++)
      compare_swaps(context, list_specs[i], &query);
  }
}

/* ---- Plain double loops ---------------------------------------------------------------------------- */

typedef struct plain_result {
  double lambdas[LAMBDA_MOST_DOCS];
  double curvature[LAMBDA_MOST_DOCS];
  size_t num_pairs;
} plain_result;

/* Whether the document at position p should be above the one at q: by their labels or, under measures of groups and
 * subtopics, by what their swap changes, if it changes anything. */
static bool should_be_above(const char *spec, const lambda_query *query, const uint32_t *order, size_t p, size_t q,
                            double change)
{
  bool is_of_labels = true;
  for (size_t i = 0; i < NUM_LIST_SPECS; i++)
    is_of_labels = is_of_labels && strcmp(list_specs[i], spec) != 0;
  if (is_of_labels || fabs(change) < 1e-14)
    return query->labels[order[p]] > query->labels[order[q]];
  return p < q ? change < 0 : change > 0;
}

/* The RankNet forces with weights[p][q] by position, where changes[p][q] is what the swap changes. */
static void plain_pairs(const char *spec, const lambda_query *query, const uint32_t *order, double sigma,
                        double weights[LAMBDA_MOST_DOCS][LAMBDA_MOST_DOCS],
                        double changes[LAMBDA_MOST_DOCS][LAMBDA_MOST_DOCS], plain_result *result)
{
  for (size_t p = 0; p < query->num_docs; p++)
    for (size_t q = 0; q < query->num_docs; q++) {
      uint32_t i = order[p];
      uint32_t j = order[q];
      if (!should_be_above(spec, query, order, p, q, changes[p][q]))
        continue;
      double o = sigma * (query->scores[i] - query->scores[j]);
      double force = weights[p][q] / (1 + exp(o));
      double bend = sigma * weights[p][q] / ((1 + exp(o)) * (1 + exp(-o)));
      result->lambdas[i] += force;
      result->lambdas[j] -= force;
      result->curvature[i] += bend;
      result->curvature[j] += bend;
      result->num_pairs += weights[p][q] > 0;
    }
}

/* Of subtopic_recall: the smallest difference of the numbers of subtopics of two documents, over the query's number. */
static double plain_unit_of_recall(const lambda_query *query)
{
  const dorm__doc_lists *lists = query->dataset->subtopics;
  double least = INFINITY;
  size_t counts[LAMBDA_MOST_DOCS] = {0};
  for (size_t j = 0; j < query->num_docs; j++)
    for (uint32_t i = 0; i < lists->num_subtopics[0]; i++) {
      bool has = false;
      for (size_t e = lists->start[j]; e < lists->start[j + 1]; e++)
        has = has || lists->numbers[e] == i;
      counts[j] += has;
    }
  for (size_t j = 0; j < query->num_docs; j++)
    for (size_t k = 0; k < query->num_docs; k++)
      if (counts[j] > counts[k])
        least = fmin(least, (double)(counts[j] - counts[k]));
  return least / (double)lists->num_subtopics[0];
}

static double plain_unit(const char *spec, const lambda_query *query)
{
  if (strcmp(spec, "redundancy@3") == 0)
    return 1;
  if (strcmp(spec, "subtopic_recall@2") == 0)
    return plain_unit_of_recall(query);
  double least = INFINITY, ideal = 0;
  uint32_t best[LAMBDA_MOST_DOCS];
  for (size_t i = 0; i < query->num_docs; i++)
    for (size_t j = 0; j < query->num_docs; j++)
      if (query->labels[i] > query->labels[j])
        least = fmin(least, exp2(query->labels[i]) - exp2(query->labels[j]));
  unit_sort_by(query->num_docs, query->labels, best);
  for (size_t p = 0; p < query->num_docs && p < 3; p++)
    ideal += (exp2(query->labels[best[p]]) - 1) / log2((double)p + 2);
  CU_ASSERT_STRING_EQUAL_FATAL(spec, "ndcg@3");
  return least / ideal;
}

/* The weights of the pairs of a function of spec. */
static void plain_weights(const char *name, const char *spec, const lambda_query *query,
                          double changes[LAMBDA_MOST_DOCS][LAMBDA_MOST_DOCS],
                          double weights[LAMBDA_MOST_DOCS][LAMBDA_MOST_DOCS])
{
  double unit = strcmp(name, "spring-smooth") == 0 ? plain_unit(spec, query) : 1;
  for (size_t p = 0; p < query->num_docs; p++)
    for (size_t q = 0; q < query->num_docs; q++) {
      double weight = fabs(changes[p][q]) < 1e-14 ? 0 : fabs(changes[p][q]);
      bool is_raised = changes[p][q] > 0;
      bool are_neighbours = p + 1 == q || q + 1 == p;
      if (strcmp(name, "ranknet") == 0)
        weight = 1;
      else if (strcmp(name, "spring-smooth") == 0)
        weight = fmax(1, weight / unit);
      else if (strcmp(name, "local-cost") == 0 && !are_neighbours)
        weight = 0;
      else if (strcmp(name, "misranked-pairs") == 0 && !is_raised)
        weight = 0;
      weights[p][q] = weight;
    }
}

static void plain_local_gradient(const lambda_query *query, const uint32_t *order, double sigma, double margin,
                                 double changes[LAMBDA_MOST_DOCS][LAMBDA_MOST_DOCS], plain_result *result)
{
  for (size_t p = 0; p < query->num_docs; p++) {
    double slope = 0;
    double bend = 0;
    double count = 0;
    for (size_t q = 0; q < query->num_docs; q++) {
      if (p + 1 != q && q + 1 != p)
        continue;
      double d = sigma * fabs(query->scores[order[p]] - query->scores[order[q]]) + margin;
      slope += (q < p ? 1 : -1) * changes[p][q] / d;
      bend += sigma * fabs(changes[p][q]) / (d * d);
      count++;
    }
    result->lambdas[order[p]] = count > 0 ? slope / count : 0;
    result->curvature[order[p]] = count > 0 ? bend / count : 0;
  }
}

static void plain_discrete_bounded(const lambda_query *query, const uint32_t *order,
                                   double changes[LAMBDA_MOST_DOCS][LAMBDA_MOST_DOCS], plain_result *result)
{
  for (size_t p = 0; p < query->num_docs; p++) {
    size_t t = 0; /* the position after a stable sort by label */
    for (size_t q = 0; q < query->num_docs; q++)
      t += query->labels[order[q]] > query->labels[order[p]] ||
           (query->labels[order[q]] == query->labels[order[p]] && q < p);
    result->lambdas[order[p]] = (t < p ? 1 : -1) * (t == p ? 0 : fmin(1, changes[p][t]));
  }
}

static void plain_margin(const lambda_query *query, double delta, double sigma, plain_result *result)
{
  for (size_t i = 0; i < query->num_docs; i++)
    for (size_t j = 0; j < query->num_docs; j++) {
      double x = sigma * (query->scores[i] - query->scores[j]);
      if (query->labels[i] <= query->labels[j])
        continue;
      double force = x > delta ? 0 : x < 0 ? 1 : delta - x;
      result->lambdas[i] += force;
      result->lambdas[j] -= force;
      result->num_pairs += force != 0;
      result->curvature[i] += x >= 0 && x <= delta ? sigma : 0;
      result->curvature[j] += x >= 0 && x <= delta ? sigma : 0;
    }
}

static void plain_softmax(const lambda_query *query, double sigma, plain_result *result)
{
  for (size_t j = 0; j < query->num_docs; j++) {
    double labels = 0;
    double scores = 0;
    for (size_t k = 0; k < query->num_docs; k++) {
      labels += exp(query->labels[k] - query->labels[j]);
      scores += exp(sigma * (query->scores[k] - query->scores[j]));
    }
    result->lambdas[j] = 1 / labels - 1 / scores;
    result->curvature[j] = sigma / scores * (1 - 1 / scores);
  }
}

/* The share of k in the choice of j among j and the documents of smaller label. */
static double plain_choice(const lambda_query *query, double sigma, size_t j, size_t k)
{
  double sum = exp(sigma * (query->scores[j] - query->scores[k]));
  for (size_t i = 0; i < query->num_docs; i++)
    sum += query->labels[i] < query->labels[j] ? exp(sigma * (query->scores[i] - query->scores[k])) : 0;
  return 1 / sum;
}

static void plain_listmle(const lambda_query *query, double sigma, plain_result *result)
{
  for (size_t j = 0; j < query->num_docs; j++)
    for (size_t k = 0; k < query->num_docs; k++) {
      double share = k == j || query->labels[k] < query->labels[j] ? plain_choice(query, sigma, j, k) : 0;
      result->lambdas[k] += (k == j) - share;
      result->curvature[k] += sigma * share * (1 - share);
      result->num_pairs += query->labels[k] < query->labels[j];
    }
}

static void plain_of(dorm_context *context, const char *name, const char *spec, double sigma, const lambda_query *query,
                     plain_result *result)
{
  uint32_t order[LAMBDA_MOST_DOCS];
  double changes[LAMBDA_MOST_DOCS][LAMBDA_MOST_DOCS];
  *result = (plain_result){.num_pairs = 0};
  unit_sort_by(query->num_docs, query->scores, order);
  plain_changes(context, spec, query, order, changes);
  if (strcmp(name, "local-gradient") == 0) {
    plain_local_gradient(query, order, sigma, 0.5, changes, result);
  } else if (strcmp(name, "discrete-bounded") == 0) {
    plain_discrete_bounded(query, order, changes, result);
  } else if (strcmp(name, "margin") == 0) {
    plain_margin(query, 0.7, sigma, result);
  } else if (strcmp(name, "softmax") == 0) {
    plain_softmax(query, sigma, result);
  } else if (strcmp(name, "listmle") == 0) {
    plain_listmle(query, sigma, result);
  } else {
    double weights[LAMBDA_MOST_DOCS][LAMBDA_MOST_DOCS];
    plain_weights(name, spec, query, changes, weights);
    plain_pairs(spec, query, order, sigma, weights, changes, result);
  }
}

/* λ-functions and targets, which are compared for several sigmas; the text of a function has the place of sigma. */
static const struct {
  const char *name;
  const char *pattern;
  bool has_target;
  bool counts_pairs;
} functions[] = {
    {"ranknet", "ranknet:sigma=%g", false, true},
    {"ranknet-weight-pairs", "ranknet-weight-pairs:sigma=%g of ", true, true},
    {"misranked-pairs", "misranked-pairs:sigma=%g of ", true, true},
    {"local-cost", "local-cost:sigma=%g of ", true, true},
    {"local-gradient", "local-gradient:margin=0.5,sigma=%g of ", true, false},
    {"margin", "margin:0.7,sigma=%g", false, true},
    {"softmax", "softmax:sigma=%g", false, false},
    {"listmle", "listmle:sigma=%g", false, true},
    {"spring-smooth", "spring-smooth:sigma=%g of ", true, true},
    {"discrete-bounded", "discrete-bounded of ", true, false},
};

enum { NUM_FUNCTIONS = sizeof functions / sizeof *functions };

static void compare_with_plain(dorm_context *context, size_t function, const char *spec, double sigma,
                               const lambda_query *query)
{
  char pattern[LAMBDA_MOST_TEXT / 2];
  plain_result plain;
  plain_result fast = {.num_pairs = 0};
  snprintf(pattern, sizeof pattern, functions[function].pattern, sigma);
  const char *text = unit_text("%s%s", pattern, functions[function].has_target ? spec : "");
  DORM__AT_END(lambda_cases_close) lambda_opened made = lambda_cases_open(context, text, query->dataset);
  UNIT_OK(context, dorm__lambda_at(context, made.lambda, 0, query->scores, made.workspace,
                                   &(const dorm__lambda_result){fast.lambdas, fast.curvature, NULL, &fast.num_pairs}));
  plain_of(context, functions[function].name, spec, sigma, query, &plain);
  double sum = 0;
  for (size_t j = 0; j < query->num_docs; j++) {
    UNIT_CLOSE_OF(text, fast.lambdas[j], plain.lambdas[j], 1e-12);
    UNIT_CLOSE_OF(text, fast.curvature[j], plain.curvature[j], 1e-12);
    CU_ASSERT_TRUE(fast.curvature[j] >= 0);
    sum += fast.lambdas[j];
  }
  if (made.lambda->kind->info.sums_to_zero && made.lambda->alpha == 0)
    CU_ASSERT_TRUE(fabs(sum) < 1e-12 * (double)(1 + query->num_docs * query->num_docs));
  if (functions[function].counts_pairs)
    CU_ASSERT_EQUAL(fast.num_pairs, plain.num_pairs);
}

UNIT_TEST_IN(context, forces_are_those_of_plain_double_loops)
{
  dorm__random random = unit_random(1);
  for (size_t round = 0; round < LAMBDA_ROUNDS; round++) {
    double sigma = round % 2 ? 1 : 2.5;
    DORM__AT_END(lambda_clear) lambda_query query = lambda_draw(context, &random, round);
    for (size_t f = 0; f < NUM_FUNCTIONS; f++) {
      bool is_of_ndcg = !functions[f].has_target || strcmp(functions[f].name, "spring-smooth") == 0;
      for (size_t i = 0; !is_of_ndcg && i < NUM_SPECS; i++)
        compare_with_plain(context, f, measure_specs[i], sigma, &query);
      compare_with_plain(context, f, "ndcg@3", sigma, &query);
    }
  }
}

UNIT_TEST_IN(context, forces_for_groups_and_subtopics_are_those_of_plain_double_loops)
{
  dorm__random random = unit_random(3);
  for (size_t round = 0; round < LAMBDA_ROUNDS; round++) {
    DORM__AT_END(lambda_clear) lambda_query query = lambda_draw(context, &random, round);
    lambda_draw_lists(context, &random, round, &query);
    for (size_t f = 0; f < NUM_FUNCTIONS; f++)
      for (size_t i = 0; functions[f].has_target && i < NUM_LIST_SPECS; i++)
        if (strcmp(functions[f].name, "spring-smooth") != 0 || strcmp(list_specs[i], "redundancy@3") == 0 ||
            strcmp(list_specs[i], "subtopic_recall@2") == 0)
          compare_with_plain(context, f, list_specs[i], 1.5, &query);
  }
}
