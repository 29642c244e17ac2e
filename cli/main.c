/* main.c: `dorm SUBCOMMAND ...`. */
#include "cli/cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static const cli_command commands[] = {
    {"train", "train a ranker on data files", command_train},
    {"predict", "score the documents of a data set with a model", command_predict},
    {"split", "split a data file into training, validation and test data", command_split},
    {"data", "describe a data file, or compare two", command_data},
    {"eval", "measure how well scores or a model rank a data set", command_eval},
    {"export", "write a model for a search engine, XGBoost, ONNX, or as C", command_export},
    {"report", "write a page of HTML about a model and its data", command_report},
    {"show", "print the settings, parts and weights of a model", command_show},
    {"losses", "list losses and measures, or check a loss module", command_losses},
    {"kernels", "list kernels, or check a kernel module", command_kernels},
    {"lambdas", "list gradient functions, or check one", command_lambdas},
    {"gradients", "print gradients on the scores of a data set", command_gradients},
    {"probe", "say whether a model is a local optimum of a measure", command_probe},
    {"allocate", "find rankings that give groups of documents their share of exposure", command_allocate},
    {"certify", "state how good a model is on new queries, with a confidence", command_certify},
    {"cache", "turn a data file into a binary file that loads faster", command_cache},
    {"ratings", "turn ratings of items by users into ranking data", command_ratings},
    {"factorize", "learn to rank from ratings alone, by ranking matrix factorisation", command_factorize},
    {"recommend", "rank items for users, known or new, by a factorisation", command_recommend},
    {"generate", "make artificial ranking data", command_generate},
};

enum { NUM_COMMANDS = sizeof commands / sizeof *commands };

/* The log of the library for commands without a log function of their own. */
static void print_warning(void *user, const dorm_event *event)
{
  (void)user;
  if (event->kind == DORM_EVENT_WARNING)
    cli_print(stderr, "dorm: warning: %s\n", event->text);
}

static int print_help(void)
{
  cli_print(stdout,
            "dorm %s: learns to rank by optimising the ranking measure itself\n\n"
            "usage: dorm COMMAND [ARGUMENT]...\n\n",
            dorm_version());
  for (size_t i = 0; i < NUM_COMMANDS; i++)
    cli_print(stdout, "  %-10s %s\n", commands[i].name, commands[i].summary);
  printf("\n  dorm help COMMAND, or dorm COMMAND --help, explains a command, dorm help\n"
         "  SETTING a setting, dorm help config and dorm help formats the files.\n\n"
         "A short option means the same in every command: -c configuration, -h help,\n"
         "-j JSON, -l log, -m measure, -o output, -p table per query, -q quiet,\n"
         "-r resume, -s set, -t threads. Where a command reads data, the file - is\n"
         "standard input.\n\n"
         "Exit codes: 0 success, 1 stopped before the gap was reached, 2 wrong usage,\n"
         "3 cannot read or write a file, 4 bad data or model, 5 numerical failure,\n"
         "6 bad module, 7 out of memory or threads.\n");
  return cli_flush(DORM_OK);
}

static int unknown_command(const char *name)
{
  const char *names[NUM_COMMANDS];
  for (size_t i = 0; i < NUM_COMMANDS; i++)
    names[i] = commands[i].name;
  const char *nearest = dorm_nearest_word(name, NUM_COMMANDS, names);
  if (nearest)
    return cli_usage_error("no command '%s'; did you mean '%s'?", name, nearest);
  return cli_usage_error("no command '%s'; dorm --help lists the commands", name);
}

/* ---- Limits of the system -------------------------------------------------------------- */

static void no_buffer(int signal_number)
{
  (void)signal_number;
  cli_run_out("dorm: out of memory: OpenBLAS gets no buffer: raise the limit on address space (ulimit -v)\n");
}

/* Starts BLAS within five seconds of processor time. OpenBLAS retries forever if the system refuses memory for its
 * buffers. */
static void start_blas(void)
{
  static const struct itimerval limit = {.it_value.tv_sec = 5}, never;
  signal(SIGPROF, no_buffer);
  setitimer(ITIMER_PROF, &limit, NULL);
  dorm_set_blas_threads(1); /* makes results repeatable (dorm has its own threads: solver.threads, --threads) */
  dorm_end_blas_threads();
  setitimer(ITIMER_PROF, &never, NULL);
  signal(SIGPROF, SIG_DFL);
}

int main(int argc, char **argv)
{
  start_blas();
  static char help_option[] = "--help";
  char *help_words[] = {NULL, NULL, help_option, NULL};
  bool asks_for_help = argc > 1 && strcmp(argv[1], "help") == 0;
  const char *name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || (asks_for_help && argc == 2))
    return print_help();
  if (asks_for_help) { /* dorm help train is dorm train --help */
    name = help_words[1] = argv[2];
    argc = 3;
    argv = help_words;
  }
  if (strcmp(name, "--version") == 0) {
    cli_print(stdout, "dorm %s\n", dorm_version());
    return cli_flush(DORM_OK);
  }
  for (size_t i = 0; i < NUM_COMMANDS; i++) {
    if (strcmp(name, commands[i].name) != 0)
      continue;
    signal(SIGXFSZ, SIG_IGN); /* a file that exceeds the size limit is then a write error */
    dorm_context *context = dorm_context_new();
    if (!context)
      return cli_out_of_memory();
    dorm_context_set_log(context, print_warning, NULL);
    dorm_context_guard_inputs(context);
    if (!cli_processes_start(context, &argc, &argv))
      return cli_out_of_memory();
    cli_begin(context);
    bool is_here = strcmp(name, "train") == 0 || strcmp(cli_program(), "dorm") == 0;
    if (!is_here)
      cli_end(cli_usage_error("%s trains; for '%s' take dorm, which is one process", cli_program(), name));
    cli_end(commands[i].run(context, argc - 1, argv + 1));
  }
  if (asks_for_help && cli_print_topic(name))
    return cli_flush(DORM_OK);
  if (*name)
    return unknown_command(name);
  return cli_usage_error("no command given; dorm --help lists the commands");
}
