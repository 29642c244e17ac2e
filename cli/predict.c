/* predict.c: `dorm predict`. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>

static int print_help(void)
{
  printf("usage: dorm predict MODEL DATA [-o FILE] [--module FILE]...\n\n"
         "Writes one score a line, in the order of the documents in DATA; higher ranks first.\n\n"
         "  -o, --output FILE  instead of standard output\n"
         "      --module FILE  a kernel module that the model needs\n");
  return DORM_OK;
}

int command_predict(dorm_context *context, int argc, char **argv)
{
  static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                          {"module", required_argument, NULL, 'M'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
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
    else
      return option == 'h' ? print_help() : DORM_BAD_USAGE;
  }
  if (argc - optind != 2)
    return cli_usage_error("predict: needs MODEL and DATA");
  dorm_model *model = NULL;
  dorm_dataset *dataset = NULL;
  double *scores = NULL;
  dorm_status status = cli_read_model(context, argv[optind], num_modules, modules, &model);
  if (status == DORM_OK)
    status = dorm_dataset_read(context, argv[optind + 1], &dataset);
  if (status != DORM_OK)
    goto done;
  scores = malloc(dorm_dataset_num_docs(dataset) * sizeof *scores);
  if (!scores) {
    status = (dorm_status)cli_out_of_memory();
    goto done;
  }
  status = dorm_model_score(context, model, dataset, scores);
  if (status == DORM_OK)
    status = dorm_scores_write(context, output, dorm_dataset_num_docs(dataset), scores);
done:
  if (status != DORM_OK)
    cli_failure(context, status);
  free(scores);
  dorm_model_free(model);
  dorm_dataset_free(dataset);
  return (int)status;
}
