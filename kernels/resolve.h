/* resolve.h: finds those parameters of kernels that are "auto" from the data. */
#ifndef DORM_KERNELS_RESOLVE_H
#define DORM_KERNELS_RESOLVE_H

#include "base/base.h"
#include "kernels/kernels.h"

/* Sets each gamma that is "auto" from 2000 random pairs of rows: scale / (2 median |x - y|^2) for rbf, scale / median
 * |x - y|_1 for laplacian. */
dorm_status dorm__kernel_set_auto(dorm_context *context, dorm__kernel *kernel, const dorm__kernel_rows *rows,
                                  uint64_t seed);

#endif
