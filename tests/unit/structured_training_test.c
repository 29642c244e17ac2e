/*
 * structured_training_test.c: training with structured losses. The ranking SVM by
 * cutting planes against coordinate descent on explicit pairs, and what lies
 * around: settings, kernels, resumption.
 */
#include "tests/unit/unit.h"

enum { QUERIES = 12, DOCS = 9, WIDTH = 5, MOST_PAIRS = QUERIES * DOCS * DOCS };

/* Two equal documents in every query, one of them of another label; the last
 * query has one level. */
static dorm_dataset *random_data(dorm_context *context, uint64_t seed, bool is_sparse)
{
  double labels[QUERIES * DOCS];
  float values[QUERIES * DOCS * WIDTH];
  dorm__random random;
  dorm__random_seed(&random, seed);
  for (size_t j = 0; j < QUERIES * DOCS; j++) {
    labels[j] = j < (QUERIES - 1) * DOCS ? (double)dorm__random_below(&random, 4) : 1;
    for (size_t f = 0; f < WIDTH; f++) {
      bool is_equal = j % DOCS == 1;
      double noise = dorm__random_normal(&random);
      values[j * WIDTH + f] = is_equal                         ? values[(j - 1) * WIDTH + f]
                              : dorm__random_below(&random, 3) ? (float)(noise + 0.3 * labels[j] * (double)(f < 2))
                                                               : 0;
    }
  }
  DORM__OWNED(dorm_dataset) *dense = unit_even_dataset(context, QUERIES, DOCS, WIDTH, labels, values);
  if (is_sparse)
    return unit_sparse_copy(context, dense);
  dorm_dataset *dataset = dense;
  dense = NULL;
  return dataset;
}

/* min 1/2 |w|^2 + sum_k bound_k max(0, 1 - <w, x_k>) over explicit differences x_k
 * of pairs, by dual coordinate descent (Hsieh et al. 2008) to a gap of 1e-8. */
typedef struct explicit_pairs {
  size_t count;
  double x[MOST_PAIRS][WIDTH];
  double labels[MOST_PAIRS][2]; /* of the better and the worse document */
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
  for (size_t first = 0; first < QUERIES * DOCS; first += DOCS) {
    size_t begin = pairs->count;
    for (size_t better = first; better < first + DOCS; better++)
      for (size_t worse = first; worse < first + DOCS; worse++) {
        double labels[2] = {dorm_dataset_label(dataset, better), dorm_dataset_label(dataset, worse)};
        if (!(labels[0] > labels[1]))
          continue;
        for (size_t f = 0; f < WIDTH; f++)
          pairs->x[pairs->count][f] =
              (double)dorm_dataset_value(dataset, better, f) - (double)dorm_dataset_value(dataset, worse, f);
        pairs->labels[pairs->count][0] = labels[0];
        pairs->labels[pairs->count++][1] = labels[1];
      }
    for (size_t k = begin; k < pairs->count; k++)
      pairs->bound[k] = C * weight(pairs->labels[k][0], pairs->labels[k][1], (double)(pairs->count - begin));
  }
}

static double one_each(double better, double worse, double num_pairs)
{
  (void)better, (void)worse, (void)num_pairs;
  return 1;
}

/* By the weights "1 0 0.5 / 2 0 2 / 2 1 0 / 3 0 1.25 / 3 1 4 / 3 2 0.1". */
static double given_weight(double better, double worse, double num_pairs)
{
  static const double weights[4][4] = {{0}, {0.5}, {2, 0}, {1.25, 4, 0.1}};
  return weights[(size_t)better][(size_t)worse] / num_pairs;
}

static double over_their_number(double better, double worse, double num_pairs)
{
  (void)better, (void)worse;
  return 1 / num_pairs;
}

/* solver.C is 11 times 0.1, 2 and 50, since 11 queries train. */
static dorm_settings *plain_settings(dorm_context *context, const char *loss)
{
  return unit_svm(context,
                  UNIT_PAIRS("loss.name", loss, "data.normalisation", "none", "data.rank_block", "0", "solver.C",
                             "1.1, 22, 550", "solver.gap", "1e-7", "solver.start", "zero", "selection.average", "1"));
}

/* Cutting planes against coordinate descent, over C; the same on sparse rows. */
static void compare_training(const char *loss, pair_weight weight)
{
  static explicit_pairs pairs;
  static const double C[] = {0.1, 2, 50};
  DORM__OWNED(dorm_context) *context = unit_context();
  DORM__OWNED(dorm_settings) *settings = plain_settings(context, loss);
  for (size_t variant = 0; variant < 4; variant++) {
    DORM__OWNED(dorm_dataset) *dataset = random_data(context, unit_seed() + variant / 2, variant == 3);
    DORM__OWNED(dorm_training) *training = unit_train(context, settings, dataset, NULL);
    CU_ASSERT_EQUAL_FATAL(dorm_training_num_candidates(training), 3);
    CU_ASSERT_EQUAL(dorm_training_num_training_queries(training), QUERIES - 1);
    for (size_t i = 0; i < 3; i++) {
      const dorm_certificate *certificate = &dorm_training_candidate(training, i)->certificate;
      write_pairs_out(dataset, C[i], weight, &pairs);
      double least = solve_pairs(&pairs);
      CU_ASSERT_TRUE(certificate->gap <= 1e-7);
      CU_ASSERT_TRUE(fabs(certificate->primal - least) <= 1e-6 * least);
      CU_ASSERT_TRUE(certificate->dual <= least * (1 + 1e-9));
      UNIT_CLOSE(hinge_sum(&pairs, training->trained[i].w), certificate->primal, 1e-9);
      for (size_t f = 0; f < WIDTH; f++) /* strongly convex: |w - w*|^2 <= 2 (excess) */
        CU_ASSERT_TRUE(fabs(training->trained[i].w[f] - pairs.w[f]) <= 2 * sqrt(2e-7 * least));
    }
  }
}

UNIT_TEST(the_ranking_svm_is_the_one_on_explicit_pairs)
{
  compare_training("rsvm_ir:tau=1 0 0.5 / 2 0 2 / 2 1 0 / 3 0 1.25 / 3 1 4 / 3 2 0.1", given_weight);
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
UNIT_TEST_IN(context, settings_about_rankings_are_left_out)
{
  DORM__OWNED(dorm_dataset) *dataset = random_data(context, unit_seed(), false);
  DORM__OWNED(dorm_settings) *settings = plain_settings(context, "rsvm");
  size_t notes = 0;
  dorm_context_set_log(context, count_notes, &notes);
  dorm_training *training = unit_train(context, settings, dataset, dataset);
  CU_ASSERT_EQUAL(notes, 0);
  CU_ASSERT_EQUAL(dorm_training_num_candidates(training), 3);
  CU_ASSERT_STRING_EQUAL(dorm_training_candidate(training, 0)->reference, "none");
  dorm_training_free(training);
  UNIT_OK(context, dorm_settings_set(context, settings, "ranking.reference", "mu:1, ideal"));
  UNIT_OK(context, dorm_settings_set(context, settings, "ranking.position_weights", "loss, power:0.5"));
  UNIT_OK(context, dorm_train(context, settings, dataset, dataset, &training));
  CU_ASSERT_EQUAL(notes, 2);
  CU_ASSERT_EQUAL(dorm_training_num_candidates(training), 3);
  CU_ASSERT_STRING_EQUAL(dorm_model_setting(dorm_training_model(training), "ranking.reference"), "none");
  CU_ASSERT_STRING_EQUAL(dorm_model_setting(dorm_training_model(training), "selection.measure"),
                         "roc_area:levels=all,threshold=1,empty=0,ties=order");
  dorm_training_free(training);
  UNIT_OK(context, dorm_settings_set(context, settings, "loss.name", "ndcg"));
  UNIT_OK(context, dorm_settings_set(context, settings, "ranking.reference", "mu:1, none"));
  UNIT_BAD_USAGE(dorm_train(context, settings, dataset, NULL, &training), "loss 'ndcg' needs a reference ranking");
}

/* At full rank the linear kernel is the linear problem, with no residual to bound. */
UNIT_TEST_IN(context, kernels_train_alike)
{
  DORM__OWNED(dorm_dataset) *dataset = random_data(context, unit_seed(), false);
  DORM__OWNED(dorm_settings) *settings = plain_settings(context, "rsvm");
  DORM__OWNED(dorm_training) *kernel = NULL;
  DORM__OWNED(dorm_training) *linear = unit_train(context, settings, dataset, NULL);
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
      UNIT_CLOSE(candidate->certificate.primal, exact, 1e-6);
    CU_ASSERT_TRUE(candidate->certificate.dual - candidate->kernel_bound <= exact * (1 + 1e-9));
    CU_ASSERT_TRUE(i < 3 || (candidate->kernel_bound > 0 && isfinite(candidate->kernel_bound)));
  }
}

/* Stopped again and again, through folds and a path over C: the same bits. */
UNIT_TEST_IN(context, stopped_trainings_go_on)
{
  DORM__OWNED(dorm_dataset) *dataset = random_data(context, unit_seed(), false);
  DORM__OWNED(dorm_settings) *settings = plain_settings(context, "rsvm");
  UNIT_OK(context, dorm_settings_set(context, settings, "selection.folds", "2"));
  UNIT_OK(context, dorm_settings_set(context, settings, "output.checkpoint", "unit-structured-checkpoint"));
  UNIT_OK(context, dorm_settings_set(context, settings, "output.checkpoint_seconds", "0"));
  UNIT_OK(context, dorm_settings_set(context, settings, "output.resume", "yes"));
  unlink("unit-structured-checkpoint");
  DORM__OWNED(dorm_training) *whole = unit_train(context, settings, dataset, NULL);
  DORM__OWNED(dorm_training) *resumed = unit_train_by_stops(context, settings, dataset, NULL, 3, 20);
  CU_ASSERT_TRUE(unit_same_weights(whole, resumed));
}
