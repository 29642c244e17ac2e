/* probe.c: `dorm probe`: is a model a local optimum of a measure? probe_output.c prints what was found. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 100 };
enum {
  OPTION_DIRECTIONS = 1500,
  OPTION_EPSILON,
  OPTION_DELTA,
  OPTION_STEPS,
  OPTION_NO_SINGLE,
  OPTION_SEED,
  OPTION_PLOT,
  OPTION_MODULE,
  OPTION_IGNORE
};

typedef struct probe_command {
  const char *measure; /* NULL: the one that the model was chosen by */
  const char *plot;    /* NULL: none */
  bool as_json;
  double steps[MOST_STEPS];
  dorm_probe_options probe;
  size_t num_modules;
  const char *modules[CLI_MOST_MODULES];
  bool ignores_weights;
} probe_command;

static int print_help(void)
{
  printf("usage: dorm probe MODEL DATA [-m MEASURE] [--directions K] [--steps LIST] [--no-single]\n"
         "                  [--epsilon E] [--delta D] [--seed N] [--threads N] [--json]\n"
         "                  [--plot FILE] [--module FILE]...\n\n"
         "Says whether the weights of a model are a local optimum of a measure on DATA, by the test of\n"
         "Donmez, Svore and Burges (2009): moves all weights along random directions, and each weight\n"
         "alone up and down, by steps that are absolute and in units of |w|, the length of all weights,\n"
         "and prints how many of the moves make the measure better. If none of K = ln D / ln(1 - E)\n"
         "directions does, fewer than a share E of all directions do, with confidence 1 - D. Linear\n"
         "models, kernels and nets have weights; trees have none. Give it the training data: what is an\n"
         "optimum there need be none elsewhere.\n\n"
         "  -m, --measure MEASURE  the measure (the one that the model was chosen by)\n"
         "      --directions K     number of random directions (459, from E and D)\n"
         "      --epsilon E        share of directions that may go unnoticed (0.01)\n"
         "      --delta D          probability that more do (0.01)\n"
         "      --steps LIST       steps, separated by commas (0.001, 0.01, 0.1, 0.2, ..., 1)\n"
         "      --no-single        does not move single weights\n"
         "      --ignore-weights   does not read DATA.weight: every query counts the same\n"
         "      --seed N           seed of the directions (1)\n"
         "  -t, --threads N        number of threads, 0: one for each processor (0); the numbers are the\n"
         "                         same for any number\n"
         "  -j, --json             prints one JSON object, with the measure along four directions\n"
         "      --plot FILE        writes a gnuplot script that draws the measure along four directions\n"
         "      --module FILE      a Gram matrix or kernel module that the model needs\n");
  return DORM_OK;
}

static bool parse_number(const char *text, double *value)
{
  char *end;
  errno = 0;
  *value = strtod(text, &end);
  return end != text && !*end && !errno;
}

/* Reads numbers that are separated by commas. */
static int take_steps(probe_command *command, const char *text)
{
  char *copy = strdup(text);
  int status = copy ? DORM_OK : cli_out_of_memory();
  command->probe.num_steps = 0;
  command->probe.steps = command->steps;
  for (char *rest = copy, *word; status == DORM_OK && (word = strsep(&rest, ",")) != NULL;) {
    double step;
    if (command->probe.num_steps == MOST_STEPS)
      status = cli_usage_error("probe: --steps has more than %d numbers", MOST_STEPS);
    else if (!parse_number(word, &step) || !(step > 0))
      status = cli_usage_error("probe: --steps: '%s' is not a number above 0", word);
    else
      command->steps[command->probe.num_steps++] = step;
  }
  free(copy);
  return status;
}

static int take_share(const char *name, const char *text, double *share)
{
  if (!parse_number(text, share) || !(*share > 0 && *share < 1))
    return cli_usage_error("probe: --%s %s is not a number between 0 and 1", name, text);
  return DORM_OK;
}

static int take_count(const char *name, const char *text, unsigned long long least, unsigned long long *count)
{
  if (!cli_parse_count(text, count) || *count < least || *count > 1000000000)
    return cli_usage_error("probe: --%s %s is not a whole number from %llu to 1000000000", name, text, least);
  return DORM_OK;
}

static int take_option(probe_command *command, const struct option *names, int option, const char *text)
{
  unsigned long long count = 0;
  int status = DORM_OK;
  switch (option) {
  case 'm':
    command->measure = text;
    break;
  case 'j':
    command->as_json = true;
    break;
  case OPTION_PLOT:
    command->plot = text;
    break;
  case OPTION_IGNORE:
    command->ignores_weights = true;
    break;
  case OPTION_NO_SINGLE:
    command->probe.skips_single = 1;
    break;
  case OPTION_STEPS:
    return take_steps(command, text);
  case OPTION_EPSILON:
    return take_share("epsilon", text, &command->probe.epsilon);
  case OPTION_DELTA:
    return take_share("delta", text, &command->probe.delta);
  case OPTION_MODULE:
    if (command->num_modules == CLI_MOST_MODULES)
      return cli_usage_error("probe: more than %d modules", CLI_MOST_MODULES);
    command->modules[command->num_modules++] = text;
    break;
  case 't':
    if (!cli_parse_threads(text, &command->probe.num_threads))
      return cli_usage_error("probe: --threads %s is not a whole number from 0 to 1024", text);
    break;
  default:
    status = take_count(cli_option_name(names, option), text, option == OPTION_DIRECTIONS, &count);
    if (option == OPTION_DIRECTIONS)
      command->probe.num_directions = (size_t)count;
    else
      command->probe.seed = count;
  }
  return status;
}

static dorm_status print(dorm_context *context, const probe_command *command, const dorm_probe *probe)
{
  dorm_status status = DORM_OK;
  if (command->plot)
    status = cli_write_probe_plot(context, probe, command->plot);
  if (status == DORM_OK && command->as_json && !cli_write_probe_json(stdout, probe))
    status = (dorm_status)cli_out_of_memory();
  if (status == DORM_OK && !command->as_json)
    cli_print_probe(probe);
  return status;
}

static dorm_status run(dorm_context *context, const probe_command *command, const char *model_path, const char *data)
{
  dorm_read_options read_options = {.struct_size = sizeof read_options,
                                    .num_threads = command->probe.num_threads,
                                    .ignore_weights = command->ignores_weights};
  dorm_model *model = NULL;
  dorm_dataset *dataset = NULL;
  dorm_probe *probe = NULL;
  dorm_settings *settings = NULL;
  const char *measure = command->measure;
  dorm_status status = cli_read_model(context, model_path, command->num_modules, command->modules, &model);
  if (status == DORM_OK)
    status = dorm_dataset_read_with(context, data, &read_options, &dataset);
  if (status == DORM_OK && !measure)
    status = cli_measure_of_model(context, model, &settings, &measure);
  if (status == DORM_OK)
    status = dorm_model_probe(context, model, dataset, measure, &command->probe, &probe);
  if (status != DORM_OK)
    cli_failure(context, status);
  else
    status = print(context, command, probe);
  dorm_settings_free(settings);
  dorm_probe_free(probe);
  dorm_dataset_free(dataset);
  dorm_model_free(model);
  return status;
}

int command_probe(dorm_context *context, int argc, char **argv)
{
  static const struct option names[] = {{"measure", required_argument, NULL, 'm'},
                                        {"directions", required_argument, NULL, OPTION_DIRECTIONS},
                                        {"epsilon", required_argument, NULL, OPTION_EPSILON},
                                        {"delta", required_argument, NULL, OPTION_DELTA},
                                        {"steps", required_argument, NULL, OPTION_STEPS},
                                        {"no-single", no_argument, NULL, OPTION_NO_SINGLE},
                                        {"seed", required_argument, NULL, OPTION_SEED},
                                        {"threads", required_argument, NULL, 't'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"plot", required_argument, NULL, OPTION_PLOT},
                                        {"module", required_argument, NULL, OPTION_MODULE},
                                        {"ignore-weights", no_argument, NULL, OPTION_IGNORE},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  probe_command command = {.probe.struct_size = sizeof command.probe, .probe.seed = 1};
  int option;
  while ((option = getopt_long(argc, argv, "m:t:jh", names, NULL)) != -1) {
    if (option == 'h')
      return print_help();
    if (option == '?')
      return DORM_BAD_USAGE;
    int status = take_option(&command, names, option, optarg);
    if (status != DORM_OK)
      return status;
  }
  if (optind + 2 != argc)
    return cli_usage_error("probe: needs MODEL and DATA, not %d arguments", argc - optind);
  return (int)run(context, &command, argv[optind], argv[optind + 1]);
}
