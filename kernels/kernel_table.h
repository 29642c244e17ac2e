/* kernel_table.h: the table of the built-in kernels. */
#ifndef DORM_KERNELS_KERNEL_TABLE_H
#define DORM_KERNELS_KERNEL_TABLE_H

#include "kernels/kernels.h"

/* A parameter of a built-in kernel: its name, its range and its default. */
typedef struct dorm__kernel_parameter_form {
  const char *name;
  double min; /* exclusive if `above_min` */
  double max;
  bool above_min;
  bool is_integer;
  double default_value; /* NaN: computed from the data ("auto") */
} dorm__kernel_parameter_form;

/* A built-in kernel and its parameters. */
typedef struct dorm__kernel_form {
  const char *name;
  dorm__kernel_kind kind;
  dorm_kernel_info info;
  size_t num_parameters;
  dorm__kernel_parameter_form parameters[DORM__KERNEL_MOST_PARAMETERS];
} dorm__kernel_form;

/* Returns row `index`, or NULL past the last. */
const dorm__kernel_form *dorm__kernel_form_at(size_t index);
/* Returns the row of a kind, or NULL for users' kernels, constants, sums and products. */
const dorm__kernel_form *dorm__kernel_form_of(dorm__kernel_kind kind);

/* ---- Tile --------------------------------------------------------------------------------------- */

/* Fills diagonal[num_x] with k(x_i, x_i) for rows x[num_x][width]. Returns false when out of memory or if a user's
 * kernel failed, as dorm__kernel_tile does. */
bool dorm__kernel_diagonal(const dorm__kernel *kernel, size_t width, size_t num_x, const float *x, double *diagonal);

#endif
