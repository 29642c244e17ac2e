/* linalg.c: the only door to BLAS and LAPACK. */
#include "base/linalg.h"

#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* BLAS takes sizes as int; larger ones are refused before they reach it. (A matrix of that size does not fit into
 * memory here; a vector is cut into pieces.) */
enum { LARGEST_PIECE = 1 << 30, LARGEST_SQUARE = 46340 }; /* the square of the latter is below 2^31 */

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
  if (size > LARGEST_SQUARE)
    return false;
  return LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', (lapack_int)size, 1, matrix, (lapack_int)size, rhs, 1) == 0;
}

/* Read by rows, the upper triangle is what LAPACK, which reads by columns of the matrix, calls the lower one. */
bool dorm__invert_positive_definite(size_t size, double *matrix)
{
  if (size == 0)
    return true;
  if (size > LARGEST_SQUARE ||
      LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)size, matrix, (lapack_int)size) != 0 ||
      LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)size, matrix, (lapack_int)size) != 0)
    return false;
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < i; j++)
      matrix[i * size + j] = matrix[j * size + i];
  return true;
}

void dorm__matrix_vector(size_t rows, size_t columns, const double *matrix, const double *x, double *result)
{
  if (rows == 0 || rows > LARGEST_PIECE || columns > LARGEST_PIECE)
    return;
  cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)rows, (int)columns, 1.0, matrix, (int)(columns ? columns : 1), x, 1,
              0.0, result, 1);
}

/* For up to MOST_SHORT entries the call of BLAS takes longer than the computation. */
enum { MOST_SHORT = 512 };

DORM__WIDE_VECTORS
static double dot_short(size_t size, const double *x, const double *y)
{
  double sums[16] = {0};
  size_t i = 0;
  for (; i + 16 <= size; i += 16)
    for (size_t k = 0; k < 16; k++)
      sums[k] += x[i + k] * y[i + k];
  double sum = 0;
  for (size_t k = 0; k < 4; k++)
    sum += (sums[k] + sums[k + 4]) + (sums[k + 8] + sums[k + 12]);
  for (; i < size; i++)
    sum += x[i] * y[i];
  return sum;
}

DORM__WIDE_VECTORS
static void add_scaled_short(size_t size, double factor, const double *restrict x, double *restrict y)
{
  for (size_t i = 0; i < size; i++)
    y[i] += factor * x[i];
}

double dorm__dot(size_t size, const double *x, const double *y)
{
  double sum = 0;
  if (size <= MOST_SHORT)
    return dot_short(size, x, y);
  for (; size > LARGEST_PIECE; size -= LARGEST_PIECE, x += LARGEST_PIECE, y += LARGEST_PIECE)
    sum += cblas_ddot(LARGEST_PIECE, x, 1, y, 1);
  return sum + cblas_ddot((int)size, x, 1, y, 1);
}

void dorm__add_scaled(size_t size, double factor, const double *x, double *y)
{
  if (size <= MOST_SHORT) {
    add_scaled_short(size, factor, x, y);
    return;
  }
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

void dorm__add_gram_float(size_t count, size_t columns, const float *rows, float *gram)
{
  if (count == 0 || columns == 0 || count > LARGEST_PIECE || columns > LARGEST_PIECE)
    return;
  cblas_ssyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)columns, (int)count, 1.0F, rows, (int)columns, 1.0F, gram,
              (int)columns);
}

/* Whether BLAS can take these sizes. */
static bool fits(size_t one, size_t two, size_t stride)
{
  return one <= LARGEST_PIECE && two <= LARGEST_PIECE && stride <= LARGEST_PIECE;
}

void dorm__multiply_transposed(size_t rows, size_t columns, size_t inner, double factor, const double *x,
                               size_t x_stride, const double *y, size_t y_stride, double keep, double *result,
                               size_t result_stride)
{
  if (rows == 0 || columns == 0 || !fits(rows, columns, inner) || !fits(x_stride, y_stride, result_stride))
    return;
  int x_step = (int)(x_stride ? x_stride : 1);
  int y_step = (int)(y_stride ? y_stride : 1);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)columns, (int)inner, factor, x, x_step, y,
              y_step, keep, result, (int)result_stride);
}

void dorm__add_product_over_rows(size_t rows, size_t columns, size_t inner, const double *x, const double *y,
                                 double *result)
{
  if (rows == 0 || columns == 0 || inner == 0 || !fits(rows, columns, inner))
    return;
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)rows, (int)columns, (int)inner, 1.0, x, (int)rows, y,
              (int)columns, 1.0, result, (int)columns);
}

void dorm__solve_rows_lower(size_t rows, size_t size, const double *lower, size_t lower_stride, double *vectors,
                            size_t vectors_stride)
{
  if (rows == 0 || size == 0 || !fits(rows, size, lower_stride) || !fits(rows, size, vectors_stride))
    return;
  cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)rows, (int)size, 1.0, lower,
              (int)lower_stride, vectors, (int)vectors_stride);
}

void dorm__solve_lower_transposed(size_t size, const double *lower, size_t stride, double *x)
{
  if (size == 0 || !fits(size, size, stride))
    return;
  cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (int)size, lower, (int)stride, x, 1);
}

void dorm__conjugate_gradients(size_t size, dorm__multiply multiply, void *user, double *x, double *scratch,
                               size_t most_steps, double relative_residual)
{
  double *residual = scratch;
  double *direction = scratch + size;
  double *image = scratch + 2 * size;
  memcpy(residual, x, size * sizeof *x);
  memcpy(direction, x, size * sizeof *x);
  memset(x, 0, size * sizeof *x);
  double square = dorm__dot(size, residual, residual);
  double enough = square * relative_residual * relative_residual;
  for (size_t step = 0; step < most_steps && square > enough; step++) {
    multiply(user, direction, image);
    double length = square / dorm__dot(size, direction, image);
    dorm__add_scaled(size, length, direction, x);
    dorm__add_scaled(size, -length, image, residual);
    double next = dorm__dot(size, residual, residual);
    for (size_t i = 0; i < size; i++)
      direction[i] = residual[i] + next / square * direction[i];
    square = next;
  }
}

bool dorm__is_positive_definite(size_t size, double *matrix)
{
  if (size == 0)
    return true;
  return size <= LARGEST_SQUARE &&
         LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)size, matrix, (lapack_int)size) == 0;
}

dorm_status dorm__symmetric_eigenvalues(dorm_context *context, size_t size, double *matrix, double *values)
{
  if (size == 0)
    return DORM_OK;
  if (size > LARGEST_SQUARE ||
      LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', (lapack_int)size, matrix, (lapack_int)size, values) != 0)
    return dorm__fail(context, DORM_NUMERICAL_FAILURE, "the eigenvalues of a matrix of %zu rows cannot be computed",
                      size);
  return DORM_OK;
}

/* Read by columns of the matrix, the upper triangle of LAPACK is our lower one read by rows. */
dorm_status dorm__pivoted_cholesky(dorm_context *context, size_t size, double *matrix, double tolerance, size_t *pivots,
                                   size_t *rank)
{
  *rank = 0;
  if (size == 0)
    return DORM_OK;
  lapack_int *order = dorm__alloc(size, sizeof *order);
  double *work = dorm__alloc(size, 2 * sizeof *work);
  lapack_int found = 0;
  lapack_int info = -1;
  dorm_status status = order && work ? DORM_OK : dorm__out_of_memory(context, "a factorisation");
  if (status == DORM_OK && size <= LARGEST_SQUARE)
    info = LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)size, matrix, (lapack_int)size, order, &found,
                               tolerance, work);
  for (size_t j = 0; j < size && info >= 0; j++)
    pivots[j] = (size_t)order[j] - 1;
  *rank = (size_t)found;
  dorm__free(order);
  dorm__free(work);
  if (status == DORM_OK && info < 0)
    status = dorm__fail(context, DORM_NUMERICAL_FAILURE, "LAPACK cannot factor a matrix of %zu rows", size);
  return status;
}
