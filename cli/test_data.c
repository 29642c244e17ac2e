/* test_data.c: the line of `dorm train` about data.test. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static dorm_status evaluate(dorm_context *context, const dorm_model *model, const char *path,
                            const dorm_dataset *dataset, size_t num_threads)
{
  const char *measure = dorm_model_setting(model, "selection.measure");
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  dorm_bound bound = {.struct_size = sizeof bound};
  double least, most;
  size_t num_queries = dorm_dataset_num_queries(dataset);
  double *scores = malloc((dorm_dataset_num_docs(dataset) + num_queries) * sizeof *scores);
  if (!scores)
    return cli_out_of_memory();
  double *values = scores + dorm_dataset_num_docs(dataset);
  measure = strcmp(measure, "auto") == 0 ? "ndcg@10" : measure;
  dorm_status status = dorm_model_score(context, model, dataset, num_threads, scores);
  if (status == DORM_OK)
    status = dorm_evaluate(context, measure, dataset, scores, values, &evaluation);
  bool has_bound = status == DORM_OK && !evaluation.lower_is_better && !evaluation.is_weighted &&
                   dorm_measure_range(context, measure, &least, &most) == DORM_OK &&
                   dorm_lower_bound(context, num_queries, values, least, most, 0.95, &bound) == DORM_OK;
  free(scores);
  if (status != DORM_OK)
    return cli_failure(context, status);
  char certain[80] = "";
  if (has_bound)
    snprintf(certain, sizeof certain, "; with 95 %% confidence at least %.4f on new queries", bound.lower);
  cli_print_lines(stdout, 0, "test %.*s = %.4f +- %.4f on %zu queries of %s%s%s", (int)strcspn(measure, ":"), measure,
                  evaluation.mean, evaluation.standard_error, evaluation.num_queries, path,
                  evaluation.is_weighted ? ", weighted" : "", certain);
  return DORM_OK;
}

/* Reads data.test and the groups and subtopics of its documents. Prints a failure. */
static dorm_status read_test(dorm_context *context, const dorm_settings *settings, const dorm_read_options *options,
                             dorm_dataset **dataset)
{
  dorm_status status = dorm_dataset_read_with(context, dorm_settings_get(settings, "data.test"), options, dataset);
  if (status == DORM_OK)
    status = cli_read_lists(context, settings, *dataset);
  if (status != DORM_OK)
    cli_failure(context, status);
  return status;
}

dorm_status cli_check_test(dorm_context *context, const dorm_settings *settings, const dorm_read_options *options)
{
  const char *path = dorm_settings_get(settings, "data.test");
  struct stat about;
  dorm_dataset *dataset = NULL;
  if (!*path || strcmp(path, "-") == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode)))
    return DORM_OK;
  dorm_status status = read_test(context, settings, options, &dataset);
  dorm_dataset_free(dataset);
  return status;
}

dorm_status cli_report_test(dorm_context *context, const dorm_settings *settings, const dorm_read_options *options,
                            const dorm_model *model)
{
  const char *path = dorm_settings_get(settings, "data.test");
  dorm_dataset *dataset = NULL;
  if (!*path)
    return DORM_OK;
  dorm_status status = read_test(context, settings, options, &dataset);
  if (status == DORM_OK)
    status = evaluate(context, model, path, dataset, options->num_threads);
  dorm_dataset_free(dataset);
  return status;
}
