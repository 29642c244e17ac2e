/* landmarks.h: points for low-rank kernels that are sampled or clustered. */
#ifndef DORM_KERNELS_LANDMARKS_H
#define DORM_KERNELS_LANDMARKS_H

#include "base/base.h"
#include "kernels/kernels.h"

/* Draws `count` rows without replacement. */
dorm_status dorm__landmarks_uniform(dorm_context *context, const dorm__kernel_rows *rows, size_t count, uint64_t seed,
                                    dorm__kernel_rows *landmarks);
/* Finds the centres of k-means by Lloyd's steps from k-means++ seeds. */
dorm_status dorm__landmarks_kmeans(dorm_context *context, const dorm__kernel_rows *rows, size_t count, uint64_t seed,
                                   size_t num_threads, dorm__kernel_rows *landmarks);

#endif
