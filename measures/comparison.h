/* comparison.h: the p-value of a t-test, for tests of comparison.c. */
#ifndef DORM_MEASURES_COMPARISON_H
#define DORM_MEASURES_COMPARISON_H

#include "base/base.h"

/* The two-sided p-value of Student's t. */
double dorm__student_p_value(double t, double degrees);

#endif
