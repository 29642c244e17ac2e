/*
 * checkpoints_test.c: training that is cancelled leaves what there is, and
 * resumed it ends at the same model.
 */
#include "tests/unit/training_cases.h"
#include "tests/unit/unit.h"

#include "base/file.h"
#include "models/models.h"

#include <string.h>

static int cancel_after(void *user)
{
  int *left = user;
  return --*left < 0;
}

UNIT_TEST_IN(context, cancelling_keeps_what_there_is)
{
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 30);
  DORM__OWNED(dorm_settings) *settings = unit_settings(context, NULL, 0);
  int left = 7;
  dorm_context_set_cancel(context, cancel_after, &left);
  dorm_training *training = NULL;
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_STOPPED, "stopped on request");
  CU_ASSERT_PTR_NOT_NULL_FATAL(training);
  CU_ASSERT_TRUE(dorm_training_num_candidates(training) < 21);
  CU_ASSERT_PTR_NOT_NULL(dorm_training_model(training));
  dorm_training_free(training);

  dorm_context_set_cancel(context, NULL, NULL);
  UNIT_OK(context, dorm_settings_set(context, settings, "solver.max_iterations", "1"));
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_STOPPED, "solver.max_iterations = 1");
  CU_ASSERT_PTR_NOT_NULL(training);
  dorm_training_free(training);
}

/* Stopped after any number of passes, in any fold or retraining, and resumed: the
 * same bits as in one go. */
UNIT_TEST_IN(context, resuming_ends_at_the_same_model)
{
  static const char *const common[][2] = {{"solver.C", "1, 30"},
                                          {"ranking.reference", "mu:0.3, ideal"},
                                          {"ranking.position_weights", "power:0.5"},
                                          {"ranking.rounds", "2"},
                                          {"solver.gap", "1e-4"},
                                          {"output.checkpoint", "unit-checkpoint"},
                                          {"output.checkpoint_seconds", "0"},
                                          {"output.resume", "yes"}};
  static const char *const variants[][2] = {{"selection.average", "2"},
                                            {"selection.folds", "3"},
                                            {"selection.retrain", "yes"},
                                            {"ranking.position_functions", "2"}};
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 20);
  DORM__OWNED(dorm_dataset) *validation = training_artificial_data(context, 2, 10);
  for (size_t variant = 0; variant < sizeof variants / sizeof *variants; variant++) {
    const dorm_dataset *other = variant == 1 ? NULL : validation;
    DORM__OWNED(dorm_settings) *settings = unit_settings(context, common, sizeof common / sizeof *common);
    UNIT_OK(context, dorm_settings_set(context, settings, variants[variant][0], variants[variant][1]));
    unlink("unit-checkpoint");
    DORM__OWNED(dorm_training) *whole = NULL;
    dorm_training *resumed = NULL;
    dorm_context_set_cancel(context, NULL, NULL);
    UNIT_OK(context, dorm_train(context, settings, train, other, &whole));
    CU_ASSERT_NOT_EQUAL(access("unit-checkpoint", F_OK), 0); /* done: gone */
    int attempts = 0, left = 0;
    dorm_status status = DORM_STOPPED;
    while (status == DORM_STOPPED && attempts < 1000) {
      dorm_training_free(resumed);
      left = 3 + attempts % 40;
      attempts++;
      dorm_context_set_cancel(context, cancel_after, &left);
      status = dorm_train(context, settings, train, other, &resumed);
    }
    UNIT_OK(context, status);
    CU_ASSERT_TRUE(attempts > 3);
    CU_ASSERT_PTR_NOT_NULL_FATAL(resumed);
    CU_ASSERT_EQUAL(dorm_training_num_candidates(resumed), dorm_training_num_candidates(whole));
    const dorm_model *one = dorm_training_model(whole), *two = dorm_training_model(resumed);
    double blocks[2];
    const double *weights[2] = {dorm__model_linear_weights(one, &blocks[0]),
                                dorm__model_linear_weights(two, &blocks[1])};
    CU_ASSERT_EQUAL_FATAL(blocks[0], blocks[1]);
    size_t width = blocks[0] > 0 ? 2 * one->map.num_ids : one->map.num_ids;
    CU_ASSERT_EQUAL(memcmp(weights[0], weights[1], width * sizeof(double)), 0);
    dorm_training_free(resumed);
  }
}

/* Trains the default on small trees in folds, with a checkpoint, after `left` questions whether to stop; 0: any number.
 */
static dorm_status train_in_folds(dorm_context *context, const dorm_dataset *train, const char *budget, int left,
                                  dorm_training **training)
{
  const char *const pairs[] = {TRAINING_SMALL_DEFAULT, "training.budget", budget, "output.checkpoint",
                               "unit-folds",           "output.resume",   "yes",  NULL};
  DORM__OWNED(dorm_settings) *settings = training_settings(context, pairs);
  int asked = left;
  dorm_training_free(*training);
  dorm_context_set_cancel(context, left ? cancel_after : NULL, &asked);
  dorm_status status = dorm_train(context, settings, train, NULL, training);
  dorm_context_set_cancel(context, NULL, NULL);
  return status;
}

static void compare_trainings(dorm_context *context, const dorm_training *one, const dorm_training *two,
                              const dorm_dataset *train)
{
  double errors[2];
  CU_ASSERT_EQUAL(training_difference(context, one, two, train), 0);
  CU_ASSERT_EQUAL(dorm_training_num_training_queries(one), dorm_training_num_training_queries(two));
  CU_ASSERT_EQUAL(dorm_training_estimate(one, &errors[0]), dorm_training_estimate(two, &errors[1]));
  CU_ASSERT_EQUAL(errors[0], errors[1]);
  CU_ASSERT_EQUAL_FATAL(dorm_training_num_candidates(one), dorm_training_num_candidates(two));
  for (size_t i = 0; i < dorm_training_num_candidates(one); i++)
    CU_ASSERT_EQUAL(dorm_training_candidate(one, i)->round, dorm_training_candidate(two, i)->round);
}

/* Folds of linear models and trees that are finished need not be trained again: a training that is stopped again and
 * again, or ends with its budget, ends at the same model. In one go twice as many questions are too few. */
UNIT_TEST_IN(context, finished_folds_with_trees_are_kept)
{
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 30);
  DORM__OWNED(dorm_training) *whole = NULL;
  DORM__OWNED(dorm_training) *resumed = NULL;
  unlink("unit-folds");
  UNIT_OK(context, train_in_folds(context, train, "0", 0, &whole));
  CU_ASSERT_NOT_EQUAL(access("unit-folds", F_OK), 0);
  CU_ASSERT_EQUAL(train_in_folds(context, train, "1e-9", 0, &resumed), DORM_STOPPED);
  CU_ASSERT_PTR_NOT_NULL(strstr(dorm_context_message(context), "stopped at training.budget = 1e-09"));
  CU_ASSERT_PTR_NOT_NULL(dorm_training_model(resumed));
  int left = 10, most = 0;
  while (train_in_folds(context, train, "1e6", most = left, &resumed) == DORM_STOPPED && left < 10000)
    left += access("unit-folds", F_OK) == 0 ? 1 : 10; /* one fold is finished; the others take about as long */
  CU_ASSERT_TRUE(most < 10000);
  compare_trainings(context, whole, resumed, train);
  CU_ASSERT_EQUAL(train_in_folds(context, train, "0", 2 * most, &resumed), DORM_STOPPED);
  DORM__FREED char *bytes = NULL;
  size_t size = 0;
  UNIT_OK(context, dorm__read_whole(context, "unit-folds", &bytes, &size));
  for (size_t trial = 0; trial < 20; trial++) { /* one byte changed */
    FILE *file = fopen("unit-folds", "wb");
    bytes[trial * (size - 1) / 19] ^= 16;
    fwrite(bytes, 1, size, file);
    fclose(file);
    bytes[trial * (size - 1) / 19] ^= 16;
    CU_ASSERT_EQUAL(train_in_folds(context, train, "0", 0, &resumed), DORM_BAD_DATA);
  }
  unlink("unit-folds");
}

UNIT_TEST_IN(context, bad_checkpoints_are_refused)
{
  static const char *const pairs[][2] = {{"solver.C", "1, 30"},
                                         {"solver.gap", "1e-4"},
                                         {"output.checkpoint", "unit-checkpoint"},
                                         {"output.checkpoint_seconds", "0"},
                                         {"output.resume", "yes"}};
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 20);
  DORM__OWNED(dorm_settings) *settings = unit_settings(context, pairs, sizeof pairs / sizeof *pairs);
  dorm_training *training = NULL;
  unlink("unit-checkpoint");
  int left = 12;
  dorm_context_set_cancel(context, cancel_after, &left);
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_STOPPED, "stopped");
  dorm_training_free(training);
  dorm_context_set_cancel(context, NULL, NULL);
  DORM__FREED char *bytes = NULL;
  size_t size = 0;
  UNIT_OK(context, dorm__read_whole(context, "unit-checkpoint", &bytes, &size));
  CU_ASSERT_TRUE_FATAL(size > 200);
  for (size_t trial = 0; trial < 60; trial++) { /* one byte changed, or the end cut off */
    FILE *file = fopen("unit-checkpoint", "wb");
    size_t at = trial * (size - 1) / 59;
    bytes[at] ^= 16;
    fwrite(bytes, 1, trial % 2 ? size : at, file);
    fclose(file);
    bytes[at] ^= 16;
    UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_BAD_DATA, "unit-checkpoint: ");
    CU_ASSERT_PTR_NULL(training);
  }
  FILE *file = fopen("unit-checkpoint", "wb");
  fwrite(bytes, 1, size, file);
  fclose(file);
  UNIT_OK(context, dorm_settings_set(context, settings, "solver.C", "2"));
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_BAD_DATA, "other settings");
  UNIT_OK(context, dorm_settings_set(context, settings, "output.checkpoint", ""));
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_BAD_USAGE, "output.checkpoint");
  unlink("unit-checkpoint");
}

/* Stops a training of two shards, which saves its checkpoint then. */
static void stop_early(dorm_context *context, dorm_settings *settings, const dorm_dataset *train, int questions)
{
  dorm_training *training = NULL;
  dorm_context_set_cancel(context, cancel_after, &questions);
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_STOPPED, "stopped");
  dorm_training_free(training);
  dorm_context_set_cancel(context, NULL, NULL);
}

static const char part_a[] = "unit-checkpoint.shard-1-of-2.a", part_b[] = "unit-checkpoint.shard-1-of-2.b";

static bool differ(dorm_context *context, const char *one, const char *two)
{
  char *bytes[2] = {NULL, NULL};
  size_t size[2] = {0, 0};
  UNIT_OK(context, dorm__read_whole(context, one, &bytes[0], &size[0]));
  UNIT_OK(context, dorm__read_whole(context, two, &bytes[1], &size[1]));
  bool result = size[0] != size[1] || memcmp(bytes[0], bytes[1], size[0]) != 0;
  dorm__free(bytes[0]);
  dorm__free(bytes[1]);
  return result;
}

/* Two jobs whose first saves are of different passes: the second spares the parts of the first, whose file could be the
 * valid one, and a part of the one does not go with the file of the other, though all else of them is equal. */
UNIT_TEST_IN(context, parts_of_two_saves_are_not_mixed)
{
  static const char *const pairs[][2] = {{"solver.C", "1, 30"},
                                         {"solver.gap", "1e-4"},
                                         {"solver.shards", "2"},
                                         {"output.checkpoint", "unit-checkpoint"},
                                         {"output.checkpoint_seconds", "3600"},
                                         {"output.resume", "overwrite"}};
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 20);
  DORM__OWNED(dorm_settings) *settings = unit_settings(context, pairs, sizeof pairs / sizeof *pairs);
  DORM__OWNED(dorm_training) *training = NULL;
  unlink("unit-checkpoint");
  unlink(part_a);
  stop_early(context, settings, train, 40);
  CU_ASSERT_NOT_EQUAL(access(part_a, F_OK), 0);
  CU_ASSERT_EQUAL_FATAL(rename(part_b, "unit-part"), 0);
  unlink("unit-checkpoint");
  stop_early(context, settings, train, 4); /* the first save of another job */
  CU_ASSERT_NOT_EQUAL(access(part_a, F_OK), 0);
  CU_ASSERT_TRUE(differ(context, part_b, "unit-part"));
  CU_ASSERT_EQUAL_FATAL(rename(part_b, "unit-part-kept"), 0);
  CU_ASSERT_EQUAL_FATAL(rename("unit-part", part_b), 0);
  UNIT_OK(context, dorm_settings_set(context, settings, "output.resume", "yes"));
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_BAD_DATA, "of another save");
  CU_ASSERT_EQUAL_FATAL(rename("unit-part-kept", part_b), 0);
  UNIT_OK(context, dorm_settings_set(context, settings, "output.resume", "overwrite"));
  stop_early(context, settings, train, 40); /* this one finds a checkpoint and takes the other ending */
  CU_ASSERT_EQUAL(access(part_a, F_OK), 0);
  CU_ASSERT_EQUAL(access(part_b, F_OK), 0);
  UNIT_OK(context, dorm_settings_set(context, settings, "output.resume", "yes"));
  UNIT_OK(context, dorm_train(context, settings, train, NULL, &training));
  CU_ASSERT_NOT_EQUAL(access("unit-checkpoint", F_OK), 0);
}

/* A start at which nothing is violated: the working set is still empty after the
 * first pass, in one go and resumed. */
static dorm_dataset *separable(dorm_context *context)
{
  enum { QUERIES_HERE = 30, DOCS_HERE = 6 };
  size_t start[QUERIES_HERE + 1] = {0};
  double labels[QUERIES_HERE * DOCS_HERE];
  float values[QUERIES_HERE * DOCS_HERE * 2];
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  for (size_t j = 0; j < QUERIES_HERE * DOCS_HERE; j++) {
    start[j / DOCS_HERE + 1] = j + 1;
    labels[j] = 1000 * (double)(j % DOCS_HERE);
    values[2 * j] = (float)(j % DOCS_HERE);
    values[2 * j + 1] = 0.001F * (float)dorm__random_normal(&random);
  }
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_from_arrays(context, QUERIES_HERE, start, 2, labels, values, &dataset));
  return dataset;
}

UNIT_TEST_IN(context, an_empty_working_set_resumes)
{
  static const char *const pairs[][2] = {{"loss.name", "ndcg:gain=linear"},
                                         {"ranking.reference", "ideal"},
                                         {"solver.C", "1"},
                                         {"solver.gap", "1e-6"},
                                         {"output.checkpoint", "unit-checkpoint"},
                                         {"output.checkpoint_seconds", "0"},
                                         {"output.resume", "yes"}};
  DORM__OWNED(dorm_dataset) *train = separable(context);
  DORM__OWNED(dorm_settings) *settings = unit_settings(context, pairs, sizeof pairs / sizeof *pairs);
  DORM__OWNED(dorm_training) *whole = NULL;
  dorm_training *resumed = NULL;
  unlink("unit-checkpoint");
  UNIT_OK(context, dorm_train(context, settings, train, NULL, &whole));
  dorm_status status = DORM_STOPPED;
  int attempts = 0;
  for (; status == DORM_STOPPED && attempts < 500; attempts++) {
    int left = 0; /* stop at the first question */
    dorm_training_free(resumed);
    dorm_context_set_cancel(context, cancel_after, &left);
    status = dorm_train(context, settings, train, NULL, &resumed);
  }
  UNIT_OK(context, status);
  CU_ASSERT_TRUE(attempts > 3);
  CU_ASSERT_PTR_NOT_NULL_FATAL(resumed);
  CU_ASSERT_EQUAL(memcmp(unit_weights(whole), unit_weights(resumed), 2 * sizeof(double)), 0);
  unlink("unit-checkpoint");
  dorm_training_free(resumed);
}

/* A stop among the folds, at any question, leaves the ridge start on all training data; while the first Gram matrix is
 * built, for the linear kernel. */
UNIT_TEST_IN(context, a_stop_among_folds_leaves_the_start)
{
  static const char *const folds[][2] = {
      {"selection.folds", "3"}, {"solver.C", "1, 10"}, {"data.rank_block", "0"}, {"solver.ridge", "0.2"}};
  static const char *const ridge[][2] = {
      {"training.trainer", "ridge"}, {"data.rank_block", "0"}, {"solver.ridge", "0.2"}};
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 30);
  dorm_settings *settings = unit_settings(context, ridge, sizeof ridge / sizeof *ridge);
  DORM__OWNED(dorm_training) *start = NULL;
  dorm_training *stopped = NULL;
  UNIT_OK(context, dorm_train(context, settings, train, NULL, &start));
  dorm_settings_free(settings);
  settings = unit_settings(context, folds, sizeof folds / sizeof *folds);
  for (int questions = 0; questions < 40; questions += 13) {
    int left = questions;
    dorm_context_set_cancel(context, cancel_after, &left);
    UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &stopped), DORM_STOPPED,
               "the model is the ridge start on all training data");
    CU_ASSERT_PTR_NOT_NULL_FATAL(stopped);
    CU_ASSERT_EQUAL(memcmp(unit_weights(start), unit_weights(stopped), 6 * sizeof(double)), 0);
    dorm_training_free(stopped);
  }
  int left = 0;
  dorm_context_set_cancel(context, cancel_after, &left);
  UNIT_OK(context, dorm_settings_set(context, settings, "kernel.kernel", "rbf"));
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &stopped), DORM_STOPPED,
             "the model is the linear ridge start on all training data");
  CU_ASSERT_PTR_NOT_NULL_FATAL(stopped);
  CU_ASSERT_EQUAL(memcmp(unit_weights(start), unit_weights(stopped), 6 * sizeof(double)), 0);
  dorm_training_free(stopped);
  dorm_settings_free(settings);
}

/* Cancels after so many candidates. */
typedef struct candidate_counter {
  size_t most, count;
} candidate_counter;

static void count_candidates(void *user, const dorm_event *event)
{
  candidate_counter *counter = user;
  counter->count += event->kind == DORM_EVENT_CANDIDATE;
}

static int has_candidates(void *user)
{
  const candidate_counter *counter = user;
  return counter->count >= counter->most;
}

/* If the start on all training data does not serve, a stop among the folds leaves the candidates of a fold: before the
 * first fold is finished those that it has, later all of the last finished one. */
UNIT_TEST_IN(context, a_stop_among_folds_leaves_a_fold)
{
  static const char *const common[][2] = {{"selection.folds", "3"}, {"solver.C", "1, 10"},
                                          {"data.rank_block", "0"}, {"ranking.reference", "mu:0.3"},
                                          {"ranking.rounds", "1"},  {"selection.average", "1"}};
  static const char *const cases[][2] = {{"kernel.kernel", "rbf"}, {"solver.start", "zero"}};
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 30);
  for (size_t i = 0; i < 2; i++) {
    DORM__OWNED(dorm_settings) *settings = unit_settings(context, common, sizeof common / sizeof *common);
    UNIT_OK(context, dorm_settings_set(context, settings, cases[i][0], cases[i][1]));
    UNIT_OK(context, dorm_settings_set(context, settings, "solver.ridge", "0.2"));
    UNIT_OK(context, dorm_settings_set(context, settings, "kernel.rank", "7"));
    size_t in_fold = i == 0 ? 3 : 2; /* candidates: with a kernel the start is one */
    for (size_t most = 1; most <= 2 * in_fold + 1; most++) {
      candidate_counter counter = {.most = most};
      DORM__OWNED(dorm_training) *stopped = NULL;
      dorm_context_set_log(context, count_candidates, &counter);
      dorm_context_set_cancel(context, has_candidates, &counter);
      char message[80];
      snprintf(message, sizeof message, "made of the candidates of fold %d,", most < 2 * in_fold ? 1 : 2);
      UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &stopped), DORM_STOPPED, message);
      CU_ASSERT_PTR_NOT_NULL_FATAL(stopped);
      size_t made = dorm_training_num_candidates(stopped);
      CU_ASSERT_TRUE(most < in_fold ? made >= most && made <= in_fold : made == in_fold);
      CU_ASSERT_PTR_NOT_NULL(dorm_training_model(stopped));
      for (size_t k = 0; k < made; k++)
        CU_ASSERT_TRUE(dorm_training_candidate(stopped, k)->validation > 0);
      DORM__FREED double *scores = dorm__alloc(train->num_docs, sizeof *scores);
      UNIT_OK(context, dorm_model_score(context, dorm_training_model(stopped), train, 1, scores));
    }
  }
}

/* Every way to make a Gram matrix stops at the first question, the factor of a whole one also at a later question: it
 * is made in five parts of 128 documents, and factored in ten panels. */
UNIT_TEST_IN(context, building_a_kernel_stops)
{
  static const char *const ways[][2] = {
      {"kernel.rank", "20"}, {"kernel.rank", "0"}, {"kernel.rank", "0"}, {"kernel.rank", "0"}};
  static const int questions[] = {0, 0, 4, 14};
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 30);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    DORM__OWNED(dorm_settings) *settings = unit_settings(context, &ways[i], 1);
    dorm_training *training = NULL;
    int left = questions[i];
    UNIT_OK(context, dorm_settings_set(context, settings, "kernel.kernel", "rbf"));
    dorm_context_set_cancel(context, cancel_after, &left);
    UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_STOPPED, "stopped on request");
    CU_ASSERT_PTR_NULL(training);
    if (i >= 1)
      CU_ASSERT_EQUAL(left, -1); /* no question after the one that was answered yes */
  }
}

/* A checkpoint that is in the way is not replaced unasked. */
UNIT_TEST_IN(context, a_checkpoint_in_the_way_refuses)
{
  static const char *const common[][2] = {{"output.checkpoint", "unit-checkpoint"}};
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 10);
  DORM__OWNED(dorm_settings) *settings = unit_settings(context, common, 1);
  DORM__OWNED(dorm_training) *training = NULL;
  FILE *file = fopen("unit-checkpoint", "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fclose(file);
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_BAD_USAGE,
             "a checkpoint is there already");
  CU_ASSERT_PTR_NULL(training);
  CU_ASSERT_EQUAL(access("unit-checkpoint", F_OK), 0);
  UNIT_OK(context, dorm_settings_set(context, settings, "output.resume", "overwrite"));
  UNIT_OK(context, dorm_train(context, settings, train, NULL, &training));
  unlink("unit-checkpoint");
}
