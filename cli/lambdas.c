/* lambdas.c: `dorm lambdas` and `dorm gradients`. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- dorm lambdas ------------------------------------------------------------ */

static void print_all(void)
{
  const dorm_lambda_info *info;
  for (size_t i = 0; (info = dorm_lambda_info_at(i)) != NULL; i++) {
    cli_print(stdout, "%s%s\n    %s\n    %s; %s\n", info->name, info->has_target ? " of MEASURE" : "", info->formula,
              info->source, info->has_cost ? "a cost exists" : "no cost exists");
    cli_print_parameters(info->num_parameters, info->parameters);
  }
}

static void print_numbers(const char *what, size_t count, const double *values)
{
  cli_print(stdout, "        %s", what);
  for (size_t i = 0; i < count; i++)
    printf(" %.6g", values[i]);
  printf("\n");
}

/* Prints one or two points of the example query. */
static void print_example(const dorm_lambda_example *example, bool has_two_points)
{
  print_numbers("labels", example->num_docs, example->labels);
  print_numbers("scores", example->num_docs, example->scores);
  if (has_two_points)
    print_numbers("and   ", example->num_docs, example->other_scores);
}

static void print_jump(const dorm_lambda_report *report)
{
  if (report->is_continuous) {
    printf("    continuous  yes, where two documents change places in the ranking\n");
    return;
  }
  printf("    continuous  no: a lambda jumps by up to %.2g of the largest where two documents change places\n",
         report->largest_jump);
  print_example(&report->jumping, true);
  printf("        lambda of document %zu is %.6g, then %.6g\n", report->jumping.first + 1, report->jumping.values[0],
         report->jumping.values[1]);
}

static void print_symmetry(const dorm_lambda_report *report)
{
  const dorm_lambda_example *example = &report->asymmetric;
  if (report->is_symmetric) {
    printf("    symmetric   yes, at fixed order: J_ij - J_ji is at most %.1e of the largest entry\n",
           report->asymmetry);
    return;
  }
  printf("    symmetric   no: J_ij - J_ji is up to %.2g of the largest entry\n", report->asymmetry);
  print_example(example, false);
  printf("        J_ij = %.6g, J_ji = %.6g for i = %zu, j = %zu\n", example->values[0], example->values[1],
         example->first + 1, example->second + 1);
}

static void print_convexity(const dorm_lambda_report *report)
{
  cli_print(stdout, "    -J          smallest eigenvalue %.1e of the largest entry%s\n", report->least_eigenvalue,
            report->largest_entry > 0 ? "" : " (lambda is constant where the order is)");
  if (report->least_eigenvalue < -1e-6) {
    print_example(&report->bent, false);
    printf("        the eigenvalue is %.6g\n", report->bent.values[0]);
  }
  if (report->climbing.num_docs) {
    printf("    two points  <lambda' - lambda, g' - g> is positive, which no convex cost allows\n");
    print_example(&report->climbing, true);
    printf("        the product is %.6g\n", report->climbing.values[0]);
  }
}

static void check(dorm_context *context, const char *spec, uint64_t seed)
{
  dorm_lambda_report report = {.struct_size = sizeof report};
  cli_check(context, dorm_lambda_check(context, spec, seed, &report));
  cli_print(stdout, "%s\n    %zu Jacobians by central differences, at random scores of queries of 2 to %d documents\n",
            report.spec, report.num_points, DORM_LAMBDA_MOST_DOCS);
  print_symmetry(&report);
  print_jump(&report);
  print_convexity(&report);
  cli_print(stdout, "    cost        %s\n",
            !report.has_cost   ? report.is_symmetric ? "none: its jumps are no gradient's" : "none"
            : report.is_convex ? "exists, and is convex"
                               : "exists, and is not convex");
}

int command_lambdas(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "lambdas",
      .synopsis = "dorm lambdas\ndorm lambdas --check SPEC [--seed N]",
      .about = "Lists the gradient functions for dorm gradients, with their formulas, sources and parameters. g are "
               "scores, i and j documents, S_ij = 1 if i has the larger label, else -1. Parameters are given as in "
               "ranknet-weight-pairs:sigma=2 of ndcg@10; the measure after 'of' is one of dorm losses --measures, "
               "minus_loss(LOSS), or a loss; without it, it is ndcg@10. A function of your own is 'NAME:KEY=VALUE from "
               "./module.so', or only 'from ./module.so'."};
  const char *spec = NULL;
  uint64_t seed = 1;
  const cli_option options[] = {
      CLI_OPTION("check", 0, CLI_TEXT, &spec, "SPEC",
                 "says whether the function is the gradient of a cost, and whether that is convex, from "
                 "Jacobians on random small queries, with the worst cases; a module is also checked to "
                 "keep the rules for gradient functions"),
      CLI_OPTION("seed", 0, CLI_SEED, &seed, "N", "seed of the random queries (1)"), CLI_NO_MORE};
  cli_take_options(&usage, options, argc, argv);
  if (optind != argc)
    return cli_usage_error("lambdas: '%s' is one argument too many; to check a function, say --check '%s'",
                           argv[optind], argv[optind]);
  if (spec)
    check(context, spec, seed);
  else
    print_all();
  return DORM_OK;
}

/* ---- dorm gradients ------------------------------------------------------------ */

static void print_gradients(dorm_context *context, const char *lambda, const dorm_dataset *dataset,
                            const char *scores_path, size_t num_threads)
{
  size_t num_docs = dorm_dataset_num_docs(dataset);
  dorm_lambda_summary summary = {.struct_size = sizeof summary};
  double *scores = cli_alloc(3 * num_docs, sizeof *scores), *lambdas = scores + num_docs,
         *curvature = lambdas + num_docs;
  cli_check(context, dorm_scores_read(context, scores_path, num_docs, scores));
  cli_check(context, dorm_lambdas(context, lambda, dataset, scores, num_threads, lambdas, curvature, &summary));
  for (size_t j = 0; j < num_docs; j++)
    printf("%.17g %.17g\n", lambdas[j], curvature[j]);
  if (isfinite(summary.cost))
    fprintf(stderr, "cost %.10g; ", summary.cost);
  fprintf(stderr, "%zu effective pairs; %zu of %zu queries push\n", summary.num_pairs, summary.num_queries,
          dorm_dataset_num_queries(dataset));
  free(scores);
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
  const char *scores = NULL, *lambda = "ranknet-weight-pairs of ndcg@10";
  dorm_read_options read_options = {.struct_size = sizeof read_options, .ignore_weights = 1};
  cli_diversity diversity = {.is_on = false};
  const cli_option options[] = {
      CLI_OPTION("scores", 0, CLI_TEXT, &scores, "FILE", "scores of the documents, one per line"),
      CLI_OPTION("lambda", 0, CLI_TEXT, &lambda, "SPEC",
                 "the gradient function, one of dorm lambdas (ranknet-weight-pairs of ndcg@10)"),
      CLI_THREADS_OPTION(&read_options.num_threads),
      CLI_OPTION("groups", 0, CLI_TEXT, &diversity.groups, "GROUPS",
                 "the groups of the documents, for functions of redundancy@10 or ndcg@10:repeats=irrelevant: host, "
                 "feature:ID, "
                 "docid:PATTERN or file:PATH (diversity.groups)"),
      CLI_OPTION(
          "subtopics", 0, CLI_TEXT, &diversity.subtopics, "FILE",
          "lines `query subtopic document judgement`, for functions of alpha_ndcg@10, err_ia@10, subtopic_recall@10"),
      CLI_NO_MORE};
  cli_take_options(&usage, options, argc, argv);
  if (optind + 1 != argc)
    return cli_usage_error("gradients: needs one DATA, not %d", argc - optind);
  if (!scores)
    return cli_usage_error("gradients: needs --scores FILE");
  dorm_dataset *dataset = NULL;
  cli_check(context, dorm_dataset_read_with(context, argv[optind], &read_options, &dataset));
  dorm_settings *settings = cli_diversity_settings(context, &diversity, NULL);
  cli_diversity_read(context, &diversity, settings, dataset);
  print_gradients(context, lambda, dataset, scores, read_options.num_threads);
  dorm_settings_free(settings);
  dorm_dataset_free(dataset);
  return DORM_OK;
}
