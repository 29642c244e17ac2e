/* data.c: `dorm data`: describes a data file, or compares two. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Printing --------------------------------------------------------------------------------- */

static void print_count(size_t count, const char *one, const char *more)
{
  cli_print(stdout, "  %12zu %s\n", count, cli_plural(count, one, more));
}

/* Prints the number and ids of the features for which `is` holds, if there are any. */
static void print_features(const cli_data *data, const char *one, const char *more,
                           bool (*is)(const cli_data_feature *feature))
{
  char ids[CLI_IDS_SIZE], text[CLI_IDS_SIZE + 80];
  size_t count = cli_list_features(data, is, ids);
  if (!count)
    return;
  snprintf(text, sizeof text, "%s%s", cli_plural(count, one, more), ids);
  printf("  %12zu ", count);
  cli_print_wrapped(text, 15, 15);
}

static bool is_constant(const cli_data_feature *feature)
{
  return feature->is_constant;
}

static bool has_missing(const cli_data_feature *feature)
{
  return feature->missing > 0;
}

static bool is_copy(const cli_data_feature *feature)
{
  return feature->is_copy && !feature->is_constant;
}

static void print_labels(size_t num_files, const cli_data *files)
{
  enum { MOST = 20 };
  size_t at[2] = {0, 0};
  printf("\nlabels\n");
  for (size_t row = 0;; row++) {
    double label = INFINITY;
    for (size_t i = 0; i < num_files; i++)
      label = at[i] < files[i].num_labels ? fmin(label, files[i].labels[at[i]]) : label;
    if (isinf(label))
      return;
    if (row == MOST) {
      printf("  (further labels: --json lists all)\n");
      return;
    }
    printf("  %12g", label);
    for (size_t i = 0; i < num_files; i++) {
      bool has = at[i] < files[i].num_labels && files[i].labels[at[i]] == label;
      size_t count = has ? files[i].label_counts[at[i]++] : 0;
      printf(" %12zu %6.2f %%", count, 100 * (double)count / (double)files[i].num_docs);
    }
    printf("\n");
  }
}

static void print_ranges(const cli_data *data, bool prints_all, char **names)
{
  enum { MOST = 20, NAME_COLUMNS = 12 };
  if (!data->num_features)
    return;
  cli_print(stdout, "\n  %8s %10s %10s %10s %8s %8s%s\n", "feature", "min", "mean", "max", "zero", "missing",
            names ? " name" : "");
  for (size_t f = 0; f < data->num_features && (prints_all || f < MOST); f++) {
    const cli_data_feature *feature = &data->features[f];
    double num_docs = (double)data->num_docs;
    printf("  %8zu %10.4g %10.4g %10.4g %6.1f %% %6.1f %%", feature->id, feature->least, feature->mean, feature->most,
           100 * (double)feature->zeros / num_docs, 100 * (double)feature->missing / num_docs);
    size_t size = names && names[f] ? strnlen(names[f], NAME_COLUMNS) : 0;
    while (size && (names[f][size] & 0xc0) == 0x80) /* within a character of UTF-8 */
      size--;
    if (size)
      cli_print(stdout, " %.*s", (int)size, names[f]);
    printf("\n");
  }
  if (!prints_all && data->num_features > MOST)
    printf("  (%zu more; --all prints all)\n", data->num_features - MOST);
}

/* Prints the counts of a file, without its labels and ranges. */
static void print_counts(const cli_data *data)
{
  cli_print(stdout, "%s\n", data->path);
  print_count(data->num_queries, "query", "queries");
  print_count(data->num_docs, "document", "documents");
  printf("  %12g documents per query (median; from %zu to %zu)\n", data->median_docs, data->least_docs,
         data->most_docs);
  print_count(data->num_irrelevant, "query without a relevant document", "queries without a relevant document");
  print_count(data->num_lone, "query with one document", "queries with one document");
  print_count(data->num_level, "query whose labels are all equal", "queries whose labels are all equal");
  print_count(data->num_features, "feature", "features");
  if (data->is_sparse)
    cli_print(stdout, "  %12s values that a line does not name are 0\n", "sparse:");
  print_features(data, "is constant", "are constant", is_constant);
  print_features(data, "has missing values", "have missing values", has_missing);
  print_features(data, "equals an earlier one", "equal earlier ones", is_copy);
}

static void print_mistakes(const cli_data *data)
{
  if (data->num_mistakes)
    printf("\nlikely mistakes\n");
  for (size_t i = 0; i < data->num_mistakes; i++) {
    printf("  ");
    cli_print_wrapped(data->mistakes[i], 2, 4);
  }
}

/* ---- Two files ------------------------------------------------------------ */

static void print_comparison(const cli_data files[2], const cli_data_comparison *made)
{
  size_t num_only = 0;
  print_labels(2, files);
  printf("\ncomparison\n");
  print_count(made->num_shared, "query id is in both files", "query ids are in both files");
  for (size_t i = 0; i < made->num_shifts; i++)
    num_only += made->shifts[i].only_in != 0;
  print_count(num_only, "feature is in one file alone", "features are in one file alone");
  print_count(made->num_shifts - num_only, "feature has another range", "features have other ranges");
  if (made->num_shifts)
    cli_print(stdout, "\n  %10s  %s\n", "feature",
              "more than 5 % of its values outside of its range in the other file");
  for (size_t i = 0; i < made->num_shifts; i++) {
    const cli_data_shift *shift = &made->shifts[i];
    if (shift->only_in)
      printf("  %10zu  only in file %zu\n", shift->id, shift->only_in);
    else
      printf("  %10zu  %.1f %% of file 1, %.1f %% of file 2\n", shift->id, 100 * shift->outside[0],
             100 * shift->outside[1]);
  }
}

/* ---- The command ---------------------------------------------------------------------------------- */

typedef struct data_options {
  bool is_json, prints_all;
  const char *names;
  dorm_read_options reading;
} data_options;

/* Reads lines `ID NAME` into names[num_features], which the caller frees. */
static void read_names(const char *path, const cli_data *data, char **names)
{
  FILE *file = cli_open_input(path);
  char line[1000], name[1000];
  unsigned long long id;
  for (size_t number = 1; fgets(line, sizeof line, file); number++) {
    if (line[strspn(line, " \t\r\n")] == '\0' || line[0] == '#')
      continue;
    if (sscanf(line, "%llu %999[^\r\n]", &id, name) != 2) {
      cli_print(stderr, "dorm: %s:%zu: '%.*s' is not a feature id followed by a name\n", path, number,
                (int)strcspn(line, "\r\n"), line);
      cli_end(DORM_BAD_DATA);
    }
    for (size_t f = 0; f < data->num_features; f++)
      if (data->features[f].id == id) {
        free(names[f]);
        names[f] = strdup(name);
      }
  }
  fclose(file);
}

/* Splits "a,b,c" into names[num_features], which the caller frees. */
static void take_columns(const char *header, const cli_data *data, char **names)
{
  for (size_t f = 0; f < data->num_features && *header; f++) {
    size_t size = strcspn(header, ",");
    names[f] = strndup(header, size);
    header += size + (header[size] == ',');
  }
}

static void print_one(const data_options *options, const char *header, const cli_data *data)
{
  char **names = options->names || *header ? cli_alloc(data->num_features, sizeof *names) : NULL;
  if (options->names)
    read_names(options->names, data, names);
  else if (names)
    take_columns(header, data, names);
  print_counts(data);
  print_labels(1, data);
  print_ranges(data, options->prints_all, names);
  print_mistakes(data);
  for (size_t f = 0; names && f < data->num_features; f++)
    free(names[f]);
  free(names);
}

static void print_two(const cli_data files[2], const cli_data_comparison *comparison)
{
  for (size_t i = 0; i < 2; i++) {
    printf(i ? "\nfile 2: " : "file 1: ");
    print_counts(&files[i]);
    print_mistakes(&files[i]);
  }
  print_comparison(files, comparison);
}

static void describe(dorm_context *context, data_options *options, size_t num_files, char **paths)
{
  dorm_dataset *datasets[2] = {NULL, NULL};
  cli_data files[2] = {{0}, {0}};
  cli_data_comparison comparison = {0};
  for (size_t i = 0; i < num_files; i++) {
    cli_check(context, dorm_dataset_read_with(context, paths[i], &options->reading, &datasets[i]));
    cli_summarise(context, datasets[i], paths[i], &files[i]);
    options->reading.columns = dorm_dataset_columns(datasets[0]); /* finds the features of the second file by name */
  }
  if (num_files == 2)
    cli_compare_data(context, files, &comparison);
  if (options->is_json)
    cli_write_data_json(stdout, num_files, files, &comparison);
  else if (num_files == 1)
    print_one(options, dorm_dataset_columns(datasets[0]), &files[0]);
  else
    print_two(files, &comparison);
  free(comparison.shifts);
  for (size_t i = 0; i < 2; i++) {
    cli_data_clear(&files[i]);
    dorm_dataset_free(datasets[i]);
  }
}

int command_data(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "data",
      .synopsis = "dorm data FILE [FILE] [--all] [--features FILE] [--json]",
      .about =
          "Describes a data file: its queries, labels and features, and likely mistakes. Compares it with a second "
          "one: labels, queries in both, features that one of them lacks, and features whose values leave the "
          "range of the other file. FILE may be - for standard input."};
  data_options options = {.reading = {.struct_size = sizeof options.reading, .sort_queries = 1, .ignore_weights = 1}};
  const cli_option table[] = {
      CLI_OPTION("all", 0, CLI_FLAG, &options.prints_all, NULL, "prints the ranges of all features, not only of 20"),
      CLI_OPTION("features", 0, CLI_TEXT, &options.names, "FILE", "names of the features, one line `ID NAME` for each"),
      CLI_OPTION("json", 'j', CLI_FLAG, &options.is_json, NULL, "prints everything as one JSON object"),
      CLI_THREADS_OPTION(&options.reading.num_threads),
      CLI_COLUMN_OPTIONS(&options.reading),
      CLI_NO_MORE};
  cli_take_options(&usage, table, argc, argv);
  int num_files = argc - optind;
  if (num_files < 1 || num_files > 2)
    return cli_usage_error("data: needs one FILE or two");
  if ((options.names || options.prints_all) && (num_files == 2 || options.is_json))
    return cli_usage_error("data: --all and --features are for the table of one FILE");
  describe(context, &options, (size_t)num_files, argv + optind);
  return DORM_OK;
}
