/* main.c: `dorm SUBCOMMAND ...`. */
#include "cli/cli.h"

#include <signal.h>
#include <string.h>

static const cli_command commands[] = {
    {"train", "train a ranker from a configuration file", command_train},
    {"predict", "score the documents of a data set with a model", command_predict},
    {"split", "deal a data file into training, validation and test data", command_split},
    {"eval", "measure how well scores or a model rank a data set", command_eval},
    {"export", "write a linear model for a search engine, or as C", command_export},
    {"show", "print the settings, parts and weights of a model", command_show},
    {"losses", "list losses and measures, or check a loss module", command_losses},
    {"kernels", "list kernels, or check a kernel module", command_kernels},
    {"cache", "turn a data file into a binary file that loads faster", command_cache},
    {"ratings", "turn ratings of items by users into ranking data", command_ratings},
    {"factorize", "learn to rank from ratings alone, by ranking matrix factorisation", command_factorize},
    {"recommend", "rank items for users, known or new, by a factorisation", command_recommend},
    {"generate", "make artificial ranking data", command_generate},
};

enum { NUM_COMMANDS = sizeof commands / sizeof *commands };

/* What is heard of the library unless a command listens itself. */
static void print_warning(void *user, const dorm_event *event)
{
  (void)user;
  if (event->kind == DORM_EVENT_WARNING)
    fprintf(stderr, "dorm: warning: %s\n", event->text);
}

static int print_help(void)
{
  printf("dorm %s: learns to rank by optimising the ranking measure itself\n\n"
         "usage: dorm COMMAND [ARGUMENT]...\n\n",
         dorm_version());
  for (size_t i = 0; i < NUM_COMMANDS; i++)
    printf("  %-10s %s\n", commands[i].name, commands[i].summary);
  printf("\n  dorm COMMAND --help explains a command; dorm train --help lists every setting.\n\n"
         "Exit codes: 0 success, 1 stopped before the gap was reached, 2 wrong usage, 3 cannot\n"
         "read or write a file, 4 bad data or model, 5 numerical failure, 6 bad module, 7 out of\n"
         "memory.\n");
  return cli_flush(DORM_OK);
}

int main(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
    return print_help();
  if (strcmp(name, "--version") == 0) {
    printf("dorm %s\n", dorm_version());
    return cli_flush(DORM_OK);
  }
  for (size_t i = 0; i < NUM_COMMANDS; i++) {
    if (strcmp(name, commands[i].name) != 0)
      continue;
    signal(SIGXFSZ, SIG_IGN); /* exceeding the limit on file sizes is then an error of the write */
    dorm_context *context = dorm_context_new();
    if (!context)
      return cli_out_of_memory();
    dorm_context_set_log(context, print_warning, NULL);
    dorm_set_blas_threads(1); /* makes results repeatable; dorm has threads of its own (solver.threads, --threads) */
    int status = commands[i].run(context, argc - 1, argv + 1);
    dorm_context_free(context);
    return cli_flush(status);
  }
  if (*name)
    return cli_usage_error("no command '%s'; dorm --help lists the commands", name);
  return cli_usage_error("no command given; dorm --help lists the commands");
}
