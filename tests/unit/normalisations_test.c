/*
 * normalisations_test.c: of several normalisations the one whose model is best on the validation data, against a
 * training with each of them: on data whose labels follow values as they are, and on data whose labels follow values
 * relative to the query.
 */
#include "tests/unit/training_cases.h"

enum { DOCS = 8, MOST_TEXT = 1 << 16, NUM_WORDS = 2 };

static const char *const words[NUM_WORDS] = {"minmax", "none"};

/* Two features whose ranges differ from query to query. Labels grow with their sum or, if `is_relative`, with the sum
 * of their shares of the range. */
static dorm_dataset *make_data(dorm_context *context, uint64_t seed, size_t num_queries, bool is_relative)
{
  static char text[MOST_TEXT];
  dorm__random random;
  size_t size = 0;
  dorm__random_seed(&random, seed);
  for (size_t q = 0; q < num_queries; q++) {
    const double ranges[2] = {exp2(dorm__random_uniform(&random) * 6), exp2(dorm__random_uniform(&random) * 6)};
    for (size_t j = 0; j < DOCS; j++) {
      double shares[2], label = 0;
      for (size_t f = 0; f < 2; f++) {
        shares[f] = j == f ? 0 : j == 2 + f ? 1 : dorm__random_uniform(&random); /* every query has the whole range */
        label += is_relative ? shares[f] * 2 : shares[f] * ranges[f] / 16;
      }
      size += (size_t)snprintf(text + size, sizeof text - size, "%d qid:%zu 1:%.6g 2:%.6g\n", (int)fmin(4, label),
                               q + 1, shares[0] * ranges[0], shares[1] * ranges[1]);
    }
  }
  return unit_read_text(context, text);
}

static dorm_training *train_by(dorm_context *context, const char *normalisations, const char *key, const char *value,
                               dorm_status expected, const dorm_dataset *train, const dorm_dataset *validation)
{
  const char *const pairs[] = {"data.normalisation", normalisations, key, value, NULL};
  return training_run(context, pairs, expected, train, validation);
}

static const char *normalisation_of(const dorm_training *training)
{
  return dorm_model_setting(dorm_training_model(training), "data.normalisation");
}

/* Whether the training is the same as with `word` alone. */
static bool is_that_of(dorm_context *context, const dorm_training *training, const char *word, const char *key,
                       const char *value, const dorm_dataset *train, const dorm_dataset *validation)
{
  DORM__OWNED(dorm_training) *alone = train_by(context, word, key, value, DORM_OK, train, validation);
  bool result =
      strcmp(normalisation_of(training), word) == 0 && training_difference(context, training, alone, train) == 0;
  return result;
}

UNIT_TEST_IN(context, the_best_model_is_kept)
{
  for (int is_relative = 0; is_relative < 2; is_relative++) {
    DORM__OWNED(dorm_dataset) *train = make_data(context, 3, 30, is_relative),
                              *validation = make_data(context, 4, 20, is_relative);
    double values[NUM_WORDS];
    for (size_t i = 0; i < NUM_WORDS; i++) {
      DORM__OWNED(dorm_training) *alone = train_by(context, words[i], NULL, NULL, DORM_OK, train, validation);
      values[i] = dorm_training_validation(alone);
    }
    CU_ASSERT_EQUAL(values[0] > values[1], is_relative);
    static const char *const orders[] = {"minmax, none", "none, minmax"};
    for (size_t i = 0; i < 2; i++) {
      DORM__OWNED(dorm_training) *both = train_by(context, orders[i], NULL, NULL, DORM_OK, train, validation);
      CU_ASSERT_EQUAL(dorm_training_validation(both), fmax(values[0], values[1]));
      CU_ASSERT_TRUE(is_that_of(context, both, words[!is_relative], NULL, NULL, train, validation));
    }
  }
}

/* Without a value of the model itself the values of its candidates choose: held-out queries, or those before a
 * retraining. */
UNIT_TEST_IN(context, values_of_candidates_choose_elsewhere)
{
  for (int is_relative = 0; is_relative < 2; is_relative++) {
    DORM__OWNED(dorm_dataset) *train = make_data(context, 5, 30, is_relative),
                              *validation = make_data(context, 6, 20, is_relative);
    DORM__OWNED(dorm_training) *held_out =
        train_by(context, "minmax, none", "selection.folds", "3", DORM_OK, train, NULL);
    CU_ASSERT_TRUE(is_that_of(context, held_out, words[!is_relative], "selection.folds", "3", train, NULL));
    DORM__OWNED(dorm_training) *again =
        train_by(context, "minmax, none", "selection.retrain", "yes", DORM_OK, train, validation);
    CU_ASSERT_TRUE(is_that_of(context, again, words[!is_relative], "selection.retrain", "yes", train, validation));
  }
}

/* Of equally good models, as for values that are 0 and 1 already, the first. */
UNIT_TEST_IN(context, the_first_of_equals_is_kept)
{
  DORM__OWNED(dorm_dataset) *data = unit_read_text(context, "1 qid:1 1:1 2:0\n0 qid:1 1:0 2:1\n0 qid:1 1:0 2:1\n"
                                                            "1 qid:2 1:1 2:0\n0 qid:2 1:0 2:1\n0 qid:2 1:0 2:1\n");
  static const char *const orders[] = {"minmax, none", "none, minmax"};
  for (size_t i = 0; i < 2; i++) {
    DORM__OWNED(dorm_training) *both = train_by(context, orders[i], NULL, NULL, DORM_OK, data, data);
    CU_ASSERT_STRING_EQUAL(normalisation_of(both), words[i]);
  }
}

/* The memory of the data may be taken for the rows of the last training alone. */
UNIT_TEST_IN(context, consuming_gives_the_same)
{
  static double scores[30 * DOCS];
  DORM__OWNED(dorm_settings) *settings = training_settings(context, UNIT_PAIRS("data.normalisation", "minmax, none"));
  for (int is_relative = 0; is_relative < 2; is_relative++) {
    DORM__OWNED(dorm_dataset) *train = make_data(context, 3, 30, is_relative),
                              *validation = make_data(context, 4, 20, is_relative);
    DORM__OWNED(dorm_dataset) *kept = make_data(context, 3, 30, is_relative);
    DORM__OWNED(dorm_training) *both = train_by(context, "minmax, none", NULL, NULL, DORM_OK, train, validation),
                               *consuming = NULL;
    UNIT_OK(context, dorm_train_consuming(context, settings, train, validation, &consuming));
    CU_ASSERT_STRING_EQUAL(normalisation_of(consuming), normalisation_of(both));
    CU_ASSERT_EQUAL(dorm_training_validation(consuming), dorm_training_validation(both));
    CU_ASSERT_EQUAL(training_difference(context, consuming, both, kept), 0);
    UNIT_BAD_USAGE(dorm_model_score(context, dorm_training_model(both), train, 1, scores), NULL);
  }
}

typedef struct counted {
  size_t num_done, num_candidates;
  bool is_by_ones;
} counted;

static void count_candidates(void *user, const dorm_event *event)
{
  counted *seen = user;
  if (event->kind != DORM_EVENT_CANDIDATE)
    return;
  seen->is_by_ones = seen->is_by_ones && event->num_done == seen->num_done + 1;
  seen->num_done = event->num_done;
  seen->num_candidates = event->num_candidates;
}

/* Progress counts all trainings together, folds and retraining included. */
UNIT_TEST_IN(context, progress_counts_all)
{
  static const char *const extras[][2] = {{NULL, NULL}, {"selection.folds", "3"}, {"selection.retrain", "yes"}};
  DORM__OWNED(dorm_dataset) *train = make_data(context, 3, 20, true), *validation = make_data(context, 4, 20, true);
  for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
    const dorm_dataset *chooses = i == 1 ? NULL : validation;
    counted alone = {.is_by_ones = true}, both = {.is_by_ones = true};
    dorm_context_set_log(context, count_candidates, &alone);
    dorm_training_free(train_by(context, "none", extras[i][0], extras[i][1], DORM_OK, train, chooses));
    dorm_context_set_log(context, count_candidates, &both);
    dorm_training_free(train_by(context, "minmax, none", extras[i][0], extras[i][1], DORM_OK, train, chooses));
    dorm_context_set_log(context, NULL, NULL);
    CU_ASSERT_TRUE(alone.num_candidates > 0);
    CU_ASSERT_EQUAL(both.num_candidates, 2 * alone.num_candidates);
    CU_ASSERT_EQUAL(both.num_done, both.num_candidates);
    CU_ASSERT_TRUE(both.is_by_ones);
  }
}

/* How often a whole training asks whether it is cancelled. */
static int calls_of(dorm_context *context, const char *word, const dorm_dataset *train, const dorm_dataset *validation)
{
  enum { MANY = 1000000 };
  int left = MANY;
  dorm_context_set_cancel(context, unit_stop_after, &left);
  dorm_training_free(train_by(context, word, NULL, NULL, DORM_OK, train, validation));
  return MANY - left;
}

/* Cancels a training after so many calls, and checks whose model is kept, and what is said. */
static void cancel_after(dorm_context *context, const char *normalisations, int calls, const char *kept,
                         const char *message, const dorm_dataset *train, const dorm_dataset *validation)
{
  dorm_context_set_cancel(context, unit_stop_after, &calls);
  DORM__OWNED(dorm_training) *stopped = train_by(context, normalisations, NULL, NULL, DORM_STOPPED, train, validation);
  CU_ASSERT_STRING_EQUAL(normalisation_of(stopped), kept);
  CU_ASSERT_PTR_NOT_NULL(strstr(dorm_context_message(context), message));
}

/* The model of an interrupted training never replaces the model of a whole one, even if it is better, as with minmax
 * here at its last step; but it is returned if there is no other. */
UNIT_TEST_IN(context, interrupted_trainings_lose)
{
  DORM__OWNED(dorm_dataset) *train = make_data(context, 3, 30, true), *validation = make_data(context, 4, 20, true);
  int minmax = calls_of(context, "minmax", train, validation), none = calls_of(context, "none", train, validation);
  cancel_after(context, "none, minmax", none + minmax - 1, "none",
               "minmax was interrupted (stopped on request); the model is of none", train, validation);
  cancel_after(context, "minmax, none", minmax + 1, "minmax",
               "none was interrupted (stopped on request); the model is of minmax", train, validation);
  cancel_after(context, "none, minmax", 5, "none", "stopped on request", train, validation);
  CU_ASSERT_STRING_EQUAL(dorm_context_message(context), "stopped on request");
}

/* A training whose solves end at a limit of their own is whole, and the others follow it. */
UNIT_TEST_IN(context, limits_of_solves_end_no_others)
{
  DORM__OWNED(dorm_dataset) *train = make_data(context, 3, 30, true), *validation = make_data(context, 4, 20, true);
  DORM__OWNED(dorm_training) *limited =
      train_by(context, "none, minmax", "solver.max_iterations", "1", DORM_STOPPED, train, validation);
  CU_ASSERT_STRING_EQUAL(normalisation_of(limited), "minmax");
  CU_ASSERT_PTR_NOT_NULL(strstr(dorm_context_message(context), "solver.max_iterations = 1"));
}

UNIT_TEST_IN(context, what_cannot_choose_is_refused)
{
  static const struct {
    const char *key, *value, *message;
    bool has_validation;
  } cases[] = {{NULL, NULL, "data.normalisation = minmax, none: choosing one needs validation data or", false},
               {"output.checkpoint", "there", "does not go with output.checkpoint = there", true},
               {"data.from", "there", "does not go with data.from = there", true},
               {"data.normalisation", "minmax, nothing", "nothing", true}};
  DORM__OWNED(dorm_dataset) *data = make_data(context, 3, 10, false);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__OWNED(dorm_settings) *settings = training_settings(context, UNIT_PAIRS("data.normalisation", "minmax, none"));
    dorm_training *training = NULL;
    dorm_status status =
        DORM__ALL(cases[i].key ? dorm_settings_set(context, settings, cases[i].key, cases[i].value) : DORM_OK,
                  dorm_train(context, settings, data, cases[i].has_validation ? data : NULL, &training));
    UNIT_BAD_USAGE(status, cases[i].message);
    CU_ASSERT_PTR_NULL(training);
  }
}
