/* losses.c: `dorm losses` and `dorm kernels`, which list what is built in and check modules. */
#include "cli/cli.h"

#include <unistd.h>

static void print_loss(const dorm_loss_module *loss)
{
  const char *form = loss->find_worst ? "structured" : loss->fill_costs ? "general" : "product";
  cli_print(stdout, "%s (%s form)\n    %s\n", loss->name, form, loss->help);
  cli_print_parameters(loss->num_parameters, loss->parameters);
}

static void print_measures(void)
{
  const dorm_measure_info *info;
  for (size_t i = 0; (info = dorm_measure_info_at(i)) != NULL; i++) {
    cli_print(stdout, "%s\n    %s%s\n", info->name, info->help, info->lower_is_better ? "; lower is better" : "");
    cli_print_parameters(info->num_parameters, info->parameters);
  }
  printf("minus_loss(LOSS)\n    the negative of a loss that dorm losses lists, or of \"NAME from ./module.so\"; for a "
         "loss\n"
         "    of general form, the negative of the cost of the ranking, without subtracting the least cost\n");
}

static dorm_status check_loss(dorm_context *context, const char *path, const char *spec)
{
  dorm_loss *loss = NULL;
  dorm_status status = dorm_loss_open(context, spec, &loss);
  if (status != DORM_OK)
    return status;
  cli_print(stdout, "%s: passes its check\n", path);
  print_loss(dorm_loss_describe(loss));
  dorm_loss_close(loss);
  return DORM_OK;
}

int command_losses(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "losses",
      .synopsis = "dorm losses [--measures]\ndorm losses --check FILE [--check FILE]...",
      .about =
          "Lists the built-in losses and their parameters. Parameters are given as in ndcg:truncation=10,gain=linear "
          "(or ndcg@10:gain=linear)."};
  bool lists_measures = false;
  cli_texts paths = {0};
  const cli_option options[] = {CLI_OPTION("measures", 0, CLI_FLAG, &lists_measures, NULL,
                                           "lists the measures for dorm eval and selection.measure instead"),
                                CLI_OPTION("check", 0, CLI_TEXTS, &paths, "FILE",
                                           "loads a loss module, checks on small queries that it keeps the rules for "
                                           "losses, and lists its parameters; exit code 6 if it does not"),
                                CLI_NO_MORE};
  cli_take_options(&usage, options, argc, argv);
  if (optind != argc)
    return cli_usage_error("losses: '%s' is one argument too many; to check a module, say --check %s", argv[optind],
                           argv[optind]);
  const dorm_loss_module *loss;
  for (size_t i = 0; !paths.count && !lists_measures && (loss = dorm_loss_info_at(i)) != NULL; i++)
    print_loss(loss);
  int status = cli_check_modules(context, &paths, check_loss);
  if (lists_measures)
    print_measures();
  return status;
}

/* ---- Kernels ----------------------------------------------------------------------- */

static dorm_status check_kernel(dorm_context *context, const char *path, const char *spec)
{
  dorm_kernel *kernel = NULL;
  dorm_status status = dorm_kernel_open(context, spec, &kernel);
  if (status != DORM_OK)
    return status;
  const dorm_kernel_module *module = dorm_kernel_describe(kernel);
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
  cli_take_options(&usage, options, argc, argv);
  if (optind != argc)
    return cli_usage_error("kernels: '%s' is one argument too many; to check a module, say --check %s", argv[optind],
                           argv[optind]);
  const dorm_kernel_info *row;
  for (size_t i = 0; !paths.count && (row = dorm_kernel_info_at(i)) != NULL; i++)
    cli_print(stdout, "%s\n    %s\n", row->usage, row->formula);
  return cli_check_modules(context, &paths, check_kernel);
}
