/*
 * solver_test.c: the dual QP against its KKT conditions; references, and whole
 * convex problems, against an enumeration of all rankings.
 */
#include "tests/unit/unit.h"

#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The dual QP ------------------------------------------------------------ */

enum { MOST_VARIABLES = 24 };

/* The largest violation of the KKT conditions of min 1/2 x'Hx - h'x, x >= 0,
 * sum x <= bound, relative to the size of the gradient's terms. */
static double kkt_residual(size_t size, const double *H, const double *h, double bound, const double *x)
{
  double gradient[MOST_VARIABLES], sum = 0, scale = 1e-300, multiplier = 0, residual = 0;
  for (size_t i = 0; i < size; i++) {
    gradient[i] = -h[i];
    scale = fmax(scale, fabs(h[i]));
    for (size_t j = 0; j < size; j++) {
      gradient[i] += H[i * size + j] * x[j];
      scale = fmax(scale, fabs(H[i * size + j] * bound));
    }
    sum += x[i];
  }
  for (size_t i = 0; i < size; i++) /* the multiplier of the bound: -min gradient, at least 0 */
    multiplier = fmax(multiplier, -gradient[i]);
  for (size_t i = 0; i < size; i++) {
    residual = fmax(residual, -x[i] / bound);
    residual = fmax(residual, (x[i] / bound) * (gradient[i] + multiplier) / scale);
  }
  residual = fmax(residual, (sum - bound) / bound);
  return fmax(residual, multiplier * (bound - sum) / bound / scale);
}

static void quadratic_programmes_meet_their_kkt_conditions(void)
{
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  dorm__qp_workspace *workspace = dorm__qp_workspace_new();
  CU_ASSERT_PTR_NOT_NULL_FATAL(workspace);
  double worst = 0;
  for (int round = 0; round < 6000; round++) {
    size_t size = 1 + dorm__random_below(&random, MOST_VARIABLES);
    size_t rank = 1 + dorm__random_below(&random, round % 3 == 0 ? 3 : 30);
    double columns[MOST_VARIABLES][32] = {{0}}, H[MOST_VARIABLES * MOST_VARIABLES], h[MOST_VARIABLES];
    for (size_t i = 0; i < size; i++) {
      double scale = round % 5 == 1 ? pow(10, (double)dorm__random_below(&random, 9) - 4) : 1;
      for (size_t k = 0; k < rank; k++)
        columns[i][k] = scale * dorm__random_normal(&random);
      h[i] = round % 7 == 2 ? 1 : dorm__random_normal(&random);
      if (i && round % 4 == 3 && dorm__random_below(&random, 2)) { /* a duplicate */
        memcpy(columns[i], columns[i - 1], sizeof columns[i]);
        h[i] = h[i - 1];
      }
      if (round % 11 == 5)
        memset(columns[i], 0, sizeof columns[i]);
    }
    for (size_t i = 0; i < size; i++)
      for (size_t j = 0; j < size; j++)
        H[i * size + j] = dorm__dot(rank, columns[i], columns[j]);
    double bound = pow(10, (double)dorm__random_below(&random, 9) - 4);
    double x[MOST_VARIABLES] = {0};
    if (round % 2) /* a warm start inside */
      for (size_t i = 0; i < size; i++)
        x[i] = bound * dorm__random_uniform(&random) / (double)size;
    CU_ASSERT_TRUE_FATAL(dorm__qp_solve(workspace, size, size, H, h, bound, x));
    double residual = kkt_residual(size, H, h, bound, x);
    if (!(residual <= 1e-10))
      printf("\n    round %d, size %zu, rank %zu, bound %g: residual %g\n", round, size, rank, bound, residual);
    worst = fmax(worst, residual);
  }
  CU_ASSERT_TRUE(worst <= 1e-10);
  dorm__qp_workspace_free(workspace);
}

/* ---- Small problems, all rankings enumerated --------------------------------- */

enum { DOCS = 5, RANKINGS = 120, FEATURES = 3, QUERIES = 4 };

typedef struct small_problem {
  dorm_context *context;
  dorm_dataset *dataset;
  dorm__features features;
  dorm__loss *loss;
  dorm__loss_tables *tables;
  dorm__problem *problem;
} small_problem;

static uint32_t rankings[RANKINGS][DOCS];

static void list_rankings(void)
{
  size_t count = 0;
  for (size_t code = 0; code < 3125; code++) {
    uint32_t order[DOCS];
    bool seen[DOCS] = {false};
    bool is_ranking = true;
    for (size_t p = 0, rest = code; p < DOCS; p++, rest /= DOCS) {
      order[p] = (uint32_t)(rest % DOCS);
      is_ranking = is_ranking && !seen[order[p]];
      seen[order[p]] = true;
    }
    if (is_ranking)
      memcpy(rankings[count++], order, sizeof order);
  }
  CU_ASSERT_EQUAL_FATAL(count, RANKINGS);
}

static void small_problem_new(small_problem *small, dorm__random *random, const char *loss,
                              const char *position_weights)
{
  *small = (small_problem){.context = unit_context()};
  list_rankings();
  size_t start[QUERIES + 1];
  double labels[QUERIES * DOCS];
  float values[QUERIES * DOCS * FEATURES];
  for (size_t q = 0; q <= QUERIES; q++)
    start[q] = q * DOCS;
  for (size_t j = 0; j < QUERIES * DOCS; j++) {
    labels[j] = j % DOCS == 0 ? 2 : (double)dorm__random_below(random, 3);
    for (size_t f = 0; f < FEATURES; f++)
      values[j * FEATURES + f] = (float)dorm__random_normal(random);
  }
  dorm__feature_map map = {0};
  static const size_t ids[FEATURES] = {1, 2, 3};
  map.num_ids = FEATURES;
  map.ids = ids;
  UNIT_OK(small->context,
          dorm_dataset_from_arrays(small->context, QUERIES, start, FEATURES, labels, values, &small->dataset));
  UNIT_OK(small->context, dorm__features_build(small->context, small->dataset, &map, 1, &small->features));
  UNIT_OK(small->context, dorm__loss_open(small->context, loss, &small->loss));
  UNIT_OK(small->context, dorm__loss_tables_build(small->context, small->loss, small->dataset, &small->tables));
  UNIT_OK(small->context, dorm__problem_new(small->context, small->dataset, &small->features, small->tables,
                                            position_weights, DORM__ORACLE_AUTO, 2, &small->problem));
  CU_ASSERT_PTR_NOT_NULL_FATAL(small->problem);
}

static void small_problem_free(small_problem *small)
{
  dorm__problem_free(small->problem);
  dorm__loss_tables_free(small->tables);
  dorm__loss_close(small->loss);
  dorm__features_free(&small->features);
  dorm_dataset_free(small->dataset);
  dorm_context_free(small->context);
}

/* Phi from its definition: sum over positions of c x. */
static void feature_map_of(const small_problem *small, size_t query, const uint32_t *order, double *phi)
{
  size_t number = small->problem->queries[query];
  for (size_t f = 0; f < FEATURES; f++) {
    phi[f] = 0;
    for (size_t p = 0; p < DOCS; p++)
      phi[f] += small->problem->c[query][p] * (double)dorm_dataset_value(small->dataset, number * DOCS + order[p], f);
  }
}

static void references_agree_with_enumeration(void)
{
  static const char *const losses[] = {"ndcg:truncation=0", "ndcg@2", "ndcg@3:gain=linear"};
  static const char *const weights[] = {"loss", "power:0.5", "log", "loglog"};
  static const char *const words[] = {"listed", "averaged", "ideal", "current", "mu:0.3", "mu:2"};
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  for (size_t trial = 0; trial < 60; trial++) {
    small_problem small;
    small_problem_new(&small, &random, losses[trial % 3], weights[trial % 4]);
    double w[FEATURES];
    for (size_t f = 0; f < FEATURES; f++)
      w[f] = trial % 5 ? dorm__random_normal(&random) : 0;
    for (size_t i = 0; i < small.problem->num_queries; i++)
      for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        dorm__reference reference = dorm__reference_from(words[k]);
        double loss = NAN;
        dorm__vector vector = {0};
        UNIT_OK(small.context,
                dorm__reference_at(small.problem, &reference, i, w, &small.problem->threads[0], &vector, &loss));
        const double *phi = vector.values;
        double mean[FEATURES] = {0}, num_ideal = 0, best_ideal = -INFINITY, best = -INFINITY;
        for (size_t r = 0; r < RANKINGS; r++) {
          double own[FEATURES];
          feature_map_of(&small, i, rankings[r], own);
          double delta = dorm__query_loss_of(dorm__problem_loss(small.problem, i), rankings[r]);
          best = fmax(best, dorm__dot(FEATURES, w, own) - reference.mu * delta);
          if (delta > 1e-12)
            continue;
          best_ideal = fmax(best_ideal, dorm__dot(FEATURES, w, own));
          num_ideal++;
          for (size_t f = 0; f < FEATURES; f++)
            mean[f] += own[f];
        }
        double value = dorm__dot(FEATURES, w, phi);
        if (reference.kind == DORM__REFERENCE_MU)
          CU_ASSERT_TRUE(unit_close(value - reference.mu * loss, best, 1e-12));
        if (reference.kind == DORM__REFERENCE_IDEAL)
          CU_ASSERT_TRUE(unit_close(value, best_ideal, 1e-12));
        if (reference.kind == DORM__REFERENCE_AVERAGED)
          for (size_t f = 0; f < FEATURES; f++)
            CU_ASSERT_TRUE(unit_close(phi[f], mean[f] / num_ideal, 1e-12));
        if (reference.kind != DORM__REFERENCE_MU)
          CU_ASSERT_EQUAL(loss, 0);
        if (reference.kind == DORM__REFERENCE_LISTED) { /* it is one of the ideal ones */
          double nearest = INFINITY;
          for (size_t r = 0; r < RANKINGS; r++) {
            double own[FEATURES], distance = 0;
            feature_map_of(&small, i, rankings[r], own);
            for (size_t f = 0; f < FEATURES; f++)
              distance += fabs(own[f] - phi[f]);
            if (dorm__query_loss_of(dorm__problem_loss(small.problem, i), rankings[r]) < 1e-12)
              nearest = fmin(nearest, distance);
          }
          CU_ASSERT_TRUE(nearest < 1e-12);
        }
        dorm__vector_clear(&vector);
      }
    small_problem_free(&small);
  }
}

/* The convex problem with every ranking of every query as a column, its dual
 * solved by Frank-Wolfe steps towards the best vertex and away from the worst,
 * with exact line search (Guelat and Marcotte 1986; with bounds the step is
 * that of the quadratic minorant): a method that shares nothing with the active
 * sets and sweeps of the solver. */
typedef struct enumerated {
  double psi[QUERIES][RANKINGS + 1][FEATURES]; /* the last column is the slack: zero */
  double loss[QUERIES][RANKINGS + 1];
  double alpha[QUERIES][RANKINGS + 1];
  double v[FEATURES]; /* sum alpha psi */
  double w[FEATURES]; /* v within the bounds */
  double lower, upper;
} enumerated;

static double enumerated_primal(const enumerated *all, size_t num_queries, double C, const double *w)
{
  double primal = 0.5 * dorm__dot(FEATURES, w, w);
  for (size_t i = 0; i < num_queries; i++) {
    double slack = 0;
    for (size_t r = 0; r < RANKINGS; r++)
      slack = fmax(slack, all->loss[i][r] - dorm__dot(FEATURES, w, all->psi[i][r]));
    primal += C * slack;
  }
  return primal;
}

static double enumerated_dual(const enumerated *all, size_t num_queries)
{
  double dual = 0.5 * dorm__dot(FEATURES, all->w, all->w) - dorm__dot(FEATURES, all->w, all->v);
  for (size_t i = 0; i < num_queries; i++)
    for (size_t r = 0; r < RANKINGS; r++)
      dual += all->alpha[i][r] * all->loss[i][r];
  return dual;
}

static void pairwise_step(enumerated *all, size_t i)
{
  size_t best = RANKINGS, worst = RANKINGS + 1;
  double best_margin = -INFINITY, worst_margin = INFINITY;
  for (size_t r = 0; r <= RANKINGS; r++) {
    double margin = all->loss[i][r] - dorm__dot(FEATURES, all->w, all->psi[i][r]);
    if (margin > best_margin) {
      best_margin = margin;
      best = r;
    }
    if (all->alpha[i][r] > 0 && margin < worst_margin) {
      worst_margin = margin;
      worst = r;
    }
  }
  double direction[FEATURES], curvature = 0;
  for (size_t f = 0; f < FEATURES; f++) {
    direction[f] = all->psi[i][best][f] - all->psi[i][worst][f];
    curvature += direction[f] * direction[f];
  }
  double step = curvature > 0 ? (best_margin - worst_margin) / curvature : all->alpha[i][worst];
  step = fmin(step, all->alpha[i][worst]);
  all->alpha[i][best] += step;
  all->alpha[i][worst] -= step;
  for (size_t f = 0; f < FEATURES; f++) {
    all->v[f] += step * direction[f];
    all->w[f] = fmin(all->upper, fmax(all->lower, all->v[f]));
  }
}

static void solve_enumerated(const small_problem *small, const dorm__vector *references, double C, double lower,
                             double upper, enumerated *all)
{
  size_t num_queries = small->problem->num_queries;
  memset(all, 0, sizeof *all);
  all->lower = lower;
  all->upper = upper;
  for (size_t f = 0; f < FEATURES; f++)
    all->w[f] = fmin(upper, fmax(lower, 0));
  for (size_t i = 0; i < num_queries; i++) {
    all->alpha[i][RANKINGS] = C;
    for (size_t r = 0; r < RANKINGS; r++) {
      feature_map_of(small, i, rankings[r], all->psi[i][r]);
      for (size_t f = 0; f < FEATURES; f++)
        all->psi[i][r][f] = references[i].values[f] - all->psi[i][r][f];
      all->loss[i][r] = dorm__query_loss_of(dorm__problem_loss(small->problem, i), rankings[r]);
    }
  }
  for (size_t pass = 0; pass < 200000; pass++) {
    for (size_t i = 0; i < num_queries; i++)
      pairwise_step(all, i);
    if (pass % 100 == 0 && enumerated_primal(all, num_queries, C, all->w) - enumerated_dual(all, num_queries) <
                               1e-9 * enumerated_dual(all, num_queries))
      return;
  }
}

/* Both solvers, with and without bounds on the weights, every reference. */
static void training_agrees_with_enumeration(void)
{
  static const char *const losses[] = {"ndcg:truncation=0", "ndcg@2", "ndcg@3:gain=linear"};
  static const char *const weights[] = {"loss", "power:0.5", "log"};
  static const char *const words[] = {"listed", "averaged", "ideal", "current", "mu:0.3"};
  static const double Cs[] = {0.01, 0.3, 3, 100};
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  enumerated *all = malloc(sizeof *all);
  CU_ASSERT_PTR_NOT_NULL_FATAL(all);
  for (size_t trial = 0; trial < 120; trial++) {
    small_problem small;
    small_problem_new(&small, &random, losses[trial % 3], weights[(trial / 3) % 3]);
    dorm__reference reference = dorm__reference_from(words[trial % 5]);
    bool is_one_slack = trial % 2;
    double w[FEATURES], C = Cs[trial % 4], lower[FEATURES], upper[FEATURES];
    for (size_t f = 0; f < FEATURES; f++) {
      w[f] = dorm__random_normal(&random);
      lower[f] = trial % 7 < 2 ? 0 : -INFINITY;
      upper[f] = trial % 7 == 1 ? 0.4 : INFINITY;
    }
    dorm__bounds bounds = {lower, trial % 7 == 1 ? upper : NULL};
    dorm__vector references[QUERIES] = {{0}};
    double reference_loss;
    for (size_t i = 0; i < small.problem->num_queries; i++)
      UNIT_OK(small.context, dorm__reference_at(small.problem, &reference, i, w, &small.problem->threads[0],
                                                &references[i], &reference_loss));
    dorm__working_set *set = NULL;
    UNIT_OK(small.context, dorm__working_set_new(small.context, small.problem, is_one_slack, bounds, &set));
    CU_ASSERT_PTR_NOT_NULL_FATAL(set);
    UNIT_OK(small.context, dorm__working_set_set_reference(small.context, set, &reference, w));
    dorm__bounds_project(&bounds, FEATURES, w);
    dorm__cutting_plane_options options = {.C = C, .gap = 1e-8, .max_iterations = 10000, .most_bytes = SIZE_MAX};
    dorm_certificate certificate = {0};
    UNIT_OK(small.context, dorm__cutting_plane(small.context, set, &options, w, &certificate));
    CU_ASSERT_TRUE(certificate.gap <= 1e-8);

    solve_enumerated(&small, references, C, lower[0], upper[0], all);
    double other = enumerated_dual(all, small.problem->num_queries);
    CU_ASSERT_TRUE(fabs(certificate.primal - other) <= 1e-6 * other);
    CU_ASSERT_TRUE(fabs(certificate.dual - other) <= 1e-6 * other);
    /* the primal value of the certificate is that of w over all rankings */
    double primal = enumerated_primal(all, small.problem->num_queries, C, w);
    CU_ASSERT_TRUE(unit_close(primal, certificate.primal, 1e-12));
    for (size_t f = 0; f < FEATURES; f++)
      CU_ASSERT_TRUE(w[f] >= lower[f] && w[f] <= upper[f]);
    for (size_t i = 0; i < QUERIES; i++)
      dorm__vector_clear(&references[i]);
    dorm__working_set_free(set);
    small_problem_free(&small);
  }
  free(all);
}

/* Delta of the predicted ranking is at most the slack plus mu Delta(reference). */
static void the_slack_bounds_the_loss(void)
{
  static const char *const words[] = {"ideal", "current", "mu:0.3", "mu:1"};
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  for (size_t trial = 0; trial < 40; trial++) {
    small_problem small;
    small_problem_new(&small, &random, "ndcg@3", trial % 2 ? "loss" : "power:1");
    dorm__reference reference = dorm__reference_from(words[trial % 4]);
    double w[FEATURES];
    for (size_t f = 0; f < FEATURES; f++)
      w[f] = dorm__random_normal(&random) * 0.3;
    for (size_t i = 0; i < small.problem->num_queries; i++) {
      dorm__thread *thread = &small.problem->threads[0];
      double reference_loss, worst = -INFINITY;
      dorm__vector phi = {0};
      UNIT_OK(small.context, dorm__reference_at(small.problem, &reference, i, w, thread, &phi, &reference_loss));
      const dorm__query_loss *loss = dorm__problem_loss(small.problem, i);
      for (size_t r = 0; r < RANKINGS; r++) {
        double own[FEATURES];
        feature_map_of(&small, i, rankings[r], own);
        worst = fmax(worst, dorm__dot(FEATURES, w, own) + dorm__query_loss_of(loss, rankings[r]));
      }
      dorm__problem_score(small.problem, i, w, thread);
      uint32_t predicted[DOCS];
      UNIT_OK(small.context,
              dorm__oracle_solve(small.problem->plans[i], thread->workspace, thread->scores, 0, predicted, NULL));
      double bound = worst - dorm__vector_dot(&phi, w) + reference.mu * reference_loss;
      dorm__vector_clear(&phi);
      CU_ASSERT_TRUE(dorm__query_loss_of(loss, predicted) <= bound + 1e-12);
    }
    small_problem_free(&small);
  }
}

/* ---- The start, position weights ---------------------------------------------- */

static void check_start(bool on_gains)
{
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  small_problem small;
  small_problem_new(&small, &random, "ndcg", "loss");
  double w[FEATURES], trace = 0, gradient[FEATURES] = {0};
  double centred[QUERIES * DOCS][FEATURES], targets[QUERIES * DOCS];
  UNIT_OK(small.context, dorm__start(small.context, small.dataset, &small.features, on_gains, 0.15, 2, w));
  for (size_t j = 0; j < QUERIES * DOCS; j++) {
    size_t first = j / DOCS * DOCS;
    targets[j] = 0;
    for (size_t i = first; i < first + DOCS; i++) {
      double label = dorm_dataset_label(small.dataset, i);
      targets[j] += (on_gains ? pow(2, label) - 1 : label) * ((i == j) - 1.0 / DOCS);
    }
    for (size_t f = 0; f < FEATURES; f++) {
      centred[j][f] = (double)dorm_dataset_value(small.dataset, j, f);
      for (size_t i = first; i < first + DOCS; i++)
        centred[j][f] -= (double)dorm_dataset_value(small.dataset, i, f) / DOCS;
      trace += centred[j][f] * centred[j][f];
    }
  }
  /* the gradient of 1/2 sum (<w, x> - label)^2 + 1/2 lambda |w|^2 vanishes */
  for (size_t f = 0; f < FEATURES; f++) {
    gradient[f] = 0.15 * trace / FEATURES * w[f];
    for (size_t j = 0; j < QUERIES * DOCS; j++)
      gradient[f] += (dorm__dot(FEATURES, w, centred[j]) - targets[j]) * centred[j][f];
    CU_ASSERT_TRUE(fabs(gradient[f]) < 1e-12 * trace);
  }
  small_problem_free(&small);
}

static void the_start_solves_the_centred_ridge(void)
{
  check_start(false);
  check_start(true);
}

static void position_weights_follow_their_formulas(void)
{
  dorm_context *context = unit_context();
  double c[4];
  UNIT_OK(context, dorm__position_weights(context, "power:2", 4, c));
  CU_ASSERT_TRUE(unit_close(c[0], 1.0 / 4, 1e-15) && unit_close(c[3], 1.0 / 25, 1e-15));
  UNIT_OK(context, dorm__position_weights(context, "log", 4, c));
  CU_ASSERT_TRUE(unit_close(c[1], 1 / 1.3862943611198906, 1e-15)); /* ln 4 */
  UNIT_OK(context, dorm__position_weights(context, "loglog", 4, c));
  CU_ASSERT_TRUE(unit_close(c[1], 1 / 0.32663425997828094, 1e-14)); /* ln ln 4 */
  char spec[100];
  const char *path = unit_temporary_file("3\n1.5\r\n0.25\n");
  snprintf(spec, sizeof spec, "file:%s", path);
  UNIT_OK(context, dorm__position_weights(context, spec, 4, c));
  CU_ASSERT_TRUE(c[0] == 3 && c[1] == 1.5 && c[2] == 0.25 && c[3] == 0);
  UNIT_OK(context, dorm__position_weights(context, spec, 2, c));
  unlink(path);
  static const struct {
    const char *text, *message;
  } bad[] = {{"1\n2\n", ":2: position weights must not increase: 2 after 1"},
             {"1\nx\n", ":2: 'x' is not a number"},
             {"1\n-1\n", ":2: '-1' is not a number of 0 or more"},
             {"", ": no position weight"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    path = unit_temporary_file(bad[i].text);
    snprintf(spec, sizeof spec, "file:%s", path);
    UNIT_FAILS(context, dorm__position_weights(context, spec, 4, c), DORM_BAD_DATA, bad[i].message);
    unlink(path);
  }
  UNIT_FAILS(context, dorm__position_weights(context, "file:no such", 4, c), DORM_IO_ERROR, "no such");
  dorm_context_free(context);
}

/* ---- dorm_train ------------------------------------------------------------- */

static dorm_dataset *artificial(dorm_context *context, uint64_t data_seed, size_t num_queries)
{
  dorm_artificial parameters = {num_queries, 20, 6, 0.2, 7, data_seed};
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

static dorm_settings *settings_with(dorm_context *context, const char *const pairs[][2], size_t count)
{
  dorm_settings *settings = NULL;
  UNIT_OK(context, dorm_settings_new(context, &settings));
  CU_ASSERT_PTR_NOT_NULL_FATAL(settings);
  for (size_t i = 0; i < count; i++)
    UNIT_OK(context, dorm_settings_set(context, settings, pairs[i][0], pairs[i][1]));
  return settings;
}

/* Every combination of the lists is a candidate, all certified, and the model
 * is what its definition says. */
static void the_grid_is_trained_and_averaged(void)
{
  static const char *const pairs[][2] = {{"loss.truncation", "5, 10"},
                                         {"solver.C", "1, 30"},
                                         {"ranking.position_weights", "loss, power:0.5"},
                                         {"ranking.reference", "mu:0.3, listed, ideal"},
                                         {"ranking.rounds", "2"},
                                         {"data.rank_block", "0, 0.5"},
                                         {"selection.average", "3"}};
  dorm_context *context = unit_context();
  dorm_dataset *train = artificial(context, 1, 40);
  dorm_dataset *validation = artificial(context, 2, 30);
  dorm_settings *settings = settings_with(context, pairs, sizeof pairs / sizeof *pairs);
  dorm_training *training = NULL;
  UNIT_OK(context, dorm_train(context, settings, train, validation, &training));
  CU_ASSERT_PTR_NOT_NULL_FATAL(training);
  /* 2 rank blocks x (start + 2 truncations x 2 weights x 2 C x (2 + 1 + 2 rounds)) */
  CU_ASSERT_EQUAL_FATAL(dorm_training_num_candidates(training), 2 * (1 + 2 * 2 * 2 * 5));
  double worst_selected = INFINITY, best_other = -INFINITY;
  size_t num_selected = 0;
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    const dorm_candidate *candidate = dorm_training_candidate(training, i);
    CU_ASSERT_EQUAL(candidate->number, i + 1);
    if (candidate->round) {
      CU_ASSERT_TRUE(candidate->certificate.gap <= 0.01);
      CU_ASSERT_TRUE(candidate->certificate.primal >= candidate->certificate.dual - 1e-9);
      CU_ASSERT_TRUE(candidate->certificate.reference_constant >= 0);
    }
    num_selected += candidate->is_selected != 0;
    if (candidate->is_selected)
      worst_selected = fmin(worst_selected, candidate->validation);
    else
      best_other = fmax(best_other, candidate->validation);
  }
  CU_ASSERT_EQUAL(num_selected, 3);
  CU_ASSERT_TRUE(worst_selected >= best_other);

  /* scores of the model = mean of the selected candidates' scores over their
   * spread, up to a constant within each query */
  const dorm_model *model = dorm_training_model(training);
  size_t num_docs = dorm_dataset_num_docs(train);
  double *scores = malloc(num_docs * sizeof *scores), *mean = calloc(num_docs, sizeof *mean);
  CU_ASSERT_PTR_NOT_NULL_FATAL(scores);
  CU_ASSERT_PTR_NOT_NULL_FATAL(mean);
  for (size_t i = 0; i < training->num_trained; i++) {
    const dorm__trained *trained = &training->trained[i];
    if (!trained->candidate.is_selected)
      continue;
    dorm__feature_map map = {.num_ids = train->num_features,
                             .ids = train->feature_ids,
                             .normalisation = DORM__NORMALISATION_MIN_MAX,
                             .rank_block = trained->candidate.rank_block};
    dorm__features features;
    UNIT_OK(context, dorm__features_build(context, train, &map, 2, &features));
    for (size_t j = 0; j < num_docs; j++) {
      double score;
      dorm__features_score(&features, j, 1, trained->w, &score);
      mean[j] += score / trained->candidate.score_scale / 3;
    }
    dorm__features_free(&features);
  }
  UNIT_OK(context, dorm_model_score(context, model, train, scores));
  for (size_t j = 0; j < num_docs; j++)
    CU_ASSERT_TRUE(unit_close(scores[j], mean[j], 1e-6)); /* features are floats */
  free(scores);
  free(mean);
  dorm_training_free(training);
  dorm_settings_free(settings);
  dorm_dataset_free(train);
  dorm_dataset_free(validation);
  dorm_context_free(context);
}

/* The same data, settings and thread count: the same model, bit for bit; other
 * thread counts: the same optimum. Large enough that the threads are used. */
static void training_repeats(void)
{
  static const char *const pairs[][2] = {{"solver.C", "10"},
                                         {"solver.gap", "1e-4"},
                                         {"ranking.reference", "mu:1"},
                                         {"ranking.rounds", "1"},
                                         {"ranking.position_weights", "power:0.5"}};
  static const size_t threads[] = {1, 2, 2, 3, 3};
  enum { WIDTH = 60, RUNS = 5 };
  dorm_context *context = unit_context();
  dorm_artificial parameters = {2000, 20, WIDTH, 0, 7, 1};
  dorm_dataset *train = NULL;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &train));
  CU_ASSERT_PTR_NOT_NULL_FATAL(train);
  dorm_settings *settings = settings_with(context, pairs, sizeof pairs / sizeof *pairs);
  double weights[RUNS][WIDTH], primal[RUNS], dual[RUNS];
  for (size_t i = 0; i < RUNS; i++) {
    char text[4];
    snprintf(text, sizeof text, "%zu", threads[i]);
    UNIT_OK(context, dorm_settings_set(context, settings, "solver.threads", text));
    dorm_training *training = NULL;
    UNIT_OK(context, dorm_train(context, settings, train, NULL, &training));
    CU_ASSERT_PTR_NOT_NULL_FATAL(training);
    memcpy(weights[i], dorm_training_model(training)->weights, sizeof weights[i]);
    primal[i] = dorm_training_candidate(training, 1)->certificate.primal;
    dual[i] = dorm_training_candidate(training, 1)->certificate.dual;
    dorm_training_free(training);
  }
  CU_ASSERT_EQUAL(memcmp(weights[1], weights[2], sizeof weights[1]), 0);
  CU_ASSERT_EQUAL(memcmp(weights[3], weights[4], sizeof weights[3]), 0);
  for (size_t i = 0; i < RUNS; i++)
    for (size_t k = 0; k < RUNS; k++)
      CU_ASSERT_TRUE(dual[i] <= primal[k]); /* each bounds the others' optimum */
  dorm_settings_free(settings);
  dorm_dataset_free(train);
  dorm_context_free(context);
}

static int cancel_after(void *user)
{
  int *left = user;
  return --*left < 0;
}

static void cancelling_keeps_what_there_is(void)
{
  dorm_context *context = unit_context();
  dorm_dataset *train = artificial(context, 1, 30);
  dorm_settings *settings = settings_with(context, NULL, 0);
  int left = 7;
  dorm_context_set_cancel(context, cancel_after, &left);
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
  dorm_settings_free(settings);
  dorm_dataset_free(train);
  dorm_context_free(context);
}

/* Stopped after any number of passes, in any fold or retraining, and resumed: the
 * same bits as in one go. */
static void resuming_ends_at_the_same_model(void)
{
  static const char *const common[][2] = {{"solver.C", "1, 30"},
                                          {"ranking.reference", "mu:0.3, ideal"},
                                          {"ranking.position_weights", "power:0.5"},
                                          {"ranking.rounds", "2"},
                                          {"solver.gap", "1e-4"},
                                          {"output.checkpoint", "unit-checkpoint"},
                                          {"output.checkpoint_minutes", "0"},
                                          {"output.resume", "yes"}};
  static const char *const variants[][2] = {{"selection.average", "2"},
                                            {"selection.folds", "3"},
                                            {"selection.retrain", "yes"},
                                            {"solver.solver", "one-slack"}};
  dorm_context *context = unit_context();
  dorm_dataset *train = artificial(context, 1, 20);
  dorm_dataset *validation = artificial(context, 2, 10);
  for (size_t variant = 0; variant < 4; variant++) {
    const dorm_dataset *other = variant == 1 ? NULL : validation;
    dorm_settings *settings = settings_with(context, common, sizeof common / sizeof *common);
    UNIT_OK(context, dorm_settings_set(context, settings, variants[variant][0], variants[variant][1]));
    unlink("unit-checkpoint");
    dorm_training *whole = NULL, *resumed = NULL;
    dorm_context_set_cancel(context, NULL, NULL);
    UNIT_OK(context, dorm_train(context, settings, train, other, &whole));
    CU_ASSERT_PTR_NOT_NULL_FATAL(whole);
    CU_ASSERT_NOT_EQUAL(access("unit-checkpoint", F_OK), 0); /* done: gone */
    int attempts = 0, left = 0;
    dorm_status status = DORM_STOPPED;
    while (status == DORM_STOPPED && attempts < 1000) {
      dorm_training_free(resumed);
      left = 3 + attempts % 40;
      attempts++;
      dorm_context_set_cancel(context, cancel_after, &left);
      status = dorm_train(context, settings, train, other, &resumed);
    }
    UNIT_OK(context, status);
    CU_ASSERT_TRUE(attempts > 3);
    CU_ASSERT_PTR_NOT_NULL_FATAL(resumed);
    CU_ASSERT_EQUAL(dorm_training_num_candidates(resumed), dorm_training_num_candidates(whole));
    const dorm_model *one = dorm_training_model(whole), *two = dorm_training_model(resumed);
    CU_ASSERT_EQUAL_FATAL(one->rank_block, two->rank_block);
    size_t width = one->rank_block > 0 ? 2 * one->num_ids : one->num_ids;
    CU_ASSERT_EQUAL(memcmp(one->weights, two->weights, width * sizeof(double)), 0);
    dorm_training_free(whole);
    dorm_training_free(resumed);
    dorm_settings_free(settings);
  }
  dorm_dataset_free(train);
  dorm_dataset_free(validation);
  dorm_context_free(context);
}

static void bad_checkpoints_are_refused(void)
{
  static const char *const pairs[][2] = {{"solver.C", "1, 30"},
                                         {"solver.gap", "1e-4"},
                                         {"output.checkpoint", "unit-checkpoint"},
                                         {"output.checkpoint_minutes", "0"},
                                         {"output.resume", "yes"}};
  dorm_context *context = unit_context();
  dorm_dataset *train = artificial(context, 1, 20);
  dorm_settings *settings = settings_with(context, pairs, sizeof pairs / sizeof *pairs);
  dorm_training *training = NULL;
  unlink("unit-checkpoint");
  int left = 12;
  dorm_context_set_cancel(context, cancel_after, &left);
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_STOPPED, "stopped");
  dorm_training_free(training);
  dorm_context_set_cancel(context, NULL, NULL);
  char *bytes = NULL;
  size_t size = 0;
  UNIT_OK(context, dorm__read_whole(context, "unit-checkpoint", &bytes, &size));
  CU_ASSERT_TRUE_FATAL(size > 200);
  for (size_t trial = 0; trial < 60; trial++) { /* one byte changed, or the end cut off */
    FILE *file = fopen("unit-checkpoint", "wb");
    size_t at = trial * (size - 1) / 59;
    bytes[at] ^= 16;
    fwrite(bytes, 1, trial % 2 ? size : at, file);
    fclose(file);
    bytes[at] ^= 16;
    UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_BAD_DATA, "unit-checkpoint: ");
    CU_ASSERT_PTR_NULL(training);
  }
  FILE *file = fopen("unit-checkpoint", "wb");
  fwrite(bytes, 1, size, file);
  fclose(file);
  UNIT_OK(context, dorm_settings_set(context, settings, "solver.C", "2"));
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_BAD_DATA, "other settings");
  UNIT_OK(context, dorm_settings_set(context, settings, "output.checkpoint", ""));
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_BAD_USAGE, "output.checkpoint");
  unlink("unit-checkpoint");
  dorm__free(bytes);
  dorm_settings_free(settings);
  dorm_dataset_free(train);
  dorm_context_free(context);
}

/* A candidate's value under folds is the mean over the held-out queries of models
 * trained without them, computed here fold by fold by hand. */
static void folds_hold_out_every_query_once(void)
{
  static const char *const pairs[][2] = {
      {"solver.C", "10"}, {"ranking.reference", "mu:1"}, {"ranking.rounds", "1"}, {"data.rank_block", "0"}};
  enum { QUERIES_HERE = 12, FOLDS = 3 };
  dorm_context *context = unit_context();
  dorm_dataset *whole = artificial(context, 5, QUERIES_HERE);
  dorm_settings *settings = settings_with(context, pairs, sizeof pairs / sizeof *pairs);
  UNIT_OK(context, dorm_settings_set(context, settings, "selection.folds", "3"));
  UNIT_OK(context, dorm_settings_set(context, settings, "selection.seed", "9"));
  dorm_training *training = NULL;
  UNIT_OK(context, dorm_train(context, settings, whole, NULL, &training));
  CU_ASSERT_PTR_NOT_NULL_FATAL(training);
  UNIT_OK(context, dorm_settings_set(context, settings, "selection.folds", "0"));

  size_t fold_of[QUERIES_HERE];
  dorm__random random;
  dorm__random_seed(&random, 9);
  dorm__random_permutation(&random, QUERIES_HERE, fold_of);
  double values[2][QUERIES_HERE]; /* of the start and of the one trained candidate */
  size_t count = 0;
  for (size_t fold = 0; fold < FOLDS; fold++) {
    dorm__query_of in[QUERIES_HERE], out[QUERIES_HERE];
    size_t num_in = 0, num_out = 0;
    for (size_t q = 0; q < QUERIES_HERE; q++)
      if (fold_of[q] % FOLDS == fold)
        out[num_out++] = (dorm__query_of){whole, q};
      else
        in[num_in++] = (dorm__query_of){whole, q};
    dorm_dataset *train = NULL, *held_out = NULL;
    UNIT_OK(context, dorm__dataset_gather(context, "in", num_in, in, &train));
    UNIT_OK(context, dorm__dataset_gather(context, "out", num_out, out, &held_out));
    dorm_training *part = NULL;
    UNIT_OK(context, dorm_train(context, settings, train, NULL, &part));
    CU_ASSERT_PTR_NOT_NULL_FATAL(part);
    for (size_t i = 0; i < 2; i++) {
      double scores[QUERIES_HERE * 20];
      dorm__feature_map map = {.num_ids = held_out->num_features,
                               .ids = held_out->feature_ids,
                               .normalisation = DORM__NORMALISATION_MIN_MAX};
      dorm__features features;
      dorm_evaluation evaluation;
      UNIT_OK(context, dorm__features_build(context, held_out, &map, 1, &features));
      dorm__features_score(&features, 0, held_out->num_docs, part->trained[i].w, scores);
      UNIT_OK(context, dorm_evaluate(context, "ndcg@10", held_out, scores, values[i] + count, &evaluation));
      dorm__features_free(&features);
    }
    count += num_out;
    dorm_training_free(part);
    dorm_dataset_free(train);
    dorm_dataset_free(held_out);
  }
  CU_ASSERT_EQUAL(count, QUERIES_HERE);
  for (size_t i = 0; i < 2; i++) {
    double mean = 0, squares = 0;
    for (size_t q = 0; q < QUERIES_HERE; q++)
      mean += values[i][q] / QUERIES_HERE;
    for (size_t q = 0; q < QUERIES_HERE; q++)
      squares += (values[i][q] - mean) * (values[i][q] - mean);
    const dorm_candidate *candidate = dorm_training_candidate(training, i);
    CU_ASSERT_TRUE(unit_close(candidate->validation, mean, 1e-12));
    CU_ASSERT_TRUE(unit_close(candidate->validation_error, sqrt(squares / (QUERIES_HERE - 1) / QUERIES_HERE), 1e-9));
  }
  UNIT_OK(context, dorm_settings_set(context, settings, "selection.folds", "13"));
  dorm_training_free(training);
  UNIT_FAILS(context, dorm_train(context, settings, whole, NULL, &training), DORM_BAD_USAGE, "12 queries");
  dorm_settings_free(settings);
  dorm_dataset_free(whole);
  dorm_context_free(context);
}

/* The same data stored sparse and dense: the same optimum. */
static void sparse_and_dense_data_train_alike(void)
{
  enum { QUERIES_HERE = 30, DOCS_HERE = 12, WIDTH = 25 };
  static const char *const pairs[][2] = {{"data.normalisation", "none"},
                                         {"solver.gap", "1e-7"},
                                         {"solver.C", "1, 30"},
                                         {"ranking.rounds", "1"},
                                         {"ranking.position_weights", "loss, power:0.5"}};
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  size_t start[QUERIES_HERE + 1], row_start[QUERIES_HERE * DOCS_HERE + 1] = {0}, num_entries = 0;
  static double labels[QUERIES_HERE * DOCS_HERE];
  static float values[QUERIES_HERE * DOCS_HERE * WIDTH], entries[QUERIES_HERE * DOCS_HERE * WIDTH];
  static uint32_t columns[QUERIES_HERE * DOCS_HERE * WIDTH];
  for (size_t q = 0; q <= QUERIES_HERE; q++)
    start[q] = q * DOCS_HERE;
  for (size_t j = 0; j < QUERIES_HERE * DOCS_HERE; j++) {
    labels[j] = (double)dorm__random_below(&random, 3);
    for (size_t f = 0; f < WIDTH; f++) {
      float value = dorm__random_below(&random, 4) ? 0 : (float)dorm__random_normal(&random);
      values[j * WIDTH + f] = value;
      if (value != 0) {
        columns[num_entries] = (uint32_t)f;
        entries[num_entries++] = value;
      }
    }
    row_start[j + 1] = num_entries;
  }
  dorm_dataset *dense = NULL, *sparse = NULL;
  UNIT_OK(context, dorm_dataset_from_arrays(context, QUERIES_HERE, start, WIDTH, labels, values, &dense));
  UNIT_OK(context,
          dorm_dataset_from_sparse(context, QUERIES_HERE, start, WIDTH, labels, row_start, columns, entries, &sparse));
  dorm_settings *settings = settings_with(context, pairs, sizeof pairs / sizeof *pairs);
  static const char *const solvers[] = {"n-slack", "one-slack"};
  for (size_t solver = 0; solver < 2; solver++) {
    dorm_training *one = NULL, *two = NULL;
    UNIT_OK(context, dorm_settings_set(context, settings, "solver.solver", solvers[solver]));
    UNIT_OK(context, dorm_train(context, settings, dense, NULL, &one));
    UNIT_OK(context, dorm_train(context, settings, sparse, NULL, &two));
    CU_ASSERT_PTR_NOT_NULL_FATAL(one);
    CU_ASSERT_PTR_NOT_NULL_FATAL(two);
    for (size_t f = 0; f < WIDTH; f++) /* the start: by factorisation, by conjugate gradients */
      CU_ASSERT_TRUE(unit_close(one->trained[0].w[f], two->trained[0].w[f], 1e-6));
    for (size_t i = 1; i < one->num_trained; i++) {
      double x = one->trained[i].candidate.certificate.primal, y = two->trained[i].candidate.certificate.primal;
      CU_ASSERT_TRUE(fabs(x - y) <= 1e-5 * x); /* the references may differ by the start's rounding */
      CU_ASSERT_TRUE(two->trained[i].candidate.certificate.gap <= 1e-7);
    }
    dorm_training_free(one);
    dorm_training_free(two);
  }
  dorm_settings_free(settings);
  dorm_dataset_free(dense);
  dorm_dataset_free(sparse);
  dorm_context_free(context);
}

/* A start at which nothing is violated: the working set is still empty after the
 * first pass, in one go and resumed. */
static dorm_dataset *separable(dorm_context *context)
{
  enum { QUERIES_HERE = 30, DOCS_HERE = 6 };
  size_t start[QUERIES_HERE + 1] = {0};
  double labels[QUERIES_HERE * DOCS_HERE];
  float values[QUERIES_HERE * DOCS_HERE * 2];
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  for (size_t j = 0; j < QUERIES_HERE * DOCS_HERE; j++) {
    start[j / DOCS_HERE + 1] = j + 1;
    labels[j] = 1000 * (double)(j % DOCS_HERE);
    values[2 * j] = (float)(j % DOCS_HERE);
    values[2 * j + 1] = 0.001F * (float)dorm__random_normal(&random);
  }
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_from_arrays(context, QUERIES_HERE, start, 2, labels, values, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

static void an_empty_working_set_resumes(void)
{
  static const char *const pairs[][2] = {{"loss.name", "ndcg:gain=linear"},
                                         {"ranking.reference", "ideal"},
                                         {"solver.C", "1"},
                                         {"solver.gap", "1e-6"},
                                         {"output.checkpoint", "unit-checkpoint"},
                                         {"output.checkpoint_minutes", "0"},
                                         {"output.resume", "yes"}};
  dorm_context *context = unit_context();
  dorm_dataset *train = separable(context);
  dorm_settings *settings = settings_with(context, pairs, sizeof pairs / sizeof *pairs);
  dorm_training *whole = NULL, *resumed = NULL;
  unlink("unit-checkpoint");
  UNIT_OK(context, dorm_train(context, settings, train, NULL, &whole));
  CU_ASSERT_PTR_NOT_NULL_FATAL(whole);
  dorm_status status = DORM_STOPPED;
  int attempts = 0;
  for (; status == DORM_STOPPED && attempts < 500; attempts++) {
    int left = 0; /* stop at the first question */
    dorm_training_free(resumed);
    dorm_context_set_cancel(context, cancel_after, &left);
    status = dorm_train(context, settings, train, NULL, &resumed);
  }
  UNIT_OK(context, status);
  CU_ASSERT_TRUE(attempts > 3);
  CU_ASSERT_PTR_NOT_NULL_FATAL(resumed);
  CU_ASSERT_EQUAL(
      memcmp(dorm_training_model(whole)->weights, dorm_training_model(resumed)->weights, 2 * sizeof(double)), 0);
  unlink("unit-checkpoint");
  dorm_training_free(whole);
  dorm_training_free(resumed);
  dorm_settings_free(settings);
  dorm_dataset_free(train);
  dorm_context_free(context);
}

/* Bounds that leave out w = 0: from zero and from the ridge start the same
 * optimum, within the bounds. */
static void bounds_away_from_zero_hold(void)
{
  static const char *const pairs[][2] = {{"solver.weight_min", "5"},
                                         {"solver.C", "1"},
                                         {"solver.gap", "1e-5"},
                                         {"ranking.reference", "listed"},
                                         {"selection.average", "1"}};
  static const char *const starts[] = {"zero", "ridge"};
  dorm_context *context = unit_context();
  dorm_dataset *train = artificial(context, 1, 20);
  dorm_settings *settings = settings_with(context, pairs, sizeof pairs / sizeof *pairs);
  double primal[2], dual[2];
  for (size_t i = 0; i < 2; i++) {
    dorm_training *training = NULL;
    UNIT_OK(context, dorm_settings_set(context, settings, "solver.start", starts[i]));
    UNIT_OK(context, dorm_train(context, settings, train, NULL, &training));
    CU_ASSERT_PTR_NOT_NULL_FATAL(training);
    const dorm__trained *last = &training->trained[training->num_trained - 1];
    for (size_t f = 0; f < last->width; f++)
      CU_ASSERT_TRUE(last->w[f] >= 5);
    primal[i] = last->candidate.certificate.primal;
    dual[i] = last->candidate.certificate.dual;
    dorm_training_free(training);
  }
  for (size_t i = 0; i < 4; i++) /* up to rounding: the optimum lies at the bounds, the gap is 0 */
    CU_ASSERT_TRUE(dual[i / 2] <= primal[i % 2] * (1 + 1e-12));
  CU_ASSERT_TRUE(unit_close(primal[0], primal[1], 2e-5));
  dorm_settings_free(settings);
  dorm_dataset_free(train);
  dorm_context_free(context);
}

static void what_cannot_be_trained_is_said(void)
{
  static const struct {
    const char *key, *text;
    dorm_status status;
    const char *message;
  } bad[] = {
      {"loss.name", "nfcg", DORM_BAD_USAGE, "nfcg"},
      {"selection.measure", "ndgc@10", DORM_BAD_USAGE, "ndgc"},
      {"solver.oracle", "sort", DORM_BAD_USAGE, "sort"},
      {"solver.bounded", "1-", DORM_BAD_USAGE, "'1-' is no list of feature ids"},
      {"selection.folds", "1", DORM_BAD_USAGE, "5 queries"},
  };
  dorm_context *context = unit_context();
  dorm_dataset *train = artificial(context, 1, 5);
  dorm_training *training = NULL;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dorm_settings *settings = settings_with(context, NULL, 0);
    UNIT_OK(context, dorm_settings_set(context, settings, "ranking.position_weights", "power:1"));
    UNIT_OK(context, dorm_settings_set(context, settings, bad[i].key, bad[i].text));
    UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), bad[i].status, bad[i].message);
    CU_ASSERT_PTR_NULL(training);
    dorm_settings_free(settings);
  }
  dorm_dataset_free(train);

  static const size_t start[] = {0, 2, 3};
  static const double labels[] = {0, 0, 1};
  static const float values[] = {1, 2, 3};
  dorm_settings *settings = settings_with(context, NULL, 0);
  UNIT_OK(context, dorm_dataset_from_arrays(context, 2, start, 1, labels, values, &train));
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_BAD_DATA, "no query to train on");
  dorm_dataset_free(train);
  dorm_settings_free(settings);
  dorm_context_free(context);
}

static const unit_test tests[] = {
    {"quadratic programmes meet their KKT conditions", quadratic_programmes_meet_their_kkt_conditions},
    {"references agree with enumeration", references_agree_with_enumeration},
    {"training agrees with enumeration", training_agrees_with_enumeration},
    {"the slack bounds the loss", the_slack_bounds_the_loss},
    {"the start solves the centred ridge", the_start_solves_the_centred_ridge},
    {"position weights follow their formulas", position_weights_follow_their_formulas},
    {"the grid is trained and averaged", the_grid_is_trained_and_averaged},
    {"training repeats", training_repeats},
    {"cancelling keeps what there is", cancelling_keeps_what_there_is},
    {"resuming ends at the same model", resuming_ends_at_the_same_model},
    {"bad checkpoints are refused", bad_checkpoints_are_refused},
    {"folds hold out every query once", folds_hold_out_every_query_once},
    {"sparse and dense data train alike", sparse_and_dense_data_train_alike},
    {"an empty working set resumes", an_empty_working_set_resumes},
    {"bounds away from zero hold", bounds_away_from_zero_hold},
    {"what cannot be trained is said", what_cannot_be_trained_is_said},
    {NULL, NULL},
};

const unit_suite solver_suite = {"solver", tests};
