/* predict.c: `dorm predict`: scores by a model. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct predict_options {
  const char *model, *data, *output;
  dorm_read_options reading;
  bool is_ranked; /* write rankings instead of scores */
  bool is_trec;   /* write rankings as a TREC run */
  size_t top;
  bool follows;
  cli_texts modules;
  cli_diversity diversity;
  const char *prices, *policy; /* files of dorm allocate, or NULL */
  uint64_t seed;               /* of draws from the policy */
  const char *interactions;    /* a spec, or NULL */
} predict_options;

/* Separates similar documents, and prints the proven quality of the rankings. */
static void rank_interacting(dorm_context *context, const predict_options *options, const dorm_dataset *dataset,
                             double *scores)
{
  dorm_interacting found = {.struct_size = sizeof found};
  cli_check(context, dorm_rank_interacting(context, options->interactions, dataset, scores,
                                           options->reading.num_threads, scores, &found));
  cli_print(stderr,
            "dorm: note: rankings are worth %.6g, at most %.6g; %zu of %zu queries are proved, largest gap %.2g\n",
            found.value, found.bound, found.num_proved, dorm_dataset_num_queries(dataset), found.largest_gap);
}

/* Computes the scores of the model, changed by --prices, --policy, --interactions and --diverse. */
static void score(dorm_context *context, const predict_options *options, const dorm_model *model, dorm_dataset *dataset,
                  double *scores)
{
  cli_check(context, dorm_model_score(context, model, dataset, options->reading.num_threads, scores));
  if (!options->diversity.is_on && !options->prices && !options->policy && !options->interactions)
    return;
  dorm_settings *settings = cli_diversity_settings(context, &options->diversity, model);
  cli_diversity_read(context, &options->diversity, settings, dataset);
  if (options->prices)
    cli_add_prices(options->prices, dataset, scores);
  if (options->policy)
    cli_draw_policy(options->policy, options->seed, dataset, scores);
  if (options->interactions)
    rank_interacting(context, options, dataset, scores);
  if (options->diversity.is_on)
    cli_check(context, dorm_diversify(context, settings, dataset, scores, scores));
  dorm_settings_free(settings);
}

/* Warns if a model that uses features relative to the other documents of the query scores queries with one document,
 * because it cannot distinguish these documents. */
static void warn_of_lone_docs(const dorm_model *model, const dorm_dataset *dataset)
{
  size_t num_queries = dorm_dataset_num_queries(dataset);
  size_t num_lone = 0;
  for (size_t q = 0; q < num_queries; q++)
    num_lone += dorm_dataset_query_start(dataset, q + 1) - dorm_dataset_query_start(dataset, q) == 1;
  if (num_lone && dorm_model_needs_query(model))
    fprintf(stderr,
            "dorm: warning: %zu of %zu queries have one document, and this model compares the documents of a query: "
            "all these "
            "documents get the same score; dorm train --for-serving makes a model for single documents\n",
            num_lone, num_queries);
}

/* Writes scores in the order of the lines of the file. */
static void write_scores(dorm_context *context, const char *path, const dorm_dataset *dataset, const double *scores)
{
  size_t num_docs = dorm_dataset_num_docs(dataset);
  double *ordered = cli_alloc(num_docs, sizeof *ordered);
  for (size_t j = 0; j < num_docs; j++)
    ordered[dorm_dataset_input_doc(dataset, j)] = scores[j];
  cli_check(context, dorm_scores_write(context, path, num_docs, ordered));
  free(ordered);
}

/* ---- Queries as they arrive ------------------------------------------------------------ */

/* Writes the scores of a query, and flushes them. */
static dorm_status answer(void *user, const dorm_dataset *query, const double *scores)
{
  return dorm_scores_write(user, "-", dorm_dataset_num_docs(query), scores);
}

static void follow(dorm_context *context, const predict_options *options)
{
  dorm_model *model = cli_read_model(context, options->model, &options->modules);
  cli_check(context, dorm_model_score_stream(context, model, "-", answer, context));
  dorm_model_free(model);
}

/* ---- Files ------------------------------------------------------------------------------- */

static void predict(dorm_context *context, predict_options *options)
{
  dorm_model *model = cli_read_model(context, options->model, &options->modules);
  dorm_dataset *dataset = cli_read_data(context, model, options->data, &options->reading);
  double *scores = cli_alloc(dorm_dataset_num_docs(dataset), sizeof *scores);
  score(context, options, model, dataset, scores);
  warn_of_lone_docs(model, dataset);
  if (options->is_ranked)
    cli_write_ranked(context, options->output, dataset, options->top, options->is_trec, scores);
  else
    write_scores(context, options->output, dataset, scores);
  free(scores);
  dorm_model_free(model);
  dorm_dataset_free(dataset);
}

/* Checks that the options are compatible, and runs. */
static int run(dorm_context *context, predict_options *options, int argc, char **argv)
{
  options->is_ranked = options->is_ranked || options->is_trec;
  dorm_context_set_log(context, cli_print_note, NULL);
  if (options->follows) {
    bool has_other = options->is_ranked || options->top || options->reading.sort_queries || options->diversity.is_on ||
                     options->prices || options->policy || options->interactions || strcmp(options->output, "-") != 0 ||
                     options->diversity.groups || options->diversity.assignments.count;
    if (argc - optind != 1 || has_other)
      return cli_usage_error("predict: --follow needs MODEL, and allows --module only");
    options->model = argv[optind];
    follow(context, options);
    return DORM_OK;
  }
  if (argc - optind != 2)
    return cli_usage_error("predict: needs MODEL and DATA");
  if (options->top && !options->is_ranked)
    return cli_usage_error("predict: --top is for --ranked and --trec only");
  if (options->prices && !options->diversity.groups)
    return cli_usage_error("predict: --prices needs --groups");
  if (!options->diversity.is_on && ((options->diversity.groups && !options->prices && !options->interactions) ||
                                    options->diversity.assignments.count))
    return cli_usage_error("predict: --groups and --set are for --diverse only");
  options->model = argv[optind];
  options->data = argv[optind + 1];
  predict(context, options);
  return DORM_OK;
}

int command_predict(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "predict",
      .synopsis = "dorm predict MODEL DATA [-o FILE] [OPTION]...\ndorm predict MODEL --follow",
      .about =
          "Writes one score per line, in the order of the documents in DATA. The document with the highest score ranks "
          "first. Lines of DATA need no label; DATA may be - for standard input."};
  predict_options options = {.output = "-", .seed = 1, .reading = {.labels_optional = 1, .ignore_weights = 1}};
  const cli_option table[] = {
      CLI_OPTION("output", 'o', CLI_TEXT, &options.output, "FILE", "the file to write, instead of standard output"),
      CLI_OPTION("ranked", 0, CLI_FLAG, &options.is_ranked, NULL,
                 "writes each query's documents from the best to the worst, one line `query rank document score` for "
                 "each, separated by tabs; a document without an id is D and its number in the file"),
      CLI_OPTION("trec", 0, CLI_FLAG, &options.is_trec, NULL, "writes the same as a TREC run"),
      CLI_BOUNDED("top", 0, CLI_SIZE, &options.top, "K", "writes only the first K documents of each query", 1, 0),
      CLI_OPTION("sort-queries", 0, CLI_SWITCH, &options.reading.sort_queries, NULL,
                 "the lines of a query may be apart in DATA; scores keep the order of the lines"),
      CLI_OPTION(
          "follow", 0, CLI_FLAG, &options.follows, NULL,
          "reads standard input, and writes the scores of each query as soon as its last line is there: an empty "
          "line or a line of another query follows"),
      CLI_THREADS_OPTION(&options.reading.num_threads),
      CLI_MODULE_OPTION(&options.modules),
      CLI_OPTION("diverse", 0, CLI_FLAG, &options.diversity.is_on, NULL,
                 "writes scores that put few documents of a group in front: the best of each group keep their scores, "
                 "the others fall below them"),
      CLI_OPTION("groups", 0, CLI_TEXT, &options.diversity.groups, "GROUPS",
                 "uses these groups instead of the model's: host, feature:ID, docid:PATTERN or file:PATH "
                 "(diversity.groups)"),
      CLI_OPTION("prices", 0, CLI_TEXT, &options.prices, "FILE",
                 "adds the prices of the groups, which dorm allocate wrote, to the scores"),
      CLI_OPTION("policy", 0, CLI_TEXT, &options.policy, "FILE",
                 "draws a ranking of each query from a policy that dorm allocate wrote: the first of n documents has "
                 "the score n. Queries that FILE lacks keep the model's scores"),
      CLI_OPTION("seed", 0, CLI_SEED, &options.seed, "N", "another seed draws other rankings (1)"),
      CLI_OPTION("interactions", 0, CLI_TEXT, &options.interactions, "SPEC",
                 "ranks so that similar documents are not close together near the top: groups, features or "
                 "file:path=FILE, as in features:strength=0.3,top=10,gap=0.01,seconds=1"),
      CLI_TAKEN("set", 's', cli_diversity_set, &options.diversity, "KEY=VALUE",
                "changes another setting diversity.*, as in diversity.capacity=2, or ranking.position_weights"),
      CLI_COLUMN_OPTIONS(&options.reading),
      CLI_NO_MORE};
  cli_take_options(&usage, table, argc, argv);
  return run(context, &options, argc, argv);
}
