/* kernel_files.c: opens Gram matrices by path, and kernels of modules by path and parameters, each once. */
#include "kernels/kernel_files.h"
#include "kernels/expression.h"
#include "kernels/kernels.h"

#include <string.h>

typedef struct gram {
  char *path;
  size_t size;
  double *matrix; /* [size][size] */
} gram;

/* The kernel of a module: either loaded, and found by its path, or created from a loaded one with parameters, and found
 * by its spec. */
typedef struct loaded_kernel {
  char *path;                      /* NULL if it was created */
  const dorm__user_kernel *opened; /* from which it was created */
  char *spec;
  dorm__user_kernel *kernel;
} loaded_kernel;

struct dorm__kernel_files {
  size_t references; /* read and written atomically */
  size_t num_grams, grams_capacity;
  gram *grams;
  size_t num_users, users_capacity;
  loaded_kernel *users;
};

dorm__kernel_files *dorm__kernel_files_new(void)
{
  dorm__kernel_files *files = dorm__alloc_zero(1, sizeof *files);
  return files ? dorm__kernel_files_hold(files) : NULL;
}

dorm__kernel_files *dorm__kernel_files_hold(dorm__kernel_files *files)
{
#pragma omp atomic update
  files->references++;
  return files;
}

static void gram_clear(gram *item)
{
  dorm__free(item->path);
  dorm__free(item->matrix);
}

static void user_clear(loaded_kernel *item)
{
  dorm__user_kernel_close(item->kernel);
  dorm__free(item->path);
  dorm__free(item->spec);
}

void dorm__kernel_files_release(dorm__kernel_files *files)
{
  size_t left = 0;
  if (!files)
    return;
#pragma omp atomic capture
  left = --files->references;
  if (left)
    return;
  for (size_t i = 0; i < files->num_grams; i++)
    gram_clear(&files->grams[i]);
  for (size_t i = files->num_users; i-- > 0;) /* close a library after all kernels created from it */
    user_clear(&files->users[i]);
  dorm__free(files->grams);
  dorm__free(files->users);
  dorm__free(files);
}

dorm_status dorm__kernel_files_gram(dorm_context *context, dorm__kernel_files *files, const char *path, size_t *size,
                                    const double **matrix)
{
  size_t i = 0;
  while (i < files->num_grams && strcmp(files->grams[i].path, path) != 0)
    i++;
  if (i == files->num_grams) {
    gram made = {.path = dorm__copy_text(path)};
    if (!made.path || !DORM__GROW(files->grams, files->grams_capacity, files->num_grams + 1)) {
      gram_clear(&made);
      return dorm__out_of_memory(context, "a kernel");
    }
    dorm_status status = dorm__gram_read(context, path, &made.size, &made.matrix);
    if (status != DORM_OK) {
      gram_clear(&made);
      return status;
    }
    files->grams[files->num_grams++] = made;
  }
  *size = files->grams[i].size;
  *matrix = files->grams[i].matrix;
  return DORM_OK;
}

/* Makes room for one more kernel of a module. */
static bool make_room(dorm__kernel_files *files)
{
  return DORM__GROW(files->users, files->users_capacity, files->num_users + 1);
}

dorm_status dorm__kernel_files_open(dorm_context *context, dorm__kernel_files *files, const char *path,
                                    dorm__user_kernel **opened)
{
  *opened = NULL;
  for (size_t i = 0; i < files->num_users && !*opened; i++)
    if (files->users[i].path && strcmp(files->users[i].path, path) == 0)
      *opened = files->users[i].kernel;
  if (*opened)
    return DORM_OK;
  loaded_kernel made = {.path = dorm__copy_text(path)};
  dorm_status status = made.path && make_room(files) ? dorm__user_kernel_open(context, path, &made.kernel)
                                                     : dorm__out_of_memory(context, "a kernel");
  if (status != DORM_OK) {
    user_clear(&made);
    return status;
  }
  files->users[files->num_users++] = made;
  *opened = made.kernel;
  return DORM_OK;
}

dorm_status dorm__kernel_files_create(dorm_context *context, dorm__kernel_files *files, const dorm__user_kernel *opened,
                                      const dorm_loss_value *values, dorm__user_kernel **created)
{
  const dorm_kernel_module *module = dorm__user_kernel_module(opened);
  loaded_kernel made = {.opened = opened,
                        .spec = dorm__spec_text(module->name, module->num_parameters, module->parameters, values)};
  *created = NULL;
  if (!made.spec || !make_room(files)) {
    user_clear(&made);
    return dorm__out_of_memory(context, "a kernel");
  }
  for (size_t i = 0; i < files->num_users && !*created; i++)
    if (files->users[i].opened == opened && strcmp(files->users[i].spec, made.spec) == 0)
      *created = files->users[i].kernel;
  dorm_status status = DORM_OK;
  if (!*created) {
    status = DORM__ALL(dorm__user_kernel_create(context, opened, values, &made.kernel),
                       dorm__user_kernel_self_check(context, made.kernel));
    if (status == DORM_OK) {
      *created = made.kernel;
      files->users[files->num_users++] = made;
      return DORM_OK;
    }
  }
  user_clear(&made);
  return status;
}

/* ---- Kernels --------------------------------------------------------------------------------------- */

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
