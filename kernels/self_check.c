/*
 * self_check.c: checks the promises of a module's kernel on a dozen rows of one, two and five features before training.
 * Tiles must be filled completely, with nothing written beside them. They must be finite, symmetric, and the same when
 * filled again and in parts. The diagonal must equal the tile's. The matrix must be positive semi-definite (with 1e-8
 * of the largest entry added to the diagonal it has a Cholesky factor). This is not a proof, but a module that breaks a
 * promise is usually caught.
 */
#include "base/random.h"
#include "kernels/expression.h"
#include "kernels/kernel_files.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

enum { ROWS = 12, MOST_WIDTH = 5, GUARD = 8, PART = 5 };

static const double guard_value = -7.0e77;
static const double tolerance = 1e-12;             /* of the largest entry */
static const double definiteness_tolerance = 1e-8; /* of the largest entry */
static const size_t widths[] = {1, 2, MOST_WIDTH};

static dorm_status refuse(dorm_context *context, const dorm__user_kernel *kernel, size_t width, const char *what)
{
  return dorm__fail(context, DORM_BAD_MODULE, "kernel '%s' fails its check on rows of %zu features: %s",
                    dorm__user_kernel_module(kernel)->name, width, what);
}

/* Packed rows x [num_x][width] and y [num_y][width]. */
typedef struct tile_rows {
  size_t width, num_x;
  const double *x;
  size_t num_y;
  const double *y;
} tile_rows;

/* Fills numbers[count] by a call of the kernel, with guard values on both sides. */
static dorm_status fill(dorm_context *context, dorm__user_kernel *kernel, bool is_diagonal, const tile_rows *rows,
                        double *numbers)
{
  double table[ROWS * ROWS + 2 * GUARD];
  size_t count = is_diagonal ? rows->num_x : rows->num_x * rows->num_y;
  for (size_t i = 0; i < count + 2 * GUARD; i++)
    table[i] = i < GUARD || i >= count + GUARD ? guard_value : NAN; /* entries that stay NaN were not filled */
  bool good = is_diagonal ? dorm__user_kernel_diagonal(kernel, rows->width, rows->num_x, rows->x, table + GUARD)
                          : dorm__user_kernel_tile(kernel, rows->width, rows->num_x, rows->x, rows->num_y, rows->y,
                                                   table + GUARD);
  if (!good) {
    dorm_status status;
    const char *failure = dorm__user_kernel_failure(kernel, &status);
    return status == DORM_BAD_MODULE
               ? refuse(context, kernel, rows->width, failure)
               : dorm__fail(context, status, "kernel '%s': %s", dorm__user_kernel_module(kernel)->name, failure);
  }
  for (size_t i = 0; i < GUARD; i++)
    if (table[i] != guard_value || table[count + GUARD + i] != guard_value)
      return refuse(context, kernel, rows->width, "it writes outside its table");
  memcpy(numbers, table + GUARD, count * sizeof *numbers);
  return DORM_OK;
}

static dorm_status check_again(dorm_context *context, dorm__user_kernel *kernel, size_t width, const double *rows,
                               const double *gram, double most)
{
  double again[ROWS * ROWS];
  double diagonal[ROWS];
  dorm_status status = fill(context, kernel, false, &(const tile_rows){width, ROWS, rows, ROWS, rows}, again);
  if (status != DORM_OK)
    return status;
  if (memcmp(again, gram, sizeof again) != 0)
    return refuse(context, kernel, width, "filled again, a block is not the same");
  status = fill(context, kernel, false, &(const tile_rows){width, PART, rows + width, ROWS, rows}, again);
  if (status != DORM_OK)
    return status;
  for (size_t i = 0; i < PART * ROWS; i++)
    if (fabs(again[i] - gram[ROWS + i]) > most)
      return refuse(context, kernel, width, "a part of a block is not what it is in the whole");
  status = fill(context, kernel, true, &(const tile_rows){width, ROWS, rows, 0, NULL}, diagonal);
  for (size_t i = 0; status == DORM_OK && i < ROWS; i++)
    if (fabs(diagonal[i] - gram[i * ROWS + i]) > most)
      status = refuse(context, kernel, width, "the diagonal differs from the block");
  return status;
}

static dorm_status check_rows(dorm_context *context, dorm__user_kernel *kernel, size_t width, const double *rows)
{
  double gram[ROWS * ROWS];
  double largest = 0;
  dorm_status status = fill(context, kernel, false, &(const tile_rows){width, ROWS, rows, ROWS, rows}, gram);
  if (status != DORM_OK)
    return status;
  for (size_t i = 0; i < ROWS * ROWS; i++)
    largest = fmax(largest, fabs(gram[i]));
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < i; j++)
      if (fabs(gram[i * ROWS + j] - gram[j * ROWS + i]) > tolerance * largest)
        return refuse(context, kernel, width, "k(x, y) is not k(y, x)");
  status = check_again(context, kernel, width, rows, gram, tolerance * largest);
  if (status != DORM_OK)
    return status;
  for (size_t i = 0; i < ROWS; i++)
    gram[i * ROWS + i] += definiteness_tolerance * largest;
  if (largest > 0 && !dorm__is_positive_definite(ROWS, gram, NULL))
    return refuse(context, kernel, width, "it is not positive semi-definite");
  return DORM_OK;
}

dorm_status dorm__user_kernel_self_check(dorm_context *context, dorm__user_kernel *kernel)
{
  double rows[ROWS * MOST_WIDTH];
  dorm__random random;
  dorm_status status = DORM_OK;
  dorm__random_seed(&random, 1);
  for (size_t w = 0; status == DORM_OK && w < sizeof widths / sizeof *widths; w++) {
    size_t width = widths[w];
    for (size_t i = 0; i < ROWS * width; i++)
      rows[i] = dorm__random_uniform(&random);
    memset(rows, 0, width * sizeof *rows);                                 /* the first row is 0, and */
    memcpy(rows + (ROWS - 1) * width, rows + width, width * sizeof *rows); /* the last one repeats the second */
    status = check_rows(context, kernel, width, rows);
  }
  return status;
}
