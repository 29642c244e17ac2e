/* gram_file.h: Gram matrices that users compute themselves. */
#ifndef DORM_KERNELS_GRAM_FILE_H
#define DORM_KERNELS_GRAM_FILE_H

#include "base/base.h"

/* Reads a square, symmetric, positive semi-definite matrix, one row per line. It is positive semi-definite if matrix
 * + 1e-8 trace / size on the diagonal has a Cholesky factor. *matrix is freed by dorm__free. O(size^3). */
dorm_status dorm__gram_read(dorm_context *context, const char *path, size_t *size, double **matrix);

#endif
