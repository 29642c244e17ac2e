/* kernels.c: `dorm kernels`. */
#include "cli/cli.h"

#include <getopt.h>

static int print_help(void)
{
  printf("usage: dorm kernels\n"
         "       dorm kernels --check FILE [--check FILE]...\n\n"
         "Lists the built-in kernels with their parameters. The setting kernel.kernel joins them by\n"
         "+ and *, as in linear + rbf:scale=0.3|1 or rbf(1-20) * linear(21-46).\n\n"
         "      --check FILE  loads a kernel module, checks on small rows that it keeps the rules for\n"
         "                kernels, and lists its parameters; exit code 6 if it does not\n");
  return DORM_OK;
}

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
  static const struct option options[] = {
      {"check", required_argument, NULL, 'c'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
  const char *paths[CLI_MOST_MODULES];
  size_t count = 0;
  int option;
  while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
    if (option != 'c')
      return option == 'h' ? print_help() : DORM_BAD_USAGE;
    if (count == CLI_MOST_MODULES)
      return cli_usage_error("kernels: more than %d modules", CLI_MOST_MODULES);
    paths[count++] = optarg;
  }
  if (optind != argc)
    return cli_usage_error("kernels: '%s' is one argument too many; to check a module, say --check %s", argv[optind],
                           argv[optind]);
  const char *usage, *formula;
  for (size_t i = 0; !count && dorm_kernel_at(i, &usage, &formula); i++)
    cli_print(stdout, "%s\n    %s\n", usage, formula);
  return cli_check_modules(context, count, paths, check_module);
}
