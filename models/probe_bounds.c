/* probe_bounds.c: what a number of successes says of the probability of success. */
#include "models/models.h"

#include <math.h>

/* ln of the probability of `count` successes. */
static double log_probability(size_t trials, size_t count, double p)
{
  double n = (double)trials;
  double k = (double)count;
  return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p);
}

/* The probability of at least `count` successes, 0 < p < 1; of the two tails the one without the mean is added up. */
static double at_least(size_t trials, size_t count, double p)
{
  double sum = 0;
  if ((double)count > p * (double)trials) {
    for (size_t k = count; k <= trials; k++)
      sum += exp(log_probability(trials, k, p));
    return sum;
  }
  for (size_t k = 0; k < count; k++)
    sum += exp(log_probability(trials, k, p));
  return 1 - sum;
}

/* The p at which `count` or more successes have this probability, which rises with p. */
static double solve(size_t trials, size_t count, double probability)
{
  double low = 0, high = 1;
  for (int step = 0; step < 60; step++) {
    double middle = (low + high) / 2;
    if (at_least(trials, count, middle) < probability)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

void dorm__binomial_bounds(size_t trials, size_t count, double delta, double *least, double *most)
{
  *least = count ? solve(trials, count, delta) : 0;
  *most = count < trials ? solve(trials, count + 1, 1 - delta) : 1;
}
