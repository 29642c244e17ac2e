/*
 * estimate_test.c: what a cross-validation says that new queries will show (training/folds.c), against trainings of
 * each fold alone.
 */
#include "tests/unit/training_cases.h"

enum { QUERIES = 12, DOCS = 12, NUM_DOCS = QUERIES * DOCS, FOLDS = 4 };

/* Trains a few small trees with these pairs of key and value, ended by NULL. */
static dorm_training *train_trees(dorm_context *context, const char *const *pairs, const dorm_dataset *train,
                                  const dorm_dataset *validation)
{
  static const char *const common[] = {
      "training.trainer", "trees", "trees.trees", "4", "trees.learning_rate", "0.3", "trees.min_docs_in_leaf", "2",
      "trees.leaves",     "4",     NULL};
  return training_run_lists(context, TRAINING_LISTS(common, pairs), DORM_OK, train, validation);
}

/* A data set of the queries of a fold, of the queries of all other folds, or of half of these. */
typedef enum part { HELD_OUT, OTHERS, HALF } part;

static dorm_dataset *part_of(dorm_context *context, const dorm_dataset *whole, const size_t *places, size_t fold,
                             part which)
{
  dorm__query_of queries[QUERIES];
  size_t count = 0;
  dorm_dataset *made = NULL;
  for (size_t q = 0; q < whole->num_queries; q++) {
    bool is_held_out = places[q] % FOLDS == fold;
    if (which == HELD_OUT ? is_held_out : !is_held_out && (which == OTHERS || places[q] / FOLDS % 2))
      queries[count++] = (dorm__query_of){whole, q};
  }
  UNIT_OK(context, dorm__dataset_gather_shards(context, "part", whole, NULL, count, queries, &made));
  return made;
}

/* The value on the held-out queries of trees that learned from a part. */
static double value_of(dorm_context *context, const dorm_dataset *whole, const size_t *places, size_t fold, part which)
{
  static const char *const pairs[] = {"data.rank_block", "0", NULL};
  DORM__OWNED(dorm_dataset) *train = part_of(context, whole, places, fold, which);
  DORM__OWNED(dorm_dataset) *held_out = part_of(context, whole, places, fold, HELD_OUT);
  DORM__OWNED(dorm_training) *training = train_trees(context, pairs, train, held_out);
  return dorm_training_candidate(training, 0)->validation;
}

/* If there is nothing to choose, the estimate is the value of the only candidate in the folds, and a fifth of what this
 * value is above the value of trees that learned from half of the queries. */
UNIT_TEST_IN(context, the_estimate_of_one_candidate_follows_its_curve)
{
  static const char *const pairs[] = {"selection.folds", "4", "data.rank_block", "0", NULL};
  DORM__OWNED(dorm_dataset) *dataset = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  dorm_training *training = train_trees(context, pairs, dataset, NULL);
  size_t places[QUERIES];
  double value = 0, half = 0, error = 0;
  dorm__random random;
  dorm__random_seed(&random, 1);
  dorm__random_permutation(&random, QUERIES, places);
  for (size_t fold = 0; fold < FOLDS; fold++) {
    value += value_of(context, dataset, places, fold, OTHERS) / FOLDS;
    half += value_of(context, dataset, places, fold, HALF) / FOLDS;
  }
  CU_ASSERT_EQUAL_FATAL(dorm_training_num_candidates(training), 1);
  UNIT_CLOSE(dorm_training_candidate(training, 0)->validation, value, 1e-12);
  UNIT_CLOSE(dorm_training_estimate(training, &error), value + (value - half) / 5, 1e-12);
  CU_ASSERT_NOT_EQUAL(value, half);
  CU_ASSERT_TRUE(error > fabs(value - half) / 5);
  dorm_training_free(training);
  training = training_run(context, (const char *const[]){"solver.C", "1", NULL}, DORM_OK, dataset, dataset);
  CU_ASSERT_TRUE(isnan(dorm_training_estimate(training, NULL)));
  dorm_training_free(training);
}

/* Many queries need no correction. */
UNIT_TEST_IN(context, the_estimate_of_many_queries_is_the_value_in_the_folds)
{
  static const char *const pairs[] = {"selection.folds", "2", "data.rank_block", "0", NULL};
  enum { MANY = 300 };
  DORM__OWNED(dorm_dataset) *dataset = training_artificial_data(context, unit_seed(), MANY);
  DORM__OWNED(dorm_training) *training = train_trees(context, pairs, dataset, NULL);
  double error = 0;
  UNIT_CLOSE(dorm_training_estimate(training, &error), dorm_training_candidate(training, 0)->validation, 1e-12);
  UNIT_CLOSE(error, dorm_training_candidate(training, 0)->validation_error, 1e-9);
}

/* Of candidates that have learned nothing, the best is worth no more than chance on new queries; its value in the folds
 * is above, and the estimate is not. */
UNIT_TEST_IN(context, the_estimate_is_not_too_high_for_having_been_chosen)
{
  enum { DRAWS = 60 };
  const char *const *pairs =
      UNIT_PAIRS("selection.folds", "3", "data.rank_block", "0", "trees.leaves", "2, 3, 4, 6", "trees.row_share",
                 "0.5, 0.8", "trees.feature_share", "0.3, 1", "selection.average", "1");
  double best = 0, estimate = 0, chance = 0;
  for (size_t d = 0; d < DRAWS; d++) {
    DORM__OWNED(dorm_dataset) *dataset = training_random_data(context, unit_seed() + d, QUERIES, DOCS, false);
    dorm__random random = unit_random(d);
    for (size_t j = 0; j < dataset->num_docs; j++)
      dataset->labels[j] = (double)dorm__random_below(&random, 3);
    DORM__OWNED(dorm_training) *training = train_trees(context, pairs, dataset, NULL);
    double own = 0;
    for (size_t i = 0; i < dorm_training_num_candidates(training); i++)
      own = fmax(own, dorm_training_candidate(training, i)->validation);
    best += own / DRAWS;
    estimate += dorm_training_estimate(training, NULL) / DRAWS;
    static const double equal[NUM_DOCS];
    chance += unit_evaluate(context, "ndcg@10:ties=expected", dataset, equal) / DRAWS;
  }
  CU_ASSERT_TRUE(best > chance + 0.02);
  CU_ASSERT_TRUE(fabs(estimate - chance) < 0.03);
}

/* The best value of a column or its negative, and the id of its feature. */
static double best_column(dorm_context *context, const dorm_dataset *dataset, const char *measure, size_t *feature)
{
  double best = -1, scores[NUM_DOCS];
  for (size_t f = 0; f < dataset->num_features; f++)
    for (int sign = 1; sign >= -1; sign -= 2) {
      for (size_t j = 0; j < dataset->num_docs; j++)
        scores[j] = sign * (double)dorm_dataset_value(dataset, j, f);
      double mean_value = unit_evaluate(context, measure, dataset, scores);
      if (mean_value > best) {
        best = mean_value;
        *feature = dorm_dataset_feature_id(dataset, f);
      }
    }
  return best;
}

/* With the share 0 for trees the model has the linear candidates alone, with the share 1 the trees alone. */
UNIT_TEST_IN(context, an_estimate_has_values_to_compare_it_with)
{
  const char **pairs =
      UNIT_PAIRS("training.trainer", "svm, trees", "selection.folds", "3", "data.rank_block", "0", "solver.C", "1, 10",
                 "selection.blend", "0", "trees.leaves", "3", "data.normalisation", "minmax", "trees.raw_values", "no");
  static const double equal[NUM_DOCS];
  DORM__OWNED(dorm_dataset) *dataset = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  dorm_training *training = train_trees(context, pairs, dataset, NULL);
  size_t expected = 0, feature = 0, none = 1;
  CU_ASSERT_DOUBLE_EQUAL(dorm_training_baseline(training, DORM_BASELINE_CHANCE, &none),
                         unit_evaluate(context, "ndcg@10:ties=expected", dataset, equal), 0.05);
  CU_ASSERT_EQUAL(none, 0);
  CU_ASSERT_EQUAL(dorm_training_baseline(training, DORM_BASELINE_FEATURE, &feature),
                  best_column(context, dataset, "ndcg@10", &expected));
  CU_ASSERT_EQUAL(feature, expected);
  CU_ASSERT_EQUAL(dorm_training_baseline(training, DORM_BASELINE_LINEAR, NULL), dorm_training_estimate(training, NULL));
  CU_ASSERT_TRUE(isnan(dorm_training_baseline(training, DORM_BASELINE_SERVING, NULL))); /* normalised values */
  CU_ASSERT_TRUE(isnan(dorm_training_baseline(training, (dorm_baseline)4, NULL)));
  dorm_training_free(training);
  pairs[15] = "no, yes"; /* trees on raw values score a document by itself, linear models and other trees do not */
  training = train_trees(context, pairs, dataset, NULL);
  double serving = dorm_training_baseline(training, DORM_BASELINE_SERVING, NULL);
  CU_ASSERT_NOT_EQUAL(serving, dorm_training_estimate(training, NULL));
  dorm_training_free(training);
  pairs[1] = "trees";
  pairs[15] = "yes";
  training = train_trees(context, pairs, dataset, NULL);
  CU_ASSERT_EQUAL(serving, dorm_training_estimate(training, NULL));
  dorm_training_free(training);
  static const char *const of_trees[] = {"selection.folds", "3", "data.rank_block", "0", "trees.leaves", "3", NULL};
  training = train_trees(context, of_trees, dataset, NULL);
  CU_ASSERT_TRUE(isnan(dorm_training_baseline(training, DORM_BASELINE_LINEAR, NULL)));
  CU_ASSERT_FALSE(isnan(dorm_training_baseline(training, DORM_BASELINE_CHANCE, NULL)));
  dorm_training_free(training);
}
