/*
 * grid.c: all combinations of the settings that are lists: for each rank
 * block, each kernel, each ridge of the start, each truncation of the loss, each choice of
 * position weights and each reference, a path over the values of C.
 */
#include "training/grid.h"
#include "assignment/assignment.h"
#include "base/id_ranges.h"
#include "features/features.h"
#include "kernels/kernels.h"
#include "losses/losses.h"
#include "settings/settings.h"
#include "solver/solver.h"
#include "training/candidates.h"
#include "training/kernel_grid.h"
#include "training/path.h"
#include "training/run.h"
#include "training/start.h"

#include <math.h>
#include <string.h>

static dorm__oracle_method oracle_method(const dorm_settings *settings)
{
  const char *word = dorm__settings_text(settings, DORM__SOLVER_ORACLE);
  for (size_t i = 0; i < DORM__NUM_ORACLE_METHODS; i++)
    if (strcmp(word, dorm__oracle_method_name((dorm__oracle_method)i)) == 0)
      return (dorm__oracle_method)i;
  return DORM__ORACLE_AUTO;
}

static void add_oracle_counts(dorm__run *run, const dorm__problem *problem)
{
  for (size_t i = 0; i < problem->num_threads; i++) {
    const dorm__oracle_counts *counts = dorm__oracle_workspace_counts(problem->threads[i].workspace);
    for (size_t method = 0; method < DORM__NUM_ORACLE_METHODS; method++) {
      run->oracles.calls[method] += counts->calls[method];
      run->oracle_seconds[method] += problem->threads[i].method_seconds[method];
    }
    run->oracles.unproved += counts->unproved;
  }
}

/* Rankings that respect the groups, in this problem. */
static dorm_status diversify(dorm__run *run, dorm__problem *problem)
{
  size_t num_short = 0;
  dorm_status status = dorm__problem_diversify(run->context, problem, &run->diversity, &num_short);
  if (status == DORM_OK && num_short && !run->has_said_short)
    dorm__note(run->context,
               "%s: %zu queries have fewer documents that may stand together than positions (diversity.top = %zu): "
               "there the groups hold for as many positions as can be filled",
               run->train->name, num_short, run->diversity.top);
  run->has_said_short = true;
  return status;
}

static dorm_status train_problem(dorm__run *run, dorm__loss_tables *tables, const char *position_weights)
{
  const dorm_settings *settings = run->settings;
  dorm__problem *problem = NULL;
  dorm_status status = dorm__problem_new(run->context, run->train, &run->train_features, tables, position_weights,
                                         oracle_method(settings), run->num_threads, &problem);
  if (status == DORM_OK && !problem->num_queries)
    status = dorm__fail(run->context, DORM_BAD_DATA,
                        "%s: no query to train on: under this loss every ranking of every query costs the same",
                        run->train->name);
  if (status == DORM_OK && run->diversity.is_on)
    status = diversify(run, problem);
  if (status == DORM_OK)
    run->training->num_training_queries = problem->num_queries;
  bool is_checked = strcmp(dorm__settings_text(settings, DORM__SOLVER_ORACLE_CHECK), "yes") == 0;
  for (size_t i = 0; status == DORM_OK && is_checked && i < problem->num_threads; i++)
    dorm__oracle_workspace_set_check(problem->threads[i].workspace, true);
  run->candidate.position_weights = position_weights;
  if (status == DORM_OK && run->has_start)
    dorm__problem_know(problem, run->start, run->scores);
  run->problem = problem;
  for (size_t i = 0; status == DORM_OK && i < dorm__settings_count(settings, DORM__RANKING_REFERENCE); i++)
    status = dorm__path_train(run, problem, dorm__settings_word_at(settings, DORM__RANKING_REFERENCE, i));
  run->problem = NULL;
  if (problem)
    add_oracle_counts(run, problem);
  dorm__problem_free(problem);
  return status;
}

dorm_status dorm__grid_loss(dorm__run *run, size_t index, dorm__loss **loss)
{
  const dorm_settings *settings = run->settings;
  const char *name = dorm__settings_text(settings, DORM__LOSS_NAME);
  bool name_is_default = strcmp(name, dorm__setting_table[DORM__LOSS_NAME].default_text) == 0;
  dorm__loss *changed = NULL;
  char *spec = NULL;
  *loss = NULL;
  dorm_status status =
      dorm__loss_spec_of(run->context, name, dorm__settings_text(settings, DORM__LOSS_MODULE), name_is_default, &spec);
  if (status == DORM_OK)
    status = dorm__loss_open(run->context, spec, loss);
  dorm__free(spec);
  if (status != DORM_OK || dorm__settings_is_auto(settings, DORM__LOSS_TRUNCATION))
    return status;
  status = dorm__loss_with_truncation(
      run->context, *loss, (size_t)dorm__settings_number_at(settings, DORM__LOSS_TRUNCATION, index), &changed);
  dorm__loss_close(*loss);
  *loss = changed;
  return status;
}

static size_t num_truncations(const dorm_settings *settings)
{
  size_t count = dorm__settings_count(settings, DORM__LOSS_TRUNCATION);
  return count ? count : 1;
}

/* All trainings with one rank block and one truncation. */
static dorm_status train_loss(dorm__run *run, size_t index)
{
  const dorm_settings *settings = run->settings;
  dorm__loss *loss = NULL;
  dorm__loss_tables *tables = NULL;
  dorm_status status = dorm__grid_loss(run, index, &loss);
  if (status == DORM_OK)
    status = dorm__loss_tables_build(run->context, loss, run->train, run->num_threads, &tables);
  if (status == DORM_OK)
    run->candidate.truncation = dorm__loss_truncation(loss);
  for (size_t i = 0; status == DORM_OK && i < dorm__settings_count(settings, DORM__RANKING_POSITION_WEIGHTS); i++)
    status = train_problem(run, tables, dorm__settings_word_at(settings, DORM__RANKING_POSITION_WEIGHTS, i));
  dorm__loss_tables_free(tables);
  dorm__loss_close(loss);
  return status;
}

static bool starts_from_ridge(const dorm_settings *settings)
{
  return strcmp(dorm__settings_text(settings, DORM__SOLVER_START), "zero") != 0;
}

static size_t num_starts(const dorm_settings *settings)
{
  size_t count = dorm__settings_count(settings, DORM__SOLVER_RIDGE);
  return starts_from_ridge(settings) && count ? count : 1;
}

/* The ridge start is a candidate of its own. The first one finishes the rows. */
static dorm_status make_start(dorm__run *run, const dorm__feature_map *map, size_t index)
{
  const dorm_settings *settings = run->settings;
  size_t width = run->train_features.num_features;
  run->candidate.reference = "";
  run->candidate.position_weights = "";
  run->candidate.C = 0;
  run->candidate.round = 0;
  run->candidate.truncation = 0;
  run->candidate.certificate = (dorm_certificate){0};
  run->candidate.kernel_bound = 0;
  run->has_start = false;
  memset(run->start, 0, width * sizeof *run->start);
  dorm__bounds_project(&run->bounds, width, run->start);
  if (!starts_from_ridge(settings))
    return DORM_OK;
  if (dorm__settings_is_auto(settings, DORM__SOLVER_RIDGE))
    run->candidate.ridge = run->candidate.rank_block > 0 ? 0.3 : 0.15;
  else
    run->candidate.ridge = dorm__settings_number_at(settings, DORM__SOLVER_RIDGE, index);
  bool is_there;
  dorm_status status = dorm__candidate_restore(run, run->start, &is_there);
  if (status != DORM_OK || is_there)
    return status;
  status = dorm__start(run->context, run->train, &run->train_features,
                       strcmp(dorm__settings_text(settings, DORM__SOLVER_START), "gains") == 0, run->candidate.ridge,
                       run->num_threads, run->start);
  dorm__bounds_project(&run->bounds, width, run->start);
  if (status == DORM_OK)
    status = dorm__features_finish(run->context, run->train, map, run->start, run->num_threads, &run->train_features,
                                   run->scores);
  run->has_start = status == DORM_OK;
  return status == DORM_OK ? dorm__candidate_keep(run, run->start) : status;
}

/* A bound for every feature: `value` for those in `ids` (all when it is empty),
 * `other` for the rest, among them what a kernel adds; the ranks of a feature
 * have its bound too. */
static double *make_bound(const dorm__run *run, const dorm__id_ranges *ids, double value, double other)
{
  size_t num_ids = run->map.num_ids;
  size_t width = run->train_features.num_features;
  size_t num_linear = run->kernel ? run->kernel->map_width : width; /* make_bounds: there is a linear part */
  double *bound = dorm__alloc(width, sizeof *bound);
  for (size_t f = 0; bound && f < width; f++) {
    bool is_bounded = f < num_linear && (!ids->count || dorm__id_ranges_hold(ids, run->map.ids[f % num_ids]));
    bound[f] = is_bounded ? value : other;
  }
  return bound;
}

static dorm_status make_bounds(dorm__run *run)
{
  const dorm_settings *settings = run->settings;
  bool has_lower = !dorm__settings_is_auto(settings, DORM__SOLVER_WEIGHT_MIN);
  bool has_upper = !dorm__settings_is_auto(settings, DORM__SOLVER_WEIGHT_MAX);
  double lower = dorm__settings_number(settings, DORM__SOLVER_WEIGHT_MIN);
  double upper = dorm__settings_number(settings, DORM__SOLVER_WEIGHT_MAX);
  dorm__id_ranges ids;
  if ((has_lower || has_upper) && run->kernel && !run->kernel->has_linear)
    return dorm__fail(run->context, DORM_BAD_USAGE,
                      "solver.weight_min, weight_max: bounds on weights need a linear part, kernel.kernel = linear or "
                      "linear + ...");
  if (has_lower && has_upper && lower > upper)
    return dorm__fail(run->context, DORM_BAD_USAGE, "solver.weight_min = %g is above solver.weight_max = %g", lower,
                      upper);
  dorm_status status =
      dorm__id_ranges_parse(run->context, "solver.bounded", dorm__settings_text(settings, DORM__SOLVER_BOUNDED), &ids);
  if (status != DORM_OK)
    return status;
  if (!has_lower && !has_upper && ids.count)
    status = dorm__fail(run->context, DORM_BAD_USAGE,
                        "solver.bounded names features, but neither solver.weight_min nor "
                        "solver.weight_max is set");
  if (has_lower)
    run->bounds.lower = make_bound(run, &ids, lower, -INFINITY);
  if (has_upper)
    run->bounds.upper = make_bound(run, &ids, upper, INFINITY);
  if ((has_lower && !run->bounds.lower) || (has_upper && !run->bounds.upper))
    status = dorm__out_of_memory(run->context, "bounds");
  dorm__id_ranges_clear(&ids);
  return status;
}

/* The last rows to be made may take the memory of the data, unless the losses
 * read it; the scores of the model are then taken from these rows, so they
 * need the widest rank block. */
static dorm_status may_take(dorm__run *run, double rank_block, bool is_last, bool *result)
{
  dorm__loss *loss = NULL;
  *result = run->own_train && is_last && dorm__kernel_is_linear(run->kernels.kernel);
  for (size_t i = 0; i < dorm__settings_count(run->settings, DORM__DATA_RANK_BLOCK); i++)
    *result = *result && rank_block >= dorm__settings_number_at(run->settings, DORM__DATA_RANK_BLOCK, i);
  if (!*result)
    return DORM_OK;
  dorm_status status = dorm__grid_loss(run, 0, &loss);
  *result = status == DORM_OK && !dorm__loss_reads_features(loss);
  dorm__loss_close(loss);
  return status;
}

/* How many queries apart those are whose rows a start is made from before the others
 * are there; 0: all rows are made at once. */
static size_t stride_of_rows(const dorm__run *run, const dorm__feature_map *map)
{
  bool makes_start = starts_from_ridge(run->settings) && !run->num_restored;
  size_t stride = dorm__start_stride(run->train->num_docs, dorm__feature_map_width(map), run->train->row_start != NULL);
  return makes_start && stride > 1 ? stride : 0;
}

static dorm_status make_rows(dorm__run *run, const dorm__feature_map *map, bool takes)
{
  dorm_status status = dorm__features_begin(run->context, run->train, takes ? run->own_train : NULL, map,
                                            stride_of_rows(run, map), run->num_threads, &run->train_features);
  if (status != DORM_OK || !run->validation)
    return status;
  return takes
             ? dorm__features_take(run->context, run->own_validation, map, run->num_threads, &run->validation_features)
             : dorm__features_build(run->context, run->validation, map, run->num_threads, &run->validation_features);
}

/* The rows of a kernel other than the linear one. */
static dorm_status make_kernel_rows(dorm__run *run, const dorm__feature_map *map, size_t kernel)
{
  dorm_status status = dorm__kernel_grid_features(run->context, &run->kernels, kernel, run->train, run->validation, map,
                                                  run->num_threads, run->training, &run->kernel, &run->train_features,
                                                  &run->validation_features);
  if (status != DORM_OK)
    return status;
  run->candidate.kernel = run->kernel->text;
  run->candidate.kernel_rank = run->kernel->rank;
  run->candidate.kernel_residual = run->kernel->residual_trace;
  run->candidate.kernel_trace = run->kernel->trace;
  return DORM_OK;
}

/* All trainings with one rank block and one kernel. */
static dorm_status train_kernel(dorm__run *run, const dorm__feature_map *map, size_t kernel, bool is_last)
{
  const dorm_settings *settings = run->settings;
  bool is_linear = dorm__kernel_is_linear(run->kernels.kernel);
  run->candidate = (dorm_candidate){.rank_block = map->rank_block, .kernel = "linear"};
  run->kernel = NULL;
  dorm_status status = may_take(run, map->rank_block, is_last, &run->is_taken);
  if (status == DORM_OK)
    status = is_linear ? make_rows(run, map, run->is_taken) : make_kernel_rows(run, map, kernel);
  if (status == DORM_OK)
    status = make_bounds(run);
  if (status == DORM_OK) {
    run->start = dorm__alloc(run->train_features.num_features, sizeof *run->start);
    status = run->start ? DORM_OK : dorm__out_of_memory(run->context, "the ridge start");
  }
  for (size_t i = 0; status == DORM_OK && i < num_starts(settings); i++) {
    status = make_start(run, map, i);
    for (size_t k = 0; status == DORM_OK && k < num_truncations(settings); k++)
      status = train_loss(run, k);
  }
  dorm__features_free(&run->train_features);
  if (!run->is_taken) /* else they are needed for the scores of the model */
    dorm__features_free(&run->validation_features);
  dorm__free((double *)run->bounds.lower);
  dorm__free((double *)run->bounds.upper);
  run->bounds = (dorm__bounds){0};
  dorm__free(run->start);
  run->start = NULL;
  return status;
}

dorm_status dorm__grid_train(dorm__run *run)
{
  size_t count = dorm__settings_count(run->settings, DORM__DATA_RANK_BLOCK);
  dorm__feature_map_clear(&run->map);
  dorm_status status = dorm__feature_map_new(run->context, run->settings, run->train, &run->map);
  for (size_t i = 0; status == DORM_OK && i < count; i++) {
    dorm__feature_map map = run->map;
    map.rank_block = dorm__settings_number_at(run->settings, DORM__DATA_RANK_BLOCK, i);
    for (size_t k = 0; status == DORM_OK && k < run->kernels.count; k++)
      status = train_kernel(run, &map, k, i + 1 == count);
  }
  /* what a checkpoint held and was not met again has no kernel to its weights */
  for (; run->num_restored && !dorm__kernel_is_linear(run->kernels.kernel); run->num_restored--)
    dorm__training_drop_last(run->training);
  return status;
}

size_t dorm__grid_size(const dorm_settings *settings)
{
  size_t rounds = 0;
  for (size_t i = 0; i < dorm__settings_count(settings, DORM__RANKING_REFERENCE); i++) {
    dorm__reference reference = dorm__reference_from(dorm__settings_word_at(settings, DORM__RANKING_REFERENCE, i));
    rounds += dorm__path_rounds(settings, &reference);
  }
  size_t trained = num_truncations(settings) * dorm__settings_count(settings, DORM__RANKING_POSITION_WEIGHTS) *
                   dorm__settings_count(settings, DORM__SOLVER_C) * rounds;
  return dorm__settings_count(settings, DORM__DATA_RANK_BLOCK) * num_starts(settings) *
         (starts_from_ridge(settings) + trained);
}
