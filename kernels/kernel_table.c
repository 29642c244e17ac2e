/*
 * kernel_table.c: the built-in kernels, their parameters and formulas. In rbf and laplacian, `scale` multiplies gamma,
 * so that a list of scales can be tried around a gamma computed from the data.
 */
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"

#include <math.h>

#define ROW_GAMMA                                                                                                      \
  {                                                                                                                    \
    "gamma", 0, 1e12, true, false, NAN                                                                                 \
  }
#define ROW_SCALE                                                                                                      \
  {                                                                                                                    \
    "scale", 0, 1e12, true, false, 1                                                                                   \
  }

static const dorm__kernel_form kernel_table[] = {
    {"linear", DORM__KERNEL_LINEAR, {"linear", "<x, y>"}, 0, {{0}}},
    {"polynomial",
     DORM__KERNEL_POLYNOMIAL,
     {"polynomial:degree=2,offset=1,scale=1", "(scale <x, y> + offset)^degree"},
     3,
     {{"degree", 1, 20, false, true, 2}, {"offset", 0, 1e12, false, false, 1}, ROW_SCALE}},
    {"rbf", DORM__KERNEL_RBF, {"rbf:gamma=auto,scale=1", "exp(-gamma scale |x - y|^2)"}, 2, {ROW_GAMMA, ROW_SCALE}},
    {"laplacian",
     DORM__KERNEL_LAPLACIAN,
     {"laplacian:gamma=auto,scale=1", "exp(-gamma scale |x - y|_1)"},
     2,
     {ROW_GAMMA, ROW_SCALE}},
    {"histogram", DORM__KERNEL_HISTOGRAM, {"histogram", "sum of min(x, y), for features of 0 or more"}, 0, {{0}}},
    {"gram",
     DORM__KERNEL_GRAM,
     {"gram:FILE(ID)", "entry of the matrix in FILE; feature ID is the row number"},
     0,
     {{0}}},
};
enum { NUM_KERNELS = sizeof kernel_table / sizeof *kernel_table };

const dorm__kernel_form *dorm__kernel_form_at(size_t index)
{
  return index < NUM_KERNELS ? &kernel_table[index] : NULL;
}

const dorm__kernel_form *dorm__kernel_form_of(dorm__kernel_kind kind)
{
  for (size_t i = 0; i < NUM_KERNELS; i++)
    if (kernel_table[i].kind == kind)
      return &kernel_table[i];
  return NULL; /* users' kernels, constants, sums, products */
}
