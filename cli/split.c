/* split.c: `dorm split` and `dorm cache`, which write data files. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 100, MOST_FOLDS = 100, FILES_A_FOLD = 3 };

typedef struct split_options {
  const char *data;
  size_t num_folds; /* 0: split by shares */
  const char *folder;
  uint64_t seed;
  dorm_read_options reading;
} split_options;

static void split(dorm_context *context, const split_options *options, size_t num_parts, const double *shares,
                  size_t num_files, const char *const *paths, const int *takes)
{
  cli_check(context, dorm_split(context, options->data, &options->reading, num_parts, shares, options->seed, num_files,
                                paths, takes));
}

/* Takes FILE=SHARE for each part. */
static int split_by_shares(dorm_context *context, const split_options *options, size_t count, char **words)
{
  double shares[MOST_FILES];
  int takes[MOST_FILES * MOST_FILES] = {0};
  if (count < 2 || count > MOST_FILES)
    return cli_usage_error("split: needs DATA and 2 to %d parts FILE=SHARE, as in train.txt=80 test.txt=20",
                           MOST_FILES);
  for (size_t i = 0; i < count; i++) {
    char *equals = strrchr(words[i], '=');
    char *end = NULL;
    shares[i] = equals ? strtod(equals + 1, &end) : 0;
    if (!equals || equals == words[i] || end == equals + 1 || *end || !(shares[i] > 0))
      return cli_usage_error("split: '%s' is not FILE=SHARE with a share above 0", words[i]);
    *equals = '\0';
    for (size_t k = 0; k < i; k++)
      if (strcmp(words[k], words[i]) == 0)
        return cli_usage_error("split: '%s' is named twice", words[i]);
    takes[i * count + i] = 1;
  }
  split(context, options, count, shares, count, (const char *const *)words, takes);
  return DORM_OK;
}

static void make_folder(const char *path)
{
  if (mkdir(path, 0777) == 0 || errno == EEXIST)
    return;
  cli_print(stderr, "dorm: %s: cannot make this folder: %s\n", path, strerror(errno));
  cli_end(DORM_IO_ERROR);
}

/* Splits into folds. Fold f tests on part f, validates on the part before it, and trains on the others. */
static void split_into_folds(dorm_context *context, const split_options *options)
{
  static const char *const names[FILES_A_FOLD] = {"train", "validation", "test"};
  size_t count = options->num_folds;
  size_t size = strlen(options->folder) + 64;
  char *texts = cli_alloc(count * FILES_A_FOLD, size);
  int *takes = cli_alloc(count * FILES_A_FOLD, count * sizeof *takes);
  double shares[MOST_FOLDS];
  const char *paths[MOST_FOLDS * FILES_A_FOLD];
  make_folder(options->folder);
  for (size_t f = 0; f < count; f++) {
    shares[f] = 1;
    char *path = texts + f * FILES_A_FOLD * size;
    snprintf(path, size, "%s/Fold%zu", options->folder, f + 1);
    make_folder(path);
    for (size_t i = 0; i < FILES_A_FOLD; i++) {
      path = texts + (f * FILES_A_FOLD + i) * size;
      snprintf(path, size, "%s/Fold%zu/%s.txt", options->folder, f + 1, names[i]);
      for (size_t p = 0; p < count; p++) {
        size_t kind = p == f ? 2u : (p + 1) % count == f ? 1u : 0u;
        takes[(f * FILES_A_FOLD + i) * count + p] = kind == i;
      }
      paths[f * FILES_A_FOLD + i] = path;
    }
  }
  split(context, options, count, shares, count * FILES_A_FOLD, paths, takes);
  free(texts);
  free(takes);
}

int command_split(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "split",
      .synopsis = "dorm split DATA FILE=SHARE FILE=SHARE... [--seed N]\ndorm split DATA --folds K -o FOLDER [--seed N]",
      .about =
          "Splits the queries of DATA into files, so that each gets its share of them, as in train.txt=60 "
          "validation.txt=20 test.txt=20. Queries with many relevant documents (label above 0) and with few are split "
          "alike. Lines are copied as they are; of weights in DATA.weight each file gets its own."};
  split_options options = {.seed = 1, .reading.struct_size = sizeof options.reading};
  const cli_option table[] = {
      CLI_BOUNDED(
          "folds", 0, CLI_SIZE, &options.num_folds, "K",
          "makes K parts, and writes FOLDER/Fold1 to FOLDER/FoldK: test.txt is one part, validation.txt the part "
          "before it, train.txt all others",
          3, MOST_FOLDS),
      CLI_OPTION("output", 'o', CLI_TEXT, &options.folder, "FOLDER",
                 "the folder for them, which is made if it is not there"),
      CLI_OPTION("seed", 0, CLI_SEED, &options.seed, "N", "seed of the random choice (1)"),
      CLI_OPTION("sort-queries", 0, CLI_SWITCH, &options.reading.sort_queries, NULL,
                 "the lines of a query may be apart in DATA"),
      CLI_NO_MORE};
  cli_take_options(&usage, table, argc, argv);
  if (optind == argc)
    return cli_usage_error("split: needs DATA");
  options.data = argv[optind];
  size_t num_words = (size_t)(argc - optind - 1);
  if (!options.num_folds && options.folder)
    return cli_usage_error("split: -o FOLDER is for --folds; the files of parts are named by FILE=SHARE");
  if (!options.num_folds)
    return split_by_shares(context, &options, num_words, argv + optind + 1);
  if (num_words || !options.folder)
    return cli_usage_error(num_words ? "split: --folds makes equal parts and takes no FILE=SHARE"
                                     : "split: --folds needs -o FOLDER");
  split_into_folds(context, &options);
  return DORM_OK;
}

/* ---- Caches ------------------------------------------------------------------------ */

int command_cache(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "cache",
      .synopsis = "dorm cache DATA -o FILE [--sort-queries]",
      .about =
          "Writes DATA (- is standard input) as a binary file, which every command accepts in place of DATA and reads "
          "many times faster. The file is valid on this machine and for this version of dorm only. (data.cache = yes "
          "keeps such a file beside each data file and makes it anew when the data file changes.)"};
  dorm_read_options reading = {.struct_size = sizeof reading};
  const char *output = NULL;
  const cli_option options[] = {
      CLI_OPTION("output", 'o', CLI_TEXT, &output, "FILE", "the file to write"),
      CLI_OPTION("sort-queries", 0, CLI_SWITCH, &reading.sort_queries, NULL,
                 "the lines of a query may be apart in DATA; scores of the cache keep the order of the "
                 "lines"),
      CLI_NO_MORE};
  cli_take_options(&usage, options, argc, argv);
  if (argc - optind != 1 || !output)
    return cli_usage_error("cache: needs DATA and -o FILE");
  dorm_dataset *dataset = NULL;
  cli_check(context, dorm_dataset_read_with(context, argv[optind], &reading, &dataset));
  cli_check(context, dorm_dataset_write_cache(context, dataset, output));
  dorm_dataset_free(dataset);
  return DORM_OK;
}
