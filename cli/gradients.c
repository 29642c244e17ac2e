/* gradients.c: `dorm gradients`. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct gradient_options {
  const char *data;
  const char *scores;
  const char *lambda;
  size_t num_threads;
  cli_diversity diversity;
} gradient_options;

static dorm_status print_gradients(dorm_context *context, const gradient_options *options, const dorm_dataset *dataset)
{
  size_t num_docs = dorm_dataset_num_docs(dataset);
  dorm_lambda_summary summary = {.struct_size = sizeof summary};
  double *numbers = malloc((3 * num_docs + 1) * sizeof *numbers);
  if (!numbers)
    return (dorm_status)cli_out_of_memory();
  double *lambdas = numbers + num_docs;
  double *curvature = lambdas + num_docs;
  dorm_status status = dorm_scores_read(context, options->scores, num_docs, numbers);
  if (status == DORM_OK)
    status =
        dorm_lambdas(context, options->lambda, dataset, numbers, options->num_threads, lambdas, curvature, &summary);
  if (status != DORM_OK) {
    cli_failure(context, status);
  } else {
    for (size_t j = 0; j < num_docs; j++)
      printf("%.17g %.17g\n", lambdas[j], curvature[j]);
    if (isfinite(summary.cost))
      fprintf(stderr, "cost %.10g; ", summary.cost);
    fprintf(stderr, "%zu effective pairs; %zu of %zu queries push\n", summary.num_pairs, summary.num_queries,
            dorm_dataset_num_queries(dataset));
  }
  free(numbers);
  return status;
}

/* Reads the groups and subtopics that the options name. Prints a failure. */
static dorm_status read_lists(dorm_context *context, const gradient_options *options, dorm_dataset *dataset)
{
  dorm_settings *settings = NULL;
  dorm_status status = cli_diversity_settings(context, &options->diversity, NULL, &settings);
  if (status == DORM_OK)
    status = cli_diversity_read(context, &options->diversity, settings, dataset);
  dorm_settings_free(settings);
  return status;
}

int command_gradients(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "gradients",
      .synopsis = "dorm gradients DATA --scores FILE [OPTION]...",
      .about =
          "Prints for each document of DATA, one per line, how its score should move: lambda, which is positive where "
          "the document should rise, and a curvature, for training something of your own. The cost, if one exists, "
          "and the number of pairs that push are printed on standard error."};
  gradient_options given = {.lambda = "ranknet-weight-pairs of ndcg@10"};
  const cli_option options[] = {
      CLI_OPTION("scores", 0, CLI_TEXT, &given.scores, "FILE", "scores of the documents, one per line"),
      CLI_OPTION("lambda", 0, CLI_TEXT, &given.lambda, "SPEC",
                 "the gradient function, one of dorm lambdas (ranknet-weight-pairs of ndcg@10)"),
      CLI_THREADS_OPTION(&given.num_threads),
      CLI_OPTION("groups", 0, CLI_TEXT, &given.diversity.groups, "GROUPS",
                 "the groups of the documents, for functions of redundancy@10 or ndcg@10:repeats=irrelevant: host, "
                 "feature:ID, "
                 "docid:PATTERN or file:PATH (diversity.groups)"),
      CLI_OPTION(
          "subtopics", 0, CLI_TEXT, &given.diversity.subtopics, "FILE",
          "lines `query subtopic document judgement`, for functions of alpha_ndcg@10, err_ia@10, subtopic_recall@10"),
      CLI_NO_MORE};
  int ended = cli_take_options(&usage, options, argc, argv);
  if (ended != CLI_RUN)
    return ended;
  if (optind + 1 != argc)
    return cli_usage_error("gradients: needs one DATA, not %d", argc - optind);
  if (!given.scores)
    return cli_usage_error("gradients: needs --scores FILE");
  given.data = argv[optind];
  dorm_read_options read_options = {
      .struct_size = sizeof read_options, .num_threads = given.num_threads, .ignore_weights = 1};
  dorm_dataset *dataset = NULL;
  dorm_status status = dorm_dataset_read_with(context, given.data, &read_options, &dataset);
  if (status != DORM_OK)
    cli_failure(context, status);
  else
    status = read_lists(context, &given, dataset);
  if (status == DORM_OK)
    status = print_gradients(context, &given, dataset);
  dorm_dataset_free(dataset);
  return (int)status;
}
