/* cholesky.h: pivoted Cholesky factors of Gram matrices. */
#ifndef DORM_KERNELS_CHOLESKY_H
#define DORM_KERNELS_CHOLESKY_H

#include "base/memory.h"
#include "kernels/kernels.h"

/* A partial factorisation K ~ L L', with L[pivots] lower triangular. K - L L' is positive semi-definite and has the
 * diagonal `residual`. */
typedef struct dorm__cholesky {
  dorm__region memory; /* of the arrays */
  size_t num_rows;
  size_t capacity; /* columns for which L has room, the stride of its rows */
  size_t rank;
  size_t *pivots;   /* [rank], rows, in order */
  double *factor;   /* [num_rows][capacity] */
  double *residual; /* [num_rows], >= 0 */
  double trace;     /* of K */
} dorm__cholesky;

/* Chooses pivots greedily and makes columns of L on demand, so that the Gram matrix is never formed. Stops at `rank`,
 * or when no residual is left. O(num_rows rank (width + rank)). */
dorm_status dorm__cholesky_on_demand(dorm_context *context, const dorm__kernel *kernel, const dorm__kernel_rows *rows,
                                     size_t rank, uint64_t seed, size_t num_threads, dorm__cholesky *cholesky);
/* Makes the whole Gram matrix and factors it. O(num_rows^3). */
dorm_status dorm__cholesky_whole(dorm_context *context, const dorm__kernel *kernel, const dorm__kernel_rows *rows,
                                 dorm__cholesky *cholesky);
void dorm__cholesky_free(dorm__cholesky *cholesky);

#endif
