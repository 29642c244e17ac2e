/* training_cases.c: see training_cases.h. */
#include "tests/unit/training_cases.h"

#include "base/base.h"
#include "base/random.h"
#include "data/data.h"
#include "features/features.h"
#include "jobs/jobs.h"
#include "losses/losses.h"
#include "solver/columns.h"
#include "solver/problem.h"
#include "solver/solver.h"
#include "solver/working_set.h"
#include "tests/unit/unit.h"
#include "training/training.h"

#include <math.h>

dorm_dataset *training_random_data(dorm_context *context, uint64_t seed, size_t num_queries, size_t num_docs,
                                   bool is_shifted)
{
  static double labels[TRAINING_MOST_QUERIES * TRAINING_MOST_DOCS];
  static float values[TRAINING_MOST_QUERIES * TRAINING_MOST_DOCS * TRAINING_WIDTH];
  size_t start[TRAINING_MOST_QUERIES + 1] = {0};
  dorm__random random;
  dorm__random_seed(&random, seed);
  for (size_t q = 0; q < num_queries; q++) {
    start[q + 1] = (q + 1) * num_docs;
    for (size_t j = start[q]; j < start[q + 1]; j++) {
      double x[TRAINING_WIDTH];
      for (size_t f = 0; f < TRAINING_WIDTH; f++) {
        x[f] = round(16 * dorm__random_normal(&random)) / 16;
        values[j * TRAINING_WIDTH + f] = (float)(x[f] + (is_shifted ? 512 * (double)((q + 1) * (f + 1)) : 0));
      }
      double target = x[0] - x[1] - 0.5 * x[2] + dorm__random_normal(&random);
      labels[j] = q < 2 ? (double)q : target > 1.5 ? 2 : target > 0 ? 1 : 0;
    }
  }
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_from_arrays(context, num_queries, start, TRAINING_WIDTH, labels, values, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

dorm_settings *training_settings(dorm_context *context, const char *const *pairs)
{
  static const char *const common[][2] = {
      {"data.normalisation", "none"},  {"data.rank_block", "0"}, {"ranking.position_weights", "power:0.5"},
      {"ranking.reference", "mu:0.3"}, {"ranking.rounds", "1"},  {"selection.measure", "ndcg@10"},
      {"selection.average", "1"},      {"selection.folds", "0"}};
  dorm_settings *settings = unit_settings(context, common, sizeof common / sizeof *common);
  for (size_t i = 0; pairs && pairs[i]; i += 2)
    UNIT_OK(context, dorm_settings_set(context, settings, pairs[i], pairs[i + 1]));
  return settings;
}

dorm_training *training_run(dorm_context *context, const char *const *pairs, dorm_status expected,
                            const dorm_dataset *train, const dorm_dataset *validation)
{
  DORM__OWNED(dorm_settings) *settings = training_settings(context, pairs);
  dorm_training *training = NULL;
  UNIT_FAILS(context, dorm_train(context, settings, train, validation, &training), expected, NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL(training);
  return training;
}

const dorm_certificate *training_certificate(const dorm_training *training, size_t index)
{
  return &dorm_training_candidate(training, index)->certificate;
}

double training_difference(dorm_context *context, const dorm_training *one, const dorm_training *two,
                           const dorm_dataset *dataset)
{
  enum { MOST_DOCS = TRAINING_MOST_QUERIES * TRAINING_MOST_DOCS };
  static double scores[2][MOST_DOCS];
  double largest = 0, difference = 0;
  CU_ASSERT_FATAL(dataset->num_docs <= MOST_DOCS);
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(one), dataset, 1, scores[0]));
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(two), dataset, 1, scores[1]));
  for (size_t j = 0; j < dataset->num_docs; j++) {
    largest = fmax(largest, fabs(scores[0][j]));
    difference = fmax(difference, fabs(scores[0][j] - scores[1][j]));
  }
  CU_ASSERT_TRUE(largest > 0);
  return difference / largest;
}

dorm_dataset *training_artificial_data(dorm_context *context, uint64_t data_seed, size_t num_queries)
{
  dorm_artificial parameters = {sizeof parameters, num_queries, 20, 6, 0.2, 7, data_seed};
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

void training_problem_make(dorm_context *context, const dorm_dataset *dataset, const dorm__features *features,
                           dorm__loss_tables *tables, const char *position_weights, const dorm__diversity *diversity,
                           size_t num_threads, dorm__problem **problem, dorm__scored_point **point)
{
  DORM__AT_END(dorm__position_weights_clear) dorm__position_weights weights;
  UNIT_OK(context, dorm__position_weights_from(context, position_weights, &weights));
  dorm__problem_options options = {.position_weights = &weights, .num_threads = num_threads};
  if (diversity)
    options.diversity = *diversity;
  UNIT_OK(context, dorm__problem_new(context, dataset, features, tables, &options, problem));
  CU_ASSERT_PTR_NOT_NULL_FATAL(*problem);
  UNIT_OK(context, dorm__scored_point_new(context, *problem, point));
  CU_ASSERT_PTR_NOT_NULL_FATAL(*point);
}

dorm_status training_reference_at(const dorm__problem *problem, dorm__scored_point *point,
                                  const dorm__reference *reference, size_t query, const double *w, dorm__vector *phi,
                                  double *loss)
{
  dorm__scored_point_move(point, w);
  return dorm__reference_at(problem, reference, query, point, &problem->workers.threads[0], phi, loss);
}

void training_problem_new(dorm_context *context, dorm_dataset *dataset, const char *loss, const char *position_weights,
                          size_t num_threads, training_problem *made)
{
  size_t width = dorm_dataset_num_features(dataset);
  DORM__FREED size_t *ids = dorm__alloc(width, sizeof *ids);
  *made = (training_problem){.context = context, .dataset = dataset, .start = dorm__alloc_zero(width, sizeof(double))};
  CU_ASSERT_FATAL(ids && made->start);
  for (size_t f = 0; f < width; f++)
    ids[f] = f + 1;
  dorm__feature_map map = {.num_ids = width, .ids = ids};
  UNIT_OK(context, dorm__features_build(context, dataset, &map, 1, &made->features));
  UNIT_OK(context, dorm__loss_open(context, loss, &made->loss));
  UNIT_OK(context, dorm__loss_tables_build(context, made->loss, dataset, 1, &made->tables));
  training_problem_make(context, dataset, &made->features, made->tables, position_weights, NULL, num_threads,
                        &made->problem, &made->point);
}

void training_problem_start(training_problem *made, dorm__bounds bounds)
{
  dorm_context *context = made->context;
  dorm__reference reference = dorm__reference_from("mu:0.3");
  dorm__sampled_features sample = dorm__features_sample(
      &made->features, dorm__ridge_stride(made->dataset->num_docs, made->features.num_features, false));
  UNIT_OK(context, dorm__ridge_regression(context, made->dataset, &sample, false, 0.15, 1, made->start));
  UNIT_OK(context, dorm__working_set_new(context, made->problem, made->point, bounds, &made->set));
  CU_ASSERT_PTR_NOT_NULL_FATAL(made->set);
  UNIT_OK(context, dorm__working_set_set_reference(context, made->set, &reference, made->start));
}

void training_problem_free(training_problem *made)
{
  dorm__working_set_free(made->set);
  dorm__scored_point_free(made->point);
  dorm__problem_free(made->problem);
  dorm__loss_tables_free(made->tables);
  dorm__loss_close(made->loss);
  dorm__features_free(&made->features);
  dorm_dataset_free(made->dataset);
  dorm__free(made->start);
  dorm_context_free(made->context);
}

double training_problem_dual(const training_problem *made, double C)
{
  const dorm__working_set *set = made->set;
  DORM__FREED double *v = dorm__alloc_zero(made->features.num_features, sizeof *v);
  double value = 0;
  for (size_t i = 0; i < set->problem->num_queries; i++) {
    const dorm__columns *columns = &set->sets[i];
    double sum = 0;
    for (size_t k = 0; k < columns->count; k++) {
      CU_ASSERT_TRUE(columns->alpha[k] >= 0);
      sum += columns->alpha[k];
      value += columns->alpha[k] * columns->loss[k];
      for (size_t f = 0; f < made->features.num_features; f++)
        v[f] += columns->alpha[k] * (columns->reference.values[f] - columns->phi[k].values[f]);
    }
    CU_ASSERT_TRUE(sum <= C * set->problem->weights[i] * (1 + 1e-9));
  }
  for (size_t f = 0; f < made->features.num_features; f++) {
    double w = set->bounds.lower && v[f] < set->bounds.lower[f] ? set->bounds.lower[f] : v[f];
    value += 0.5 * w * w - w * v[f];
  }
  return value;
}
