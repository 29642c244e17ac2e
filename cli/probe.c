/* probe.c: `dorm probe`: tests whether a model is a local optimum of a measure. Prints a table, a plot for gnuplot, or
 * JSON. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Output ------------------------------------------------------------ */

static void print_rows(const dorm_probe_moves *moves, bool has_bounds)
{
  cli_print(stdout, "%-12s %8s %8s %8s %13s%s\n", "step", "better", "equal", "worse", "largest gain",
            has_bounds ? "   share of directions" : "");
  for (size_t r = 0; r < moves->num_rows; r++) {
    const dorm_probe_row *row = &moves->rows[r];
    char step[40];
    snprintf(step, sizeof step, "%g%s", row->step, 2 * r < moves->num_rows ? "" : " |w|");
    cli_print(stdout, "%-12s %8zu %8zu %8zu %13.4g", step, row->num_better, row->num_equal, row->num_worse,
              row->largest_gain);
    if (has_bounds)
      printf("   %.2f to %.2f %%", 100 * row->least_share, 100 * row->most_share);
    printf("\n");
  }
}

/* The number of directions along which the measure is not lower at one step at least. Donmez, Svore and Burges count
 * them as rising. */
static size_t count_level(const dorm_probe *probe)
{
  size_t num_rows = probe->directions.num_rows, count = 0;
  double sign = probe->lower_is_better ? -1 : 1;
  double least = sign * probe->value - 1e-12 * fmax(1, fabs(probe->value));
  for (size_t c = 0; c < probe->directions.num_moves; c++) {
    size_t r = 0;
    while (r < num_rows && sign * probe->curves[c * num_rows + r] < least)
      r++;
    count += r < num_rows;
  }
  return count;
}

/* The statement of the test: what the moves say of all directions. */
static void print_statement(const dorm_probe *probe)
{
  const dorm_probe_moves *moves = &probe->directions;
  int size = cli_short_measure(probe->measure);
  double confidence = 100 * (1 - probe->delta);
  printf("\n");
  if (!moves->num_rising)
    cli_print_lines(stdout, 0,
                    "No step along any of %zu directions makes %.*s better: with a confidence of %g %%, fewer than "
                    "%.3g %% of all directions do. By this test the weights are a local optimum.",
                    moves->num_moves, size, probe->measure, confidence, 100 * moves->most_share);
  else
    cli_print_lines(stdout, 0,
                    "%zu of %zu directions make %.*s better at one step at least: with a confidence of %g %% for each "
                    "bound, %.3g to %.3g %% of all directions do. The weights are no local optimum at these steps.",
                    moves->num_rising, moves->num_moves, size, probe->measure, confidence, 100 * moves->least_share,
                    100 * moves->most_share);
  cli_print_lines(stdout, 0, "If an equal value counts as a rise, as in the paper, %zu of %zu directions rise.",
                  count_level(probe), moves->num_moves);
  if (probe->singles.num_moves)
    printf("Of %zu moves of a single weight %zu do.\n", probe->singles.num_moves, probe->singles.num_rising);
}

static void print_probe(const dorm_probe *probe)
{
  cli_print_lines(stdout, 0, "%.*s = %.6f at %zu weights of length |w| = %.6g%s", cli_short_measure(probe->measure),
                  probe->measure, probe->value, probe->num_weights, probe->norm,
                  probe->lower_is_better ? "; less is better" : "");
  printf("\n");
  cli_print_lines(stdout, 0,
                  "%zu random directions; bounds of the share of directions that are better hold with %g %% each",
                  probe->directions.num_moves, 100 * (1 - probe->delta));
  print_rows(&probe->directions, true);
  if (probe->singles.num_moves) {
    printf("\n%zu weights, one at a time, up and down\n", probe->num_weights);
    print_rows(&probe->singles, false);
  }
  print_statement(probe);
}

/* Writes a text safely for gnuplot: on one line, in single quotes, with quotes inside doubled. All text from elsewhere
 * must be written by this function. */
static void write_quoted(FILE *file, const char *text, int size)
{
  fputc('\'', file);
  for (int i = 0; i < size; i++) {
    if (text[i] == '\'')
      fputc('\'', file);
    fputc((unsigned char)text[i] < ' ' ? ' ' : text[i], file);
  }
  fputc('\'', file);
}

/* The data of a curve from row `first` on, at absolute lengths. */
static void write_curve(FILE *file, const dorm_probe *probe, size_t curve, size_t first, size_t count)
{
  const double *values = probe->curves + curve * probe->directions.num_rows;
  fprintf(file, "$%s%zu << END\n0 %.17g\n", first ? "relative" : "absolute", curve + 1, probe->value);
  for (size_t r = first; r < first + count; r++)
    fprintf(file, "%.17g %.17g\n", probe->directions.rows[r].step, values[r]);
  fprintf(file, "END\n");
}

static void write_plot(dorm_context *context, const dorm_probe *probe, const char *path)
{
  size_t half = probe->directions.num_rows / 2;
  size_t num_curves = probe->directions.num_moves < CLI_PROBE_CURVES ? probe->directions.num_moves : CLI_PROBE_CURVES;
  FILE *file = NULL;
  cli_expect(cli_open_output(context, path, &file));
  fprintf(file, "# Written by dorm %s. gnuplot -e \"set terminal svg size 900,360; set output 'probe.svg'\" FILE\n",
          dorm_version());
  for (size_t c = 0; c < num_curves; c++) {
    write_curve(file, probe, c, 0, half);
    write_curve(file, probe, c, half, half);
  }
  fprintf(file, "set multiplot layout 1,2\nset ylabel ");
  write_quoted(file, probe->measure, cli_short_measure(probe->measure));
  fprintf(file, " noenhanced\nunset key\n");
  for (size_t relative = 0; relative < 2; relative++) {
    fprintf(file, "set xlabel \"%s\"\nplot ", relative ? "step in units of |w|" : "step");
    for (size_t c = 0; c < num_curves; c++)
      fprintf(file, "%s$%s%zu with linespoints", c ? ", " : "", relative ? "relative" : "absolute", c + 1);
    fprintf(file, "\n");
  }
  fprintf(file, "unset multiplot\n");
  cli_expect(cli_close_output(file, path));
}

/* ---- The command ------------------------------------------------------------ */

enum { MOST_STEPS = 100 };
typedef struct probe_command {
  const char *measure; /* or NULL for the one that selected the model */
  const char *plot;    /* or NULL */
  bool as_json;
  double steps[MOST_STEPS];
  dorm_probe_options probe;
  dorm_read_options reading;
  cli_texts modules;
} probe_command;

/* Reads numbers separated by commas. */
static int take_steps(void *target, const char *text)
{
  probe_command *command = target;
  size_t size = strlen(text) + 1;
  char *copy = memcpy(cli_alloc(size, 1), text, size);
  int status = DORM_OK;
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

static void run(dorm_context *context, probe_command *command, const char *model_path, const char *data)
{
  dorm_probe *probe = NULL;
  dorm_settings *settings = NULL;
  dorm_model *model = cli_read_model(context, model_path, &command->modules);
  dorm_dataset *dataset = cli_read_data(context, model, data, &command->reading);
  const char *measure = command->measure ? command->measure : cli_measure_of_model(context, model, &settings);
  cli_check(context, dorm_model_probe(context, model, dataset, measure, &command->probe, &probe));
  if (command->plot)
    write_plot(context, probe, command->plot);
  if (command->as_json)
    cli_write_probe_json(stdout, probe);
  else
    print_probe(probe);
  dorm_settings_free(settings);
  dorm_probe_free(probe);
  dorm_dataset_free(dataset);
  dorm_model_free(model);
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
  probe_command command = {.probe = {.struct_size = sizeof command.probe, .seed = 1}};
  const cli_option options[] = {
      CLI_OPTION("measure", 'm', CLI_TEXT, &command.measure, "MEASURE",
                 "the measure (the one that the model was chosen by)"),
      CLI_BOUNDED("directions", 0, CLI_SIZE, &command.probe.num_directions, "K",
                  "number of random directions (459, from E and D)", 1, 1e9),
      CLI_BOUNDED("epsilon", 0, CLI_NUMBER, &command.probe.epsilon, "E",
                  "share of directions that may go unnoticed (0.01)", 1e-9, 0.999999),
      CLI_BOUNDED("delta", 0, CLI_NUMBER, &command.probe.delta, "D", "probability that more do (0.01)", 1e-9, 0.999999),
      CLI_TAKEN("steps", 0, take_steps, &command, "LIST", "steps, separated by commas (0.001, 0.01, 0.1, 0.2, ..., 1)"),
      CLI_OPTION("no-single", 0, CLI_SWITCH, &command.probe.skips_single, NULL, "does not move single weights"),
      CLI_OPTION("ignore-weights", 0, CLI_SWITCH, &command.reading.ignore_weights, NULL,
                 "does not read DATA.weight: every query counts the same"),
      CLI_BOUNDED("seed", 0, CLI_SEED, &command.probe.seed, "N", "seed of the directions (1)", 0, 1e9),
      CLI_THREADS_OPTION(&command.probe.num_threads),
      CLI_OPTION("json", 'j', CLI_FLAG, &command.as_json, NULL,
                 "prints one JSON object, with the measure along four directions"),
      CLI_OPTION("plot", 0, CLI_TEXT, &command.plot, "FILE",
                 "writes a gnuplot script that draws the measure along four directions"),
      CLI_MODULE_OPTION(&command.modules),
      CLI_NO_MORE};
  cli_take_options(&usage, options, argc, argv);
  if (optind + 2 != argc)
    return cli_usage_error("probe: needs MODEL and DATA, not %d arguments", argc - optind);
  command.reading.num_threads = command.probe.num_threads;
  run(context, &command, argv[optind], argv[optind + 1]);
  return DORM_OK;
}
