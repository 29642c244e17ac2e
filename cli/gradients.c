/* gradients.c: `dorm gradients`. */
#include "cli/cli.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>

typedef struct gradient_options {
  const char *data;
  const char *scores;
  const char *lambda;
  size_t num_threads;
  cli_diversity diversity;
} gradient_options;

static int print_help(void)
{
  printf("usage: dorm gradients DATA --scores FILE [--lambda SPEC] [--threads N]\n"
         "                      [--groups GROUPS] [--subtopics FILE]\n\n"
         "Prints for each document of DATA, one per line, how its score should move: lambda, which is\n"
         "positive where the document should rise, and a curvature, for training something of your own.\n"
         "The cost, if one exists, and the number of pairs that push are printed on standard error.\n\n"
         "      --scores FILE  scores of the documents, one per line\n"
         "      --lambda SPEC  the gradient function, one of dorm lambdas (ranknet-weight-pairs of\n"
         "                     ndcg@10)\n"
         "  -t, --threads N    number of threads, 0: one for each processor (0); the numbers are the\n"
         "                     same for any number\n"
         "      --groups GROUPS   the groups of the documents, for functions of redundancy@10 or\n"
         "                        ndcg@10:repeats=irrelevant: host, feature:ID, docid:PATTERN or\n"
         "                        file:PATH (diversity.groups)\n"
         "      --subtopics FILE  lines `query subtopic document judgement`, for functions of\n"
         "                        alpha_ndcg@10, err_ia@10, subtopic_recall@10\n");
  return DORM_OK;
}

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
  static const struct option names[] = {{"scores", required_argument, NULL, 's'},
                                        {"lambda", required_argument, NULL, 'l'},
                                        {"threads", required_argument, NULL, 't'},
                                        {"groups", required_argument, NULL, CLI_OPTION_GROUPS},
                                        {"subtopics", required_argument, NULL, CLI_OPTION_SUBTOPICS},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  gradient_options options = {.lambda = "ranknet-weight-pairs of ndcg@10"};
  int option;
  while ((option = getopt_long(argc, argv, "t:h", names, NULL)) != -1) {
    if (option == 'h')
      return print_help();
    if (option == '?')
      return DORM_BAD_USAGE;
    if (option == 't' && !cli_parse_threads(optarg, &options.num_threads))
      return cli_usage_error("gradients: --threads %s is not a whole number from 0 to 1024", optarg);
    if (option == CLI_OPTION_GROUPS || option == CLI_OPTION_SUBTOPICS)
      cli_diversity_option(&options.diversity, option, optarg);
    options.scores = option == 's' ? optarg : options.scores;
    options.lambda = option == 'l' ? optarg : options.lambda;
  }
  if (optind + 1 != argc)
    return cli_usage_error("gradients: needs one DATA, not %d", argc - optind);
  if (!options.scores)
    return cli_usage_error("gradients: needs --scores FILE");
  options.data = argv[optind];
  dorm_read_options read_options = {
      .struct_size = sizeof read_options, .num_threads = options.num_threads, .ignore_weights = 1};
  dorm_dataset *dataset = NULL;
  dorm_status status = dorm_dataset_read_with(context, options.data, &read_options, &dataset);
  if (status != DORM_OK)
    cli_failure(context, status);
  else
    status = read_lists(context, &options, dataset);
  if (status == DORM_OK)
    status = print_gradients(context, &options, dataset);
  dorm_dataset_free(dataset);
  return (int)status;
}
