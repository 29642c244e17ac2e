/*
 * kernel_training_test.c: training with kernels against a dual solver that works
 * on the Gram matrix with every ranking enumerated, and the models it makes.
 */
#define _GNU_SOURCE /* memmem */
#include "tests/unit/kernel_cases.h"
#include "tests/unit/training_cases.h"

static uint32_t rankings[UNIT_RANKINGS_OF_FIVE][DOCS];

/* The kernel problem with every ranking a column, in terms of the Gram matrix
 * alone: scores = K v, v = sum alpha (c_reference - c_ranking). */
typedef struct gram_dual {
  size_t num_queries;
  size_t docs[QUERIES]; /* first document of a query that trains */
  double gram[COUNT][COUNT];
  double psi[QUERIES][UNIT_RANKINGS_OF_FIVE + 1][DOCS]; /* the last column is the slack: zero */
  double loss[QUERIES][UNIT_RANKINGS_OF_FIVE + 1];
  double alpha[QUERIES][UNIT_RANKINGS_OF_FIVE + 1];
  double v[COUNT];
  double scores[COUNT];
} gram_dual;

static void gram_dual_start(gram_dual *dual, const dorm__problem *problem, const dorm_dataset *dataset, double C)
{
  dual->num_queries = problem->num_queries;
  memset(dual->alpha, 0, sizeof dual->alpha);
  memset(dual->v, 0, sizeof dual->v);
  memset(dual->scores, 0, sizeof dual->scores);
  for (size_t i = 0; i < problem->num_queries; i++) {
    size_t first = dual->docs[i] = problem->queries[i] * DOCS;
    const double *c = problem->c[i];
    double reference[DOCS];
    for (size_t j = 0; j < DOCS; j++) { /* listed: by label, ties as they stand */
      size_t rank = 0;
      for (size_t k = 0; k < DOCS; k++)
        rank += dorm_dataset_label(dataset, first + k) > dorm_dataset_label(dataset, first + j) ||
                (k < j && dorm_dataset_label(dataset, first + k) == dorm_dataset_label(dataset, first + j));
      reference[j] = c[rank];
    }
    memset(dual->psi[i][UNIT_RANKINGS_OF_FIVE], 0, sizeof dual->psi[i][UNIT_RANKINGS_OF_FIVE]);
    dual->loss[i][UNIT_RANKINGS_OF_FIVE] = 0;
    dual->alpha[i][UNIT_RANKINGS_OF_FIVE] = C;
    for (size_t r = 0; r < UNIT_RANKINGS_OF_FIVE; r++) {
      memcpy(dual->psi[i][r], reference, sizeof reference);
      for (size_t p = 0; p < DOCS; p++)
        dual->psi[i][r][rankings[r][p]] -= c[p];
      dual->loss[i][r] = dorm__query_loss_of(dorm__problem_loss(problem, i), rankings[r]);
    }
  }
}

static double margin_of(const gram_dual *dual, size_t i, size_t r)
{
  return dual->loss[i][r] - dorm__dot(DOCS, dual->psi[i][r], dual->scores + dual->docs[i]);
}

/* A step from the worst column that has weight to the best (Guelat and Marcotte
 * 1986), exact in its length. */
static void pairwise_step(gram_dual *dual, size_t i)
{
  size_t best = UNIT_RANKINGS_OF_FIVE, worst = UNIT_RANKINGS_OF_FIVE + 1, first = dual->docs[i];
  double best_margin = -INFINITY, worst_margin = INFINITY;
  for (size_t r = 0; r <= UNIT_RANKINGS_OF_FIVE; r++) {
    double margin = margin_of(dual, i, r);
    if (margin > best_margin) {
      best_margin = margin;
      best = r;
    }
    if (dual->alpha[i][r] > 0 && margin < worst_margin) {
      worst_margin = margin;
      worst = r;
    }
  }
  double direction[DOCS], curvature = 0;
  for (size_t j = 0; j < DOCS; j++)
    direction[j] = dual->psi[i][best][j] - dual->psi[i][worst][j];
  for (size_t j = 0; j < DOCS; j++)
    curvature += direction[j] * dorm__dot(DOCS, dual->gram[first + j] + first, direction);
  double step = curvature > 1e-14 ? (best_margin - worst_margin) / curvature : dual->alpha[i][worst];
  step = fmin(step, dual->alpha[i][worst]);
  if (best_margin <= worst_margin)
    return;
  dual->alpha[i][best] += step;
  dual->alpha[i][worst] -= step;
  for (size_t j = 0; j < DOCS; j++) {
    dual->v[first + j] += step * direction[j];
    dorm__add_scaled(COUNT, step * direction[j], dual->gram[first + j], dual->scores);
  }
}

static void gram_dual_values(const gram_dual *dual, double C, double *primal, double *value)
{
  double square = dorm__dot(COUNT, dual->v, dual->scores);
  *primal = 0.5 * square;
  *value = -0.5 * square;
  for (size_t i = 0; i < dual->num_queries; i++) {
    double slack = 0;
    for (size_t r = 0; r < UNIT_RANKINGS_OF_FIVE; r++) {
      slack = fmax(slack, margin_of(dual, i, r));
      *value += dual->alpha[i][r] * dual->loss[i][r];
    }
    *primal += C * slack;
  }
}

static double gram_dual_solve(gram_dual *dual, double C)
{
  double primal = INFINITY, value = 0;
  for (size_t pass = 0; pass < 400000 && !(primal - value < 1e-14 * value); pass++) {
    for (size_t i = 0; i < dual->num_queries; i++)
      pairwise_step(dual, i);
    if (pass % 50 == 0)
      gram_dual_values(dual, C, &primal, &value);
  }
  return value;
}

/* Trains on features made by the caller, reference `listed`. */
typedef struct trained_features {
  dorm__loss *loss;
  dorm__loss_tables *tables;
  dorm__problem *problem;
  dorm__scored_point *point;
  dorm__working_set *set;
  dorm_certificate certificate;
  double *w;
} trained_features;

static void train_features(dorm_context *context, const dorm_dataset *dataset, const dorm__features *features,
                           const char *weights, double C, double gap, trained_features *made)
{
  dorm__reference reference = dorm__reference_from("listed");
  dorm__cutting_plane_options options = {.C = C, .gap = gap, .max_iterations = 5000};
  *made = (trained_features){.w = calloc(features->num_features + 1, sizeof(double))};
  CU_ASSERT_PTR_NOT_NULL_FATAL(made->w);
  UNIT_OK(context, dorm__loss_open(context, "ndcg@3", &made->loss));
  UNIT_OK(context, dorm__loss_tables_build(context, made->loss, dataset, 1, &made->tables));
  training_problem_make(context, dataset, features, made->tables, weights, NULL, 1, &made->problem, &made->point);
  UNIT_OK(context, dorm__working_set_new(context, made->problem, made->point, (dorm__bounds){0}, &made->set));
  UNIT_OK(context, dorm__working_set_set_reference(context, made->set, &reference, made->w));
  UNIT_OK(context, dorm__cutting_plane(context, made->set, &options, made->w, &made->certificate));
}

static void trained_features_free(trained_features *made)
{
  dorm__working_set_free(made->set);
  dorm__scored_point_free(made->point);
  dorm__problem_free(made->problem);
  dorm__loss_tables_free(made->tables);
  dorm__loss_close(made->loss);
  free(made->w);
}

/* Scores through a model of one part, as a user would get them. */
static void score_by_model(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                           const dorm__kernel_factor *factor, const double *w, double *scores)
{
  DORM__OWNED(dorm_model) *model = unit_model(context, map, NULL);
  size_t linear = factor->has_linear ? factor->map_width : 0;
  if (linear)
    unit_add_linear(context, model, w, map->rank_block, 1);
  unit_add_kernel(context, model, factor, w + linear);
  UNIT_OK(context, dorm_model_score(context, model, dataset, 1, scores));
}

/* At full rank the scores, the primal and the dual solve the exact kernel problem; `linear` through a factor is
 * `linear`. */
UNIT_TEST_DRAWN(context, random, full_rank_agrees_with_a_dual_on_the_gram_matrix)
{
  static const char *const weights[] = {"loss", "power:0.5"};
  static const double Cs[] = {0.05, 0.5, 3};
  DORM__FREED gram_dual *dual = unit_alloc(1, sizeof *dual);
  unit_rankings_of_five(rankings);
  kernel_cases_write_gram();
  double worst = 0, largest = 0;
  for (size_t trial = 0; trial < 4 * NUM_KERNEL_CASES; trial++) {
    size_t c = trial % NUM_KERNEL_CASES;
    char text[128];
    double C = Cs[trial % 3];
    DORM__OWNED(dorm_dataset) *dataset = kernel_small_data(context, random);
    const dorm__feature_map *map = kernel_cases[c].text ? &kernel_plain_map : &kernel_gram_map;
    dorm__kernel_factor *factor = NULL;
    dorm__features features[2] = {{0}, {0}};
    dorm__kernel_options options = {.rank = trial % 2 ? COUNT : 0, .num_threads = 1};
    DORM__OWNED(dorm__kernel) *kernel = unit_kernel(context, kernel_case_text(c, text));
    UNIT_OK(context, dorm__kernel_fit(context, kernel, 0, &options, dataset, map,
                                      &(const dorm__kernel_fitted){&factor, &features[0]}));
    bool is_linear = c == 0; /* then the plain rows as well */
    if (is_linear)
      UNIT_OK(context, dorm__features_build(context, dataset, map, 1, &features[1]));
    for (size_t k = 0; k < (is_linear ? 2 : 1); k++) {
      DORM__AT_END(trained_features_free) trained_features made;
      train_features(context, dataset, &features[k], weights[trial / NUM_KERNEL_CASES % 2], C, 1e-13, &made);
      for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < COUNT; j++)
          dual->gram[i][j] = kernel_case_pair(c, dataset, i, j);
      gram_dual_start(dual, made.problem, dataset, C);
      double value = gram_dual_solve(dual, C);
      UNIT_CLOSE(made.certificate.primal, value, 1e-9);
      UNIT_CLOSE(made.certificate.dual, value, 1e-9);
      double scores[COUNT], by_model[COUNT];
      dorm__features_score(&features[k], 0, COUNT, made.w, scores);
      if (k == 0)
        score_by_model(context, dataset, map, factor, made.w, by_model);
      for (size_t j = 0; j < COUNT; j++) {
        worst = fmax(worst, fabs(scores[j] - dual->scores[j]));
        largest = fmax(largest, fabs(scores[j]));
        CU_ASSERT_TRUE(fabs(scores[j] - dual->scores[j]) <= 1e-6);
        CU_ASSERT_TRUE(k == 1 || fabs(by_model[j] - dual->scores[j]) <= 1e-6);
      }
    }
    dorm__features_free(&features[0]);
    dorm__features_free(&features[1]);
    dorm__kernel_factor_free(factor);
  }
  CU_ASSERT_TRUE(largest > 0.5); /* there is something to compare */
  if (worst > 1e-6)
    printf("\n    largest difference of scores %g\n", worst);
}

/* The optimum of the exact kernel lies where a lower rank says it does; ranks
 * that change something are among them. */
UNIT_TEST_IN(context, the_bound_contains_the_exact_optimum)
{
  static const char *const texts[] = {"rbf:gamma=0.3", "laplacian", "polynomial", "linear + rbf", "histogram"};
  static const size_t ranks[] = {2, 5, 12, 30, 50};
  double largest = 0;
  for (size_t trial = 0; trial < 10; trial++) {
    DORM__OWNED(dorm_dataset) *dataset = unit_artificial(context, 6, 10, 5, 0.2, 7, unit_seed() + trial);
    dorm__feature_map map = {
        .num_ids = 5, .ids = kernel_gram_map.ids, .normalisation = DORM__NORMALISATION_MIN_MAX, .rank_block = 0};
    DORM__OWNED(dorm__kernel) *kernel = unit_kernel(context, texts[trial % 5]);
    double exact_primal = 0, exact_dual = 0;
    for (size_t r = 0; r <= sizeof ranks / sizeof *ranks; r++) {
      dorm__kernel_options options = {.rank = r ? ranks[r - 1] : 0, .seed = trial, .num_threads = 1};
      dorm__kernel_factor *factor = NULL;
      DORM__AT_END(dorm__features_free) dorm__features features;
      DORM__AT_END(trained_features_free) trained_features made;
      UNIT_OK(context, dorm__kernel_fit(context, kernel, 0, &options, dataset, &map,
                                        &(const dorm__kernel_fitted){&factor, &features}));
      train_features(context, dataset, &features, trial % 2 ? "loss" : "power:1", 0.2 * (double)(1 + trial),
                     r ? 1e-3 : 1e-9, &made);
      double bound = dorm__kernel_bound(made.set, factor);
      double tolerance = 1e-9 * made.certificate.primal;
      if (!r) {
        CU_ASSERT_TRUE(bound < 1e-6);
        exact_primal = made.certificate.primal;
        exact_dual = made.certificate.dual;
      } else {
        CU_ASSERT_TRUE(exact_primal >= made.certificate.dual - bound - tolerance);
        CU_ASSERT_TRUE(exact_dual <= made.certificate.primal + tolerance);
        largest = fmax(largest, made.certificate.dual - exact_primal);
      }
      dorm__kernel_factor_free(factor);
    }
  }
  CU_ASSERT_TRUE(largest > 1e-3); /* without the bound, the claim would be false */
}

/* The residuals of two documents x and -x point in opposite directions, which is the worst that the bound allows for:
 * at a C so small that alpha stays at its limit, the optimum for the exact kernel lies below the dual value by the
 * bound itself. The documents of the other query are equal, and the one pivot lies on them. */
UNIT_TEST_IN(context, the_bound_is_reached)
{
  static const size_t start[] = {0, 2, 4}, ids[] = {1, 2};
  static const double labels[] = {1, 0, 1, 0};
  static const float values[4][2] = {{0, 1}, {0, -1}, {10, 0}, {10, 0}};
  dorm__feature_map map = {.num_ids = 2, .ids = ids, .normalisation = DORM__NORMALISATION_NONE, .rank_block = 0};
  double primal[2], dual[2], bound[2];
  DORM__OWNED(dorm_dataset) *dataset = unit_dataset(context, 2, start, 2, labels, values[0]);
  DORM__OWNED(dorm__kernel) *kernel = unit_kernel(context, "linear(1-2)");
  for (size_t rank = 0; rank < 2; rank++) { /* 0: all */
    dorm__kernel_options options = {.rank = rank, .seed = 1, .num_threads = 1};
    dorm__kernel_factor *factor = NULL;
    DORM__AT_END(dorm__features_free) dorm__features features;
    DORM__AT_END(trained_features_free) trained_features made;
    UNIT_OK(context, dorm__kernel_fit(context, kernel, 0, &options, dataset, &map,
                                      &(const dorm__kernel_fitted){&factor, &features}));
    train_features(context, dataset, &features, "power:1", 0.1, 1e-10, &made);
    primal[rank] = made.certificate.primal;
    dual[rank] = made.certificate.dual;
    bound[rank] = dorm__kernel_bound(made.set, factor);
    dorm__kernel_factor_free(factor);
  }
  CU_ASSERT_TRUE(bound[0] < 1e-9 && bound[1] > 1e-4);
  CU_ASSERT_TRUE(fabs(dual[1] - bound[1] - primal[0]) < 1e-7 * primal[0]);
}

/* ---- Models -------------------------------------------------------------------------- */

static dorm_settings *kernel_settings(dorm_context *context, const char *kernel)
{
  dorm_settings *settings =
      unit_svm(context, UNIT_PAIRS("solver.C", "3, 30", "ranking.rounds", "2", "ranking.reference", "mu:0.3",
                                   "kernel.rank", "5, 20", "data.rank_block", "0, 0.5"));
  UNIT_OK(context, dorm_settings_set(context, settings, "kernel.kernel", kernel));
  return settings;
}

/* The mean of the selected candidates, each from its own features. */
static void mean_of_candidates(dorm_context *context, const dorm_training *training, const dorm_dataset *dataset,
                               double *mean)
{
  double count = 0;
  memset(mean, 0, dataset->num_docs * sizeof *mean);
  for (size_t i = 0; i < training->num_trained; i++)
    count += training->trained[i].candidate.is_selected != 0;
  for (size_t i = 0; i < training->num_trained; i++) {
    const dorm__trained *trained = &training->trained[i];
    if (!trained->candidate.is_selected)
      continue;
    dorm__feature_map map = {.num_ids = dataset->num_features,
                             .ids = dataset->feature_ids,
                             .normalisation = DORM__NORMALISATION_MIN_MAX,
                             .rank_block = trained->candidate.rank_block};
    DORM__AT_END(dorm__features_free) dorm__features features;
    UNIT_OK(context, dorm__kernel_features(context, trained->kernel, dataset, &map, 1, &features));
    CU_ASSERT_EQUAL(features.num_features, trained->width);
    for (size_t j = 0; j < dataset->num_docs; j++) {
      double score;
      dorm__features_score(&features, j, 1, trained->w, &score);
      mean[j] += score / trained->candidate.score_scale / count;
    }
  }
}

UNIT_TEST_IN(context, kernel_models_are_the_mean_and_read_back)
{
  enum { SIZE = 30 * 15 };
  dorm_artificial parameters = {sizeof parameters, 30, 15, 6, 0.2, 7, 1};
  DORM__OWNED(dorm_dataset) *train = NULL, *validation = NULL;
  DORM__OWNED(dorm_model) *read = NULL;
  double scores[SIZE], mean[SIZE], again[SIZE];
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &train));
  parameters.data_seed = 2;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &validation));
  DORM__OWNED(dorm_settings) *settings = kernel_settings(context, "linear + rbf:scale=0.5|2 * linear(1-3)");
  DORM__OWNED(dorm_training) *training = unit_train(context, settings, train, validation);
  /* 2 rank blocks x 2 scales x 2 ranks x 3 ridges (450 documents, 6 + 20 features) x (start + 2 C x 2 rounds) */
  CU_ASSERT_EQUAL(dorm_training_num_candidates(training), 2 * 2 * 2 * 3 * 5);
  CU_ASSERT_PTR_NULL(dorm_training_candidate(training, 2 * 2 * 2 * 3 * 5));
  size_t best_rank = 0;
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    const dorm_candidate *candidate = dorm_training_candidate(training, i);
    CU_ASSERT_TRUE(candidate->kernel_rank == 5 || candidate->kernel_rank == 20);
    CU_ASSERT_TRUE(candidate->kernel_residual > 0 && candidate->kernel_residual < candidate->kernel_trace);
    CU_ASSERT_TRUE(candidate->round ? candidate->kernel_bound > 0 : candidate->kernel_bound == 0);
    best_rank = candidate->kernel_rank > best_rank ? candidate->kernel_rank : best_rank;
  }
  const dorm_model *model = dorm_training_model(training);
  UNIT_OK(context, dorm_model_score(context, model, validation, 1, scores));
  mean_of_candidates(context, training, validation, mean);
  for (size_t j = 0; j < SIZE; j++)
    UNIT_CLOSE(scores[j], mean[j], 1e-6);

  const char *path = unit_temporary_file("");
  UNIT_OK(context, dorm_model_write(context, model, path));
  UNIT_OK(context, dorm_model_read(context, path, &read));
  CU_ASSERT_EQUAL(read->num_parts, model->num_parts);
  UNIT_OK(context, dorm_model_score(context, read, validation, 1, again));
  CU_ASSERT_EQUAL(memcmp(scores, again, sizeof scores), 0);
  /* Several threads score with one model at a time, each on several threads. */
  size_t num_same = 0;
#pragma omp parallel for num_threads(3) reduction(+ : num_same)
  for (size_t i = 0; i < 6; i++) {
    DORM__OWNED(dorm_context) *own_context = dorm_context_new();
    double own_scores[SIZE];
    num_same += own_context && dorm_model_score(own_context, read, validation, 1 + i % 3, own_scores) == DORM_OK &&
                memcmp(scores, own_scores, sizeof scores) == 0;
  }
  CU_ASSERT_EQUAL(num_same, 6);
}

UNIT_TEST_IN(context, damaged_kernel_models_are_refused)
{
  static const char head[] = "dorm model 1\nnormalisation minmax\nrank_block 0\nfeature 1 0.5\nfeature 3 1\n";
  static const unit_refusal bad[] = {
      {"kernel 0 1 rfb\npivot 1 1:1\nend 2\n", "a kernel expected"},
      {"kernel 0 1 rbf\npivot 1 1:1\nend 2\n", "has no number for gamma"},
      {"kernel 0 1 rbf:gamma=1|2\npivot 1 1:1\nend 2\n", "is a list"},
      {"kernel 0 2 linear(1)\npivot 1 1:1\nend 2\n", "expected a line 'pivot', but found 'end'"},
      {"kernel 0 0 linear(1)\npivot 1 1:1\nend 2\n", "'pivot' is not known here"},
      {"kernel 0 1 linear(2)\npivot 1 1:1\nend 2\n", "no feature of the data is in the block"},
      {"kernel -1 1 linear\npivot 1 1:1\nend 2\n", "needs a rank block"},
      {"kernel 0 x linear\npivot 1 1:1\nend 2\n", "needs a number of pivots"},
      {"kernel 0 1\npivot 1 1:1\nend 2\n", "needs an expression"},
      {"kernel 0 1 linear\npivot nan 1:1\nend 2\n", "needs a finite weight"},
      {"kernel 0 1 linear\npivot 1 1:1e99\nend 2\n", "needs finite numbers"},
      {"kernel 0 1 linear\npivot 1 2:1\nend 2\n", "names the feature 2"},
      {"kernel 0 1 linear\npivot 1 3:1 1:1\nend 2\n", "names the feature 1 out of order"},
      {"kernel 0 1 linear\npivot 1 1:1 / 1:1\nend 2\n", "has more than it needs"},
      {"kernel 0.5 1 linear\npivot 1 1:1\nend 2\n", "needs '/' and its ranks"},
      {"kernel 0 1 linear\nfeature 4 1\npivot 1 1:1\nend 2\n", "expected a line 'pivot', but found 'feature'"},
      {"kernel 0 1 linear\npivot 1 1:1\nfeature 4 1\nend 2\n", "'feature' after the first part"},
      {"kernel 0 1 linear\npivot 1 1:1\nsetting solver.C = 1\nend 2\n", "'setting' after the first part"},
      {"kernel 0 2 linear\npivot 1 1:1\n", "expected a line 'pivot', but found the end of the file"},
      {"pivot 1 1:1\nend 2\n", "'pivot' is not known here"},
  };
  dorm_model *model = NULL;
  char text[1024];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(text, sizeof text, "%s%s", head, bad[i].given);
    unit_refuses_model(context, text, bad[i].message);
  }
  static const char *const no_rows[] = {"0", "-1", "1.5", "21"}; /* of 20 */
  const char *gram_path = kernel_cases_write_gram();
  for (size_t i = 0; i < 4; i++) {
    snprintf(text, sizeof text, "%skernel 0 1 gram:%s(3)\npivot 1 3:%s\nend 2\n", head, gram_path, no_rows[i]);
    UNIT_OK(context, dorm_model_from_text(context, text, strlen(text), &model));
    UNIT_BAD_DATA(dorm_model_use_module(context, model, gram_path), "not the number of a row of");
    dorm_model_free(model);
  }
  snprintf(text, sizeof text,
           "%skernel 0.5 2 rbf:gamma=2 * linear(1)\npivot 1 1:1 3:2 / 3:0.5\npivot -2 / 1:1\nend 2\n", head);
  const char *path = unit_temporary_file(text);
  UNIT_OK(context, dorm_model_read(context, path, &model));
  size_t num_pivots;
  double rank_block;
  CU_ASSERT_STRING_EQUAL(dorm_model_kernel(model, 0, &num_pivots, &rank_block), "rbf:gamma=2 * linear(1)");
  CU_ASSERT_TRUE(num_pivots == 2 && rank_block == 0.5);
  CU_ASSERT_PTR_NULL(dorm_model_kernel(model, 1, &num_pivots, &rank_block));
  UNIT_OK(context, dorm_model_write(context, model, path));
  DORM__FREED char *written = unit_read_file(path, NULL);
  static const char pivots[] = "\npivot 1 1:1 3:2 / 3:0.5\npivot -2 / 1:1\nend 2\n";
  CU_ASSERT_PTR_NOT_NULL(strstr(written, pivots));
  dorm_model_free(model);
}

UNIT_TEST_IN(context, what_kernels_cannot_train_on_is_said)
{
  static const struct {
    const char *kernel, *key, *text;
    dorm_status status;
    const char *message;
  } bad[] = {
      {"rbf(9)", "data.rank_block", "0", DORM_BAD_DATA, "no feature of the data is in the block from 9 to 9"},
      {"rbf +", "data.rank_block", "0", DORM_BAD_USAGE, "at character 6"},
      {"histogram", "data.normalisation", "none", DORM_BAD_DATA, "not positive semi-definite for negative features"},
      {"gram:GRAM(1)", "data.rank_block", "0", DORM_BAD_DATA, "which has the rows 1 to 20"},
      {"gram:no such(1)", "data.rank_block", "0", DORM_IO_ERROR, "no such"},
      {"linear + rbf", "training.increasing", "1", DORM_BAD_USAGE, "keep no order"},
      {"polynomial:degree=20,scale=1e12 * polynomial:degree=20,scale=1e12", "data.rank_block", "0",
       DORM_NUMERICAL_FAILURE, "is not finite"},
  };
  dorm_training *training = NULL;
  DORM__OWNED(dorm_dataset) *train = unit_artificial(context, 5, 8, 3, 0, 7, 1);
  const char *gram_path = kernel_cases_write_gram();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    bool is_gram = strncmp(bad[i].kernel, "gram:GRAM", 9) == 0;
    const char *text = unit_text("gram:%s(1)", gram_path);
    DORM__OWNED(dorm_settings) *settings = kernel_settings(context, is_gram ? text : bad[i].kernel);
    UNIT_OK(context, dorm_settings_set(context, settings, "data.rank_block", "0"));
    UNIT_OK(context, dorm_settings_set(context, settings, bad[i].key, bad[i].text));
    UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), bad[i].status, bad[i].message);
    CU_ASSERT_PTR_NULL(training);
  }
}
