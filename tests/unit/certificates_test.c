/*
 * certificates_test.c: primal and dual values recomputed with nothing but the
 * data, the definitions and an enumeration of all rankings of five documents;
 * the working set's size.
 */
#include "tests/unit/training_cases.h"

/* Every value of a list, in whatever order, ends at the optimum of its own. */
UNIT_TEST_IN(context, a_falling_list_of_C_ends_at_each_optimum)
{
  static const char *const Cs[] = {"30", "1", "100", "0.1"};
  DORM__OWNED(dorm_dataset) *train = training_random_data(context, unit_seed(), 40, TRAINING_FEW_DOCS, false);
  const char *list[] = {"solver.gap", "1e-6", "solver.C", "30, 1, 100, 0.1", NULL};
  DORM__OWNED(dorm_training) *path = training_run(context, list, DORM_OK, train, NULL);
  CU_ASSERT_EQUAL_FATAL(path->num_trained, 5);
  for (size_t i = 0; i < 4; i++) {
    list[3] = Cs[i];
    DORM__OWNED(dorm_training) *single = training_run(context, list, DORM_OK, train, NULL);
    const dorm_certificate *one = training_certificate(path, i + 1), *two = training_certificate(single, 1);
    CU_ASSERT_TRUE(one->gap <= 1e-6 && two->gap <= 1e-6);
    CU_ASSERT_TRUE(one->dual <= two->primal * (1 + 1e-12));
    CU_ASSERT_TRUE(two->dual <= one->primal * (1 + 1e-12));
    CU_ASSERT_TRUE(fabs(one->primal - two->primal) <= 1e-6 * two->primal);
    training_slacks sums = training_slacks_by_hand(train, 0.3, path->trained[0].w, path->trained[i + 1].w);
    double square = dorm__dot(TRAINING_WIDTH, path->trained[i + 1].w, path->trained[i + 1].w);
    double C = path->trained[i + 1].candidate.C / sums.weight;
    UNIT_CLOSE(one->primal, 0.5 * square + C * sums.slack, 1e-9);
  }
}

/* ---- Certificates ------------------------------------------------------------------- */

/* Primal values and the constant of every round, solved and stopped early: the
 * references of round 1 are taken at the start, of round 2 at round 1's w. */
UNIT_TEST_IN(context, certificates_are_those_of_w)
{
  static const char *const words[] = {"mu:0.3", "mu:1", "current"};
  static const double mus[] = {0.3, 1, 0};
  static const char *const limits[] = {"1000", "2"};
  DORM__OWNED(dorm_dataset) *train = training_random_data(context, unit_seed(), 30, TRAINING_FEW_DOCS, false);
  for (size_t trial = 0; trial < 6; trial++) {
    bool is_stopped = trial % 2;
    double mu = mus[trial / 2];
    const char *const *pairs =
        UNIT_PAIRS("ranking.reference", words[trial / 2], "solver.max_iterations", limits[is_stopped], "ranking.rounds",
                   "2", "solver.C", "3, 100", "solver.gap", "1e-5");
    DORM__OWNED(dorm_training) *training =
        training_run(context, pairs, is_stopped ? DORM_STOPPED : DORM_OK, train, NULL);
    CU_ASSERT_EQUAL_FATAL(training->num_trained, 5);
    double constants = 0;
    for (size_t i = 1; i < 5; i++) {
      const dorm__trained *trained = &training->trained[i];
      const dorm_certificate *certificate = &trained->candidate.certificate;
      const double *round_start = training->trained[i % 2 ? 0 : i - 1].w;
      training_slacks sums = training_slacks_by_hand(train, mu, round_start, trained->w);
      double C = (i < 3 ? 3 : 100) / sums.weight;
      double primal = 0.5 * dorm__dot(TRAINING_WIDTH, trained->w, trained->w) + C * sums.slack;
      UNIT_CLOSE(certificate->primal, primal, 1e-9);
      UNIT_CLOSE(certificate->reference_constant, C * mu * sums.loss, 1e-9);
      CU_ASSERT_TRUE(certificate->dual <= certificate->primal * (1 + 1e-12));
      UNIT_CLOSE(certificate->gap, 1 - certificate->dual / certificate->primal, 1e-9);
      CU_ASSERT_TRUE(is_stopped ? certificate->iterations <= 2 : certificate->gap <= 1e-5);
      constants += certificate->reference_constant;
    }
    CU_ASSERT_TRUE(mu > 0 ? constants > 0.01 : constants <= 0);
  }
}

/* A working set on queries of five documents. */
static void problem_new(uint64_t seed, size_t num_queries, training_problem *five)
{
  dorm_context *context = unit_context();
  training_problem_new(context, training_random_data(context, seed, num_queries, TRAINING_FEW_DOCS, false), "ndcg",
                       "power:0.5", 1, five);
  training_problem_start(five, (dorm__bounds){NULL, NULL});
}

static void five_problem_new(training_problem *five)
{
  problem_new(unit_seed(), 30, five);
}

typedef struct pass_check {
  const training_problem *five;
  double C;
} pass_check;

static size_t num_with_weight(const dorm__working_set *set)
{
  size_t count = 0;
  for (size_t i = 0; i < set->problem->num_queries; i++)
    for (size_t k = 0; k < set->sets[i].count; k++)
      count += set->sets[i].alpha[k] > 0;
  return count;
}

/* After each pass, the best point so far comes with its own primal value. */
static dorm_status check_point(void *user, const double *w, const dorm_certificate *certificate)
{
  const pass_check *check = user;
  training_slacks sums = training_slacks_by_hand(check->five->dataset, 0.3, check->five->start, w);
  UNIT_CLOSE(certificate->primal, 0.5 * dorm__dot(TRAINING_WIDTH, w, w) + check->C * sums.slack, 1e-9);
  return DORM_OK;
}

/* One working set through falling and rising C, each solve cut short or not. */
UNIT_TEST(duals_stay_feasible)
{
  static const double Cs[] = {3, 0.1, 30, 0.01};
  for (size_t trial = 0; trial < 8; trial++) {
    DORM__AT_END(training_problem_free) training_problem five;
    five_problem_new(&five);
    double w[TRAINING_WIDTH], previous = 0;
    for (size_t i = 0; i < 4; i++) {
      double C = Cs[i];
      pass_check check = {&five, C};
      dorm__cutting_plane_options options = {.C = C,
                                             .gap = 1e-5,
                                             .max_iterations = trial < 6 ? 1 + trial / 2 : 1000,
                                             .after_pass = check_point,
                                             .user = &check};
      dorm_certificate certificate = {0};
      if (i)
        dorm__working_set_scale(five.set, C / previous);
      training_problem_dual(&five, C); /* feasible before */
      previous = C;
      memcpy(w, five.start, sizeof w);
      dorm_status status = dorm__cutting_plane(five.context, five.set, &options, w, &certificate);
      CU_ASSERT_TRUE(status == DORM_OK || (trial < 6 && status == DORM_STOPPED));
      training_slacks sums = training_slacks_by_hand(five.dataset, 0.3, five.start, w);
      UNIT_CLOSE(certificate.primal, 0.5 * dorm__dot(TRAINING_WIDTH, w, w) + C * sums.slack, 1e-9);
      UNIT_CLOSE(certificate.dual, training_problem_dual(&five, C), 1e-9);
      CU_ASSERT_TRUE(certificate.dual <= certificate.primal * (1 + 1e-12));
    }
  }
}

/* ---- Moves on a face ------------------------------------------------------------------ */

/* The columns of weight have equal margins at v [TRAINING_WIDTH], of 0 if the sum of alpha is below its bound. */
static void check_margins(const dorm__working_set *set, double C, const double *v)
{
  for (size_t i = 0; i < set->problem->num_queries; i++) {
    const dorm__columns *columns = &set->sets[i];
    bool is_at_bound = dorm__columns_weight(columns) > C * set->problem->weights[i] * (1 - 1e-9);
    double first = is_at_bound ? NAN : 0;
    for (size_t k = 0; k < columns->count; k++) {
      if (!(columns->alpha[k] > 0))
        continue;
      double margin =
          columns->loss[k] - (dorm__vector_dot(&columns->reference, v) - dorm__vector_dot(&columns->phi[k], v));
      if (isnan(first))
        first = margin;
      CU_ASSERT_TRUE(fabs(margin - first) <= 1e-6);
    }
  }
}

/* If there are fewer columns of weight than features, all margins of a set can be made equal, unless psi are dependent:
 * then the move is very long. Two queries train; two more have equal labels. */
UNIT_TEST(moves_on_a_face_end_at_its_best_point)
{
  static const double Cs[] = {0.1, 1, 30};
  size_t num_moved = 0;
  for (size_t trial = 0; trial < 60; trial++) {
    DORM__AT_END(training_problem_free) training_problem two;
    problem_new(unit_seed() + trial, 4, &two);
    double C = Cs[trial / 2 % 3], w[TRAINING_WIDTH], v[TRAINING_WIDTH];
    dorm__cutting_plane_options options = {.C = C, .gap = 1e-12, .max_iterations = 3};
    dorm_certificate certificate = {0};
    memcpy(w, two.start, sizeof w);
    dorm__cutting_plane(two.context, two.set, &options, w, &certificate);
    if (trial < 20)
      dorm__working_set_scale(two.set, 0.5); /* away from the best point, and from the bounds */
    bool is_found = false;
    bool is_long = num_with_weight(two.set) > TRAINING_WIDTH;
    UNIT_OK(two.context, dorm__working_set_face_move(two.context, two.set, C, &is_found));
    memcpy(v, two.set->v, sizeof v);
    for (size_t i = 0; i < two.set->problem->num_queries; i++) {
      const dorm__columns *columns = &two.set->sets[i];
      double change = 0;
      bool is_at_bound = dorm__columns_weight(columns) > C * two.set->problem->weights[i] * (1 - 1e-9);
      for (size_t k = 0; is_found && k < columns->count; k++)
        change += columns->old_alpha[k];
      CU_ASSERT_TRUE(!is_at_bound || fabs(change) <= 1e-9 * C);
      for (size_t k = 0; k < columns->count; k++) {
        CU_ASSERT_TRUE(columns->alpha[k] > 0 || !is_found || columns->old_alpha[k] == 0);
        is_long = is_long || fabs(columns->old_alpha[k]) > 1e4 * C;
        num_moved += is_found && !is_long;
      }
      if (is_found)
        dorm__columns_add_psi(columns, columns->old_alpha, v);
    }
    if (is_found && !is_long)
      check_margins(two.set, C, v);
  }
  CU_ASSERT_TRUE(num_moved > 6);
}

/* ---- The working set's size ---------------------------------------------------------- */

/* Appends a column that no oracle made. */
static void add_column(const training_problem *five, double value, double alpha)
{
  dorm__columns *columns = &five->set->sets[0];
  DORM__AT_END(dorm__vector_clear) dorm__vector phi = {0};
  CU_ASSERT_TRUE_FATAL(dorm__vector_reserve(&phi, TRAINING_WIDTH, false));
  phi.count = TRAINING_WIDTH;
  for (size_t f = 0; f < TRAINING_WIDTH; f++)
    phi.values[f] = value * (double)(f + 1);
  CU_ASSERT_TRUE_FATAL(dorm__columns_add(columns, TRAINING_WIDTH, &phi, 0.5, five->problem->workers.threads[0].sum));
  columns->alpha[columns->count - 1] = alpha;
}

/* Each entry of the Gram matrices is the product of its columns. */
static void check_gram(const dorm__working_set *set)
{
  for (size_t i = 0; i < set->problem->num_queries; i++) {
    const dorm__columns *columns = &set->sets[i];
    for (size_t k = 0; k < columns->count; k++)
      for (size_t m = 0; m < columns->count; m++) {
        double product = 0;
        for (size_t f = 0; f < TRAINING_WIDTH; f++)
          product += (columns->reference.values[f] - columns->phi[k].values[f]) *
                     (columns->reference.values[f] - columns->phi[m].values[f]);
        UNIT_CLOSE(columns->gram[k * columns->capacity + m], product, 1e-9);
      }
  }
}

/* Columns without weight are dropped at once if they take too many bytes, otherwise after a limit of passes. The other
 * weights are made small first, since only a weight of 0 counts as none. */
UNIT_TEST(columns_of_no_weight_are_dropped)
{
  enum { PASSES = 8, LIMIT = 60 };
  for (size_t trial = 0; trial < 4; trial++) {
    DORM__AT_END(training_problem_free) training_problem five;
    five_problem_new(&five);
    dorm__cutting_plane_options options = {.C = 1, .gap = 1e-9, .max_iterations = PASSES};
    dorm_certificate certificate = {0};
    double w[TRAINING_WIDTH];
    memcpy(w, five.start, sizeof w);
    dorm__cutting_plane(five.context, five.set, &options, w, &certificate);
    dorm__working_set_scale(five.set, 1e-4);
    add_column(&five, 0.5, 0);
    add_column(&five, -2, 1e-5);
    add_column(&five, 3, 0);
    add_column(&five, 0.1, 1e-5);
    dorm__working_set_refresh(five.set);
    size_t count = dorm__working_set_num_columns(five.set), weighty = num_with_weight(five.set);
    double dual = training_problem_dual(&five, 1);
    CU_ASSERT_TRUE(weighty > 0 && weighty < count);
    for (size_t i = 0; i < LIMIT - PASSES - 2; i++)
      dorm__working_set_prune(five.set, LIMIT, SIZE_MAX);
    CU_ASSERT_EQUAL(dorm__working_set_num_columns(five.set), count);
    if (trial < 2)
      dorm__working_set_prune(five.set, LIMIT, 0);
    for (size_t i = 0; trial >= 2 && i < PASSES + 2; i++) /* the last columns came without any idle pass */
      dorm__working_set_prune(five.set, LIMIT, SIZE_MAX);
    CU_ASSERT_EQUAL(dorm__working_set_num_columns(five.set), weighty);
    CU_ASSERT_EQUAL(num_with_weight(five.set), weighty);
    CU_ASSERT_TRUE(fabs(dual - training_problem_dual(&five, 1)) <=
                   1e-12 * dual); /* the right ones, with their vectors */
    check_gram(five.set);
  }
}
