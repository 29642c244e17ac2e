/* predict.c: `dorm predict`: scores by a model. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>

static int print_help(void)
{
  printf("usage: dorm predict MODEL DATA [-o FILE] [--threads N] [--module FILE]... [--diverse [--groups GROUPS]\n"
         "                    [--set KEY=VALUE]...]\n\n"
         "Writes one score per line, in the order of the documents in DATA. The document with the\n"
         "highest score ranks first. DATA may be - for standard input.\n\n"
         "  -o, --output FILE    the file to write, instead of standard output\n"
         "  -t, --threads N      number of threads, 0: one for each processor (0); the scores are the\n"
         "                       same for any number\n"
         "      --module FILE    a kernel module that the model needs\n"
         "      --diverse        writes scores that put few documents of a group in front: the best of\n"
         "                       each group keep their scores, the others fall below them\n"
         "      --groups GROUPS  uses these groups instead of the model's: host, feature:ID,\n"
         "                       docid:PATTERN or file:PATH (diversity.groups)\n"
         "  -s, --set KEY=VALUE  changes another setting diversity.*, as in diversity.capacity=2\n");
  return DORM_OK;
}

typedef struct predict_options {
  const char *model;
  const char *data;
  const char *output;
  size_t num_threads;
  size_t num_modules;
  const char *modules[CLI_MOST_MODULES];
  cli_diversity diversity;
} predict_options;

/* The scores of the model, changed as --diverse asks. */
static dorm_status score(dorm_context *context, const predict_options *options, const dorm_model *model,
                         dorm_dataset *dataset, double *scores)
{
  dorm_settings *settings = NULL;
  dorm_status status = dorm_model_score(context, model, dataset, options->num_threads, scores);
  if (status != DORM_OK)
    return (dorm_status)cli_failure(context, status);
  if (!options->diversity.is_on)
    return DORM_OK;
  status = cli_diversity_settings(context, &options->diversity, model, &settings);
  if (status == DORM_OK)
    status = cli_diversity_read(context, &options->diversity, settings, dataset);
  if (status == DORM_OK) {
    status = dorm_diversify(context, settings, dataset, scores, scores);
    if (status != DORM_OK)
      cli_failure(context, status);
  }
  dorm_settings_free(settings);
  return status;
}

static dorm_status predict(dorm_context *context, const predict_options *options)
{
  dorm_read_options read_options = {.num_threads = options->num_threads};
  dorm_model *model = NULL;
  dorm_dataset *dataset = NULL;
  double *scores = NULL;
  dorm_status status = cli_read_model(context, options->model, options->num_modules, options->modules, &model);
  if (status == DORM_OK)
    status = dorm_dataset_read_with(context, options->data, &read_options, &dataset);
  if (status != DORM_OK) {
    cli_failure(context, status);
    goto done;
  }
  scores = malloc(dorm_dataset_num_docs(dataset) * sizeof *scores);
  status = scores ? score(context, options, model, dataset, scores) : (dorm_status)cli_out_of_memory();
  if (status == DORM_OK) {
    status = dorm_scores_write(context, options->output, dorm_dataset_num_docs(dataset), scores);
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
  static const struct option names[] = {{"output", required_argument, NULL, 'o'},
                                        {"threads", required_argument, NULL, 't'},
                                        {"module", required_argument, NULL, 'M'},
                                        {"diverse", no_argument, NULL, CLI_OPTION_DIVERSE},
                                        {"groups", required_argument, NULL, CLI_OPTION_GROUPS},
                                        {"set", required_argument, NULL, 's'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  predict_options options = {.output = "-"};
  int option;
  while ((option = getopt_long(argc, argv, "o:t:s:h", names, NULL)) != -1) {
    if (option == 'o')
      options.output = optarg;
    else if (option == 't' && !cli_parse_threads(optarg, &options.num_threads))
      return cli_usage_error("predict: --threads %s is not a whole number from 0 to 1024", optarg);
    else if (option == 'M' && options.num_modules == CLI_MOST_MODULES)
      return cli_usage_error("predict: more than %d modules", CLI_MOST_MODULES);
    else if (option == 'M')
      options.modules[options.num_modules++] = optarg;
    else if (option == 'h' || option == '?')
      return option == 'h' ? print_help() : DORM_BAD_USAGE;
    else if (option != 't' && cli_diversity_option(&options.diversity, option, optarg) != DORM_OK)
      return DORM_BAD_USAGE;
  }
  dorm_context_set_log(context, cli_print_note, NULL);
  if (argc - optind != 2)
    return cli_usage_error("predict: needs MODEL and DATA");
  if (!options.diversity.is_on && (options.diversity.groups || options.diversity.num_assignments))
    return cli_usage_error("predict: --groups and --set are for --diverse only");
  options.model = argv[optind];
  options.data = argv[optind + 1];
  return (int)predict(context, &options);
}
