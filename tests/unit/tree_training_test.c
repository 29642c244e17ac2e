/*
 * tree_training_test.c: what the trainer `trees` makes of its settings: candidates of several λ-functions against
 * trainings of each alone.
 */
#include "tests/unit/training_cases.h"
#include "tests/unit/unit.h"

#include "base/base.h"
#include "base/linalg.h"
#include "training/candidates.h"
#include "training/sink.h"
#include "training/training.h"

#include <math.h>
#include <string.h>

#ifdef HAVE_XGBOOST

enum { QUERIES = 12, DOCS = 12, NUM_DOCS = QUERIES * DOCS, MOST_TEXTS = 30 };

/* Trains a few small trees with these pairs of key and value, ended by NULL. */
static dorm_training *train_trees(dorm_context *context, const char *const *pairs, const dorm_dataset *train,
                                  const dorm_dataset *validation)
{
  static const char *const common[] = {"training.trainer", "trees", "trees.trees",           "4",
                                       "trees.shrinkage",  "0.3",   "trees.least_documents", "2"};
  enum { NUM_COMMON = sizeof common / sizeof *common };
  const char *all[MOST_TEXTS] = {NULL};
  memcpy(all, common, sizeof common);
  for (size_t i = 0; pairs[i]; i++) {
    CU_ASSERT_FATAL(NUM_COMMON + i + 1 < MOST_TEXTS);
    all[NUM_COMMON + i] = pairs[i];
  }
  return training_run(context, all, DORM_OK, train, validation);
}

static void score(dorm_context *context, const dorm_training *training, const dorm_dataset *dataset, double *scores)
{
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(training), dataset, 1, scores));
}

/* Without validation data the model is the mean of all candidates, each divided by the spread of its scores; trained
 * alone, each is the whole model. */
static void each_function_of_a_list_makes_candidates(void)
{
  static const char *const list[] = {"trees.leaves",
                                     "3, 5",
                                     "trees.objective",
                                     "lambda, regression, dorm",
                                     "trees.lambda",
                                     "ranknet:sigma=2 | ranknet-weight-pairs of map",
                                     NULL};
  static const struct {
    const char *text, *objective, *lambda;
  } alone[] = {{"lambda:leaves=%d,shrinkage=0.3,lambda=1", "lambda", "ranknet:sigma=2"},
               {"lambda:leaves=%d,shrinkage=0.3,lambda=2", "lambda", "ranknet-weight-pairs of map"},
               {"regression:leaves=%d,shrinkage=0.3", "regression", "softmax"},
               {"dorm:leaves=%d,shrinkage=0.3", "lambda", "dorm"}};
  enum { NUM_ALONE = sizeof alone / sizeof *alone, NUM_LEAVES = 2 };
  static double scores[NUM_DOCS], mean[NUM_DOCS], all[NUM_DOCS];
  dorm_context *context = unit_context();
  dorm_dataset *dataset = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  dorm_training *training = train_trees(context, list, dataset, NULL);
  CU_ASSERT_EQUAL_FATAL(dorm_training_num_candidates(training), NUM_ALONE * NUM_LEAVES);
  memset(mean, 0, sizeof mean);
  for (size_t i = 0; i < NUM_ALONE * NUM_LEAVES; i++) {
    const char *leaves = i % NUM_LEAVES ? "5" : "3";
    const char *pairs[] = {"trees.leaves",      leaves, "trees.objective", alone[i / 2].objective, "trees.lambda",
                           alone[i / 2].lambda, NULL};
    char text[100];
    snprintf(text, sizeof text, alone[i / NUM_LEAVES].text, i % NUM_LEAVES ? 5 : 3);
    CU_ASSERT_STRING_EQUAL(dorm_training_candidate(training, i)->reference, text);
    dorm_training *one = train_trees(context, pairs, dataset, NULL);
    CU_ASSERT_EQUAL(dorm_training_num_candidates(one), 1);
    score(context, one, dataset, scores);
    dorm__add_scaled(NUM_DOCS, 1 / dorm__spread_within_queries(dataset, scores, 1) / (NUM_ALONE * NUM_LEAVES), scores,
                     mean);
    dorm_training_free(one);
  }
  score(context, training, dataset, all);
  for (size_t j = 0; j < NUM_DOCS; j++)
    CU_ASSERT_TRUE(unit_close(all[j], mean[j], 1e-12));
  dorm_training_free(training);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

/* All functions are opened before the first candidate is made. */
static void a_function_that_does_not_exist_is_named(void)
{
  static const char *const pairs[] = {"training.trainer",  "trees",        "trees.objective",
                                      "dorm, lambda",      "trees.lambda", "softmax|rank",
                                      "selection.measure", "map",          NULL};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  dorm_settings *settings = training_settings(context, pairs);
  dorm_training *training = NULL;
  UNIT_FAILS(context, dorm_train(context, settings, dataset, NULL, &training), DORM_BAD_USAGE,
             "trees.objective = dorm (lambda takes any measure): this lambda-function needs a measure that is a sum");
  UNIT_OK(context, dorm_settings_set(context, settings, "selection.measure", "ndcg@5"));
  UNIT_FAILS(context, dorm_train(context, settings, dataset, NULL, &training), DORM_BAD_USAGE,
             "trees.lambda = rank: unknown lambda-function 'rank'");
  dorm_settings_free(settings);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

#endif

static const unit_test tests[] = {
#ifdef HAVE_XGBOOST
    {"each function of a list makes candidates", each_function_of_a_list_makes_candidates},
    {"a function that does not exist is named", a_function_that_does_not_exist_is_named},
#endif
    {NULL, NULL},
};

const unit_suite tree_training_suite = {"tree_training", tests};
