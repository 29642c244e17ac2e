/*
 * selection.c: from the candidates to one model. The scale of a candidate's scores does not change its ranking, but it
 * would change its share in a mean. So candidates are divided by the standard deviation of their scores within queries
 * before they are averaged. All linear models become one linear part, and the models of each kernel one kernel part.
 * Candidates that are parts of another kind stay parts, each with its weight, or join if the kind can (trees whose
 * score is a sum). If trees started at a linear model, that model joins the linear part.
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

/* Returns false if all scores of a candidate are equal within queries. */
static bool ranks(const dorm__trained *trained)
{
  return trained->candidate.score_scale > 0 && isfinite(trained->candidate.score_scale);
}

/* Returns whether the candidate is a part of another kind, perhaps with a linear model. */
static bool is_part(const dorm__trained *trained)
{
  return trained->num_parts > 0;
}

static bool is_no_part(const dorm__trained *trained)
{
  return !trained->num_parts;
}

bool dorm__selection_serves(const dorm__trained *trained)
{
  dorm__model_trees trees;
  bool serves = is_part(trained) && !trained->w;
  for (size_t i = 0; serves && i < trained->num_parts; i++)
    serves = dorm__part_trees(&trained->parts[i], &trees) && trees.normalisation == DORM__NORMALISATION_NONE &&
             !(trees.rank_block > 0);
  return serves;
}

/* Marks the `average` best candidates of a sort by their validation values. Starts (round 0) are among them only if
 * `with_start`. */
static dorm_status mark_best(dorm_context *context, size_t average, bool with_start,
                             bool (*is_of_sort)(const dorm__trained *), dorm_training *training)
{
  DORM__FREED dorm__trained **order = dorm__alloc(training->num_trained, sizeof *order);
  if (!order)
    return dorm__out_of_memory(context, "the selection");
  size_t count = 0;
  for (size_t i = 0; i < training->num_trained; i++)
    if (ranks(&training->trained[i]) && is_of_sort(&training->trained[i]) &&
        (with_start || training->trained[i].candidate.round))
      order[count++] = &training->trained[i];
  qsort(order, count, sizeof(dorm__trained *), compare_validation);
  for (size_t i = 0; i < count && i < average; i++)
    order[i]->candidate.is_selected = 1;
  return DORM_OK;
}

/* Returns whether the last round of this candidate's C ranks the training data worse than the start (round 0) does. A
 * small C may keep the weights too small for them. */
static bool is_below_start(const dorm_training *training, size_t index)
{
  const dorm__trained *start = &training->trained[index], *end = start, *first = training->trained;
  while (start > first && start->candidate.round)
    start--;
  while (end + 1 < first + training->num_trained && end[1].candidate.round > end->candidate.round)
    end++;
  return !start->candidate.round && end->candidate.training < start->candidate.training;
}

/* Marks the candidates of round 2 and later, of round 1 if there is no later round, or the starts if there is nothing
 * else. Leaves out each C that ended below its start, unless all did. */
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
    training->trained[i].candidate.is_selected = ranks(&training->trained[i]) &&
                                                 training->trained[i].candidate.round >= least_round &&
                                                 !is_below_start(training, i);
  bool is_none = !dorm__selection_count(training);
  for (size_t i = 0; is_none && i < training->num_trained; i++)
    training->trained[i].candidate.is_selected =
        ranks(&training->trained[i]) && training->trained[i].candidate.round >= least_round;
}

void dorm__selection_copy_marks(const dorm_training *from, dorm_training *to)
{
  for (size_t i = 0; i < to->num_trained && i < from->num_trained; i++) {
    to->trained[i].candidate.is_selected = from->trained[i].candidate.is_selected && ranks(&to->trained[i]);
    to->trained[i].divisor = from->trained[i].divisor;
  }
}

size_t dorm__selection_count(const dorm_training *training)
{
  size_t count = 0;
  for (size_t i = 0; i < training->num_trained; i++)
    count += training->trained[i].candidate.is_selected != 0;
  return count;
}

/* Returns the rank block of the model, the largest one of the chosen candidates. add_linear rescales the weights of the
 * others. */
static double largest_rank_block(const dorm_training *training)
{
  double largest = 0;
  for (size_t i = 0; i < training->num_trained; i++)
    if (training->trained[i].candidate.is_selected)
      largest = fmax(largest, training->trained[i].candidate.rank_block);
  return largest;
}

void dorm__selection_share(double blend, dorm_training *training)
{
  size_t count[2] = {0, 0}; /* of others and of parts */
  for (size_t i = 0; i < training->num_trained; i++)
    if (training->trained[i].candidate.is_selected)
      count[is_part(&training->trained[i])]++;
  const double shares[2] = {count[1] ? 1 - blend : 1, count[0] ? blend : 1};
  for (size_t i = 0; i < training->num_trained; i++) {
    dorm__trained *trained = &training->trained[i];
    bool part = is_part(trained);
    if (shares[part] > 0)
      trained->divisor = (double)count[part] / shares[part];
    else
      trained->candidate.is_selected = 0;
  }
  for (size_t i = 0; dorm__selection_count(training) == 1 && i < training->num_trained; i++)
    training->trained[i].divisor = 0;
}

double dorm__selection_factor(const dorm__trained *trained)
{
  return trained->divisor > 0 ? 1 / (trained->candidate.score_scale * trained->divisor) : 1;
}

static bool has_linear(const dorm__trained *trained)
{
  return trained->candidate.is_selected && trained->w && (!trained->kernel || trained->kernel->has_linear);
}

/* Adds the weights w of a candidate's rows, times its share, to the weights of the model's rows. */
static void add_weights(const dorm__trained *trained, const double *w, const dorm__feature_map *map, double *weights)
{
  double factor = dorm__selection_factor(trained);
  dorm__add_scaled(map->num_ids, factor, w, weights);
  if (trained->candidate.rank_block > 0)
    dorm__add_scaled(map->num_ids, factor * trained->candidate.rank_block / map->rank_block, w + map->num_ids,
                     weights + map->num_ids);
}

/* Makes one linear part of all candidates that are linear or have a linear part. */
static dorm_status add_linear(dorm_context *context, const dorm_training *training, const dorm__feature_map *map,
                              dorm_model *model)
{
  DORM__FREED double *weights = dorm__alloc_zero(dorm__feature_map_width(map), sizeof *weights);
  if (!weights)
    return dorm__out_of_memory(context, "a model");
  for (size_t i = 0; i < training->num_trained; i++) {
    const dorm__trained *trained = &training->trained[i];
    if (has_linear(trained))
      add_weights(trained, trained->w, map, weights);
  }
  dorm__part part = {0};
  return DORM__ALL(dorm__linear_part_new(context, map->num_ids, map->rank_block, weights, &part),
                   dorm__model_add(context, model, part));
}

/* Makes one part of the functions of the first positions, whose weights follow the weights of the function of all
 * positions in each candidate. */
static dorm_status add_positions(dorm_context *context, const dorm_settings *settings, const dorm_training *training,
                                 const dorm__feature_map *map, dorm_model *model)
{
  size_t num_own = dorm__settings_integer(settings, DORM__RANKING_POSITION_FUNCTIONS) - 1;
  size_t width = dorm__feature_map_width(map);
  DORM__FREED double *weights = dorm__alloc_zero(num_own * width, sizeof *weights);
  if (!weights)
    return dorm__out_of_memory(context, "a model");
  for (size_t i = 0; i < training->num_trained; i++) {
    const dorm__trained *trained = &training->trained[i];
    for (size_t p = 0; has_linear(trained) && p < num_own; p++)
      add_weights(trained, trained->w + (p + 1) * (trained->width / (num_own + 1)), map, weights + p * width);
  }
  dorm__part part = {0};
  dorm_status status =
      dorm__positions_part_from(context, settings, map->num_ids, map->rank_block, num_own, weights, &part);
  return DORM__ALL(status, dorm__model_add(context, model, part));
}

/* Makes one part of the mean over the candidates of one kernel. Candidates of different kernels, or of one kernel with
 * different rank blocks, go into different parts. */
static dorm_status add_kernel(dorm_context *context, const dorm_training *training, const dorm__kernel_factor *kernel,
                              dorm_model *model)
{
  bool is_used = false;
  DORM__FREED double *weights = dorm__alloc_zero(kernel->rank, sizeof *weights);
  if (!weights)
    return dorm__out_of_memory(context, "a model");
  for (size_t i = 0; i < training->num_trained; i++) {
    const dorm__trained *trained = &training->trained[i];
    if (!trained->candidate.is_selected || !trained->w || trained->kernel != kernel)
      continue;
    is_used = true;
    dorm__add_scaled(kernel->rank, dorm__selection_factor(trained),
                     trained->w + (kernel->has_linear ? kernel->map_width : 0), weights);
  }
  dorm_status status = DORM_OK;
  if (is_used) {
    dorm__part part = {0};
    status = DORM__ALL(dorm__kernel_part_new(context, kernel, weights, &part), dorm__model_add(context, model, part));
  }
  return status;
}

/* Moves the parts of the chosen part candidates into the model. */
static dorm_status move_parts(dorm_context *context, dorm_training *training, dorm_model *model)
{
  size_t most = 0, count = 0;
  for (size_t i = 0; i < training->num_trained; i++)
    most += training->trained[i].num_parts;
  DORM__FREED dorm__part *parts = dorm__alloc(most, sizeof *parts);
  dorm_status status = parts ? DORM_OK : dorm__out_of_memory(context, "a model");
  for (size_t i = 0; status == DORM_OK && i < training->num_trained; i++) {
    dorm__trained *trained = &training->trained[i];
    for (size_t p = 0; status == DORM_OK && trained->candidate.is_selected && p < trained->num_parts; p++) {
      dorm__part part = trained->parts[p];
      part.weight *= dorm__selection_factor(trained);
      trained->parts[p] = (dorm__part){0};
      status = dorm__parts_add(context, part, parts, &count);
    }
  }
  for (size_t i = 0; i < count; i++)
    if (status == DORM_OK)
      status = dorm__model_add(context, model, parts[i]);
    else
      parts[i].kind->free(parts[i].state);
  return status;
}

static dorm_status mark_by_values(dorm_context *context, const dorm_settings *settings, dorm_training *training)
{
  size_t average = dorm__settings_integer(settings, DORM__SELECTION_AVERAGE);
  bool with_start = dorm__settings_say_yes(settings, DORM__SELECTION_START, 0);
  return DORM__ALL(mark_best(context, average, true, is_part, training),
                   mark_best(context, average, with_start, is_no_part, training),
                   !with_start && !dorm__selection_count(training)
                       ? mark_best(context, average, true, is_no_part, training)
                       : DORM_OK);
}

dorm_status dorm__selection_mark(dorm_context *context, const dorm_settings *settings, bool has_validation,
                                 dorm_training *training)
{
  if (has_validation)
    return mark_by_values(context, settings, training);
  mark_latest(training);
  return DORM_OK;
}

dorm_status dorm__selection_mark_serving(dorm_context *context, const dorm_settings *settings, dorm_training *training)
{
  return mark_best(context, dorm__settings_integer(settings, DORM__SELECTION_AVERAGE), true, dorm__selection_serves,
                   training);
}

/* ---- Remarks -------------------------------------------------------------------- */

/* Writes a label and a number rounded to `digits` digits. */
static void put_rounded(dorm__output *output, const char *label, int digits, double value)
{
  double power = value == 0 || !isfinite(value) ? 1 : pow(10, digits - 1 - floor(log10(fabs(value))));
  bool is_in_range = isfinite(power) && power > 0 && isfinite(value * power);
  dorm__output_text(output, "%s%s", label, DORM__NUMBER(is_in_range ? round(value * power) / power : value));
}

/* Writes settings, certificate and value of a candidate. They do not depend on the clock, so the same training makes
 * the same model. */
static void put_candidate(dorm__output *output, const dorm_candidate *candidate)
{
  const dorm_certificate *certificate = &candidate->certificate;
  bool has_certificate = certificate->iterations > 0; /* starts and trainers without passes have none */
  dorm__output_text(output, "candidate %zu: %s%s", candidate->number,
                    has_certificate    ? "reference "
                    : candidate->round ? ""
                                       : "start",
                    candidate->round ? candidate->reference : "");
  if (has_certificate) {
    dorm__output_text(output, ", position weights %s, truncation %zu", candidate->position_weights,
                      candidate->truncation);
    put_rounded(output, ", C ", 6, candidate->C);
  }
  if (candidate->round)
    dorm__output_text(output, ", round %zu", candidate->round);
  put_rounded(output, ", rank block ", 6, candidate->rank_block);
  if (has_certificate || !candidate->round)
    put_rounded(output, candidate->rho > 0 ? ", rho " : ", ridge ", 6,
                candidate->rho > 0 ? candidate->rho : candidate->ridge);
  if (candidate->kernel_rank)
    dorm__output_text(output, ", kernel %s of rank %zu", candidate->kernel, candidate->kernel_rank);
  if (has_certificate) {
    put_rounded(output, "; primal ", 6, certificate->primal);
    put_rounded(output, ", dual ", 6, certificate->dual);
    put_rounded(output, ", gap ", 3, certificate->gap);
    dorm__output_text(output, ", passes %zu", certificate->iterations);
  }
  if (isfinite(candidate->validation))
    put_rounded(output, "; value ", 4, candidate->validation);
}

/* Adds the remark on one candidate, or on the number of averaged ones (NULL). */
static dorm_status add_remark(dorm_context *context, const dorm_training *training, const dorm_candidate *candidate,
                              dorm_model *model)
{
  DORM__FREED char *text = NULL;
  size_t size;
  dorm__output *output = NULL;
  dorm_status status = dorm__output_to_memory(context, &output);
  if (status != DORM_OK)
    return status;
  if (candidate)
    put_candidate(output, candidate);
  else
    dorm__output_text(output, "mean of %zu of %zu candidates", dorm__selection_count(training), training->num_trained);
  return DORM__ALL(dorm__output_take(context, output, &text, &size), dorm__model_remark(context, model, text));
}

/* Adds remarks to a model of the marked candidates: their number, and then one for each of them. */
static dorm_status add_remarks(dorm_context *context, const dorm_training *training, dorm_model *model)
{
  dorm_status status = add_remark(context, training, NULL, model);
  for (size_t i = 0; status == DORM_OK && i < training->num_trained; i++)
    if (training->trained[i].candidate.is_selected)
      status = add_remark(context, training, &training->trained[i].candidate, model);
  return status;
}

/* ---- The model ------------------------------------------------------------------ */

dorm_status dorm__selection_model(dorm_context *context, const dorm_settings *settings,
                                  const dorm__feature_map *features, dorm_training *training)
{
  dorm__feature_map map = *features;
  map.rank_block = largest_rank_block(training);
  dorm_status status =
      DORM__ALL(dorm__model_new(context, &map, settings, &training->model),
                add_remarks(context, training, training->model), add_linear(context, training, &map, training->model));
  for (size_t i = 0; status == DORM_OK && i < training->num_kernels; i++)
    status = add_kernel(context, training, training->kernels[i], training->model);
  if (status == DORM_OK)
    status = move_parts(context, training, training->model);
  bool has_own = dorm__settings_integer(settings, DORM__RANKING_POSITION_FUNCTIONS) > 1;
  return status == DORM_OK && has_own ? add_positions(context, settings, training, &map, training->model) : status;
}
