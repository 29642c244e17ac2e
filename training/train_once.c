/*
 * train_once.c: training with one normalisation. It opens the job, trains its grid, and makes one model of the chosen
 * candidates. With validation data it trains the grid once, with cross-validation once for each fold and once on
 * everything.
 */
#include "training/train_once.h"
#include "base/linalg.h"
#include "trainers/trainers.h"
#include "training/folds.h"
#include "training/selection.h"

#include <inttypes.h>
#include <string.h>

/* One call of dorm_train. */
typedef struct training_call {
  dorm__job job;
  dorm__progress progress;
  dorm__fold_sums sums;
  dorm__share_sums shares;
  dorm__estimate estimate;
  dorm__committee committee;
  dorm__feature_map map; /* of all folds, if they are averaged */
  dorm__checkpoint *checkpoint;
  dorm__grid grid; /* of the whole training data */
  bool is_of_fold; /* the candidates belong to one fold, after a stop */
} training_call;

/* ---- Retraining ------------------------------------------------------------------ */

dorm_status dorm__train_join(dorm_context *context, const dorm_dataset *train, const dorm_dataset *validation,
                             dorm_dataset **whole)
{
  const dorm_dataset *data[] = {train, validation};
  size_t most = train->num_queries + validation->num_queries, count = 0;
  DORM__FREED dorm__query_of *queries = dorm__alloc(most, sizeof *queries);
  *whole = NULL;
  if (!queries)
    return dorm__out_of_memory(context, "training and validation data together");
  for (size_t shard = 0; shard < dorm__shards_here(train); shard++)
    for (size_t i = 0; i < 2; i++) {
      size_t first, end;
      dorm__shard_range(data[i], shard, &first, &end);
      for (size_t q = first; q < end; q++)
        queries[count++] = (dorm__query_of){data[i], q};
    }
  return dorm__dataset_gather_shards(context, train->name, train, validation, count, queries, whole);
}

/* Trains the grid once more, on training and validation data together, and makes the model of the candidates that were
 * chosen before. The reported values stay the values of the first grid. */
static dorm_status retrain(training_call *call)
{
  const dorm__job *job = &call->job;
  dorm_training *training = call->grid.training;
  DORM__OWNED(dorm_dataset) *whole = NULL;
  dorm_status status = dorm__train_join(job->context, call->grid.train, call->grid.validation, &whole);
  DORM__AT_END(dorm__grid_clear)
  dorm__grid again = {.number = call->grid.number + 1,
                      .train = whole,
                      .chosen_from = training,
                      .progress = &call->progress,
                      .checkpoint = call->checkpoint,
                      .fold_sums = &call->sums};
  if (status == DORM_OK)
    status = dorm__grid_train(job, &again);
  if (status == DORM_OK) {
    dorm__selection_copy_marks(training, again.training);
    status = dorm__selection_model(job->context, job->settings, &again.map, again.training);
  }
  if (status == DORM_OK) {
    training->model = again.training->model;
    again.training->model = NULL;
    training->num_training_queries = again.training->num_training_queries;
  }
  if (status == DORM_STOPPED) { /* then the chosen candidates of the first grid make the model */
    char message[DORM__MESSAGE_SIZE];
    memcpy(message, job->context->message, sizeof message);
    dorm_status made = dorm__selection_model(job->context, job->settings, &call->grid.map, training);
    status = made == DORM_OK ? dorm__fail(job->context, DORM_STOPPED, "%s", message) : made;
  }
  return status;
}

/* ---- From candidates to model -------------------------------------------------------- */

/* Scores the validation data by a linear model, from rows that have taken over the memory of the data. Their rank block
 * is at least as large as the model's, so the weights of the ranks are scaled down. */
static dorm_status score_taken_rows(const dorm__job *job, const dorm__training_rows *taken, const dorm_model *model,
                                    double *scores)
{
  const dorm__features *rows = &taken->validation_features;
  size_t num_ids = taken->map.num_ids;
  double rank_block = 0;
  const double *linear = dorm__model_linear_weights(model, &rank_block);
  DORM__FREED double *weights = dorm__alloc_zero(rows->num_features, sizeof *weights);
  if (!weights)
    return dorm__out_of_memory(job->context, "scores");
  memcpy(weights, linear, num_ids * sizeof *weights);
  if (rank_block > 0)
    dorm__add_scaled(num_ids, rank_block / taken->map.rank_block, linear + num_ids, weights + num_ids);
  dorm__features_score(rows, 0, rows->num_docs, weights, scores);
  return DORM_OK;
}

/* Measures the model itself on the validation data. */
static dorm_status measure_model(const training_call *call)
{
  const dorm__job *job = &call->job;
  const dorm_dataset *validation = call->grid.validation;
  dorm_training *training = call->grid.training;
  dorm_evaluation evaluation;
  DORM__FREED double *scores = dorm__alloc(validation->num_docs, sizeof *scores);
  if (!scores)
    return dorm__out_of_memory(job->context, "scores");
  dorm_status status = DORM__ALL(
      call->grid.taken ? score_taken_rows(job, call->grid.taken, training->model, scores)
                       : dorm__model_score(job->context, training->model, validation, job->num_threads, scores),
      dorm__job_measure(job, validation, scores, NULL, &evaluation));
  if (status == DORM_OK)
    training->validation = evaluation.mean;
  return status;
}

/* Adds a remark if only the program that trained the model has its loss. */
static dorm_status remark_own_loss(const dorm__job *job, dorm_model *model)
{
  char text[DORM__MESSAGE_SIZE];
  if (!dorm__loss_is_own(job->losses[0]))
    return DORM_OK;
  snprintf(text, sizeof text, "the loss %s was one of the program that trained; it is not in dorm",
           dorm__loss_module_of(job->losses[0])->name);
  return dorm__model_remark(job->context, model, text);
}

/* Fails because no candidate ranks. After a stop the message of the context is the reason. */
static dorm_status fail_without_model(const training_call *call, dorm_status trained)
{
  static const char text[] = "nothing was learned: every candidate gives all documents of a query the same score";
  dorm_context *context = call->job.context;
  const char *name = call->grid.train->name;
  if (trained != DORM_OK)
    return dorm__fail_within(context, trained, "%s: %s", name, text);
  return *call->progress.diverged ? dorm__fail(context, DORM_NUMERICAL_FAILURE, "%s: %s", name, call->progress.diverged)
                                  : dorm__fail(context, DORM_BAD_DATA, "%s: %s", name, text);
}

/* Gives the training its estimate, if there is one, and the values to compare it with. */
static void take_estimate(const dorm__estimate *estimate, dorm_training *training)
{
  if (!estimate->model.num_queries)
    return;
  training->estimate = estimate->model.mean;
  training->estimate_error = estimate->model.standard_error;
  training->baselines[DORM_BASELINE_CHANCE] = estimate->chance;
  training->baselines[DORM_BASELINE_FEATURE] = estimate->feature;
  training->best_feature = estimate->best_feature;
  if (estimate->linear.num_queries)
    training->baselines[DORM_BASELINE_LINEAR] = estimate->linear.mean;
  if (estimate->serving.num_queries)
    training->baselines[DORM_BASELINE_SERVING] = estimate->serving.mean;
}

/* Makes the model. When the training was stopped, chooses among the candidates made so far, and keeps the message. */
static dorm_status make_model(training_call *call, dorm_status trained)
{
  const dorm__job *job = &call->job;
  dorm_training *training = call->grid.training;
  char message[DORM__MESSAGE_SIZE];
  memcpy(message, job->context->message, sizeof message);
  if (job->num_folds)
    dorm__fold_sums_assign(&call->sums, training);
  if (trained == DORM_OK)
    take_estimate(&call->estimate, training);
  training->num_folds = call->sums.num_folds ? call->sums.num_folds : call->is_of_fold;
  bool has_values =
      call->grid.validation || call->is_of_fold || (job->num_folds && dorm__fold_sums_has_some(&call->sums));
  dorm_status status = DORM__ALL(
      dorm__selection_mark(job->context, job->settings, has_values, training),
      call->grid.validation ? dorm__blend_measure(job, call->grid.validation, &call->grid.map, training, &call->shares)
                            : DORM_OK);
  if (status == DORM_OK) {
    dorm__blend_say(job, &call->shares, training);
    dorm__blend_choose(job, &call->shares, training);
  }
  if (status == DORM_OK && !dorm__selection_count(training))
    return fail_without_model(call, trained);
  bool is_retrained = trained == DORM_OK && job->retrains;
  if (status == DORM_OK)
    status =
        is_retrained ? retrain(call) : dorm__selection_model(job->context, job->settings, &call->grid.map, training);
  if (status == DORM_OK)
    status = remark_own_loss(job, training->model);
  if (status == DORM_OK && call->grid.validation && !is_retrained)
    status = measure_model(call);
  return status == DORM_OK && trained != DORM_OK ? dorm__fail(job->context, trained, "%s", message) : status;
}

/* ---- Messages at the end ---------------------------------------------------------------- */

/* Notes the calls of each oracle method and its seconds, summed over the threads. */
static void note_oracles(const training_call *call)
{
  const dorm__progress *progress = &call->progress;
  char text[DORM__MESSAGE_SIZE / 2];
  size_t size = 0;
  for (size_t i = 0; i < DORM__NUM_ORACLE_METHODS && size < sizeof text - 80; i++)
    if (progress->oracles.calls[i])
      size += (size_t)snprintf(text + size, sizeof text - size, "%s %s %" PRIu64 " calls, %.3f s", size ? ";" : "",
                               dorm__oracle_method_name((dorm__oracle_method)i), progress->oracles.calls[i],
                               progress->oracle_seconds[i]);
  if (size)
    dorm__detail(call->job.context, "oracles:%s", text);
  if (progress->oracles.unproved)
    dorm__warn(call->job.context,
               "%" PRIu64 " mixed-integer programmes stopped after %g seconds; primal values count "
               "what they may have missed",
               progress->oracles.unproved, call->job.diversity.seconds);
}

static dorm_status say_limited(const training_call *call)
{
  return dorm__fail(call->job.context, DORM_STOPPED,
                    "some solves stopped at solver.max_iterations = %zu%s before solver.gap was reached",
                    dorm__settings_integer(call->job.settings, DORM__SOLVER_MAX_ITERATIONS),
                    call->progress.oracles.unproved ? ", or because mixed-integer programmes were stopped," : "");
}

/* ---- The call ---------------------------------------------------------------------------- */

/* Returns whether the starts on all training data can be the model after a stop during cross-validation. They must be
 * candidates of this job that are made at once. */
static bool starts_serve(const dorm__job *job)
{
  return dorm__kernel_is_linear(job->kernels.kernel) && dorm__job_has_start(job) && job->trainers[0]->samples_rows &&
         !job->from;
}

/* Returns whether a feature is the row number of a Gram matrix, which no linear model can use. */
static bool has_row_numbers(const dorm__kernel *kernel)
{
  bool found = false;
  for (size_t i = 0; i < kernel->num_nodes; i++)
    found = found || kernel->nodes[i].kind == DORM__KERNEL_GRAM;
  return found;
}

/* Turns a job that has no start, or needs a Gram matrix for one, into one with linear starts. */
static dorm_status make_starts_linear(dorm__job *job)
{
  dorm_status status = dorm__settings_become(job->context, job->settings, DORM__KERNEL_KERNEL, "linear");
  if (status == DORM_OK && !dorm__job_has_start(job))
    status = dorm__settings_become(job->context, job->settings, DORM__SOLVER_START, "ridge");
  dorm__kernel_grid_close(&job->kernels);
  return status == DORM_OK ? dorm__kernel_grid_open(job->context, job->settings, &job->kernels) : status;
}

/* Trains only the starts, on all training data. This cannot be stopped, but takes little more than one pass over the
 * data per start. */
static dorm_status train_starts(training_call *call)
{
  dorm__job *job = &call->job;
  dorm_cancel_function cancel = job->context->cancel;
  bool serves = starts_serve(job);
  size_t num_starts = dorm__job_num_starts(job) * dorm__settings_count(job->settings, DORM__DATA_RANK_BLOCK);
  dorm_status status = serves ? DORM_OK : make_starts_linear(job);
  if (serves && num_starts && job->num_trainers == 1) /* the folds have starts at equal distances */
    dorm__fold_sums_thin(&call->sums, call->sums.count / num_starts);
  else
    dorm__fold_sums_clear(&call->sums);
  job->trainers[0] = &dorm__ridge_trainer;
  job->num_trainers = 1;
  job->clock.deadline = 0;
  job->context->cancel = NULL;
  call->grid.checkpoint = NULL; /* the file stays as the fold left it, so that the training can be resumed */
  if (status == DORM_OK)
    status = dorm__grid_train(job, &call->grid);
  job->context->cancel = cancel;
  return status;
}

/* Makes all candidates means over the folds so far. */
static dorm_status average_folds(training_call *call)
{
  dorm_context *context = call->job.context;
  const dorm__committee *committee = &call->committee;
  dorm_status status = DORM__ALL(dorm__training_new(context, &call->grid.training),
                                 dorm__feature_map_copy(context, &call->map, &call->grid.map),
                                 dorm__committee_complete(context, committee, call->grid.training));
  if (status == DORM_OK)
    call->grid.training->num_training_queries = committee->count > 1
                                                    ? dorm__all_queries(call->grid.train)
                                                    : committee->members[0].training->num_training_queries;
  return status;
}

/* Averages after a stop during a cross-validation whose candidates are averaged. */
static dorm_status average_after_stop(training_call *call, const char *reason)
{
  dorm_context *context = call->job.context;
  size_t count = call->committee.count;
  dorm_status status = average_folds(call);
  call->is_of_fold = true;
  return status == DORM_OK
             ? dorm__fail(context, DORM_STOPPED,
                          "%.300s during cross-validation: the candidates are means over %zu of %zu folds", reason,
                          count, call->job.num_folds)
             : status;
}

/* Makes the candidates of a model after a stop during cross-validation. If folds are averaged and one is finished, they
 * are the means over the finished folds. Otherwise they are the starts on all training data, chosen by the values of
 * the finished folds if there are some. If the starts cannot be the model, they are the candidates of one fold, or
 * linear starts if no fold has candidates. */
static dorm_status train_after_stop(training_call *call)
{
  dorm__job *job = &call->job;
  size_t num_members = call->committee.count;
  dorm__committee_member *member = num_members ? &call->committee.members[num_members - 1] : NULL;
  char reason[DORM__MESSAGE_SIZE];
  memcpy(reason, job->context->message, sizeof reason);
  if (call->committee.keeps_all && dorm__fold_sums_has_some(&call->sums))
    return average_after_stop(call, reason);
  if (member && !starts_serve(job)) {
    call->grid.training = member->training;
    call->grid.map = member->map;
    member->training = NULL;
    member->map = (dorm__feature_map){0};
    call->is_of_fold = true;
    return dorm__fail(job->context, DORM_STOPPED,
                      "%.300s during cross-validation: the model is made of the candidates of fold %zu, which were "
                      "trained on the other folds",
                      reason, member->fold + 1);
  }
  if (has_row_numbers(job->kernels.kernel))
    return dorm__fail(job->context, DORM_STOPPED, "%.300s during cross-validation, before there was a model", reason);
  bool is_linear = dorm__kernel_is_linear(job->kernels.kernel);
  dorm_status status = train_starts(call);
  return status == DORM_OK
             ? dorm__fail(job->context, DORM_STOPPED,
                          "%.300s during cross-validation: the model is the %sridge start on all training data", reason,
                          is_linear ? "" : "linear ")
             : status;
}

/* After a stop of the last grid, fills in its missing candidates by means over the folds. */
static dorm_status complete_after_stop(training_call *call)
{
  dorm_context *context = call->job.context;
  char message[DORM__MESSAGE_SIZE];
  memcpy(message, context->message, sizeof message);
  dorm_status status = dorm__committee_complete(context, &call->committee, call->grid.training);
  return status == DORM_OK ? dorm__fail(context, DORM_STOPPED, "%s", message) : status;
}

static dorm_status train_grids(training_call *call, const dorm__turn *turn)
{
  const dorm__job *job = &call->job;
  size_t num_grids = 1 + job->num_folds + job->retrains;
  bool averages_folds = dorm__job_averages_folds(job);
  call->progress.num_expected = turn->count * num_grids * dorm__job_grid_size(job);
  call->progress.num_done = turn->number * num_grids * dorm__job_grid_size(job);
  dorm_status status =
      dorm__checkpoint_open(job, call->grid.train, call->grid.validation, &call->sums, &call->checkpoint);
  call->grid.checkpoint = call->checkpoint;
  call->committee.keeps_all = averages_folds;
  if (status == DORM_OK)
    status = dorm__share_sums_new(job, &call->shares);
  if (status == DORM_OK && averages_folds) {
    status = dorm__grid_map(job, call->grid.train, &call->map);
    call->grid.shared_map = &call->map;
  }
  if (status == DORM_OK && job->num_folds)
    status = dorm__folds_train(job, &call->grid, &call->sums, &call->shares,
                               averages_folds || !starts_serve(job) ? &call->committee : NULL, &call->estimate);
  call->grid.number = job->num_folds;
  if (dorm__checkpoint_keeps_folds(job))
    call->grid.checkpoint = NULL; /* a later call repeats the steps after the folds */
  if (status == DORM_STOPPED)
    return train_after_stop(call);
  call->grid.committee = averages_folds ? &call->committee : NULL;
  if (status == DORM_OK && averages_folds && dorm__job_lacks_time(job, &call->progress))
    return average_folds(call);
  if (status == DORM_OK)
    status = dorm__grid_train(job, &call->grid);
  return status == DORM_STOPPED && averages_folds ? complete_after_stop(call) : status;
}

/* Notes the solves and ensembles that ended with their share of the budget. */
static void note_cut(const training_call *call)
{
  const dorm__spent *spent = call->progress.spent;
  size_t num_folds = call->committee.count;
  if (call->committee.keeps_all && num_folds && num_folds < call->job.num_folds)
    dorm__note(call->job.context, "training.budget = %s: it ended after %zu of %zu folds",
               dorm__settings_text(call->job.settings, DORM__TRAINING_BUDGET), num_folds, call->job.num_folds);
  if (spent[DORM__BUDGET_LINEAR].num_cut || spent[DORM__BUDGET_TREES].num_cut)
    dorm__note(
        call->job.context,
        "training.budget = %s: %zu solves and %zu ensembles of trees ended with their share of it; a larger budget "
        "may rank better, and another run may give another model",
        dorm__settings_text(call->job.settings, DORM__TRAINING_BUDGET), spent[DORM__BUDGET_LINEAR].num_cut,
        spent[DORM__BUDGET_TREES].num_cut);
}

dorm_status dorm__train_once(dorm_context *context, const dorm_settings *settings, dorm__grid grid,
                             const dorm__trainer_set *set, dorm__turn *turn, dorm_training **training)
{
  training_call call = {.grid = grid};
  *training = NULL;
  dorm_status status = dorm__job_open(context, settings, grid.train, grid.validation, set, &call.job);
  call.grid.progress = &call.progress;
  call.grid.fold_sums = &call.sums;
  if (call.job.retrains) /* the values are needed again */
    call.grid.own_train = call.grid.own_validation = NULL;
  if (status == DORM_OK) {
    status = train_grids(&call, turn);
    note_oracles(&call);
    note_cut(&call);
  }
  bool has_candidates = call.grid.training && call.grid.training->num_trained;
  if (status == DORM_OK || (status == DORM_STOPPED && has_candidates))
    status = make_model(&call, status);
  turn->is_complete = status == DORM_OK;
  if (turn->is_complete && call.progress.is_limited)
    status = say_limited(&call);
  else if (turn->is_complete && *call.progress.diverged)
    status = dorm__fail(context, DORM_STOPPED, "%s", call.progress.diverged);
  if ((status == DORM_OK || status == DORM_STOPPED) && call.grid.training && call.grid.training->model) {
    *training = call.grid.training;
    call.grid.training = NULL;
  }
  if (turn->is_complete)
    dorm__checkpoint_remove(call.checkpoint);
  dorm__grid_clear(&call.grid);
  dorm__fold_sums_clear(&call.sums);
  dorm__share_sums_clear(&call.shares);
  dorm__committee_clear(&call.committee);
  dorm__feature_map_clear(&call.map);
  dorm__checkpoint_close(call.checkpoint);
  dorm__job_close(&call.job);
  return status;
}
