/*
 * certificates_test.c: primal and dual values recomputed with nothing but the
 * data, the definitions and an enumeration of all rankings of five documents;
 * the working set's size.
 */
#include "tests/unit/training_cases.h"
#include "tests/unit/unit.h"

#include "base/linalg.h"
#include "solver/columns.h"
#include "solver/solver.h"
#include "solver/working_set.h"

enum { FEW_DOCS = 5 };

/* ---- The loss and its bound by enumeration --------------------------------------- */

/* One query of five documents: c[p] = (p + 2)^-1/2, Delta = 1 - NDCG with gains
 * 2^label - 1 and discounts 1 / log2(p + 2). */
typedef struct five_docs {
  double scores[FEW_DOCS];
  double gains[FEW_DOCS];
  double ideal; /* the largest DCG, 0 while it is not known */
  double least; /* the smallest */
} five_docs;

typedef struct best_ranking {
  double value; /* sum c score + t Delta */
  double loss;
  size_t order[FEW_DOCS];
} best_ranking;

static double discount(size_t p)
{
  return 1 / log2((double)p + 2);
}

static double weight(size_t p)
{
  return 1 / sqrt((double)p + 2);
}

/* All rankings that begin as order[0 .. depth - 1]; `best` maximises. */
static void try_rankings(const five_docs *docs, double t, size_t depth, size_t *order, best_ranking *best)
{
  for (size_t j = 0; depth < FEW_DOCS && j < FEW_DOCS; j++) {
    bool is_used = false;
    for (size_t p = 0; p < depth; p++)
      is_used = is_used || order[p] == j;
    order[depth] = j;
    if (!is_used)
      try_rankings(docs, t, depth + 1, order, best);
  }
  if (depth < FEW_DOCS)
    return;
  double value = 0, gain = 0;
  for (size_t p = 0; p < FEW_DOCS; p++) {
    value += weight(p) * docs->scores[order[p]];
    gain += discount(p) * docs->gains[order[p]];
  }
  double loss = docs->ideal > 0 ? 1 - gain / docs->ideal : -gain;
  if (value + t * loss > best->value) {
    best->value = value + t * loss;
    best->loss = loss;
    memcpy(best->order, order, sizeof best->order);
  }
}

static best_ranking best_of(const five_docs *docs, double t)
{
  size_t order[FEW_DOCS];
  best_ranking best = {.value = -INFINITY};
  try_rankings(docs, t, 0, order, &best);
  return best;
}

static void score_docs(const dorm_dataset *dataset, size_t query, const double *w, five_docs *docs)
{
  for (size_t j = 0; j < FEW_DOCS; j++) {
    docs->scores[j] = 0;
    for (size_t f = 0; f < TRAINING_WIDTH; f++)
      docs->scores[j] += w[f] * (double)dorm_dataset_value(dataset, query * FEW_DOCS + j, f);
  }
}

/* Whether some ranking costs more than another. */
static bool five_docs_of(const dorm_dataset *dataset, size_t query, five_docs *docs)
{
  *docs = (five_docs){0};
  for (size_t j = 0; j < FEW_DOCS; j++)
    docs->gains[j] = exp2(dorm_dataset_label(dataset, query * FEW_DOCS + j)) - 1;
  docs->least = -best_of(docs, 1).value;
  docs->ideal = best_of(docs, -1).value;
  return docs->ideal > docs->least + 1e-9;
}

typedef struct by_hand {
  size_t num_queries; /* that train */
  double slack;       /* sum of xi at w */
  double loss;        /* sum of Delta(reference) */
} by_hand;

/* With the references mu taken at `round_start`. */
static by_hand slacks_by_hand(const dorm_dataset *dataset, double mu, const double *round_start, const double *w)
{
  by_hand sums = {0};
  for (size_t q = 0; q < dorm_dataset_num_queries(dataset); q++) {
    five_docs docs;
    if (!five_docs_of(dataset, q, &docs))
      continue;
    score_docs(dataset, q, round_start, &docs);
    best_ranking reference = best_of(&docs, -mu);
    score_docs(dataset, q, w, &docs);
    double slack = best_of(&docs, 1).value;
    for (size_t p = 0; p < FEW_DOCS; p++)
      slack -= weight(p) * docs.scores[reference.order[p]];
    sums.num_queries++;
    sums.slack += fmax(0, slack);
    sums.loss += reference.loss;
  }
  return sums;
}

/* Every value of a list, in whatever order, ends at the optimum of its own. */
UNIT_TEST_IN(context, a_falling_list_of_C_ends_at_each_optimum)
{
  static const char *const Cs[] = {"30", "1", "100", "0.1"};
  DORM__OWNED(dorm_dataset) *train = training_random_data(context, unit_seed(), 40, FEW_DOCS, false);
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
    by_hand sums = slacks_by_hand(train, 0.3, path->trained[0].w, path->trained[i + 1].w);
    double square = dorm__dot(TRAINING_WIDTH, path->trained[i + 1].w, path->trained[i + 1].w);
    double C = path->trained[i + 1].candidate.C / (double)sums.num_queries;
    CU_ASSERT_TRUE(unit_close(one->primal, 0.5 * square + C * sums.slack, 1e-9));
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
  DORM__OWNED(dorm_dataset) *train = training_random_data(context, unit_seed(), 30, FEW_DOCS, false);
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
      by_hand sums = slacks_by_hand(train, mu, round_start, trained->w);
      double C = (i < 3 ? 3 : 100) / (double)sums.num_queries;
      double primal = 0.5 * dorm__dot(TRAINING_WIDTH, trained->w, trained->w) + C * sums.slack;
      CU_ASSERT_TRUE(unit_close(certificate->primal, primal, 1e-9));
      CU_ASSERT_TRUE(unit_close(certificate->reference_constant, C * mu * sums.loss, 1e-9));
      CU_ASSERT_TRUE(certificate->dual <= certificate->primal * (1 + 1e-12));
      CU_ASSERT_TRUE(unit_close(certificate->gap, 1 - certificate->dual / certificate->primal, 1e-9));
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
  training_problem_new(context, training_random_data(context, seed, num_queries, FEW_DOCS, false), "ndcg", "power:0.5",
                       1, five);
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
  by_hand sums = slacks_by_hand(check->five->dataset, 0.3, check->five->start, w);
  CU_ASSERT_TRUE(unit_close(certificate->primal, 0.5 * dorm__dot(TRAINING_WIDTH, w, w) + check->C * sums.slack, 1e-9));
  return DORM_OK;
}

/* One working set through falling and rising C, each solve cut short or not. */
UNIT_TEST(duals_stay_feasible)
{
  static const double Cs[] = {3, 0.1, 30, 0.01};
  for (size_t trial = 0; trial < 8; trial++) {
    training_problem five;
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
      by_hand sums = slacks_by_hand(five.dataset, 0.3, five.start, w);
      CU_ASSERT_TRUE(unit_close(certificate.primal, 0.5 * dorm__dot(TRAINING_WIDTH, w, w) + C * sums.slack, 1e-9));
      CU_ASSERT_TRUE(unit_close(certificate.dual, training_problem_dual(&five, C), 1e-9));
      CU_ASSERT_TRUE(certificate.dual <= certificate.primal * (1 + 1e-12));
    }
    training_problem_free(&five);
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
    training_problem two;
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
    training_problem_free(&two);
  }
  CU_ASSERT_TRUE(num_moved > 6);
}

/* ---- The working set's size ---------------------------------------------------------- */

/* Appends a column that no oracle made. */
static void add_column(const training_problem *five, double value, double alpha)
{
  dorm__columns *columns = &five->set->sets[0];
  dorm__vector phi = {0};
  CU_ASSERT_TRUE_FATAL(dorm__vector_reserve(&phi, TRAINING_WIDTH, false));
  phi.count = TRAINING_WIDTH;
  for (size_t f = 0; f < TRAINING_WIDTH; f++)
    phi.values[f] = value * (double)(f + 1);
  CU_ASSERT_TRUE_FATAL(dorm__columns_add(columns, TRAINING_WIDTH, &phi, 0.5, five->problem->workers.threads[0].sum));
  columns->alpha[columns->count - 1] = alpha;
  dorm__vector_clear(&phi);
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
        CU_ASSERT_TRUE(unit_close(columns->gram[k * columns->capacity + m], product, 1e-9));
      }
  }
}

/* Columns without weight are dropped at once if they take too many bytes, otherwise after a limit of passes. The other
 * weights are made small first, since only a weight of 0 counts as none. */
UNIT_TEST(columns_of_no_weight_are_dropped)
{
  enum { PASSES = 8, LIMIT = 60 };
  for (size_t trial = 0; trial < 4; trial++) {
    training_problem five;
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
    training_problem_free(&five);
  }
}
