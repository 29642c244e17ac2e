/* show.c: `dorm show`: prints the origin of a model, its parts and its weights, for people or as JSON. */
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

static dorm_status print_weights(const show_options *options, const dorm_model *model, char **names,
                                 const double *importance)
{
  size_t count = dorm_model_num_features(model);
  bool is_linear = false; /* some weight of the linear part is not 0 */
  struct weight *weights = malloc((count + 1) * sizeof *weights);
  if (!weights)
    return (dorm_status)cli_out_of_memory();
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
    return DORM_OK;
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
  return DORM_OK;
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

/* Prints the ten features that gain most in part number `index`, if it is made of trees. Prints a message on
 * failure. */
static dorm_status print_trees(const dorm_model *model, size_t index, char **names)
{
  size_t size = 2 * dorm_model_num_features(model) + 1;
  double *gain = malloc(size * sizeof *gain);
  size_t *splits = malloc(size * sizeof *splits);
  struct split_feature *rows = malloc(size * sizeof *rows);
  dorm_status status = gain && splits && rows ? DORM_OK : (dorm_status)cli_out_of_memory();
  if (status == DORM_OK && dorm_model_trees(model, index, gain, splits))
    print_split_features(find_split_features(model, gain, splits, names, rows), rows);
  free(rows);
  free(splits);
  free(gain);
  return status;
}

/* Prints the remarks and the parts of a model. names [features of the model] is NULL if the user gave none. Prints a
 * message on failure. */
static dorm_status print_parts(const dorm_model *model, char **names)
{
  const char *text, *kind;
  double weight;
  dorm_status status = DORM_OK;
  for (size_t i = 0; (text = dorm_model_remark(model, i)) != NULL; i++) {
    if (!i)
      printf("\n");
    cli_print_lines(stdout, i ? 2 : 0, "%s", text);
  }
  for (size_t i = 0; status == DORM_OK && (text = dorm_model_part(model, i, &kind, &weight)) != NULL; i++) {
    printf("\n");
    cli_print_lines(stdout, 0, "%s part: %s", kind, text);
    if (weight != 1)
      printf("  its scores are multiplied by %g\n", weight);
    status = print_trees(model, i, names);
  }
  return status;
}

/* Computes the importances of the features on the data set options->data. *importance [features of the model], which
 * the caller frees, stays NULL if the user named no data. Prints a message on failure. */
static dorm_status find_importances(dorm_context *context, const show_options *options, const dorm_model *model,
                                    double **importance)
{
  dorm_dataset *dataset = NULL;
  if (!options->data)
    return DORM_OK;
  *importance = malloc((dorm_model_num_features(model) + 1) * sizeof **importance);
  if (!*importance)
    return (dorm_status)cli_out_of_memory();
  dorm_read_options read_options = {
      .struct_size = sizeof read_options, .ignore_weights = 1, .columns = dorm_model_setting(model, "data.columns")};
  dorm_status status = dorm_dataset_read_with(context, options->data, &read_options, &dataset);
  if (status == DORM_OK)
    status = dorm_model_importance(context, model, dataset, *importance);
  if (status != DORM_OK)
    cli_failure(context, status);
  dorm_dataset_free(dataset);
  return status;
}

static dorm_status show(dorm_context *context, const show_options *options)
{
  dorm_model *model = NULL;
  char **names = NULL;
  double *importance = NULL;
  dorm_status status = dorm_model_read(context, options->model, &model);
  if (status == DORM_OK)
    status = dorm_feature_names_read(context, model, options->features, &names);
  status = status == DORM_OK ? find_importances(context, options, model, &importance)
                             : (dorm_status)cli_failure(context, status);
  if (status == DORM_OK && options->as_json) {
    if (!cli_write_model_json(stdout, model, options->features ? (const char *const *)names : NULL, importance))
      status = (dorm_status)cli_out_of_memory();
  } else if (status == DORM_OK) {
    print_settings(options, model);
    status = print_parts(model, options->features ? names : NULL);
    if (status == DORM_OK)
      status = print_weights(options, model, names, importance);
  }
  free(importance);
  if (names)
    dorm_feature_names_free(model, names);
  dorm_model_free(model);
  return status;
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
  int ended = cli_take_options(&usage, table, argc, argv);
  if (ended != CLI_RUN)
    return ended;
  if (argc - optind < 1 || argc - optind > 2)
    return cli_usage_error("show: needs MODEL, and DATA at most");
  options.model = argv[optind];
  options.data = argc - optind == 2 ? argv[optind + 1] : NULL;
  return (int)show(context, &options);
}
