/* training_cases.c: see training_cases.h. */
#include "tests/unit/training_cases.h"


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
  return unit_dataset(context, num_queries, start, TRAINING_WIDTH, labels, values);
}

dorm_settings *training_settings(dorm_context *context, const char *const *pairs)
{
  dorm_settings *settings =
      unit_svm(context, UNIT_PAIRS("data.normalisation", "none", "data.rank_block", "0", "ranking.position_weights",
                                   "power:0.5", "ranking.reference", "mu:0.3", "ranking.rounds", "1",
                                   "selection.measure", "ndcg@10", "selection.average", "1", "selection.folds", "0"));
  for (size_t i = 0; pairs && pairs[i]; i += 2)
    UNIT_OK(context, dorm_settings_set(context, settings, pairs[i], pairs[i + 1]));
  return settings;
}

dorm_training *training_run_lists(dorm_context *context, const char *const *const *lists, dorm_status expected,
                                  const dorm_dataset *train, const dorm_dataset *validation)
{
  DORM__OWNED(dorm_settings) *settings = training_settings(context, NULL);
  dorm_training *training = NULL;
  for (; *lists; lists++)
    for (const char *const *pairs = *lists; *pairs; pairs += 2)
      UNIT_OK(context, dorm_settings_set(context, settings, pairs[0], pairs[1]));
  UNIT_FAILS(context, dorm_train(context, settings, train, validation, &training), expected, NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL(training);
  return training;
}

dorm_training *training_run(dorm_context *context, const char *const *pairs, dorm_status expected,
                            const dorm_dataset *train, const dorm_dataset *validation)
{
  return training_run_lists(context, TRAINING_LISTS(pairs), expected, train, validation);
}

void training_compare(dorm_context *context, const char *what, const dorm_training *one, const dorm_training *two,
                      const dorm_dataset *dataset, double most)
{
  double difference = training_difference(context, one, two, dataset);
  if (!(difference <= most))
    printf("\n    %s: difference %g\n", what, difference);
  CU_ASSERT_TRUE(difference <= most);
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
  return unit_artificial(context, num_queries, 20, 6, 0.2, 7, data_seed);
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

/* ---- The loss and its bound by enumeration --------------------------------------- */

/* One query of five documents: c[p] = (p + 2)^-1/2, Delta = 1 - NDCG with gains
 * 2^label - 1 and discounts 1 / log2(p + 2). */
typedef struct five_docs {
  double scores[TRAINING_FEW_DOCS];
  double gains[TRAINING_FEW_DOCS];
  double ideal; /* the largest DCG, 0 while it is not known */
  double least; /* the smallest */
} five_docs;

typedef struct best_ranking {
  double value; /* sum c score + t Delta */
  double loss;
  uint32_t order[TRAINING_FEW_DOCS];
} best_ranking;

static double discount(size_t p)
{
  return 1 / log2((double)p + 2);
}

static double weight(size_t p)
{
  return 1 / sqrt((double)p + 2);
}

/* The ranking that maximises. */
static best_ranking best_of(const five_docs *docs, double t)
{
  uint32_t order[TRAINING_FEW_DOCS];
  best_ranking best = {.value = -INFINITY};
  for (size_t r = 0; unit_ranking(TRAINING_FEW_DOCS, r, order); r++) {
    double value = 0, gain = 0;
    for (size_t p = 0; p < TRAINING_FEW_DOCS; p++) {
      value += weight(p) * docs->scores[order[p]];
      gain += discount(p) * docs->gains[order[p]];
    }
    double loss = docs->ideal > 0 ? 1 - gain / docs->ideal : -gain;
    if (value + t * loss > best.value) {
      best.value = value + t * loss;
      best.loss = loss;
      memcpy(best.order, order, sizeof order);
    }
  }
  return best;
}

static void score_docs(const dorm_dataset *dataset, size_t query, const double *w, five_docs *docs)
{
  for (size_t j = 0; j < TRAINING_FEW_DOCS; j++) {
    docs->scores[j] = 0;
    for (size_t f = 0; f < TRAINING_WIDTH; f++)
      docs->scores[j] += w[f] * (double)dorm_dataset_value(dataset, query * TRAINING_FEW_DOCS + j, f);
  }
}

/* Whether some ranking costs more than another. */
static bool five_docs_of(const dorm_dataset *dataset, size_t query, five_docs *docs)
{
  *docs = (five_docs){0};
  for (size_t j = 0; j < TRAINING_FEW_DOCS; j++)
    docs->gains[j] = exp2(dorm_dataset_label(dataset, query * TRAINING_FEW_DOCS + j)) - 1;
  docs->least = -best_of(docs, 1).value;
  docs->ideal = best_of(docs, -1).value;
  return docs->ideal > docs->least + 1e-9;
}

training_slacks training_slacks_by_hand(const dorm_dataset *dataset, double mu, const double *round_start,
                                        const double *w)
{
  training_slacks sums = {0};
  for (size_t q = 0; q < dorm_dataset_num_queries(dataset); q++) {
    five_docs docs;
    if (!five_docs_of(dataset, q, &docs))
      continue;
    score_docs(dataset, q, round_start, &docs);
    best_ranking reference = best_of(&docs, -mu);
    score_docs(dataset, q, w, &docs);
    double slack = best_of(&docs, 1).value;
    for (size_t p = 0; p < TRAINING_FEW_DOCS; p++)
      slack -= weight(p) * docs.scores[reference.order[p]];
    double weight_of_query = dorm_dataset_query_weight(dataset, q);
    sums.weight += weight_of_query;
    sums.slack += weight_of_query * fmax(0, slack);
    sums.loss += weight_of_query * reference.loss;
  }
  return sums;
}
