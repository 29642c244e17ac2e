/* rounded_sum.h: sums of terms of both signs that are 0 where nothing but rounding is left. */
#ifndef DORM_LAMBDAS_ROUNDED_SUM_H
#define DORM_LAMBDAS_ROUNDED_SUM_H

#include <math.h>

/* A swap that changes nothing in a measure should not count as a pair with a force because of rounding. */
typedef struct dorm__rounded_sum {
  double value;
  double size; /* sum of the absolute values of the terms */
} dorm__rounded_sum;

static inline void dorm__rounded_sum_add(dorm__rounded_sum *sum, double term)
{
  sum->value += term;
  sum->size += fabs(term);
}

static inline double dorm__rounded_sum_value(const dorm__rounded_sum *sum)
{
  static const double rounding = 1e-14;
  return fabs(sum->value) > rounding * sum->size ? sum->value : 0;
}

#endif
