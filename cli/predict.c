/* predict.c: `dorm predict`. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>

static int print_help(void)
{
  printf("usage: dorm predict MODEL DATA [-o FILE] [--module FILE]... [--diverse [--groups GROUPS] [--set "
         "KEY=VALUE]...]\n\n"
         "Writes one score a line, in the order of the documents in DATA; higher ranks first.\n\n"
         "  -o, --output FILE    instead of standard output\n"
         "      --module FILE    a kernel module that the model needs\n"
         "      --diverse        scores by which few documents of a group stand in front: the best of each\n"
         "                       group keeps its score, repeats fall behind\n"
         "      --groups GROUPS  diversity.groups, instead of the model's: host, feature:ID, docid:PATTERN, file:PATH\n"
         "      --set KEY=VALUE  another setting diversity.*, as in diversity.capacity=2\n");
  return DORM_OK;
}

/* Scores of the model, and what --diverse makes of them. */
static dorm_status score(dorm_context *context, const dorm_model *model, const cli_diversity *diversity,
                         dorm_dataset *dataset, double *scores)
{
  dorm_settings *settings = NULL;
  dorm_status status = dorm_model_score(context, model, dataset, 0, scores);
  if (status != DORM_OK)
    return (dorm_status)cli_failure(context, status);
  if (!diversity->is_on)
    return DORM_OK;
  status = cli_diversity_settings(context, diversity, model, &settings);
  if (status == DORM_OK)
    status = cli_diversity_read(context, diversity, settings, dataset);
  if (status == DORM_OK) {
    status = dorm_diversify(context, settings, dataset, scores, scores);
    if (status != DORM_OK)
      cli_failure(context, status);
  }
  dorm_settings_free(settings);
  return status;
}

static dorm_status predict(dorm_context *context, const char *model_path, size_t num_modules,
                           const char *const *modules, const char *data_path, const cli_diversity *diversity,
                           const char *output)
{
  dorm_model *model = NULL;
  dorm_dataset *dataset = NULL;
  double *scores = NULL;
  dorm_status status = cli_read_model(context, model_path, num_modules, modules, &model);
  if (status == DORM_OK)
    status = dorm_dataset_read(context, data_path, &dataset);
  if (status != DORM_OK) {
    cli_failure(context, status);
    goto done;
  }
  scores = malloc(dorm_dataset_num_docs(dataset) * sizeof *scores);
  status = scores ? score(context, model, diversity, dataset, scores) : (dorm_status)cli_out_of_memory();
  if (status == DORM_OK) {
    status = dorm_scores_write(context, output, dorm_dataset_num_docs(dataset), scores);
    if (status != DORM_OK)
      cli_failure(context, status);
  }
done:
  free(scores);
  dorm_model_free(model);
  dorm_dataset_free(dataset);
  return status;
}

int command_predict(dorm_context *context, int argc, char **argv)
{
  static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                          {"module", required_argument, NULL, 'M'},
                                          {"diverse", no_argument, NULL, CLI_OPTION_DIVERSE},
                                          {"groups", required_argument, NULL, CLI_OPTION_GROUPS},
                                          {"set", required_argument, NULL, CLI_OPTION_SET},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  cli_diversity diversity = {0};
  const char *output = "-";
  const char *modules[CLI_MOST_MODULES];
  size_t num_modules = 0;
  int option;
  while ((option = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
    if (option == 'o')
      output = optarg;
    else if (option == 'M' && num_modules < CLI_MOST_MODULES)
      modules[num_modules++] = optarg;
    else if (option == 'M')
      return cli_usage_error("predict: more than %d modules", CLI_MOST_MODULES);
    else if (option == 'h' || option == '?')
      return option == 'h' ? print_help() : DORM_BAD_USAGE;
    else if (cli_diversity_option(&diversity, option, optarg) != DORM_OK)
      return DORM_BAD_USAGE;
  }
  if (argc - optind != 2)
    return cli_usage_error("predict: needs MODEL and DATA");
  if (!diversity.is_on && (diversity.groups || diversity.num_assignments))
    return cli_usage_error("predict: --groups and --set go with --diverse");
  return (int)predict(context, argv[optind], num_modules, modules, argv[optind + 1], &diversity, output);
}
