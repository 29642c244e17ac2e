/* kernel.c: the paths that a kernel names, and freeing it. */
#include "kernels/kernel_files.h"
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"
#include <math.h>

dorm_status dorm__kernel_each_path(const dorm__kernel *kernel, dorm__kernel_take_path take, void *user)
{
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < kernel->num_nodes; i++)
    if (kernel->nodes[i].path)
      status = take(user, kernel->nodes[i].path);
  return status;
}

static void parameter_clear(dorm__kernel_parameter *parameter)
{
  for (size_t i = 0; i < parameter->count && parameter->texts; i++)
    dorm__free(parameter->texts[i]);
  dorm__free(parameter->texts);
  dorm__free(parameter->key);
  dorm__free(parameter->values);
}

void dorm__kernel_free(dorm__kernel *kernel)
{
  if (!kernel)
    return;
  for (size_t i = 0; i < kernel->num_nodes; i++) {
    dorm__kernel_node *node = &kernel->nodes[i];
    for (size_t p = 0; p < DORM__KERNEL_MOST_PARAMETERS; p++)
      parameter_clear(&node->parameters[p]);
    dorm__free(node->ranges);
    dorm__free(node->path);
    dorm__free(node->name);
    dorm__free(node->columns);
  }
  dorm__kernel_files_release(kernel->files);
  dorm__free(kernel);
}

/* ---- Kernel table ------------------------------------------------------------------------------- */

/* The built-in kernels, their parameters and formulas. In rbf and laplacian, `scale` multiplies gamma,
 * so that a list of scales can be tried around a gamma that is found from the data.
 */

#define ROW_GAMMA                                                                                                      \
  {                                                                                                                    \
    "gamma", 0, 1e12, true, false, NAN                                                                                 \
  }
#define ROW_SCALE                                                                                                      \
  {                                                                                                                    \
    "scale", 0, 1e12, true, false, 1                                                                                   \
  }

static const dorm__kernel_form kernel_table[] = {
    {"linear", DORM__KERNEL_LINEAR, "linear", "<x, y>", 0, {{0}}},
    {"polynomial",
     DORM__KERNEL_POLYNOMIAL,
     "polynomial:degree=2,offset=1,scale=1",
     "(scale <x, y> + offset)^degree",
     3,
     {{"degree", 1, 20, false, true, 2}, {"offset", 0, 1e12, false, false, 1}, ROW_SCALE}},
    {"rbf", DORM__KERNEL_RBF, "rbf:gamma=auto,scale=1", "exp(-gamma scale |x - y|^2)", 2, {ROW_GAMMA, ROW_SCALE}},
    {"laplacian",
     DORM__KERNEL_LAPLACIAN,
     "laplacian:gamma=auto,scale=1",
     "exp(-gamma scale |x - y|_1)",
     2,
     {ROW_GAMMA, ROW_SCALE}},
    {"histogram", DORM__KERNEL_HISTOGRAM, "histogram", "sum of min(x, y), for features of 0 or more", 0, {{0}}},
    {"gram", DORM__KERNEL_GRAM, "gram:FILE(ID)", "entry of the matrix in FILE; feature ID is the row number", 0, {{0}}},
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
