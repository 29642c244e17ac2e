/*
 * trainers_test.c: a trainer of the test's own beside the structured SVM: its candidates compete with the SVM's and
 * are averaged with them.
 */
#include "tests/unit/training_cases.h"
#include "tests/unit/unit.h"

#include "base/base.h"
#include "base/linalg.h"
#include "data/data.h"
#include "features/features.h"
#include "models/models.h"
#include "training/candidates.h"
#include "training/job.h"
#include "training/rows.h"
#include "training/sink.h"
#include "training/training.h"

#include <math.h>
#include <string.h>

/* ---- A kind of part: the value of one feature -------------------------------------------- */

static dorm_status value_score(dorm_context *context, const void *state, const dorm__feature_map *map,
                               const dorm_dataset *dataset, size_t num_threads, double weight, double *scores)
{
  const size_t *feature = state;
  (void)context, (void)map, (void)num_threads;
  for (size_t j = 0; j < dataset->num_docs; j++)
    scores[j] += weight * (double)dorm_dataset_value(dataset, j, *feature);
  return DORM_OK;
}

static void value_free(void *state)
{
  dorm__free(state);
}

static const char *value_describe(const void *state)
{
  (void)state;
  return "the value of one feature";
}

static const dorm__part_kind value_part = {
    .word = "value", .score = value_score, .describe = value_describe, .free = value_free};

/* ---- A trainer: one candidate for each feature --------------------------------------------- */

static size_t value_count(const dorm__job *job)
{
  (void)job;
  return TRAINING_WIDTH;
}

static dorm_status value_train(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink)
{
  const dorm_dataset *dataset = dorm__training_rows_dataset(rows);
  double *scores = dorm__alloc(dataset->num_docs, sizeof *scores);
  dorm_status status = scores ? DORM_OK : DORM_OUT_OF_MEMORY;
  (void)job;
  for (size_t f = 0; status == DORM_OK && f < TRAINING_WIDTH; f++) {
    size_t *feature = dorm__alloc(1, sizeof *feature);
    dorm__offer offer = {.candidate = dorm__training_rows_candidate(rows),
                         .train_scores = scores,
                         .part = {.kind = &value_part, .weight = 1, .state = feature}};
    offer.candidate.round = 1;
    *feature = f;
    for (size_t j = 0; j < dataset->num_docs; j++)
      scores[j] = (double)dorm_dataset_value(dataset, j, f);
    status = dorm__sink_take(sink, rows, &offer);
  }
  dorm__free(scores);
  return status;
}

static const dorm__trainer value_trainer = {.name = "value", .count = value_count, .train = value_train};

/* ---- The test -------------------------------------------------------------------------------- */

static double spread_within(const dorm_dataset *dataset, const double *scores)
{
  double squares = 0;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    size_t first = dataset->query_start[q], end = dataset->query_start[q + 1];
    double mean = 0;
    for (size_t j = first; j < end; j++)
      mean += scores[j] / (double)(end - first);
    for (size_t j = first; j < end; j++)
      squares += (scores[j] - mean) * (scores[j] - mean);
  }
  return sqrt(squares / (double)dataset->num_docs);
}

/* Without validation data all candidates are averaged: those of one C of the SVM and one for each feature. */
static void candidates_of_two_trainers_are_averaged(void)
{
  enum { QUERIES = 12, DOCS = 8, NUM = QUERIES * DOCS };
  static const char *const pairs[] = {"solver.C", "1", NULL};
  const dorm__trainer *extra[] = {&value_trainer};
  dorm_context *context = unit_context();
  dorm_settings *settings = training_settings(context, pairs);
  dorm_dataset *dataset = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  dorm_training *svm = NULL, *both = NULL;
  double scores[NUM], of_svm[NUM], value[NUM], mean[NUM] = {0};
  UNIT_OK(context, dorm_train(context, settings, dataset, NULL, &svm));
  UNIT_OK(context, dorm__train_with(context, settings, dataset, NULL, 1, extra, &both));
  CU_ASSERT_FATAL(svm && both);
  CU_ASSERT_EQUAL(dorm_training_num_candidates(both), dorm_training_num_candidates(svm) + TRAINING_WIDTH);
  size_t num_selected = 0;
  for (size_t i = 0; i < dorm_training_num_candidates(both); i++)
    num_selected += dorm_training_candidate(both, i)->is_selected != 0;
  CU_ASSERT_EQUAL(num_selected, 1 + TRAINING_WIDTH);
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(svm), dataset, 1, of_svm));
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(both), dataset, 1, scores));
  for (size_t j = 0; j < NUM; j++)
    mean[j] = of_svm[j] / spread_within(dataset, of_svm);
  for (size_t f = 0; f < TRAINING_WIDTH; f++) {
    for (size_t j = 0; j < NUM; j++)
      value[j] = (double)dorm_dataset_value(dataset, j, f);
    dorm__add_scaled(NUM, 1 / spread_within(dataset, value), value, mean);
  }
  for (size_t j = 0; j < NUM; j++)
    CU_ASSERT_TRUE(fabs(scores[j] - mean[j] / (double)num_selected) <= 1e-9);
  dorm_training_free(svm);
  dorm_training_free(both);
  dorm_dataset_free(dataset);
  dorm_settings_free(settings);
  dorm_context_free(context);
}

/* With validation data the best of all candidates are chosen, whoever made them. */
static void the_best_of_all_trainers_are_chosen(void)
{
  static const char *const pairs[] = {"data.normalisation", "none", "selection.average", "2", NULL};
  const dorm__trainer *extra[] = {&value_trainer};
  dorm_context *context = unit_context();
  dorm_settings *settings = training_settings(context, pairs);
  dorm_dataset *train = training_random_data(context, unit_seed(), 10, 8, false);
  dorm_dataset *validation = training_random_data(context, unit_seed() + 1, 10, 8, false);
  dorm_training *training = NULL;
  UNIT_OK(context, dorm__train_with(context, settings, train, validation, 1, extra, &training));
  CU_ASSERT_PTR_NOT_NULL_FATAL(training);
  double least_chosen = INFINITY, best_left = -INFINITY;
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    const dorm_candidate *candidate = dorm_training_candidate(training, i);
    if (candidate->is_selected)
      least_chosen = fmin(least_chosen, candidate->validation);
    else
      best_left = fmax(best_left, candidate->validation);
  }
  CU_ASSERT_TRUE(least_chosen >= best_left);
  CU_ASSERT_TRUE(isfinite(dorm_training_validation(training)));
  dorm_training_free(training);
  dorm_dataset_free(train);
  dorm_dataset_free(validation);
  dorm_settings_free(settings);
  dorm_context_free(context);
}

/* The trainer `ridge` makes the starts of the SVM and nothing else. */
static void ridge_alone_makes_the_starts(void)
{
  static const char *const of_svm[] = {"solver.ridge", "0.1, 1", "solver.start", "ridge", NULL};
  static const char *const of_ridge[] = {"solver.ridge", "0.1, 1", "solver.start", "ridge", "training.trainer",
                                         "ridge",        NULL};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = training_random_data(context, unit_seed(), 20, 8, false);
  dorm_training *svm = training_run(context, of_svm, DORM_OK, dataset, dataset);
  dorm_training *ridge = training_run(context, of_ridge, DORM_OK, dataset, dataset);
  size_t num_starts = 0;
  for (size_t i = 0; i < dorm_training_num_candidates(svm); i++) {
    const dorm_candidate *start = dorm_training_candidate(svm, i);
    if (start->round)
      continue;
    const dorm_candidate *same = dorm_training_candidate(ridge, num_starts++);
    CU_ASSERT_PTR_NOT_NULL_FATAL(same);
    CU_ASSERT_EQUAL(same->ridge, start->ridge);
    CU_ASSERT_EQUAL(same->score_scale, start->score_scale);
    CU_ASSERT_EQUAL(same->validation, start->validation);
  }
  CU_ASSERT_EQUAL(dorm_training_num_candidates(ridge), num_starts);
  CU_ASSERT_TRUE(num_starts >= 2);
  dorm_training_free(svm);
  dorm_training_free(ridge);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static void trainers_that_contradict_are_refused(void)
{
  static const struct {
    const char *pairs[6], *message;
  } bad[] = {{{"training.trainer", "svm, svm"}, "twice"},
             {{"training.trainer", "svm, ridge"}, "candidates already"},
             {{"training.trainer", "ridge", "solver.start", "zero"}, "no regression to make"}};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = training_random_data(context, unit_seed(), 5, 6, false);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dorm_settings *settings = training_settings(context, bad[i].pairs);
    dorm_training *training = NULL;
    UNIT_FAILS(context, dorm_train(context, settings, dataset, NULL, &training), DORM_BAD_USAGE, bad[i].message);
    dorm_settings_free(settings);
  }
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static const unit_test tests[] = {
    {"candidates of two trainers are averaged", candidates_of_two_trainers_are_averaged},
    {"the best of all trainers are chosen", the_best_of_all_trainers_are_chosen},
    {"ridge alone makes the starts", ridge_alone_makes_the_starts},
    {"trainers that contradict are refused", trainers_that_contradict_are_refused},
    {NULL, NULL},
};
const unit_suite trainers_suite = {"trainers", tests};
