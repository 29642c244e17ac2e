/*
 * linear_start.c: a linear function of the rows at which a training starts: a ridge regression, or the linear part of a
 * model from a file.
 */
#include "jobs/jobs.h"
#include "trainers/ridge.h"

#include <string.h>

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

dorm_status dorm__linear_start(const dorm__job *job, const dorm__training_rows *rows, const dorm__features *features,
                               dorm__setting setting, size_t index, double *w, double *spread)
{
  const dorm_dataset *train = rows->train;
  const char *path = dorm__settings_argument_at(job->settings, setting, index);
  dorm_status status = DORM_OK;
  DORM__FREED double *scores = dorm__alloc(train->num_docs, sizeof *scores);
  if (!scores)
    return dorm__out_of_memory(job->context, "a linear start");
  memset(w, 0, features->num_features * sizeof *w);
  if (path)
    status = read_weights(job, rows, setting, path, w);
  else
    status = dorm__ridge_regression(job->context, train, &rows->sample, false, dorm__ridge_at(job, rows, 0),
                                    job->num_threads, w);
  if (status == DORM_OK) {
    dorm__features_score_queries(features, train->num_queries, train->query_start, w, job->num_threads, scores);
    status = dorm__spread_within_queries(job->context, train, scores, job->num_threads, spread);
  }
  return status;
}
