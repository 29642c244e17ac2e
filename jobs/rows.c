/*
 * rows.c: training and validation data under one feature map and one kernel. One factorisation of a kernel serves all
 * losses, references, position weights and C. The kernel `linear` by itself is not factorised. If a start is made from
 * a sample of the rows (ridge_regression.c), only the rows of the sample are made at first. The others follow when the
 * start is known. They are scored with it while they are made, so that large data are read from memory once for both.
 */
#include "jobs/rows.h"

#include <math.h>

/* Makes the rows of both data sets. */
static dorm_status make_all(const dorm__job *job, dorm__training_rows *rows)
{
  dorm_status status =
      dorm__features_build(job->context, rows->train, &rows->map, job->num_threads, &rows->train_features);
  rows->is_late = false;
  rows->sample = dorm__features_sample(&rows->train_features, dorm__ridge_stride(dorm__all_docs(rows->train),
                                                                                 dorm__feature_map_width(&rows->map),
                                                                                 rows->train->row_start != NULL));
  return status == DORM_OK && rows->validation ? dorm__features_build(job->context, rows->validation, &rows->map,
                                                                      job->num_threads, &rows->validation_features)
                                               : status;
}

/* Returns whether no trainer needs rows that are made in advance. */
static bool visits_rows(const dorm__job *job)
{
  bool result = true;
  for (size_t i = 0; i < job->num_trainers; i++)
    result = result && job->trainers[i]->visits_rows;
  return result;
}

/* Makes rows without a kernel. If a start is made from a sample, makes only the rows of the sample, and
 * dorm__training_rows_finish makes the others. */
static dorm_status make_linear(const dorm__job *job, dorm__grid *grid, bool takes, dorm__training_rows *rows)
{
  const dorm_dataset *train = grid->train;
  bool makes_start = job->trainers[0]->samples_rows && dorm__job_has_start(job) && !grid->num_restored;
  size_t stride =
      dorm__ridge_stride(dorm__all_docs(train), dorm__feature_map_width(&rows->map), train->row_start != NULL);
  dorm_status status;
  if (visits_rows(job)) {
    rows->is_late = true;
    rows->sample.rows.num_features = dorm__feature_map_width(&rows->map);
    return DORM_OK;
  }
  if (!makes_start && !takes)
    return make_all(job, rows);
  if (makes_start)
    status = dorm__features_begin(job->context, train, takes ? grid->own_train : NULL, &rows->map, stride,
                                  job->num_threads, &rows->sample);
  else
    status = dorm__features_take(job->context, grid->own_train, &rows->map, job->num_threads, &rows->train_features);
  if (!makes_start)
    rows->sample = dorm__features_sample(&rows->train_features, stride);
  if (status != DORM_OK || !grid->validation)
    return status;
  return takes ? dorm__features_take(job->context, grid->own_validation, &rows->map, job->num_threads,
                                     &rows->validation_features)
               : dorm__features_build(job->context, grid->validation, &rows->map, job->num_threads,
                                      &rows->validation_features);
}

/* Hands a factor to the training result, which then owns it. Models are made from it. */
static dorm_status keep_factor(dorm_context *context, dorm_training *training, dorm__kernel_factor *factor)
{
  if (!DORM__GROW(training->kernels, training->kernels_capacity, training->num_kernels + 1)) {
    dorm__kernel_factor_free(factor);
    return dorm__out_of_memory(context, "a kernel");
  }
  training->kernels[training->num_kernels++] = factor;
  return DORM_OK;
}

/* Makes the features of both data sets under kernel number `index`. */
static dorm_status make_kernel(const dorm__job *job, dorm__grid *grid, size_t index, dorm__training_rows *rows)
{
  const dorm__kernel_grid *kernels = &job->kernels;
  dorm__kernel_options options = {
      .rank = (size_t)dorm__settings_number_at(job->settings, DORM__KERNEL_RANK, index % kernels->num_ranks),
      .seed = dorm__settings_integer(job->settings, DORM__TRAINING_SEED),
      .num_threads = job->num_threads,
  };
  double started = dorm__seconds();
  dorm__kernel_factor *made = NULL;
  dorm_status status =
      DORM__ALL(dorm__kernel_fit(job->context, kernels->kernel, index / kernels->num_ranks, &options, grid->train,
                                 &rows->map, &(const dorm__kernel_fitted){&made, &rows->train_features}),
                keep_factor(job->context, grid->training, made));
  if (status != DORM_OK)
    return status;
  dorm__detail(job->context, "%s: rank %zu of %zu documents, residual trace %.3g of %.3g (%.2g s)", made->text,
               made->rank, made->num_docs, made->residual_trace, made->trace, dorm__seconds() - started);
  rows->kernel = made;
  rows->sample = dorm__features_sample(
      &rows->train_features, dorm__ridge_stride(dorm__all_docs(grid->train), rows->train_features.num_features, false));
  return grid->validation ? dorm__kernel_features(job->context, made, grid->validation, &rows->map, job->num_threads,
                                                  &rows->validation_features)
                          : DORM_OK;
}

double dorm__kernel_bound(const dorm__working_set *set, const dorm__kernel_factor *factor)
{
  double length = dorm__working_set_residual_length(set, factor->residual);
  return 0.5 * length * length;
}

dorm_status dorm__training_rows_make(const dorm__job *job, dorm__grid *grid, const dorm__feature_map *map,
                                     size_t kernel, bool takes, dorm__training_rows *rows)
{
  *rows = (dorm__training_rows){.train = grid->train,
                                .validation = grid->validation,
                                .map = *map,
                                .num_functions = 1 + job->num_own,
                                .is_taken = takes};
  return dorm__kernel_is_linear(job->kernels.kernel) ? make_linear(job, grid, takes, rows)
                                                     : make_kernel(job, grid, kernel, rows);
}

void dorm__training_rows_clear(dorm__training_rows *rows)
{
  dorm__sampled_features_clear(&rows->sample);
  dorm__features_free(&rows->train_features);
  dorm__features_free(&rows->validation_features);
  *rows = (dorm__training_rows){0};
}

size_t dorm__training_rows_width(const dorm__training_rows *rows)
{
  return rows->num_functions * rows->sample.rows.num_features;
}

dorm_status dorm__training_rows_finish(const dorm__job *job, dorm__training_rows *rows, const double *weights,
                                       double *scores)
{
  return dorm__features_finish(job->context, rows->train, &rows->map, weights, job->num_threads,
                               &(const dorm__finished_rows){&rows->sample, &rows->train_features, scores});
}

dorm_status dorm__training_rows_features(const dorm__job *job, dorm__training_rows *rows,
                                         const dorm__features **features)
{
  dorm_status status = rows->is_late ? make_all(job, rows) : DORM_OK;
  if (status == DORM_OK && !rows->sample.is_whole) {
    DORM__FREED double *weights = dorm__alloc_zero(dorm__training_rows_width(rows), sizeof *weights);
    DORM__FREED double *scores = dorm__alloc(rows->train->num_docs, sizeof *scores);
    status = weights && scores ? dorm__training_rows_finish(job, rows, weights, scores)
                               : dorm__out_of_memory(job->context, "rows");
  }
  *features = status == DORM_OK ? &rows->train_features : NULL;
  return status;
}

dorm_status dorm__training_rows_full(const dorm__job *job, const dorm__training_rows *rows, const dorm_dataset *dataset,
                                     const dorm__features *features, bool keeps_missing, dorm__features *own,
                                     const dorm__features **full)
{
  dorm__feature_map map = rows->map;
  map.keeps_missing = keeps_missing;
  *full = features;
  if (!features->row_start && !(keeps_missing && dataset->has_missing))
    return DORM_OK;
  *full = own;
  return dorm__features_build_full(job->context, dataset, &map, job->num_threads, own);
}

static dorm_status visit_rows(dorm_context *context, void *user, size_t first, size_t num_features,
                              dorm__take_rows *take, void *taker)
{
  const dorm__row_source *source = user;
  dorm__feature_map map = source->map;
  map.num_ids = num_features;
  map.ids += first;
  map.shift = map.shift ? map.shift + first : NULL;
  map.spread = map.spread ? map.spread + first : NULL;
  map.mean = map.mean ? map.mean + first : NULL;
  map.is_category = map.is_category ? map.is_category + first : NULL;
  return dorm__features_visit_full(context, source->dataset, &map, source->job->num_threads, take, taker);
}

dorm__tree_rows dorm__training_rows_for_trees(const dorm__job *job, const dorm__feature_map *map,
                                              const dorm_dataset *dataset, const dorm__features *features, bool is_raw,
                                              dorm__row_source *source)
{
  size_t halves = map->rank_block > 0 ? 2 : 1;
  dorm__tree_rows made = {
      .num_docs = dataset->num_docs, .num_ranks = (halves - 1) * map->num_ids, .visit = visit_rows, .user = source};
  *source = (dorm__row_source){.job = job, .dataset = dataset, .map = *map};
  source->map.keeps_missing = true;
  if (is_raw)
    source->map.normalisation = DORM__NORMALISATION_NONE;
  if (dataset->row_start)
    made.num_sparse = dataset->row_start[dataset->num_docs] * halves + 1;
  else if (!dataset->has_missing && !is_raw && !map->is_category)
    made.values = features->values;
  return made;
}

dorm_candidate dorm__training_rows_candidate(const dorm__training_rows *rows)
{
  dorm_candidate candidate = {.reference = "",
                              .position_weights = "",
                              .rank_block = rows->map.rank_block,
                              .kernel = "linear",
                              .validation = NAN,
                              .validation_error = NAN,
                              .training = NAN,
                              .certificate = {.primal = NAN, .dual = NAN, .gap = NAN, .reference_constant = NAN}};
  if (rows->kernel) {
    candidate.kernel = rows->kernel->text;
    candidate.kernel_rank = rows->kernel->rank;
    candidate.kernel_residual = rows->kernel->residual_trace;
    candidate.kernel_trace = rows->kernel->trace;
  }
  return candidate;
}
