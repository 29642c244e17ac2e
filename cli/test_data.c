/* test_data.c: what `dorm train` says of a model on data.test. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static dorm_status evaluate(dorm_context *context, const dorm_model *model, const char *path,
                            const dorm_dataset *dataset, size_t num_threads)
{
  const char *measure = dorm_model_setting(model, "selection.measure");
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  double *scores = malloc(dorm_dataset_num_docs(dataset) * sizeof *scores);
  if (!scores)
    return (dorm_status)cli_out_of_memory();
  measure = strcmp(measure, "auto") == 0 ? "ndcg@10" : measure;
  dorm_status status = dorm_model_score(context, model, dataset, num_threads, scores);
  if (status == DORM_OK)
    status = dorm_evaluate(context, measure, dataset, scores, NULL, &evaluation);
  free(scores);
  if (status != DORM_OK)
    return (dorm_status)cli_failure(context, status);
  printf("test %.*s = %.4f +- %.4f on %zu queries of %s%s\n", (int)strcspn(measure, ":"), measure, evaluation.mean,
         evaluation.standard_error, evaluation.num_queries, path, evaluation.is_weighted ? ", weighted" : "");
  return DORM_OK;
}

dorm_status cli_report_test(dorm_context *context, const dorm_settings *settings, const dorm_read_options *options,
                            const dorm_model *model)
{
  const char *path = dorm_settings_get(settings, "data.test");
  dorm_dataset *dataset = NULL;
  if (!*path)
    return DORM_OK;
  dorm_status status = dorm_dataset_read_with(context, path, options, &dataset);
  if (status == DORM_OK)
    status = cli_read_lists(context, settings, dataset);
  if (status != DORM_OK)
    cli_failure(context, status);
  else
    status = evaluate(context, model, path, dataset, options->num_threads);
  dorm_dataset_free(dataset);
  return status;
}
