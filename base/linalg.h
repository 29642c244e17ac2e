/* linalg.h: linear algebra on doubles, by BLAS and LAPACK, or by loops for short vectors. Matrices are row-major. */
#ifndef DORM_BASE_LINALG_H
#define DORM_BASE_LINALG_H

#include "base/base.h"

/* Solves the symmetric positive definite system matrix x = rhs by Cholesky. Overwrites matrix [size][size], and
 * replaces rhs [size] by x. Returns false if the matrix is not positive definite. O(size^3). */
bool dorm__solve_positive_definite(size_t size, double *matrix, double *rhs);
/* Overwrites a symmetric positive definite matrix [size][size] with its inverse. Reads the upper triangle. Returns
 * false if the matrix is not positive definite. O(size^3). */
bool dorm__invert_positive_definite(size_t size, double *matrix);
/* Computes result[rows] = matrix[rows][columns] x[columns]. */
void dorm__matrix_vector(size_t rows, size_t columns, const double *matrix, const double *x, double *result);
double dorm__dot(size_t size, const double *x, const double *y);
/* Up to DORM__MOST_SHORT entries, a call of BLAS takes longer than the computation. */
enum { DORM__MOST_SHORT = 512 };
/* A dot product with the same bits, for loops in functions of DORM__WIDE_VECTORS, which a call would slow down. The
 * sums start with the first products, because in gcc clearing them costs as much as adding 46 products. */
static inline __attribute__((always_inline)) double dorm__dot_short(size_t size, const double *x, const double *y)
{
  double sum = 0;
  size_t i = 0;
  if (size >= 16) {
    double sums[16];
    for (size_t k = 0; k < 16; k++)
      sums[k] = x[k] * y[k];
    for (i = 16; i + 16 <= size; i += 16)
      for (size_t k = 0; k < 16; k++)
        sums[k] += x[i + k] * y[i + k];
    for (size_t k = 0; k < 4; k++)
      sum += (sums[k] + sums[k + 4]) + (sums[k + 8] + sums[k + 12]);
  }
  for (; i < size; i++)
    sum += x[i] * y[i];
  return sum;
}
/* y += factor x */
void dorm__add_scaled(size_t size, double factor, const double *x, double *y);
/* Adds rows' rows of rows[count][columns] to the upper triangle of gram[columns][columns]. */
void dorm__add_gram(size_t count, size_t columns, const double *rows, double *gram);
void dorm__add_gram_float(size_t count, size_t columns, const float *rows, float *gram);
/* Computes result[rows][columns] = factor x y' + keep result for x[rows][inner] and y[columns][inner]. Strides are the
 * distances between rows. */
void dorm__multiply_transposed(size_t rows, size_t columns, size_t inner, double factor, const double *x,
                               size_t x_stride, const double *y, size_t y_stride, double keep, double *result,
                               size_t result_stride);
/* Computes result[rows][columns] += x' y for x[inner][rows] and y[inner][columns], all contiguous. */
void dorm__add_product_over_rows(size_t rows, size_t columns, size_t inner, const double *x, const double *y,
                                 double *result);
/* Replaces every row v of vectors[rows][size] by lower^-1 v. lower[size][size] is lower triangular. O(rows size^2). */
void dorm__solve_rows_lower(size_t rows, size_t size, const double *lower, size_t lower_stride, double *vectors,
                            size_t vectors_stride);
/* Replaces x by lower'^-1 x. */
void dorm__solve_lower_transposed(size_t size, const double *lower, size_t stride, double *x);
/* Multiplies a symmetric positive definite matrix by x [size] into result [size]. Returns false to stop the
 * computation. */
typedef bool (*dorm__multiply)(void *user, const double *x, double *result);
/* Solves matrix x = right side by conjugate gradients from 0 (Hestenes and Stiefel, 1952). Needs only products with the
 * matrix. x [size] holds the right side and is overwritten with the solution. scratch [3][size]. Stops after
 * `most_steps` products, or when the residual is at most `relative_residual` times the right side. Returns false if
 * `multiply` stopped it. */
bool dorm__conjugate_gradients(size_t size, dorm__multiply multiply, void *user, double *x, double *scratch,
                               size_t most_steps, double relative_residual);
/* A callback between the steps of a long factorisation, with the number of rows finished since the last call. It
 * returns false to stop. A step takes well below a second for matrices that fit into memory. */
typedef struct dorm__steps {
  bool (*go_on)(void *user, size_t num_rows);
  void *user;
} dorm__steps;
/* Whether the matrix[size][size] has a Cholesky factor L, matrix = L L'. Reads the lower triangle and overwrites it
 * with L. Also returns false if it was stopped. steps may be NULL. O(size^3). */
bool dorm__is_positive_definite(size_t size, double *matrix, const dorm__steps *steps);
/* Computes the eigenvalues of a symmetric matrix[size][size] by LAPACK's dsyev, into values [size] in increasing order.
 * Overwrites the matrix. Returns DORM_NUMERICAL_FAILURE if LAPACK does not support the size, or does not converge.
 * O(size^3). */
dorm_status dorm__symmetric_eigenvalues(dorm_context *context, size_t size, double *matrix, double *values);
/* Factors a positive semi-definite matrix[size][size] with pivoting. Reads the lower triangle. Row j of that triangle
 * becomes the row of L for row pivots[j]. Columns of L from *rank on are not filled. Stops when the largest pivot is at
 * most `tolerance`, or when steps asks for it. Returns DORM_NUMERICAL_FAILURE if BLAS does not support the size. steps
 * may be NULL. O(size^3). */
dorm_status dorm__pivoted_cholesky(dorm_context *context, size_t size, double *matrix, double tolerance,
                                   const dorm__steps *steps, size_t *pivots, size_t *rank);

#endif
