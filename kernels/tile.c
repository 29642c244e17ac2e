/*
 * tile.c: rectangular tiles of a Gram matrix. Kernels of inner products and of Euclidean distances use dgemm, with |x -
 * y|^2 = |x|^2 + |y|^2 - 2 <x, y>. A row of the tile is the origin, so that features far from zero lose no digits.
 * Other kernels are loops over pairs.
 */
#include "base/lanes.h"
#include "kernels/expression.h"
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 256 };

/* Copies the features of the node from rows[count][width] in double, minus the features of `origin` (a row, or
 * NULL). */
static void gather(const dorm__kernel_node *node, size_t width, size_t count, const float *rows, const float *origin,
                   double *packed)
{
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < node->num_columns; k++) {
      size_t column = node->columns[k];
      packed[i * node->num_columns + k] = (double)rows[i * width + column] - (origin ? (double)origin[column] : 0);
    }
}

static double parameter(const dorm__kernel_node *node, size_t index)
{
  return node->parameters[index].values[0];
}

static double gamma_of(const dorm__kernel_node *node)
{
  return parameter(node, 0) * parameter(node, 1);
}

static double power(double base, size_t exponent)
{
  double result = 1;
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return result;
}

/* Fills a tile from x [num_x][size] and y [num_y][size], packed. num_y numbers of scratch follow y. */
static void rbf_tile(double gamma, size_t size, size_t num_x, const double *x, size_t num_y, double *y, double *gram)
{
  double *squares = y + num_y * size;
  dorm__multiply_transposed(num_x, num_y, size, 2 * gamma, x, size, y, size, 0, gram, num_y);
  for (size_t j = 0; j < num_y; j++)
    squares[j] = gamma * dorm__dot(size, y + j * size, y + j * size);
  for (size_t i = 0; i < num_x; i++) {
    double *row = gram + i * num_y;
    double square = gamma * dorm__dot(size, x + i * size, x + i * size);
    for (size_t j = 0; j < num_y; j++) {
      double exponent = row[j] - square - squares[j];
      row[j] = exponent < 0 ? exponent : 0;
    }
    dorm__exponentials(num_y, row);
  }
}

static void pair_tile(const dorm__kernel_node *node, size_t num_x, const double *x, size_t num_y, const double *y,
                      double *gram)
{
  size_t size = node->num_columns;
  double gamma = node->kind == DORM__KERNEL_LAPLACIAN ? gamma_of(node) : 0;
  for (size_t i = 0; i < num_x; i++) {
    double *row = gram + i * num_y;
    for (size_t j = 0; j < num_y; j++) {
      const double *one = x + i * size;
      const double *two = y + j * size;
      double sum = 0;
      if (node->kind == DORM__KERNEL_LAPLACIAN)
        for (size_t k = 0; k < size; k++)
          sum -= gamma * fabs(one[k] - two[k]);
      else
        for (size_t k = 0; k < size; k++)
          sum += one[k] < two[k] ? one[k] : two[k];
      row[j] = sum;
    }
    if (node->kind == DORM__KERNEL_LAPLACIAN)
      dorm__exponentials(num_y, row);
  }
}

static void inner_product_tile(const dorm__kernel_node *node, size_t num_x, const double *x, size_t num_y,
                               const double *y, double *gram)
{
  size_t size = node->num_columns;
  bool is_linear = node->kind == DORM__KERNEL_LINEAR;
  double scale = is_linear ? 1 : parameter(node, 2);
  dorm__multiply_transposed(num_x, num_y, size, scale, x, size, y, size, 0, gram, num_y);
  if (is_linear)
    return;
  double offset = parameter(node, 1);
  size_t degree = (size_t)parameter(node, 0);
  for (size_t i = 0; i < num_x * num_y; i++)
    gram[i] = degree == 2 ? (gram[i] + offset) * (gram[i] + offset) : power(gram[i] + offset, degree);
}

static bool leaf_tile(const dorm__kernel_node *node, size_t width, size_t num_x, const float *x, size_t num_y,
                      const float *y, double *gram)
{
  size_t size = node->num_columns;
  DORM__FREED double *packed = dorm__alloc((num_x + num_y) * size + num_y, sizeof *packed);
  if (!packed)
    return false;
  double *packed_y = packed + num_x * size;
  bool good = true;
  bool is_rbf = node->kind == DORM__KERNEL_RBF;
  gather(node, width, num_x, x, is_rbf ? y : NULL, packed);
  gather(node, width, num_y, y, is_rbf ? y : NULL, packed_y);
  if (is_rbf)
    rbf_tile(gamma_of(node), size, num_x, packed, num_y, packed_y, gram);
  else if (node->kind == DORM__KERNEL_LINEAR || node->kind == DORM__KERNEL_POLYNOMIAL)
    inner_product_tile(node, num_x, packed, num_y, packed_y, gram);
  else if (node->kind == DORM__KERNEL_USER)
    good = dorm__user_kernel_tile(node->user, size, num_x, packed, num_y, packed_y, gram);
  else
    pair_tile(node, num_x, packed, num_y, packed_y, gram);
  return good;
}

static void gram_tile(const dorm__kernel_node *node, size_t width, size_t num_x, const float *x, size_t num_y,
                      const float *y, double *gram)
{
  size_t column = node->columns[0];
  for (size_t i = 0; i < num_x; i++) {
    const double *row = node->gram + ((size_t)x[i * width + column] - 1) * node->gram_size;
    for (size_t j = 0; j < num_y; j++)
      gram[i * num_y + j] = row[(size_t)y[j * width + column] - 1];
  }
}

static bool node_tile(const dorm__kernel *kernel, size_t number, size_t width, size_t num_x, const float *x,
                      size_t num_y, const float *y, double *gram)
{
  const dorm__kernel_node *node = &kernel->nodes[number];
  if (node->kind == DORM__KERNEL_CONSTANT) {
    for (size_t i = 0; i < num_x * num_y; i++)
      gram[i] = parameter(node, 0);
    return true;
  }
  if (node->kind == DORM__KERNEL_GRAM) {
    gram_tile(node, width, num_x, x, num_y, y, gram);
    return true;
  }
  if (node->kind != DORM__KERNEL_SUM && node->kind != DORM__KERNEL_PRODUCT)
    return leaf_tile(node, width, num_x, x, num_y, y, gram);
  DORM__FREED double *right = dorm__alloc(num_x, num_y * sizeof *right);
  bool good = right && node_tile(kernel, node->left, width, num_x, x, num_y, y, gram) &&
              node_tile(kernel, node->right, width, num_x, x, num_y, y, right);
  if (good && node->kind == DORM__KERNEL_SUM)
    for (size_t i = 0; i < num_x * num_y; i++)
      gram[i] += right[i];
  else if (good)
    for (size_t i = 0; i < num_x * num_y; i++)
      gram[i] *= right[i];
  return good;
}

bool dorm__kernel_tile(const dorm__kernel *kernel, size_t width, size_t num_x, const float *x, size_t num_y,
                       const float *y, double *gram)
{
  if (!num_x || !num_y)
    return true;
  return node_tile(kernel, kernel->root, width, num_x, x, num_y, y, gram);
}

/* Computes k(x, x) of a built-in kernel directly. */
static double leaf_diagonal(const dorm__kernel_node *node, const float *x)
{
  if (node->kind == DORM__KERNEL_CONSTANT)
    return parameter(node, 0);
  if (node->kind == DORM__KERNEL_RBF || node->kind == DORM__KERNEL_LAPLACIAN)
    return 1;
  if (node->kind == DORM__KERNEL_GRAM) {
    size_t row = (size_t)x[node->columns[0]] - 1;
    return node->gram[row * node->gram_size + row];
  }
  double sum = 0;
  for (size_t k = 0; k < node->num_columns; k++) {
    double value = (double)x[node->columns[k]];
    sum += node->kind == DORM__KERNEL_HISTOGRAM ? value : value * value;
  }
  return node->kind == DORM__KERNEL_POLYNOMIAL
             ? power(parameter(node, 2) * sum + parameter(node, 1), (size_t)parameter(node, 0))
             : sum;
}

static bool user_diagonal(const dorm__kernel_node *node, size_t width, size_t num_x, const float *x, double *diagonal)
{
  DORM__FREED double *packed = dorm__alloc(num_x * node->num_columns, sizeof *packed);
  if (!packed)
    return false;
  gather(node, width, num_x, x, NULL, packed);
  bool good = dorm__user_kernel_diagonal(node->user, node->num_columns, num_x, packed, diagonal);
  return good;
}

/* Fills the diagonal of a node, num_x <= CHUNK. */
static bool node_diagonal(const dorm__kernel *kernel, size_t number, size_t width, size_t num_x, const float *x,
                          double *diagonal)
{
  const dorm__kernel_node *node = &kernel->nodes[number];
  if (node->kind == DORM__KERNEL_USER)
    return user_diagonal(node, width, num_x, x, diagonal);
  if (node->kind != DORM__KERNEL_SUM && node->kind != DORM__KERNEL_PRODUCT) {
    for (size_t i = 0; i < num_x; i++)
      diagonal[i] = leaf_diagonal(node, x + i * width);
    return true;
  }
  double right[CHUNK];
  if (!node_diagonal(kernel, node->left, width, num_x, x, diagonal) ||
      !node_diagonal(kernel, node->right, width, num_x, x, right))
    return false;
  for (size_t i = 0; i < num_x; i++)
    diagonal[i] = node->kind == DORM__KERNEL_SUM ? diagonal[i] + right[i] : diagonal[i] * right[i];
  return true;
}

bool dorm__kernel_diagonal(const dorm__kernel *kernel, size_t width, size_t num_x, const float *x, double *diagonal)
{
  for (size_t first = 0; first < num_x; first += CHUNK) {
    size_t count = num_x - first < CHUNK ? num_x - first : CHUNK;
    if (!node_diagonal(kernel, kernel->root, width, count, x + first * width, diagonal + first))
      return false;
  }
  return true;
}

dorm_status dorm__kernel_fault(dorm_context *context, const dorm__kernel *kernel, const char *what)
{
  for (size_t i = 0; i < kernel->num_nodes; i++) {
    const dorm__kernel_node *node = &kernel->nodes[i];
    dorm_status status = DORM_BAD_MODULE;
    const char *failure = node->user ? dorm__user_kernel_failure(node->user, &status) : NULL;
    if (!failure)
      continue;
    dorm__fail(context, status, "kernel '%s': %s", node->name, failure);
    dorm__user_kernel_forget_failure(node->user);
    return status;
  }
  return dorm__out_of_memory(context, what);
}
