/*
 * printed_factorization_test.c: section 5.2 of Le and Smola (2007) as printed, `factorization.start = random`.
 */
#include "tests/unit/factorization_world.h"

/* Le and Smola's bound of equation 34, times m, plus L/2 (|U|^2 + |V|^2): the slack of problem 5 over all rankings, in
 * which the reference has the items by falling rating and the scores are U V^T. */
static double printed_bound(const world *made, const dorm__point *point, double penalty)
{
  static const double zeros[ITEMS * RANK];
  const dorm__lists *lists = made->lists;
  double sum =
      penalty / 2 * (world_squares(ITEMS * RANK, point->item, zeros) + world_squares(USERS * RANK, point->user, zeros));
  for (size_t i = 0; i < lists->num_lists; i++) {
    const double *labels = lists->dataset->labels + i * SIZE;
    double difference[SIZE], weights[SIZE], largest = 0; /* of the reference itself */
    for (size_t j = 0; j < SIZE; j++) {
      const double *item = point->item + lists->items[i * SIZE + j] * RANK;
      const double *user = point->user + lists->users[i] * RANK;
      size_t place = 0;
      for (size_t k = 0; k < SIZE; k++)
        place += labels[k] > labels[j] || (labels[k] == labels[j] && k < j);
      weights[j] = lists->c[i][place];
      difference[j] = user[0] * item[0] + user[1] * item[1];
    }
    for (size_t r = 0; r < RANKINGS; r++) {
      double others[SIZE];
      double value = world_describe(lists, i, r, others);
      for (size_t j = 0; j < SIZE; j++)
        value += (others[j] - weights[j]) * difference[j];
      largest = fmax(largest, value);
    }
    sum += largest;
  }
  return sum;
}

static world make_printed_world(double penalty)
{
  world made = world_new("random", "power:0.5", penalty, 2);
  dorm__point_clear(&made.start);
  dorm__free(made.rule.balance);
  UNIT_OK(made.context, dorm__start_random(made.context, &made.ratings->table,
                                           &(const dorm__factorization_options){.scale = 0.3, .seed = unit_seed()},
                                           &made.start, &made.rule, &made.point));
  memset(made.point.offset, 0, ITEMS * sizeof(double));
  return made;
}

static double objective_of(const world *made, const dorm__point *point, double penalty)
{
  double value;
  UNIT_OK(made->context, dorm__objective(made->context, made->lists, &made->start, penalty, point, &value));
  return value;
}

/* By how much F at the middle of a random segment exceeds the mean of its ends, at most, in many draws. */
static double largest_bend(world *made, double penalty, bool of_users)
{
  double largest = -INFINITY;
  DORM__AT_END(dorm__point_clear) dorm__point other;
  DORM__AT_END(dorm__point_clear) dorm__point middle;
  CU_ASSERT_TRUE_FATAL(dorm__point_new(USERS, ITEMS, RANK, &other) && dorm__point_new(USERS, ITEMS, RANK, &middle));
  size_t count = of_users ? USERS * RANK : ITEMS * RANK;
  for (int draw = 0; draw < 2000; draw++) {
    dorm__point_copy(&made->point, &other);
    dorm__point_copy(&made->point, &middle);
    double *one = of_users ? made->point.user : made->point.item;
    double *two = of_users ? other.user : other.item;
    double *half = of_users ? middle.user : middle.item;
    size_t first = draw % 2 ? RANK * dorm__random_below(&made->random, count / RANK) : 0; /* one row, or all */
    for (size_t k = first; k < (draw % 2 ? first + RANK : count); k++) {
      two[k] += pow(3, -draw % 4) * dorm__random_normal(&made->random);
      half[k] = (one[k] + two[k]) / 2;
    }
    double mean = (objective_of(made, &made->point, penalty) + objective_of(made, &other, penalty)) / 2;
    largest = fmax(largest, objective_of(made, &middle, penalty) - mean);
  }
  return largest;
}

UNIT_TEST(section_5_2_is_convex_in_users_and_in_items)
{
  for (int of_users = 0; of_users < 2; of_users++) {
    DORM__AT_END(world_free) world printed = make_printed_world(0.01);
    DORM__AT_END(world_free) world moving = world_new("squared-error", "power:0.5", 0.01, 2);
    dorm__point_copy(&printed.point, &moving.point);
    UNIT_CLOSE(objective_of(&printed, &printed.point, 0.01), printed_bound(&printed, &printed.point, 0.01), 1e-12);
    CU_ASSERT_TRUE(largest_bend(&printed, 0.01, of_users) < 1e-12);
    CU_ASSERT_TRUE(largest_bend(&moving, 0.01, of_users) > 1e-3); /* a difference of convex functions */
  }
}

UNIT_TEST(section_5_2_has_its_optimum)
{
  static const double penalty = 2;
  DORM__AT_END(world_free) world made = make_printed_world(penalty);
  dorm__step_options options = {.penalty = penalty, .gap = 1e-9, .most_passes = 200};
  dorm__step_info info;
  double before = printed_bound(&made, &made.point, penalty);
  UNIT_OK(made.context, dorm__user_step(made.context, made.lists, &made.start, &options, &made.point, &info));
  double after = printed_bound(&made, &made.point, penalty);
  CU_ASSERT_TRUE(after < before);
  for (int look = 0; look < 200; look++) { /* no other users are better */
    double kept[USERS * RANK];
    memcpy(kept, made.point.user, sizeof kept);
    for (size_t k = 0; k < USERS * RANK; k++)
      made.point.user[k] += pow(10, -look % 5) * dorm__random_normal(&made.random);
    CU_ASSERT_TRUE(printed_bound(&made, &made.point, penalty) >= after * (1 - 1e-8));
    memcpy(made.point.user, kept, sizeof kept);
  }
  UNIT_OK(made.context, dorm__item_step(made.context, made.lists, &made.start, &options, &made.point, &info));
  CU_ASSERT_TRUE(info.primal < after && info.primal - info.dual <= 1e-9 * info.primal);
  for (int look = 0; look < 200; look++) {
    double kept[ITEMS * RANK];
    memcpy(kept, made.point.item, sizeof kept);
    for (size_t k = 0; k < ITEMS * RANK; k++)
      made.point.item[k] += pow(10, -look % 5) * dorm__random_normal(&made.random);
    CU_ASSERT_TRUE(printed_bound(&made, &made.point, penalty) >= info.dual * (1 - 1e-12));
    memcpy(made.point.item, kept, sizeof kept);
  }
  for (size_t i = 0; i < ITEMS; i++)
    CU_ASSERT_EQUAL(made.point.offset[i], 0);
}
