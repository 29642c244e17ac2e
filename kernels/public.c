/* public.c: public functions on kernels: lists the built-in ones, and opens and checks a kernel of a module. */
#include "kernels/expression.h"
#include "kernels/kernel_files.h"
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"

#include <string.h>

struct dorm_kernel {
  dorm__kernel *expression; /* one term, of a module */
};

const dorm_kernel_info *dorm_kernel_info_at(size_t index)
{
  const dorm__kernel_form *row = dorm__kernel_form_at(index);
  return row ? &row->info : NULL;
}

/* Makes "NAME from "PATH"" from "from PATH". The caller frees *named by dorm__free. */
static dorm_status name_kernel(dorm_context *context, dorm__kernel_files *files, const char *spec, char **named)
{
  static const char from[] = "from ";
  dorm__user_kernel *opened = NULL;
  spec += strspn(spec, " \t");
  if (strncmp(spec, from, strlen(from)) != 0) {
    *named = dorm__copy_text(spec);
    return *named ? DORM_OK : dorm__out_of_memory(context, "a kernel");
  }
  const char *path = spec + strlen(from);
  dorm_status status = dorm__kernel_files_open(context, files, path, &opened);
  if (status != DORM_OK)
    return status;
  const char *name = dorm__user_kernel_module(opened)->name;
  size_t size = strlen(name) + strlen(spec) + sizeof " \"\"";
  *named = dorm__alloc(size, 1);
  if (!*named)
    return dorm__out_of_memory(context, "a kernel");
  snprintf(*named, size, "%s %s\"%s\"", name, from, path);
  return DORM_OK;
}

dorm_status dorm_kernel_open(dorm_context *context, const char *spec, dorm_kernel **kernel)
{
  if (DORM__LACKS(context, DORM__GIVEN(spec), DORM__RESULT(kernel)))
    return DORM_BAD_USAGE;
  char *named = NULL;
  *kernel = NULL;
  dorm_kernel *made = dorm__alloc_zero(1, sizeof *made);
  dorm__kernel_files *files = dorm__kernel_files_new();
  dorm_status status =
      made && files ? name_kernel(context, files, spec, &named) : dorm__out_of_memory(context, "a kernel");
  if (status == DORM_OK)
    status = dorm__kernel_parse_with(context, named, false, files, &made->expression);
  if (status == DORM_OK) {
    dorm__kernel_node *root = &made->expression->nodes[made->expression->root];
    if (root->kind != DORM__KERNEL_USER || dorm__kernel_num_choices(made->expression) != 1)
      status = dorm__fail(context, DORM_BAD_USAGE, "'%.300s' is not one kernel of a module", spec);
    else
      status = dorm__kernel_create_user(context, made->expression, root);
  }
  dorm__free(named);
  dorm__kernel_files_release(files);
  return DORM__GIVE(status, kernel, made, dorm_kernel_close);
}

void dorm_kernel_close(dorm_kernel *kernel)
{
  if (kernel)
    dorm__kernel_free(kernel->expression);
  dorm__free(kernel);
}

const dorm_kernel_module *dorm_kernel_describe(const dorm_kernel *kernel)
{
  return kernel ? dorm__user_kernel_module(kernel->expression->nodes[kernel->expression->root].user) : NULL;
}
