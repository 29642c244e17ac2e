/* resolve.h: what resolve.c offers to the other files of this folder. */
#ifndef DORM_KERNELS_RESOLVE_H
#define DORM_KERNELS_RESOLVE_H

#include "base/base.h"
#include "kernels/kernels.h"

/* Sets what is "auto" from pairs of rows: gamma = scale / (2 median |x - y|^2)
 * for rbf, scale / median |x - y|_1 for laplacian; 2000 random pairs. */
dorm_status dorm__kernel_set_auto(dorm_context *context, dorm__kernel *kernel, const dorm__kernel_rows *rows,
                                  uint64_t seed);

#endif
