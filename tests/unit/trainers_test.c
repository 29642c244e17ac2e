/*
 * trainers_test.c: a trainer of the test's own beside the structured SVM: its candidates compete with the SVM's and
 * are averaged with them, whether they are parts or sums of weights and a part.
 */
#include "tests/unit/training_cases.h"

/* ---- A kind of part: the value of one feature -------------------------------------------- */

typedef struct value_state {
  size_t feature;
  double factor;
} value_state;

static dorm_status value_score(dorm_context *context, const void *state, const dorm__feature_map *map,
                               const dorm_dataset *dataset, size_t num_threads, double weight, double *scores)
{
  const value_state *value = state;
  (void)context, (void)map, (void)num_threads;
  for (size_t j = 0; j < dataset->num_docs; j++)
    scores[j] += weight * value->factor * (double)dorm_dataset_value(dataset, j, value->feature);
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

/* The model of a candidate is the value of its feature: a part or, with is_sum, minus that part and a weight of 2. */
static dorm_status make_values(dorm__training_rows *rows, dorm__sink *sink, bool is_sum)
{
  const dorm_dataset *dataset = rows->train;
  DORM__FREED double *scores = dorm__alloc(dataset->num_docs, sizeof *scores);
  dorm_status status = scores ? DORM_OK : DORM_OUT_OF_MEMORY;
  for (size_t f = 0; status == DORM_OK && f < TRAINING_WIDTH; f++) {
    double w[TRAINING_WIDTH] = {0};
    value_state *state = dorm__alloc(1, sizeof *state);
    dorm__offer offer = {.candidate = dorm__training_rows_candidate(rows),
                         .train_scores = scores,
                         .w = is_sum ? w : NULL,
                         .part = {.kind = &value_part, .weight = 1, .state = state}};
    offer.candidate.round = 1;
    *state = (value_state){f, is_sum ? -1 : 1};
    w[f] = 2;
    for (size_t j = 0; j < dataset->num_docs; j++)
      scores[j] = (double)dorm_dataset_value(dataset, j, f);
    status = dorm__sink_take(sink, rows, &offer);
  }
  return status;
}

static dorm_status value_train(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink)
{
  (void)job;
  return make_values(rows, sink, false);
}

static dorm_status sum_train(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink)
{
  (void)job;
  return make_values(rows, sink, true);
}

/* Their candidates have the same scores. */
static const dorm__trainer value_trainer = {
    .name = "value", .keeps_order = true, .count = value_count, .train = value_train};
static const dorm__trainer sum_trainer = {.name = "sum", .keeps_order = true, .count = value_count, .train = sum_train};

/* ---- The test -------------------------------------------------------------------------------- */

/* Without validation data all candidates are averaged: the SVM's of one C, which have one half of the mean, and one for
 * each feature, which are parts and have the other half. */
static void compare_with_mean(const dorm__trainer *trainer)
{
  enum { QUERIES = 12, DOCS = 8, NUM = QUERIES * DOCS };
  const dorm__trainer *extra[] = {trainer};
  DORM__OWNED(dorm_context) *context = unit_context();
  DORM__OWNED(dorm_settings) *settings = training_settings(context, UNIT_PAIRS("solver.C", "1"));
  DORM__OWNED(dorm_dataset) *dataset = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  DORM__OWNED(dorm_training) *both = NULL;
  double scores[NUM], of_svm[NUM], value[NUM], mean[NUM] = {0};
  DORM__OWNED(dorm_training) *svm = unit_train(context, settings, dataset, NULL);
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
    mean[j] = 0.5 * of_svm[j] / unit_spread(dataset, of_svm);
  for (size_t f = 0; f < TRAINING_WIDTH; f++) {
    for (size_t j = 0; j < NUM; j++)
      value[j] = (double)dorm_dataset_value(dataset, j, f);
    dorm__add_scaled(NUM, 0.5 / TRAINING_WIDTH / unit_spread(dataset, value), value, mean);
  }
  for (size_t j = 0; j < NUM; j++)
    CU_ASSERT_TRUE(fabs(scores[j] - mean[j]) <= 1e-9);
}

UNIT_TEST(candidates_of_two_trainers_are_averaged)
{
  compare_with_mean(&value_trainer);
  compare_with_mean(&sum_trainer);
}

/* With validation data the best candidates of each sort are chosen. The SVM's come first. */
static void compare_with_order(const dorm__trainer *trainer)
{
  static const char *const pairs[] = {
      "data.normalisation", "none", "data.rank_block", "0", "selection.average", "2", "selection.blend", "0.5", NULL};
  const dorm__trainer *extra[] = {trainer};
  DORM__OWNED(dorm_context) *context = unit_context();
  DORM__OWNED(dorm_settings) *settings = training_settings(context, pairs);
  DORM__OWNED(dorm_dataset) *train = training_random_data(context, unit_seed(), 10, 8, false);
  DORM__OWNED(dorm_dataset) *validation = training_random_data(context, unit_seed() + 1, 10, 8, false);
  DORM__OWNED(dorm_training) *training = NULL;
  UNIT_OK(context, dorm__train_with(context, settings, train, validation, 1, extra, &training));
  double least_chosen[2] = {INFINITY, INFINITY}, best_left[2] = {-INFINITY, -INFINITY};
  size_t count = dorm_training_num_candidates(training), num_chosen[2] = {0, 0};
  for (size_t i = 0; i < count; i++) {
    const dorm_candidate *candidate = dorm_training_candidate(training, i);
    bool part = i + TRAINING_WIDTH >= count;
    num_chosen[part] += candidate->is_selected != 0;
    if (candidate->is_selected)
      least_chosen[part] = fmin(least_chosen[part], candidate->validation);
    else
      best_left[part] = fmax(best_left[part], candidate->validation);
  }
  for (size_t part = 0; part < 2; part++) {
    CU_ASSERT_EQUAL(num_chosen[part], 2);
    CU_ASSERT_TRUE(least_chosen[part] >= best_left[part]);
  }
  CU_ASSERT_TRUE(isfinite(dorm_training_validation(training)));
}

UNIT_TEST(the_best_of_each_sort_are_chosen)
{
  compare_with_order(&value_trainer);
  compare_with_order(&sum_trainer);
}

enum { BLEND_QUERIES = 30, BLEND_DOCS = 8, BLEND_NUM = BLEND_QUERIES * BLEND_DOCS };

/* The scores of the best feature on the validation data, divided by their spread on the training data. */
static void score_best_feature(dorm_context *context, const dorm_dataset *train, const dorm_dataset *validation,
                               double *scores)
{
  double best = -INFINITY, value[BLEND_NUM], trained[BLEND_NUM];
  for (size_t f = 0; f < TRAINING_WIDTH; f++) {
    for (size_t j = 0; j < BLEND_NUM; j++) {
      value[j] = (double)dorm_dataset_value(validation, j, f);
      trained[j] = (double)dorm_dataset_value(train, j, f);
    }
    double mean_value = unit_evaluate(context, "ndcg@10", validation, value);
    if (mean_value <= best)
      continue;
    best = mean_value;
    for (size_t j = 0; j < BLEND_NUM; j++)
      scores[j] = value[j] / unit_spread(train, trained);
  }
}

/* The first of the shares, unless another is better by more than one standard error of the paired difference, over the
 * queries that count under both. */
static double best_share(dorm_context *context, const dorm_dataset *validation, const double *linear,
                         const double *feature, size_t num_shares, const double *shares)
{
  double scores[BLEND_NUM], first[BLEND_QUERIES], values[BLEND_QUERIES], chosen = shares[0], best = 0;
  for (size_t i = 0; i < num_shares; i++) {
    dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
    double sum = 0, squares = 0, count = 0;
    for (size_t j = 0; j < BLEND_NUM; j++)
      scores[j] = (1 - shares[i]) * linear[j] + shares[i] * feature[j];
    UNIT_OK(context, dorm_evaluate(context, "ndcg@10", validation, scores, i ? values : first, &evaluation));
    for (size_t q = 0; i && q < BLEND_QUERIES; q++) {
      bool counts = isfinite(values[q]) && isfinite(first[q]);
      double difference = counts ? values[q] - first[q] : 0;
      count += counts;
      sum += difference;
      squares += difference * difference;
    }
    double error = sqrt((squares - sum * sum / count) / (count - 1) / count);
    if (i && sum / count > error && sum / count > best) {
      best = sum / count;
      chosen = shares[i];
    }
  }
  return chosen;
}

/* The share of parts in the mean is chosen on the validation data, from either side of what is best. */
static void compare_with_best_share(const dorm__trainer *trainer)
{
  /* The SVM has some weight on the features that are not bounded; feature 4 is noise. */
  static const struct {
    const char *text, *bounded;
    double shares[3];
  } cases[] = {{"1, 0.5, 0", "4", {1, 0.5, 0}},
               {"0, 0.5, 1", "4", {0, 0.5, 1}},
               {"0.75, 0.25, 0.5", "4", {0.75, 0.25, 0.5}},
               {"0.5, 0, 1", "1-3", {0.5, 0, 1}}};
  const dorm__trainer *extra[] = {trainer};
  DORM__OWNED(dorm_context) *context = unit_context();
  DORM__OWNED(dorm_dataset) *train = training_random_data(context, unit_seed(), BLEND_QUERIES, BLEND_DOCS, false);
  DORM__OWNED(dorm_dataset) *validation =
      training_random_data(context, unit_seed() + 1, BLEND_QUERIES, BLEND_DOCS, false);
  double linear[BLEND_NUM], trained[BLEND_NUM], feature[BLEND_NUM], scores[BLEND_NUM];
  score_best_feature(context, train, validation, feature);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__OWNED(dorm_settings) *settings =
        training_settings(context, UNIT_PAIRS("selection.blend", cases[i].text, "training.increasing", cases[i].bounded,
                                              "training.decreasing", cases[i].bounded));
    DORM__OWNED(dorm_training) *both = NULL;
    DORM__OWNED(dorm_training) *svm = unit_train(context, settings, train, validation);
    UNIT_OK(context, dorm__train_with(context, settings, train, validation, 1, extra, &both));
    CU_ASSERT_FATAL(svm && both);
    UNIT_OK(context, dorm_model_score(context, dorm_training_model(svm), train, 1, trained));
    UNIT_OK(context, dorm_model_score(context, dorm_training_model(svm), validation, 1, linear));
    UNIT_OK(context, dorm_model_score(context, dorm_training_model(both), validation, 1, scores));
    double linear_spread = unit_spread(train, trained);
    for (size_t j = 0; j < BLEND_NUM; j++)
      linear[j] /= linear_spread;
    double share = best_share(context, validation, linear, feature, 3, cases[i].shares);
    double ratio = 0; /* a side alone is left as it is, not divided by its spread */
    for (size_t j = 0; j < BLEND_NUM; j++) {
      double wanted = (1 - share) * linear[j] + share * feature[j];
      ratio = ratio == 0 && (share <= 0 || share >= 1) && fabs(wanted) > 1e-9 ? scores[j] / wanted : ratio;
      CU_ASSERT_TRUE(fabs(scores[j] - (ratio == 0 ? 1 : ratio) * wanted) <= 1e-9);
    }
    CU_ASSERT_TRUE(ratio >= 0);
  }
}

UNIT_TEST(the_blend_is_chosen_on_validation_data)
{
  compare_with_best_share(&value_trainer);
  compare_with_best_share(&sum_trainer);
}

/* The trainer `ridge` makes the starts of the SVM and nothing else. */
UNIT_TEST_IN(context, ridge_alone_makes_the_starts)
{
  static const char *const of_svm[] = {"solver.ridge", "0.1, 1", "solver.start", "ridge", NULL};
  static const char *const of_ridge[] = {"solver.ridge", "0.1, 1", "solver.start", "ridge", "training.trainer",
                                         "ridge",        NULL};
  DORM__OWNED(dorm_dataset) *dataset = training_random_data(context, unit_seed(), 20, 8, false);
  DORM__OWNED(dorm_training) *svm = training_run(context, of_svm, DORM_OK, dataset, dataset);
  DORM__OWNED(dorm_training) *ridge = training_run(context, of_ridge, DORM_OK, dataset, dataset);
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
  CU_ASSERT_EQUAL(dorm_training_num_training_queries(ridge), 20);
}

UNIT_TEST_IN(context, trainers_that_contradict_are_refused)
{
  static const struct {
    const char *pairs[6], *message;
  } bad[] = {{{"training.trainer", "svm, svm"}, "twice"},
             {{"training.trainer", "svm, ridge"}, "candidates already"},
             {{"training.trainer", "ridge", "solver.start", "zero"}, "no regression to make"}};
  DORM__OWNED(dorm_dataset) *dataset = training_random_data(context, unit_seed(), 5, 6, false);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    DORM__OWNED(dorm_settings) *settings = training_settings(context, bad[i].pairs);
    dorm_training *training = NULL;
    UNIT_BAD_USAGE(dorm_train(context, settings, dataset, NULL, &training), bad[i].message);
  }
}

/* ---- Events of rounds ------------------------------------------------------------------------------ */

typedef struct heard {
  size_t num_rounds;
  double training, validation; /* of the last round */
} heard;

static void hear(void *user, const dorm_event *event)
{
  heard *all = user;
  if (event->kind != DORM_EVENT_ITERATION)
    return;
  all->num_rounds++;
  CU_ASSERT_EQUAL(event->candidate->round, all->num_rounds);
  CU_ASSERT_TRUE(isnan(event->candidate->training) == (all->num_rounds % 10 != 0));
  all->training = event->candidate->training;
  all->validation = event->candidate->validation;
}

/* Each round of boosting is an event with the values of a model that ends with this round. */
UNIT_TEST_IN(context, rounds_of_boosting_are_events)
{
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, unit_seed(), 20);
  DORM__OWNED(dorm_dataset) *validation = training_artificial_data(context, unit_seed() + 1, 10);
  const char *const pairs[] = {TRAINING_SMALL_TREES, "trees.trees", "20", "selection.folds", "0", NULL};
  const dorm_dataset *datasets[] = {train, validation};
  dorm_evaluation values[] = {{.struct_size = sizeof *values}, {.struct_size = sizeof *values}};
  heard all = {0};
  dorm_context_set_log(context, hear, &all);
  dorm_training *training = training_run(context, pairs, DORM_OK, train, validation);
  dorm_context_set_log(context, NULL, NULL);
  CU_ASSERT_EQUAL(all.num_rounds, 20);
  dorm_training_free(training);
  training = training_run(context, pairs, DORM_OK, train, NULL);
  for (size_t i = 0; i < 2; i++) {
    DORM__FREED double *scores = dorm__alloc(datasets[i]->num_docs, sizeof *scores);
    UNIT_OK(context, dorm_model_score(context, dorm_training_model(training), datasets[i], 1, scores));
    UNIT_OK(context, dorm_evaluate(context, "ndcg@10", datasets[i], scores, NULL, &values[i]));
  }
  UNIT_CLOSE(all.training, values[0].mean, 1e-9);
  UNIT_CLOSE(all.validation, values[1].mean, 1e-9);
  dorm_training_free(training);
}
