/*
 * net_start.c: where the training of a net starts: at random weights, or at a linear function of the rows, which is a
 * ridge regression or the linear part of a model from a file. Linear scores are divided by their standard deviation
 * within queries, since λ-functions look at differences of scores.
 */
#include "training/net_start.h"
#include "training/ridge.h"
#include "training/ridge_regression.h"
#include "training/rows.h"
#include "training/sink.h"

#include <string.h>

/* In the order of the words of net.start. */
typedef enum start_kind { START_RANDOM, START_RIDGE, START_FILE } start_kind;

/* Fails where the linear part of a model does not fit the rows. */
static dorm_status check_model(const dorm__job *job, const dorm__training_rows *rows, const dorm_model *model,
                               const char *path)
{
  double rank_block = 0;
  const double *linear = dorm__model_linear_weights(model, &rank_block);
  if (!linear || model->num_parts > 1)
    return dorm__fail(job->context, DORM_BAD_DATA, "net.start = file:%s: the model is not linear", path);
  if (model->normalisation != rows->map.normalisation)
    return dorm__fail(
        job->context, DORM_BAD_DATA, "net.start = file:%s: the model has features normalised by %s, the training by %s",
        path, dorm__normalisation_name(model->normalisation), dorm__normalisation_name(rows->map.normalisation));
  if (rank_block > 0 && !(rows->map.rank_block > 0))
    return dorm__fail(job->context, DORM_BAD_DATA,
                      "net.start = file:%s: the model has a rank block of %g, and the training none; set "
                      "data.rank_block",
                      path, rank_block);
  return DORM_OK;
}

/* w [width of the rows]: the weights of a model, 0 for features that it does not have. */
static void take_weights(const dorm__training_rows *rows, const dorm_model *model, double *w)
{
  double rank_block = 0;
  const double *linear = dorm__model_linear_weights(model, &rank_block);
  size_t num_ids = rows->map.num_ids;
  for (size_t f = 0, k = 0; f < num_ids; f++) {
    while (k < model->num_ids && model->ids[k] < rows->map.ids[f])
      k++;
    if (k == model->num_ids || model->ids[k] != rows->map.ids[f])
      continue;
    w[f] = linear[k];
    if (rank_block > 0)
      w[num_ids + f] = linear[model->num_ids + k] * rank_block / rows->map.rank_block;
  }
}

static dorm_status read_weights(const dorm__job *job, const dorm__training_rows *rows, double *w)
{
  dorm_model *model = NULL;
  const char *path = dorm__settings_argument_at(job->settings, DORM__NET_START, 0);
  dorm_status status = dorm_model_read(job->context, path, &model);
  if (status == DORM_OK)
    status = check_model(job, rows, model, path);
  if (status == DORM_OK)
    take_weights(rows, model, w);
  dorm_model_free(model);
  return status;
}

dorm_status dorm__net_start(const dorm__job *job, const dorm__training_rows *rows, const dorm__features *features,
                            dorm__random *random, dorm__net *net)
{
  start_kind kind = (start_kind)dorm__settings_choice(job->settings, DORM__NET_START);
  const dorm_dataset *train = rows->train;
  dorm_status status = DORM_OK;
  if (kind == START_RANDOM)
    return dorm__net_draw(job->context, features, random, net);
  double *w = dorm__alloc_zero(net->width, sizeof *w);
  double *scores = dorm__alloc(train->num_docs, sizeof *scores);
  if (!w || !scores)
    status = dorm__out_of_memory(job->context, "a net");
  if (status == DORM_OK && kind == START_RIDGE)
    status = dorm__ridge_regression(job->context, train, &rows->sample, false, dorm__ridge_at(job, rows, 0),
                                    job->num_threads, w);
  else if (status == DORM_OK)
    status = read_weights(job, rows, w);
  if (status == DORM_OK) {
    dorm__features_score_queries(features, train->num_queries, train->query_start, w, job->num_threads, scores);
    status = dorm__net_start_linear(job->context, features, w,
                                    dorm__spread_within_queries(train, scores, job->num_threads), random, net);
  }
  dorm__free(w);
  dorm__free(scores);
  return status;
}
