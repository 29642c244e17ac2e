/*
 * eval.c: `dorm eval`: takes scores from models, score files or TREC runs, evaluates them under every measure, and
 * compares the first with each of the others. eval_output.c prints the results.
 */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_MEASURES = 100,
  MOST_SYSTEMS = 100,
  DEFAULT_ROUNDS = 100000,
  OPTION_CHANCE = 1400,
  OPTION_SORT,
  OPTION_IGNORE,
  OPTION_CLICKS,
  OPTION_CLICKS_TOP
};

typedef struct eval_options {
  size_t num_measures;
  const char *measures[MOST_MEASURES + 2]; /* room for the default ones */
  size_t num_scores;
  const char *scores[MOST_SYSTEMS];
  size_t num_runs;
  const char *runs[MOST_SYSTEMS];
  size_t num_models;
  char **models;
  size_t num_threads;
  size_t num_modules;
  const char *modules[CLI_MOST_MODULES]; /* of kernels */
  const char *data;                      /* NULL with TREC runs */
  const char *qrels;
  bool all_queries;
  bool sorts_queries;
  bool ignores_weights;
  bool has_chance; /* random order is one of the systems */
  const char *per_query;
  const char *json;
  const char *write_run;
  const char *write_qrels;
  bool is_quiet;
  cli_diversity diversity;
  cli_click_evaluation clicks;
  bool has_clicks_top;
  unsigned long long rounds;
  unsigned long long seed;
} eval_options;

static dorm_status out_of_memory(void)
{
  cli_out_of_memory();
  return DORM_OUT_OF_MEMORY;
}

/* ---- Scores ------------------------------------------------------------------ */

/* If the user names no measure, and no clicks: the one that the first model was chosen by, which lies in *owned, and
 * map. `model` may be NULL. */
static dorm_status choose_measures(dorm_context *context, eval_options *options, const dorm_model *model,
                                   dorm_settings **owned)
{
  const char *measure = "ndcg@10";
  if (options->num_measures || options->clicks.path)
    return DORM_OK;
  dorm_status status = model ? cli_measure_of_model(context, model, owned, &measure) : DORM_OK;
  options->measures[options->num_measures++] = measure;
  options->measures[options->num_measures++] = "map";
  return status;
}

static dorm_status score_by_model(dorm_context *context, eval_options *options, const dorm_dataset *dataset,
                                  cli_system *system, dorm_settings **owned_measure)
{
  dorm_model *model = NULL;
  dorm_status status = cli_read_model(context, system->name, options->num_modules, options->modules, &model);
  if (status == DORM_OK)
    status = dorm_model_score(context, model, dataset, options->num_threads, system->scores);
  if (status == DORM_OK)
    status = choose_measures(context, options, model, owned_measure);
  dorm_model_free(model);
  return status;
}

/* The settings diversity.* of the first model, or the defaults, with what the
 * options change. */
static dorm_status find_settings(dorm_context *context, const eval_options *options, dorm_settings **settings)
{
  dorm_model *model = NULL;
  dorm_status status = options->num_models ? dorm_model_read(context, options->models[0], &model) : DORM_OK;
  if (status == DORM_OK)
    status = cli_diversity_settings(context, &options->diversity, model, settings);
  else
    cli_failure(context, status);
  dorm_model_free(model);
  return status;
}

/* Whether the groups of the documents are read. Those that the model names are not read without need, since their
 * file may be gone. */
static bool needs_groups(const eval_options *options)
{
  return options->diversity.is_on || options->diversity.groups || options->diversity.num_assignments;
}

/* Reads the groups and subtopics of the data. */
static dorm_status read_lists(dorm_context *context, const eval_options *options, const dorm_settings *settings,
                              dorm_dataset *dataset)
{
  if (needs_groups(options))
    return cli_diversity_read(context, &options->diversity, settings, dataset);
  dorm_status status = options->diversity.subtopics
                           ? dorm_dataset_read_subtopics(context, dataset, options->diversity.subtopics)
                           : DORM_OK;
  return status == DORM_OK ? DORM_OK : (dorm_status)cli_failure(context, status);
}

/* Scores stand in the order of the lines, which is that of the documents unless they were sorted by query. */
static dorm_status order_scores(const dorm_dataset *dataset, double **scores)
{
  size_t num_docs = dorm_dataset_num_docs(dataset);
  double *ordered = malloc(num_docs * sizeof *ordered);
  if (!ordered)
    return out_of_memory();
  for (size_t j = 0; j < num_docs; j++)
    ordered[j] = (*scores)[dorm_dataset_input_doc(dataset, j)];
  free(*scores);
  *scores = ordered;
  return DORM_OK;
}

/* Random order: all scores are equal, and measures are expectations over the orders of equal scores. */
static dorm_status add_chance(cli_results *results)
{
  cli_system *system = &results->systems[results->num_systems++];
  system->name = "chance";
  system->is_chance = true;
  system->dataset = results->dataset;
  system->scores = calloc(dorm_dataset_num_docs(results->dataset), sizeof *system->scores);
  return system->scores ? DORM_OK : out_of_memory();
}

/* Takes the scores of the score files, then of the models, for one data set. */
static dorm_status load_scores(dorm_context *context, eval_options *options, const dorm_settings *settings,
                               cli_results *results, dorm_settings **owned_measure)
{
  dorm_read_options read_options = {.struct_size = sizeof read_options,
                                    .num_threads = options->num_threads,
                                    .sort_queries = options->sorts_queries,
                                    .ignore_weights = options->ignores_weights};
  dorm_status status = dorm_dataset_read_with(context, options->data, &read_options, &results->dataset);
  if (status != DORM_OK)
    return (dorm_status)cli_failure(context, status);
  status = read_lists(context, options, settings, results->dataset);
  if (status != DORM_OK)
    return status;
  size_t num_docs = dorm_dataset_num_docs(results->dataset);
  for (size_t s = 0; s < options->num_scores + options->num_models; s++) {
    bool is_file = s < options->num_scores;
    cli_system *system = &results->systems[results->num_systems++];
    system->name = is_file ? options->scores[s] : options->models[s - options->num_scores];
    system->dataset = results->dataset;
    system->scores = malloc(num_docs * sizeof *system->scores);
    if (!system->scores)
      return out_of_memory();
    status = is_file ? dorm_scores_read(context, system->name, num_docs, system->scores)
                     : score_by_model(context, options, results->dataset, system, owned_measure);
    if (status == DORM_OK && is_file) {
      status = order_scores(results->dataset, &system->scores);
      if (status != DORM_OK)
        return status;
    }
    if (status == DORM_OK && options->diversity.is_on)
      status = dorm_diversify(context, settings, results->dataset, system->scores, system->scores);
    if (status != DORM_OK)
      return (dorm_status)cli_failure(context, status);
  }
  return options->has_chance ? add_chance(results) : DORM_OK;
}

/* Reads TREC runs. Several are compared query by query, so each of them must then have every judged query. */
static dorm_status load_runs(dorm_context *context, const eval_options *options, const dorm_settings *settings,
                             cli_results *results)
{
  bool all_queries = options->all_queries || options->num_runs > 1;
  for (size_t s = 0; s < options->num_runs; s++) {
    cli_system *system = &results->systems[results->num_systems++];
    system->name = options->runs[s];
    dorm_status status =
        dorm_trec_read(context, options->qrels, system->name, all_queries, &system->own_dataset, &system->run_scores);
    if (status != DORM_OK)
      return (dorm_status)cli_failure(context, status);
    system->dataset = system->own_dataset;
    system->scores = NULL;
    status = read_lists(context, options, settings, system->own_dataset);
    if (status != DORM_OK)
      return status;
  }
  return DORM_OK;
}

/* ---- Evaluation --------------------------------------------------------------- */

static dorm_status evaluate_measure(dorm_context *context, const char *measure, const cli_system *system,
                                    double *values, dorm_evaluation *evaluation)
{
  char *spec = cli_measure_text(measure, system);
  if (!spec)
    return out_of_memory();
  dorm_status status = dorm_evaluate(context, spec, system->dataset, cli_scores_of(system), values, evaluation);
  free(spec);
  return status == DORM_OK ? DORM_OK : (dorm_status)cli_failure(context, status);
}

static dorm_status evaluate_system(dorm_context *context, const cli_results *results, cli_system *system)
{
  size_t num_queries = dorm_dataset_num_queries(system->dataset);
  system->evaluations = calloc(results->num_measures, sizeof *system->evaluations);
  system->values = malloc(results->num_measures * num_queries * sizeof *system->values);
  if (!system->evaluations || !system->values)
    return out_of_memory();
  for (size_t m = 0; m < results->num_measures; m++) {
    system->evaluations[m].struct_size = sizeof *system->evaluations;
    dorm_status status = evaluate_measure(context, results->measures[m], system, system->values + m * num_queries,
                                          &system->evaluations[m]);
    if (status != DORM_OK)
      return status;
  }
  return DORM_OK;
}

/* Compares the first system with each of the others, under every measure. */
static dorm_status compare_systems(dorm_context *context, const eval_options *options, cli_results *results)
{
  const dorm_dataset *dataset = results->systems[0].dataset;
  size_t num_queries = dorm_dataset_num_queries(dataset);
  dorm_arrays arrays = {.struct_size = sizeof arrays};
  results->comparisons = calloc((results->num_systems - 1) * results->num_measures + 1, sizeof *results->comparisons);
  if (!results->comparisons)
    return out_of_memory();
  if (dorm_dataset_arrays(context, dataset, &arrays) != DORM_OK)
    return (dorm_status)cli_failure(context, DORM_BAD_USAGE);
  for (size_t s = 1; s < results->num_systems; s++)
    for (size_t m = 0; m < results->num_measures; m++) {
      dorm_comparison *comparison = &results->comparisons[(s - 1) * results->num_measures + m];
      comparison->struct_size = sizeof *comparison;
      dorm_status status = dorm_compare_weighted(context, num_queries, results->systems[0].values + m * num_queries,
                                                 results->systems[s].values + m * num_queries, arrays.query_weights,
                                                 (size_t)options->rounds, options->seed, comparison);
      if (status != DORM_OK)
        return (dorm_status)cli_failure(context, status);
    }
  return DORM_OK;
}

/* Whether a file that was asked for is standard output, which then gets nothing else. */
static bool fills_output(const eval_options *options, size_t *count)
{
  const char *const paths[] = {options->per_query, options->json, options->write_run, options->write_qrels};
  *count = 0;
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    *count += paths[i] && strcmp(paths[i], "-") == 0;
  return *count > 0;
}

static dorm_status write_files(dorm_context *context, const eval_options *options, const cli_results *results)
{
  const cli_system *first = &results->systems[0];
  dorm_status status = DORM_OK;
  if (options->write_run)
    status = dorm_trec_run_write(context, options->write_run, first->dataset, cli_scores_of(first), "dorm");
  if (status == DORM_OK && options->write_qrels)
    status = dorm_trec_qrels_write(context, options->write_qrels, first->dataset);
  if (status != DORM_OK)
    return (dorm_status)cli_failure(context, status);
  if (options->per_query)
    status = cli_write_per_query(context, results, options->per_query);
  if (status == DORM_OK && options->json)
    status = cli_write_results_json(context, results, options->json);
  return status;
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
  dorm_dataset_free(results->dataset);
}

static dorm_status evaluate(dorm_context *context, eval_options *options)
{
  cli_results results = {.measures = options->measures};
  dorm_settings *owned_measure = NULL;
  size_t most = options->num_models + options->num_scores + options->num_runs + options->has_chance;
  results.systems = calloc(most, sizeof *results.systems);
  if (!results.systems)
    return out_of_memory();
  dorm_settings *settings = NULL;
  dorm_status status = needs_groups(options) ? find_settings(context, options, &settings) : DORM_OK;
  if (status == DORM_OK)
    status = options->num_runs ? load_runs(context, options, settings, &results)
                               : load_scores(context, options, settings, &results, &owned_measure);
  if (status == DORM_OK)
    status = choose_measures(context, options, NULL, &owned_measure);
  results.num_measures = options->num_measures;
  for (size_t s = 0; status == DORM_OK && s < results.num_systems; s++)
    status = evaluate_system(context, &results, &results.systems[s]);
  if (status == DORM_OK && results.num_systems > 1)
    status = compare_systems(context, options, &results);
  if (status == DORM_OK) {
    size_t num_outputs;
    bool prints = !options->is_quiet && !fills_output(options, &num_outputs);
    if (prints && results.num_measures)
      cli_print_results(&results);
    if (options->clicks.path)
      status =
          cli_evaluate_clicks(context, &options->clicks, options->num_models ? options->models[0] : NULL, &results);
    if (status == DORM_OK)
      status = write_files(context, options, &results);
    if (status == DORM_OK && prints && options->clicks.path)
      cli_print_estimates(&options->clicks, &results);
  }
  results_free(&results);
  dorm_settings_free(settings);
  dorm_settings_free(owned_measure);
  return status;
}

/* ---- Arguments ------------------------------------------------------------------ */

static bool keep(const char *text, size_t most, size_t *count, const char **list)
{
  if (*count == most)
    return false;
  list[(*count)++] = text;
  return true;
}

static int keep_assignment(const char *text, eval_options *options)
{
  if (strncmp(text, "clicks.", strlen("clicks.")) != 0)
    return cli_diversity_option(&options->diversity, 's', text);
  return keep(text, CLI_MOST_ASSIGNMENTS, &options->clicks.num_assignments, options->clicks.assignments)
             ? DORM_OK
             : cli_usage_error("--set is given more than %d times", CLI_MOST_ASSIGNMENTS);
}

/* Puts one option into `options`; DORM_BAD_USAGE after a message. */
static int take_option(int option, const char *text, eval_options *options)
{
  unsigned long long count = 0;
  switch (option) {
  case 'm':
    return keep(text, MOST_MEASURES, &options->num_measures, options->measures)
               ? DORM_OK
               : cli_usage_error("eval: more than %d measures", MOST_MEASURES);
  case 'c':
    return keep(text, MOST_SYSTEMS, &options->num_scores, options->scores)
               ? DORM_OK
               : cli_usage_error("eval: more than %d score files", MOST_SYSTEMS);
  case 'r':
    return keep(text, MOST_SYSTEMS, &options->num_runs, options->runs)
               ? DORM_OK
               : cli_usage_error("eval: more than %d TREC runs", MOST_SYSTEMS);
  case 'M':
    return keep(text, CLI_MOST_MODULES, &options->num_modules, options->modules)
               ? DORM_OK
               : cli_usage_error("eval: more than %d modules", CLI_MOST_MODULES);
  case 't':
    return cli_parse_threads(text, &options->num_threads)
               ? DORM_OK
               : cli_usage_error("eval: --threads %s is not a whole number from 0 to 1024", text);
  case 'q':
    options->is_quiet = true;
    return DORM_OK;
  case 'J':
    options->qrels = text;
    return DORM_OK;
  case 'a':
    options->all_queries = true;
    return DORM_OK;
  case OPTION_SORT:
    options->sorts_queries = true;
    return DORM_OK;
  case OPTION_IGNORE:
    options->ignores_weights = true;
    return DORM_OK;
  case OPTION_CLICKS:
    options->clicks.path = text;
    return DORM_OK;
  case OPTION_CLICKS_TOP:
    if (!cli_parse_count(text, &count))
      return cli_usage_error("eval: --clicks-top %s is not a whole number", text);
    options->clicks.truncation = (size_t)count;
    options->has_clicks_top = true;
    return DORM_OK;
  case 's':
    return keep_assignment(text, options);
  case OPTION_CHANCE:
    options->has_chance = true;
    return DORM_OK;
  case 'p':
    options->per_query = text;
    return DORM_OK;
  case 'j':
    options->json = text;
    return DORM_OK;
  case 'R':
    options->write_run = text;
    return DORM_OK;
  case 'Q':
    options->write_qrels = text;
    return DORM_OK;
  case 'n':
    if (cli_parse_count(text, &options->rounds) && options->rounds >= 1 && options->rounds <= 1000000000)
      return DORM_OK;
    return cli_usage_error("eval: --rounds %s is not a whole number between 1 and 1000000000", text);
  case 'S':
    return cli_parse_count(text, &options->seed) ? DORM_OK
                                                 : cli_usage_error("eval: --seed %s is not a whole number", text);
  case '?':
    return DORM_BAD_USAGE; /* getopt has printed why */
  default:
    return cli_diversity_option(&options->diversity, option, text);
  }
}

static int check_sources(int num_words, char **words, eval_options *options)
{
  size_t num_outputs;
  if (fills_output(options, &num_outputs) && num_outputs > 1)
    return cli_usage_error("eval: only one of --per-query, --json, --write-run and --write-qrels can be -");
  if (options->clicks.path && options->per_query)
    return cli_usage_error("eval: --per-query has no estimates from --clicks; --json has them, of all queries");
  if (options->has_clicks_top && !options->clicks.path)
    return cli_usage_error("eval: --clicks-top is for --clicks");
  if (options->clicks.num_assignments && !options->clicks.path)
    return cli_usage_error("eval: %.200s is for --clicks", options->clicks.assignments[0]);
  if (options->num_runs || options->qrels) {
    if (!options->num_runs || !options->qrels)
      return cli_usage_error("eval: --run and --qrels must be given together");
    if (num_words || options->num_scores || options->has_chance)
      return cli_usage_error("eval: --run and --qrels admit neither DATA nor other scores");
    if (options->clicks.path)
      return cli_usage_error("eval: --clicks is for models and scores of DATA");
    if (options->diversity.is_on)
      return cli_usage_error("eval: --diverse ranks by scores, but a TREC run is a ranking already");
    return DORM_OK;
  }
  if (num_words < (options->num_scores || options->has_chance ? 1 : 2))
    return cli_usage_error(options->num_scores ? "eval: needs DATA after --scores FILE"
                                               : "eval: needs MODEL and DATA, or --scores FILE and DATA");
  options->data = words[num_words - 1];
  options->models = words;
  options->num_models = (size_t)num_words - 1;
  return DORM_OK;
}

int command_eval(dorm_context *context, int argc, char **argv)
{
  static const struct option names[] = {{"measure", required_argument, NULL, 'm'},
                                        {"scores", required_argument, NULL, 'c'},
                                        {"module", required_argument, NULL, 'M'},
                                        {"threads", required_argument, NULL, 't'},
                                        {"run", required_argument, NULL, 'r'},
                                        {"qrels", required_argument, NULL, 'J'},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"chance", no_argument, NULL, OPTION_CHANCE},
                                        {"clicks", required_argument, NULL, OPTION_CLICKS},
                                        {"clicks-top", required_argument, NULL, OPTION_CLICKS_TOP},
                                        {"sort-queries", no_argument, NULL, OPTION_SORT},
                                        {"ignore-weights", no_argument, NULL, OPTION_IGNORE},
                                        {"all-queries", no_argument, NULL, 'a'},
                                        {"per-query", required_argument, NULL, 'p'},
                                        {"json", required_argument, NULL, 'j'},
                                        {"write-run", required_argument, NULL, 'R'},
                                        {"write-qrels", required_argument, NULL, 'Q'},
                                        {"rounds", required_argument, NULL, 'n'},
                                        {"seed", required_argument, NULL, 'S'},
                                        {"diverse", no_argument, NULL, CLI_OPTION_DIVERSE},
                                        {"groups", required_argument, NULL, CLI_OPTION_GROUPS},
                                        {"set", required_argument, NULL, 's'},
                                        {"subtopics", required_argument, NULL, CLI_OPTION_SUBTOPICS},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  eval_options options = {.rounds = DEFAULT_ROUNDS, .seed = 1, .clicks = {.truncation = 10}};
  int option;
  while ((option = getopt_long(argc, argv, "m:s:t:p:j:qh", names, NULL)) != -1) {
    if (option == 'h')
      return cli_print_eval_help();
    int status = take_option(option, optarg, &options);
    if (status != DORM_OK)
      return status;
  }
  if (!options.is_quiet)
    dorm_context_set_log(context, cli_print_note, NULL);
  int status = check_sources(argc - optind, argv + optind, &options);
  return status == DORM_OK ? (int)evaluate(context, &options) : status;
}
