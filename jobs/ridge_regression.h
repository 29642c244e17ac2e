/* ridge_regression.h: query-centred ridge regression on the labels or their gains. */
#ifndef DORM_JOBS_RIDGE_REGRESSION_H
#define DORM_JOBS_RIDGE_REGRESSION_H

#include "features/features.h"

/* Solves (S + lambda I) w = s for w [num_features], a ridge regression on the labels, or on the gains 2^label - 1. S is
 * the covariance of the features within queries, s their covariance with labels or gains, and lambda = ridge * trace(S)
 * / num_features. O(num_docs num_features^2). If num_features is large or the rows are sparse: at most 200 steps of
 * conjugate gradients, each with two passes over the rows. If the rows are a kernel's, these steps end with
 * DORM_STOPPED when the caller of the library cancels. */
dorm_status dorm__ridge_regression(dorm_context *context, const dorm_dataset *dataset,
                                   const dorm__sampled_features *sample, bool on_gains, double ridge,
                                   size_t num_threads, double *w);
/* Returns the stride of the sample that is enough for the regression, 1 for all queries. */
size_t dorm__ridge_stride(size_t num_docs, size_t width, bool is_sparse);

#endif
