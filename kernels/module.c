/*
 * module.c: users' kernels from shared objects (base/module.c). Many threads call them. The first call that fails
 * leaves its reason in the handle.
 */
#include "base/module.h"
#include "kernels/expression.h"
#include "kernels/kernel_files.h"
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

struct dorm__user_kernel {
  dorm__module *library; /* NULL for the module of the kernel from which this one was created */
  const dorm_kernel_module *module;
  bool is_created;
  void *state;             /* of the module, once created */
  dorm_loss_value *values; /* [num_parameters] with which it was created */
  char **texts;            /* their texts, owned */
  bool has_failed;
  dorm_status status;
  char failure[DORM__MESSAGE_SIZE / 2];
};

static dorm_status check_struct(dorm_context *context, const char *path, const dorm_kernel_module *module)
{
  if (!module)
    return dorm__fail(context, DORM_BAD_MODULE, "%s: dorm_kernel_module_entry returned no kernel", path);
  dorm_status status =
      DORM__ALL(dorm__module_check_interface(context, path, module->abi, module->struct_size, sizeof *module),
                dorm__module_check_head(context, path, "kernel", module->name, module->help, module->num_parameters,
                                        module->parameters));
  if (status != DORM_OK)
    return status;
  if (module->num_parameters > DORM__KERNEL_MOST_PARAMETERS)
    return dorm__fail(context, DORM_BAD_MODULE, "%s: the kernel has %zu parameters, more than %d", path,
                      module->num_parameters, DORM__KERNEL_MOST_PARAMETERS);
  if (dorm__expression_word(module->name) != strlen(module->name))
    return dorm__fail(context, DORM_BAD_MODULE, "%s: the name '%s' of the kernel does not begin with a letter", path,
                      module->name);
  const dorm__kernel_form *row;
  for (size_t i = 0; (row = dorm__kernel_form_at(i)) != NULL; i++)
    if (strcmp(row->name, module->name) == 0)
      return dorm__fail(context, DORM_BAD_MODULE, "%s: '%s' is the name of a built-in kernel", path, module->name);
  if (!module->fill_block)
    return dorm__fail(context, DORM_BAD_MODULE, "%s: fill_block is missing", path);
  return DORM_OK;
}

dorm_status dorm__user_kernel_open(dorm_context *context, const char *path, dorm__user_kernel **kernel)
{
  dorm__module_function entry = NULL;
  *kernel = NULL;
  dorm__user_kernel *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a kernel");
  dorm_status status = dorm__module_open(context, path, "kernel", "dorm_kernel_module_entry", &made->library, &entry);
  if (status == DORM_OK) {
    made->module = ((const dorm_kernel_module *(*)(void))entry)();
    status = check_struct(context, path, made->module);
  }
  return DORM__GIVE(status, kernel, made, dorm__user_kernel_close);
}

void dorm__user_kernel_close(dorm__user_kernel *kernel)
{
  if (!kernel)
    return;
  if (kernel->is_created && kernel->module->destroy)
    kernel->module->destroy(kernel->state);
  for (size_t i = 0; kernel->texts && i < kernel->module->num_parameters; i++)
    dorm__free(kernel->texts[i]);
  dorm__free(kernel->texts);
  dorm__free(kernel->values);
  dorm__module_close(kernel->library);
  dorm__free(kernel);
}

const dorm_kernel_module *dorm__user_kernel_module(const dorm__user_kernel *kernel)
{
  return kernel->module;
}

/* Copies the values, because the module may keep their texts as long as its state lives. */
static bool copy_values(dorm__user_kernel *kernel, const dorm_loss_value *values)
{
  size_t count = kernel->module->num_parameters;
  kernel->values = dorm__alloc(count, sizeof *kernel->values);
  kernel->texts = dorm__alloc_zero(count, sizeof *kernel->texts);
  bool is_good = kernel->values && kernel->texts;
  for (size_t i = 0; is_good && i < count; i++) {
    kernel->texts[i] = dorm__copy_text(values[i].text);
    kernel->values[i] = (dorm_loss_value){.number = values[i].number, .text = kernel->texts[i]};
    is_good = kernel->texts[i] != NULL;
  }
  return is_good;
}

dorm_status dorm__user_kernel_create(dorm_context *context, const dorm__user_kernel *opened,
                                     const dorm_loss_value *values, dorm__user_kernel **created)
{
  dorm__host_call call;
  dorm_status status = DORM_OK;
  *created = NULL;
  dorm__user_kernel *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a kernel");
  made->module = opened->module;
  dorm__host_call_start(&call);
  if (!copy_values(made, values))
    status = dorm__out_of_memory(context, "a kernel");
  else if (made->module->create && made->module->create(&call.host, made->values, &made->state) != 0)
    status = dorm__fail(context, dorm__host_call_status(&call, DORM_BAD_MODULE), "kernel '%s': %s", made->module->name,
                        call.message);
  else
    made->is_created = true;
  return DORM__GIVE(status, created, made, dorm__user_kernel_close);
}

/* ---- Calls --------------------------------------------------------------------- */

/* Keeps the first reason, and returns false. */
static bool fail(dorm__user_kernel *kernel, dorm_status status, const char *why)
{
#pragma omp critical(dorm_user_kernel_failure)
  if (!kernel->has_failed) {
    snprintf(kernel->failure, sizeof kernel->failure, "%s", why);
    kernel->status = status;
    kernel->has_failed = true;
  }
  return false;
}

const char *dorm__user_kernel_failure(const dorm__user_kernel *kernel, dorm_status *status)
{
  *status = kernel->status;
  return kernel->has_failed ? kernel->failure : NULL;
}

void dorm__user_kernel_forget_failure(dorm__user_kernel *kernel)
{
  kernel->has_failed = false;
}

static bool are_finite(dorm__user_kernel *kernel, size_t count, const double *numbers)
{
  for (size_t i = 0; i < count; i++)
    if (!isfinite(numbers[i]))
      return fail(kernel, DORM_BAD_MODULE, "a number is missing, infinite or not a number");
  return true;
}

static dorm_kernel_rows rows_of(size_t width, size_t count, const double *values)
{
  return (dorm_kernel_rows){.struct_size = sizeof(dorm_kernel_rows), .count = count, .width = width, .values = values};
}

bool dorm__user_kernel_tile(dorm__user_kernel *kernel, size_t width, size_t num_x, const double *x, size_t num_y,
                            const double *y, double *tile)
{
  dorm__host_call call;
  dorm_kernel_rows rows_x = rows_of(width, num_x, x);
  dorm_kernel_rows rows_y = rows_of(width, num_y, y);
  dorm__host_call_start(&call);
  if (kernel->module->fill_block(&call.host, kernel->state, &rows_x, &rows_y, tile) != 0)
    return fail(kernel, dorm__host_call_status(&call, DORM_BAD_MODULE), call.message);
  return are_finite(kernel, num_x * num_y, tile);
}

bool dorm__user_kernel_diagonal(dorm__user_kernel *kernel, size_t width, size_t num_x, const double *x,
                                double *diagonal)
{
  if (!kernel->module->fill_diagonal) {
    for (size_t i = 0; i < num_x; i++)
      if (!dorm__user_kernel_tile(kernel, width, 1, x + i * width, 1, x + i * width, &diagonal[i]))
        return false;
    return true;
  }
  dorm__host_call call;
  dorm_kernel_rows rows = rows_of(width, num_x, x);
  dorm__host_call_start(&call);
  if (kernel->module->fill_diagonal(&call.host, kernel->state, &rows, diagonal) != 0)
    return fail(kernel, dorm__host_call_status(&call, DORM_BAD_MODULE), call.message);
  return are_finite(kernel, num_x, diagonal);
}
