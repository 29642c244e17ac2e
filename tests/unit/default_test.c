/* default_test.c: training.trainer = auto: the trainers and settings that it becomes. */
#include "tests/unit/training_cases.h"

enum { QUERIES = 17, DOCS = 12 };

/* Trains with the defaults but for one setting. Returns the text of a setting in the model, static until the next
 * call. */
static const char *text_by_default(dorm_context *context, const dorm_dataset *dataset, const char *const pair[2],
                                   const char *key)
{
  static char text[80];
  DORM__OWNED(dorm_settings) *settings =
      unit_svm(context, UNIT_PAIRS("training.trainer", "auto", "trees.trees", "3", "solver.C", "1", "trees.leaves", "3",
                                   "data.rank_block", "0", "ranking.position_weights", "power:0.5", pair[0], pair[1]));
  DORM__OWNED(dorm_training) *training = unit_train(context, settings, dataset, NULL);
  snprintf(text, sizeof text, "%s", dorm_model_setting(dorm_training_model(training), key));
  return text;
}

/* The default trains linear models and trees, and linear models alone where trees cannot follow. */
UNIT_TEST_IN(context, the_default_trains_what_the_job_allows)
{
  static const struct {
    const char *pair[2], *key, *expected;
  } cases[] = {{{"selection.average", "1"}, "training.trainer", "svm, trees"},
               {{"selection.average", "1"}, "trees.raw_values", "no, yes"},
               {{"trees.raw_values", "yes"}, "trees.raw_values", "yes"},
               {{"training.budget", "60"}, "trees.raw_values", "no, yes"},
               {{"training.budget", "1e-4"}, "trees.raw_values", "yes"},
               {{"selection.measure", "ndcg@5"}, "trees.objective", "dorm"},
               {{"selection.measure", "map"}, "trees.objective", "lambda"},
               {{"kernel.kernel", "rbf:scale=1"}, "training.trainer", "svm"},
               {{"ranking.position_functions", "3"}, "training.trainer", "svm"},
               {{"solver.shards", "4"}, "training.trainer", "svm, trees"}};
  DORM__OWNED(dorm_dataset) *dataset = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CU_ASSERT_STRING_EQUAL(text_by_default(context, dataset, cases[i].pair, cases[i].key), cases[i].expected);
}

/* Scales each feature of each query to values from 0 to 1, and one of a single value to 0. */
static void scale_within_queries(dorm_dataset *dataset)
{
  for (size_t q = 0; q < dataset->num_queries; q++)
    for (size_t f = 0; f < dataset->num_features; f++) {
      float *column = dataset->values + f, low = INFINITY, high = -INFINITY;
      for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++) {
        low = fminf(low, column[j * dataset->num_features]);
        high = fmaxf(high, column[j * dataset->num_features]);
      }
      for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++)
        column[j * dataset->num_features] = high > low ? (column[j * dataset->num_features] - low) / (high - low) : 0;
    }
}

/* If features are normalised already, trees on normalised and on raw values would be the same. */
UNIT_TEST_IN(context, the_default_grows_no_trees_twice)
{
  static const char *const average[2] = {"selection.average", "1"};
  DORM__OWNED(dorm_dataset) *dataset = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  scale_within_queries(dataset);
  CU_ASSERT_STRING_EQUAL(text_by_default(context, dataset, average, "trees.raw_values"), "yes");
  float *last = &dataset->values[(dataset->num_docs - 1) * dataset->num_features], kept = *last;
  const float others[] = {-1e-3F, 1.001F};
  for (size_t i = 0; i < 2; i++) {
    *last = others[i];
    CU_ASSERT_STRING_EQUAL(text_by_default(context, dataset, average, "trees.raw_values"), "no, yes");
  }
  *last = kept;
  CU_ASSERT_STRING_EQUAL(text_by_default(context, dataset, average, "trees.raw_values"), "yes");
}

/* Trains with the default and small trees under a budget. */
static dorm_training *train_within(dorm_context *context, const dorm_dataset *dataset, const char *budget,
                                   const char *threads)
{
  const char *const pairs[] = {TRAINING_SMALL_DEFAULT, "training.budget", budget, "solver.threads", threads, NULL};
  return training_run(context, pairs, DORM_OK, dataset, NULL);
}

/* If the budget is too short for all queries and folds, 100 drawn queries train in one fold of five. */
UNIT_TEST_IN(context, a_short_budget_leaves_a_model_of_fewer_queries)
{
  DORM__OWNED(dorm_dataset) *dataset = training_artificial_data(context, 1, 150);
  DORM__OWNED(dorm_training) *training = train_within(context, dataset, "1e-4", "1");
  CU_ASSERT_EQUAL(dorm_training_num_folds(training), 1);
  CU_ASSERT_EQUAL(dorm_training_num_training_queries(training), 80);
  CU_ASSERT_PTR_NOT_NULL(dorm_training_model(training));
  CU_ASSERT_TRUE(isnan(dorm_training_estimate(training, NULL)));
}

/* A budget that is not reached changes nothing, on any number of threads. */
UNIT_TEST_IN(context, a_long_budget_changes_nothing)
{
  DORM__OWNED(dorm_dataset) *dataset = training_artificial_data(context, 2, 30);
  DORM__OWNED(dorm_training) *whole = train_within(context, dataset, "0", "1");
  static const char *const others[][2] = {{"1e6", "1"}, {"0", "2"}, {"1e6", "2"}, {"0", "3"}, {"1e6", "3"}};
  CU_ASSERT_EQUAL(dorm_training_num_folds(whole), 5);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    DORM__OWNED(dorm_training) *other = train_within(context, dataset, others[i][0], others[i][1]);
    CU_ASSERT_EQUAL(training_difference(context, whole, other, dataset), 0);
  }
}
