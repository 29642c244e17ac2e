/* candidates.c: the models that training made, and the list of them. */
#include "training/candidates.h"
#include "data/data.h"
#include "features/features.h"
#include "kernels/kernels.h"
#include "measures/measures.h"
#include "models/models.h"
#include "settings/settings.h"
#include "solver/solver.h"
#include "training/run.h"

#include <math.h>
#include <string.h>

dorm_status dorm__training_new(dorm_context *context, dorm_training **training)
{
  *training = dorm__alloc_zero(1, sizeof **training);
  if (!*training)
    return dorm__out_of_memory(context, "training");
  (*training)->validation = NAN;
  return DORM_OK;
}

static void trained_clear(dorm__trained *trained)
{
  dorm__free(trained->reference);
  dorm__free(trained->position_weights);
  dorm__free(trained->w);
}

void dorm_training_free(dorm_training *training)
{
  if (!training)
    return;
  for (size_t i = 0; i < training->num_trained; i++)
    trained_clear(&training->trained[i]);
  dorm__free(training->trained);
  for (size_t i = 0; i < training->num_kernels; i++)
    dorm__kernel_factor_free(training->kernels[i]);
  dorm__free(training->kernels);
  dorm_model_free(training->model);
  dorm__free(training);
}

const dorm_model *dorm_training_model(const dorm_training *training)
{
  return training->model;
}

size_t dorm_training_num_candidates(const dorm_training *training)
{
  return training->num_trained;
}

const dorm_candidate *dorm_training_candidate(const dorm_training *training, size_t index)
{
  return index < training->num_trained ? &training->trained[index].candidate : NULL;
}

size_t dorm_training_num_training_queries(const dorm_training *training)
{
  return training->num_training_queries;
}

double dorm_training_validation(const dorm_training *training)
{
  return training->validation;
}

dorm_status dorm__training_add(dorm_context *context, dorm_training *training, const dorm_candidate *candidate,
                               const dorm__kernel_factor *kernel, size_t width, const double *w)
{
  dorm__trained made = {.candidate = *candidate, .kernel = kernel, .width = width};
  made.reference = dorm__copy_text(candidate->reference);
  made.position_weights = dorm__copy_text(candidate->position_weights);
  made.w = dorm__alloc(width, sizeof *made.w);
  if (!made.reference || !made.position_weights || !made.w ||
      !dorm__grow((void **)&training->trained, &training->capacity, training->num_trained + 1,
                  sizeof *training->trained)) {
    trained_clear(&made);
    return dorm__out_of_memory(context, "a candidate");
  }
  memcpy(made.w, w, width * sizeof *w);
  made.candidate.number = training->num_trained + 1;
  made.candidate.reference = made.reference;
  made.candidate.position_weights = made.position_weights;
  training->trained[training->num_trained++] = made;
  return DORM_OK;
}

void dorm__training_drop_last(dorm_training *training)
{
  trained_clear(&training->trained[--training->num_trained]);
}

/* Sum of squares of scores less their query's mean, over queries first .. end - 1. */
static double squares_within(const dorm_dataset *dataset, size_t first, size_t end, const double *scores)
{
  double sum = 0;
  for (size_t q = first; q < end; q++) {
    size_t start = dataset->query_start[q];
    size_t stop = dataset->query_start[q + 1];
    double mean = 0;
    for (size_t j = start; j < stop; j++)
      mean += scores[j];
    mean /= (double)(stop - start);
    for (size_t j = start; j < stop; j++)
      sum += (scores[j] - mean) * (scores[j] - mean);
  }
  return sum;
}

/* Standard deviation of scores within queries, pooled over the queries; in pieces,
 * so that it does not depend on the number of threads. */
static double spread_within_queries(const dorm_dataset *dataset, const double *scores, size_t num_threads)
{
  enum { NUM_PIECES = 8 };
  double sums[NUM_PIECES], sum = 0;
  size_t count = dataset->num_queries;
#pragma omp parallel for schedule(static) num_threads((int)num_threads)
  for (size_t i = 0; i < NUM_PIECES; i++)
    sums[i] = squares_within(dataset, i * count / NUM_PIECES, (i + 1) * count / NUM_PIECES, scores);
  for (size_t i = 0; i < NUM_PIECES; i++)
    sum += sums[i];
  return sqrt(sum / (double)dataset->num_docs);
}

dorm_status dorm__candidate_keep(dorm__run *run, const double *w)
{
  dorm_candidate *candidate = &run->candidate;
  const double *scores_at_w = run->problem ? dorm__problem_scores(run->problem, w) : run->scores;
  candidate->score_scale = spread_within_queries(run->train, scores_at_w, run->num_threads);
  candidate->validation = NAN;
  candidate->validation_error = NAN;
  if (run->validation) {
    dorm_evaluation evaluation;
    double *scores = run->scores + run->train->num_docs;
    dorm__features_score_queries(&run->validation_features, run->validation->num_queries, run->validation->query_start,
                                 w, run->num_threads, scores);
    dorm_status status =
        run->diversity.is_on ? dorm_diversify(run->context, run->settings, run->validation, scores, scores) : DORM_OK;
    if (status == DORM_OK)
      status = dorm__measure_dataset(run->context, run->measure, run->validation, scores, NULL, &evaluation);
    if (status != DORM_OK)
      return status;
    if (!evaluation.num_queries && !dorm__settings_integer(run->settings, DORM__SELECTION_FOLDS))
      return dorm__fail(run->context, DORM_BAD_DATA, "%s: no query counts under %s", run->validation->name,
                        dorm__measure_spec(run->measure));
    candidate->validation = evaluation.mean;
    candidate->validation_error = evaluation.standard_error;
  }
  dorm_status status =
      dorm__training_add(run->context, run->training, candidate, run->kernel, run->train_features.num_features, w);
  if (status != DORM_OK)
    return status;
  run->num_done++;
  dorm__log(run->context, &(dorm_event){.kind = DORM_EVENT_CANDIDATE,
                                        .text = "",
                                        .candidate = &run->training->trained[run->training->num_trained - 1].candidate,
                                        .num_done = run->num_done,
                                        .num_candidates = run->num_expected,
                                        .seconds = dorm__seconds() - run->started});
  return DORM_OK;
}

dorm_status dorm__candidate_restore(dorm__run *run, double *w, bool *is_there)
{
  *is_there = run->num_restored > 0;
  if (!*is_there)
    return DORM_OK;
  /* the restored are at the list's front; `num_restored` of them are still to
   * be met, in the order in which they were made */
  dorm__trained *trained = &run->training->trained[run->training->num_trained - run->num_restored];
  if (trained->width != run->train_features.num_features)
    return dorm__fail(run->context, DORM_BAD_DATA,
                      "%s: the checkpoint is damaged: candidate %zu has %zu weights, not %zu; remove it to start anew",
                      dorm__settings_text(run->settings, DORM__OUTPUT_CHECKPOINT), trained->candidate.number,
                      trained->width, run->train_features.num_features);
  trained->kernel = run->kernel; /* fitted again */
  trained->candidate.kernel = run->candidate.kernel;
  if (w)
    memcpy(w, trained->w, trained->width * sizeof *w);
  run->num_restored--;
  bool is_short = trained->candidate.round &&
                  trained->candidate.certificate.gap > dorm__settings_number(run->settings, DORM__SOLVER_GAP);
  run->is_limited = run->is_limited || is_short;
  return DORM_OK;
}
