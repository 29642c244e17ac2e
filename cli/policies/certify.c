/* certify.c: `dorm certify`: bounds the quality of a model on new queries, its advantage over another model, and the
 * depth that users have to look to, each with a stated confidence. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct certify_options {
  const char *measure; /* or NULL for the one that selected the model */
  const char *against; /* or NULL */
  double confidence, share;
  bool as_json;
  dorm_read_options reading;
  cli_texts modules;
  const char *model;
} certify_options;

/* The results. Costs are bounded from above. */
typedef struct certificates {
  const char *measure;
  bool is_cost, is_weighted;
  dorm_bound bound, difference;
  dorm_depth depth;
} certificates;

/* Bounds the mean of values [count], or of their differences from `others`, which overwrite values. */
static void bound_values(dorm_context *context, size_t count, double *values, const double *others,
                         const certify_options *options, certificates *found)
{
  double least, most, sign = found->is_cost ? -1 : 1;
  dorm_bound *bound = others ? &found->difference : &found->bound;
  cli_check(context, dorm_measure_range(context, found->measure, &least, &most));
  for (size_t q = 0; q < count; q++)
    values[q] = sign * (others ? values[q] - others[q] : values[q]);
  double from = others ? least - most : fmin(sign * least, sign * most);
  cli_check(context, dorm_lower_bound(context, count, values, from, from + (others ? 2 : 1) * (most - least),
                                      options->confidence, bound));
  for (size_t q = 0; !others && q < count; q++)
    values[q] *= sign;
  bound->mean *= sign;
  bound->lower *= sign;
  bound->hoeffding_bentkus *= sign;
}

/* Fills values [queries] of the measure under a model, and scores [documents]. */
static void measure(dorm_context *context, const certify_options *options, const dorm_model *model,
                    const dorm_dataset *dataset, double *scores, double *values, certificates *found)
{
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  cli_check(context, dorm_model_score(context, model, dataset, options->reading.num_threads, scores));
  cli_check(context, dorm_evaluate(context, found->measure, dataset, scores, values, &evaluation));
  found->is_cost = evaluation.lower_is_better;
  found->is_weighted = evaluation.is_weighted;
}

static void print_text(const certify_options *options, const char *data, const certificates *found)
{
  double percent = 100 * options->confidence, share = 100 * options->share;
  const char *side = found->is_cost ? "most" : "least";
  cli_print_lines(stdout, 0, "%.*s = %.4f on %zu queries of %s", cli_short_measure(found->measure), found->measure,
                  found->bound.mean, found->bound.count, data);
  cli_print_lines(stdout, 0, "With %g %% confidence it is at %s %.4f on new queries.", percent, side,
                  found->bound.lower);
  if (options->against) {
    bool is_better = found->is_cost ? found->difference.lower < 0 : found->difference.lower > 0;
    cli_print_lines(stdout, 0, "With %g %% confidence %s minus %s is at %s %+.4f: %s.", percent, options->model,
                    options->against, side, found->difference.lower, is_better ? "it is better" : "it may be worse");
  }
  if (found->depth.depth)
    cli_print_lines(stdout, 0, "With %g %% confidence the first %zu documents hold %g %% of the gain (here %.1f %%).",
                    percent, found->depth.depth, share, 100 * found->depth.depth_share);
  if (!isnan(found->depth.margin))
    cli_print_lines(
        stdout, 0,
        "With %g %% confidence so do the documents whose score is at most %.2f of the query's range of scores "
        "below its best: %.1f per query (here %.1f %%).",
        percent, found->depth.margin, found->depth.margin_docs, 100 * found->depth.margin_share);
  if (!found->depth.depth)
    cli_print_lines(stdout, 0,
                    "%zu queries with a relevant document are too few for a depth that holds %g %% of the gain.",
                    found->depth.num_queries, share);
  fflush(stdout);
  cli_print_lines(stderr, 0, "This holds for queries drawn independently from the source of these%s.",
                  found->is_weighted ? "; every query counts the same, whatever its weight" : "");
}

static void print_json(const certify_options *options, const certificates *found)
{
  const dorm_bound *bound = &found->bound, *difference = &found->difference;
  const dorm_depth *depth = &found->depth;
  double none = options->against ? 0 : NAN;
  const cli_field fields[] = {
      {"measure", found->measure, 0},
      {"confidence", NULL, options->confidence},
      {"queries", NULL, (double)bound->count},
      {"mean", NULL, bound->mean},
      {found->is_cost ? "at_most" : "at_least", NULL, bound->lower},
      {"hoeffding_bentkus", NULL, bound->hoeffding_bentkus},
      {"difference", NULL, difference->mean + none},
      {found->is_cost ? "difference_at_most" : "difference_at_least", NULL, difference->lower + none},
      {"share_of_gain", NULL, options->share},
      {"queries_with_gain", NULL, (double)depth->num_queries},
      {"depth", NULL, depth->depth ? (double)depth->depth : NAN},
      {"depth_share", NULL, depth->depth ? depth->depth_share : NAN},
      {"margin", NULL, depth->margin},
      {"margin_share", NULL, isnan(depth->margin) ? NAN : depth->margin_share},
      {"margin_documents", NULL, isnan(depth->margin) ? NAN : depth->margin_docs},
  };
  cli_write_fields_json(stdout, sizeof fields / sizeof *fields, fields);
}

static void certify(dorm_context *context, certify_options *options, const char *data)
{
  certificates found = {.bound.struct_size = sizeof found.bound,
                        .difference.struct_size = sizeof found.difference,
                        .depth.struct_size = sizeof found.depth};
  dorm_settings *settings = NULL;
  dorm_model *model = cli_read_model(context, options->model, &options->modules);
  dorm_dataset *dataset = cli_read_data(context, model, data, &options->reading);
  size_t num_docs = dorm_dataset_num_docs(dataset), num_queries = dorm_dataset_num_queries(dataset);
  double *scores = cli_alloc(2 * num_docs, sizeof *scores), *values = cli_alloc(2 * num_queries, sizeof *values);
  found.measure = options->measure ? options->measure : cli_measure_of_model(context, model, &settings);
  measure(context, options, model, dataset, scores, values, &found);
  dorm_model_free(model);
  if (options->against) {
    model = cli_read_model(context, options->against, &options->modules);
    measure(context, options, model, dataset, scores + num_docs, values + num_queries, &found);
    dorm_model_free(model);
  }
  bound_values(context, num_queries, values, NULL, options, &found);
  if (options->against)
    bound_values(context, num_queries, values, values + num_queries, options, &found);
  cli_check(context, dorm_find_depth(context, dataset, scores, options->share, options->confidence, &found.depth));
  if (options->as_json)
    print_json(options, &found);
  else
    print_text(options, data, &found);
  free(scores);
  free(values);
  dorm_settings_free(settings);
  dorm_dataset_free(dataset);
}

int command_certify(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "certify",
      .synopsis = "dorm certify MODEL DATA [-m MEASURE] [--against OTHER] [OPTION]...",
      .about =
          "States with a confidence how good a model is on new queries at least, whether it is better than another "
          "model, and how many documents hold a share of the gain. Each statement alone has this confidence, "
          "for every distribution, if DATA took no part in training and its queries are independent draws from "
          "the source of the new ones."};
  certify_options asked = {.confidence = 0.95, .share = 0.9};
  const cli_option options[] = {
      CLI_OPTION("measure", 'm', CLI_TEXT, &asked.measure, "MEASURE",
                 "a measure with a range, such as ndcg@10 (the one that the model was chosen by)"),
      CLI_OPTION("against", 0, CLI_TEXT, &asked.against, "OTHER", "the model to be better than"),
      CLI_BOUNDED("confidence", 0, CLI_NUMBER, &asked.confidence, "C", "the confidence (0.95)", 0.5, 0.999999),
      CLI_BOUNDED("keep", 0, CLI_NUMBER, &asked.share, "SHARE", "the share of the gain that is to be kept (0.9)", 1e-6,
                  0.999999),
      CLI_OPTION("json", 'j', CLI_FLAG, &asked.as_json, NULL, "prints one JSON object"),
      CLI_THREADS_OPTION(&asked.reading.num_threads),
      CLI_MODULE_OPTION(&asked.modules),
      CLI_COLUMN_OPTIONS(&asked.reading),
      CLI_NO_MORE};
  cli_take_options(&usage, options, argc, argv);
  if (optind + 2 != argc)
    return cli_usage_error("certify: needs MODEL and DATA, not %d arguments", argc - optind);
  asked.model = argv[optind];
  certify(context, &asked, argv[optind + 1]);
  return DORM_OK;
}
