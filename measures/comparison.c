/* comparison.c: tests whether one set of per-query values is better than another, or the difference may be due to
 * chance. Two tests for the mean d of the differences d_q of n queries:
 *
 *   paired t-test   t = d / (s / sqrt(n)), s the standard deviation of the d_q; p = I_x(v/2, 1/2), x = v / (v + t^2),
 *                   v = n - 1, with the regularised incomplete beta function I
 *   randomisation   (Fisher) if there were no difference, each d_q could as well have the other sign: p is the share of
 *                   the sign changes whose mean is at least as far from 0. All 2^n sign changes are tried if that is
 *                   few, else random ones, among which the observed one counts.
 *
 * With weights u_q, d is the weighted mean. n is the effective number of queries, (sum u_q)^2 / sum u_q^2 (Kish 1965).
 * s^2 / n becomes the weighted mean of (d_q - d)^2 divided by n - 1. The randomisation changes the signs of u_q d_q. */
#include "base/random.h"
#include "base/status.h"
#include "measures/measure.h"

#include <float.h>
#include <math.h>

/* The continued fraction 1/(1+ d1/(1+ d2/(1+ ...))) of I_x(a, b) for x < (a + 1) / (a + b + 2), by Lentz's method
 * (Abramowitz and Stegun 26.5.8). */
static double beta_fraction(double a, double b, double x)
{
  enum { MOST_TERMS = 10000 };
  const double tiny = 1e-300; /* replaces a denominator of 0 */
  double numerator = 1;       /* ratios of successive numerators and denominators */
  double denominator = 1 / fmax(1 - (a + b) * x / (a + 1), tiny);
  double value = denominator;
  for (int m = 1; m < MOST_TERMS; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double before = value;
    for (int i = 0; i < 2; i++) {
      double term = i == 0 ? even : odd;
      denominator = 1 + term * denominator;
      denominator = 1 / (fabs(denominator) < tiny ? tiny : denominator);
      numerator = 1 + term / numerator;
      numerator = fabs(numerator) < tiny ? tiny : numerator;
      value *= numerator * denominator;
    }
    if (fabs(value - before) <= 4 * DBL_EPSILON * fabs(value))
      break;
  }
  return value;
}

double dorm__incomplete_beta(double a, double b, double x, double y)
{
  int sign;
  if (x <= 0 || y <= 0)
    return x <= 0 ? 0 : 1;
  double log_front = lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) + a * log(x) + b * log(y);
  if (x < (a + 1) / (a + b + 2))
    return exp(log_front) * beta_fraction(a, b, x) / a;
  return 1 - exp(log_front) * beta_fraction(b, a, y) / b;
}

double dorm__student_p_value(double t, double degrees)
{
  if (isinf(t))
    return 0;
  double square = t * t;
  return dorm__incomplete_beta(degrees / 2, 0.5, degrees / (degrees + square), square / (degrees + square));
}

/* Whether a sum is at least as far from 0 as the observed one, ignoring rounding. */
static bool is_as_far(double sum, double observed, double scale)
{
  return fabs(sum) >= fabs(observed) - 1e-12 * scale;
}

/* Tries all sign changes in which the first difference keeps its sign. The others mirror these. */
static double all_sign_changes(size_t count, const double *differences, double observed, double scale)
{
  uint64_t total = UINT64_C(1) << (count - 1);
  uint64_t far = 0;
  for (uint64_t signs = 0; signs < total; signs++) {
    double sum = differences[0];
    for (size_t i = 1; i < count; i++)
      sum += (signs >> (i - 1) & 1) ? -differences[i] : differences[i];
    far += is_as_far(sum, observed, scale);
  }
  return (double)far / (double)total;
}

static double random_sign_changes(size_t count, const double *differences, double observed, double scale,
                                  size_t num_rounds, uint64_t seed)
{
  dorm__random random;
  size_t far = 0;
  dorm__random_seed(&random, seed);
  for (size_t round = 0; round < num_rounds; round++) {
    double sum = 0;
    uint64_t signs = 0;
    for (size_t i = 0; i < count; i++, signs >>= 1) {
      if (i % 64 == 0)
        signs = dorm__random_bits(&random);
      sum += signs & 1 ? -differences[i] : differences[i];
    }
    far += is_as_far(sum, observed, scale);
  }
  return (double)(far + 1) / (double)(num_rounds + 1);
}

/* The differences of the queries that both sides evaluate. */
typedef struct paired {
  size_t count;
  double *weights;     /* [count] */
  double *differences; /* [count], then times the weights */
  double weight;       /* sum of the weights */
  double effective;    /* effective number of queries */
} paired;

/* Collects the differences. Stores the means of both sides in `made`. */
static void take_differences(size_t count, const double *first, const double *second, const double *weights,
                             paired *pairs, dorm_comparison *made)
{
  double squares = 0;
  for (size_t q = 0; q < count; q++) {
    double weight = weights ? weights[q] : 1;
    if (isnan(first[q]) || isnan(second[q]) || !(weight > 0))
      continue;
    made->first += weight * first[q];
    made->second += weight * second[q];
    pairs->weight += weight;
    squares += weight * weight;
    pairs->weights[pairs->count] = weight;
    pairs->differences[pairs->count++] = first[q] - second[q];
  }
  made->first /= pairs->weight;
  made->second /= pairs->weight;
  pairs->effective = pairs->weight * pairs->weight / squares;
}

/* Computes both tests. */
static void test(paired *pairs, size_t num_rounds, uint64_t seed, dorm_comparison *made)
{
  enum { MOST_EXACT = 16 };
  double sum = 0;
  double scale = 0;
  double squares = 0;
  for (size_t i = 0; i < pairs->count; i++) {
    sum += pairs->weights[i] * pairs->differences[i];
    scale += pairs->weights[i] * fabs(pairs->differences[i]);
  }
  made->num_pairs = pairs->count;
  made->difference = sum / pairs->weight;
  for (size_t i = 0; i < pairs->count; i++) {
    double distance = pairs->differences[i] - made->difference;
    squares += pairs->weights[i] * (distance * distance);
    pairs->differences[i] *= pairs->weights[i];
  }
  made->standard_error = sqrt(squares / (pairs->effective - 1) / pairs->weight);
  if (made->difference != 0)
    made->t = made->difference / made->standard_error; /* infinite if all differences are equal */
  made->t_test = dorm__student_p_value(made->t, pairs->effective - 1);
  bool is_exact = pairs->count <= MOST_EXACT;
  made->num_rounds = is_exact ? (size_t)1 << pairs->count : num_rounds;
  made->randomisation = is_exact ? all_sign_changes(pairs->count, pairs->differences, sum, scale)
                                 : random_sign_changes(pairs->count, pairs->differences, sum, scale, num_rounds, seed);
}

dorm_status dorm_compare_weighted(dorm_context *context, size_t count, const double *first, const double *second,
                                  const double *weights, size_t num_rounds, uint64_t seed, dorm_comparison *comparison)
{
  if (DORM__LACKS(context, DORM__GIVEN_IF(count, first), DORM__GIVEN_IF(count, second), DORM__GIVEN(comparison)))
    return DORM_BAD_USAGE;
  for (size_t q = 0; weights && q < count; q++)
    if (!isfinite(weights[q]) || weights[q] < 0)
      return dorm__fail(context, DORM_BAD_DATA, "weights: entry %zu is %g, which is not a finite number of 0 or more",
                        q, weights[q]);
  dorm_comparison made = {0};
  dorm_status status = dorm__struct_check(context, "comparison", DORM__STRUCT(dorm_comparison), comparison);
  if (status != DORM_OK)
    return status;
  DORM__FREED double *kept_weights = dorm__alloc(count, sizeof *kept_weights);
  DORM__FREED double *differences = dorm__alloc(count, sizeof *differences);
  if (!kept_weights || !differences)
    return dorm__out_of_memory(context, "a comparison");
  paired pairs = {.weights = kept_weights, .differences = differences};
  take_differences(count, first, second, weights, &pairs, &made);
  if (pairs.count < 2)
    return dorm__fail(context, DORM_BAD_DATA, "a comparison needs two queries that count on both sides, not %zu",
                      pairs.count);
  test(&pairs, num_rounds, seed, &made);
  dorm__struct_give(&made, comparison);
  return DORM_OK;
}

dorm_status dorm_compare(dorm_context *context, size_t count, const double *first, const double *second,
                         size_t num_rounds, uint64_t seed, dorm_comparison *comparison)
{
  if (DORM__LACKS(context, DORM__GIVEN_IF(count, first), DORM__GIVEN_IF(count, second), DORM__GIVEN(comparison)))
    return DORM_BAD_USAGE;
  return dorm_compare_weighted(context, count, first, second, NULL, num_rounds, seed, comparison);
}
