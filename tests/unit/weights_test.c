/*
 * weights_test.c: weights of queries against queries that are repeated, weights of 0 against absence, primal values
 * against an enumeration of all rankings, and means and tests against their formulas. Weights of documents are in
 * document_weights_test.c, and where weights come from in weight_files_test.c.
 */
#include "tests/unit/training_cases.h"

enum { QUERIES = 30, DOCS = 5, NUM_DOCS = QUERIES * DOCS, MOST_REPEATED = 3 * QUERIES, MOST_PAIRS = 24 };

/* ---- Data ------------------------------------------------------------------------- */

static void draw_weights(size_t least, double weights[QUERIES])
{
  dorm__random random = unit_random(1);
  for (size_t q = 0; q < QUERIES; q++)
    weights[q] = (double)(least + dorm__random_below(&random, 4 - least));
}

/* Data with each query as often as its weight says. */
static dorm_dataset *repeat(dorm_context *context, const dorm_dataset *dataset, const double *weights)
{
  dorm__query_of queries[MOST_REPEATED];
  size_t count = 0;
  for (size_t q = 0; q < dataset->num_queries; q++)
    for (double k = 0; k < weights[q]; k++)
      queries[count++] = (dorm__query_of){dataset, q};
  return unit_gather(context, count, queries);
}

/* A data set with weights, and the same with queries that are repeated instead. */
typedef struct both_ways {
  dorm_context *context;
  double weights[QUERIES];
  dorm_dataset *weighted;
  dorm_dataset *repeated;
} both_ways;

/* made->weights are there. */
static void both_ways_make(both_ways *made)
{
  made->context = unit_context();
  made->weighted = training_random_data(made->context, unit_seed(), QUERIES, DOCS, false);
  made->repeated = repeat(made->context, made->weighted, made->weights);
  UNIT_OK(made->context, dorm_dataset_set_weights(made->context, made->weighted, made->weights, NULL));
}

static void both_ways_new(size_t least, both_ways *made)
{
  draw_weights(least, made->weights);
  both_ways_make(made);
}

static void both_ways_free(both_ways *made)
{
  dorm_dataset_free(made->weighted);
  dorm_dataset_free(made->repeated);
  dorm_context_free(made->context);
}

/* ---- Weights of queries are repeated queries ------------------------------------------ */

UNIT_TEST(primal_values_are_those_of_the_weighted_sum)
{
  DORM__AT_END(both_ways_free) both_ways data;
  both_ways_new(0, &data);
  for (size_t limited = 0; limited < 2; limited++) {
    const char *const pairs[] = {"solver.C", "30", "solver.max_iterations", limited ? "1" : "1000", NULL};
    DORM__OWNED(dorm_training) *training =
        training_run(data.context, pairs, limited ? DORM_STOPPED : DORM_OK, data.weighted, NULL);
    const double *start = training->trained[0].w, *w = training->trained[1].w;
    training_slacks sums = training_slacks_by_hand(data.weighted, 0.3, start, w);
    double primal = 0.5 * dorm__dot(TRAINING_WIDTH, w, w) + 30 / sums.weight * sums.slack;
    UNIT_CLOSE(training_certificate(training, 1)->primal, primal, 1e-9);
    CU_ASSERT_TRUE(sums.weight > 20 && sums.weight == floor(sums.weight));
  }
}

/* After a single pass, at the start, the objectives are equal; at the end, each lies within the gap of the other. */
UNIT_TEST(weights_are_repeated_queries)
{
  static const char *const losses[] = {"ndcg", "map", "mrr", "rsvm"};
  DORM__AT_END(both_ways_free) both_ways data;
  both_ways_new(0, &data);
  for (size_t k = 0; k < 4; k++) {
    const char **pairs = UNIT_PAIRS("loss.name", losses[k], "ranking.rounds", "1", "solver.gap", "1e-6", "solver.C",
                                    "20", "solver.max_iterations", "1");
    dorm_training *one = training_run(data.context, pairs, DORM_STOPPED, data.weighted, NULL);
    dorm_training *two = training_run(data.context, pairs, DORM_STOPPED, data.repeated, NULL);
    UNIT_CLOSE(training_certificate(one, 1)->primal, training_certificate(two, 1)->primal, 1e-9);
    UNIT_CLOSE(training_certificate(one, 1)->reference_constant, training_certificate(two, 1)->reference_constant,
               1e-9);
    for (size_t f = 0; f < TRAINING_WIDTH; f++)
      UNIT_CLOSE(one->trained[0].w[f], two->trained[0].w[f], 1e-9);
    UNIT_CLOSE(one->trained[0].candidate.score_scale, two->trained[0].candidate.score_scale, 1e-9);
    dorm_training_free(one);
    dorm_training_free(two);
    pairs[9] = "100000";
    one = training_run(data.context, pairs, DORM_OK, data.weighted, NULL);
    two = training_run(data.context, pairs, DORM_OK, data.repeated, NULL);
    const dorm_certificate *first = training_certificate(one, 1), *second = training_certificate(two, 1);
    CU_ASSERT_TRUE(first->dual <= second->primal * (1 + 1e-12));
    CU_ASSERT_TRUE(second->dual <= first->primal * (1 + 1e-12));
    CU_ASSERT_TRUE(first->primal > 0 && first->gap <= 1e-6);
    double square = 0; /* both lie within sqrt(2 gap primal) of the optimum, since the objective is strongly convex */
    for (size_t f = 0; f < TRAINING_WIDTH; f++)
      square += pow(one->trained[1].w[f] - two->trained[1].w[f], 2);
    CU_ASSERT_TRUE(sqrt(square) <= 2 * sqrt(2e-6 * first->primal));
    dorm_training_free(one);
    dorm_training_free(two);
  }
}

/* The dual value from alpha alone, with at most C weight_i for query i, on one and on two threads. */
UNIT_TEST(alpha_add_up_to_C_times_the_weight)
{
  static const char *const names[] = {"ndcg", "map"};
  static const double Cs[] = {0.7, 20, 500};
  for (size_t trial = 0; trial < 48; trial++) {
    DORM__AT_END(training_problem_free) training_problem made;
    double weights[QUERIES], C = Cs[trial / 8 % 3];
    dorm_context *context = unit_context();
    dorm_dataset *dataset = training_random_data(context, unit_seed() + trial, QUERIES, DOCS, false);
    draw_weights(0, weights);
    for (size_t q = 0; q < QUERIES; q += 3)
      weights[q] *= 0.001;
    UNIT_OK(context, dorm_dataset_set_weights(context, dataset, weights, NULL));
    training_problem_new(context, dataset, names[trial / 4 % 2], trial / 4 % 2 ? "loss" : "power:0.5", 1 + trial % 2,
                         &made);
    training_problem_start(&made, (dorm__bounds){NULL, NULL});
    DORM__FREED double *w = dorm__alloc_zero(TRAINING_WIDTH, sizeof *w);
    dorm_certificate certificate = {0};
    dorm__cutting_plane_options options = {.C = C, .gap = 1e-6, .max_iterations = 10000};
    UNIT_OK(context, dorm__cutting_plane(context, made.set, &options, w, &certificate));
    UNIT_CLOSE(training_problem_dual(&made, C), certificate.dual, 1e-9);
    CU_ASSERT_TRUE(certificate.gap <= 1e-6);
  }
}

/* Trains both ways with these pairs; the models' scores differ by at most `tolerance` of the largest. */
static void compare(const both_ways *data, const char *const *pairs, double tolerance)
{
  DORM__OWNED(dorm_training) *one = training_run(data->context, pairs, DORM_OK, data->weighted, NULL);
  DORM__OWNED(dorm_training) *two = training_run(data->context, pairs, DORM_OK, data->repeated, NULL);
  training_compare(data->context, pairs[3], one, two, data->weighted, tolerance);
}

static void compare_both_ways(const char *const *pairs, double tolerance)
{
  DORM__AT_END(both_ways_free) both_ways data;
  both_ways_new(0, &data);
  compare(&data, pairs, tolerance);
}

UNIT_TEST(ridge_and_statistics_are_those_of_repeated_queries)
{
  static const char *const normalisations[] = {"none", "minmax", "global-minmax", "global-zscore"};
  static const char *const starts[] = {"ridge", "gains"};
  for (size_t i = 0; i < 8; i++) {
    const char *const pairs[] = {
        "training.trainer", "ridge", "data.normalisation", normalisations[i / 2], "solver.start", starts[i % 2], NULL};
    compare_both_ways(pairs, 1e-5); /* rows are floats */
  }
}

/* Sparse rows, solved by conjugate gradients, with values that are missing. */
UNIT_TEST_IN(context, sparse_data_are_weighted_too)
{
  static const char *const normalisations[] = {"none", "global-zscore"};
  dorm_artificial parameters = {sizeof parameters, QUERIES, DOCS, 3000, 0.1, 3, 5};
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  double weights[QUERIES];
  UNIT_OK(context, dorm_dataset_generate_sparse(context, &parameters, 4, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset->row_start);
  dataset->values[3] = NAN;
  dataset->has_missing = true;
  draw_weights(1, weights);
  DORM__OWNED(dorm_dataset) *repeated = repeat(context, dataset, weights);
  UNIT_OK(context, dorm_dataset_set_weights(context, dataset, weights, NULL));
  for (size_t i = 0; i < 2; i++) {
    const char *const pairs[] = {"training.trainer", "ridge", "data.normalisation", normalisations[i], NULL};
    DORM__OWNED(dorm_training) *one = training_run(context, pairs, DORM_OK, dataset, NULL);
    DORM__OWNED(dorm_training) *two = training_run(context, pairs, DORM_OK, repeated, NULL);
    CU_ASSERT_TRUE(training_difference(context, one, two, dataset) <= 1e-5);
  }
}

/* The penalty of leaves is against the weight of the data, so the mean weight has to be about 1 here. */
UNIT_TEST(trees_are_those_of_repeated_queries)
{
  DORM__AT_END(both_ways_free) both_ways data;
  for (size_t q = 0; q < QUERIES; q++)
    data.weights[q] = q % 5 == 0 ? 0 : q % 5 == 1 ? 2 : 1;
  both_ways_make(&data);
  /* not `dorm`, whose random numbers differ from query to query */
  static const char *const objectives[] = {"regression", "ordinal", "classification", "lambda"};
  for (size_t i = 0; i < sizeof objectives / sizeof *objectives; i++) {
    compare(&data, UNIT_PAIRS(TRAINING_SMALL_TREES, "trees.objective", objectives[i], "trees.min_docs_in_leaf", "1"),
            1e-6);
  }
}

/* Only the ratios of weights count: equal ones of any size give the bits of none, for all trainers and
 * kernels. */
UNIT_TEST_IN(context, equal_weights_of_any_size_are_none)
{
  static const char *const cases[][2] = {{"svm", "linear"},     {"ridge", "linear"}, {"trees", "linear"},
                                         {"net", "linear"},     {"svm", "rbf"},      {"smooth", "linear"},
                                         {"adarank", "linear"}, {"auto", "linear"}};
  static const double sizes[] = {1e-3, 0.3, 7, 1e6};
  DORM__OWNED(dorm_dataset) *dataset = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  DORM__OWNED(dorm_dataset) *validation = training_random_data(context, unit_seed() + 1, QUERIES, DOCS, false);
  for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
    const char *const *pairs =
        UNIT_PAIRS("training.trainer", cases[t][0], "kernel.kernel", cases[t][1], "trees.trees", "5",
                   "trees.min_docs_in_leaf", "2", "net.epochs", "3", "trees.leaves", "4", "smooth.C", "10");
    UNIT_OK(context, dorm_dataset_set_weights(context, dataset, NULL, NULL));
    UNIT_OK(context, dorm_dataset_set_weights(context, validation, NULL, NULL));
    DORM__OWNED(dorm_training) *none = training_run(context, pairs, DORM_OK, dataset, validation);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      double weights[QUERIES];
      for (size_t q = 0; q < QUERIES; q++)
        weights[q] = sizes[i];
      UNIT_OK(context, dorm_dataset_set_weights(context, dataset, weights, NULL));
      UNIT_OK(context, dorm_dataset_set_weights(context, validation, weights, NULL));
      DORM__OWNED(dorm_training) *equal = training_run(context, pairs, DORM_OK, dataset, validation);
      CU_ASSERT_EQUAL(training_difference(context, none, equal, dataset), 0);
    }
  }
}

UNIT_TEST(nets_are_those_of_repeated_queries)
{
  static const char *const schedules[] = {"adam", "donmez"};
  for (size_t i = 0; i < 2; i++) {
    const char *const pairs[] = {
        "training.trainer", "net", "net.schedule", schedules[i], "net.hidden",        "0",    "net.batch", "0",
        "net.epochs",       "20",  "net.start",    "ridge",      "net.learning_rate", "0.01", NULL};
    compare_both_ways(pairs, 1e-6);
  }
}

/* ---- A weight of 0 is absence ----------------------------------------------------------- */

/* Trains on the data and on those without the queries of weight 0; the models are the same to the bit. */
static void compare_with_absence(const char *const *pairs)
{
  DORM__AT_END(both_ways_free) both_ways data;
  dorm__query_of kept[QUERIES];
  size_t count = 0;
  double weights[QUERIES];
  both_ways_new(0, &data);
  for (size_t q = 0; q < QUERIES; q++)
    if (data.weights[q] > 0)
      kept[count++] = (dorm__query_of){data.weighted, q};
  CU_ASSERT_FATAL(count > 10 && count < QUERIES);
  DORM__OWNED(dorm_dataset) *without = unit_gather(data.context, count, kept);
  for (size_t q = 0; q < count; q++)
    weights[q] = data.weights[kept[q].query];
  CU_ASSERT_EQUAL(memcmp(weights, without->query_weights, count * sizeof *weights), 0);
  DORM__OWNED(dorm_training) *one = training_run(data.context, pairs, DORM_OK, data.weighted, NULL);
  DORM__OWNED(dorm_training) *two = training_run(data.context, pairs, DORM_OK, without, NULL);
  CU_ASSERT_EQUAL(training_difference(data.context, one, two, data.weighted), 0);
  CU_ASSERT_EQUAL(dorm_training_num_training_queries(one), dorm_training_num_training_queries(two));
}

UNIT_TEST(a_weight_of_0_is_absence)
{
  static const char *const cases[][MOST_PAIRS] = {
      {"solver.C", "1"},
      {"data.normalisation", "global-zscore"},
      {"kernel.kernel", "rbf", "kernel.rank", "10"},
      {"selection.folds", "3", "solver.C", "1, 10"},
      {"training.trainer", "ridge"},
      {"training.trainer", "net", "net.epochs", "5", "net.hidden", "3"},
      {"training.trainer", "trees", "trees.trees", "4", "trees.leaves", "4", "trees.learning_rate", "0.2"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    compare_with_absence(cases[i]);
}

UNIT_TEST_IN(context, all_weights_of_0_are_refused)
{
  DORM__OWNED(dorm_dataset) *dataset = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  DORM__OWNED(dorm_settings) *settings = training_settings(context, NULL);
  dorm_training *training = (dorm_training *)context;
  double weights[QUERIES] = {0};
  UNIT_OK(context, dorm_dataset_set_weights(context, dataset, weights, NULL));
  UNIT_BAD_DATA(dorm_train(context, settings, dataset, NULL, &training), "all 30 queries have the weight 0");
  CU_ASSERT_PTR_NULL(training);
}

/* ---- Measures ------------------------------------------------------------------------------- */

static void draw_scores(size_t count, uint64_t seed, double *scores)
{
  dorm__random random;
  dorm__random_seed(&random, seed);
  for (size_t j = 0; j < count; j++)
    scores[j] = dorm__random_normal(&random);
}

/* The same scores for the repeated queries. */
static void repeat_scores(const double *weights, const double *scores, double *repeated)
{
  size_t count = 0;
  for (size_t q = 0; q < QUERIES; q++)
    for (double k = 0; k < weights[q]; k++)
      for (size_t j = 0; j < DOCS; j++)
        repeated[count++] = scores[q * DOCS + j];
}

UNIT_TEST(means_are_those_of_repeated_queries)
{
  static const char *const measures[] = {"ndcg@3", "map:empty=skip", "err@3", "minus_loss(rsvm)", "p@2"};
  static double scores[NUM_DOCS], repeated[3 * NUM_DOCS], values[QUERIES];
  DORM__AT_END(both_ways_free) both_ways data;
  both_ways_new(0, &data);
  draw_scores(NUM_DOCS, unit_seed() + 3, scores);
  repeat_scores(data.weights, scores, repeated);
  for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
    dorm_evaluation one = {.struct_size = sizeof one}, two = {.struct_size = sizeof two};
    UNIT_OK(data.context, dorm_evaluate(data.context, measures[i], data.weighted, scores, values, &one));
    UNIT_OK(data.context, dorm_evaluate(data.context, measures[i], data.repeated, repeated, NULL, &two));
    UNIT_CLOSE(one.mean, two.mean, 1e-12);
    CU_ASSERT_TRUE(one.is_weighted && !two.is_weighted);
    UNIT_CLOSE(one.total_weight, (double)two.num_queries, 1e-12);
    double weight = 0, squares = 0, spread = 0;
    size_t count = 0;
    for (size_t q = 0; q < QUERIES; q++)
      if (!isnan(values[q]) && data.weights[q] > 0) {
        weight += data.weights[q];
        squares += data.weights[q] * data.weights[q];
        spread += data.weights[q] * pow(values[q] - one.mean, 2);
        count++;
      }
    double n = weight * weight / squares;
    CU_ASSERT_EQUAL(one.num_queries, count);
    UNIT_CLOSE(one.effective_queries, n, 1e-12);
    UNIT_CLOSE(one.standard_error, sqrt(spread / weight / (n - 1)), 1e-12);
    CU_ASSERT_TRUE(two.effective_queries == (double)two.num_queries);
  }
}

/* Equal weights, whatever they are, change nothing, and the squared error has no bias: over random values its mean is
 * the variance of the weighted mean. */
UNIT_TEST_IN(context, standard_errors_have_no_bias)
{
  enum { ROUNDS = 4000, COUNT = 12 };
  static const double weights[COUNT] = {5, 3, 1, 1, 0.5, 2, 0, 0.1, 4, 1, 1, 2};
  double total = 0, squares = 0, error = 0;
  dorm__random random = unit_random(11);
  for (size_t q = 0; q < COUNT; q++) {
    total += weights[q];
    squares += weights[q] * weights[q];
  }
  double variance = squares / (total * total);
  for (size_t round = 0; round < ROUNDS; round++) {
    double first[COUNT], second[COUNT] = {0};
    dorm_comparison comparison = {.struct_size = sizeof comparison};
    for (size_t q = 0; q < COUNT; q++)
      first[q] = dorm__random_normal(&random);
    UNIT_OK(context, dorm_compare_weighted(context, COUNT, first, second, weights, 1, 1, &comparison));
    error += comparison.standard_error * comparison.standard_error / ROUNDS;
  }
  CU_ASSERT_TRUE(fabs(error / variance - 1) < 0.05);
}

UNIT_TEST_IN(context, comparisons_are_weighted)
{
  enum { COUNT = 9 };
  static const double first[COUNT] = {0.5, 0.7, NAN, 0.1, 0.9, 0.4, 0.3, 0.8, 0.2};
  static const double second[COUNT] = {0.4, 0.2, 0.5, 0.3, 0.5, NAN, 0.2, 0.9, 0.9};
  static const double weights[COUNT] = {1, 3, 2, 0.5, 2, 4, 1.5, 1, 0};
  static const double ones[COUNT] = {2, 2, 2, 2, 2, 2, 2, 2, 2};
  dorm_comparison one = {.struct_size = sizeof one}, two = one, bad = one;
  double differences[COUNT], own[COUNT], sum = 0, total = 0, squares = 0, spread = 0;
  size_t count = 0, far = 0;
  for (size_t q = 0; q < COUNT; q++)
    if (!isnan(first[q]) && !isnan(second[q]) && weights[q] > 0) {
      differences[count] = first[q] - second[q];
      own[count] = weights[q];
      sum += own[count] * differences[count];
      squares += own[count] * own[count];
      total += own[count++];
    }
  for (size_t i = 0; i < count; i++)
    spread += own[i] * pow(differences[i] - sum / total, 2);
  for (unsigned signs = 0; signs < 1U << count; signs++) {
    double changed = 0;
    for (size_t i = 0; i < count; i++)
      changed += (signs >> i & 1 ? -1 : 1) * own[i] * differences[i];
    far += fabs(changed) >= fabs(sum) - 1e-12;
  }
  UNIT_OK(context, dorm_compare_weighted(context, COUNT, first, second, weights, 10, 1, &one));
  CU_ASSERT_EQUAL(one.num_pairs, count);
  CU_ASSERT_EQUAL(count, 6);
  UNIT_CLOSE(one.difference, sum / total, 1e-12);
  UNIT_CLOSE(one.first - one.second, one.difference, 1e-12);
  UNIT_CLOSE(one.standard_error, sqrt(spread / total / (total * total / squares - 1)), 1e-12);
  UNIT_CLOSE(one.t, one.difference / one.standard_error, 1e-12);
  UNIT_CLOSE(one.randomisation, (double)far / (double)(1U << count), 1e-12);
  UNIT_OK(context, dorm_compare(context, COUNT, first, second, 10, 1, &one));
  UNIT_OK(context, dorm_compare_weighted(context, COUNT, first, second, ones, 10, 1, &two));
  CU_ASSERT_TRUE(unit_close(one.t_test, two.t_test, 1e-12) && unit_close(one.randomisation, two.randomisation, 1e-12));
  CU_ASSERT_TRUE(unit_close(one.standard_error, two.standard_error, 1e-12) && one.num_pairs == two.num_pairs);
  UNIT_BAD_DATA(dorm_compare_weighted(context, COUNT, first, second, second, 10, 1, &bad), "entry 5 is nan");
  UNIT_BAD_DATA(dorm_compare_weighted(context, 2, first, second, (double[]){1, -2}, 10, 1, &bad), "entry 1 is -2");
}

/* Values of candidates are weighted means over the validation data; over folds, of all held-out queries. */
UNIT_TEST(candidates_are_chosen_by_weighted_means)
{
  static const char *const pairs[] = {"solver.C", "1, 10", "selection.folds", "5", NULL};
  static double scores[NUM_DOCS];
  DORM__AT_END(both_ways_free) both_ways data;
  both_ways_new(1, &data);
  DORM__OWNED(dorm_dataset) *plain = training_random_data(data.context, unit_seed(), QUERIES, DOCS, false);
  DORM__OWNED(dorm_training) *training = training_run(data.context, pairs + 4, DORM_OK, plain, data.weighted);
  UNIT_OK(data.context, dorm_model_score(data.context, dorm_training_model(training), data.weighted, 1, scores));
  UNIT_CLOSE(dorm_training_validation(training), unit_evaluate(data.context, "ndcg@10", data.weighted, scores), 1e-12);
  double equal[QUERIES];
  for (size_t q = 0; q < QUERIES; q++)
    equal[q] = 4;
  DORM__OWNED(dorm_training) *one = training_run(data.context, pairs, DORM_OK, plain, NULL);
  UNIT_OK(data.context, dorm_dataset_set_weights(data.context, plain, equal, NULL));
  DORM__OWNED(dorm_training) *two = training_run(data.context, pairs, DORM_OK, plain, NULL);
  for (size_t i = 0; i < one->num_trained; i++) {
    const dorm_candidate *first = dorm_training_candidate(one, i), *second = dorm_training_candidate(two, i);
    UNIT_CLOSE(first->validation, second->validation, 1e-6);
    UNIT_CLOSE(first->validation_error, second->validation_error, 1e-6);
  }
}

UNIT_TEST(probes_are_of_the_weighted_mean)
{
  static const char *const pairs[] = {"training.trainer", "ridge", NULL};
  static const double steps[] = {0.1};
  DORM__AT_END(both_ways_free) both_ways data;
  both_ways_new(1, &data);
  DORM__OWNED(dorm_training) *training = training_run(data.context, pairs, DORM_OK, data.weighted, NULL);
  dorm_probe_options options = {
      .struct_size = sizeof options, .num_directions = 20, .num_steps = 1, .steps = steps, .num_threads = 1};
  DORM__OWNED(dorm_probe) *one = NULL, *two = NULL;
  const dorm_model *model = dorm_training_model(training);
  UNIT_OK(data.context, dorm_model_probe(data.context, model, data.weighted, "ndcg@3", &options, &one));
  UNIT_OK(data.context, dorm_model_probe(data.context, model, data.repeated, "ndcg@3", &options, &two));
  UNIT_CLOSE(one->value, two->value, 1e-12);
  for (size_t i = 0; i < 2 * options.num_directions; i++)
    UNIT_CLOSE(one->curves[i], two->curves[i], 1e-12);
}
