/* tile.h: the diagonal of a Gram matrix. */
#ifndef DORM_KERNELS_TILE_H
#define DORM_KERNELS_TILE_H

#include "base/base.h"
#include "kernels/kernels.h"

/* Fills diagonal[i] with k(x_i, x_i); false as for tiles. */
bool dorm__kernel_diagonal(const dorm__kernel *kernel, size_t width, size_t num_x, const float *x, double *diagonal);

#endif
