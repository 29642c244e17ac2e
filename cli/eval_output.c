/*
 * eval_output.c: the results of `dorm eval`, and the measures behind them. For TREC runs measures get the conventions
 * of trec_eval, ties=docid and gain=linear, for random order ties=expected, which precedes the text.
 */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Conventions ------------------------------------------------------------ */

static const dorm_measure_info *find_measure(const char *text)
{
  size_t size = strcspn(text, "@:");
  for (size_t i = 0; dorm_measure_info_at(i); i++) {
    const dorm_measure_info *info = dorm_measure_info_at(i);
    if (strlen(info->name) == size && strncasecmp(info->name, text, size) == 0)
      return info;
  }
  return NULL;
}

static bool has_parameter(const dorm_measure_info *info, const char *name)
{
  for (size_t i = 0; i < info->num_parameters; i++)
    if (strcmp(info->parameters[i].name, name) == 0)
      return true;
  return false;
}

/* Appends "key=value" if the text gives no value to that key. */
static void append_convention(const char *key, const char *value, char *text, size_t size)
{
  char given[16];
  size_t end = strlen(text);
  snprintf(given, sizeof given, "%s=", key);
  if (!strstr(text, given))
    snprintf(text + end, size - end, "%s%s=%s", strchr(text, ':') ? "," : ":", key, value);
}

char *cli_measure_text(const char *measure, const cli_system *system)
{
  enum { ROOM = 64 };
  size_t size = strlen(measure) + ROOM;
  const char *ties = strstr(measure, "ties=");
  char *text = malloc(size);
  if (!text)
    return NULL;
  if (system->is_chance && ties)
    snprintf(text, size, "%.*sties=expected%s", (int)(ties - measure), measure, ties + strcspn(ties, ","));
  else
    snprintf(text, size, "%s", measure);
  const dorm_measure_info *info = find_measure(measure); /* NULL for trec_eval's names, which say it, and for losses */
  if (system->is_chance && (!info || has_parameter(info, "ties")))
    append_convention("ties", "expected", text, size);
  if (system->own_dataset && info && has_parameter(info, "gain"))
    append_convention("gain", "linear", text, size);
  if (system->own_dataset && info && has_parameter(info, "ties"))
    append_convention("ties", "docid", text, size);
  return text;
}

int cli_short_measure(const char *measure)
{
  return (int)(strchr(measure, '(') ? strlen(measure) : strcspn(measure, ":"));
}

/* ---- Results ------------------------------------------------------------ */

const double *cli_scores_of(const cli_system *system)
{
  return system->scores ? system->scores : system->run_scores;
}

/* The length of the name of a measure in the output: its first word, if its text is only its name and all conventions,
 * which are printed below, and no other measure begins with this word. */
static int name_size(const cli_results *results, size_t measure)
{
  const char *text = results->measures[measure];
  int size = cli_short_measure(text);
  bool is_whole = strcmp(text, results->systems->evaluations[measure].conventions) == 0;
  for (size_t m = 0; m < results->num_measures; m++)
    is_whole = is_whole && (m == measure || cli_short_measure(results->measures[m]) != size ||
                            strncmp(results->measures[m], text, (size_t)size) != 0);
  return is_whole ? size : (int)strlen(text);
}

/* The width of the column with the names of measures. */
static int name_width(const cli_results *results)
{
  int width = 12;
  for (size_t m = 0; m < results->num_measures; m++)
    width = name_size(results, m) > width ? name_size(results, m) : width;
  return width < 60 ? width : 60;
}

static void print_name_of(const cli_results *results, size_t measure)
{
  cli_print(stdout, "%-*.*s ", name_width(results), name_size(results, measure), results->measures[measure]);
}

static void print_comparison(const cli_results *results, size_t system, size_t measure)
{
  const dorm_comparison *comparison = &results->comparisons[(system - 1) * results->num_measures + measure];
  print_name_of(results, measure);
  cli_print(stdout, "%+.6f +- %.6f   t-test p = %.4g, randomisation p = %.4g, %zu queries\n", comparison->difference,
            comparison->standard_error, comparison->t_test, comparison->randomisation, comparison->num_pairs);
}

/* Whether a system is measured by the conventions of the first one, on as many queries without a relevant document. */
static bool is_measured_alike(const cli_results *results, const cli_system *system)
{
  bool is = true;
  for (size_t m = 0; m < results->num_measures; m++) {
    const dorm_evaluation *one = &results->systems->evaluations[m], *two = &system->evaluations[m];
    is = is && strcmp(one->conventions, two->conventions) == 0 && one->num_empty == two->num_empty;
  }
  return is;
}

/* On standard error, so that standard output is a table. */
static void print_conventions(const cli_results *results, const cli_system *system)
{
  fflush(stdout);
  for (size_t m = 0; m < results->num_measures; m++) {
    const dorm_evaluation *evaluation = &system->evaluations[m];
    cli_print(stderr, "  %s", evaluation->conventions);
    if (evaluation->num_empty)
      cli_print(stderr, "; %zu %s without a relevant document", evaluation->num_empty,
                evaluation->num_empty == 1 ? "query" : "queries");
    if (evaluation->is_weighted)
      cli_print(stderr, "; weighted, as %.4g of equal weight", evaluation->effective_queries);
    cli_print(stderr, "\n");
  }
}

void cli_print_results(const cli_results *results)
{
  bool has_names = results->num_systems > 1;
  for (size_t s = 0; s < results->num_systems; s++) {
    const cli_system *system = &results->systems[s];
    if (has_names)
      cli_print(stdout, s ? "\n%s:\n" : "%s:\n", system->name);
    for (size_t m = 0; m < results->num_measures; m++) {
      const dorm_evaluation *evaluation = &system->evaluations[m];
      print_name_of(results, m);
      cli_print(stdout, "%.6f +- %.6f   %zu %s\n", evaluation->mean, evaluation->standard_error,
                evaluation->num_queries, evaluation->num_queries == 1 ? "query" : "queries");
    }
    if (!s || !is_measured_alike(results, system))
      print_conventions(results, system);
  }
  for (size_t s = 1; s < results->num_systems; s++) {
    cli_print(stdout, "\n%s minus %s:\n", results->systems[0].name, results->systems[s].name);
    for (size_t m = 0; m < results->num_measures; m++)
      print_comparison(results, s, m);
  }
}

dorm_status cli_open_output(dorm_context *context, const char *path, FILE **file)
{
  dorm_status status = dorm_context_check_output(context, path);
  if (status != DORM_OK)
    return (dorm_status)cli_failure(context, status);
  *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
  if (*file)
    return DORM_OK;
  cli_print(stderr, "dorm: %s: cannot write: %s\n", path, strerror(errno));
  return DORM_IO_ERROR;
}

dorm_status cli_close_output(FILE *file, const char *path)
{
  errno = 0;
  bool is_good = fflush(file) == 0 && !ferror(file);
  if (file != stdout)
    is_good = fclose(file) == 0 && is_good;
  if (is_good)
    return DORM_OK;
  cli_print(stderr, "dorm: %s: cannot write: %s\n", path, strerror(errno));
  return DORM_IO_ERROR;
}

/* Prints the name of a file with blanks in place of tabs and line ends, which would break the table. */
static void print_name(FILE *file, const char *name)
{
  for (; *name; name++)
    fputc(*name == '\t' || *name == '\n' ? ' ' : *name, file);
}

dorm_status cli_write_per_query(dorm_context *context, const cli_results *results, const char *path)
{
  FILE *file = NULL;
  dorm_status status = cli_open_output(context, path, &file);
  if (status != DORM_OK)
    return status;
  const dorm_dataset *dataset = results->systems[0].dataset;
  size_t num_queries = dorm_dataset_num_queries(dataset);
  fprintf(file, "query");
  for (size_t s = 0; s < results->num_systems; s++)
    for (size_t m = 0; m < results->num_measures; m++) {
      fputc('\t', file);
      if (results->num_systems > 1) {
        print_name(file, results->systems[s].name);
        fputc(' ', file);
      }
      print_name(file, results->measures[m]);
    }
  fputc('\n', file);
  for (size_t q = 0; q < num_queries; q++) {
    fprintf(file, "%s", dorm_dataset_query_id(dataset, q));
    for (size_t s = 0; s < results->num_systems; s++)
      for (size_t m = 0; m < results->num_measures; m++) {
        double value = results->systems[s].values[m * num_queries + q];
        if (isnan(value))
          fprintf(file, "\tskipped");
        else
          fprintf(file, "\t%.17g", value);
      }
    fputc('\n', file);
  }
  return cli_close_output(file, path);
}
