/* export.c: `dorm export`: models for other programs. */
#include "cli/cli.h"

#include <unistd.h>

int command_export(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "export",
      .synopsis = "dorm export --to FORMAT MODEL [-o FILE] [--features FILE] [--name NAME]",
      .about =
          "Writes a linear model, trees or nets in the format of another program. The features of the model must "
          "not be normalised within queries: train with --for-serving. onnx, json and c hold a linear part, any trees "
          "and nets. The other formats hold a linear part, or trees whose sum is the score: those of trees.objective = "
          "dorm, lambda and regression."};
  const char *format = NULL, *features = NULL, *name = "dorm", *output = "-";
  const cli_option options[] = {
      CLI_OPTION(
          "to", 0, CLI_TEXT, &format, "FORMAT",
          "elasticsearch or opensearch (the body of a _createmodel request), solr (of a model-store request), ranklib, "
          "xgboost (trees alone, a model in JSON), xgboost-dump or xgboost-json-dump (the same as dump_model writes "
          "it), "
          "onnx, json, or c (a function in C)"),
      CLI_OPTION("features", 0, CLI_TEXT, &features, "FILE",
                 "names of the features, one line `ID NAME` for each (the columns of CSV, or feature_ID)"),
      CLI_OPTION("name", 0, CLI_TEXT, &name, "NAME", "the name of the model (dorm)"),
      CLI_OPTION("output", 'o', CLI_TEXT, &output, "FILE", "the file to write, instead of standard output"),
      CLI_NO_MORE};
  cli_take_options(&usage, options, argc, argv);
  if (!format || argc - optind != 1)
    return cli_usage_error("export: needs --to FORMAT and MODEL");
  dorm_model *model = NULL;
  cli_check(context, dorm_model_read(context, argv[optind], &model));
  cli_check(context, dorm_model_export(context, model, format, name, features, output));
  dorm_model_free(model);
  return DORM_OK;
}
