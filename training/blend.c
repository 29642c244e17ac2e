/*
 * blend.c: chooses the share of parts, such as trees, in a model that has linear models or kernels too. Both sides are
 * means of candidates, each divided by the spread of its scores; they are scored once, and every share is measured from
 * these scores.
 */
#include "training/blend.h"
#include "training/selection.h"

#include <math.h>
#include <string.h>

typedef struct blend {
  const dorm__job *job;
  const dorm_dataset *validation;
  size_t num_shares;
  double *sides[2]; /* [num_docs], scores of the side without parts and of the side of parts */
  double *scores;   /* [num_docs] */
  double *values;   /* [num_shares][num_queries], NaN where a query does not count */
} blend;

static bool has_both(const dorm_training *training)
{
  bool has[2] = {false, false};
  for (size_t i = 0; i < training->num_trained; i++)
    if (training->trained[i].candidate.is_selected)
      has[training->trained[i].part.kind != NULL] = true;
  return has[0] && has[1];
}

/* Adds the scores of a candidate that is a part, with its linear model if it has one. */
static dorm_status add_scores(const blend *made, const dorm__feature_map *map, const dorm__trained *trained)
{
  const dorm__job *job = made->job;
  double weight = 1 / (trained->candidate.score_scale * trained->divisor);
  dorm__part linear = {0};
  dorm_status status = trained->part.kind->score(job->context, trained->part.state, map, made->validation,
                                                 job->num_threads, weight, made->sides[1]);
  if (status != DORM_OK || !trained->w)
    return status;
  status = dorm__linear_part_new(job->context, map->num_ids, trained->candidate.rank_block, trained->w, &linear);
  if (status != DORM_OK)
    return status;
  status =
      linear.kind->score(job->context, linear.state, map, made->validation, job->num_threads, weight, made->sides[1]);
  linear.kind->free(linear.state);
  return status;
}

static dorm_status score_parts(const blend *made, const dorm__feature_map *map, const dorm_training *training)
{
  dorm_status status = DORM_OK;
  memset(made->sides[1], 0, made->validation->num_docs * sizeof(double));
  for (size_t i = 0; status == DORM_OK && i < training->num_trained; i++)
    if (training->trained[i].candidate.is_selected && training->trained[i].part.kind)
      status = add_scores(made, map, &training->trained[i]);
  return status;
}

/* Scores by the model of the candidates that are no parts; the others lose their marks and get them back. */
static dorm_status score_others(const blend *made, const dorm__feature_map *map, dorm_training *training)
{
  const dorm__job *job = made->job;
  bool *was_selected = dorm__alloc(training->num_trained, sizeof *was_selected);
  if (!was_selected)
    return dorm__out_of_memory(job->context, "the selection");
  for (size_t i = 0; i < training->num_trained; i++) {
    was_selected[i] = training->trained[i].candidate.is_selected;
    if (training->trained[i].part.kind)
      training->trained[i].candidate.is_selected = 0;
  }
  dorm_status status = dorm__selection_model(job->context, job->settings, map, training);
  for (size_t i = 0; i < training->num_trained; i++)
    training->trained[i].candidate.is_selected = was_selected[i];
  dorm__free(was_selected);
  if (status == DORM_OK)
    status = dorm_model_score(job->context, training->model, made->validation, job->num_threads, made->sides[0]);
  dorm_model_free(training->model);
  training->model = NULL;
  return status;
}

/* Measures share number `index`. */
static dorm_status measure_share(const blend *made, size_t index)
{
  const dorm__job *job = made->job;
  double share = dorm__settings_number_at(job->settings, DORM__SELECTION_BLEND, index);
  dorm_evaluation evaluation;
  for (size_t j = 0; j < made->validation->num_docs; j++)
    made->scores[j] = (1 - share) * made->sides[0][j] + share * made->sides[1][j];
  return dorm__job_measure(job, made->validation, made->scores, made->values + index * made->validation->num_queries,
                           &evaluation);
}

/* The mean over the queries of how much better share number `index` is than the first, and its standard error. */
static double difference(const blend *made, size_t index, double *error)
{
  size_t num_queries = made->validation->num_queries;
  const double *values = made->values + index * num_queries;
  double sum = 0, squares = 0, count = 0;
  for (size_t q = 0; q < num_queries; q++)
    if (isfinite(values[q]) && isfinite(made->values[q])) {
      sum += values[q] - made->values[q];
      count++;
    }
  double mean = count > 0 ? sum / count : 0;
  for (size_t q = 0; q < num_queries; q++)
    if (isfinite(values[q]) && isfinite(made->values[q]))
      squares += (values[q] - made->values[q] - mean) * (values[q] - made->values[q] - mean);
  *error = count > 1 ? sqrt(squares / (count - 1) / count) : INFINITY;
  return mean;
}

static double best_share(const blend *made)
{
  size_t best = 0;
  double best_mean = 0;
  for (size_t i = 1; i < made->num_shares; i++) {
    double error;
    double mean = difference(made, i, &error);
    if (mean > error && mean > best_mean) {
      best = i;
      best_mean = mean;
    }
  }
  return dorm__settings_number_at(made->job->settings, DORM__SELECTION_BLEND, best);
}

dorm_status dorm__blend_choose(const dorm__job *job, const dorm_dataset *validation, const dorm__feature_map *map,
                               dorm_training *training)
{
  if (!validation || !has_both(training)) {
    dorm__selection_share(dorm__settings_number_at(job->settings, DORM__SELECTION_BLEND, 0), training);
    return DORM_OK;
  }
  size_t num_docs = validation->num_docs;
  blend made = {
      .job = job, .validation = validation, .num_shares = dorm__settings_count(job->settings, DORM__SELECTION_BLEND)};
  double *numbers = dorm__alloc(num_docs, 3 * sizeof *numbers);
  made.values = dorm__alloc(validation->num_queries, made.num_shares * sizeof *made.values);
  dorm_status status = numbers && made.values ? DORM_OK : dorm__out_of_memory(job->context, "the selection");
  if (status == DORM_OK) {
    made.sides[0] = numbers;
    made.sides[1] = numbers + num_docs;
    made.scores = numbers + 2 * num_docs;
    dorm__selection_share(0.5, training); /* twice the divisors: both sides have a share of one half */
    status = score_parts(&made, map, training);
  }
  if (status == DORM_OK)
    status = score_others(&made, map, training);
  for (size_t i = 0; status == DORM_OK && i < made.num_shares; i++)
    status = measure_share(&made, i);
  if (status == DORM_OK) {
    double share = best_share(&made);
    dorm__selection_share(share, training);
    dorm__note(job->context, "parts such as trees have a share of %g in the mean (selection.blend)", share);
  }
  dorm__free(numbers);
  dorm__free(made.values);
  return status;
}
