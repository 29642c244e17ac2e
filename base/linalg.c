/* linalg.c: calls BLAS and LAPACK, which no other file does. */
#include "base/linalg.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* BLAS takes sizes as int, so larger sizes are rejected before the call. (A matrix of that size does not fit into
 * memory, and a vector is cut into pieces.) */
enum { LARGEST_PIECE = 1 << 30, LARGEST_SQUARE = 46340 }; /* the square of the latter is below 2^31 */

void dorm_set_blas_threads(int num_threads)
{
#ifdef HAVE_OPENBLAS
  openblas_set_num_threads(num_threads);
#else
  (void)num_threads;
#endif
}

#ifdef HAVE_OPENBLAS
/* OpenBLAS calls this before a fork. Builds without threads lack it. */
extern int blas_thread_shutdown_(void) __attribute__((weak));
#endif

void dorm_end_blas_threads(void)
{
#ifdef HAVE_OPENBLAS
  double matrix = 1, rhs = 1;
  if (blas_thread_shutdown_)
    blas_thread_shutdown_();
  dorm__solve_positive_definite(1, &matrix, &rhs); /* makes BLAS allocate a buffer */
#endif
}

/* Copies the upper triangle of a matrix[size][size] to the lower one. LAPACK reads by columns, and then finds our upper
 * triangle in its upper triangle. Returns false if a number is NaN. */
static bool mirror(size_t size, double *matrix)
{
  bool is_number = true;
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j <= i; j++) {
      matrix[i * size + j] = matrix[j * size + i];
      is_number = is_number && !isnan(matrix[i * size + j]);
    }
  return is_number;
}

bool dorm__solve_positive_definite(size_t size, double *matrix, double *rhs)
{
  lapack_int num_rows = (lapack_int)size;
  lapack_int one = 1;
  lapack_int failed = 0;
  if (size == 0)
    return true;
  if (size > LARGEST_SQUARE || !mirror(size, matrix))
    return false;
  for (size_t i = 0; i < size; i++)
    if (isnan(rhs[i]))
      return false;
  LAPACK_dposv("U", &num_rows, &one, matrix, &num_rows, rhs, &num_rows, &failed);
  return failed == 0;
}

/* Replaces a triangle of a matrix, "U" or "L" as LAPACK reads it, by its Cholesky factor. */
static bool factor(const char *triangle, size_t size, double *matrix, size_t stride)
{
  lapack_int num_rows = (lapack_int)size;
  lapack_int step = (lapack_int)stride;
  lapack_int failed = 0;
  LAPACK_dpotrf(triangle, &num_rows, matrix, &step, &failed);
  return failed == 0;
}

/* LAPACK reads by columns, so our upper triangle by rows is its lower triangle. */
bool dorm__invert_positive_definite(size_t size, double *matrix)
{
  lapack_int num_rows = (lapack_int)size;
  lapack_int failed = 0;
  if (size == 0)
    return true;
  if (size > LARGEST_SQUARE || !factor("L", size, matrix, size))
    return false;
  LAPACK_dpotri("L", &num_rows, matrix, &num_rows, &failed);
  mirror(size, matrix);
  return failed == 0;
}

void dorm__matrix_vector(size_t rows, size_t columns, const double *matrix, const double *x, double *result)
{
  if (rows == 0 || rows > LARGEST_PIECE || columns > LARGEST_PIECE)
    return;
  cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)rows, (int)columns, 1.0, matrix, (int)(columns ? columns : 1), x, 1,
              0.0, result, 1);
}

DORM__WIDE_VECTORS
static double dot_short(size_t size, const double *x, const double *y)
{
  return dorm__dot_short(size, x, y);
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
  if (size <= DORM__MOST_SHORT)
    return dot_short(size, x, y);
  for (; size > LARGEST_PIECE; size -= LARGEST_PIECE, x += LARGEST_PIECE, y += LARGEST_PIECE)
    sum += cblas_ddot(LARGEST_PIECE, x, 1, y, 1);
  return sum + cblas_ddot((int)size, x, 1, y, 1);
}

void dorm__add_scaled(size_t size, double factor, const double *x, double *y)
{
  if (size <= DORM__MOST_SHORT) {
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

/* Whether BLAS supports these sizes. */
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

bool dorm__conjugate_gradients(size_t size, dorm__multiply multiply, void *user, double *x, double *scratch,
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
    if (!multiply(user, direction, image))
      return false;
    double length = square / dorm__dot(size, direction, image);
    dorm__add_scaled(size, length, direction, x);
    dorm__add_scaled(size, -length, image, residual);
    double next = dorm__dot(size, residual, residual);
    for (size_t i = 0; i < size; i++)
      direction[i] = residual[i] + next / square * direction[i];
    square = next;
  }
  return true;
}

dorm_status dorm__symmetric_eigenvalues(dorm_context *context, size_t size, double *matrix, double *values)
{
  lapack_int num_rows = (lapack_int)size;
  lapack_int num_work = (lapack_int)(66 * size); /* for blocks of 64 rows */
  lapack_int failed = 1;
  if (size == 0)
    return DORM_OK;
  if (size <= LARGEST_SQUARE && mirror(size, matrix)) {
    DORM__FREED double *work = dorm__alloc(66 * size, sizeof *work);
    if (!work)
      return dorm__out_of_memory(context, "eigenvalues");
    LAPACK_dsyev("N", "U", &num_rows, matrix, &num_rows, values, work, &num_work, &failed);
  }
  if (failed)
    return dorm__fail(context, DORM_NUMERICAL_FAILURE, "the eigenvalues of a matrix of %zu rows cannot be computed",
                      size);
  return DORM_OK;
}

/* ---- Interruptible factorisations ------------------------------------------------- */

/* A call of LAPACK cannot be interrupted. So a matrix larger than MOST_AT_ONCE is factored in blocks of size BLOCK,
 * which rounds differently in the last bits. */
enum { MOST_AT_ONCE = 2048, BLOCK = 512 };

static bool go_on(const dorm__steps *steps, size_t num_rows)
{
  return !steps || steps->go_on(steps->user, num_rows);
}

/* Replaces `count` rows of A below a diagonal block, from the block's first column on, by rows of L. Then subtracts
 * their products from the rows' part of the lower triangle, right of the block. `block` [size][size] is the factor of
 * the block. `below` are the rows, which begin `before` rows below the block. */
static void eliminate_rows(size_t size, const double *block, size_t before, size_t count, double *below, size_t stride)
{
  const double *next = block + size * stride; /* the first row below the block */
  dorm__solve_rows_lower(count, size, block, stride, below, stride);
  dorm__multiply_transposed(count, before, size, -1, below, stride, next, stride, 1, below + size, stride);
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)count, (int)size, -1.0, below, (int)stride, 1.0,
              below + size + before, (int)stride);
}

/* LAPACK reads by columns, so its upper triangle is our lower triangle by rows. */
bool dorm__is_positive_definite(size_t size, double *matrix, const dorm__steps *steps)
{
  if (size > LARGEST_SQUARE)
    return false;
  size_t most = size <= MOST_AT_ONCE ? size : BLOCK;
  for (size_t first = 0, count; first < size; first += count) {
    count = size - first < most ? size - first : most;
    double *block = matrix + first * size + first;
    if (!factor("U", count, block, size))
      return false;
    for (size_t row = first + count; row < size; row += most) {
      if (!go_on(steps, 0))
        return false;
      eliminate_rows(count, block, row - first - count, size - row < most ? size - row : most,
                     matrix + row * size + first, size);
    }
    if (!go_on(steps, count))
      return false;
  }
  return true;
}

/* The state of dorm__pivoted_cholesky. The matrix [size][size] is lower triangular. */
typedef struct pivoting {
  size_t size;
  double *matrix;
  double *diagonal; /* [size] of the matrix before the current panel */
  double *squares;  /* [size] sums of squares of the entries of L in the current panel */
  size_t *pivots;
} pivoting;

static void swap(double *x, double *y)
{
  double kept = *x;
  *x = *y;
  *y = kept;
}

/* The row from j on with the largest residual, the first one among equals. */
static size_t find_pivot(const pivoting *own, size_t j, double *largest)
{
  size_t best = j;
  *largest = own->diagonal[j] - own->squares[j];
  for (size_t i = j + 1; i < own->size; i++)
    if (own->diagonal[i] - own->squares[i] > *largest) {
      *largest = own->diagonal[i] - own->squares[i];
      best = i;
    }
  return best;
}

/* Swaps rows and columns j and p, j < p, of the symmetric matrix. */
static void swap_pivots(const pivoting *own, size_t j, size_t p)
{
  int size = (int)own->size;
  double *row_j = own->matrix + j * own->size;
  double *row_p = own->matrix + p * own->size;
  size_t kept = own->pivots[j];
  own->pivots[j] = own->pivots[p];
  own->pivots[p] = kept;
  swap(&own->diagonal[j], &own->diagonal[p]);
  swap(&own->squares[j], &own->squares[p]);
  row_p[p] = row_j[j];
  cblas_dswap((int)j, row_j, 1, row_p, 1);
  cblas_dswap((int)(p - j - 1), row_j + own->size + j, size, row_p + j + 1, 1);
  if (p + 1 < own->size)
    cblas_dswap((int)(own->size - p - 1), row_p + own->size + j, size, row_p + own->size + p, size);
}

/* Computes column j of L. The products of the columns from `first` on are not subtracted from it yet. */
static void make_column(const pivoting *own, size_t first, size_t j, double residual)
{
  size_t size = own->size;
  size_t count = size - j - 1;
  double root = sqrt(residual);
  double *row = own->matrix + j * size;
  double *below = row + size;
  row[j] = root;
  if (!count)
    return;
  cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)count, (int)(j - first), -1.0, below + first, (int)size, row + first, 1,
              1.0, below + j, (int)size);
  cblas_dscal((int)count, 1 / root, below + j, (int)size);
  for (size_t i = 0; i < count; i++)
    own->squares[j + 1 + i] += below[i * size + j] * below[i * size + j];
}

/* Factors like LAPACK's dpstrf, in the same order and with the same panels, so that the bits are equal. Unlike dpstrf
 * it can stop between panels. (Lucas, "LAPACK-style codes for level 2 and 3 pivoted Cholesky factorizations", LAPACK
 * working note 161, 2004.) */
static size_t factor_in_panels(const pivoting *own, double tolerance, const dorm__steps *steps)
{
  enum { PANEL = 64 };
  size_t size = own->size;
  for (size_t first = 0, end; first < size; first = end) {
    end = size - first < PANEL ? size : first + PANEL;
    for (size_t i = first; i < size; i++) {
      own->diagonal[i] = own->matrix[i * size + i];
      own->squares[i] = 0;
    }
    for (size_t j = first; j < end; j++) {
      double residual;
      size_t pivot = find_pivot(own, j, &residual);
      if (!(residual > tolerance))
        return j;
      if (pivot != j)
        swap_pivots(own, j, pivot);
      make_column(own, first, j, residual);
    }
    if (end < size)
      cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)(size - end), (int)(end - first), -1.0,
                  own->matrix + end * size + first, (int)size, 1.0, own->matrix + end * size + end, (int)size);
    if (!go_on(steps, end - first))
      return end;
  }
  return size;
}

dorm_status dorm__pivoted_cholesky(dorm_context *context, size_t size, double *matrix, double tolerance,
                                   const dorm__steps *steps, size_t *pivots, size_t *rank)
{
  *rank = 0;
  if (size > LARGEST_SQUARE)
    return dorm__fail(context, DORM_NUMERICAL_FAILURE, "LAPACK cannot factor a matrix of %zu rows", size);
  DORM__FREED double *work = dorm__alloc(size, 2 * sizeof *work);
  if (!work)
    return dorm__out_of_memory(context, "a factorisation");
  for (size_t i = 0; i < size; i++)
    pivots[i] = i;
  pivoting own = {.size = size, .matrix = matrix, .diagonal = work, .squares = work + size, .pivots = pivots};
  *rank = factor_in_panels(&own, tolerance, steps);
  return DORM_OK;
}
