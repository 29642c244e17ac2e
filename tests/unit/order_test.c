/*
 * order_test.c: training.increasing and training.decreasing: scores of many random documents, each with one of these
 * features moved, for every trainer that keeps to them, and for trees of each objective.
 */
#include "tests/unit/training_cases.h"

enum { WIDTH = 3, PAIRS = 100000 };

/* A step at .5: up, but down where `other` is below .25. A tree that splits at the step first has leaves below it that
 * violate the order of their sides. */
static double step_of(float value, float other)
{
  if (value < 0.5F)
    return other < 0.25F ? 2 : 0;
  return other < 0.25F ? 1 : 2;
}

/* Labels rise with feature 1 and fall with feature 2, but not where feature 3 is small. */
static dorm_dataset *bent_data(dorm_context *context, dorm__random *random)
{
  enum { QUERIES = 30, DOCS = 20 };
  static float values[QUERIES * DOCS * WIDTH];
  static double labels[QUERIES * DOCS];
  size_t start[QUERIES + 1] = {0};
  for (size_t j = 0; j < QUERIES * DOCS; j++) {
    float *row = values + j * WIDTH;
    for (size_t f = 0; f < WIDTH; f++)
      row[f] = dorm__random_below(random, 10) ? (float)dorm__random_uniform(random) : NAN;
    labels[j] = step_of(row[0], row[2]) + step_of(1 - row[1], row[2]);
    start[j / DOCS + 1] = j + 1;
  }
  return unit_dataset(context, QUERIES, start, WIDTH, labels, values);
}

/* Documents 2 i and 2 i + 1 differ in feature `moved` alone, which is larger in the second. */
static dorm_dataset *pairs_of(dorm_context *context, dorm__random *random, size_t moved)
{
  static float values[2 * PAIRS * WIDTH];
  static double labels[2 * PAIRS];
  static size_t start[PAIRS + 1];
  for (size_t i = 0; i < PAIRS; i++) {
    float *low = values + 2 * i * WIDTH, *high = low + WIDTH;
    for (size_t f = 0; f < WIDTH; f++)
      low[f] = high[f] = dorm__random_below(random, 10) ? (float)(1.2 * dorm__random_uniform(random) - 0.1) : NAN;
    float one = (float)dorm__random_uniform(random), other = (float)dorm__random_uniform(random);
    low[moved] = fminf(one, other);
    high[moved] = fmaxf(one, other);
    start[i + 1] = 2 * i + 2;
  }
  return unit_dataset(context, PAIRS, start, WIDTH, labels, values);
}

/* How many pairs are in the wrong order, for a sign of 1 the falling ones. */
static size_t count_wrong(dorm_context *context, const dorm_training *training, const dorm_dataset *pairs, double sign)
{
  DORM__FREED double *scores = dorm__alloc(pairs->num_docs, sizeof *scores);
  size_t count = 0;
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(training), pairs, 1, scores));
  for (size_t i = 0; i < PAIRS; i++)
    count += sign * (scores[2 * i + 1] - scores[2 * i]) < -1e-12;
  return count;
}

UNIT_TEST_DRAWN(context, random, scores_keep_to_the_order)
{
  static const char *const cases[][6] = {{"training.trainer", "auto"},
                                         {"training.trainer", "svm"},
                                         {"training.trainer", "trees", "trees.objective", "lambda"},
                                         {"training.trainer", "trees", "trees.objective", "ordinal"},
                                         {"training.trainer", "trees", "trees.objective", "regression"},
                                         {"training.trainer", "trees", "trees.start", "ridge"}};
  DORM__OWNED(dorm_dataset) *train = bent_data(context, random), *rising = pairs_of(context, random, 0);
  DORM__OWNED(dorm_dataset) *falling = pairs_of(context, random, 1);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int asked = 0; asked < 2; asked++) {
      const char **pairs =
          UNIT_PAIRS("data.normalisation", "none", "trees.trees", "30", "trees.leaves", "8", "trees.feature_share", "1",
                     "training.increasing", asked ? "1" : "", "training.decreasing", asked ? "2" : "",
                     "selection.folds", "2", cases[i][0], cases[i][1], cases[i][2], cases[i][3]);
      DORM__OWNED(dorm_training) *training = training_run(context, pairs, DORM_OK, train, NULL);
      size_t num_wrong = count_wrong(context, training, rising, 1) + count_wrong(context, training, falling, -1);
      CU_ASSERT_TRUE(asked ? num_wrong == 0 : i == 1 || num_wrong > PAIRS / 100);
    }
}

UNIT_TEST_IN(context, a_trainer_that_keeps_no_order_is_refused)
{
  static const char *const bad[][4] = {{"training.trainer", "net", "", ""},
                                       {"training.trainer", "smooth", "", ""},
                                       {"training.trainer", "adarank", "", ""},
                                       {"training.trainer", "trees", "trees.objective", "classification"}};
  DORM__OWNED(dorm_dataset) *train = training_random_data(context, unit_seed(), 10, 6, false);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *pairs[] = {"training.increasing",         "1",       bad[i][0], bad[i][1],
                           *bad[i][2] ? bad[i][2] : NULL, bad[i][3], NULL};
    DORM__OWNED(dorm_settings) *settings = training_settings(context, pairs);
    dorm_training *training = NULL;
    UNIT_BAD_USAGE(dorm_train(context, settings, train, NULL, &training), "training.increasing");
  }
}
