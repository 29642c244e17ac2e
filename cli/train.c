/* train.c: `dorm train`. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPTION_SERVING = 1300 };

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal_number)
{
  (void)signal_number;
  is_interrupted = 1;
}

static int asked_to_stop(void *user)
{
  (void)user;
  return is_interrupted;
}

/* The first Ctrl-C or SIGTERM lets training end cleanly with a model, the second ends the process. */
static void watch_signals(void)
{
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  struct sigaction before;
  sigemptyset(&action.sa_mask);
  /* A shell makes commands in the background ignore Ctrl-C; that stays so. */
  if (sigaction(SIGINT, NULL, &before) != 0 || before.sa_handler != SIG_IGN)
    sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

static int print_help(void)
{
  printf("usage: dorm train [CONFIG] [-s SECTION.KEY=VALUE]... [--for-serving] [--resume] [--quiet]\n"
         "                  [--log FILE]\n\n"
         "Trains with every combination of the settings that are lists, prints a table of the\n"
         "candidates and writes one model. CONFIG is an INI file; -s overrides it.\n\n"
         "  -s, --set KEY=VALUE  sets one setting\n"
         "      --for-serving    makes a model that scores a document by its own features, so that\n"
         "                       dorm export takes it: data.normalisation = global-minmax,\n"
         "                       data.rank_block = 0\n"
         "  -r, --resume         continues from output.checkpoint if that file exists\n"
         "  -q, --quiet          prints no progress on standard error\n"
         "  -l, --log FILE       writes one JSON object for each pass and each candidate\n\n");
  cli_print_settings(NULL);
  return DORM_OK;
}

/* Checks before hours of training that a file can be written there. */
static dorm_status check_writable(const char *path)
{
  struct stat about;
  char *copy = strdup(path);
  if (!copy)
    return (dorm_status)cli_out_of_memory();
  int error = access(dirname(copy), W_OK) == 0 ? 0 : errno;
  free(copy);
  if (!error && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
    error = EISDIR;
  if (!error)
    return DORM_OK;
  fprintf(stderr, "dorm: %s: cannot write here: %s\n", path, strerror(error));
  return DORM_IO_ERROR;
}

static dorm_status check_outputs(const dorm_settings *settings)
{
  const char *model = dorm_settings_get(settings, "output.model");
  const char *checkpoint = dorm_settings_get(settings, "output.checkpoint");
  if (!*model || strcmp(model, "-") == 0)
    return (dorm_status)cli_usage_error("output.model = '%s': name a file for the model", model);
  dorm_status status = check_writable(model);
  return status == DORM_OK && *checkpoint ? check_writable(checkpoint) : status;
}

static void print_candidates(const dorm_training *training)
{
  printf("  nr reference  weights    trunc ranks      C round       primal         dual      gap passes columns "
         "validation\n");
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    const dorm_candidate *candidate = dorm_training_candidate(training, i);
    const dorm_certificate *certificate = &candidate->certificate;
    if (candidate->round)
      printf("%4zu %-10s %-10s %5zu %5g %6g %5zu %12.6g %12.6g %8.2e %6zu %7zu", candidate->number,
             candidate->reference, candidate->position_weights, candidate->truncation, candidate->rank_block,
             candidate->C, candidate->round, certificate->primal, certificate->dual, certificate->gap,
             certificate->iterations, certificate->num_columns);
    else
      printf("%4zu %-27s %5g %67s", candidate->number, "start (query-centred ridge)", candidate->rank_block, "");
    if (isfinite(candidate->validation))
      printf("     %.4f", candidate->validation);
    printf("%s\n", candidate->is_selected ? " *" : "");
  }
}

/* Prints one line per kernel; the candidates of one kernel follow each other. */
static void print_kernels(const dorm_training *training)
{
  size_t count = dorm_training_num_candidates(training);
  if (!count || strcmp(dorm_training_candidate(training, 0)->kernel, "linear") == 0)
    return;
  printf(
      "\nkernels: the trace of the Gram matrix, and what of it the rank leaves out; the optimum for the exact kernel "
      "lies\nat most `below` under the dual value (the largest of the candidates)\n"
      "candidates   rank        trace     residual        below  kernel\n");
  for (size_t i = 0; i < count;) {
    const dorm_candidate *first = dorm_training_candidate(training, i);
    const dorm_candidate *last = first;
    double below = 0;
    for (; i < count && dorm_training_candidate(training, i)->kernel == first->kernel; i++) {
      last = dorm_training_candidate(training, i);
      below = last->kernel_bound > below ? last->kernel_bound : below;
    }
    printf("%4zu - %-4zu %6zu %12.6g %12.6g %12.6g  %s\n", first->number, last->number, first->kernel_rank,
           first->kernel_trace, first->kernel_residual, below, first->kernel);
  }
}

static void print_summary(dorm_context *context, const dorm_training *training, const char *model_path)
{
  size_t num_selected = 0;
  double worst_gap = 0;
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    const dorm_candidate *candidate = dorm_training_candidate(training, i);
    num_selected += candidate->is_selected != 0;
    worst_gap = candidate->certificate.gap > worst_gap ? candidate->certificate.gap : worst_gap;
  }
  printf("\ntrained on %zu queries; largest duality gap %.2e; model = mean of the %zu candidates marked *\n",
         dorm_training_num_training_queries(training), worst_gap, num_selected);
  if (isfinite(dorm_training_validation(training)))
    printf("validation %s = %.4f\n", dorm_model_setting(dorm_training_model(training), "selection.measure"),
           dorm_training_validation(training));
  printf("model written to %s\n", model_path);
  if (dorm_model_check_export(context, dorm_training_model(training)) != DORM_OK)
    printf("dorm export does not take it (%s)\n",
           dorm_model_needs_query(dorm_training_model(training))
               ? "it compares the documents of a query; dorm train --for-serving makes one that does not"
               : "it has kernels; kernel.kernel = linear makes one that has none");
}

static dorm_read_options read_options(const dorm_settings *settings)
{
  const char *storage = dorm_settings_get(settings, "data.storage");
  return (dorm_read_options){
      .num_threads = (size_t)strtoull(dorm_settings_get(settings, "solver.threads"), NULL, 10),
      .storage = strcmp(storage, "dense") == 0    ? DORM_STORAGE_DENSE
                 : strcmp(storage, "sparse") == 0 ? DORM_STORAGE_SPARSE
                                                  : DORM_STORAGE_AUTO,
      .use_cache = strcmp(dorm_settings_get(settings, "data.cache"), "yes") == 0,
      .sort_queries = strcmp(dorm_settings_get(settings, "data.sort_queries"), "yes") == 0,
  };
}

/* Reads the data, trains, and writes the model; the caller frees everything, also on failure. */
static dorm_status train_model(dorm_context *context, const dorm_settings *settings, dorm_dataset **train,
                               dorm_dataset **validation, dorm_training **training)
{
  const char *train_path = dorm_settings_get(settings, "data.train");
  const char *validation_path = dorm_settings_get(settings, "data.validation");
  const char *model_path = dorm_settings_get(settings, "output.model");
  if (!*train_path)
    return (dorm_status)cli_usage_error("data.train is not set: name the training data in CONFIG, or by -s "
                                        "data.train=FILE");
  dorm_status status = check_outputs(settings);
  if (status != DORM_OK)
    return status;
  dorm_read_options options = read_options(settings);
  status = dorm_dataset_read_with(context, train_path, &options, train);
  if (status == DORM_OK && *validation_path)
    status = dorm_dataset_read_with(context, validation_path, &options, validation);
  if (status == DORM_OK)
    status = dorm_dataset_read_groups(context, *train, settings);
  if (status == DORM_OK && *validation)
    status = dorm_dataset_read_groups(context, *validation, settings);
  if (status == DORM_OK)
    status = dorm_train_consuming(context, settings, *train, *validation, training);
  if (status != DORM_OK)
    cli_failure(context, status);
  if (!*training)
    return status;
  dorm_status written = dorm_model_write(context, dorm_training_model(*training), model_path);
  if (written != DORM_OK)
    return (dorm_status)cli_failure(context, written);
  return status;
}

static int train_with(dorm_context *context, const dorm_settings *settings, bool is_quiet, const char *log_path)
{
  cli_progress progress;
  dorm_dataset *train = NULL;
  dorm_dataset *validation = NULL;
  dorm_training *training = NULL;
  dorm_status status = cli_progress_start(&progress, is_quiet, log_path);
  if (status != DORM_OK)
    return (int)status;
  watch_signals();
  dorm_context_set_log(context, cli_progress_event, &progress);
  dorm_context_set_cancel(context, asked_to_stop, NULL);
  status = train_model(context, settings, &train, &validation, &training);
  bool is_logged = cli_progress_end(&progress);
  if (training && (status == DORM_OK || status == DORM_STOPPED)) {
    print_candidates(training);
    print_kernels(training);
    print_summary(context, training, dorm_settings_get(settings, "output.model"));
  }
  if (training && status == DORM_OK) {
    dorm_read_options options = read_options(settings);
    status = cli_report_test(context, settings, &options, dorm_training_model(training));
  }
  if (!is_logged) {
    fprintf(stderr, "dorm: %s: the log could not be written whole\n", log_path);
    status = status == DORM_OK ? DORM_IO_ERROR : status;
  }
  dorm_training_free(training);
  dorm_dataset_free(train);
  dorm_dataset_free(validation);
  return (int)status;
}

int command_train(dorm_context *context, int argc, char **argv)
{
  static const struct option options[] = {
      {"set", required_argument, NULL, 's'},
      {"for-serving", no_argument, NULL, OPTION_SERVING},
      {"resume", no_argument, NULL, 'r'},
      {"quiet", no_argument, NULL, 'q'},
      {"log", required_argument, NULL, 'l'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  static char global[] = "data.normalisation=global-minmax", no_ranks[] = "data.rank_block=0";
  static char resume[] = "output.resume=yes";
  bool is_quiet = false;
  const char *log_path = NULL;
  const char **assignments = calloc(2 * (size_t)argc + 1, sizeof *assignments);
  size_t num_assignments = 0;
  dorm_settings *settings = NULL;
  int status = DORM_OK;
  int option;
  if (!assignments)
    return cli_out_of_memory();
  while (status == DORM_OK && (option = getopt_long(argc, argv, "s:rql:h", options, NULL)) != -1) {
    if (option == 's')
      assignments[num_assignments++] = optarg;
    else if (option == OPTION_SERVING) {
      assignments[num_assignments++] = global;
      assignments[num_assignments++] = no_ranks;
    } else if (option == 'r')
      assignments[num_assignments++] = resume;
    else if (option == 'q')
      is_quiet = true;
    else if (option == 'l')
      log_path = optarg;
    else if (option == 'h') {
      free(assignments);
      return print_help();
    } else
      status = DORM_BAD_USAGE; /* getopt has printed why */
  }
  if (status == DORM_OK)
    status = (int)cli_read_settings(context, "train", argc, argv, num_assignments, assignments, &settings);
  if (status == DORM_OK)
    status = train_with(context, settings, is_quiet, log_path);
  dorm_settings_free(settings);
  free(assignments);
  return status;
}
