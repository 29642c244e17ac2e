/* train.c: `dorm train`. */
#include "cli/cli.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The options of `dorm train`. Those from for_serving to seed set settings. */
typedef struct train_options {
  bool is_quiet, is_verbose, is_stream;
  bool for_serving, resumes, overwrites;
  const char *model, *threads, *measure, *trainer, *folds, *budget, *seed;
  const char *config, *log_path, *report_path, *not_worse_than;
  cli_texts assignments;
  dorm_read_options reading; /* the columns */
} train_options;

static volatile sig_atomic_t is_interrupted;

static bool says_stop;

static void interrupt(int signal_number)
{
  static const char text[] = "\ndorm: stopping after this step; a second signal ends the process at once\n";
  (void)signal_number;
  is_interrupted = 1;
  if (says_stop && write(STDERR_FILENO, text, sizeof text - 1) < 0)
    says_stop = false;
}

static int asked_to_stop(void *user)
{
  (void)user;
  return is_interrupted;
}

/* Installs the signal handlers. The first Ctrl-C, SIGTERM or SIGHUP ends training with a model, the second ends the
 * process. In dorm-mpi SIGUSR1 does the same: mpirun forwards it, while after the other signals mpirun soon kills the
 * processes. */
static void watch_signals(void)
{
  static const int signals[] = {SIGINT, SIGHUP, SIGTERM, SIGUSR1};
  size_t count = sizeof signals / sizeof *signals - (strcmp(cli_program(), "dorm") == 0 ? 1 : 0);
  says_stop = isatty(STDERR_FILENO) != 0;
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  struct sigaction before;
  sigemptyset(&action.sa_mask);
  /* A signal that is already ignored stays ignored. A shell makes background commands ignore Ctrl-C, and nohup makes
   * its command ignore SIGHUP. */
  for (size_t i = 0; i < count; i++)
    if (sigaction(signals[i], NULL, &before) != 0 || before.sa_handler != SIG_IGN)
      sigaction(signals[i], &action, NULL);
}

/* Checks before a long training that the folder of `path` can be written to and that `path` is no folder itself. Prints
 * a message on failure. */
static dorm_status check_writable(const char *path)
{
  struct stat about;
  char *copy = strdup(path);
  if (!copy)
    return cli_out_of_memory();
  int error = access(dirname(copy), W_OK) == 0 ? 0 : errno;
  free(copy);
  if (!error && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
    error = EISDIR;
  if (!error)
    return DORM_OK;
  cli_print(stderr, "dorm: %s: cannot write here: %s\n", path, strerror(error));
  return DORM_IO_ERROR;
}

/* Checks the output files of the settings and of the options, and locks the model file. Only the first process calls
 * it. Prints a message on failure. */
static dorm_status check_outputs(dorm_context *context, const dorm_settings *settings, const train_options *asked)
{
  const char *model = dorm_settings_get(settings, "output.model");
  const char *const paths[] = {model, dorm_settings_get(settings, "output.checkpoint"),
                               dorm_settings_get(settings, "output.candidates"), asked->report_path};
  dorm_status status = DORM_OK;
  if (!*model || strcmp(model, "-") == 0)
    return cli_usage_error("output.model = '%s': name a file for the model", model);
  for (size_t i = 0; status == DORM_OK && i < sizeof paths / sizeof *paths; i++)
    if (paths[i] && *paths[i] && strcmp(paths[i], "-") != 0)
      status = check_writable(paths[i]);
  if (status != DORM_OK)
    return status;
  if (asked->log_path)
    status = dorm_context_check_output(context, asked->log_path);
  if (status == DORM_OK && asked->report_path)
    status = dorm_context_check_output(context, asked->report_path);
  if (status == DORM_OK)
    status = dorm_context_lock_output(context, model);
  return status == DORM_OK ? DORM_OK : cli_failure(context, status);
}

/* Checks the settings, the options and all paths before dorm reads the data. Prints a message on failure. */
static dorm_status check_paths(dorm_context *context, const dorm_settings *settings, const train_options *asked)
{
  const char *train_path = dorm_settings_get(settings, "data.train");
  const char *validation_path = dorm_settings_get(settings, "data.validation");
  dorm_status status = dorm_train_check(context, settings);
  if (status != DORM_OK)
    return cli_failure(context, status);
  bool is_stream = asked->is_stream;
  if (asked->not_worse_than && strcmp(asked->not_worse_than, "logged") != 0)
    return cli_usage_error("train: --not-worse-than '%s': only the word logged is known", asked->not_worse_than);
  if (asked->not_worse_than && (is_stream || !*dorm_settings_get(settings, "data.validation_clicks")))
    return cli_usage_error("train: --not-worse-than needs data.validation_clicks, a log that training does "
                           "not see");
  if (is_stream && asked->report_path)
    return cli_usage_error("train: --report is not for --stream");
  if (!is_stream && !*train_path)
    return cli_usage_error("data.train is not set: name the training data in CONFIG, or by -s "
                           "data.train=FILE");
  if (!is_stream && strcmp(train_path, "-") == 0 && strcmp(validation_path, "-") == 0)
    return cli_usage_error("data.train and data.validation are both standard input: name a file for one");
  return cli_is_first() ? check_outputs(context, settings, asked) : DORM_OK;
}

/* Sets the options for reading by the settings. */
static void set_reading(const dorm_settings *settings, dorm_read_options *reading)
{
  const char *storage = dorm_settings_get(settings, "data.storage");
  reading->struct_size = sizeof *reading;
  reading->num_threads = (size_t)strtoull(dorm_settings_get(settings, "solver.threads"), NULL, 10);
  reading->storage = strcmp(storage, "dense") == 0    ? DORM_STORAGE_DENSE
                     : strcmp(storage, "sparse") == 0 ? DORM_STORAGE_SPARSE
                     : strcmp(storage, "file") == 0   ? DORM_STORAGE_FILE
                                                      : DORM_STORAGE_AUTO;
  reading->use_cache = strcmp(dorm_settings_get(settings, "data.cache"), "yes") == 0;
  reading->sort_queries = strcmp(dorm_settings_get(settings, "data.sort_queries"), "yes") == 0;
  reading->ignore_weights = strcmp(dorm_settings_get(settings, "data.weights"), "no") == 0;
  reading->num_shards = (size_t)strtoull(dorm_settings_get(settings, "solver.shards"), NULL, 10); /* auto: 0 */
  reading->columns = dorm_settings_get(settings, "data.columns");
  reading->folder = getenv("TMPDIR");
}

/* Reads the data, trains, and writes the model. The caller frees *train, *validation and *training, also on failure.
 * Prints a message on failure. */
static dorm_status train_model(dorm_context *context, dorm_settings *settings, train_options *asked,
                               const cli_progress *progress, dorm_dataset **train, dorm_dataset **validation,
                               dorm_training **training)
{
  const char *train_path = dorm_settings_get(settings, "data.train");
  const char *validation_path = dorm_settings_get(settings, "data.validation");
  const char *model_path = dorm_settings_get(settings, "output.model");
  dorm_status status = dorm_dataset_read_with(context, train_path, &asked->reading, train);
  if (status == DORM_OK && *dorm_dataset_columns(*train)) { /* the model keeps the columns for later files */
    status = dorm_settings_set(context, settings, "data.columns", dorm_dataset_columns(*train));
    asked->reading.columns = dorm_settings_get(settings, "data.columns");
  }
  if (status == DORM_OK && *validation_path)
    status = dorm_dataset_read_with(context, validation_path, &asked->reading, validation);
  if (status == DORM_OK)
    status = cli_read_lists(context, settings, *train);
  if (status == DORM_OK && *validation)
    status = cli_read_lists(context, settings, *validation);
  if (status == DORM_OK)
    status = cli_take_clicks(context, settings, *train, *validation);
  if (status == DORM_OK && cli_is_first() && !progress->is_quiet)
    cli_print_data(train_path, *train);
  if (status == DORM_OK)
    status = dorm_train_consuming(context, settings, *train, asked->not_worse_than ? NULL : *validation, training);
  if (cli_is_first())
    cli_progress_clear(progress);
  if (status != DORM_OK)
    cli_failure(context, status);
  if (!*training)
    return status;
  cli_processes_leave(context); /* only the first process has work left */
  if (asked->not_worse_than)
    return cli_write_if_safe(context, settings, dorm_training_model(*training), *validation, status);
  dorm_status written =
      cli_is_first() ? dorm_model_write(context, dorm_training_model(*training), model_path) : DORM_OK;
  if (written != DORM_OK)
    return cli_failure(context, written);
  return status;
}

/* ---- Streams --------------------------------------------------------------- */

/* The state of print_report between its calls. */
typedef struct stream_printer {
  cli_progress *progress;
  bool has_header;
  bool has_begun; /* print_report was called before */
} stream_printer;

static void print_header(void)
{
  cli_print_lines(stdout, 0,
                  "progressive: mean over all queries so far, each ranked before it was learned from; recent: over the "
                  "queries since the line before");
  cli_print(stdout, "%10s %11s %8s %9s %8s %9s\n", "queries", "progressive", "+-", "recent", "+-", "seconds");
}

static void print_report(void *user, const dorm_stream_report *report)
{
  stream_printer *printer = user;
  if (printer->progress->json)
    printer->progress->is_whole = cli_write_stream_json(printer->progress->json, report) && printer->progress->is_whole;
  bool is_first = !printer->has_begun;
  printer->has_begun = true;
  if (is_first && report->num_resumed) {
    printf("continues after %zu queries (%zu lines)\n", report->num_queries, report->num_lines);
    fflush(stdout);
    return;
  }
  if (!printer->has_header)
    print_header();
  printer->has_header = true;
  printf("%10zu %11.4f %8.4f %9.4f %8.4f %9.1f\n", report->num_queries, report->progressive, report->progressive_error,
         report->recent, report->recent_error, report->seconds);
  fflush(stdout);
}

/* Ends the log. Returns `status`, or another one if the log could not be written. */
static dorm_status end_log(cli_progress *progress, const char *path, dorm_status status)
{
  if (cli_progress_end(progress))
    return status;
  cli_print(stderr, "dorm: %s: the log could not be written whole\n", path);
  return status == DORM_OK ? DORM_IO_ERROR : status;
}

static dorm_status train_stream(dorm_context *context, const dorm_settings *settings, const train_options *asked,
                                cli_loudness loudness)
{
  cli_progress progress;
  stream_printer printer = {.progress = &progress};
  dorm_model *model = NULL;
  bool resumes = strcmp(dorm_settings_get(settings, "output.resume"), "yes") == 0;
  cli_expect(cli_progress_start(&progress, loudness, asked->log_path, resumes));
  watch_signals();
  dorm_context_set_log(context, cli_progress_event, &progress);
  dorm_context_set_cancel(context, asked_to_stop, NULL);
  cli_expect(cli_check_test(context, settings, &asked->reading));
  dorm_status status = dorm_train_stream(context, settings, print_report, &printer, &model);
  if (status == DORM_OK)
    cli_print(stdout, "model written to %s\n", dorm_settings_get(settings, "output.model"));
  else
    cli_failure(context, status);
  status = end_log(&progress, asked->log_path, status);
  if (status == DORM_OK && !is_interrupted)
    status = cli_report_test(context, settings, &asked->reading, model);
  dorm_model_free(model);
  return status;
}

/* Writes the page of --report. It shows the model on data.test, or on the validation data if data.test is not set, and
 * on the training data. Leaves out data from standard input. */
static void write_report(dorm_context *context, const dorm_settings *settings, const train_options *asked,
                         const dorm_training *training, const cli_progress *progress)
{
  const char *test = dorm_settings_get(settings, "data.test");
  const char *paths[] = {*test ? test : dorm_settings_get(settings, "data.validation"),
                         dorm_settings_get(settings, "data.train")};
  cli_report_options page = {.model = dorm_settings_get(settings, "output.model"),
                             .output = asked->report_path,
                             .reading = {.num_threads = asked->reading.num_threads,
                                         .query_column = asked->reading.query_column,
                                         .label_column = asked->reading.label_column,
                                         .id_column = asked->reading.id_column},
                             .progress = progress};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    if (*paths[i] && strcmp(paths[i], "-") != 0)
      page.data.items[page.data.count++] = paths[i];
  cli_write_report(context, &page, dorm_training_model(training), NULL, training);
}

static dorm_status train_with(dorm_context *context, dorm_settings *settings, train_options *asked,
                              cli_loudness loudness)
{
  cli_progress progress = {0};
  dorm_dataset *train = NULL, *validation = NULL;
  dorm_training *training = NULL;
  bool is_first = cli_is_first();
  dorm_status status = cli_agree(is_first ? cli_progress_start(&progress, loudness, asked->log_path, false) : DORM_OK);
  if (status != DORM_OK)
    return status;
  progress.keeps_curves = asked->report_path != NULL;
  watch_signals();
  dorm_context_set_log(context, is_first ? cli_progress_event : NULL, &progress);
  dorm_context_set_cancel(context, asked_to_stop, NULL);
  status = train_model(context, settings, asked, &progress, &train, &validation, &training);
  if (is_first && training)
    cli_progress_selection(&progress, training);
  dorm_status logged = is_first ? end_log(&progress, asked->log_path, DORM_OK) : DORM_OK;
  if (is_first && training && (status == DORM_OK || status == DORM_STOPPED)) {
    dorm_status printed = cli_print_training(context, settings, training, loudness);
    status = printed == DORM_OK ? status : printed;
  }
  if (is_first && training && status == DORM_OK) {
    asked->reading.num_shards = 0;
    status = cli_report_test(context, settings, &asked->reading, dorm_training_model(training));
    if (status == DORM_OK && asked->report_path)
      write_report(context, settings, asked, training, &progress);
  }
  cli_progress_free(&progress);
  dorm_training_free(training);
  dorm_dataset_free(train);
  dorm_dataset_free(validation);
  return status == DORM_OK ? logged : status;
}

/* Fills seconds [size] with the seconds of a time: "300" for "5m", "1" for "quick". Copies any other text, such as a
 * number of seconds. If that is no number, training.budget refuses it. */
static void put_seconds(const char *text, size_t size, char *seconds)
{
  static const struct {
    char unit;
    double seconds;
  } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
  size_t length = strlen(text);
  double number;
  snprintf(seconds, size, "%s", strcmp(text, "quick") == 0 ? "1" : length < size ? text : "a long text");
  for (size_t i = 0; length > 1 && length < size && i < sizeof units / sizeof *units; i++)
    if (text[length - 1] == units[i].unit) {
      seconds[length - 1] = '\0';
      if (cli_parse_number(seconds, &number))
        snprintf(seconds, size, "%.15g", number * units[i].seconds);
      else
        seconds[length - 1] = text[length - 1];
    }
}

/* Sets the settings of options and of the files [num_files] TRAIN and VALIDATION. They override -s. Prints a
 * message on failure. */
static dorm_status set_options(dorm_context *context, const train_options *asked, int num_files, char **files,
                               dorm_settings *settings)
{
  char seconds[80] = "";
  if (asked->budget)
    put_seconds(asked->budget, sizeof seconds, seconds);
  const struct {
    const char *key, *value; /* or NULL */
  } set[] = {{"data.normalisation", asked->for_serving ? "global-minmax" : NULL},
             {"data.rank_block", asked->for_serving ? "0" : NULL},
             {"trees.raw_values", asked->for_serving ? "yes" : NULL},
             {"output.model", asked->model},
             {"solver.threads", asked->threads},
             {"selection.measure", asked->measure},
             {"training.trainer", asked->trainer},
             {"selection.folds", asked->folds},
             {"training.budget", asked->budget ? seconds : NULL},
             {"training.seed", asked->seed},
             {"output.resume", asked->overwrites ? "overwrite"
                               : asked->resumes  ? "yes"
                                                 : NULL},
             {"data.train", num_files > 0 ? files[0] : NULL},
             {"data.validation", num_files > 1 ? files[1] : NULL}};
  for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
    dorm_status status = set[i].value ? dorm_settings_set(context, settings, set[i].key, set[i].value) : DORM_OK;
    if (status != DORM_OK)
      return cli_failure(context, status);
  }
  return DORM_OK;
}

static dorm_status run(dorm_context *context, int argc, char **argv, train_options *asked)
{
  dorm_settings *settings = NULL;
  cli_loudness loudness = asked->is_quiet ? CLI_QUIET : asked->is_verbose ? CLI_VERBOSE : CLI_NORMAL;
  dorm_status status = cli_find_configuration("train", argc, argv, 2, &asked->config);
  if (status == DORM_OK)
    status = cli_read_settings(context, asked->config, &asked->assignments, &settings);
  if (status == DORM_OK)
    status = set_options(context, asked, argc - optind, argv + optind, settings);
  if (status == DORM_OK)
    status = cli_prepare_clicks(context, settings);
  status = cli_agree(status); /* if one process lacks a file, the call ends on all */
  if (status == DORM_OK)
    status = cli_agree(check_paths(context, settings, asked));
  if (status == DORM_OK) {
    set_reading(settings, &asked->reading);
    status = asked->is_stream ? train_stream(context, settings, asked, loudness)
                              : train_with(context, settings, asked, loudness);
  }
  dorm_settings_free(settings);
  return status;
}

int command_train(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "train",
      .synopsis = "dorm train [CONFIG] [TRAIN [VALIDATION]] [-s KEY=VALUE]... [OPTION]...",
      .about = "Trains with every combination of the settings that are lists, writes one model and prints what it is "
               "worth. CONFIG is an INI file whose name ends in .ini or .conf; -s overrides it. TRAIN and "
               "VALIDATION are data files, as data.train and data.validation name them; - is standard input.",
      .after =
          "Ctrl-C, SIGTERM and SIGHUP end training with a model of the candidates made by then (exit code 1). During "
          "cross-validation the model is:\n"
          "- with trees, the means over the finished folds\n"
          "- with a kernel, nets or solver.start = zero, the candidates of one fold\n"
          "- otherwise the ridge start on all training data, chosen by the finished folds",
      .settings = ""};
  train_options asked = {.is_quiet = false};
  const cli_option options[] = {
      CLI_CONFIG_OPTION(&asked.config),
      CLI_SET_OPTION(&asked.assignments),
      CLI_OPTION("output", 'o', CLI_TEXT, &asked.model, "MODEL", "writes the model there (output.model)"),
      CLI_OPTION("measure", 'm', CLI_TEXT, &asked.measure, "MEASURE",
                 "chooses candidates by this measure, for example ndcg@10 (selection.measure)"),
      CLI_OPTION("trainer", 0, CLI_TEXT, &asked.trainer, "TRAINER",
                 "auto, svm, ridge, smooth, adarank, trees or net (training.trainer)"),
      CLI_OPTION("folds", 0, CLI_TEXT, &asked.folds, "N", "cross-validates by N folds (selection.folds)"),
      CLI_OPTION("budget", 0, CLI_TEXT, &asked.budget, "TIME",
                 "time for training, as in 30s, 5m or quick (training.budget)"),
      CLI_OPTION("seed", 0, CLI_TEXT, &asked.seed, "N", "seed of all random numbers (training.seed)"),
      CLI_OPTION("threads", 't', CLI_TEXT, &asked.threads, "N",
                 "number of threads, 0: one for each processor (solver.threads)"),
      CLI_OPTION("for-serving", 0, CLI_FLAG, &asked.for_serving, NULL,
                 "makes a model that scores a document by its own features, so that dorm export takes it: "
                 "data.normalisation = global-minmax, data.rank_block = 0, trees.raw_values = yes"),
      CLI_OPTION(
          "stream", 0, CLI_FLAG, &asked.is_stream, NULL,
          "learns from the queries of TRAIN, a file or a pipe, one after the other, and writes the model again and "
          "again (settings stream.*); a signal ends it with a model and exit code 0"),
      CLI_OPTION("resume", 'r', CLI_FLAG, &asked.resumes, NULL, "continues from output.checkpoint if that file exists"),
      CLI_OPTION("overwrite", 0, CLI_FLAG, &asked.overwrites, NULL,
                 "starts anew, and replaces output.checkpoint if that file exists"),
      CLI_OPTION("quiet", 'q', CLI_FLAG, &asked.is_quiet, NULL, "prints no progress on standard error"),
      CLI_OPTION("verbose", 'v', CLI_FLAG, &asked.is_verbose, NULL,
                 "prints each candidate, a table of the ten best, and how they were made"),
      CLI_OPTION("log", 'l', CLI_TEXT, &asked.log_path, "FILE",
                 "writes one JSON object for each pass and each candidate, and one for what was chosen"),
      CLI_OPTION("not-worse-than", 0, CLI_TEXT, &asked.not_worse_than, "logged",
                 "keeps the validation data and clicks from training and writes MODEL.refused, with exit code 1, "
                 "unless they show that the model ranks as well as what users saw"),
      CLI_OPTION("report", 0, CLI_TEXT, &asked.report_path, "FILE",
                 "writes a page of HTML about the data, the candidates, the model and its value (dorm report)"),
      CLI_COLUMN_OPTIONS(&asked.reading),
      CLI_NO_MORE};
  cli_take_options(&usage, options, argc, argv);
  return (int)run(context, argc, argv, &asked);
}
