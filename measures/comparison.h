/* comparison.h: what comparison.c offers to the other files of this folder. */
#ifndef DORM_MEASURES_COMPARISON_H
#define DORM_MEASURES_COMPARISON_H

#include "base/base.h"

/* Two-sided p-value of Student's t. */
double dorm__student_p_value(double t, double degrees);

#endif
