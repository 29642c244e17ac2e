/*
 * structured_losses_test.c: the worst outputs of structured losses against an
 * enumeration of all outputs written out here, and the ranking SVM trained by
 * cutting planes against coordinate descent on explicit pairs.
 */
#include "tests/unit/unit.h"

#include "solver/solver.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { FEW = 6, MANY = 400 };

/* max over all outputs of Delta + sum coefficient g, from the definition. */
typedef double (*enumerated_value)(size_t num_docs, const double *labels, const double *scores);

/* Few levels and few different scores, so that ties of both are common; zero
 * scores in every fourth round, differences of exactly 1 in others. */
static void random_query(dorm__random *random, size_t round, size_t num_docs, double *labels, double *scores)
{
  size_t levels = 1 + dorm__random_below(random, 4);
  for (size_t j = 0; j < num_docs; j++) {
    labels[j] = (double)dorm__random_below(random, levels);
    scores[j] = round % 4 == 0   ? 0
                : round % 4 == 1 ? 0.5 * (double)dorm__random_below(random, 5)
                : round % 4 == 2 ? dorm__random_normal(random)
                                 : 0.1 * dorm__random_normal(random);
  }
}

static dorm_dataset *one_query(dorm_context *context, size_t num_docs, const double *labels)
{
  size_t query_start[2] = {0, num_docs};
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_from_arrays(context, 1, query_start, 0, labels, NULL, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

static double value_at(size_t num_docs, const double *coefficients, double delta, const double *scores)
{
  for (size_t j = 0; j < num_docs; j++)
    delta += coefficients[j] * scores[j];
  return delta;
}

/* The worst output reaches the largest value at its scores, and at other scores
 * no more than the largest there: it is an output, and the worst. */
static void compare_with_enumeration(const char *spec, enumerated_value enumerate)
{
  dorm_context *context = unit_context();
  dorm__loss *loss = NULL;
  UNIT_OK(context, dorm__loss_open(context, spec, &loss));
  CU_ASSERT_PTR_NOT_NULL_FATAL(loss);
  CU_ASSERT_TRUE(dorm__loss_is_structured(loss));
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  for (size_t round = 0; round < 200; round++) {
    double labels[FEW], scores[FEW], others[FEW], coefficients[FEW], delta;
    size_t num_docs = 1 + round % FEW;
    random_query(&random, round, num_docs, labels, scores);
    dorm_dataset *dataset = one_query(context, num_docs, labels);
    UNIT_OK(context, dorm__loss_prepare(context, loss, dataset));
    UNIT_OK(context, dorm__loss_find_worst(context, loss, dataset, 0, scores, coefficients, &delta));
    double reached = value_at(num_docs, coefficients, delta, scores);
    double largest = enumerate(num_docs, labels, scores);
    if (!unit_close(reached, largest, 1e-12))
      printf("\n    %s, round %zu: %.17g reached, %.17g possible\n", spec, round, reached, largest);
    CU_ASSERT_TRUE_FATAL(unit_close(reached, largest, 1e-12));
    for (size_t other = 0; other < 4; other++) {
      double scratch[FEW];
      random_query(&random, other, num_docs, scratch, others);
      CU_ASSERT_TRUE(value_at(num_docs, coefficients, delta, others) <= enumerate(num_docs, labels, others) + 1e-12);
    }
    dorm_dataset_free(dataset);
  }
  dorm__loss_close(loss);
  dorm_context_free(context);
}

/* ---- Pairs ------------------------------------------------------------------------ */

typedef struct listed_pair {
  size_t better, worse;
} listed_pair;

static size_t list_pairs(size_t num_docs, const double *labels, listed_pair *pairs)
{
  size_t count = 0;
  for (size_t i = 0; i < num_docs; i++)
    for (size_t j = 0; j < num_docs; j++)
      if (labels[i] > labels[j])
        pairs[count++] = (listed_pair){i, j};
  return count;
}

/* Over all sets of pairs. */
static double worst_pair_set(size_t num_docs, const double *labels, const double *scores)
{
  listed_pair pairs[FEW * FEW];
  size_t count = list_pairs(num_docs, labels, pairs);
  double largest = 0;
  for (size_t set = 0; set < (size_t)1 << count; set++) {
    double value = 0;
    for (size_t k = 0; k < count; k++)
      if (set >> k & 1)
        value += 1 - scores[pairs[k].better] + scores[pairs[k].worse];
    largest = fmax(largest, value);
  }
  return largest;
}

static double mean_worst_pair_set(size_t num_docs, const double *labels, const double *scores)
{
  listed_pair pairs[FEW * FEW];
  size_t count = list_pairs(num_docs, labels, pairs);
  return count ? worst_pair_set(num_docs, labels, scores) / (double)count : 0;
}

static void the_worst_pairs_are_the_worst(void)
{
  compare_with_enumeration("rsvm:pairs=sum", worst_pair_set);
  compare_with_enumeration("rsvm", mean_worst_pair_set);
}

/* Documents enough for every path of the counting; pairs one by one here. */
static void long_queries_count_as_pairs_do(void)
{
  static double labels[MANY], scores[MANY], coefficients[MANY], expected[MANY];
  static const size_t levels[] = {2, 5, 1000};
  dorm_context *context = unit_context();
  dorm__loss *loss = NULL;
  UNIT_OK(context, dorm__loss_open(context, "rsvm:pairs=sum", &loss));
  CU_ASSERT_PTR_NOT_NULL_FATAL(loss);
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  for (size_t round = 0; round < 9; round++) {
    double delta = 0, expected_delta = 0;
    for (size_t j = 0; j < MANY; j++) {
      labels[j] = (double)dorm__random_below(&random, levels[round % 3]);
      scores[j] = round < 3 ? dorm__random_normal(&random) : (double)dorm__random_below(&random, 9) / (double)round;
      expected[j] = 0;
    }
    for (size_t i = 0; i < MANY; i++)
      for (size_t j = 0; j < MANY; j++)
        if (labels[i] > labels[j] && scores[i] - scores[j] < 1) {
          expected_delta++;
          expected[i]--;
          expected[j]++;
        }
    dorm_dataset *dataset = one_query(context, MANY, labels);
    UNIT_OK(context, dorm__loss_find_worst(context, loss, dataset, 0, scores, coefficients, &delta));
    CU_ASSERT_EQUAL(delta, expected_delta);
    CU_ASSERT_EQUAL(memcmp(coefficients, expected, sizeof expected), 0);
    dorm_dataset_free(dataset);
  }
  dorm__loss_close(loss);
  dorm_context_free(context);
}

/* ---- What a ranking costs ------------------------------------------------------------ */

/* With each loss: minus its mean, or 1 less it, is a measure of its own. */
static const struct {
  const char *loss, *measure;
  double sign; /* measure = from + sign * minus_loss */
  double from;
} own_measures[] = {
    {"rsvm", "pair_error", -1, 0},
    {"rsvm", "roc_area:empty=1", 1, 1},
};

static void a_ranking_costs_what_its_measure_misses(void)
{
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  for (size_t round = 0; round < 60; round++) {
    double labels[FEW], scores[FEW];
    size_t num_docs = 1 + round % FEW;
    random_query(&random, 2, num_docs, labels, scores);
    dorm_dataset *dataset = one_query(context, num_docs, labels);
    for (size_t i = 0; i < sizeof own_measures / sizeof *own_measures; i++) {
      char spec[100];
      dorm_evaluation by_loss, by_measure;
      snprintf(spec, sizeof spec, "minus_loss(%s)", own_measures[i].loss);
      UNIT_OK(context, dorm_evaluate(context, spec, dataset, scores, NULL, &by_loss));
      UNIT_OK(context, dorm_evaluate(context, own_measures[i].measure, dataset, scores, NULL, &by_measure));
      CU_ASSERT_TRUE(unit_close(by_measure.mean, own_measures[i].from + own_measures[i].sign * by_loss.mean, 1e-9));
    }
    dorm_dataset_free(dataset);
  }
  dorm_context_free(context);
}

/* ---- Training the ranking SVM ------------------------------------------------------------ */

enum { QUERIES = 12, DOCS = 9, WIDTH = 5, MOST_PAIRS = QUERIES * DOCS * DOCS };

/* Two equal documents in every query, one of them of another label; the last
 * query has one level. */
static dorm_dataset *random_data(dorm_context *context, uint64_t seed, bool is_sparse)
{
  size_t start[QUERIES + 1], row_start[QUERIES * DOCS + 1], count = 0;
  double labels[QUERIES * DOCS];
  float values[QUERIES * DOCS * WIDTH], entries[QUERIES * DOCS * WIDTH];
  uint32_t columns[QUERIES * DOCS * WIDTH];
  dorm__random random;
  dorm__random_seed(&random, seed);
  for (size_t q = 0; q <= QUERIES; q++)
    start[q] = q * DOCS;
  row_start[0] = 0;
  for (size_t j = 0; j < QUERIES * DOCS; j++) {
    labels[j] = j < (QUERIES - 1) * DOCS ? (double)dorm__random_below(&random, 4) : 1;
    for (size_t f = 0; f < WIDTH; f++) {
      bool is_equal = j % DOCS == 1;
      double noise = dorm__random_normal(&random);
      values[j * WIDTH + f] = is_equal                         ? values[(j - 1) * WIDTH + f]
                              : dorm__random_below(&random, 3) ? (float)(noise + 0.3 * labels[j] * (double)(f < 2))
                                                               : 0;
      if (values[j * WIDTH + f] != 0) {
        columns[count] = (uint32_t)f;
        entries[count++] = values[j * WIDTH + f];
      }
    }
    row_start[j + 1] = count;
  }
  dorm_dataset *dataset = NULL;
  if (is_sparse)
    UNIT_OK(context,
            dorm_dataset_from_sparse(context, QUERIES, start, WIDTH, labels, row_start, columns, entries, &dataset));
  else
    UNIT_OK(context, dorm_dataset_from_arrays(context, QUERIES, start, WIDTH, labels, values, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

/* min 1/2 |w|^2 + sum_k bound_k max(0, 1 - <w, x_k>) over explicit differences x_k
 * of pairs, by dual coordinate descent (Hsieh et al. 2008) to a gap of 1e-8. */
typedef struct explicit_pairs {
  size_t count;
  double x[MOST_PAIRS][WIDTH];
  double bound[MOST_PAIRS];
  double alpha[MOST_PAIRS];
  double w[WIDTH];
} explicit_pairs;

static double hinge_sum(const explicit_pairs *pairs, const double *w)
{
  double sum = 0.5 * dorm__dot(WIDTH, w, w);
  for (size_t k = 0; k < pairs->count; k++)
    sum += pairs->bound[k] * fmax(0, 1 - dorm__dot(WIDTH, w, pairs->x[k]));
  return sum;
}

static double solve_pairs(explicit_pairs *pairs)
{
  double primal = INFINITY, dual = -INFINITY;
  memset(pairs->alpha, 0, sizeof pairs->alpha);
  memset(pairs->w, 0, sizeof pairs->w);
  for (size_t sweep = 0; sweep < 200000 && primal - dual > 1e-8 * primal; sweep++) {
    for (size_t k = 0; k < pairs->count; k++) {
      double square = dorm__dot(WIDTH, pairs->x[k], pairs->x[k]);
      double slope = 1 - dorm__dot(WIDTH, pairs->w, pairs->x[k]);
      double alpha = square > 0 ? pairs->alpha[k] + slope / square : pairs->bound[k];
      alpha = fmin(pairs->bound[k], fmax(0, alpha));
      dorm__add_scaled(WIDTH, alpha - pairs->alpha[k], pairs->x[k], pairs->w);
      pairs->alpha[k] = alpha;
    }
    dual = -0.5 * dorm__dot(WIDTH, pairs->w, pairs->w);
    for (size_t k = 0; k < pairs->count; k++)
      dual += pairs->alpha[k];
    primal = hinge_sum(pairs, pairs->w);
  }
  CU_ASSERT_TRUE(primal - dual <= 1e-8 * primal);
  return primal;
}

/* The weight of a pair of these labels, one of num_pairs in its query. */
typedef double (*pair_weight)(double better, double worse, double num_pairs);

static void write_pairs_out(const dorm_dataset *dataset, double C, pair_weight weight, explicit_pairs *pairs)
{
  pairs->count = 0;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    listed_pair list[DOCS * DOCS];
    size_t first = dataset->query_start[q];
    size_t count = list_pairs(DOCS, dataset->labels + first, list);
    for (size_t k = 0; k < count; k++) {
      size_t better = first + list[k].better, worse = first + list[k].worse;
      for (size_t f = 0; f < WIDTH; f++)
        pairs->x[pairs->count][f] =
            (double)dorm_dataset_value(dataset, better, f) - (double)dorm_dataset_value(dataset, worse, f);
      pairs->bound[pairs->count++] = C * weight(dataset->labels[better], dataset->labels[worse], (double)count);
    }
  }
}

static double one_each(double better, double worse, double num_pairs)
{
  (void)better, (void)worse, (void)num_pairs;
  return 1;
}

static double over_their_number(double better, double worse, double num_pairs)
{
  (void)better, (void)worse;
  return 1 / num_pairs;
}

static dorm_settings *plain_settings(dorm_context *context, const char *loss)
{
  const char *const pairs[][2] = {{"loss.name", loss},        {"data.normalisation", "none"}, {"data.rank_block", "0"},
                                  {"solver.C", "0.1, 2, 50"}, {"solver.C_scale", "none"},     {"solver.gap", "1e-7"},
                                  {"solver.start", "zero"},   {"selection.average", "1"}};
  dorm_settings *settings = NULL;
  UNIT_OK(context, dorm_settings_new(context, &settings));
  CU_ASSERT_PTR_NOT_NULL_FATAL(settings);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    UNIT_OK(context, dorm_settings_set(context, settings, pairs[i][0], pairs[i][1]));
  return settings;
}

/* Cutting planes against coordinate descent, over C and both solvers; the same on
 * sparse rows. */
static void compare_training(const char *loss, pair_weight weight)
{
  static explicit_pairs pairs;
  static const double C[] = {0.1, 2, 50};
  dorm_context *context = unit_context();
  dorm_settings *settings = plain_settings(context, loss);
  for (size_t variant = 0; variant < 4; variant++) {
    dorm_dataset *dataset = random_data(context, unit_seed() + variant / 2, variant == 3);
    UNIT_OK(context, dorm_settings_set(context, settings, "solver.solver", variant % 2 ? "one-slack" : "n-slack"));
    dorm_training *training = NULL;
    UNIT_OK(context, dorm_train(context, settings, dataset, NULL, &training));
    CU_ASSERT_PTR_NOT_NULL_FATAL(training);
    CU_ASSERT_EQUAL_FATAL(dorm_training_num_candidates(training), 3);
    CU_ASSERT_EQUAL(dorm_training_num_training_queries(training), QUERIES - 1);
    for (size_t i = 0; i < 3; i++) {
      const dorm_certificate *certificate = &dorm_training_candidate(training, i)->certificate;
      write_pairs_out(dataset, C[i], weight, &pairs);
      double least = solve_pairs(&pairs);
      CU_ASSERT_TRUE(certificate->gap <= 1e-7);
      CU_ASSERT_TRUE(fabs(certificate->primal - least) <= 1e-6 * least);
      CU_ASSERT_TRUE(certificate->dual <= least * (1 + 1e-9));
      CU_ASSERT_TRUE(unit_close(hinge_sum(&pairs, training->trained[i].w), certificate->primal, 1e-9));
      for (size_t f = 0; f < WIDTH; f++) /* strongly convex: |w - w*|^2 <= 2 (excess) */
        CU_ASSERT_TRUE(fabs(training->trained[i].w[f] - pairs.w[f]) <= 2 * sqrt(2e-7 * least));
    }
    dorm_training_free(training);
    dorm_dataset_free(dataset);
  }
  dorm_settings_free(settings);
  dorm_context_free(context);
}

static void the_ranking_svm_is_the_one_on_explicit_pairs(void)
{
  compare_training("rsvm:pairs=sum", one_each);
  compare_training("rsvm", over_their_number);
}

/* ---- Around it ------------------------------------------------------------------------------ */

static void count_notes(void *user, const dorm_event *event)
{
  size_t *count = user;
  if (event->kind == DORM_EVENT_NOTE && strstr(event->text, "is not used"))
    ++*count;
}

/* Settings about rankings multiply nothing and are noted once; elsewhere `none` is refused. */
static void settings_about_rankings_are_left_out(void)
{
  dorm_context *context = unit_context();
  dorm_dataset *dataset = random_data(context, unit_seed(), false);
  dorm_settings *settings = plain_settings(context, "rsvm");
  dorm_training *training = NULL;
  size_t notes = 0;
  dorm_context_set_log(context, count_notes, &notes);
  UNIT_OK(context, dorm_train(context, settings, dataset, dataset, &training));
  CU_ASSERT_PTR_NOT_NULL_FATAL(training);
  CU_ASSERT_EQUAL(notes, 0);
  CU_ASSERT_EQUAL(dorm_training_num_candidates(training), 3);
  CU_ASSERT_STRING_EQUAL(dorm_training_candidate(training, 0)->reference, "none");
  dorm_training_free(training);
  UNIT_OK(context, dorm_settings_set(context, settings, "ranking.reference", "mu:1, ideal"));
  UNIT_OK(context, dorm_settings_set(context, settings, "ranking.position_weights", "loss, power:0.5"));
  UNIT_OK(context, dorm_train(context, settings, dataset, dataset, &training));
  CU_ASSERT_PTR_NOT_NULL_FATAL(training);
  CU_ASSERT_EQUAL(notes, 2);
  CU_ASSERT_EQUAL(dorm_training_num_candidates(training), 3);
  CU_ASSERT_STRING_EQUAL(dorm_model_setting(dorm_training_model(training), "ranking.reference"), "none");
  CU_ASSERT_STRING_EQUAL(dorm_model_setting(dorm_training_model(training), "selection.measure"),
                         "roc_area:levels=all,threshold=1,empty=0,ties=order");
  dorm_training_free(training);
  UNIT_OK(context, dorm_settings_set(context, settings, "loss.name", "ndcg"));
  UNIT_OK(context, dorm_settings_set(context, settings, "ranking.reference", "mu:1, none"));
  UNIT_FAILS(context, dorm_train(context, settings, dataset, NULL, &training), DORM_BAD_USAGE,
             "loss 'ndcg' needs a reference ranking");
  dorm_settings_free(settings);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

/* At full rank the linear kernel is the linear problem, with no residual to bound. */
static void kernels_train_alike(void)
{
  dorm_context *context = unit_context();
  dorm_dataset *dataset = random_data(context, unit_seed(), false);
  dorm_settings *settings = plain_settings(context, "rsvm");
  dorm_training *linear = NULL, *kernel = NULL;
  UNIT_OK(context, dorm_train(context, settings, dataset, NULL, &linear));
  UNIT_OK(context, dorm_settings_set(context, settings, "kernel.kernel", "polynomial:degree=1,offset=0"));
  UNIT_OK(context, dorm_settings_set(context, settings, "kernel.rank", "0, 2"));
  UNIT_OK(context, dorm_train(context, settings, dataset, NULL, &kernel));
  CU_ASSERT_PTR_NOT_NULL_FATAL(linear);
  CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
  CU_ASSERT_EQUAL_FATAL(dorm_training_num_candidates(kernel), 6);
  for (size_t i = 0; i < 6; i++) {
    double exact = dorm_training_candidate(linear, i % 3)->certificate.primal;
    const dorm_candidate *candidate = dorm_training_candidate(kernel, i);
    if (i < 3)
      CU_ASSERT_TRUE(unit_close(candidate->certificate.primal, exact, 1e-6));
    CU_ASSERT_TRUE(candidate->certificate.dual - candidate->kernel_bound <= exact * (1 + 1e-9));
    CU_ASSERT_TRUE(i < 3 || (candidate->kernel_bound > 0 && isfinite(candidate->kernel_bound)));
  }
  dorm_training_free(linear);
  dorm_training_free(kernel);
  dorm_settings_free(settings);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static int cancel_after(void *user)
{
  int *left = user;
  return --*left < 0;
}

/* Stopped again and again, through folds and a path over C: the same bits. */
static void stopped_trainings_go_on(void)
{
  dorm_context *context = unit_context();
  dorm_dataset *dataset = random_data(context, unit_seed(), false);
  dorm_settings *settings = plain_settings(context, "rsvm");
  UNIT_OK(context, dorm_settings_set(context, settings, "selection.folds", "2"));
  UNIT_OK(context, dorm_settings_set(context, settings, "output.checkpoint", "unit-structured-checkpoint"));
  UNIT_OK(context, dorm_settings_set(context, settings, "output.checkpoint_minutes", "0"));
  UNIT_OK(context, dorm_settings_set(context, settings, "output.resume", "yes"));
  dorm_training *whole = NULL, *resumed = NULL;
  unlink("unit-structured-checkpoint");
  UNIT_OK(context, dorm_train(context, settings, dataset, NULL, &whole));
  CU_ASSERT_PTR_NOT_NULL_FATAL(whole);
  int left = 0, attempts = 0;
  dorm_status status = DORM_STOPPED;
  dorm_context_set_cancel(context, cancel_after, &left);
  for (; status == DORM_STOPPED && attempts < 1000; attempts++) {
    dorm_training_free(resumed);
    left = 3 + attempts % 20;
    status = dorm_train(context, settings, dataset, NULL, &resumed);
  }
  UNIT_OK(context, status);
  CU_ASSERT_TRUE(attempts > 3);
  CU_ASSERT_PTR_NOT_NULL_FATAL(resumed);
  CU_ASSERT_EQUAL(
      memcmp(dorm_training_model(whole)->weights, dorm_training_model(resumed)->weights, WIDTH * sizeof(double)), 0);
  dorm_training_free(whole);
  dorm_training_free(resumed);
  dorm_settings_free(settings);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static const unit_test tests[] = {
    {"the worst pairs are the worst", the_worst_pairs_are_the_worst},
    {"long queries count as pairs do", long_queries_count_as_pairs_do},
    {"a ranking costs what its measure misses", a_ranking_costs_what_its_measure_misses},
    {"the ranking SVM is the one on explicit pairs", the_ranking_svm_is_the_one_on_explicit_pairs},
    {"settings about rankings are left out", settings_about_rankings_are_left_out},
    {"kernels train alike", kernels_train_alike},
    {"stopped trainings go on", stopped_trainings_go_on},
    {NULL, NULL},
};

const unit_suite structured_losses_suite = {"structured-losses", tests};
