/* comparison_test.c: p-values against closed forms and enumerations. */
#include "tests/unit/unit.h"

#include "measures/measure.h"

/* 1 - A(t | v), for whole v, by its finite series (Abramowitz and Stegun 26.7.3
 * and 26.7.4), theta = atan(t / sqrt(v)). */
static double student_series(double t, int degrees)
{
  double theta = atan(t / sqrt(degrees));
  double sum = 0;
  double term = degrees % 2 ? cos(theta) : 1;
  for (int i = degrees % 2 ? 1 : 0; i <= degrees - 2; i += 2) {
    sum += term;
    term *= cos(theta) * cos(theta) * (i + 1) / (i + 2);
  }
  double inside = degrees % 2 ? 2 / M_PI * (theta + sin(theta) * sum) : sin(theta) * sum;
  return 1 - inside;
}

UNIT_TEST(students_p_value_is_its_series)
{
  for (int degrees = 1; degrees <= 60; degrees++)
    for (double t = 0; t < 12; t += 0.37)
      CU_ASSERT_TRUE(fabs(dorm__student_p_value(t, degrees) - student_series(t, degrees)) < 1e-13);
  CU_ASSERT_TRUE(fabs(dorm__student_p_value(-2.5, 783) - student_series(2.5, 783)) < 1e-12);
  /* Far out, where 1 - A has lost its digits, v = 1 and 2 have closed forms. */
  for (double t = 10; t < 1e7; t *= 7) {
    double root = sqrt(t * t + 2);
    double of_one = 2 / M_PI * atan(1 / t);
    double of_two = 2 / (root * (root + t));
    CU_ASSERT_TRUE(fabs(dorm__student_p_value(t, 1) / of_one - 1) < 1e-11);
    CU_ASSERT_TRUE(fabs(dorm__student_p_value(t, 2) / of_two - 1) < 1e-11);
  }
  CU_ASSERT_EQUAL(dorm__student_p_value(INFINITY, 3), 0);
  CU_ASSERT_EQUAL(dorm__student_p_value(0, 3), 1);
}

/* The differences are 1, 2, 0 and 3, with a skipped query among them: mean 3/2, variance (1/4 + 1/4 + 9/4 + 9/4) / 3 =
 * 5/3, t = 1.5 / sqrt(5/12). Of the 16 sign changes only +1 +2 +3 and -1 -2 -3, each with +-0, have a mean as far from
 * 0: 4/16. */
UNIT_TEST_IN(context, a_comparison_worked_by_hand)
{
  const double first[] = {2, 4, NAN, 1, 4};
  const double second[] = {1, 2, 1, 1, 1};
  dorm_comparison comparison = {.struct_size = sizeof comparison};
  UNIT_OK(context, dorm_compare(context, 5, first, second, 100, 1, &comparison));
  CU_ASSERT_EQUAL(comparison.num_pairs, 4);
  UNIT_CLOSE(comparison.first, 11.0 / 4, 1e-15);
  UNIT_CLOSE(comparison.second, 5.0 / 4, 1e-15);
  UNIT_CLOSE(comparison.difference, 1.5, 1e-15);
  UNIT_CLOSE(comparison.standard_error, sqrt(5.0 / 12), 1e-15);
  UNIT_CLOSE(comparison.t, 1.5 / sqrt(5.0 / 12), 1e-14);
  UNIT_CLOSE(comparison.t_test, student_series(1.5 / sqrt(5.0 / 12), 3), 1e-13);
  CU_ASSERT_EQUAL(comparison.randomisation, 0.25);
  CU_ASSERT_EQUAL(comparison.num_rounds, 16);

  UNIT_OK(context, dorm_compare(context, 5, first, first, 100, 1, &comparison));
  CU_ASSERT_EQUAL(comparison.difference, 0);
  CU_ASSERT_EQUAL(comparison.t_test, 1);
  CU_ASSERT_EQUAL(comparison.randomisation, 1);
  UNIT_BAD_DATA(dorm_compare(context, 1, first, second, 100, 1, &comparison), "two queries");
}

/* For 17 pairs dorm tries random sign changes; here all are enumerated. */
UNIT_TEST_DRAWN(context, random, random_signs_come_near_all_signs)
{
  enum { PAIRS = 17, ROUNDS = 40000 };
  for (int round = 0; round < 3; round++) {
    double first[PAIRS];
    double second[PAIRS];
    double observed = 0;
    for (size_t i = 0; i < PAIRS; i++) {
      first[i] = dorm__random_normal(random) + 0.25 * round;
      second[i] = 0;
      observed += first[i];
    }
    size_t far = 0;
    for (uint32_t signs = 0; signs < UINT32_C(1) << PAIRS; signs++) {
      double sum = 0;
      for (size_t i = 0; i < PAIRS; i++)
        sum += signs >> i & 1 ? first[i] : -first[i];
      far += fabs(sum) >= fabs(observed) - 1e-9;
    }
    double exact = (double)far / (UINT32_C(1) << PAIRS);
    dorm_comparison comparison = {.struct_size = sizeof comparison};
    UNIT_OK(context, dorm_compare(context, PAIRS, first, second, ROUNDS, unit_seed(), &comparison));
    CU_ASSERT_EQUAL(comparison.num_rounds, ROUNDS);
    CU_ASSERT_TRUE(fabs(comparison.randomisation - exact) < 5 * sqrt(exact * (1 - exact) / ROUNDS) + 2.0 / ROUNDS);
  }
}

/* With 100 equal differences no random signs come as far as the observed mean, whose own signs count as one round. With
 * differences after the 64th query alone the chance depends on these queries: 2 of 2^17 sign changes. */
UNIT_TEST_IN(context, signs_reach_every_query)
{
  enum { PAIRS = 100, ROUNDS = 1000 };
  double first[PAIRS], second[PAIRS] = {0};
  for (int round = 0; round < 2; round++) {
    for (size_t i = 0; i < PAIRS; i++)
      first[i] = round == 0 || (i >= 64 && i < 64 + 17) ? 1 : 0;
    dorm_comparison comparison = {.struct_size = sizeof comparison};
    UNIT_OK(context, dorm_compare(context, PAIRS, first, second, ROUNDS, unit_seed(), &comparison));
    CU_ASSERT_TRUE(comparison.randomisation >= 1.0 / (ROUNDS + 1));
    CU_ASSERT_TRUE(comparison.randomisation <= (round == 0 ? 1.0 : 4.0) / (ROUNDS + 1));
  }
}

/* ---- Bounds (risk.c) ------------------------------------------------------------ */

/* For values 0 and 1 and every sequence of 12 of them: the bounds lie above the mean p with a probability of at most
 * delta, exactly, and not much below it either. */
UNIT_TEST_IN(context, bounds_hold_over_all_sequences)
{
  enum { VALUES = 12, SEQUENCES = 1 << VALUES };
  static const double delta = 0.2;
  double above_betting = 0, above_bentkus = 0;
  DORM__FREED dorm_bound *bounds = unit_alloc(SEQUENCES, sizeof *bounds);
  for (unsigned s = 0; s < SEQUENCES; s++) {
    double values[VALUES + 1] = {[VALUES] = NAN};
    for (int i = 0; i < VALUES; i++)
      values[i] = 3 + 2 * (s >> i & 1); /* in [3, 5] */
    bounds[s].struct_size = sizeof *bounds;
    UNIT_OK(context, dorm_lower_bound(context, VALUES + 1, values, 3, 5, 1 - delta, &bounds[s]));
    UNIT_CLOSE(bounds[s].mean, 3 + 2 * __builtin_popcount(s) / 12.0, 1e-12);
    CU_ASSERT_TRUE(bounds[s].lower >= 3 && bounds[s].lower <= bounds[s].mean);
  }
  for (double p = 0.01; p < 1; p += 0.01) {
    double betting = 0, bentkus = 0;
    for (unsigned s = 0; s < SEQUENCES; s++) {
      int ones = __builtin_popcount(s);
      double chance = pow(p, ones) * pow(1 - p, VALUES - ones);
      betting += (bounds[s].lower > 3 + 2 * p) * chance;
      bentkus += (bounds[s].hoeffding_bentkus > 3 + 2 * p) * chance;
    }
    CU_ASSERT_TRUE(betting <= delta && bentkus <= delta);
    above_betting = fmax(above_betting, betting);
    above_bentkus = fmax(above_bentkus, bentkus);
  }
  CU_ASSERT_TRUE(above_betting > delta / 2 && above_bentkus > delta / 20);
}

/* A thousand values of three distributions: the bound is above their mean in at most a share delta of the draws, and at
 * most 1.15 times as far from the sample's mean as a normal interval's. */
UNIT_TEST_DRAWN(context, random, bounds_are_nearly_as_tight_as_normal_ones)
{
  enum { VALUES = 1000, DRAWS = 60 };
  for (int kind = 0; kind < 3; kind++) {
    double width = 0, normal = 0;
    size_t above = 0;
    for (int draw = 0; draw < DRAWS; draw++) {
      double values[VALUES], squares = 0;
      dorm_bound bound = {.struct_size = sizeof bound};
      for (size_t i = 0; i < VALUES; i++) {
        double u = dorm__random_uniform(random);
        values[i] = kind == 0 ? u : kind == 1 ? u * u : u < 0.3;
      }
      UNIT_OK(context, dorm_lower_bound(context, VALUES, values, 0, 1, 0.95, &bound));
      for (size_t i = 0; i < VALUES; i++)
        squares += (values[i] - bound.mean) * (values[i] - bound.mean);
      width += bound.mean - bound.lower;
      normal += 1.6448536 * sqrt(squares / (VALUES - 1) / VALUES);
      above += bound.lower > (kind == 0 ? 0.5 : kind == 1 ? 1 / 3.0 : 0.3);
      CU_ASSERT_TRUE(bound.hoeffding_bentkus < bound.lower);
    }
    CU_ASSERT_TRUE(width < 1.15 * normal && above <= 12); /* 12 of 60: probability 5e-5 */
  }
}

/* Queries of three documents; `first` of 100 have theirs that is relevant in front, the others at the second place. */
static dorm_depth find_depth(dorm_context *context, size_t num_queries, size_t first, double share)
{
  double labels[3 * 400], scores[3 * 400];
  size_t start[401] = {0};
  dorm_depth depth = {.struct_size = sizeof depth};
  for (size_t q = 0; q < num_queries; q++) {
    start[q + 1] = 3 * (q + 1);
    for (size_t p = 0; p < 3; p++) {
      labels[3 * q + p] = p == (q % 100 < first ? 0 : 1);
      scores[3 * q + p] = p == 0 ? 7 : p == 1 ? 6 : -3; /* margins 0, 0.1 and 1 */
    }
  }
  DORM__OWNED(dorm_dataset) *dataset = unit_dataset(context, num_queries, start, 0, labels, NULL);
  UNIT_OK(context, dorm_find_depth(context, dataset, scores, share, 0.95, &depth));
  return depth;
}

UNIT_TEST_IN(context, depths_keep_the_share)
{
  dorm_depth depth = find_depth(context, 400, 80, 0.9); /* the first documents hold 80 % alone */
  CU_ASSERT_EQUAL(depth.num_queries, 400);
  CU_ASSERT_EQUAL(depth.depth, 2);
  UNIT_CLOSE(depth.depth_share, 1, 1e-12);
  CU_ASSERT_EQUAL(depth.margin, 0.1);
  CU_ASSERT_TRUE(unit_close(depth.margin_docs, 2, 1e-12) && unit_close(depth.margin_share, 1, 1e-12));
  depth = find_depth(context, 400, 80, 0.7);
  CU_ASSERT_EQUAL(depth.depth, 1);
  UNIT_CLOSE(depth.depth_share, 0.8, 1e-12);
  CU_ASSERT_EQUAL(depth.margin, 0);
  depth = find_depth(context, 400, 80, 0.79); /* 80 % here, but not with confidence elsewhere */
  CU_ASSERT_EQUAL(depth.depth, 2);
  depth = find_depth(context, 10, 80, 0.99); /* ten queries say nothing of 99 % */
  CU_ASSERT_TRUE(depth.depth == 0 && isnan(depth.margin));
}

UNIT_TEST_IN(context, bounds_refuse_what_has_no_range)
{
  static const char *const endless[] = {"dcg", "eru:normalise=no", "gm_map", "num_rel", "minus_loss(dcg)", "ee_d"};
  dorm_bound bound = {.struct_size = sizeof bound};
  double least, most, values[] = {0.5, 1.5};
  for (size_t i = 0; i < sizeof endless / sizeof *endless; i++)
    UNIT_BAD_USAGE(dorm_measure_range(context, endless[i], &least, &most), NULL);
  UNIT_OK(context, dorm_measure_range(context, "redundancy@7", &least, &most));
  CU_ASSERT_TRUE(least == 0 && most == 7);
  UNIT_OK(context, dorm_measure_range(context, "tau", &least, &most));
  CU_ASSERT_TRUE(least == -1 && most == 1);
  UNIT_BAD_DATA(dorm_lower_bound(context, 2, values, 0, 1, 0.9, &bound), "value 2 is 1.5");
  UNIT_BAD_USAGE(dorm_lower_bound(context, 2, values, 0, 2, 1, &bound), "confidence is 1");
  UNIT_BAD_USAGE(dorm_lower_bound(context, 2, values, 2, 0, 0.9, &bound), "range");
  UNIT_BAD_DATA(dorm_lower_bound(context, 0, NULL, 0, 1, 0.9, &bound), "a value");
}
