/*
 * solver_test.c: the dual QP against its KKT conditions; references, and whole
 * convex problems, against an enumeration of all rankings.
 */
#include "tests/unit/training_cases.h"

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

UNIT_TEST(quadratic_programmes_meet_their_kkt_conditions)
{
  dorm__random random = unit_random(0);
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

enum { DOCS = 5, RANKINGS = UNIT_RANKINGS_OF_FIVE, FEATURES = 3, QUERIES = 4 };

static uint32_t rankings[RANKINGS][DOCS];

static void small_problem_new(training_problem *small, dorm__random *random, const char *loss,
                              const char *position_weights)
{
  dorm_context *context = unit_context();
  unit_rankings_of_five(rankings);
  double labels[QUERIES * DOCS];
  float values[QUERIES * DOCS * FEATURES];
  for (size_t j = 0; j < QUERIES * DOCS; j++) {
    labels[j] = j % DOCS == 0 ? 2 : (double)dorm__random_below(random, 3);
    for (size_t f = 0; f < FEATURES; f++)
      values[j * FEATURES + f] = (float)dorm__random_normal(random);
  }
  dorm_dataset *dataset = unit_even_dataset(context, QUERIES, DOCS, FEATURES, labels, values);
  training_problem_new(context, dataset, loss, position_weights, 2, small);
}

/* Phi from its definition: sum over positions of c x. */
static void feature_map_of(const training_problem *small, size_t query, const uint32_t *order, double *phi)
{
  size_t number = small->problem->queries[query];
  for (size_t f = 0; f < FEATURES; f++) {
    phi[f] = 0;
    for (size_t p = 0; p < DOCS; p++)
      phi[f] += small->problem->c[query][p] * (double)dorm_dataset_value(small->dataset, number * DOCS + order[p], f);
  }
}

UNIT_TEST(references_agree_with_enumeration)
{
  static const char *const losses[] = {"ndcg:truncation=0", "ndcg@2", "ndcg@3:gain=linear"};
  static const char *const weights[] = {"loss", "power:0.5", "log", "loglog"};
  static const char *const words[] = {"listed", "averaged", "ideal", "current", "mu:0.3", "mu:2"};
  dorm__random random = unit_random(0);
  for (size_t trial = 0; trial < 60; trial++) {
    training_problem small;
    small_problem_new(&small, &random, losses[trial % 3], weights[trial % 4]);
    double w[FEATURES];
    for (size_t f = 0; f < FEATURES; f++)
      w[f] = trial % 5 ? dorm__random_normal(&random) : 0;
    for (size_t i = 0; i < small.problem->num_queries; i++)
      for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        dorm__reference reference = dorm__reference_from(words[k]);
        double loss = NAN;
        DORM__AT_END(dorm__vector_clear) dorm__vector vector = {0};
        UNIT_OK(small.context, training_reference_at(small.problem, small.point, &reference, i, w, &vector, &loss));
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
          UNIT_CLOSE(value - reference.mu * loss, best, 1e-12);
        if (reference.kind == DORM__REFERENCE_IDEAL)
          UNIT_CLOSE(value, best_ideal, 1e-12);
        if (reference.kind == DORM__REFERENCE_AVERAGED)
          for (size_t f = 0; f < FEATURES; f++)
            UNIT_CLOSE(phi[f], mean[f] / num_ideal, 1e-12);
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
      }
    training_problem_free(&small);
  }
}

/* The convex problem with every ranking of every query as a column, its dual solved by Frank-Wolfe steps towards the
 * best vertex and away from the worst, with exact line search (Guelat and Marcotte 1986; with bounds the step follows
 * the quadratic minorant): a method that shares nothing with the active sets and sweeps of the solver. */
typedef struct enumerated {
  double psi[QUERIES][RANKINGS + 1][FEATURES]; /* the last column is the slack: zero */
  double loss[QUERIES][RANKINGS + 1];
  double alpha[QUERIES][RANKINGS + 1];
  double centre[FEATURES];
  double v[FEATURES]; /* centre + sum alpha psi */
  double w[FEATURES]; /* v within the bounds */
  double lower, upper;
} enumerated;

static double enumerated_primal(const enumerated *all, size_t num_queries, double C, const double *w)
{
  double primal = 0;
  for (size_t f = 0; f < FEATURES; f++)
    primal += 0.5 * pow(w[f] - all->centre[f], 2);
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
  double dual = 0;
  for (size_t f = 0; f < FEATURES; f++)
    dual += 0.5 * pow(all->w[f] - all->centre[f], 2) - all->w[f] * (all->v[f] - all->centre[f]);
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

static void solve_enumerated(const training_problem *small, const dorm__vector *references, double C, double lower,
                             double upper, const double *centre, enumerated *all)
{
  size_t num_queries = small->problem->num_queries;
  memset(all, 0, sizeof *all);
  all->lower = lower;
  all->upper = upper;
  for (size_t f = 0; f < FEATURES; f++)
    all->centre[f] = centre ? centre[f] : 0;
  for (size_t f = 0; f < FEATURES; f++) {
    all->v[f] = all->centre[f];
    all->w[f] = fmin(upper, fmax(lower, all->v[f]));
  }
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

/* With and without bounds on the weights and a centre, every reference. */
UNIT_TEST(training_agrees_with_enumeration)
{
  static const char *const losses[] = {"ndcg:truncation=0", "ndcg@2", "ndcg@3:gain=linear"};
  static const char *const weights[] = {"loss", "power:0.5", "log"};
  static const char *const words[] = {"listed", "averaged", "ideal", "current", "mu:0.3"};
  static const double Cs[] = {0.01, 0.3, 3, 100};
  dorm__random random = unit_random(0);
  DORM__FREED enumerated *all = unit_alloc(1, sizeof *all);
  for (size_t trial = 0; trial < 120; trial++) {
    DORM__AT_END(training_problem_free) training_problem small;
    small_problem_new(&small, &random, losses[trial % 3], weights[(trial / 3) % 3]);
    dorm__reference reference = dorm__reference_from(words[trial % 5]);
    double w[FEATURES], C = Cs[trial % 4], lower[FEATURES], upper[FEATURES], centre[FEATURES];
    bool has_centre = trial % 3 != 1;
    for (size_t f = 0; f < FEATURES; f++) {
      w[f] = dorm__random_normal(&random);
      centre[f] = (trial % 9 ? 0.5 : 20) * dorm__random_normal(&random);
      lower[f] = trial % 7 < 2 ? 0 : -INFINITY;
      upper[f] = trial % 7 == 1 ? 0.4 : INFINITY;
    }
    dorm__bounds bounds = {lower, trial % 7 == 1 ? upper : NULL};
    dorm__vector references[QUERIES] = {{0}};
    double reference_loss;
    for (size_t i = 0; i < small.problem->num_queries; i++)
      UNIT_OK(small.context,
              training_reference_at(small.problem, small.point, &reference, i, w, &references[i], &reference_loss));
    dorm__working_set *set = NULL;
    UNIT_OK(small.context, dorm__working_set_new(small.context, small.problem, small.point, bounds, &set));
    if (has_centre)
      UNIT_OK(small.context, dorm__working_set_set_centre(small.context, set, centre));
    UNIT_OK(small.context, dorm__working_set_set_reference(small.context, set, &reference, w));
    dorm__bounds_project(&bounds, FEATURES, w);
    dorm__cutting_plane_options options = {.C = C, .gap = 1e-8, .max_iterations = 10000};
    dorm_certificate certificate = {0};
    UNIT_OK(small.context, dorm__cutting_plane(small.context, set, &options, w, &certificate));
    CU_ASSERT_TRUE(certificate.gap <= 1e-8);
    CU_ASSERT_TRUE(certificate.score_seconds > 0 && certificate.qp_seconds > 0);
    double by_method = 0; /* the references' calls among them */
    for (size_t m = 0; m < DORM__NUM_ORACLE_METHODS; m++)
      by_method += small.problem->workers.threads[0].method_seconds[m];
    CU_ASSERT_TRUE(certificate.oracle_seconds > 0 && by_method >= certificate.oracle_seconds - 1e-9);

    solve_enumerated(&small, references, C, lower[0], upper[0], has_centre ? centre : NULL, all);
    double other = enumerated_dual(all, small.problem->num_queries);
    /* the optimum lies between the other method's dual and primal values, 1e-9 apart unless it ran out of passes */
    double unsure = enumerated_primal(all, small.problem->num_queries, C, all->w) - other;
    CU_ASSERT_TRUE(unsure <= 1e-3 * other);
    CU_ASSERT_TRUE(fabs(certificate.primal - other) <= 1e-6 * other + unsure);
    CU_ASSERT_TRUE(fabs(certificate.dual - other) <= 1e-6 * other + unsure);
    /* the primal value of the certificate is that of w over all rankings */
    double primal = enumerated_primal(all, small.problem->num_queries, C, w);
    UNIT_CLOSE(primal, certificate.primal, 1e-12);
    for (size_t f = 0; f < FEATURES; f++)
      CU_ASSERT_TRUE(w[f] >= lower[f] && w[f] <= upper[f]);
    for (size_t i = 0; i < QUERIES; i++)
      dorm__vector_clear(&references[i]);
    dorm__working_set_free(set);
  }
}

/* Solves a small problem with its references at 0; the certificate tells whether two solves went the same way. */
static void solve_with_centre(training_problem *small, dorm__bounds bounds, const double *centre, double *w,
                              dorm_certificate *certificate)
{
  dorm__working_set *set = NULL;
  dorm__reference reference = dorm__reference_from("ideal");
  UNIT_OK(small->context, dorm__working_set_new(small->context, small->problem, small->point, bounds, &set));
  UNIT_OK(small->context, dorm__working_set_set_centre(small->context, set, centre));
  memset(w, 0, FEATURES * sizeof *w);
  UNIT_OK(small->context, dorm__working_set_set_reference(small->context, set, &reference, w));
  dorm__cutting_plane_options options = {.C = 3, .gap = 1e-6, .max_iterations = 10000};
  *certificate = (dorm_certificate){0};
  UNIT_OK(small->context, dorm__cutting_plane(small->context, set, &options, w, certificate));
  dorm__working_set_free(set);
}

/* Without a centre, with one of zeros, and with one of zeros after another: the same bits. */
UNIT_TEST(a_centre_of_zeros_changes_nothing)
{
  dorm__random random = unit_random(0);
  for (size_t trial = 0; trial < 12; trial++) {
    DORM__AT_END(training_problem_free) training_problem small;
    small_problem_new(&small, &random, "ndcg@3", trial % 2 ? "loss" : "log");
    const double zeros[FEATURES] = {0}, lower[FEATURES] = {0};
    dorm__bounds bounds = {trial % 3 ? NULL : lower, NULL};
    double w[2][FEATURES];
    dorm_certificate certificates[2];
    solve_with_centre(&small, bounds, NULL, w[0], &certificates[0]);
    solve_with_centre(&small, bounds, zeros, w[1], &certificates[1]);
    CU_ASSERT_EQUAL(memcmp(w[0], w[1], sizeof w[0]), 0);
    CU_ASSERT_EQUAL(certificates[0].primal, certificates[1].primal);
    CU_ASSERT_EQUAL(certificates[0].dual, certificates[1].dual);
    CU_ASSERT_EQUAL(certificates[0].iterations, certificates[1].iterations);
  }
}

/* Delta of the predicted ranking is at most the slack plus mu Delta(reference). */
UNIT_TEST(the_slack_bounds_the_loss)
{
  static const char *const words[] = {"ideal", "current", "mu:0.3", "mu:1"};
  dorm__random random = unit_random(0);
  for (size_t trial = 0; trial < 40; trial++) {
    DORM__AT_END(training_problem_free) training_problem small;
    small_problem_new(&small, &random, "ndcg@3", trial % 2 ? "loss" : "power:1");
    dorm__reference reference = dorm__reference_from(words[trial % 4]);
    double w[FEATURES];
    for (size_t f = 0; f < FEATURES; f++)
      w[f] = dorm__random_normal(&random) * 0.3;
    for (size_t i = 0; i < small.problem->num_queries; i++) {
      dorm__thread *thread = &small.problem->workers.threads[0];
      double reference_loss, worst = -INFINITY;
      DORM__AT_END(dorm__vector_clear) dorm__vector phi = {0};
      UNIT_OK(small.context,
              training_reference_at(small.problem, small.point, &reference, i, w, &phi, &reference_loss));
      const dorm__query_loss *loss = dorm__problem_loss(small.problem, i);
      for (size_t r = 0; r < RANKINGS; r++) {
        double own[FEATURES];
        feature_map_of(&small, i, rankings[r], own);
        worst = fmax(worst, dorm__dot(FEATURES, w, own) + dorm__query_loss_of(loss, rankings[r]));
      }
      dorm__scored_point_query(small.point, i, thread);
      uint32_t predicted[DOCS];
      UNIT_OK(small.context,
              dorm__oracle_solve(small.problem->plans[i], thread->workspace, thread->scores, 0, predicted, NULL));
      double bound = worst - dorm__vector_dot(&phi, w) + reference.mu * reference_loss;
      CU_ASSERT_TRUE(dorm__query_loss_of(loss, predicted) <= bound + 1e-12);
    }
  }
}

/* ---- Position weights ------------------------------------------------------------ */

/* c from a word of ranking.position_weights. */
static dorm_status weigh(dorm_context *context, const char *word, size_t count, double *c)
{
  DORM__AT_END(dorm__position_weights_clear) dorm__position_weights weights;
  dorm_status status = dorm__position_weights_from(context, word, &weights);
  if (status == DORM_OK)
    dorm__position_weights_fill(&weights, count, c);
  return status;
}

UNIT_TEST_IN(context, position_weights_follow_their_formulas)
{
  double c[4];
  UNIT_OK(context, weigh(context, "power:2", 4, c));
  CU_ASSERT_TRUE(unit_close(c[0], 1.0 / 4, 1e-15) && unit_close(c[3], 1.0 / 25, 1e-15));
  UNIT_OK(context, weigh(context, "log", 4, c));
  UNIT_CLOSE(c[1], 1 / 1.3862943611198906, 1e-15); /* ln 4 */
  UNIT_OK(context, weigh(context, "loglog", 4, c));
  UNIT_CLOSE(c[1], 1 / 0.32663425997828094, 1e-14); /* ln ln 4 */
  const char *path = unit_temporary_file("3\n1.5\r\n0.25\n");
  const char *spec = unit_text("file:%s", path);
  UNIT_OK(context, weigh(context, spec, 4, c));
  CU_ASSERT_TRUE(c[0] == 3 && c[1] == 1.5 && c[2] == 0.25 && c[3] == 0);
  UNIT_OK(context, weigh(context, spec, 2, c));
  static const unit_refusal bad[] = {{"1\n2\n", ":2: position weights must not increase: 2 after 1"},
                                     {"1\nx\n", ":2: 'x' is not a number"},
                                     {"1\n-1\n", ":2: '-1' is not a number of 0 or more"},
                                     {"", ": no position weight"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    path = unit_temporary_file(bad[i].given);
    UNIT_BAD_DATA(weigh(context, unit_text("file:%s", path), 4, c), bad[i].message);
  }
  UNIT_FAILS(context, weigh(context, "file:no such", 4, c), DORM_IO_ERROR, "no such");
}
