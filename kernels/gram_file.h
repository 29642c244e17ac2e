/* gram_file.h: what gram_file.c offers to the other files of this folder. */
#ifndef DORM_KERNELS_GRAM_FILE_H
#define DORM_KERNELS_GRAM_FILE_H

#include "base/base.h"

/* A square, symmetric, positive semi-definite matrix, one row a line. The last
 * is checked whole: matrix + 1e-8 trace / size must have a Cholesky factor.
 * *matrix: caller frees by dorm__free. O(size^3). */
dorm_status dorm__gram_read(dorm_context *context, const char *path, size_t *size, double **matrix);

#endif
