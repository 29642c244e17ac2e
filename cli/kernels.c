/* kernels.c: `dorm kernels`. */
#include "cli/cli.h"

#include <unistd.h>

static dorm_status check_module(dorm_context *context, const char *path, const char *spec)
{
  dorm_kernel *kernel = NULL;
  dorm_status status = dorm_kernel_open(context, spec, &kernel);
  if (status != DORM_OK)
    return status;
  const dorm_kernel_module *module = dorm_kernel_module_of(kernel);
  cli_print(stdout, "%s: passes its check\n%s\n    %s\n", path, module->name, module->help);
  cli_print_parameters(module->num_parameters, module->parameters);
  dorm_kernel_close(kernel);
  return DORM_OK;
}

int command_kernels(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "kernels",
      .synopsis = "dorm kernels\ndorm kernels --check FILE [--check FILE]...",
      .about =
          "Lists the built-in kernels with their parameters. The setting kernel.kernel joins them by + and *, as in "
          "linear + rbf:scale=0.3|1 or rbf(1-20) * linear(21-46)."};
  cli_texts paths = {0};
  const cli_option options[] = {CLI_OPTION("check", 0, CLI_TEXTS, &paths, "FILE",
                                           "loads a kernel module, checks on small rows that it keeps the rules for "
                                           "kernels, and lists its parameters; exit "
                                           "code 6 if it does not"),
                                CLI_NO_MORE};
  int ended = cli_take_options(&usage, options, argc, argv);
  if (ended != CLI_RUN)
    return ended;
  if (optind != argc)
    return cli_usage_error("kernels: '%s' is one argument too many; to check a module, say --check %s", argv[optind],
                           argv[optind]);
  const char *form, *formula;
  for (size_t i = 0; !paths.count && dorm_kernel_at(i, &form, &formula); i++)
    cli_print(stdout, "%s\n    %s\n", form, formula);
  return cli_check_modules(context, &paths, check_module);
}
