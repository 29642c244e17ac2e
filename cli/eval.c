/* eval.c: `dorm eval`: takes scores from models, score files or TREC runs, evaluates them by every measure, and
 * compares the first system with each other one. eval_output.c prints the results. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Output files, or NULL. */
typedef struct eval_outputs {
  const char *per_query, *json, *run, *qrels;
} eval_outputs;

typedef struct eval_options {
  cli_texts measures, scores, runs;
  cli_texts modules; /* of kernels */
  size_t num_models;
  char **models;
  dorm_model **loaded; /* [num_models] */
  dorm_read_options reading;
  const char *data; /* or NULL with TREC runs */
  const char *qrels;
  bool all_queries;
  bool has_chance; /* random order is one of the systems */
  bool is_quiet;
  eval_outputs outputs;
  cli_diversity diversity;
  cli_click_evaluation clicks;
  size_t rounds;
  uint64_t seed;
} eval_options;

/* ---- Scores ------------------------------------------------------------------ */

/* Chooses the measures if the user names none and there are no clicks: map, and the measure that selected the first
 * model, kept in *owned. `model` may be NULL. */
static void choose_measures(dorm_context *context, eval_options *options, const dorm_model *model,
                            dorm_settings **owned)
{
  if (options->measures.count || options->clicks.path)
    return;
  options->measures.items[options->measures.count++] = model ? cli_measure_of_model(context, model, owned) : "ndcg@10";
  options->measures.items[options->measures.count++] = "map";
}

/* Whether the groups of documents must be read. Groups that only the model names are not read without need, because
 * their file may no longer exist. */
static bool needs_groups(const eval_options *options)
{
  return options->diversity.is_on || options->diversity.groups || options->diversity.assignments.count;
}

/* Reads the groups and subtopics of the data. */
static void read_lists(dorm_context *context, const eval_options *options, const dorm_settings *settings,
                       dorm_dataset *dataset)
{
  if (needs_groups(options))
    cli_diversity_read(context, &options->diversity, settings, dataset);
  else if (options->diversity.subtopics)
    cli_check(context, dorm_dataset_read_subtopics(context, dataset, options->diversity.subtopics));
}

/* Reads scores, which are in the order of the lines, in the order of the documents. These differ only if the documents
 * were sorted by query. */
static double *read_scores(dorm_context *context, const char *path, const dorm_dataset *dataset)
{
  size_t num_docs = dorm_dataset_num_docs(dataset);
  double *scores = cli_alloc(num_docs, sizeof *scores), *ordered = cli_alloc(num_docs, sizeof *ordered);
  cli_check(context, dorm_scores_read(context, path, num_docs, scores));
  for (size_t j = 0; j < num_docs; j++)
    ordered[j] = scores[dorm_dataset_input_doc(dataset, j)];
  free(scores);
  return ordered;
}

/* The names of the features that a model was trained on. */
static const char *columns_of(const dorm_model *model)
{
  const char *columns = dorm_model_setting(model, "data.columns");
  return columns ? columns : "";
}

/* Reads the models, which must have the same features (data.columns). */
static void read_models(dorm_context *context, eval_options *options)
{
  options->loaded = cli_alloc(options->num_models, sizeof(dorm_model *));
  for (size_t i = 0; i < options->num_models; i++) {
    options->loaded[i] = cli_read_model(context, options->models[i], &options->modules);
    if (strcmp(columns_of(options->loaded[0]), columns_of(options->loaded[i])) != 0)
      cli_end(cli_usage_error("eval: %s and %s have other features (data.columns); measure them one by one",
                              options->models[0], options->models[i]));
  }
}

/* Adds a system that ranks the documents of results->dataset by these scores, which it owns. */
static void add_system(const char *name, double *scores, cli_results *results)
{
  results->systems[results->num_systems++] = (cli_system){.name = name, .dataset = results->dataset, .scores = scores};
}

/* Loads the scores for one data set: of the score files, of the models, and of random order. All scores of random order
 * are equal, and measures are expectations over the orders of ties. */
static void load_scores(dorm_context *context, eval_options *options, const dorm_settings *settings,
                        cli_results *results, dorm_settings **owned_measure)
{
  results->dataset =
      cli_read_data(context, options->num_models ? options->loaded[0] : NULL, options->data, &options->reading);
  read_lists(context, options, settings, results->dataset);
  size_t num_docs = dorm_dataset_num_docs(results->dataset);
  for (size_t i = 0; i < options->scores.count; i++)
    add_system(options->scores.items[i], read_scores(context, options->scores.items[i], results->dataset), results);
  for (size_t i = 0; i < options->num_models; i++) {
    double *scores = cli_alloc(num_docs, sizeof *scores);
    add_system(options->models[i], scores, results);
    cli_check(context,
              dorm_model_score(context, options->loaded[i], results->dataset, options->reading.num_threads, scores));
    choose_measures(context, options, options->loaded[i], owned_measure);
  }
  for (size_t s = 0; options->diversity.is_on && s < results->num_systems; s++)
    cli_check(context, dorm_diversify(context, settings, results->dataset, results->systems[s].scores,
                                      results->systems[s].scores));
  if (options->has_chance) {
    add_system("chance", cli_alloc(num_docs, sizeof(double)), results);
    results->systems[results->num_systems - 1].is_chance = true;
  }
}

/* Reads TREC runs. If there are several, they are compared per query, so each must contain every judged query. */
static void load_runs(dorm_context *context, const eval_options *options, const dorm_settings *settings,
                      cli_results *results)
{
  bool all_queries = options->all_queries || options->runs.count > 1;
  for (size_t s = 0; s < options->runs.count; s++) {
    cli_system *system = &results->systems[results->num_systems++];
    system->name = options->runs.items[s];
    cli_check(context, dorm_trec_read(context, options->qrels, system->name, all_queries, &system->own_dataset,
                                      &system->run_scores));
    system->dataset = system->own_dataset;
    read_lists(context, options, settings, system->own_dataset);
  }
}

/* ---- Evaluation --------------------------------------------------------------- */

static void evaluate_system(dorm_context *context, const cli_results *results, cli_system *system)
{
  size_t num_queries = dorm_dataset_num_queries(system->dataset);
  system->evaluations = cli_alloc(results->num_measures, sizeof *system->evaluations);
  system->values = cli_alloc(results->num_measures * num_queries, sizeof *system->values);
  for (size_t m = 0; m < results->num_measures; m++) {
    char *spec = cli_measure_text(results->measures[m], system);
    system->evaluations[m].struct_size = sizeof *system->evaluations;
    cli_check(context, dorm_evaluate(context, spec, system->dataset, cli_scores_of(system),
                                     system->values + m * num_queries, &system->evaluations[m]));
    free(spec);
  }
}

/* Compares the first system with each other one by every measure. */
static void compare_systems(dorm_context *context, const eval_options *options, cli_results *results)
{
  const dorm_dataset *dataset = results->systems[0].dataset;
  size_t num_queries = dorm_dataset_num_queries(dataset);
  dorm_arrays arrays = {.struct_size = sizeof arrays};
  results->comparisons = cli_alloc((results->num_systems - 1) * results->num_measures, sizeof *results->comparisons);
  cli_check(context, dorm_dataset_arrays(context, dataset, &arrays));
  for (size_t s = 1; s < results->num_systems; s++)
    for (size_t m = 0; m < results->num_measures; m++) {
      dorm_comparison *comparison = &results->comparisons[(s - 1) * results->num_measures + m];
      comparison->struct_size = sizeof *comparison;
      cli_check(context, dorm_compare_weighted(context, num_queries, results->systems[0].values + m * num_queries,
                                               results->systems[s].values + m * num_queries, arrays.query_weights,
                                               options->rounds, options->seed, comparison));
    }
}

/* Counts the output files that are standard output, which then receives nothing else. */
static size_t count_to_output(const eval_options *options)
{
  const char *const paths[] = {options->outputs.per_query, options->outputs.json, options->outputs.run,
                               options->outputs.qrels};
  size_t count = 0;
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    count += paths[i] && strcmp(paths[i], "-") == 0;
  return count;
}

static void write_files(dorm_context *context, const eval_options *options, const cli_results *results)
{
  const cli_system *first = &results->systems[0];
  if (options->outputs.run)
    cli_check(context,
              dorm_trec_run_write(context, options->outputs.run, first->dataset, cli_scores_of(first), "dorm"));
  if (options->outputs.qrels)
    cli_check(context, dorm_trec_qrels_write(context, options->outputs.qrels, first->dataset));
  if (options->outputs.per_query)
    cli_write_per_query(context, results, options->outputs.per_query);
  if (options->outputs.json)
    cli_write_results_json(context, results, options->outputs.json);
}

static void results_free(cli_results *results)
{
  for (size_t s = 0; s < results->num_systems; s++) {
    cli_system *system = &results->systems[s];
    free(system->scores);
    dorm_scores_free(system->run_scores);
    free(system->evaluations);
    free(system->values);
    dorm_dataset_free(system->own_dataset);
  }
  free(results->systems);
  free(results->comparisons);
  free(results->estimates);
  free(results->click_curve.values);
  dorm_dataset_free(results->dataset);
}

static void evaluate(dorm_context *context, eval_options *options)
{
  cli_results results = {.measures = options->measures.items};
  dorm_settings *owned_measure = NULL, *settings = NULL;
  size_t most = options->num_models + options->scores.count + options->runs.count + options->has_chance;
  bool prints = !options->is_quiet && !count_to_output(options);
  results.systems = cli_alloc(most, sizeof *results.systems);
  read_models(context, options);
  if (needs_groups(options))
    settings = cli_diversity_settings(context, &options->diversity, options->num_models ? options->loaded[0] : NULL);
  if (options->runs.count)
    load_runs(context, options, settings, &results);
  else
    load_scores(context, options, settings, &results, &owned_measure);
  choose_measures(context, options, NULL, &owned_measure);
  results.num_measures = options->measures.count;
  for (size_t s = 0; s < results.num_systems; s++)
    evaluate_system(context, &results, &results.systems[s]);
  if (results.num_systems > 1)
    compare_systems(context, options, &results);
  if (prints && results.num_measures)
    cli_print_results(&results);
  if (options->clicks.path)
    cli_expect(
        cli_evaluate_clicks(context, &options->clicks, options->num_models ? options->models[0] : NULL, &results));
  write_files(context, options, &results);
  if (prints && options->clicks.path)
    cli_print_estimates(&options->clicks, &results);
  for (size_t i = 0; i < options->num_models; i++)
    dorm_model_free(options->loaded[i]);
  free(options->loaded);
  results_free(&results);
  dorm_settings_free(settings);
  dorm_settings_free(owned_measure);
}

/* ---- Arguments ------------------------------------------------------------------ */

static const size_t no_top = SIZE_MAX; /* --clicks-top is not given */

#define CLICK_OPTIONS(asked)                                                                                           \
  CLI_OPTION("clicks", 0, CLI_TEXT, &(asked)->path, "LOG",                                                             \
             "estimates DCG from a log of clicks on DATA, `query doc position click`, by inverse propensities (IPS, "  \
             "SNIPS), with standard errors; propensities follow the settings clicks.* of the first model"),            \
      CLI_OPTION("click-model", 0, CLI_TEXT, &(asked)->model, "MODEL",                                                 \
                 "a model trained on other clicks: estimates are doubly robust, too"),                                 \
      CLI_OPTION("propensities", 0, CLI_TEXT, &(asked)->propensities, "FILE",                                          \
                 "writes the propensities that --clicks took, a file for clicks.propensity=file:FILE"),                \
      CLI_OPTION("clicks-top", 0, CLI_SIZE, &(asked)->truncation, "N", "positions that count in it, 0: all (10)")

static int take_setting(void *target, const char *text)
{
  eval_options *options = target;
  cli_texts *assignments = &options->clicks.assignments;
  if (strncmp(text, "clicks.", strlen("clicks.")) != 0)
    return cli_diversity_set(&options->diversity, text);
  if (assignments->count == CLI_MOST_TEXTS)
    return cli_usage_error("eval: --set is given more than %d times", CLI_MOST_TEXTS);
  assignments->items[assignments->count++] = text;
  return DORM_OK;
}

static int check_sources(int num_words, char **words, eval_options *options)
{
  if (count_to_output(options) > 1)
    return cli_usage_error("eval: only one of --per-query, --json, --write-run and --write-qrels can be -");
  if (options->clicks.path && options->outputs.per_query)
    return cli_usage_error("eval: --per-query has no estimates from --clicks; --json has them, of all queries");
  if (options->clicks.truncation != no_top && !options->clicks.path)
    return cli_usage_error("eval: --clicks-top is for --clicks");
  if ((options->clicks.model || options->clicks.propensities) && !options->clicks.path)
    return cli_usage_error("eval: --%s is for --clicks", options->clicks.model ? "click-model" : "propensities");
  if (options->clicks.truncation == no_top)
    options->clicks.truncation = 10;
  if (options->clicks.assignments.count && !options->clicks.path)
    return cli_usage_error("eval: %.200s is for --clicks", options->clicks.assignments.items[0]);
  if (options->runs.count || options->qrels) {
    if (!options->runs.count || !options->qrels)
      return cli_usage_error("eval: --run and --qrels must be given together");
    if (num_words || options->scores.count || options->has_chance)
      return cli_usage_error("eval: --run and --qrels admit neither DATA nor other scores");
    if (options->clicks.path)
      return cli_usage_error("eval: --clicks is for models and scores of DATA");
    if (options->diversity.is_on)
      return cli_usage_error("eval: --diverse ranks by scores, but a TREC run is a ranking already");
    return DORM_OK;
  }
  if (num_words < (options->scores.count || options->has_chance ? 1 : 2))
    return cli_usage_error(options->scores.count ? "eval: needs DATA after --scores FILE"
                                                 : "eval: needs MODEL and DATA, or --scores FILE and DATA");
  options->data = words[num_words - 1];
  options->models = words;
  options->num_models = (size_t)num_words - 1;
  return DORM_OK;
}

static const cli_usage usage = {
    .command = "eval",
    .synopsis = "dorm eval MODEL... DATA [-m MEASURE]...\n"
                "dorm eval --scores FILE... [MODEL]... DATA [-m MEASURE]...\n"
                "dorm eval --chance [MODEL]... DATA [-m MEASURE]...\n"
                "dorm eval MODEL... DATA --clicks LOG [-s clicks.KEY=VALUE]...\n"
                "dorm eval --qrels FILE --run FILE [--run FILE]... [-m MEASURE]...",
    .about =
        "Prints the mean of each measure over the queries, its standard error, and the conventions that the measure "
        "follows. Means and tests are weighted where DATA.weight has weights of the queries. If there are several "
        "models, score files or TREC runs, the first is compared with each of the others, query by query, by a "
        "paired t-test and a randomisation test, with two-sided p-values.",
    .after =
        "A file that is written may be - for standard output, which then gets nothing else. DATA and files that are "
        "read may be - for standard input."};

int command_eval(dorm_context *context, int argc, char **argv)
{
  eval_options asked = {.rounds = 100000, .seed = 1, .clicks = {.truncation = no_top}};
  const cli_option options[] = {
      CLI_OPTION("measure", 'm', CLI_TEXTS, &asked.measures, "MEASURE",
                 "for example ndcg@10, map, ndcg@5:discount=letor,empty=skip (the measure by which the first model was "
                 "chosen, and map); dorm losses --measures lists all measures; trec_eval's names, such as ndcg_cut_10, "
                 "choose its conventions"),
      CLI_OPTION("scores", 0, CLI_TEXTS, &asked.scores, "FILE", "scores to evaluate, one per line"),
      CLI_THREADS_OPTION(&asked.reading.num_threads),
      CLI_MODULE_OPTION(&asked.modules),
      CLI_OPTION(
          "run", 0, CLI_TEXTS, &asked.runs, "FILE",
          "a TREC run to evaluate; a judged document that it lacks counts as not found. Measures are trec_eval's "
          "unless they say otherwise: ties=docid, gain=linear"),
      CLI_OPTION("qrels", 0, CLI_TEXT, &asked.qrels, "FILE", "the TREC relevance judgements for the TREC runs"),
      CLI_OPTION("sort-queries", 0, CLI_SWITCH, &asked.reading.sort_queries, NULL,
                 "the lines of a query may be apart in DATA; scores have the order of the lines"),
      CLI_OPTION("ignore-weights", 0, CLI_SWITCH, &asked.reading.ignore_weights, NULL,
                 "does not read DATA.weight: every query counts the same"),
      CLI_OPTION("chance", 0, CLI_FLAG, &asked.has_chance, NULL, "evaluates the mean over all orders, too"),
      CLI_OPTION("all-queries", 0, CLI_FLAG, &asked.all_queries, NULL,
                 "also counts judged queries that the TREC run lacks (always so with several TREC runs)"),
      CLI_OPTION("groups", 0, CLI_TEXT, &asked.diversity.groups, "GROUPS",
                 "the groups of the documents, for redundancy@10 or ndcg@10:repeats=irrelevant: host, feature:ID, "
                 "docid:PATTERN or file:PATH (diversity.groups)"),
      CLI_OPTION(
          "diverse", 0, CLI_FLAG, &asked.diversity.is_on, NULL,
          "ranks with few documents of a group in front, as dorm predict --diverse does, by --groups or the groups "
          "of the first model"),
      CLI_TAKEN(
          "set", 's', take_setting, &asked, "KEY=VALUE",
          "changes another setting diversity.*, as in diversity.capacity=2, ranking.position_weights, or clicks.*"),
      CLICK_OPTIONS(&asked.clicks),
      CLI_OPTION("subtopics", 0, CLI_TEXT, &asked.diversity.subtopics, "FILE",
                 "lines `query subtopic document judgement`, for alpha_ndcg@10, err_ia@10, subtopic_recall@10"),
      CLI_OPTION("quiet", 'q', CLI_FLAG, &asked.is_quiet, NULL, "prints neither results nor notes"),
      CLI_OPTION("per-query", 'p', CLI_TEXT, &asked.outputs.per_query, "FILE",
                 "writes a table of tab-separated values, one line per query"),
      CLI_OPTION("json", 'j', CLI_TEXT, &asked.outputs.json, "FILE",
                 "writes all results as JSON, one object per line; estimates of --clicks too"),
      CLI_OPTION("write-run", 0, CLI_TEXT, &asked.outputs.run, "FILE",
                 "writes the ranking of the first model or score file as a TREC run"),
      CLI_OPTION("write-qrels", 0, CLI_TEXT, &asked.outputs.qrels, "FILE", "writes the labels as TREC judgements"),
      CLI_BOUNDED("rounds", 0, CLI_SIZE, &asked.rounds, "N", "sign changes of the randomisation test (100000)", 1, 1e9),
      CLI_OPTION("seed", 0, CLI_SEED, &asked.seed, "N", "seed of the randomisation test (1)"),
      CLI_COLUMN_OPTIONS(&asked.reading),
      CLI_NO_MORE};
  cli_take_options(&usage, options, argc, argv);
  if (!asked.is_quiet)
    dorm_context_set_log(context, cli_print_note, NULL);
  cli_expect(check_sources(argc - optind, argv + optind, &asked));
  evaluate(context, &asked);
  return DORM_OK;
}
