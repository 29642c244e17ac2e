/* eval_output.c: what `dorm eval` prints, and its table with a line for each query. */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <string.h>

const double *cli_scores_of(const cli_system *system)
{
  return system->scores ? system->scores : system->run_scores;
}

/* The width of the column with the names of measures. */
static int name_width(const cli_results *results)
{
  size_t width = 12;
  for (size_t m = 0; m < results->num_measures; m++)
    width = strlen(results->measures[m]) > width ? strlen(results->measures[m]) : width;
  return width < 60 ? (int)width : 60;
}

static void print_comparison(const cli_results *results, size_t system, size_t measure)
{
  const dorm_comparison *comparison = &results->comparisons[(system - 1) * results->num_measures + measure];
  cli_print(stdout, "%-*s %+.6f +- %.6f   t-test p = %.4g, randomisation p = %.4g, %zu queries\n", name_width(results),
            results->measures[measure], comparison->difference, comparison->standard_error, comparison->t_test,
            comparison->randomisation, comparison->num_pairs);
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
      cli_print(stdout, "%-*s %.6f +- %.6f   %zu queries, %zu without a relevant document   ", name_width(results),
                results->measures[m], evaluation->mean, evaluation->standard_error, evaluation->num_queries,
                evaluation->num_empty);
      if (evaluation->is_weighted)
        printf("weighted, as %.4g of equal weight   ", evaluation->effective_queries);
      cli_print(stdout, "%s\n", evaluation->conventions);
    }
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
