/*
 * selection.c: from the candidates to one model. The scale of a candidate's scores does not change its ranking, but it
 * would change its share in a mean; so candidates are divided by the standard deviation of their scores within queries
 * before they are averaged. All linear models become one linear part, and the models of each kernel one kernel part;
 * candidates that are parts of another kind stay parts, each with its weight.
 */
#include "training/selection.h"
#include "base/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_validation(const void *x, const void *y)
{
  const dorm__trained *one = *(dorm__trained *const *)x;
  const dorm__trained *two = *(dorm__trained *const *)y;
  if (one->candidate.validation != two->candidate.validation)
    return one->candidate.validation < two->candidate.validation ? 1 : -1;
  return one->candidate.number < two->candidate.number ? -1 : 1;
}

/* A candidate whose scores are all equal within queries ranks nothing. */
static bool ranks(const dorm__trained *trained)
{
  return trained->candidate.score_scale > 0 && isfinite(trained->candidate.score_scale);
}

/* Marks the `average` best candidates by their validation values. Starts (round 0) are among them only if
 * `with_start`. */
static dorm_status mark_best(dorm_context *context, size_t average, bool with_start, dorm_training *training)
{
  dorm__trained **order = dorm__alloc(training->num_trained, sizeof *order);
  if (!order)
    return dorm__out_of_memory(context, "the selection");
  size_t count = 0;
  for (size_t i = 0; i < training->num_trained; i++)
    if (ranks(&training->trained[i]) && (with_start || training->trained[i].candidate.round))
      order[count++] = &training->trained[i];
  qsort(order, count, sizeof(dorm__trained *), compare_validation);
  for (size_t i = 0; i < count && i < average; i++)
    order[i]->candidate.is_selected = 1;
  dorm__free(order);
  return DORM_OK;
}

/* Marks the trained candidate of least C among those within one standard error of the best (Breiman et al. 1984); of
 * several with that C the best. */
static void mark_one_standard_error(dorm_training *training)
{
  dorm__trained *best = NULL;
  for (size_t i = 0; i < training->num_trained; i++) {
    dorm__trained *trained = &training->trained[i];
    if (ranks(trained) && trained->candidate.round &&
        (!best || trained->candidate.validation > best->candidate.validation))
      best = trained;
  }
  dorm__trained *chosen = best;
  for (size_t i = 0; best && i < training->num_trained; i++) {
    dorm__trained *trained = &training->trained[i];
    bool is_near = ranks(trained) && trained->candidate.round &&
                   trained->candidate.validation >= best->candidate.validation - best->candidate.validation_error;
    if (is_near &&
        (trained->candidate.C < chosen->candidate.C ||
         (trained->candidate.C <= chosen->candidate.C && trained->candidate.validation > chosen->candidate.validation)))
      chosen = trained;
  }
  if (chosen)
    chosen->candidate.is_selected = 1;
}

/* Marks the candidates of round 2 and later; those of round 1 where there is no later round; the starts where there is
 * nothing else. */
static void mark_latest(dorm_training *training)
{
  size_t least_round = 0;
  for (size_t i = 0; i < training->num_trained; i++) {
    size_t round = training->trained[i].candidate.round;
    if (ranks(&training->trained[i]) && round > least_round)
      least_round = round;
  }
  least_round = least_round > 2 ? 2 : least_round;
  for (size_t i = 0; i < training->num_trained; i++)
    training->trained[i].candidate.is_selected =
        ranks(&training->trained[i]) && training->trained[i].candidate.round >= least_round;
}

/* The rank block of the model, which is the largest one of the chosen candidates; add_linear rescales the weights of
 * the others. */
static double largest_rank_block(const dorm_training *training)
{
  double largest = 0;
  for (size_t i = 0; i < training->num_trained; i++)
    if (training->trained[i].candidate.is_selected)
      largest = fmax(largest, training->trained[i].candidate.rank_block);
  return largest;
}

static size_t num_selected(const dorm_training *training)
{
  size_t count = 0;
  for (size_t i = 0; i < training->num_trained; i++)
    count += training->trained[i].candidate.is_selected != 0;
  return count;
}

/* The factor of a candidate's scores in the mean of `count` candidates. */
static double share_of(const dorm__trained *trained, size_t count)
{
  return count > 1 ? 1 / (trained->candidate.score_scale * (double)count) : 1;
}

static bool has_linear(const dorm__trained *trained)
{
  return trained->candidate.is_selected && trained->w && (!trained->kernel || trained->kernel->has_linear);
}

/* Makes one linear part of all candidates that are linear or have a linear part. */
static dorm_status add_linear(dorm_context *context, const dorm_training *training, const dorm__feature_map *map,
                              dorm_model *model)
{
  size_t count = num_selected(training);
  double *weights = dorm__alloc_zero(dorm__feature_map_width(map), sizeof *weights);
  if (!weights)
    return dorm__out_of_memory(context, "a model");
  for (size_t i = 0; i < training->num_trained; i++) {
    const dorm__trained *trained = &training->trained[i];
    if (!has_linear(trained))
      continue;
    double factor = share_of(trained, count);
    dorm__add_scaled(map->num_ids, factor, trained->w, weights);
    if (trained->candidate.rank_block > 0)
      dorm__add_scaled(map->num_ids, factor * trained->candidate.rank_block / map->rank_block,
                       trained->w + map->num_ids, weights + map->num_ids);
  }
  dorm__part part = {0};
  dorm_status status = dorm__linear_part_new(context, map->num_ids, map->rank_block, weights, &part);
  if (status == DORM_OK)
    status = dorm__model_add(context, model, part);
  dorm__free(weights);
  return status;
}

/* Makes one part of the mean over the candidates of one kernel. Candidates of different kernels, or of one kernel with
 * different rank blocks, go into different parts. */
static dorm_status add_kernel(dorm_context *context, const dorm_training *training, const dorm__kernel_factor *kernel,
                              dorm_model *model)
{
  bool is_used = false;
  size_t count = num_selected(training);
  double *weights = dorm__alloc_zero(kernel->rank, sizeof *weights);
  if (!weights)
    return dorm__out_of_memory(context, "a model");
  for (size_t i = 0; i < training->num_trained; i++) {
    const dorm__trained *trained = &training->trained[i];
    if (!trained->candidate.is_selected || !trained->w || trained->kernel != kernel)
      continue;
    is_used = true;
    dorm__add_scaled(kernel->rank, share_of(trained, count), trained->w + (kernel->has_linear ? kernel->map_width : 0),
                     weights);
  }
  dorm_status status = DORM_OK;
  if (is_used) {
    dorm__part part = {0};
    status = dorm__kernel_part_new(context, kernel, weights, &part);
    if (status == DORM_OK)
      status = dorm__model_add(context, model, part);
  }
  dorm__free(weights);
  return status;
}

/* Moves the parts of the chosen candidates that are parts into the model. */
static dorm_status move_parts(dorm_context *context, dorm_training *training, dorm_model *model)
{
  dorm_status status = DORM_OK;
  size_t count = num_selected(training);
  for (size_t i = 0; status == DORM_OK && i < training->num_trained; i++) {
    dorm__trained *trained = &training->trained[i];
    if (!trained->candidate.is_selected || !trained->part.kind)
      continue;
    dorm__part part = trained->part;
    part.weight *= share_of(trained, count);
    trained->part = (dorm__part){0};
    status = dorm__model_add(context, model, part);
  }
  return status;
}

dorm_status dorm__selection_mark(dorm_context *context, const dorm_settings *settings, bool has_validation,
                                 dorm_training *training)
{
  if (!has_validation) {
    mark_latest(training);
    return DORM_OK;
  }
  if (strcmp(dorm__settings_text(settings, DORM__SELECTION_RULE), "one-se") == 0) {
    mark_one_standard_error(training);
    if (num_selected(training))
      return DORM_OK;
  }
  size_t average = dorm__settings_integer(settings, DORM__SELECTION_AVERAGE);
  bool with_start = strcmp(dorm__settings_text(settings, DORM__SELECTION_START), "yes") == 0;
  dorm_status status = mark_best(context, average, with_start, training);
  if (status == DORM_OK && !with_start && !num_selected(training))
    status = mark_best(context, average, true, training);
  return status;
}

/* Describes a candidate that is part of the model: what it was made with, its certificate, and its validation value. */
static void describe_candidate(const dorm_candidate *candidate, size_t size, char *text)
{
  size_t used = (size_t)snprintf(text, size, "candidate %zu: ", candidate->number);
  if (candidate->round)
    used += (size_t)snprintf(text + used, size - used,
                             "reference %.40s, weights %.40s, truncation %zu, C %g, round %zu, ", candidate->reference,
                             candidate->position_weights, candidate->truncation, candidate->C, candidate->round);
  else
    used += (size_t)snprintf(text + used, size - used, "start, ");
  used +=
      (size_t)snprintf(text + used, size - used, "rank block %g, ridge %g", candidate->rank_block, candidate->ridge);
  if (candidate->kernel_rank)
    used += (size_t)snprintf(text + used, size - used, ", kernel %.200s of rank %zu", candidate->kernel,
                             candidate->kernel_rank);
  if (candidate->round)
    used += (size_t)snprintf(text + used, size - used, "; primal %.6g, dual %.6g, gap %.2e, %zu passes",
                             candidate->certificate.primal, candidate->certificate.dual, candidate->certificate.gap,
                             candidate->certificate.iterations);
  if (isfinite(candidate->validation))
    snprintf(text + used, size - used, "; value %.4f", candidate->validation);
}

/* Keeps in the model how it was made: the candidates that were averaged, with their certificates. */
static dorm_status add_remarks(dorm_context *context, const dorm_training *training, dorm_model *model)
{
  char text[DORM__MESSAGE_SIZE];
  snprintf(text, sizeof text, "mean of %zu of %zu candidates", num_selected(training), training->num_trained);
  dorm_status status = dorm__model_remark(context, model, text);
  for (size_t i = 0; status == DORM_OK && i < training->num_trained; i++) {
    if (!training->trained[i].candidate.is_selected)
      continue;
    describe_candidate(&training->trained[i].candidate, sizeof text, text);
    status = dorm__model_remark(context, model, text);
  }
  return status;
}

dorm_status dorm__selection_model(dorm_context *context, const dorm_settings *settings,
                                  const dorm__feature_map *features, dorm_training *training)
{
  dorm__feature_map map = *features;
  map.rank_block = largest_rank_block(training);
  dorm_status status = dorm__model_new(context, &map, settings, &training->model);
  if (status == DORM_OK)
    status = add_remarks(context, training, training->model);
  if (status == DORM_OK)
    status = add_linear(context, training, &map, training->model);
  for (size_t i = 0; status == DORM_OK && i < training->num_kernels; i++)
    status = add_kernel(context, training, training->kernels[i], training->model);
  return status == DORM_OK ? move_parts(context, training, training->model) : status;
}
