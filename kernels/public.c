/* public.c: kernels as a program meets them: the built-in ones listed, one of a module opened and checked. */
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"
#include "kernels/user_term.h"

#include <string.h>

struct dorm_kernel {
  dorm__kernel *expression; /* one term, of a module */
};

int dorm_kernel_at(size_t index, const char **usage, const char **formula)
{
  const dorm__kernel_form *row = dorm__kernel_form_at(index);
  if (!row)
    return 0;
  *usage = row->usage;
  *formula = row->formula;
  return 1;
}

/* "from PATH" becomes "NAME from PATH"; *named is freed by dorm__free. */
static dorm_status name_kernel(dorm_context *context, const char *spec, char **named)
{
  static const char from[] = "from ";
  dorm__user_kernel *user = NULL;
  const char *name = "";
  dorm_status status = DORM_OK;
  spec += strspn(spec, " \t");
  if (strncmp(spec, from, strlen(from)) == 0) {
    status = dorm__user_kernel_open(context, spec + strlen(from), &user);
    if (status != DORM_OK)
      return status;
    name = dorm__user_kernel_module(user)->name;
  }
  size_t size = strlen(name) + strlen(spec) + 2;
  *named = dorm__alloc(size, 1);
  if (*named)
    snprintf(*named, size, "%s%s%s", name, *name ? " " : "", spec);
  else
    status = dorm__out_of_memory(context, "a kernel");
  dorm__user_kernel_close(user);
  return status;
}

dorm_status dorm_kernel_open(dorm_context *context, const char *spec, dorm_kernel **kernel)
{
  char *named = NULL;
  *kernel = NULL;
  dorm_kernel *made = dorm__alloc_zero(1, sizeof *made);
  dorm_status status = made ? name_kernel(context, spec, &named) : dorm__out_of_memory(context, "a kernel");
  if (status == DORM_OK)
    status = dorm__kernel_parse(context, named, &made->expression);
  if (status == DORM_OK) {
    dorm__kernel_node *root = &made->expression->nodes[made->expression->root];
    if (root->kind != DORM__KERNEL_USER || dorm__kernel_num_choices(made->expression) != 1)
      status = dorm__fail(context, DORM_BAD_USAGE, "'%.300s' is not one kernel of a module", spec);
    else
      status = dorm__kernel_create_user(context, root);
  }
  dorm__free(named);
  if (status == DORM_OK)
    *kernel = made;
  else
    dorm_kernel_close(made);
  return status;
}

void dorm_kernel_close(dorm_kernel *kernel)
{
  if (kernel)
    dorm__kernel_free(kernel->expression);
  dorm__free(kernel);
}

const dorm_kernel_module *dorm_kernel_module_of(const dorm_kernel *kernel)
{
  return dorm__user_kernel_module(kernel->expression->nodes[kernel->expression->root].user);
}
