/* show.c: `dorm show`: prints the origin of a model, its parts and its weights, for people or as JSON. `dorm export`
 * writes a model for other programs. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct show_options {
  const char *model;
  const char *data;     /* or NULL */
  const char *features; /* or NULL */
  bool all_settings;
  bool as_json;
} show_options;

/* A row of the table of weights. */
struct weight {
  size_t feature_id;
  const char *name; /* "" if there is none, borrowed */
  double value;     /* weight of the value */
  double rank;      /* weight of the rank within the query, or 0 */
  double importance;
};

/* A feature of a trees part, or its rank, with sums over all splits on it. */
struct split_feature {
  size_t feature_id;
  const char *name;
  bool is_rank;
  double gain;
  size_t splits;
};

static int compare_importances(const void *x, const void *y)
{
  const struct weight *one = x;
  const struct weight *two = y;
  if (one->importance != two->importance)
    return one->importance < two->importance ? 1 : -1;
  return (one->feature_id > two->feature_id) - (one->feature_id < two->feature_id);
}

static void print_weights(const show_options *options, const dorm_model *model, char **names, const double *importance)
{
  size_t count = dorm_model_num_features(model);
  bool is_linear = false; /* some weight of the linear part is not 0 */
  struct weight *weights = cli_alloc(count, sizeof *weights);
  for (size_t i = 0; i < count; i++) {
    struct weight *weight = &weights[i];
    dorm_model_weight(model, i, &weight->feature_id, &weight->value, &weight->rank);
    weight->name = options->features ? names[i] : "";
    weight->importance = importance ? importance[i] : fabs(weight->value) + fabs(weight->rank);
    is_linear = is_linear || weight->value != 0 || weight->rank != 0;
  }
  qsort(weights, count, sizeof *weights, compare_importances);
  if (!is_linear) {
    printf("\nall weights of the linear part are 0\n");
    free(weights);
    return;
  }
  cli_print(stdout, "\nimportance: %s\n",
            importance ? "|weight| times the spread of the feature in the data"
                       : "|weight|; dorm show MODEL DATA takes the spread into account");
  cli_print(stdout, "%10s %14s %14s %14s%s\n", "feature", "importance", "value", "rank",
            options->features ? "  name" : "");
  for (size_t i = 0; i < count; i++)
    cli_print(stdout, "%10zu %14.6g %14.6g %14.6g%s%s\n", weights[i].feature_id, weights[i].importance,
              weights[i].value, weights[i].rank, *weights[i].name ? "  " : "", weights[i].name);
  free(weights);
}

static void print_settings(const show_options *options, const dorm_model *model)
{
  const dorm_setting_info *info;
  size_t num_defaults = 0;
  for (size_t i = 0; (info = dorm_setting_info_at(i)) != NULL; i++) {
    const char *text = dorm_model_setting(model, info->key);
    if (options->all_settings || dorm_model_setting_is_given(model, info->key))
      cli_print_lines(stdout, 0, "%s = %s", info->key, text);
    else
      num_defaults++;
  }
  if (num_defaults)
    printf("(%zu settings were not set; --settings prints them too)\n", num_defaults);
}

static int compare_splits(const void *x, const void *y)
{
  const struct split_feature *one = x;
  const struct split_feature *two = y;
  if (one->gain != two->gain)
    return one->gain < two->gain ? 1 : -1;
  if (one->splits != two->splits)
    return one->splits < two->splits ? 1 : -1;
  if (one->feature_id != two->feature_id)
    return one->feature_id > two->feature_id ? 1 : -1;
  return (int)one->is_rank - (int)two->is_rank;
}

/* Fills rows [2 num_ids] with the features on which trees split, by falling gain. Returns their number. gain [2
 * num_ids] and splits [2 num_ids] have the sums of the values of all features, then of their ranks. `names` [num_ids]
 * may be NULL. */
static size_t find_split_features(const dorm_model *model, const double *gain, const size_t *splits, char **names,
                                  struct split_feature *rows)
{
  size_t num_ids = dorm_model_num_features(model);
  size_t count = 0;
  double value, rank;
  for (size_t f = 0; f < 2 * num_ids; f++) {
    if (!splits[f])
      continue;
    struct split_feature *row = &rows[count++];
    *row = (struct split_feature){0, names ? names[f % num_ids] : "", f >= num_ids, gain[f], splits[f]};
    dorm_model_weight(model, f % num_ids, &row->feature_id, &value, &rank);
  }
  qsort(rows, count, sizeof *rows, compare_splits);
  return count;
}

static void print_split_features(size_t count, const struct split_feature *rows)
{
  enum { MOST_ROWS = 10, TEXT_SIZE = 40 };
  double total = 0;
  for (size_t i = 0; i < count; i++)
    total += rows[i].gain;
  if (count)
    cli_print(stdout, "  %18s %9s %9s\n", "feature", "gain", "splits");
  for (size_t i = 0; i < count && i < MOST_ROWS; i++) {
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%s%zu", rows[i].is_rank ? "rank of " : "", rows[i].feature_id);
    cli_print(stdout, "  %18s %7.1f %% %9zu%s%s\n", text, total > 0 ? 100 * rows[i].gain / total : 0, rows[i].splits,
              *rows[i].name ? "  " : "", rows[i].name);
  }
  if (count > MOST_ROWS)
    printf("  (%zu more; --json prints all of them)\n", count - MOST_ROWS);
}

/* Prints the ten features that gain most in part number `index`, if it is made of trees. */
static void print_trees(const dorm_model *model, size_t index, char **names)
{
  size_t size = 2 * dorm_model_num_features(model);
  double *gain = cli_alloc(size, sizeof *gain);
  size_t *splits = cli_alloc(size, sizeof *splits);
  struct split_feature *rows = cli_alloc(size, sizeof *rows);
  if (dorm_model_trees(model, index, gain, splits))
    print_split_features(find_split_features(model, gain, splits, names, rows), rows);
  free(rows);
  free(splits);
  free(gain);
}

/* Prints the remarks and the parts of a model. names [features of the model] is NULL if the user gave none. */
static void print_parts(const dorm_model *model, char **names)
{
  const char *text, *kind;
  double weight;
  for (size_t i = 0; (text = dorm_model_remark(model, i)) != NULL; i++) {
    if (!i)
      printf("\n");
    cli_print_lines(stdout, i ? 2 : 0, "%s", text);
  }
  for (size_t i = 0; (text = dorm_model_part(model, i, &kind, &weight)) != NULL; i++) {
    printf("\n");
    cli_print_lines(stdout, 0, "%s part: %s", kind, text);
    if (weight != 1)
      printf("  its scores are multiplied by %g\n", weight);
    print_trees(model, i, names);
  }
}

/* Returns the importances [features of the model] of the features on a data set, which the caller frees. */
static double *find_importances(dorm_context *context, const dorm_model *model, const char *path)
{
  dorm_read_options reading = {.ignore_weights = 1};
  double *importance = cli_alloc(dorm_model_num_features(model), sizeof *importance);
  dorm_dataset *dataset = cli_read_data(context, model, path, &reading);
  cli_check(context, dorm_model_importance(context, model, dataset, importance));
  dorm_dataset_free(dataset);
  return importance;
}

static void show(dorm_context *context, const show_options *options)
{
  dorm_model *model = NULL;
  char **names = NULL;
  cli_check(context, dorm_model_read(context, options->model, &model));
  cli_check(context, dorm_feature_names_read(context, model, options->features, &names));
  double *importance = options->data ? find_importances(context, model, options->data) : NULL;
  if (options->as_json) {
    cli_write_model_json(stdout, model, options->features ? (const char *const *)names : NULL, importance);
  } else {
    print_settings(options, model);
    print_parts(model, options->features ? names : NULL);
    print_weights(options, model, names, importance);
  }
  free(importance);
  dorm_feature_names_free(model, names);
  dorm_model_free(model);
}

int command_show(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "show",
      .synopsis = "dorm show MODEL [DATA] [--features FILE] [--settings] [--json]",
      .about =
          "Prints the settings that were set for the training of the model, the candidates that were "
          "averaged with their certificates, the parts of the model, and the weights of its linear part, the most "
          "important feature first. The importance of a feature is the standard deviation, within the queries of "
          "DATA, of what it adds to the scores: |weight| times the spread of the normalised feature. A model does not "
          "keep the spreads of the data that it was trained on; without DATA the importance is the sum of the "
          "|weights|. In trees the importance of a feature, or of its rank within the query, is the share of the "
          "splits on it in all that splits gained, and their number."};
  show_options options = {.model = NULL};
  const cli_option table[] = {
      CLI_OPTION("features", 0, CLI_TEXT, &options.features, "FILE",
                 "names of the features, one line `ID NAME` for each (feature_ID)"),
      CLI_OPTION("settings", 0, CLI_FLAG, &options.all_settings, NULL, "prints all settings"),
      CLI_OPTION("json", 'j', CLI_FLAG, &options.as_json, NULL, "prints one JSON object, with all settings"),
      CLI_NO_MORE};
  cli_take_options(&usage, table, argc, argv);
  if (argc - optind < 1 || argc - optind > 2)
    return cli_usage_error("show: needs MODEL, and DATA at most");
  options.model = argv[optind];
  options.data = argc - optind == 2 ? argv[optind + 1] : NULL;
  show(context, &options);
  return DORM_OK;
}

/* ---- dorm export -------------------------------------------------------------------------- */

int command_export(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "export",
      .synopsis = "dorm export --to FORMAT MODEL [-o FILE] [--features FILE] [--name NAME]",
      .about =
          "Writes a linear model, trees or nets in the format of another program. The features of the model must "
          "not be normalised within queries: train with --for-serving. onnx, json and c hold a linear part, any trees "
          "and nets. The other formats hold a linear part, or trees whose sum is the score (trees.objective = dorm, "
          "lambda or "
          "regression)."};
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
