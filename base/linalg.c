/* linalg.c: the only door to BLAS and LAPACK. */
#include "base/base.h"

#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <stdlib.h>

/* BLAS takes int; larger sizes are refused before they reach it (a matrix that
 * large does not fit in memory here, a vector is cut into pieces). */
enum { LARGEST_PIECE = 1 << 30 };

void dorm_set_blas_threads(int num_threads)
{
#ifdef HAVE_OPENBLAS
  openblas_set_num_threads(num_threads);
#else
  (void)num_threads;
#endif
}

bool dorm__solve_positive_definite(size_t size, double *matrix, double *rhs)
{
  if (size == 0)
    return true;
  if (size > 46340) /* size^2 past 2^31 */
    return false;
  return LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', (lapack_int)size, 1, matrix, (lapack_int)size, rhs, 1) == 0;
}

void dorm__matrix_vector(size_t rows, size_t columns, const double *matrix, const double *x, double *result)
{
  if (rows == 0 || rows > LARGEST_PIECE || columns > LARGEST_PIECE)
    return;
  cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)rows, (int)columns, 1.0, matrix, (int)(columns ? columns : 1), x, 1,
              0.0, result, 1);
}

double dorm__dot(size_t size, const double *x, const double *y)
{
  double sum = 0;
  for (; size > LARGEST_PIECE; size -= LARGEST_PIECE, x += LARGEST_PIECE, y += LARGEST_PIECE)
    sum += cblas_ddot(LARGEST_PIECE, x, 1, y, 1);
  return sum + cblas_ddot((int)size, x, 1, y, 1);
}

void dorm__add_scaled(size_t size, double factor, const double *x, double *y)
{
  for (; size > LARGEST_PIECE; size -= LARGEST_PIECE, x += LARGEST_PIECE, y += LARGEST_PIECE)
    cblas_daxpy(LARGEST_PIECE, factor, x, 1, y, 1);
  cblas_daxpy((int)size, factor, x, 1, y, 1);
}

void dorm__add_gram(size_t count, size_t columns, const double *rows, double *gram)
{
  if (count == 0 || columns == 0 || count > LARGEST_PIECE || columns > LARGEST_PIECE)
    return;
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)columns, (int)count, 1.0, rows, (int)columns, 1.0, gram,
              (int)columns);
}
