/* kernel.c: hands out the paths that a kernel names, and frees it. */
#include "kernels/kernel_files.h"
#include "kernels/kernels.h"

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
