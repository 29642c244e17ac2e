/* eval.c: `dorm eval`. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MEASURES = 100 };

static int print_help(void)
{
  printf("usage: dorm eval MODEL DATA [-m MEASURE]...\n"
         "       dorm eval --scores FILE DATA [-m MEASURE]...\n\n"
         "Prints the mean of each measure over the queries of DATA, its standard error, and the\n"
         "conventions in force. Ties in scores fall by document order.\n\n"
         "  -m, --measure MEASURE  for example ndcg@10, map, ndcg@5:discount=letor,empty=skip\n"
         "                         (without any: what the model was chosen by, and map)\n"
         "  -s, --scores FILE      one score a line instead of a model\n");
  return DORM_OK;
}

static dorm_status print_measure(dorm_context *context, const char *measure, const dorm_dataset *dataset,
                                 const double *scores)
{
  dorm_evaluation evaluation;
  dorm_status status = dorm_evaluate(context, measure, dataset, scores, NULL, &evaluation);
  if (status == DORM_OK)
    printf("%-12s %.6f +- %.6f   %zu queries, %zu without a relevant document   %s\n", measure, evaluation.mean,
           evaluation.standard_error, evaluation.num_queries, evaluation.num_empty, evaluation.conventions);
  return status;
}

/* Scores by the model, or from the file when there is no model. */
static dorm_status evaluate(dorm_context *context, const char *model_path, const char *scores_path,
                            const char *data_path, size_t num_measures, const char **measures)
{
  dorm_model *model = NULL;
  dorm_dataset *dataset = NULL;
  double *scores = NULL;
  dorm_status status = DORM_OK;
  if (model_path)
    status = dorm_model_read(context, model_path, &model);
  if (status == DORM_OK)
    status = dorm_dataset_read(context, data_path, &dataset);
  if (status != DORM_OK)
    goto done;
  scores = malloc(dorm_dataset_num_docs(dataset) * sizeof *scores);
  if (!scores) {
    status = (dorm_status)cli_usage_error("out of memory");
    goto done;
  }
  status = model ? dorm_model_score(context, model, dataset, scores)
                 : dorm_scores_read(context, scores_path, dorm_dataset_num_docs(dataset), scores);
  if (!num_measures) {
    const char *chosen_by = model ? dorm_model_setting(model, "selection.measure") : "auto";
    measures[num_measures++] = strcmp(chosen_by, "auto") == 0 ? "ndcg@10" : chosen_by;
    measures[num_measures++] = "map";
  }
  for (size_t i = 0; status == DORM_OK && i < num_measures; i++)
    status = print_measure(context, measures[i], dataset, scores);
done:
  if (status != DORM_OK)
    cli_failure(context, status);
  free(scores);
  dorm_model_free(model);
  dorm_dataset_free(dataset);
  return status;
}

int command_eval(dorm_context *context, int argc, char **argv)
{
  static const struct option options[] = {{"measure", required_argument, NULL, 'm'},
                                          {"scores", required_argument, NULL, 's'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  const char *measures[MOST_MEASURES + 2];
  size_t num_measures = 0;
  const char *scores = NULL;
  int option;
  while ((option = getopt_long(argc, argv, "m:s:h", options, NULL)) != -1) {
    if (option == 'm' && num_measures < MOST_MEASURES)
      measures[num_measures++] = optarg;
    else if (option == 's')
      scores = optarg;
    else
      return option == 'h'   ? print_help()
             : option == 'm' ? cli_usage_error("eval: more than %d measures", MOST_MEASURES)
                             : DORM_BAD_USAGE;
  }
  if (argc - optind != (scores ? 1 : 2))
    return cli_usage_error(scores ? "eval: needs DATA behind --scores FILE"
                                  : "eval: needs MODEL and DATA, or --scores FILE and DATA");
  return (int)evaluate(context, scores ? NULL : argv[optind], scores, argv[argc - 1], num_measures, measures);
}
