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
  size_t num_threads;
  cli_texts modules;
  cli_columns columns;
  const char *model;
} certify_options;

/* The results. Costs are bounded from above. */
typedef struct certificates {
  const char *measure;
  bool is_cost, is_weighted;
  dorm_bound bound, difference;
  dorm_depth depth;
} certificates;

/* Scores the data by the model at `path`, and finds its measure if none is named yet. */
static dorm_status score(dorm_context *context, const certify_options *options, const char *path,
                         const dorm_dataset *dataset, double *scores, dorm_settings **owned, const char **measure)
{
  dorm_model *model = NULL;
  dorm_status status = cli_read_model(context, path, &options->modules, &model);
  if (status == DORM_OK && !*measure)
    status = cli_measure_of_model(context, model, owned, measure);
  if (status == DORM_OK)
    status = dorm_model_score(context, model, dataset, options->num_threads, scores);
  dorm_model_free(model);
  return status;
}

/* Bounds the mean of values [count], or of their differences from `others`, which overwrite values. */
static dorm_status bound_values(dorm_context *context, size_t count, double *values, const double *others,
                                const certify_options *options, certificates *found)
{
  double least, most, sign = found->is_cost ? -1 : 1;
  dorm_status status = dorm_measure_range(context, found->measure, &least, &most);
  dorm_bound *bound = others ? &found->difference : &found->bound;
  if (status != DORM_OK)
    return status;
  for (size_t q = 0; q < count; q++)
    values[q] = sign * (others ? values[q] - others[q] : values[q]);
  double from = others ? least - most : fmin(sign * least, sign * most);
  status = dorm_lower_bound(context, count, values, from, from + (others ? 2 : 1) * (most - least), options->confidence,
                            bound);
  for (size_t q = 0; !others && q < count; q++)
    values[q] *= sign;
  bound->mean *= sign;
  bound->lower *= sign;
  bound->hoeffding_bentkus *= sign;
  return status;
}

/* Finds all statements on one or two models. scores [2][num_docs] and values [2][num_queries] are scratch. */
static dorm_status find(dorm_context *context, const certify_options *options, const dorm_dataset *dataset,
                        double *scores, double *values, dorm_settings **owned, certificates *found)
{
  size_t num_docs = dorm_dataset_num_docs(dataset), num_queries = dorm_dataset_num_queries(dataset);
  const char *paths[2] = {options->model, options->against};
  dorm_status status = DORM_OK;
  for (size_t m = 0; status == DORM_OK && m < (options->against ? 2 : 1); m++) {
    dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
    status = score(context, options, paths[m], dataset, scores + m * num_docs, owned, &found->measure);
    if (status == DORM_OK)
      status =
          dorm_evaluate(context, found->measure, dataset, scores + m * num_docs, values + m * num_queries, &evaluation);
    found->is_cost = evaluation.lower_is_better;
    found->is_weighted = evaluation.is_weighted;
  }
  if (status == DORM_OK)
    status = bound_values(context, num_queries, values, NULL, options, found);
  if (status == DORM_OK && options->against)
    status = bound_values(context, num_queries, values, values + num_queries, options, found);
  if (status == DORM_OK)
    status = dorm_find_depth(context, dataset, scores, options->share, options->confidence, &found->depth);
  return status;
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

static bool print_json(const certify_options *options, const certificates *found)
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
  return cli_write_fields_json(stdout, sizeof fields / sizeof *fields, fields);
}

static dorm_status certify(dorm_context *context, const certify_options *options, const char *data)
{
  dorm_read_options read_options = {.struct_size = sizeof read_options, .num_threads = options->num_threads};
  certificates found = {.measure = options->measure,
                        .bound.struct_size = sizeof found.bound,
                        .difference.struct_size = sizeof found.difference,
                        .depth.struct_size = sizeof found.depth};
  dorm_dataset *dataset = NULL;
  dorm_settings *settings = NULL;
  double *scores = NULL, *values = NULL;
  dorm_model *first = NULL;
  dorm_status status = cli_read_model(context, options->model, &options->modules, &first);
  if (status == DORM_OK) {
    cli_name_columns(&options->columns, dorm_model_setting(first, "data.columns"), &read_options);
    status = dorm_dataset_read_with(context, data, &read_options, &dataset);
  }
  dorm_model_free(first);
  if (status == DORM_OK) {
    scores = malloc(2 * dorm_dataset_num_docs(dataset) * sizeof *scores);
    values = malloc(2 * dorm_dataset_num_queries(dataset) * sizeof *values);
    status = scores && values ? find(context, options, dataset, scores, values, &settings, &found) : DORM_OUT_OF_MEMORY;
    if (!scores || !values)
      cli_out_of_memory();
    else if (status != DORM_OK)
      cli_failure(context, status);
  } else {
    cli_failure(context, status);
  }
  if (status == DORM_OK && !options->as_json)
    print_text(options, data, &found);
  else if (status == DORM_OK && !print_json(options, &found))
    status = (dorm_status)cli_out_of_memory();
  free(scores);
  free(values);
  dorm_settings_free(settings);
  dorm_dataset_free(dataset);
  return status;
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
      CLI_THREADS_OPTION(&asked.num_threads),
      CLI_MODULE_OPTION(&asked.modules),
      CLI_COLUMN_OPTIONS(&asked.columns),
      CLI_NO_MORE};
  int ended = cli_take_options(&usage, options, argc, argv);
  if (ended != CLI_RUN)
    return ended;
  if (optind + 2 != argc)
    return cli_usage_error("certify: needs MODEL and DATA, not %d arguments", argc - optind);
  asked.model = argv[optind];
  return (int)certify(context, &asked, argv[optind + 1]);
}
