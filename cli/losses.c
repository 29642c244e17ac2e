/* losses.c: `dorm losses`. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static int print_help(void)
{
  printf("usage: dorm losses [--measures]\n"
         "       dorm losses --check FILE [--check FILE]...\n\n"
         "Lists the built-in losses and their parameters. A loss is named as in\n"
         "ndcg:truncation=10,gain=linear (also ndcg@10:gain=linear).\n\n"
         "  --measures    the measures of dorm eval and selection.measure instead\n"
         "  --check FILE  loads a loss module, tries by brute force on small queries what it\n"
         "                promises, and lists its parameters; exit code 6 when it is refused\n");
  return DORM_OK;
}

static void print_parameters(size_t count, const dorm_loss_parameter *rows)
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

static void print_loss(const dorm_loss_module *loss)
{
  const char *form = loss->find_worst ? "structured" : loss->fill_costs ? "general" : "product";
  printf("%s (%s form)\n    %s\n", loss->name, form, loss->help);
  print_parameters(loss->num_parameters, loss->parameters);
}

static void print_measures(void)
{
  const dorm_measure_info *info;
  for (size_t i = 0; (info = dorm_measure_at(i)) != NULL; i++) {
    printf("%s\n    %s%s\n", info->name, info->help, info->lower_is_better ? "; less is better" : "");
    print_parameters(info->num_parameters, info->parameters);
  }
  printf("minus_loss(LOSS)\n    minus the loss, named as in dorm losses, or \"NAME from ./module.so\"; of a loss of\n"
         "    general costs minus the bare cost, the least cost not taken off\n");
}

static dorm_status check_module(dorm_context *context, const char *path)
{
  static const char from[] = "from ";
  dorm_loss *loss = NULL;
  size_t size = strlen(path) + sizeof from;
  char *spec = malloc(size);
  if (!spec)
    return (dorm_status)cli_out_of_memory();
  snprintf(spec, size, "%s%s", from, path);
  dorm_status status = dorm_loss_open(context, spec, &loss);
  free(spec);
  if (status != DORM_OK)
    return (dorm_status)cli_failure(context, status);
  printf("%s: passes its check\n", path);
  print_loss(dorm_loss_module_of(loss));
  dorm_loss_close(loss);
  return DORM_OK;
}

int command_losses(dorm_context *context, int argc, char **argv)
{
  static const struct option options[] = {{"check", required_argument, NULL, 'c'},
                                          {"measures", no_argument, NULL, 'm'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  bool lists_measures = false;
  bool checks = false;
  dorm_status status = DORM_OK;
  int option;
  while ((option = getopt_long(argc, argv, "c:mh", options, NULL)) != -1) {
    if (option == 'h')
      return print_help();
    if (option != 'c' && option != 'm')
      return DORM_BAD_USAGE;
    lists_measures = lists_measures || option == 'm';
    checks = checks || option == 'c';
  }
  if (optind != argc)
    return cli_usage_error("losses: '%s' is one argument too many; to check a module, say --check %s", argv[optind],
                           argv[optind]);
  optind = 1;
  while (checks && (option = getopt_long(argc, argv, "c:mh", options, NULL)) != -1)
    if (option == 'c') {
      dorm_status one = check_module(context, optarg);
      status = status == DORM_OK ? one : status;
    }
  const dorm_loss_module *loss;
  for (size_t i = 0; !checks && !lists_measures && (loss = dorm_loss_at(i)) != NULL; i++)
    print_loss(loss);
  if (lists_measures)
    print_measures();
  return (int)status;
}
