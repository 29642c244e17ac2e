/*
 * checkpoints_test.c: training that is cancelled leaves what there is, and
 * resumed it ends at the same model.
 */
#include "tests/unit/training_cases.h"

UNIT_TEST_IN(context, cancelling_keeps_what_there_is)
{
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 30);
  DORM__OWNED(dorm_settings) *settings = unit_svm(context, NULL);
  int left = 7;
  dorm_context_set_cancel(context, unit_stop_after, &left);
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
  static const char *const variants[][2] = {{"selection.average", "2"},
                                            {"selection.folds", "3"},
                                            {"selection.retrain", "yes"},
                                            {"ranking.position_functions", "2"}};
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 20);
  DORM__OWNED(dorm_dataset) *validation = training_artificial_data(context, 2, 10);
  for (size_t variant = 0; variant < sizeof variants / sizeof *variants; variant++) {
    const dorm_dataset *other = variant == 1 ? NULL : validation;
    DORM__OWNED(dorm_settings) *settings = unit_svm(
        context, UNIT_PAIRS("solver.C", "1, 30", "ranking.reference", "mu:0.3, ideal", "ranking.position_weights",
                            "power:0.5", "ranking.rounds", "2", "solver.gap", "1e-4", "output.checkpoint",
                            "unit-checkpoint", "output.checkpoint_seconds", "0", "output.resume", "yes"));
    UNIT_OK(context, dorm_settings_set(context, settings, variants[variant][0], variants[variant][1]));
    unlink("unit-checkpoint");
    DORM__OWNED(dorm_training) *whole = unit_train(context, settings, train, other);
    CU_ASSERT_NOT_EQUAL(access("unit-checkpoint", F_OK), 0); /* done: gone */
    DORM__OWNED(dorm_training) *resumed = unit_train_by_stops(context, settings, train, other, 3, 40);
    CU_ASSERT_EQUAL(dorm_training_num_candidates(resumed), dorm_training_num_candidates(whole));
    CU_ASSERT_TRUE(unit_same_weights(whole, resumed));
  }
}

/* Trains the default on small trees in folds, with a checkpoint, after `left` questions whether to stop; 0: any number.
 * One thread asks, so that folds end one after the other. */
static dorm_status train_in_folds(dorm_context *context, const dorm_dataset *train, const char *budget, int left,
                                  dorm_training **training)
{
  const char *const *pairs = UNIT_PAIRS(TRAINING_SMALL_DEFAULT, "training.budget", budget, "output.checkpoint",
                                        "unit-folds", "output.resume", "yes", "solver.threads", "1");
  DORM__OWNED(dorm_settings) *settings = training_settings(context, pairs);
  int asked = left;
  dorm_training_free(*training);
  dorm_context_set_cancel(context, left ? unit_stop_after : NULL, &asked);
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
  size_t size;
  DORM__FREED char *bytes = unit_read_file("unit-folds", &size);
  for (size_t trial = 0; trial < 20; trial++) { /* one byte changed */
    bytes[trial * (size - 1) / 19] ^= 16;
    unit_write_file("unit-folds", bytes, size);
    bytes[trial * (size - 1) / 19] ^= 16;
    CU_ASSERT_EQUAL(train_in_folds(context, train, "0", 0, &resumed), DORM_BAD_DATA);
  }
  unlink("unit-folds");
}

UNIT_TEST_IN(context, bad_checkpoints_are_refused)
{
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 20);
  DORM__OWNED(dorm_settings) *settings =
      unit_svm(context, UNIT_PAIRS("solver.C", "1, 30", "solver.gap", "1e-4", "output.checkpoint", "unit-checkpoint",
                                   "output.checkpoint_seconds", "0", "output.resume", "yes"));
  dorm_training *training = NULL;
  unlink("unit-checkpoint");
  int left = 12;
  dorm_context_set_cancel(context, unit_stop_after, &left);
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_STOPPED, "stopped");
  dorm_training_free(training);
  dorm_context_set_cancel(context, NULL, NULL);
  size_t size;
  DORM__FREED char *bytes = unit_read_file("unit-checkpoint", &size);
  CU_ASSERT_TRUE_FATAL(size > 200);
  for (size_t trial = 0; trial < 60; trial++) { /* one byte changed, or the end cut off */
    size_t at = trial * (size - 1) / 59;
    bytes[at] ^= 16;
    unit_write_file("unit-checkpoint", bytes, trial % 2 ? size : at);
    bytes[at] ^= 16;
    UNIT_BAD_DATA(dorm_train(context, settings, train, NULL, &training), "unit-checkpoint: ");
    CU_ASSERT_PTR_NULL(training);
  }
  unit_write_file("unit-checkpoint", bytes, size);
  UNIT_OK(context, dorm_settings_set(context, settings, "solver.C", "2"));
  UNIT_BAD_DATA(dorm_train(context, settings, train, NULL, &training), "other settings");
  UNIT_OK(context, dorm_settings_set(context, settings, "output.checkpoint", ""));
  UNIT_BAD_USAGE(dorm_train(context, settings, train, NULL, &training), "output.checkpoint");
  unlink("unit-checkpoint");
}

/* Stops a training of two shards, which saves its checkpoint then. */
static void stop_early(dorm_context *context, dorm_settings *settings, const dorm_dataset *train, int questions)
{
  DORM__OWNED(dorm_training) *training = NULL;
  dorm_context_set_cancel(context, unit_stop_after, &questions);
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_STOPPED, "stopped");
  dorm_context_set_cancel(context, NULL, NULL);
}

static const char part_a[] = "unit-checkpoint.shard-1-of-2.a", part_b[] = "unit-checkpoint.shard-1-of-2.b";

static bool differ(const char *one, const char *two)
{
  size_t size[2];
  DORM__FREED char *first = unit_read_file(one, &size[0]), *second = unit_read_file(two, &size[1]);
  return size[0] != size[1] || memcmp(first, second, size[0]) != 0;
}

/* Two jobs whose first saves are of different passes: the second spares the parts of the first, whose file could be the
 * valid one, and a part of the one does not go with the file of the other, though all else of them is equal. */
UNIT_TEST_IN(context, parts_of_two_saves_are_not_mixed)
{
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 20);
  DORM__OWNED(dorm_settings) *settings = unit_svm(
      context, UNIT_PAIRS("solver.C", "1, 30", "solver.gap", "1e-4", "solver.shards", "2", "output.checkpoint",
                          "unit-checkpoint", "output.checkpoint_seconds", "3600", "output.resume", "overwrite"));
  DORM__OWNED(dorm_training) *training = NULL;
  unlink("unit-checkpoint");
  unlink(part_a);
  stop_early(context, settings, train, 40);
  CU_ASSERT_NOT_EQUAL(access(part_a, F_OK), 0);
  CU_ASSERT_EQUAL_FATAL(rename(part_b, "unit-part"), 0);
  unlink("unit-checkpoint");
  stop_early(context, settings, train, 4); /* the first save of another job */
  CU_ASSERT_NOT_EQUAL(access(part_a, F_OK), 0);
  CU_ASSERT_TRUE(differ(part_b, "unit-part"));
  CU_ASSERT_EQUAL_FATAL(rename(part_b, "unit-part-kept"), 0);
  CU_ASSERT_EQUAL_FATAL(rename("unit-part", part_b), 0);
  UNIT_OK(context, dorm_settings_set(context, settings, "output.resume", "yes"));
  UNIT_BAD_DATA(dorm_train(context, settings, train, NULL, &training), "of another save");
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
  double labels[QUERIES_HERE * DOCS_HERE];
  float values[QUERIES_HERE * DOCS_HERE * 2];
  dorm__random random = unit_random(0);
  for (size_t j = 0; j < QUERIES_HERE * DOCS_HERE; j++) {
    labels[j] = 1000 * (double)(j % DOCS_HERE);
    values[2 * j] = (float)(j % DOCS_HERE);
    values[2 * j + 1] = 0.001F * (float)dorm__random_normal(&random);
  }
  return unit_even_dataset(context, QUERIES_HERE, DOCS_HERE, 2, labels, values);
}

UNIT_TEST_IN(context, an_empty_working_set_resumes)
{
  DORM__OWNED(dorm_dataset) *train = separable(context);
  DORM__OWNED(dorm_settings) *settings =
      unit_svm(context, UNIT_PAIRS("loss.name", "ndcg:gain=linear", "ranking.reference", "ideal", "solver.C", "1",
                                   "solver.gap", "1e-6", "output.checkpoint", "unit-checkpoint",
                                   "output.checkpoint_seconds", "0", "output.resume", "yes"));
  unlink("unit-checkpoint");
  DORM__OWNED(dorm_training) *whole = unit_train(context, settings, train, NULL);
  DORM__OWNED(dorm_training) *resumed = unit_train_by_stops(context, settings, train, NULL, 0, 1); /* at once */
  CU_ASSERT_TRUE(unit_same_weights(whole, resumed));
  unlink("unit-checkpoint");
}

/* A stop among the folds, at any question, leaves the ridge start on all training data; while the first Gram matrix is
 * built, for the linear kernel. */
UNIT_TEST_IN(context, a_stop_among_folds_leaves_the_start)
{
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 30);
  dorm_settings *settings =
      unit_svm(context, UNIT_PAIRS("training.trainer", "ridge", "data.rank_block", "0", "solver.ridge", "0.2"));
  dorm_training *stopped = NULL;
  DORM__OWNED(dorm_training) *start = unit_train(context, settings, train, NULL);
  dorm_settings_free(settings);
  settings = unit_svm(
      context, UNIT_PAIRS("selection.folds", "3", "solver.C", "1, 10", "data.rank_block", "0", "solver.ridge", "0.2"));
  for (int questions = 0; questions < 40; questions += 13) {
    int left = questions;
    dorm_context_set_cancel(context, unit_stop_after, &left);
    UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &stopped), DORM_STOPPED,
               "the model is the ridge start on all training data");
    CU_ASSERT_PTR_NOT_NULL_FATAL(stopped);
    CU_ASSERT_TRUE(unit_same_weights(start, stopped));
    dorm_training_free(stopped);
  }
  int left = 0;
  dorm_context_set_cancel(context, unit_stop_after, &left);
  UNIT_OK(context, dorm_settings_set(context, settings, "kernel.kernel", "rbf"));
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &stopped), DORM_STOPPED,
             "the model is the linear ridge start on all training data");
  CU_ASSERT_PTR_NOT_NULL_FATAL(stopped);
  CU_ASSERT_TRUE(unit_same_weights(start, stopped));
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
  static const char *const cases[][2] = {{"kernel.kernel", "rbf"}, {"solver.start", "zero"}};
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 30);
  for (size_t i = 0; i < 2; i++) {
    DORM__OWNED(dorm_settings) *settings =
        unit_svm(context, UNIT_PAIRS("selection.folds", "3", "solver.C", "1, 10", "data.rank_block", "0",
                                     "ranking.reference", "mu:0.3", "ranking.rounds", "1", "selection.average", "1"));
    UNIT_OK(context, dorm_settings_set(context, settings, cases[i][0], cases[i][1]));
    UNIT_OK(context, dorm_settings_set(context, settings, "solver.ridge", "0.2"));
    UNIT_OK(context, dorm_settings_set(context, settings, "kernel.rank", "7"));
    size_t in_fold = i == 0 ? 3 : 2; /* candidates: with a kernel the start is one */
    for (size_t most = 1; most <= 2 * in_fold + 1; most++) {
      candidate_counter counter = {.most = most};
      DORM__OWNED(dorm_training) *stopped = NULL;
      dorm_context_set_log(context, count_candidates, &counter);
      dorm_context_set_cancel(context, has_candidates, &counter);
      UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &stopped), DORM_STOPPED,
                 unit_text("made of the candidates of fold %d,", most < 2 * in_fold ? 1 : 2));
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
  static const char *const ranks[] = {"20", "0", "0", "0"};
  static const int questions[] = {0, 0, 4, 14};
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 30);
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
    DORM__OWNED(dorm_settings) *settings =
        unit_svm(context, UNIT_PAIRS("kernel.rank", ranks[i], "kernel.kernel", "rbf"));
    dorm_training *training = NULL;
    int left = questions[i];
    dorm_context_set_cancel(context, unit_stop_after, &left);
    UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_STOPPED, "stopped on request");
    CU_ASSERT_PTR_NULL(training);
    if (i >= 1)
      CU_ASSERT_EQUAL(left, -1); /* no question after the one that was answered yes */
  }
}

/* A checkpoint that is in the way is not replaced unasked. */
UNIT_TEST_IN(context, a_checkpoint_in_the_way_refuses)
{
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 10);
  DORM__OWNED(dorm_settings) *settings = unit_svm(context, UNIT_PAIRS("output.checkpoint", "unit-checkpoint"));
  DORM__OWNED(dorm_training) *training = NULL;
  unit_write_file("unit-checkpoint", "", 0);
  UNIT_BAD_USAGE(dorm_train(context, settings, train, NULL, &training), "a checkpoint is there already");
  CU_ASSERT_PTR_NULL(training);
  CU_ASSERT_EQUAL(access("unit-checkpoint", F_OK), 0);
  UNIT_OK(context, dorm_settings_set(context, settings, "output.resume", "overwrite"));
  UNIT_OK(context, dorm_train(context, settings, train, NULL, &training));
  unlink("unit-checkpoint");
}
