/* eval_output.c: prints the results of `dorm eval` and the conventions of the measures. Measures of TREC runs get the
 * conventions of trec_eval (ties=docid, gain=linear). Random order gets ties=expected, which overrides the text. */
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

/* Appends "key=value" if the text does not set this key. */
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
  char *text = cli_alloc(size, 1);
  if (system->is_chance && ties)
    snprintf(text, size, "%.*sties=expected%s", (int)(ties - measure), measure, ties + strcspn(ties, ","));
  else
    snprintf(text, size, "%s", measure);
  const dorm_measure_info *info = find_measure(measure); /* NULL for losses and trec_eval's names, which include them */
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

/* The length of a measure's name in the output. This is its first word if the rest of its text is only conventions,
 * which are printed below, and if no other measure begins with this word. */
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

/* The width of the column of measures, whose names have at most `most` characters. */
static int name_width(const cli_results *results, int most)
{
  int width = 12;
  for (size_t m = 0; m < results->num_measures; m++)
    width = name_size(results, m) <= most && name_size(results, m) > width ? name_size(results, m) : width;
  return width;
}

/* Prints a measure's name. A name with more than `most` characters has a line of its own. */
static void print_name_of(const cli_results *results, size_t measure, int most)
{
  int size = name_size(results, measure), width = name_width(results, most);
  cli_print(stdout, "%-*.*s", width, size, results->measures[measure]);
  cli_print(stdout, size > width ? "\n%*s" : "%*s", size > width ? width + 1 : 1, "");
}

/* Compares the first system with another one, in a table of all measures. */
static void print_comparisons(const cli_results *results, size_t system)
{
  enum { MOST_NAME = 18 };
  const dorm_comparison *comparison = &results->comparisons[(system - 1) * results->num_measures];
  printf("\n");
  cli_print_lines(stdout, 0, "%s minus %s:", results->systems[0].name, results->systems[system].name);
  cli_print(stdout, "%*s %22s %11s %17s %8s\n", name_width(results, MOST_NAME), "", "", "t-test p", "randomisation p",
            "queries");
  for (size_t m = 0; m < results->num_measures; m++, comparison++) {
    char difference[80];
    print_name_of(results, m, MOST_NAME);
    snprintf(difference, sizeof difference, "%+.6f +- %.6f", comparison->difference, comparison->standard_error);
    cli_print(stdout, "%-22s %11.4g %17.4g %8zu\n", difference, comparison->t_test, comparison->randomisation,
              comparison->num_pairs);
  }
}

/* Whether a system has the conventions of the first one, and as many queries without a relevant document. */
static bool is_measured_alike(const cli_results *results, const cli_system *system)
{
  bool is = true;
  for (size_t m = 0; m < results->num_measures; m++) {
    const dorm_evaluation *one = &results->systems->evaluations[m], *two = &system->evaluations[m];
    is = is && strcmp(one->conventions, two->conventions) == 0 && one->num_empty == two->num_empty;
  }
  return is;
}

/* Prints the conventions on standard error, so that standard output is only a table. */
static void print_conventions(const cli_results *results, const cli_system *system)
{
  fflush(stdout);
  for (size_t m = 0; m < results->num_measures; m++) {
    const dorm_evaluation *evaluation = &system->evaluations[m];
    char empty[80] = "", weighted[80] = "";
    if (evaluation->num_empty)
      snprintf(empty, sizeof empty, "; %zu %s without a relevant document", evaluation->num_empty,
               cli_plural(evaluation->num_empty, "query", "queries"));
    if (evaluation->is_weighted)
      snprintf(weighted, sizeof weighted, "; weighted, as %.4g of equal weight", evaluation->effective_queries);
    cli_print_lines(stderr, 2, "%s%s%s", evaluation->conventions, empty, weighted);
  }
}

void cli_print_results(const cli_results *results)
{
  enum { MOST_NAME = 46 };
  bool has_names = results->num_systems > 1;
  for (size_t s = 0; s < results->num_systems; s++) {
    const cli_system *system = &results->systems[s];
    if (has_names)
      cli_print(stdout, s ? "\n%s:\n" : "%s:\n", system->name);
    for (size_t m = 0; m < results->num_measures; m++) {
      const dorm_evaluation *evaluation = &system->evaluations[m];
      print_name_of(results, m, MOST_NAME);
      char error[40] = ""; /* one query has none */
      if (evaluation->num_queries > 1)
        snprintf(error, sizeof error, "+- %.6f", evaluation->standard_error);
      cli_print(stdout, "%.6f %-11s   %zu %s\n", evaluation->mean, error, evaluation->num_queries,
                cli_plural(evaluation->num_queries, "query", "queries"));
    }
    if (!s || !is_measured_alike(results, system))
      print_conventions(results, system);
  }
  for (size_t s = 1; s < results->num_systems; s++)
    print_comparisons(results, s);
}

dorm_status cli_open_output(dorm_context *context, const char *path, FILE **file)
{
  dorm_status status = dorm_context_check_output(context, path);
  if (status != DORM_OK)
    return cli_failure(context, status);
  *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
  if (*file)
    return DORM_OK;
  cli_print(stderr, "dorm: %s: cannot write: %s\n", path, strerror(errno));
  return DORM_IO_ERROR;
}

FILE *cli_open_input(const char *path)
{
  FILE *file = fopen(path, "r");
  if (!file) {
    cli_print(stderr, "dorm: %s: cannot read: %s\n", path, strerror(errno));
    cli_end(DORM_IO_ERROR);
  }
  return file;
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

/* Prints the name of a file, with blanks for tabs and line ends because these would break the table. */
static void print_name(FILE *file, const char *name)
{
  for (; *name; name++)
    fputc(*name == '\t' || *name == '\n' ? ' ' : *name, file);
}

void cli_write_per_query(dorm_context *context, const cli_results *results, const char *path)
{
  FILE *file = NULL;
  cli_expect(cli_open_output(context, path, &file));
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
  cli_expect(cli_close_output(file, path));
}
