/*
 * factorization_test.c: the steps of ranking matrix factorisation against
 * enumerations of all rankings of short lists.
 */
#include "tests/unit/factorization_world.h"

/* Moves every number of a point at random. */
static void shake(world *made, double deviation)
{
  dorm__point *point = &made->point;
  for (size_t i = 0; i < ITEMS; i++)
    point->offset[i] += deviation * dorm__random_normal(&made->random);
  for (size_t k = 0; k < ITEMS * RANK; k++)
    point->item[k] += deviation * dorm__random_normal(&made->random);
  for (size_t k = 0; k < USERS * RANK; k++)
    point->user[k] += deviation * dorm__random_normal(&made->random);
}

/* max over rankings of <c, f> + t Delta; the weights of the best one. */
static double enumerate(const dorm__lists *lists, size_t list, const double *scores, double t, double *best_weights,
                        double *best_loss)
{
  double best = -INFINITY;
  *best_loss = 0;
  memset(best_weights, 0, SIZE * sizeof *best_weights);
  for (size_t r = 0; r < RANKINGS; r++) {
    double weights[SIZE];
    double loss = world_describe(lists, list, r, weights);
    double value = t * loss;
    for (size_t j = 0; j < SIZE; j++)
      value += weights[j] * scores[j];
    if (value > best) {
      best = value;
      memcpy(best_weights, weights, sizeof weights);
      *best_loss = loss;
    }
  }
  return best;
}

UNIT_TEST(the_objective_is_its_enumeration)
{
  static const char *const weights_of[] = {"loss", "power:0.5"};
  for (size_t w = 0; w < 2; w++) {
    DORM__AT_END(world_free) world made = world_new("squared-error", weights_of[w], 7, 2);
    double value;
    shake(&made, 0.2);
    double expected = 3.5 * (world_squares(ITEMS, made.point.offset, made.start.offset) +
                             world_squares(ITEMS * RANK, made.point.item, made.start.item) +
                             world_squares(USERS * RANK, made.point.user, made.start.user));
    for (size_t i = 0; i < made.lists->num_lists; i++) {
      double scores[SIZE], weights[SIZE], loss;
      dorm__point_scores(&made.point, made.lists, i, scores);
      expected += enumerate(made.lists, i, scores, 1, weights, &loss) -
                  enumerate(made.lists, i, scores, -made.lists->mu, weights, &loss);
    }
    UNIT_OK(made.context, dorm__objective(made.context, made.lists, &made.start, 7, &made.point, &value));
    UNIT_CLOSE(value, expected, 1e-12);
  }
}

/* ---- The user step ----------------------------------------------------------------- */

/* min L/2 |U - U0|^2 + max_k (linear_k - <psi_k, U - U0>) over all rankings, by
 * moving weight between the two rankings whose margins differ most. */
static void solve_by_pairs(double penalty, double linear[RANKINGS], double psi[RANKINGS][RANK], double *shift)
{
  double alpha[RANKINGS] = {1};
  memcpy(shift, psi[0], RANK * sizeof *shift);
  for (size_t k = 0; k < RANK; k++)
    shift[k] /= penalty;
  for (int step = 0; step < 200000; step++) {
    size_t high = 0, low = RANKINGS;
    double margin[RANKINGS];
    for (size_t r = 0; r < RANKINGS; r++) {
      margin[r] = linear[r] - psi[r][0] * shift[0] - psi[r][1] * shift[1];
      high = margin[r] > margin[high] ? r : high;
      if (alpha[r] > 0 && (low == RANKINGS || margin[r] < margin[low]))
        low = r;
    }
    double curvature = (pow(psi[high][0] - psi[low][0], 2) + pow(psi[high][1] - psi[low][1], 2)) / penalty;
    if (margin[high] - margin[low] < 1e-13 || curvature <= 0)
      break;
    double move = fmin((margin[high] - margin[low]) / curvature, alpha[low]);
    alpha[high] += move;
    alpha[low] -= move;
    for (size_t k = 0; k < RANK; k++)
      shift[k] += move * (psi[high][k] - psi[low][k]) / penalty;
  }
}

UNIT_TEST(a_users_step_solves_its_problem)
{
  static const double penalties[] = {0.05, 1, 30};
  size_t num_moved = 0;
  for (size_t p = 0; p < 3; p++) {
    DORM__AT_END(world_free) world made = world_new("squared-error", p == 1 ? "power:0.5" : "loss", penalties[p], 2);
    dorm__step_options options = {.penalty = penalties[p], .gap = 1e-13, .most_passes = 200};
    shake(&made, 0.3);
    for (size_t i = 0; i < made.lists->num_lists; i++) {
      size_t user = made.lists->users[i];
      const double *centre = made.start.user + user * RANK;
      const uint32_t *items = made.lists->items + made.lists->start[i];
      double scores[SIZE], reference[SIZE], loss, linear[RANKINGS], psi[RANKINGS][RANK], shift[RANK];
      if (!made.lists->plans[i])
        continue;
      dorm__point_scores(&made.point, made.lists, i, scores);
      enumerate(made.lists, i, scores, -made.lists->mu, reference, &loss);
      for (size_t r = 0; r < RANKINGS; r++) {
        double weights[SIZE];
        linear[r] = world_describe(made.lists, i, r, weights);
        psi[r][0] = psi[r][1] = 0;
        for (size_t j = 0; j < SIZE; j++) {
          double d = reference[j] - weights[j];
          const double *item = made.point.item + items[j] * RANK;
          linear[r] -= d * (made.point.offset[items[j]] + item[0] * centre[0] + item[1] * centre[1]);
          psi[r][0] += d * item[0];
          psi[r][1] += d * item[1];
        }
      }
      solve_by_pairs(penalties[p], linear, psi, shift);
      double *row = made.point.user + user * RANK;
      dorm__step_info info;
      CU_ASSERT_EQUAL(dorm__user_step_one(made.context, made.lists, i, &made.point, centre, &options,
                                          &(const dorm__user_result){row, &info}),
                      DORM_OK);
      for (size_t k = 0; k < RANK; k++)
        CU_ASSERT_DOUBLE_EQUAL(row[k], centre[k] + shift[k], 1e-6);
      double most = -INFINITY, distance = shift[0] * shift[0] + shift[1] * shift[1];
      for (size_t r = 0; r < RANKINGS; r++)
        most = fmax(most, linear[r] - psi[r][0] * shift[0] - psi[r][1] * shift[1]);
      UNIT_CLOSE(info.primal, most + made.lists->mu * loss + penalties[p] / 2 * distance, 1e-9);
      num_moved += fabs(shift[0]) > 1e-3;
    }
  }
  CU_ASSERT_TRUE(num_moved > 5); /* or the test would hold for a step that does nothing */
}

/* Users 7 and 8 fail. Threads take eight users at a time, so with several threads user 8 fails long before user 7; the
 * message must name user 7. */
UNIT_TEST(the_first_of_two_failing_users_is_named)
{
  enum { FIRST = 7, SECOND = 8 };
  static const size_t threads[] = {1, 2, 4};
  for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
    for (size_t repeat = 0; repeat < 20; repeat++) {
      world made = world_new("squared-error", "loss", 1, threads[t]);
      dorm__step_options options = {.penalty = 1, .gap = 1e-3, .most_passes = 100};
      dorm__step_info info;
      CU_ASSERT_TRUE_FATAL(made.lists->num_lists == USERS);
      made.point.user[FIRST * RANK] = NAN;
      made.point.user[SECOND * RANK] = INFINITY;
      size_t first = made.lists->plans[FIRST] ? FIRST : SECOND;
      if (!made.lists->plans[first]) { /* two users without a preference: nothing could fail */
        world_free(&made);
        continue;
      }
      const char *expected =
          unit_text("user %s: the scores left the range of numbers", dorm_dataset_query_id(made.lists->dataset, first));
      UNIT_FAILS(made.context, dorm__user_step(made.context, made.lists, &made.start, &options, &made.point, &info),
                 DORM_NUMERICAL_FAILURE, expected);
      UNIT_FAILS(made.context, dorm__item_step(made.context, made.lists, &made.start, &options, &made.point, &info),
                 DORM_NUMERICAL_FAILURE, expected);
      world_free(&made);
    }
}

/* ---- The item step ------------------------------------------------------------------ */

/* The convex problem of the item step at a point, by enumeration. */
static double majorant(const world *made, const dorm__point *point, double penalty, double reference[][SIZE],
                       const double *constant)
{
  double sum = penalty / 2 *
               (world_squares(ITEMS, point->offset, made->start.offset) +
                world_squares(ITEMS * RANK, point->item, made->start.item));
  for (size_t i = 0; i < made->lists->num_lists; i++) {
    double scores[SIZE], weights[SIZE], loss;
    if (!made->lists->plans[i])
      continue;
    dorm__point_scores(point, made->lists, i, scores);
    sum += constant[i] + enumerate(made->lists, i, scores, 1, weights, &loss);
    for (size_t j = 0; j < SIZE; j++)
      sum -= reference[i][j] * scores[j];
  }
  return sum;
}

UNIT_TEST(an_items_step_proves_its_optimum)
{
  static const double penalties[] = {0.5, 10};
  for (size_t p = 0; p < 2; p++) {
    DORM__AT_END(world_free) world made = world_new("squared-error", "loss", penalties[p], 2);
    dorm__step_options options = {.penalty = penalties[p], .gap = 1e-8, .most_passes = 200};
    dorm__step_info info;
    double reference[USERS][SIZE], constant[USERS];
    shake(&made, 0.3);
    for (size_t i = 0; i < made.lists->num_lists; i++) {
      double scores[SIZE], loss;
      dorm__point_scores(&made.point, made.lists, i, scores);
      enumerate(made.lists, i, scores, -made.lists->mu, reference[i], &loss);
      constant[i] = made.lists->mu * loss;
    }
    double before = majorant(&made, &made.point, penalties[p], reference, constant);
    UNIT_OK(made.context, dorm__item_step(made.context, made.lists, &made.start, &options, &made.point, &info));
    double after = majorant(&made, &made.point, penalties[p], reference, constant);
    UNIT_CLOSE(info.primal, after, 1e-10);
    CU_ASSERT_TRUE(after < 0.99 * before);
    CU_ASSERT_TRUE(info.primal - info.dual <= 1e-8 * info.primal && info.dual <= info.primal * (1 + 1e-12));
    /* The dual value bounds the problem from below wherever one looks. */
    for (int look = 0; look < 200; look++) {
      DORM__AT_END(dorm__point_clear) dorm__point other;
      CU_ASSERT_TRUE_FATAL(dorm__point_new(USERS, ITEMS, RANK, &other));
      dorm__point_copy(&made.point, &other);
      for (size_t k = 0; k < ITEMS * RANK; k++)
        other.item[k] += pow(10, -look % 5) * dorm__random_normal(&made.random);
      CU_ASSERT_TRUE(majorant(&made, &other, penalties[p], reference, constant) >= info.dual * (1 - 1e-12));
    }
  }
}

/* ---- The start --------------------------------------------------------------------- */

/* Scores have mean 0 and the deviation that was asked for; the penalty is on the Frobenius norms. */
UNIT_TEST(a_random_start_is_drawn_to_zero)
{
  DORM__AT_END(world_free) world made = world_new("squared-error", "loss", 7, 1);
  const dorm__rating_table *table = &made.ratings->table;
  dorm__point centre = {0}, point = {0};
  dorm__start_rule rule = {0};
  double sum = 0, squared = 0, value, unpenalised;
  int count = 0;
  CU_ASSERT_TRUE_FATAL(dorm__point_new(USERS, ITEMS, RANK, &point));
  for (uint64_t seed = 1; seed <= 200; seed++) {
    UNIT_OK(made.context,
            dorm__start_random(made.context, table, &(const dorm__factorization_options){.scale = 0.3, .seed = seed},
                               &centre, &rule, &point));
    for (size_t u = 0; u < USERS; u++)
      for (size_t i = 0; i < ITEMS; i++, count++) {
        double score = point.offset[i];
        for (size_t k = 0; k < RANK; k++)
          score += point.user[u * RANK + k] * point.item[i * RANK + k];
        sum += score;
        squared += score * score;
      }
    if (seed < 200) {
      dorm__point_clear(&centre);
      dorm__free(rule.balance);
    }
  }
  CU_ASSERT_DOUBLE_EQUAL(sum / count, 0, 0.02);
  CU_ASSERT_DOUBLE_EQUAL(sqrt(squared / count), 0.3, 0.02);
  UNIT_OK(made.context, dorm__objective(made.context, made.lists, &centre, 7, &point, &value));
  UNIT_OK(made.context, dorm__objective(made.context, made.lists, &point, 7, &point, &unpenalised));
  CU_ASSERT_EQUAL(point.offset[0], 0);
  CU_ASSERT_DOUBLE_EQUAL(value - unpenalised,
                         3.5 * (world_squares(ITEMS * RANK, point.item, centre.item) +
                                world_squares(USERS * RANK, point.user, centre.user)),
                         1e-9);
  /* A new user is drawn to 0 too. */
  double row[RANK] = {1, 1};
  UNIT_OK(made.context, dorm__start_user(made.context, &rule, &centre, SIZE, table->items, table->values, row));
  for (size_t k = 0; k < RANK; k++)
    CU_ASSERT_EQUAL(row[k], 0);
  dorm__point_clear(&centre);
  dorm__point_clear(&point);
  dorm__free(rule.balance);
}

/* Neither users nor items have the longer columns. */
UNIT_TEST(the_start_is_balanced)
{
  DORM__AT_END(world_free) world made = world_new("squared-error", "loss", 7, 1);
  for (size_t k = 0; k < RANK; k++) {
    double of_users = 0, of_items = 0;
    for (size_t u = 0; u < USERS; u++)
      of_users += pow(made.start.user[u * RANK + k], 2);
    for (size_t i = 0; i < ITEMS; i++)
      of_items += pow(made.start.item[i * RANK + k], 2);
    CU_ASSERT_TRUE(of_users > 0 && unit_close(of_users, of_items, 1e-9 * of_users));
  }
}

/* The user step of the factorisation, undone and done again, is the user's start. */
UNIT_TEST(a_known_user_starts_where_he_was)
{
  DORM__AT_END(world_free) world made = world_new("squared-error", "loss", 1, 2);
  const dorm__rating_table *table = &made.ratings->table;
  for (size_t u = 0; u < USERS; u++) {
    double row[RANK];
    size_t first = table->user_start[u];
    UNIT_OK(made.context, dorm__start_user(made.context, &made.rule, &made.start, SIZE, table->items + first,
                                           table->values + first, row));
    for (size_t k = 0; k < RANK; k++)
      CU_ASSERT_DOUBLE_EQUAL(row[k], made.start.user[u * RANK + k], 1e-10);
  }
}
