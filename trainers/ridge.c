/*
 * ridge.c: query-centred ridge regression as a trainer, and as the start of other trainers. The trainer makes one
 * candidate for each value of solver.ridge.
 */
#include "trainers/ridge.h"

#include <string.h>

/* The ridge for solver.ridge = auto, without and with a rank block. These values were the best on the validation data
 * of several collections. */
static const double default_ridge = 0.15, default_ridge_with_ranks = 0.3;

dorm_status dorm__start_new(const dorm__job *job, const dorm__training_rows *rows, dorm__start *start)
{
  *start = (dorm__start){.w = dorm__alloc(dorm__training_rows_width(rows), sizeof *start->w),
                         .scores = dorm__alloc(rows->train->num_docs, sizeof *start->scores)};
  if (job->from)
    start->centre = dorm__alloc(dorm__training_rows_width(rows), sizeof *start->centre);
  return start->w && start->scores && (!job->from || start->centre)
             ? DORM_OK
             : dorm__out_of_memory(job->context, "the ridge start");
}

void dorm__start_clear(dorm__start *start)
{
  dorm__free(start->w);
  dorm__free(start->scores);
  dorm__free(start->centre);
  *start = (dorm__start){0};
}

double dorm__ridge_at(const dorm__job *job, const dorm__training_rows *rows, size_t index)
{
  if (!dorm__settings_is_auto(job->settings, DORM__SOLVER_RIDGE))
    return dorm__settings_number_at(job->settings, DORM__SOLVER_RIDGE, index);
  return rows->map.rank_block > 0 ? default_ridge_with_ranks : default_ridge;
}

/* Makes the training rows that the sample lacks, fills start->scores, and hands the start to the sink as a
 * candidate. */
static dorm_status offer_start(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink, dorm__start *start)
{
  dorm_status status = dorm__training_rows_finish(job, rows, start->w, start->scores);
  if (status != DORM_OK)
    return status;
  start->has_scores = true;
  dorm__offer offer = {.candidate = dorm__training_rows_candidate(rows),
                       .train_scores = start->scores,
                       .w = start->w,
                       .ends_path = true};
  offer.candidate.ridge = start->ridge;
  offer.candidate.rho = start->rho;
  return dorm__sink_take(sink, rows, &offer);
}

dorm_status dorm__start_make(const dorm__job *job, dorm__training_rows *rows, const dorm__bounds *bounds, size_t index,
                             dorm__sink *sink, dorm__start *start)
{
  size_t width = dorm__training_rows_width(rows);
  bool is_there;
  start->has_scores = false;
  start->ridge = start->rho = 0;
  memset(start->w, 0, width * sizeof *start->w);
  dorm__bounds_project(bounds, width, start->w);
  if (!dorm__job_has_start(job))
    return DORM_OK;
  start->ridge = dorm__ridge_at(job, rows, index);
  dorm_status status = dorm__sink_restore(sink, rows, start->w, &is_there);
  if (status != DORM_OK || is_there)
    return status;
  bool on_gains = dorm__settings_choice(job->settings, DORM__SOLVER_START) == DORM__START_GAINS;
  status = dorm__ridge_regression(job->context, rows->train, &rows->sample, on_gains, start->ridge, job->num_threads,
                                  start->w);
  dorm__bounds_project(bounds, width, start->w);
  return status == DORM_OK ? offer_start(job, rows, sink, start) : status;
}

dorm_status dorm__start_at_model(const dorm__job *job, dorm__training_rows *rows, const dorm__bounds *bounds,
                                 double rho, dorm__sink *sink, dorm__start *start)
{
  size_t width = dorm__training_rows_width(rows);
  bool is_there;
  start->has_scores = false;
  start->ridge = 0;
  start->rho = rho;
  dorm__earlier_weights(rows, job->from, start->w);
  for (size_t f = 0; f < width; f++) {
    start->centre[f] = rho * start->w[f];
    start->w[f] = rho > 0 ? start->centre[f] : start->w[f];
  }
  dorm__bounds_project(bounds, width, start->w);
  dorm_status status = dorm__sink_restore(sink, rows, start->w, &is_there);
  return status != DORM_OK || is_there ? status : offer_start(job, rows, sink, start);
}

/* ---- Linear start ------------------------------------------------------------------------------- */

/* A linear function of the rows at which nets and trees start: a ridge regression, or the linear part of a model. */

bool dorm__linear_start_is(const dorm__job *job, dorm__setting setting, size_t index)
{
  const char *word = dorm__settings_word_at(job->settings, setting, index);
  const char *argument;
  return dorm__spec_is(word, "ridge", &argument) || dorm__spec_is(word, "file", &argument);
}

/* Fails if the linear part of a model does not fit the rows. */
static dorm_status check_model(const dorm__job *job, const dorm__training_rows *rows, const dorm_model *model,
                               dorm__setting setting, const char *path)
{
  const char *key = dorm__setting_table[setting].key;
  double rank_block = 0;
  const double *linear = dorm__model_linear_weights(model, &rank_block);
  if (!linear || model->num_parts > 1)
    return dorm__fail(job->context, DORM_BAD_DATA, "%s = file:%s: the model is not linear", key, path);
  if (model->map.normalisation != rows->map.normalisation)
    return dorm__fail(
        job->context, DORM_BAD_DATA, "%s = file:%s: the model has features normalised by %s, the training by %s", key,
        path, dorm__normalisation_name(model->map.normalisation), dorm__normalisation_name(rows->map.normalisation));
  if (rank_block > 0 && !(rows->map.rank_block > 0))
    return dorm__fail(job->context, DORM_BAD_DATA,
                      "%s = file:%s: the model has a rank block of %g, and the training none; set data.rank_block", key,
                      path, rank_block);
  return DORM_OK;
}

static dorm_status read_weights(const dorm__job *job, const dorm__training_rows *rows, dorm__setting setting,
                                const char *path, double *w)
{
  DORM__OWNED(dorm_model) *model = NULL;
  dorm_status status =
      DORM__ALL(dorm_model_read(job->context, path, &model), check_model(job, rows, model, setting, path));
  if (status == DORM_OK)
    dorm__earlier_weights(rows, model, w);
  return status;
}

/* Finds the standard deviation within queries of the scores of w. */
static dorm_status find_spread(const dorm__job *job, const dorm__training_rows *rows, const dorm__features *features,
                               const double *w, double *spread)
{
  const dorm_dataset *train = rows->train;
  DORM__FREED double *scores = dorm__alloc(train->num_docs, sizeof *scores);
  if (!scores)
    return dorm__out_of_memory(job->context, "a linear start");
  dorm__features_score_queries(features, train->num_queries, train->query_start, w, job->num_threads, scores);
  return dorm__spread_within_queries(job->context, train, scores, job->num_threads, spread);
}

dorm_status dorm__ridge_start(const dorm__job *job, const dorm__training_rows *rows, const dorm__features *features,
                              double *w, double *spread)
{
  memset(w, 0, features->num_features * sizeof *w);
  return DORM__ALL(dorm__ridge_regression(job->context, rows->train, &rows->sample, false, dorm__ridge_at(job, rows, 0),
                                          job->num_threads, w),
                   find_spread(job, rows, features, w, spread));
}

dorm_status dorm__linear_start(const dorm__job *job, const dorm__training_rows *rows, const dorm__features *features,
                               dorm__setting setting, size_t index, double *w, double *spread)
{
  const char *path = dorm__settings_argument_at(job->settings, setting, index);
  return path ? DORM__ALL(read_weights(job, rows, setting, path, w), find_spread(job, rows, features, w, spread))
              : dorm__ridge_start(job, rows, features, w, spread);
}

/* ---- The trainer -------------------------------------------------------------------------------- */

static dorm_status train(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink)
{
  DORM__AT_END(dorm__bounds_clear) dorm__bounds bounds = {0};
  DORM__AT_END(dorm__start_clear) dorm__start start;
  dorm_status status = DORM__ALL(dorm__start_new(job, rows, &start), dorm__bounds_make(job, rows, &bounds));
  for (size_t i = 0; status == DORM_OK && i < dorm__job_num_starts(job); i++)
    status = dorm__job_is_interrupted(job) ? dorm__job_say_interrupted(job)
                                           : dorm__start_make(job, rows, &bounds, i, sink, &start);
  sink->grid->training->num_training_queries = dorm__all_queries(rows->train);
  return status;
}

const dorm__trainer dorm__ridge_trainer = {.name = "ridge",
                                           .samples_rows = true,
                                           .takes_kernels = true,
                                           .takes_weights = true,
                                           .keeps_order = true,
                                           .shares_queries = true,
                                           .resumes = true,
                                           .count = dorm__job_num_starts,
                                           .train = train};
