/* modules.c: what several commands do with modules: print their parameters, check their files, and give them to the
 * models that need them. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

void cli_print_parameters(size_t count, const dorm_loss_parameter *rows)
{
  for (size_t i = 0; i < count; i++) {
    const dorm_loss_parameter *row = &rows[i];
    printf("    %s=%s  ", row->name, row->default_text);
    if (!row->choices)
      printf("%s %g to %g: ", row->is_integer ? "whole number" : "number", row->min, row->max);
    else if (*row->choices)
      printf("one of %s: ", row->choices);
    else
      printf("text: ");
    printf("%s\n", row->help);
  }
}

int cli_check_modules(dorm_context *context, size_t count, const char *const *paths, cli_check_function check)
{
  static const char from[] = "from ";
  int result = DORM_OK;
  for (size_t i = 0; i < count; i++) {
    size_t size = strlen(paths[i]) + sizeof from;
    char *spec = malloc(size);
    if (!spec)
      return cli_out_of_memory();
    snprintf(spec, size, "%s%s", from, paths[i]);
    dorm_status status = check(context, paths[i], spec);
    free(spec);
    if (status != DORM_OK)
      cli_failure(context, status);
    result = result == DORM_OK ? (int)status : result;
  }
  return result;
}

dorm_status cli_read_model(dorm_context *context, const char *path, size_t num_modules, const char *const *modules,
                           dorm_model **model)
{
  dorm_status status = dorm_model_read(context, path, model);
  for (size_t i = 0; status == DORM_OK && i < num_modules; i++)
    status = dorm_model_use_module(context, *model, modules[i]);
  return status;
}
