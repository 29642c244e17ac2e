/* block.h: what block.c offers to the other files of this folder. */
#ifndef DORM_KERNELS_BLOCK_H
#define DORM_KERNELS_BLOCK_H

#include "base/base.h"
#include "kernels/kernels.h"

/* diagonal[i] = k(x_i, x_i); false as for blocks. */
bool dorm__kernel_diagonal(const dorm__kernel *kernel, size_t width, size_t num_x, const float *x, double *diagonal);

#endif
