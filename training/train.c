/*
 * train.c: dorm_train: settings filled in, the grid trained (once with
 * validation data, once a fold and once on everything with cross-validation),
 * one model selected.
 */
#include "assignment/assignment.h"
#include "base/linalg.h"
#include "data/data.h"
#include "features/features.h"
#include "kernels/kernels.h"
#include "losses/losses.h"
#include "measures/measures.h"
#include "models/models.h"
#include "settings/settings.h"
#include "solver/solver.h"
#include "training/candidates.h"
#include "training/checkpoint.h"
#include "training/folds.h"
#include "training/grid.h"
#include "training/kernel_grid.h"
#include "training/run.h"
#include "training/selection.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <string.h>

/* ---- Before and after -------------------------------------------------------- */

static bool retrains(const dorm_settings *settings)
{
  return strcmp(dorm__settings_text(settings, DORM__SELECTION_RETRAIN), "yes") == 0;
}

/* The settings of one loss that are about rankings, or about a structured loss
 * alone; with a structured one the former would only multiply equal candidates. */
static dorm_status resolve_ranking(dorm__run *run)
{
  static const struct {
    dorm__setting setting;
    const char *structured; /* its value with a structured loss */
  } rankings[] = {
      {DORM__RANKING_POSITION_WEIGHTS, "loss"}, {DORM__RANKING_REFERENCE, "none"}, {DORM__SOLVER_ORACLE, "auto"}};
  dorm__loss *loss = NULL;
  dorm_status status = dorm__grid_loss(run, 0, &loss); /* also finds a bad loss before anything is trained */
  if (status != DORM_OK)
    return status;
  bool is_structured = dorm__loss_is_structured(loss);
  for (size_t i = 0; status == DORM_OK && is_structured && i < sizeof rankings / sizeof *rankings; i++) {
    const char *key = dorm__setting_table[rankings[i].setting].key;
    const char *text = dorm__settings_text(run->settings, rankings[i].setting);
    if (strcmp(text, "auto") != 0 && strcmp(text, rankings[i].structured) != 0)
      dorm__note(run->context, "%s = %s is not used: loss '%s' is structured, with outputs of its own", key, text,
                 dorm__loss_module_of(loss)->name);
    status = dorm_settings_set(run->context, run->settings, key, rankings[i].structured);
  }
  for (size_t i = 0; !is_structured && i < dorm__settings_count(run->settings, DORM__RANKING_REFERENCE); i++)
    if (dorm__reference_from(dorm__settings_word_at(run->settings, DORM__RANKING_REFERENCE, i)).kind ==
        DORM__REFERENCE_NONE)
      status = dorm__fail(run->context, DORM_BAD_USAGE,
                          "ranking.reference = none is for structured losses; loss '%s' needs a reference ranking",
                          dorm__loss_module_of(loss)->name);
  dorm__loss_close(loss);
  return status;
}

/* With few documents a feature the ridge of the start decides more than what is
 * trained from it; with many, no choice of it was told from 0.15 on data held
 * out (experiments/figure3). */
static dorm_status resolve_ridge(dorm__run *run)
{
  enum { few_docs_a_feature = 50 };
  const dorm__kernel_grid *kernels = &run->kernels;
  size_t width = 0;
  size_t rank = 0; /* features that a kernel adds */
  for (size_t i = 0; i < kernels->num_ranks && !dorm__kernel_is_linear(kernels->kernel); i++) {
    size_t given = (size_t)dorm__settings_number_at(run->settings, DORM__KERNEL_RANK, i);
    given = given ? given : run->train->num_docs; /* 0: all of the Gram matrix */
    rank = given > rank ? given : rank;
  }
  dorm_status status = dorm__features_chosen(run->context, run->settings, run->train, &width);
  if (status == DORM_OK && run->train->num_docs < few_docs_a_feature * (width + rank))
    status =
        dorm_settings_set(run->context, run->settings, dorm__setting_table[DORM__SOLVER_RIDGE].key, "0.15, 1.5, 15");
  return status;
}

/* Fills in what was left to auto. */
static dorm_status resolve_settings(dorm__run *run)
{
  static const struct {
    dorm__setting setting;
    const char *with_validation, *without;
  } defaults[] = {
      {DORM__DATA_RANK_BLOCK, "0, 0.5", "0"},
      {DORM__RANKING_REFERENCE, "mu:0.3, mu:1", "mu:0.3"},
  };
  size_t folds = dorm__settings_integer(run->settings, DORM__SELECTION_FOLDS);
  bool chooses = run->validation || folds;
  if (run->validation && folds)
    return dorm__fail(run->context, DORM_BAD_USAGE, "selection.folds = %zu, but there is data.validation too", folds);
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
    if (!dorm__settings_is_auto(run->settings, defaults[i].setting))
      continue;
    dorm_status status = dorm_settings_set(run->context, run->settings, dorm__setting_table[defaults[i].setting].key,
                                           chooses ? defaults[i].with_validation : defaults[i].without);
    if (status != DORM_OK)
      return status;
  }
  size_t threads = dorm__settings_integer(run->settings, DORM__SOLVER_THREADS);
  size_t num_entries = run->train->row_start ? run->train->row_start[run->train->num_docs]
                                             : run->train->num_docs * run->train->num_features;
  run->num_threads = dorm__problem_threads(num_entries, threads ? threads : (size_t)omp_get_num_procs());
  size_t num_grids = 1 + folds + (run->validation && retrains(run->settings) ? 1 : 0);
  dorm_status status = dorm__kernel_grid_open(run->context, run->settings, &run->kernels);
  if (status == DORM_OK && chooses && dorm__settings_is_auto(run->settings, DORM__SOLVER_RIDGE))
    status = resolve_ridge(run);
  if (status != DORM_OK)
    return status;
  run->num_expected = num_grids * dorm__grid_size(run->settings) * run->kernels.count;
  double minutes = dorm__settings_number(run->settings, DORM__SOLVER_TIME_LIMIT);
  run->deadline = minutes > 0 ? run->started + 60 * minutes : 0;
  return status;
}

/* The measure that chooses: the one named, or the loss's own at its first
 * truncation. */
static dorm_status open_measure(dorm__run *run)
{
  const char *key = dorm__setting_table[DORM__SELECTION_MEASURE].key;
  dorm__loss *loss = NULL;
  char *spec = NULL;
  dorm_status status = dorm__grid_loss(run, 0, &loss);
  if (status == DORM_OK)
    run->diversity = dorm__diversity_from(run->settings, dorm__loss_truncation(loss));
  if (status == DORM_OK && dorm__settings_is_auto(run->settings, DORM__SELECTION_MEASURE)) {
    status = dorm__measure_spec_of_loss(run->context, loss, &spec);
    if (status == DORM_OK)
      status = dorm_settings_set(run->context, run->settings, key, spec);
  }
  if (status == DORM_OK)
    status =
        dorm__measure_open(run->context, dorm__settings_text(run->settings, DORM__SELECTION_MEASURE), &run->measure);
  if (status == DORM_OK && dorm__measure_is_cost(run->measure))
    status = dorm__fail(run->context, DORM_BAD_USAGE, "%s: less is better under %s; name a measure of which more is",
                        key, dorm__measure_spec(run->measure));
  dorm__free(spec);
  dorm__loss_close(loss);
  return status;
}

/* The number of positions goes into the model, which prediction asks. */
static dorm_status settle_diversity(dorm__run *run)
{
  const dorm_dataset *data[] = {run->train, run->validation};
  char number[32];
  if (!run->diversity.is_on)
    return DORM_OK;
  for (size_t i = 0; i < 2; i++)
    if (data[i] && !data[i]->groups)
      return dorm__fail(run->context, DORM_BAD_USAGE,
                        "%s: diversity.groups is set, but the data have no groups (dorm_dataset_read_groups)",
                        data[i]->name);
  snprintf(number, sizeof number, "%zu", run->diversity.top);
  return dorm_settings_set(run->context, run->settings, dorm__setting_table[DORM__DIVERSITY_TOP].key, number);
}

static dorm_status prepare(dorm__run *run, const dorm_settings *settings)
{
  size_t most_docs = run->train->num_docs + (run->validation ? run->validation->num_docs : 0);
  run->scores = dorm__alloc(most_docs, sizeof *run->scores);
  if (!run->scores)
    return dorm__out_of_memory(run->context, "training");
  dorm_status status = dorm__settings_copy(run->context, settings, &run->settings);
  if (status == DORM_OK)
    status = resolve_ranking(run);
  if (status == DORM_OK)
    status = resolve_settings(run);
  if (status == DORM_OK)
    status = open_measure(run);
  if (status == DORM_OK)
    status = settle_diversity(run);
  return status == DORM_OK ? dorm__checkpoint_open(run, &run->checkpoint) : status;
}

/* Number `grid` of the run, on the data now in it, into a training of its own. */
static dorm_status train_grid(dorm__run *run, size_t grid, dorm_training **training)
{
  *training = NULL;
  run->grid = grid;
  dorm_status status = dorm__training_new(run->context, &run->training);
  if (status == DORM_OK)
    status = dorm__checkpoint_restore_grid(run);
  if (status == DORM_OK)
    status = dorm__grid_train(run);
  *training = run->training;
  run->training = NULL;
  return status;
}

/* The model of the chosen candidates of a grid on run->train. */
static dorm_status make_chosen(dorm__run *run, dorm_training *training)
{
  dorm__feature_map_clear(&run->map);
  dorm_status status = dorm__feature_map_new(run->context, run->settings, run->train, &run->map);
  return status == DORM_OK ? dorm__selection_model(run->context, run->settings, &run->map, training) : status;
}

/* The chosen candidates once more, on training and validation data together;
 * the model is theirs, the figures stay those of `training`. */
static dorm_status retrain(dorm__run *run, size_t grid, dorm_training *training)
{
  const dorm_dataset *train = run->train;
  const dorm_dataset *validation = run->validation;
  size_t count = train->num_queries + validation->num_queries;
  dorm__query_of *queries = dorm__alloc(count, sizeof *queries);
  dorm_dataset *whole = NULL;
  dorm_training *again = NULL;
  dorm_status status = queries ? DORM_OK : dorm__out_of_memory(run->context, "training and validation data together");
  for (size_t i = 0; queries && i < count; i++)
    queries[i] =
        i < train->num_queries ? (dorm__query_of){train, i} : (dorm__query_of){validation, i - train->num_queries};
  if (status == DORM_OK)
    status = dorm__dataset_gather(run->context, train->name, count, queries, &whole);
  if (status == DORM_OK) {
    run->train = whole;
    run->validation = NULL;
    run->chosen_from = training;
    status = train_grid(run, grid, &again);
    run->train = train;
    run->validation = validation;
    run->chosen_from = NULL;
  }
  if (status == DORM_OK) {
    for (size_t i = 0; i < again->num_trained; i++)
      again->trained[i].candidate.is_selected = training->trained[i].candidate.is_selected;
    status = dorm__selection_model(run->context, run->settings, &run->map, again);
  }
  if (status == DORM_OK) {
    training->model = again->model;
    again->model = NULL;
    training->num_training_queries = again->num_training_queries;
  }
  if (status == DORM_STOPPED) { /* what was chosen makes the model as it is */
    char message[DORM__MESSAGE_SIZE];
    memcpy(message, run->context->message, sizeof message);
    dorm_status made = make_chosen(run, training);
    memcpy(run->context->message, message, sizeof message);
    status = made == DORM_OK ? DORM_STOPPED : made;
  }
  dorm_training_free(again);
  dorm_dataset_free(whole);
  dorm__free(queries);
  return status;
}

/* Validation scores of the model from rows with a rank block at least as large
 * as its own: the weights of the ranks are scaled down. */
static dorm_status score_rows(dorm__run *run, const dorm_model *model)
{
  const dorm__features *rows = &run->validation_features;
  double *weights = dorm__alloc_zero(rows->num_features, sizeof *weights);
  if (!weights)
    return dorm__out_of_memory(run->context, "scores");
  memcpy(weights, model->weights, model->num_ids * sizeof *weights);
  if (model->rank_block > 0)
    dorm__add_scaled(model->num_ids, model->rank_block / run->candidate.rank_block, model->weights + model->num_ids,
                     weights + model->num_ids);
  dorm__features_score(rows, 0, rows->num_docs, weights, run->scores);
  dorm__free(weights);
  return DORM_OK;
}

/* The model's own value on the validation data. */
static dorm_status measure_model(dorm__run *run, dorm_training *training)
{
  dorm_evaluation evaluation;
  dorm_status status = run->is_taken ? score_rows(run, training->model)
                                     : dorm_model_score(run->context, training->model, run->validation, run->scores);
  if (status == DORM_OK && run->diversity.is_on)
    status = dorm_diversify(run->context, run->settings, run->validation, run->scores, run->scores);
  if (status == DORM_OK)
    status = dorm__measure_dataset(run->context, run->measure, run->validation, run->scores, NULL, &evaluation);
  if (status == DORM_OK)
    training->validation = evaluation.mean;
  return status;
}

/* From candidates to model. When the training was stopped, what there is makes
 * the model, and its message is kept. */
static dorm_status make_model(dorm__run *run, dorm_status trained, dorm_training *training)
{
  char message[DORM__MESSAGE_SIZE];
  memcpy(message, run->context->message, sizeof message);
  size_t folds = dorm__settings_integer(run->settings, DORM__SELECTION_FOLDS);
  if (folds)
    dorm__folds_assign(&run->folds, training);
  dorm_status status = dorm__selection_mark(run->context, run->settings, run->validation || folds, training);
  bool has_selected = false;
  for (size_t i = 0; i < training->num_trained; i++)
    has_selected = has_selected || training->trained[i].candidate.is_selected;
  if (status == DORM_OK && !has_selected)
    dorm__warn(run->context, "no candidate tells the documents of a query apart: the model is zero");
  bool is_retrained = trained == DORM_OK && run->validation && retrains(run->settings);
  if (status == DORM_OK)
    status = is_retrained ? retrain(run, folds + 1, training)
                          : dorm__selection_model(run->context, run->settings, &run->map, training);
  if (status == DORM_OK && run->validation && !is_retrained)
    status = measure_model(run, training);
  if (status == DORM_OK && trained != DORM_OK) {
    memcpy(run->context->message, message, sizeof message);
    return trained;
  }
  return status;
}

/* A stop among the folds: what was trained there was to choose settings by, and is no model of all the data. */
static dorm_status say_no_model(const dorm__run *run)
{
  const char *path = dorm__settings_text(run->settings, DORM__OUTPUT_CHECKPOINT);
  char message[DORM__MESSAGE_SIZE];
  memcpy(message, run->context->message, sizeof message);
  return dorm__fail(
      run->context, DORM_STOPPED, "%.300s during cross-validation, before there was a model; %s%.500s", message,
      *path ? "output.resume = yes goes on from the checkpoint " : "with output.checkpoint it could go on from here",
      path);
}

/* How often each oracle was used and what it cost, on one thread each. */
static void note_oracles(const dorm__run *run)
{
  char text[DORM__MESSAGE_SIZE / 2];
  size_t size = 0;
  for (size_t i = 0; i < DORM__NUM_ORACLE_METHODS && size < sizeof text - 80; i++)
    if (run->oracles.calls[i])
      size += (size_t)snprintf(text + size, sizeof text - size, "%s %s %" PRIu64 " calls, %.3f s", size ? ";" : "",
                               dorm__oracle_method_name((dorm__oracle_method)i), run->oracles.calls[i],
                               run->oracle_seconds[i]);
  if (size)
    dorm__note(run->context, "oracles:%s", text);
  if (run->oracles.unproved)
    dorm__warn(run->context,
               "%" PRIu64 " mixed-integer programmes stopped at diversity.time_limit = %g seconds; primal values count "
               "what they may have missed",
               run->oracles.unproved, run->diversity.seconds);
}

static dorm_status train_run(dorm__run *run, const dorm_settings *settings, dorm_training **training)
{
  dorm_training *made = NULL;
  *training = NULL;
  dorm_status status = prepare(run, settings);
  size_t folds = status == DORM_OK ? dorm__settings_integer(run->settings, DORM__SELECTION_FOLDS) : 0;
  if (status == DORM_OK && run->validation && retrains(run->settings)) {
    run->own_train = NULL; /* needed again */
    run->own_validation = NULL;
  }
  if (folds)
    status = dorm__folds_train(run, folds, dorm__settings_integer(run->settings, DORM__SELECTION_SEED));
  if (status == DORM_STOPPED)
    status = say_no_model(run);
  if (status == DORM_OK)
    status = train_grid(run, folds, &made);
  note_oracles(run);
  if (status == DORM_OK || (status == DORM_STOPPED && made && made->num_trained))
    status = make_model(run, status, made);
  bool is_complete = status == DORM_OK;
  if (is_complete && run->is_limited)
    status =
        dorm__fail(run->context, DORM_STOPPED, "some solves stopped at solver.max_iterations = %zu%s before the gap",
                   dorm__settings_integer(run->settings, DORM__SOLVER_MAX_ITERATIONS),
                   run->oracles.unproved ? ", or because of diversity.time_limit," : "");
  if ((status == DORM_OK || status == DORM_STOPPED) && made && made->model) {
    *training = made;
    made = NULL;
  }
  if (is_complete)
    dorm__checkpoint_remove(run->checkpoint);
  dorm_training_free(made);
  dorm__kernel_grid_close(&run->kernels);
  dorm__measure_close(run->measure);
  dorm__checkpoint_close(run->checkpoint);
  dorm__fold_sums_clear(&run->folds);
  dorm__feature_map_clear(&run->map);
  dorm__features_free(&run->validation_features);
  dorm_settings_free(run->settings);
  dorm__free(run->scores);
  return status;
}

dorm_status dorm_train(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train,
                       const dorm_dataset *validation, dorm_training **training)
{
  dorm__run run = {.context = context, .train = train, .validation = validation, .started = dorm__seconds()};
  return train_run(&run, settings, training);
}

dorm_status dorm_train_consuming(dorm_context *context, const dorm_settings *settings, dorm_dataset *train,
                                 dorm_dataset *validation, dorm_training **training)
{
  dorm__run run = {.context = context,
                   .train = train,
                   .validation = validation,
                   .own_train = train,
                   .own_validation = validation,
                   .started = dorm__seconds()};
  return train_run(&run, settings, training);
}
