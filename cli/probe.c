/* probe.c: `dorm probe`: is a model a local optimum of a measure? probe_output.c prints what was found. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_STEPS = 100 };
typedef struct probe_command {
  const char *measure; /* NULL: the one that the model was chosen by */
  const char *plot;    /* NULL: none */
  bool as_json;
  double steps[MOST_STEPS];
  dorm_probe_options probe;
  cli_texts modules;
  unsigned long long num_directions, seed;
  bool skips_single;
  bool ignores_weights;
} probe_command;

/* Reads numbers that are separated by commas. */
static int take_steps(void *target, const char *text)
{
  probe_command *command = target;
  char *copy = strdup(text);
  int status = copy ? DORM_OK : cli_out_of_memory();
  command->probe.num_steps = 0;
  command->probe.steps = command->steps;
  for (char *rest = copy, *word; status == DORM_OK && (word = strsep(&rest, ",")) != NULL;) {
    double step;
    if (command->probe.num_steps == MOST_STEPS)
      status = cli_usage_error("probe: --steps has more than %d numbers", MOST_STEPS);
    else if (!cli_parse_number(word, &step) || !(step > 0))
      status = cli_usage_error("probe: --steps: '%s' is not a number above 0", word);
    else
      command->steps[command->probe.num_steps++] = step;
  }
  free(copy);
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
  dorm_status status = cli_read_model(context, model_path, &command->modules, &model);
  if (status == DORM_OK) {
    read_options.columns = dorm_model_setting(model, "data.columns");
    status = dorm_dataset_read_with(context, data, &read_options, &dataset);
  }
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
  static const cli_usage usage = {
      .command = "probe",
      .synopsis = "dorm probe MODEL DATA [-m MEASURE] [OPTION]...",
      .about =
          "Says whether the weights of a model are a local optimum of a measure on DATA, by the test of Donmez, Svore "
          "and Burges (2009): moves all weights along random directions, and each weight alone up and down, by steps "
          "that are absolute and in units of |w|, the length of all weights, and prints how many of the moves make the "
          "measure better. If none of K = ln D / ln(1 - E) directions does, fewer than a share E of all directions do, "
          "with confidence 1 - D. Linear models, kernels and nets have weights; trees have none. Give it the training "
          "data: what is an optimum there need be none elsewhere."};
  probe_command command = {.probe.struct_size = sizeof command.probe, .seed = 1};
  const cli_option options[] = {
      CLI_OPTION("measure", 'm', CLI_TEXT, &command.measure, "MEASURE",
                 "the measure (the one that the model was chosen by)"),
      CLI_BOUNDED("directions", 0, CLI_COUNT, &command.num_directions, "K",
                  "number of random directions (459, from E and D)", 1, 1e9),
      CLI_BOUNDED("epsilon", 0, CLI_NUMBER, &command.probe.epsilon, "E",
                  "share of directions that may go unnoticed (0.01)", 1e-9, 0.999999),
      CLI_BOUNDED("delta", 0, CLI_NUMBER, &command.probe.delta, "D", "probability that more do (0.01)", 1e-9, 0.999999),
      CLI_TAKEN("steps", 0, take_steps, &command, "LIST", "steps, separated by commas (0.001, 0.01, 0.1, 0.2, ..., 1)"),
      CLI_OPTION("no-single", 0, CLI_FLAG, &command.skips_single, NULL, "does not move single weights"),
      CLI_OPTION("ignore-weights", 0, CLI_FLAG, &command.ignores_weights, NULL,
                 "does not read DATA.weight: every query counts the same"),
      CLI_BOUNDED("seed", 0, CLI_COUNT, &command.seed, "N", "seed of the directions (1)", 0, 1e9),
      CLI_THREADS_OPTION(&command.probe.num_threads),
      CLI_OPTION("json", 'j', CLI_FLAG, &command.as_json, NULL,
                 "prints one JSON object, with the measure along four directions"),
      CLI_OPTION("plot", 0, CLI_TEXT, &command.plot, "FILE",
                 "writes a gnuplot script that draws the measure along four directions"),
      CLI_MODULE_OPTION(&command.modules),
      CLI_NO_MORE};
  int ended = cli_take_options(&usage, options, argc, argv);
  if (ended != CLI_RUN)
    return ended;
  command.probe.num_directions = (size_t)command.num_directions;
  command.probe.seed = command.seed;
  command.probe.skips_single = command.skips_single;
  if (optind + 2 != argc)
    return cli_usage_error("probe: needs MODEL and DATA, not %d arguments", argc - optind);
  return (int)run(context, &command, argv[optind], argv[optind + 1]);
}
