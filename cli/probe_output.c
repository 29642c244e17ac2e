/* probe_output.c: what `dorm probe` prints: a table, the statement that follows from it, and a plot for gnuplot. */
#include "cli/cli.h"

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

/* The statement of the test: what the moves say of all directions. */
static void print_statement(const dorm_probe *probe)
{
  const dorm_probe_moves *moves = &probe->directions;
  int size = cli_short_measure(probe->measure);
  double confidence = 100 * (1 - probe->delta);
  if (!moves->num_rising)
    cli_print(stdout,
              "\nNo step along any of %zu directions makes %.*s better: with a confidence of %g %%, fewer than\n"
              "%.3g %% of all directions do. By this test the weights are a local optimum.\n",
              moves->num_moves, size, probe->measure, confidence, 100 * moves->most_share);
  else
    cli_print(stdout,
              "\n%zu of %zu directions make %.*s better at one step at least: with a confidence of %g %% for each\n"
              "bound, %.3g to %.3g %% of all directions do. The weights are no local optimum at these steps.\n",
              moves->num_rising, moves->num_moves, size, probe->measure, confidence, 100 * moves->least_share,
              100 * moves->most_share);
  if (probe->singles.num_moves)
    printf("Of %zu moves of a single weight %zu do.\n", probe->singles.num_moves, probe->singles.num_rising);
}

void cli_print_probe(const dorm_probe *probe)
{
  cli_print(stdout, "%.*s = %.6f at %zu weights of length |w| = %.6g%s\n\n", cli_short_measure(probe->measure),
            probe->measure, probe->value, probe->num_weights, probe->norm,
            probe->lower_is_better ? "; less is better" : "");
  printf("%zu random directions; bounds of the share of directions that are better hold with %g %% each\n",
         probe->directions.num_moves, 100 * (1 - probe->delta));
  print_rows(&probe->directions, true);
  if (probe->singles.num_moves) {
    printf("\n%zu weights, one at a time, up and down\n", probe->num_weights);
    print_rows(&probe->singles, false);
  }
  print_statement(probe);
}

/* Writes a text as gnuplot reads it without running anything: in single quotes, which are doubled, on one line. Every
 * text that comes from elsewhere goes through here. */
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

dorm_status cli_write_probe_plot(dorm_context *context, const dorm_probe *probe, const char *path)
{
  size_t half = probe->directions.num_rows / 2;
  size_t num_curves = probe->directions.num_moves < CLI_PROBE_CURVES ? probe->directions.num_moves : CLI_PROBE_CURVES;
  FILE *file = NULL;
  dorm_status status = cli_open_output(context, path, &file);
  if (status != DORM_OK)
    return status;
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
  return cli_close_output(file, path);
}
