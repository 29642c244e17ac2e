/*
 * tree_training_test.c: what the trainer `trees` makes of its settings: candidates of lists against trainings of each
 * alone, and linear starts against the linear models that they are, in all ways from candidates to a model.
 */
#include "tests/unit/training_cases.h"

enum { QUERIES = 12, DOCS = 12, NUM_DOCS = QUERIES * DOCS };

/* Trains a few small trees with these pairs of key and value, ended by NULL. */
static dorm_training *train_trees(dorm_context *context, const char *const *pairs, const dorm_dataset *train,
                                  const dorm_dataset *validation)
{
  const char *const *common = UNIT_PAIRS("training.trainer", "trees", "trees.trees", "4", "trees.learning_rate", "0.3",
                                         "trees.min_docs_in_leaf", "2", "trees.leaves", "4");
  return training_run_lists(context, TRAINING_LISTS(common, pairs), DORM_OK, train, validation);
}

/* Checks that a training with these pairs is refused with this message. */
static void refuse_trees(dorm_context *context, const char *const *pairs, const dorm_dataset *train, const char *text)
{
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, UNIT_PAIRS("training.trainer", "trees"));
  dorm_training *training = NULL;
  for (; *pairs; pairs += 2)
    UNIT_OK(context, dorm_settings_set(context, settings, pairs[0], pairs[1]));
  UNIT_BAD_USAGE(dorm_train(context, settings, train, NULL, &training), text);
}

static double ndcg_of(dorm_context *context, const dorm_training *training, const dorm_dataset *dataset)
{
  DORM__FREED double *scores = unit_scores(context, dorm_training_model(training), dataset);
  return unit_evaluate(context, "ndcg@10", dataset, scores);
}

static void check_scores(dorm_context *context, const dorm_training *training, const dorm_dataset *dataset,
                         const double *expected, double tolerance)
{
  DORM__FREED double *scores = unit_scores(context, dorm_training_model(training), dataset);
  for (size_t j = 0; j < dataset->num_docs; j++)
    UNIT_CLOSE(scores[j], expected[j], tolerance);
}

/* Scores of the first ridge regression, divided by their spread within the training queries. */
static double *ridge_scores(dorm_context *context, const char *rank_block, const dorm_dataset *train,
                            const dorm_dataset *dataset)
{
  const char *const *pairs = UNIT_PAIRS("training.trainer", "ridge", "data.rank_block", rank_block);
  DORM__OWNED(dorm_training) *ridge = training_run(context, pairs, DORM_OK, train, NULL);
  DORM__FREED double *of_train = unit_scores(context, dorm_training_model(ridge), train);
  double *scores = unit_scores(context, dorm_training_model(ridge), dataset), spread = unit_spread(train, of_train);
  for (size_t j = 0; j < dataset->num_docs; j++)
    scores[j] /= spread;
  return scores;
}

/* The scores of all parts but the linear one. */
static void score_other_parts(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                              double *scores)
{
  dorm__feature_map map = model->map;
  memset(scores, 0, dataset->num_docs * sizeof *scores);
  for (size_t i = 0; i < model->num_parts; i++)
    if (model->parts[i].kind != &dorm__linear_part)
      UNIT_OK(context, model->parts[i].kind->score(context, model->parts[i].state, &map, dataset, 1,
                                                   model->parts[i].weight, scores));
}

/* ---- Lists ---------------------------------------------------------------------------------- */

/* A candidate of a list, and the settings that make it alone. */
typedef struct alone {
  const char *text;
  const char *pairs[8];
} alone;

/* Without validation data the model is the mean of all candidates, each divided by the spread of its scores; trained
 * alone, each is the whole model. With folds the model is the same, since all candidates are chosen. */
static void compare_with_each_alone(const char *const *list, size_t count, const alone *each)
{
  double mean[NUM_DOCS] = {0};
  DORM__OWNED(dorm_context) *context = unit_context();
  DORM__OWNED(dorm_dataset) *dataset = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  DORM__OWNED(dorm_training) *training = train_trees(context, list, dataset, NULL);
  CU_ASSERT_EQUAL_FATAL(dorm_training_num_candidates(training), count);
  for (size_t i = 0; i < count; i++) {
    CU_ASSERT_STRING_EQUAL(dorm_training_candidate(training, i)->reference, each[i].text);
    DORM__OWNED(dorm_training) *one = train_trees(context, each[i].pairs, dataset, NULL);
    CU_ASSERT_EQUAL(dorm_training_num_candidates(one), 1);
    DORM__FREED double *scores = unit_scores(context, dorm_training_model(one), dataset);
    double spread = unit_spread(dataset, scores);
    UNIT_CLOSE(dorm_training_candidate(training, i)->score_scale, spread, 1e-12);
    dorm__add_scaled(NUM_DOCS, 1 / spread / (double)count, scores, mean);
  }
  check_scores(context, training, dataset, mean, 1e-12);
}

UNIT_TEST(each_function_of_a_list_makes_candidates)
{
  const char *const *list = UNIT_PAIRS("trees.leaves", "3, 5", "trees.objective", "lambda, regression, dorm",
                                       "training.lambda", "ranknet:sigma=2 | ranknet-weight-pairs of map");
#define LAMBDA(leaves, function)                                                                                       \
  {                                                                                                                    \
    "trees.leaves", leaves, "trees.objective", "lambda", "training.lambda", function                                   \
  }
  static const alone each[] = {{"lambda:leaves=3,lambda=1", LAMBDA("3", "ranknet:sigma=2")},
                               {"lambda:leaves=5,lambda=1", LAMBDA("5", "ranknet:sigma=2")},
                               {"lambda:leaves=3,lambda=2", LAMBDA("3", "ranknet-weight-pairs of map")},
                               {"lambda:leaves=5,lambda=2", LAMBDA("5", "ranknet-weight-pairs of map")},
                               {"regression:leaves=3", {"trees.leaves", "3", "trees.objective", "regression"}},
                               {"regression:leaves=5", {"trees.leaves", "5", "trees.objective", "regression"}},
                               {"dorm:leaves=3", LAMBDA("3", "dorm")},
                               {"dorm:leaves=5", LAMBDA("5", "dorm")}};
  compare_with_each_alone(list, sizeof each / sizeof *each, each);
}

/* In a mean of candidates the splits of each gain as many times as much as its scores count. */
UNIT_TEST_IN(context, importances_count_as_the_scores_do)
{
  static const char *const leaves[] = {"2", "8", "2, 8"};
  double gains[3][2 * TRAINING_WIDTH], scale[2];
  DORM__OWNED(dorm_dataset) *train = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  for (size_t i = 0; i < 3; i++) {
    DORM__OWNED(dorm_training) *training =
        train_trees(context, UNIT_PAIRS("trees.leaves", leaves[i], "data.rank_block", "0"), train, NULL);
    const dorm_model *model = dorm_training_model(training);
    size_t part = 0;
    while (!dorm_model_trees(model, part, gains[i], NULL))
      CU_ASSERT_FATAL(++part < 5);
    if (i < 2)
      scale[i] = dorm_training_candidate(training, 0)->score_scale;
  }
  for (size_t f = 0; f < TRAINING_WIDTH; f++)
    UNIT_CLOSE(gains[2][f], gains[0][f] + scale[0] / scale[1] * gains[1][f], 1e-9);
}

UNIT_TEST(each_start_of_a_list_makes_candidates)
{
  static const alone each[] = {
      {"dorm:leaves=4,start=none", {"trees.objective", "dorm"}},
      {"dorm:leaves=4,start=ridge", {"trees.objective", "dorm", "trees.start", "ridge"}},
      {"regression:leaves=4,start=none", {"trees.objective", "regression"}},
      {"regression:leaves=4,start=ridge", {"trees.objective", "regression", "trees.start", "ridge"}}};
  compare_with_each_alone(UNIT_PAIRS("trees.start", "none, ridge", "trees.objective", "dorm, regression"), 4, each);
}

/* Trees of different rank blocks see different rows, so that each block has a part of its own. */
UNIT_TEST(each_rank_block_makes_candidates)
{
  static const char *const leaves[] = {"3", "6"}, *const blocks[] = {"0", "0.5", "1"};
  alone each[6];
  for (size_t i = 0; i < 6; i++)
    each[i] = (alone){i % 2 ? "dorm:leaves=6" : "dorm:leaves=3",
                      {"trees.leaves", leaves[i % 2], "data.rank_block", blocks[i / 2]}};
  compare_with_each_alone(UNIT_PAIRS("data.rank_block", "0, 0.5, 1", "trees.leaves", "3, 6"), 6, each);
}

/* ---- Linear starts ----------------------------------------------------------------------------- */

/* A tree that moves scores by a millionth of its step leaves the linear model, whether that comes from a regression or
 * from a file. */
UNIT_TEST_IN(context, trees_without_effect_leave_the_linear_model)
{
  DORM__OWNED(dorm_dataset) *train = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  DORM__OWNED(dorm_dataset) *other = training_random_data(context, unit_seed() + 1, QUERIES, DOCS, false);
  DORM__OWNED(dorm_training) *linear = train_trees(context, UNIT_PAIRS("training.trainer", "ridge"), train, NULL);
  const char *word = unit_text("file:%s", unit_temporary_file(""));
  UNIT_OK(context, dorm_model_write(context, dorm_training_model(linear), word + strlen("file:")));
  DORM__FREED double *ridge = ridge_scores(context, "0", train, other);
  for (size_t i = 0; i < 2; i++) {
    const char *start = i ? word : "ridge";
    DORM__OWNED(dorm_training) *training = train_trees(
        context, UNIT_PAIRS("trees.start", start, "trees.trees", "1", "trees.learning_rate", "1e-6"), train, NULL);
    check_scores(context, training, other, ridge, 1e-4);
  }
}

/* Data with missing values, which means replace in the linear part and not in trees. */
static dorm_dataset *data_with_gaps(dorm_context *context, uint64_t offset)
{
  static double labels[NUM_DOCS];
  static float values[NUM_DOCS * 2];
  dorm__random random = unit_random(offset);
  for (size_t j = 0; j < NUM_DOCS; j++) {
    double x = dorm__random_normal(&random), y = dorm__random_normal(&random);
    labels[j] = x + (y > 0 ? 1 : 0) > 0.5;
    values[2 * j] = dorm__random_below(&random, 5) ? (float)x : NAN;
    values[2 * j + 1] = dorm__random_below(&random, 3) ? (float)y : NAN;
  }
  dorm_dataset *dataset = unit_even_dataset(context, QUERIES, DOCS, 2, labels, values);
  CU_ASSERT_TRUE(dataset->has_missing);
  return dataset;
}

/* A model has the scores of the linear model plus the scores of the trees, the candidate was measured with the same,
 * and a model that is written and read is the same. */
UNIT_TEST_IN(context, a_model_is_its_start_and_its_trees)
{
  const char *const *pairs = UNIT_PAIRS("trees.start", "ridge", "data.rank_block", "0.5");
  double trees[NUM_DOCS], largest = 0;
  DORM__OWNED(dorm_dataset) *train = data_with_gaps(context, 0), *other = data_with_gaps(context, 1);
  DORM__OWNED(dorm_training) *training = train_trees(context, pairs, train, other);
  DORM__FREED double *sum = ridge_scores(context, "0.5", train, other);
  score_other_parts(context, dorm_training_model(training), other, trees);
  for (size_t j = 0; j < NUM_DOCS; j++) {
    sum[j] += trees[j];
    largest = fmax(largest, fabs(trees[j]));
  }
  check_scores(context, training, other, sum, 1e-12);
  CU_ASSERT_TRUE(largest > 0.01);
  double mean_value = ndcg_of(context, training, other);
  CU_ASSERT_EQUAL(dorm_training_candidate(training, 0)->validation, mean_value);
  CU_ASSERT_EQUAL(dorm_training_validation(training), mean_value);
  unit_reads_back(context, dorm_training_model(training), other);
}

/* A retraining starts at the regression on all data. */
UNIT_TEST_IN(context, a_retraining_makes_the_start_anew)
{
  const char **pairs = UNIT_PAIRS("trees.start", "ridge", "trees.trees", "1", "selection.retrain", "yes");
  DORM__OWNED(dorm_dataset) *train = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  DORM__OWNED(dorm_dataset) *other = training_random_data(context, unit_seed() + 1, QUERIES, DOCS, false);
  dorm__query_of queries[2 * QUERIES];
  for (size_t q = 0; q < 2 * QUERIES; q++)
    queries[q] = (dorm__query_of){q < QUERIES ? train : other, q % QUERIES};
  DORM__OWNED(dorm_dataset) *whole = unit_gather(context, 2 * QUERIES, queries);
  DORM__OWNED(dorm_training) *of_both = train_trees(context, pairs, train, other);
  pairs[4] = NULL;
  DORM__OWNED(dorm_training) *of_whole = train_trees(context, pairs, whole, NULL);
  DORM__FREED double *wanted = unit_scores(context, dorm_training_model(of_whole), whole);
  check_scores(context, of_both, whole, wanted, 1e-12);
}

/* Labels are a linear function of four features, and a jump in a fifth where the first is large. */
static dorm_dataset *almost_linear_data(dorm_context *context, uint64_t offset)
{
  enum { MANY_QUERIES = 40, MANY_DOCS = 15, WIDTH = 5 };
  static double labels[MANY_QUERIES * MANY_DOCS];
  static float values[MANY_QUERIES * MANY_DOCS * WIDTH];
  static const double weights[WIDTH] = {2, -1.5, 1, -0.5, 0};
  dorm__random random = unit_random(offset);
  for (size_t j = 0; j < MANY_QUERIES * MANY_DOCS; j++) {
    float *x = values + j * WIDTH;
    double sum = 0;
    for (size_t f = 0; f < WIDTH; f++) {
      x[f] = (float)dorm__random_normal(&random);
      sum += weights[f] * (double)x[f];
    }
    sum += x[0] > 0 && x[4] > 0 ? 2 : 0;
    labels[j] = sum > 4 ? 3 : sum > 2 ? 2 : sum > 0 ? 1 : 0;
  }
  return unit_even_dataset(context, MANY_QUERIES, MANY_DOCS, WIDTH, labels, values);
}

/* If a linear model explains most, few trees beside it rank better than it does, and than as many trees alone. */
UNIT_TEST_IN(context, a_linear_start_pays_where_labels_are_almost_linear)
{
  DORM__OWNED(dorm_dataset) *train = almost_linear_data(context, 0), *test = almost_linear_data(context, 1);
  static const char *const trainers[] = {"ridge", "trees", "trees"}, *const starts[] = {"none", "none", "ridge"};
  double values[3];
  for (size_t i = 0; i < 3; i++) {
    DORM__OWNED(dorm_training) *training =
        train_trees(context,
                    UNIT_PAIRS("training.trainer", trainers[i], "trees.trees", "40", "trees.learning_rate", "0.1",
                               "trees.start", starts[i]),
                    train, NULL);
    values[i] = ndcg_of(context, training, test);
  }
  CU_ASSERT_TRUE(values[2] > values[0]);
  CU_ASSERT_TRUE(values[2] > values[1]);
}

/* ---- Raw values ------------------------------------------------------------------------------- */

/* Trees on raw values equal trees on data that are not normalised, in memory and in a file, with ranks and without;
 * only without ranks can they be exported. */
UNIT_TEST_IN(context, trees_on_raw_values_look_at_no_normalisation)
{
  DORM__OWNED(dorm_dataset) *train = data_with_gaps(context, 0), *validation = data_with_gaps(context, 1);
  static const char *const rank_blocks[] = {"0", "0.5"};
  for (size_t i = 0; i < 2; i++) {
    const char *pairs[] = {
        "data.rank_block", rank_blocks[i], "trees.raw_values", "yes", "data.normalisation", "none", NULL};
    DORM__OWNED(dorm_training) *none = train_trees(context, pairs, train, validation);
    pairs[5] = "zscore";
    DORM__OWNED(dorm_training) *raw = train_trees(context, pairs, train, validation);
    pairs[3] = "no";
    DORM__OWNED(dorm_training) *normalised = train_trees(context, pairs, train, validation);
    CU_ASSERT_EQUAL(training_difference(context, none, raw, validation), 0);
    CU_ASSERT_TRUE(training_difference(context, normalised, raw, validation) > 1e-6);
    CU_ASSERT_TRUE(i == 1 || !dorm_model_needs_query(dorm_training_model(raw)));
    CU_ASSERT_TRUE(dorm_model_needs_query(dorm_training_model(normalised)));
    CU_ASSERT_TRUE(i == 1 || dorm_model_check_export(context, dorm_training_model(raw)) == DORM_OK);
    unit_reads_back(context, dorm_training_model(raw), validation);
  }
}

/* ---- Categories ------------------------------------------------------------------------------- */

enum { VALUES = 200, MANY = 60, LONG = 50 };

/* Feature 1 is one of VALUES categories, half of which are relevant; feature 2 is random. Of validation data, one in
 * ten documents has a category that the training data lack. */
static dorm_dataset *data_of_categories(dorm_context *context, uint64_t offset, bool has_unseen)
{
  static double labels[MANY * LONG];
  static float values[2 * MANY * LONG];
  dorm__random random = unit_random(offset);
  for (size_t j = 0; j < MANY * LONG; j++) {
    size_t category = has_unseen && j % 10 == 0 ? VALUES : dorm__random_below(&random, VALUES);
    labels[j] = (double)(category * category % 7 % 2);
    values[2 * j] = (float)(category * 37 % 1009) - 100;
    values[2 * j + 1] = (float)dorm__random_normal(&random);
  }
  return unit_even_dataset(context, MANY, LONG, 2, labels, values);
}

/* One split divides the relevant categories from the others, whatever the normalisation. */
UNIT_TEST_IN(context, categories_that_decide_are_found_in_one_split)
{
  static const char *const normalisations[] = {"minmax", "global-zscore", "none"};
  DORM__OWNED(dorm_dataset) *train = data_of_categories(context, 0, false);
  for (size_t i = 0; i < 6; i++) {
    const char *const *pairs = UNIT_PAIRS("trees.trees", "1", "trees.leaves", "2", "trees.row_share", "1",
                                          "trees.feature_share", "1", "data.normalisation", normalisations[i / 2],
                                          "trees.objective", i % 2 ? "regression" : "dorm", "data.categorical", "1");
    dorm__model_trees trees;
    DORM__OWNED(dorm_training) *training = train_trees(context, pairs, train, NULL);
    const dorm_model *model = dorm_training_model(training);
    CU_ASSERT_FATAL(dorm__model_trees_at(model, 0, &trees) && trees.ensemble->num_trees == 1);
    const dorm__tree *tree = trees.ensemble->trees;
    size_t count, num_right = 0;
    const float *set = dorm__tree_set(tree, tree->nodes, &count);
    CU_ASSERT_PTR_NOT_NULL_FATAL(set);
    bool is_relevant = tree->values[1] > tree->values[2];
    for (size_t c = 0; c < VALUES; c++) {
      bool is_in = dorm__tree_side(tree, tree->nodes, (float)(c * 37 % 1009) - 100) == 0;
      num_right += is_in == ((c * c % 7 % 2 == 1) == is_relevant);
    }
    CU_ASSERT_EQUAL(num_right, VALUES);
    CU_ASSERT_EQUAL(ndcg_of(context, training, train), 1);
    unit_reads_back(context, model, train);
  }
}

/* Training scores rows by bins as the model does, also rows of categories that the training data lack. */
UNIT_TEST_IN(context, categories_score_as_in_training)
{
  DORM__OWNED(dorm_dataset) *train = data_of_categories(context, 0, false);
  DORM__OWNED(dorm_dataset) *validation = data_of_categories(context, 1, true);
  const char **pairs = UNIT_PAIRS("trees.trees", "20", "data.rank_block", "0.5", "data.normalisation", "zscore",
                                  "trees.bins", "120", "data.categorical", "1", NULL, NULL);
  DORM__OWNED(dorm_training) *training = train_trees(context, pairs, train, validation);
  double value = ndcg_of(context, training, validation);
  CU_ASSERT_EQUAL(dorm_training_candidate(training, 0)->validation, value);
  unit_reads_back(context, dorm_training_model(training), validation);
  pairs[8] = "trees.leaves";
  pairs[9] = "4";
  DORM__OWNED(dorm_training) *numbers = train_trees(context, pairs, train, validation);
  CU_ASSERT(ndcg_of(context, numbers, validation) < value - 0.05);
  const char *path = unit_temporary_file("");
  UNIT_OK(context, dorm_model_write(context, dorm_training_model(training), path));
  pairs[8] = "data.from";
  pairs[9] = path;
  DORM__OWNED(dorm_training) *more = train_trees(context, pairs, train, validation);
  CU_ASSERT_STRING_EQUAL(dorm_model_setting(dorm_training_model(more), "data.categorical"), "1");
  CU_ASSERT_EQUAL(dorm_training_candidate(more, 0)->validation, ndcg_of(context, more, validation));
  pairs[10] = "data.categorical";
  pairs[11] = "2";
  refuse_trees(context, pairs, train, "the model has other categories");
}

/* A feature in training.increasing is a number. */
UNIT_TEST_IN(context, ordered_features_have_no_categories)
{
  DORM__OWNED(dorm_dataset) *train = data_of_categories(context, 0, false);
  const char *pairs[] = {"training.increasing", "1", "data.categorical", "1", NULL};
  DORM__OWNED(dorm_training) *both = train_trees(context, pairs, train, NULL);
  pairs[2] = NULL;
  DORM__OWNED(dorm_training) *ordered = train_trees(context, pairs, train, NULL);
  CU_ASSERT_EQUAL(ndcg_of(context, both, train), ndcg_of(context, ordered, train));
}

/* ---- Refusals -------------------------------------------------------------------------------- */

/* Functions are opened before the first candidate is made, and starts are looked at before anything is. */
UNIT_TEST_IN(context, settings_that_contradict_are_refused)
{
  static const struct {
    const char *pairs[10], *message;
  } bad[] = {
      {{"trees.objective", "dorm, lambda", "training.lambda", "softmax|rank"},
       "training.lambda = rank: unknown lambda-function 'rank'"},
      {{"selection.measure", "map", "trees.objective", "dorm"},
       "trees.objective = dorm (lambda takes any measure): this lambda-function needs a measure that is a sum"},
      {{"trees.start", "none, ridge", "trees.objective", "dorm, ordinal"},
       "trees.start = ridge: the score of trees.objective = ordinal is no sum over trees"},
      {{"training.trainer", "svm, trees", "trees.start", "ridge", "trees.objective", "classification"},
       "the score of trees.objective = classification is no sum"},
  };
  DORM__OWNED(dorm_dataset) *dataset = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    refuse_trees(context, bad[i].pairs, dataset, bad[i].message);
}
