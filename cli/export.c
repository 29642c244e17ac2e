/* export.c: `dorm export`: models for other programs. */
#include "cli/cli.h"

#include <getopt.h>

static int print_help(void)
{
  printf("usage: dorm export --to FORMAT MODEL [-o FILE] [--features FILE] [--name NAME]\n\n"
         "Writes a linear model, trees or nets in the format of another program. The features of the\n"
         "model must not be normalised within queries: train with data.rank_block = 0 and\n"
         "data.normalisation = global-minmax, global-zscore or none. json and c hold a linear part, any\n"
         "trees and nets; the other formats hold a linear part, or trees whose sum is the score: those\n"
         "of trees.objective = dorm, lambda and regression.\n\n"
         "      --to FORMAT      elasticsearch or opensearch (the body of a _createmodel request), solr\n"
         "                       (of a model-store request), ranklib, xgboost (trees alone, a model in\n"
         "                       JSON), json, or c (a function in C)\n"
         "      --features FILE  names of the features, one line `ID NAME` for each (feature_ID)\n"
         "      --name NAME      the name of the model (dorm)\n"
         "  -o, --output FILE    the file to write, instead of standard output\n");
  return DORM_OK;
}

int command_export(dorm_context *context, int argc, char **argv)
{
  static const struct option options[] = {
      {"to", required_argument, NULL, 't'},   {"features", required_argument, NULL, 'f'},
      {"name", required_argument, NULL, 'n'}, {"output", required_argument, NULL, 'o'},
      {"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0}};
  const char *format = NULL;
  const char *features = NULL;
  const char *name = "dorm";
  const char *output = "-";
  int option;
  while ((option = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
    if (option == 't')
      format = optarg;
    else if (option == 'f')
      features = optarg;
    else if (option == 'n')
      name = optarg;
    else if (option == 'o')
      output = optarg;
    else
      return option == 'h' ? print_help() : DORM_BAD_USAGE;
  }
  if (!format || argc - optind != 1)
    return cli_usage_error("export: needs --to FORMAT and MODEL");
  dorm_model *model = NULL;
  dorm_status status = dorm_model_read(context, argv[optind], &model);
  if (status == DORM_OK)
    status = dorm_model_export(context, model, format, name, features, output);
  if (status != DORM_OK)
    cli_failure(context, status);
  dorm_model_free(model);
  return (int)status;
}
