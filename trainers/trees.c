/*
 * trees.c: boosted trees as a trainer. Makes one candidate for each combination of the lists among the settings
 * trees.*. It has the number of rounds that is best on the validation data or, in a cross-validation, on the held-out
 * queries of each fold. Without either, all rounds are made. In a retraining a candidate has as many rounds as it was
 * chosen with. With a linear start, the model of a candidate is the start plus the trees.
 */
#include "base/processes.h"
#include "trainers/forest.h"
#include "trainers/ridge.h"
#include "trainers/trainers.h"

#include <math.h>
#include <string.h>

/* ---- One set of rows -------------------------------------------------------------------------- */

static const char *query_name(const dorm_dataset *dataset, size_t query)
{
  return dataset->texts + dataset->query_texts[query];
}

/* Puts a label among the levels. */
static bool add_level(dorm__forest_data *all, double label, size_t *capacity)
{
  size_t k = 0;
  while (k < all->num_levels && all->levels[k] < label)
    k++;
  if (k < all->num_levels && all->levels[k] == label)
    return true;
  if (!dorm__grow((void **)&all->levels, capacity, all->num_levels + 1, sizeof *all->levels))
    return false;
  memmove(all->levels + k + 1, all->levels + k, (all->num_levels - k) * sizeof *all->levels);
  all->levels[k] = label;
  all->num_levels++;
  return true;
}

/* Adds the levels of the other processes. */
static dorm_status share_levels(dorm__forest_data *all, size_t *capacity)
{
  dorm_context *context = all->job->context;
  DORM__FREED void *found = NULL;
  size_t count = 0;
  dorm_status status =
      dorm__processes_gather_items(context, sizeof *all->levels, all->num_levels, all->levels, &found, &count);
  for (size_t i = 0; status == DORM_OK && i < count; i++)
    if (!add_level(all, ((const double *)found)[i], capacity))
      status = dorm__out_of_memory(context, "labels");
  return status;
}

/* Finds the levels of the training labels, which must be classes. In a fold, finds the levels of all queries. */
static dorm_status find_levels(dorm__forest_data *all, const char *objective)
{
  enum { MOST_LEVELS = 100 };
  const dorm__grid *grid = all->sink->grid;
  const dorm_dataset *train = grid->whole ? grid->whole : all->rows->train;
  dorm_context *context = all->job->context;
  size_t capacity = 0;
  for (size_t q = 0; q < train->num_queries; q++)
    for (size_t j = train->query_start[q]; j < train->query_start[q + 1]; j++) {
      double label = train->labels[j];
      if (label != floor(label))
        return dorm__fail(
            context, DORM_BAD_DATA,
            "%s: query %s: the label %g is no class: trees.objective = %s needs whole numbers (regression "
            "takes any)",
            train->name, query_name(train, q), label, objective);
      if (all->num_levels <= MOST_LEVELS && !add_level(all, label, &capacity))
        return dorm__out_of_memory(context, "labels");
    }
  dorm_status status = share_levels(all, &capacity);
  if (status != DORM_OK)
    return status;
  if (all->num_levels > MOST_LEVELS)
    return dorm__fail(context, DORM_BAD_DATA,
                      "%s: more than %d different labels: trees.objective = %s has a tree for each in every round; use "
                      "regression",
                      train->name, MOST_LEVELS, objective);
  return all->num_levels > 1
             ? DORM_OK
             : dorm__fail(context, DORM_BAD_DATA,
                          "%s: all documents have the same label, so trees have nothing to learn", train->name);
}

/* Opens the λ-function that a word of trees.objective names. */
static dorm_status open_own_lambda(dorm__forest_data *all, const dorm__tree_choice *chosen)
{
  const dorm__job *job = all->job;
  dorm_status status = dorm__lambda_for_job(job, chosen->own_lambda, all->rows->train, &all->own_lambda);
  return status == DORM_OK
             ? DORM_OK
             : dorm__fail_within(job->context, status, "trees.objective = %s (lambda takes any measure)", chosen->word);
}

/* Opens the λ-functions of all candidates. */
static dorm_status open_lambdas(dorm__forest_data *all)
{
  const dorm__job *job = all->job;
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < dorm__tree_choices_count(job); i++) {
    dorm__tree_choice chosen = dorm__tree_choice_at(job, i);
    if (chosen.own_lambda && !all->own_lambda)
      status = open_own_lambda(all, &chosen);
    else if (chosen.objective->follows_lambda && !chosen.own_lambda && !all->lambdas.count)
      status = dorm__lambda_list_open(job, DORM__TRAINING_LAMBDA, all->rows->train, &all->lambdas);
  }
  return status;
}

/* Finds the features of data.categorical. A feature whose order matters is a number. */
static dorm_status find_categories(dorm__forest_data *all)
{
  const dorm__job *job = all->job;
  const dorm__feature_map *map = &all->rows->map;
  const char *text = dorm__settings_text(job->settings, DORM__DATA_CATEGORICAL);
  DORM__AT_END(dorm__id_ranges_clear) dorm__id_ranges ids = {0};
  if (!*text)
    return DORM_OK;
  all->is_category = dorm__alloc_zero(dorm__feature_map_width(map), sizeof *all->is_category);
  dorm_status status = all->is_category ? DORM_OK : dorm__out_of_memory(job->context, "categories");
  if (status == DORM_OK)
    status = dorm__id_ranges_parse(job->context, dorm__setting_table[DORM__DATA_CATEGORICAL].key, text, &ids);
  for (size_t f = 0; status == DORM_OK && f < map->num_ids; f++) /* ranks are numbers */
    all->is_category[f] = dorm__id_ranges_hold(&ids, map->ids[f]) && !(all->order && all->order[f]);
  return status;
}

/* Makes rows and bins of one kind of values, unless they are there. */
static dorm_status make_input(dorm__forest_data *all, bool is_raw)
{
  const dorm__job *job = all->job;
  const dorm__training_rows *rows = all->rows;
  dorm__tree_input *input = &all->inputs[is_raw];
  dorm__feature_map map = rows->map;
  if (input->bins)
    return DORM_OK;
  map.is_category = all->is_category;
  input->train =
      dorm__training_rows_for_trees(job, &map, rows->train, &rows->train_features, is_raw, &input->sources[0]);
  input->train.is_category = all->is_category;
  if (dorm__forest_chooses_rounds(all))
    input->validation = dorm__training_rows_for_trees(job, &map, rows->validation, &rows->validation_features, is_raw,
                                                      &input->sources[1]);
  dorm_status status =
      dorm__tree_bins_new(job->context, dorm__feature_map_width(&map), &input->train,
                          dorm__forest_chooses_rounds(all) ? &input->validation : NULL,
                          dorm__settings_integer(job->settings, DORM__TREES_BINS), job->num_threads, &input->bins);
  dorm__file_memory_leave(rows->train->file);
  return status;
}

static dorm_status make_starts(dorm__forest_data *all)
{
  const dorm__tree_input *input =
      &all->inputs[dorm__tree_choice_at(all->job, 0).is_raw]; /* with data.from it is the only one */
  size_t count = dorm__settings_count(all->job->settings, DORM__TREES_START);
  dorm_status status = DORM_OK;
  all->starts = dorm__alloc_zero(count, sizeof *all->starts);
  if (!all->starts)
    return dorm__out_of_memory(all->job->context, "linear starts");
  for (; status == DORM_OK && all->num_starts < count; all->num_starts++)
    status = dorm__tree_start_make(all->job, all->rows, all->num_starts, &input->train,
                                   dorm__forest_chooses_rounds(all) ? &input->validation : NULL,
                                   &all->starts[all->num_starts]);
  return status;
}

/* Makes the weights of documents: the weight of the query, times the weight of the document if the objective is about
 * single documents. λ-functions multiply the gain of the document instead. */
static dorm_status make_weights(dorm__forest_data *all)
{
  const dorm_dataset *train = all->rows->train;
  size_t num_docs = train->num_docs;
  if (!train->query_weights && !train->doc_weights)
    return DORM_OK;
  all->weights = dorm__alloc(num_docs, sizeof *all->weights);
  all->query_weights = dorm__alloc(num_docs, sizeof *all->query_weights);
  all->scaled_labels = dorm__alloc(train->doc_weights ? num_docs : 0, sizeof *all->scaled_labels);
  dorm_status status = all->weights && all->query_weights && all->scaled_labels
                           ? DORM_OK
                           : dorm__out_of_memory(all->job->context, "weights");
  for (size_t q = 0; status == DORM_OK && q < train->num_queries; q++)
    for (size_t j = train->query_start[q]; j < train->query_start[q + 1]; j++) {
      double doc_weight = dorm_dataset_doc_weight(train, j);
      all->query_weights[j] = dorm_dataset_query_weight(train, q);
      all->weights[j] = all->query_weights[j] * doc_weight;
      if (train->doc_weights)
        all->scaled_labels[j] = train->labels[j] * doc_weight;
    }
  return status;
}

static dorm_status open_forest(dorm__forest_data *all)
{
  const dorm__job *job = all->job;
  dorm_status status =
      DORM__ALL(open_lambdas(all), dorm__order_make(job, all->rows, &all->order), find_categories(all));
  all->num_docs = all->rows->train->num_docs;
  all->num_other_docs = dorm__forest_chooses_rounds(all) ? all->rows->validation->num_docs : 0;
  for (size_t i = 0; status == DORM_OK && i < dorm__tree_choices_count(job); i++) {
    dorm__tree_choice chosen = dorm__tree_choice_at(job, i);
    if (chosen.objective->needs_levels && !all->num_levels)
      status = find_levels(all, chosen.objective->name);
    if (status == DORM_OK)
      status = make_input(all, chosen.is_raw);
  }
  return status == DORM_OK ? DORM__ALL(make_starts(all), make_weights(all)) : status;
}

static void close_forest(dorm__forest_data *all)
{
  for (size_t i = 0; i < 2; i++)
    dorm__tree_bins_free(all->inputs[i].bins);
  dorm__lambda_list_close(&all->lambdas);
  dorm__lambda_close(all->own_lambda);
  for (size_t i = 0; i < all->num_starts; i++)
    dorm__tree_start_clear(&all->starts[i]);
  dorm__free(all->starts);
  dorm__free(all->levels);
  dorm__free(all->order);
  dorm__free(all->is_category);
  dorm__free(all->weights);
  dorm__free(all->query_weights);
  dorm__free(all->scaled_labels);
}

/* ---- The trainer ------------------------------------------------------------------------------- */

/* Returns the number of candidates on these rows that have not left the race of the folds, at least 1. */
static size_t count_racing(const dorm__job *job, const dorm__sink *sink)
{
  size_t count = 0;
  for (size_t i = 0; i < dorm__tree_choices_count(job); i++) {
    dorm__sink ahead = {.job = job, .grid = sink->grid, .num_before = sink->num_before + i};
    count += !dorm__sink_has_left(&ahead);
  }
  return count ? count : 1;
}

static dorm_status train(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink)
{
  dorm__forest_data all = {.job = job, .rows = rows, .sink = sink};
  dorm_status status = open_forest(&all);
  double started = dorm__seconds();
  all.seconds = dorm__job_seconds_each(job, sink->grid->progress, DORM__BUDGET_TREES, count_racing(job, sink));
  if (status == DORM_OK)
    status = dorm__parallel_train(job, sink, dorm__tree_choices_count(job), dorm__forest_grow, &all);
  dorm__spent *spent = &sink->grid->progress->spent[DORM__BUDGET_TREES];
  spent->num_sets++;
  spent->seconds += dorm__seconds() - started;
  sink->grid->training->num_training_queries = dorm__all_queries(rows->train);
  close_forest(&all);
  return status;
}

/* Fails if a linear start would be added to outputs that are no scores. */
static dorm_status check(const dorm__job *job)
{
  dorm_status status = dorm__tree_start_check(job);
  for (size_t i = 0; status == DORM_OK && i < dorm__tree_choices_count(job); i++) {
    dorm__tree_choice chosen = dorm__tree_choice_at(job, i);
    bool is_sum = chosen.objective->link == DORM__LINK_OUTPUT;
    if (job->from && job->num_folds)
      return dorm__fail(
          job->context, DORM_BAD_USAGE,
          "data.from = %s: trees that continue from a model are not cross-validated, since it may have seen "
          "the held-out queries; give validation data, or selection.folds = 0",
          dorm__settings_text(job->settings, DORM__DATA_FROM));
    if (job->from && !is_sum)
      return dorm__fail(
          job->context, DORM_BAD_USAGE,
          "data.from = %s: the score of trees.objective = %s is no sum over trees, so that they cannot go "
          "on from a model; dorm, lambda and regression can",
          dorm__settings_text(job->settings, DORM__DATA_FROM), chosen.word);
    if (chosen.objective->link == DORM__LINK_SOFTMAX && dorm__job_keeps_order(job))
      return dorm__fail(job->context, DORM_BAD_USAGE,
                        "trees.objective = classification: expected labels keep no order; ordinal, regression, dorm "
                        "and lambda keep to training.increasing and training.decreasing");
    if (dorm__linear_start_is(job, DORM__TREES_START, chosen.start) && !is_sum)
      status =
          dorm__fail(job->context, DORM_BAD_USAGE,
                     "trees.start = %s: the score of trees.objective = %s is no sum over trees, so that they cannot "
                     "start at a linear model; dorm, lambda and regression can",
                     dorm__settings_word_at(job->settings, DORM__TREES_START, chosen.start), chosen.word);
  }
  return status;
}

/* Gives the objective its default, which is lambda if the measure is no sum over positions and so has no λ-function
 * `dorm`. */
static dorm_status settle(dorm__job *job, const dorm_dataset *train, const dorm_dataset *validation)
{
  dorm__lambda *lambda = NULL;
  dorm__tree_choice chosen = dorm__tree_choice_at(job, 0);
  (void)validation;
  if (!chosen.own_lambda || dorm__settings_is_given(job->given, DORM__TREES_OBJECTIVE))
    return DORM_OK;
  dorm_status status = dorm__lambda_for_job(job, chosen.own_lambda, train, &lambda);
  dorm__lambda_close(lambda);
  if (status != DORM_BAD_USAGE)
    return status;
  dorm__note(job->context, "trees.objective = lambda, since %s is no sum over positions, which dorm needs",
             dorm__measure_spec(job->measure));
  return dorm__job_set(job, DORM__TREES_OBJECTIVE, "lambda");
}

const dorm__trainer dorm__trees_trainer = {.name = "trees",
                                           .makes_parts = true,
                                           .visits_rows = true,
                                           .averages_folds = true,
                                           .shares_queries = true,
                                           .takes_weights = true,
                                           .keeps_order = true,
                                           .goes_on = true,
                                           .check = check,
                                           .settle = settle,
                                           .count = dorm__tree_choices_count,
                                           .train = train};
