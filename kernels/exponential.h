/* exponential.h: what exponential.c offers to the other files of this folder. */
#ifndef DORM_KERNELS_EXPONENTIAL_H
#define DORM_KERNELS_EXPONENTIAL_H

#include "base/base.h"

/* values[i] = exp(values[i]) for values <= 0, correct to 2 units in the last
 * place; below -708 the result is that
 * of -708, 3e-308. */
void dorm__exponentials(size_t count, double *values);

#endif
