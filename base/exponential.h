/* exponential.h: exponentials of many numbers at once. */
#ifndef DORM_BASE_EXPONENTIAL_H
#define DORM_BASE_EXPONENTIAL_H

#include "base/base.h"

/* Replaces values[i] <= 0 by exp(values[i]), correct to 2 units in the last place; below -708 the result is that of
 * -708, 3e-308. */
void dorm__exponentials(size_t count, double *values);

#endif
