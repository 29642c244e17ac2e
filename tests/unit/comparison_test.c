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
UNIT_TEST(a_comparison_worked_by_hand)
{
  const double first[] = {2, 4, NAN, 1, 4};
  const double second[] = {1, 2, 1, 1, 1};
  dorm_context *context = unit_context();
  dorm_comparison comparison = {.struct_size = sizeof comparison};
  UNIT_OK(context, dorm_compare(context, 5, first, second, 100, 1, &comparison));
  CU_ASSERT_EQUAL(comparison.num_pairs, 4);
  CU_ASSERT_TRUE(unit_close(comparison.first, 11.0 / 4, 1e-15));
  CU_ASSERT_TRUE(unit_close(comparison.second, 5.0 / 4, 1e-15));
  CU_ASSERT_TRUE(unit_close(comparison.difference, 1.5, 1e-15));
  CU_ASSERT_TRUE(unit_close(comparison.standard_error, sqrt(5.0 / 12), 1e-15));
  CU_ASSERT_TRUE(unit_close(comparison.t, 1.5 / sqrt(5.0 / 12), 1e-14));
  CU_ASSERT_TRUE(unit_close(comparison.t_test, student_series(1.5 / sqrt(5.0 / 12), 3), 1e-13));
  CU_ASSERT_EQUAL(comparison.randomisation, 0.25);
  CU_ASSERT_EQUAL(comparison.num_rounds, 16);

  UNIT_OK(context, dorm_compare(context, 5, first, first, 100, 1, &comparison));
  CU_ASSERT_EQUAL(comparison.difference, 0);
  CU_ASSERT_EQUAL(comparison.t_test, 1);
  CU_ASSERT_EQUAL(comparison.randomisation, 1);
  UNIT_FAILS(context, dorm_compare(context, 1, first, second, 100, 1, &comparison), DORM_BAD_DATA, "two queries");
  dorm_context_free(context);
}

/* For 17 pairs dorm tries random sign changes; here all are enumerated. */
UNIT_TEST(random_signs_come_near_all_signs)
{
  enum { PAIRS = 17, ROUNDS = 40000 };
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  for (int round = 0; round < 3; round++) {
    double first[PAIRS];
    double second[PAIRS];
    double observed = 0;
    for (size_t i = 0; i < PAIRS; i++) {
      first[i] = dorm__random_normal(&random) + 0.25 * round;
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
  dorm_context_free(context);
}

/* With 100 equal differences no random signs come as far as the observed mean, whose own signs count as one round. With
 * differences after the 64th query alone the chance is that of these queries: 2 of 2^17 sign changes. */
UNIT_TEST(signs_reach_every_query)
{
  enum { PAIRS = 100, ROUNDS = 1000 };
  dorm_context *context = unit_context();
  double first[PAIRS], second[PAIRS] = {0};
  for (int round = 0; round < 2; round++) {
    for (size_t i = 0; i < PAIRS; i++)
      first[i] = round == 0 || (i >= 64 && i < 64 + 17) ? 1 : 0;
    dorm_comparison comparison = {.struct_size = sizeof comparison};
    UNIT_OK(context, dorm_compare(context, PAIRS, first, second, ROUNDS, unit_seed(), &comparison));
    CU_ASSERT_TRUE(comparison.randomisation >= 1.0 / (ROUNDS + 1));
    CU_ASSERT_TRUE(comparison.randomisation <= (round == 0 ? 1.0 : 4.0) / (ROUNDS + 1));
  }
  dorm_context_free(context);
}
