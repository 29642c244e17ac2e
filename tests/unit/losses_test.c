/* losses_test.c: loss tables against the measure computed from the ranking, over all rankings. */
#include "tests/unit/unit.h"

#include "losses/losses.h"

#include <math.h>
#include <string.h>

enum { MOST_DOCS = 7 };

/* The next permutation in lexicographic order; false past the last. */
static bool next_permutation(size_t count, uint32_t *items)
{
  size_t i = count;
  while (i > 1 && items[i - 2] >= items[i - 1])
    i--;
  if (i <= 1)
    return false;
  size_t j = count;
  while (items[j - 1] <= items[i - 2])
    j--;
  uint32_t item = items[i - 2];
  items[i - 2] = items[j - 1];
  items[j - 1] = item;
  for (size_t left = i - 1, right = count - 1; left < right; left++, right--) {
    item = items[left];
    items[left] = items[right];
    items[right] = item;
  }
  return true;
}

/* One query of these labels, without features. */
static dorm_dataset *one_query(dorm_context *context, size_t num_docs, const double *labels)
{
  size_t query_start[2] = {0, num_docs};
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_from_arrays(context, 1, query_start, 0, labels, NULL, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

/* What the measure gives the ranking with document order[p] at position p. */
static double measure_of_order(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                               const uint32_t *order)
{
  double scores[MOST_DOCS];
  dorm_evaluation evaluation;
  for (size_t p = 0; p < dataset->num_docs; p++)
    scores[order[p]] = -(double)p;
  UNIT_OK(context, dorm__measure_dataset(context, measure, dataset, scores, NULL, &evaluation));
  return evaluation.mean;
}

/* Over all rankings: Delta >= 0, 0 somewhere, and Delta(pi) = best measure -
 * measure(pi). An empty query costs nothing. */
static void compare_loss_with_measure(dorm_context *context, const char *spec, size_t num_docs, const double *labels)
{
  dorm_dataset *dataset = one_query(context, num_docs, labels);
  dorm__loss *loss = NULL;
  dorm__loss_tables *tables = NULL;
  dorm__measure *measure = NULL;
  char *measure_spec = NULL;
  UNIT_OK(context, dorm__loss_open(context, spec, &loss));
  UNIT_OK(context, dorm__loss_measure_spec(context, loss, &measure_spec));
  UNIT_OK(context, dorm__measure_open(context, measure_spec, &measure));
  UNIT_OK(context, dorm__loss_tables_build(context, loss, dataset, &tables));
  const dorm__query_loss *query = dorm__loss_tables_query(tables, 0);

  uint32_t order[MOST_DOCS];
  for (uint32_t i = 0; i < num_docs; i++)
    order[i] = i;
  double best = 0;
  do
    best = fmax(best, measure_of_order(context, measure, dataset, order));
  while (next_permutation(num_docs, order));
  for (uint32_t i = 0; i < num_docs; i++)
    order[i] = i;
  double smallest = INFINITY;
  double largest = 0;
  do {
    double delta = dorm__query_loss_of(query, order);
    double expected = best - measure_of_order(context, measure, dataset, order);
    if (!unit_close(delta, expected, 1e-12))
      printf("\n    %s: Delta %.17g, measure %.17g\n", spec, delta, expected);
    CU_ASSERT_TRUE_FATAL(unit_close(delta, expected, 1e-12));
    smallest = fmin(smallest, delta);
    largest = fmax(largest, delta);
  } while (next_permutation(num_docs, order));
  CU_ASSERT_TRUE(smallest >= 0 && smallest <= 1e-12);
  CU_ASSERT_EQUAL(query->trains, largest > 1e-12);

  dorm__free(measure_spec);
  dorm__measure_close(measure);
  dorm__loss_tables_free(tables);
  dorm__loss_close(loss);
  dorm_dataset_free(dataset);
}

static const char *const specs[] = {
    "ndcg:truncation=0", "ndcg@1", "ndcg@3", "ndcg@10", "ndcg@4:gain=linear,discount=letor", "ndcg:discount=letor",
};

/* Few levels, so that ties and empty queries are common; fractions too. */
static void losses_are_their_measures_over_all_rankings(void)
{
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
    for (size_t round = 0; round < 12; round++) {
      double labels[MOST_DOCS];
      size_t num_docs = 1 + dorm__random_below(&random, round < 10 ? 5 : MOST_DOCS);
      size_t levels = 1 + dorm__random_below(&random, 5);
      for (size_t j = 0; j < num_docs; j++)
        labels[j] = (double)dorm__random_below(&random, levels) * (round % 3 == 0 ? 0.75 : 1);
      compare_loss_with_measure(context, specs[i], num_docs, labels);
    }
  dorm_context_free(context);
}

static void empty_and_lone_queries_cost_nothing(void)
{
  dorm_context *context = unit_context();
  const double none[4] = {0, 0, 0, 0};
  const double one[1] = {2};
  const double same[3] = {1, 1, 1};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    compare_loss_with_measure(context, specs[i], 4, none);
    compare_loss_with_measure(context, specs[i], 1, none);
    compare_loss_with_measure(context, specs[i], 1, one);
    compare_loss_with_measure(context, specs[i], 3, same);
  }
  dorm_context_free(context);
}

static void loss_specs_are_checked(void)
{
  static const struct {
    const char *spec, *message;
  } bad[] = {
      {"", "name of a loss is missing"},
      {"ndgc", "did you mean 'ndcg'"},
      {"ndcg:trunkation=3", "did you mean 'truncation'"},
      {"ndcg:truncation", "not of the form key=value"},
      {"ndcg:truncation=", "needs a value"},
      {"ndcg:truncation=2.5", "not a whole number"},
      {"ndcg:truncation=-1", "not between"},
      {"ndcg:truncation=ten", "not a number"},
      {"ndcg@", "needs a value"},
      {"ndcg@5:truncation=5", "given twice"},
      {"ndcg:gain=square", "none of: exp2, linear"},
      {"ndcg:gain=exp", "none of: exp2, linear"},
      {"ndcg:gain=exp2,", "not of the form"},
  };
  dorm_context *context = unit_context();
  dorm__loss *loss = NULL;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    UNIT_FAILS(context, dorm__loss_open(context, bad[i].spec, &loss), DORM_BAD_USAGE, bad[i].message);
    CU_ASSERT_PTR_NULL(loss);
  }
  UNIT_OK(context, dorm__loss_open(context, " ndcg @ 5 : gain = linear ", &loss));
  CU_ASSERT_STRING_EQUAL(dorm__loss_spec(loss), "ndcg:truncation=5,gain=linear,discount=log2");
  char *measure = NULL;
  UNIT_OK(context, dorm__loss_measure_spec(context, loss, &measure));
  CU_ASSERT_STRING_EQUAL(measure, "ndcg@5:gain=linear,discount=log2,empty=0");
  dorm__free(measure);
  dorm__loss_close(loss);
  dorm_context_free(context);
}

static void one_parameter_can_be_replaced(void)
{
  dorm_context *context = unit_context();
  char *spec = NULL;
  UNIT_OK(context, dorm__loss_with_parameter(context, "ndcg:gain=linear", "truncation", "7", &spec));
  CU_ASSERT_STRING_EQUAL(spec, "ndcg:truncation=7,gain=linear,discount=log2");
  dorm__free(spec);
  UNIT_FAILS(context, dorm__loss_with_parameter(context, "ndcg", "half_life", "7", &spec), DORM_BAD_USAGE,
             "no parameter 'half_life'");
  UNIT_FAILS(context, dorm__loss_with_parameter(context, "ndcg", "truncation", "x", &spec), DORM_BAD_USAGE,
             "not a number");
  CU_ASSERT_PTR_NULL(spec);
  dorm_context_free(context);
}

static void labels_beyond_the_gain_are_refused(void)
{
  dorm_context *context = unit_context();
  const double labels[3] = {0, 60, 1};
  dorm_dataset *dataset = one_query(context, 3, labels);
  dorm__loss *loss = NULL;
  dorm__loss_tables *tables = NULL;
  UNIT_OK(context, dorm__loss_open(context, "ndcg", &loss));
  UNIT_FAILS(context, dorm__loss_tables_build(context, loss, dataset, &tables), DORM_BAD_DATA, "label 60");
  CU_ASSERT_PTR_NULL(tables);
  dorm__loss_close(loss);
  UNIT_OK(context, dorm__loss_open(context, "ndcg:gain=linear", &loss));
  UNIT_OK(context, dorm__loss_tables_build(context, loss, dataset, &tables));
  dorm__loss_tables_free(tables);
  dorm__loss_close(loss);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static const unit_test tests[] = {
    {"losses are their measures over all rankings", losses_are_their_measures_over_all_rankings},
    {"empty and lone queries cost nothing", empty_and_lone_queries_cost_nothing},
    {"loss specs are checked", loss_specs_are_checked},
    {"one parameter can be replaced", one_parameter_can_be_replaced},
    {"labels beyond the gain are refused", labels_beyond_the_gain_are_refused},
    {NULL, NULL},
};

const unit_suite losses_suite = {"losses", tests};
