/* candidates.c: the list of models that training made, and their form in a checkpoint. */
#include "jobs/candidates.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

dorm_status dorm__training_new(dorm_context *context, dorm_training **training)
{
  *training = dorm__alloc_zero(1, sizeof **training);
  if (!*training)
    return dorm__out_of_memory(context, "training");
  (*training)->validation = (*training)->estimate = (*training)->estimate_error = NAN;
  for (size_t i = 0; i < sizeof(*training)->baselines / sizeof *(*training)->baselines; i++)
    (*training)->baselines[i] = NAN;
  return DORM_OK;
}

void dorm__trained_clear(dorm__trained *trained)
{
  dorm__free(trained->reference);
  dorm__free(trained->position_weights);
  dorm__free(trained->w);
  for (size_t p = 0; p < trained->num_parts; p++)
    if (trained->parts[p].kind)
      trained->parts[p].kind->free(trained->parts[p].state);
  dorm__free(trained->parts);
  dorm__free(trained->held_out);
}

void dorm_training_free(dorm_training *training)
{
  if (!training)
    return;
  for (size_t i = 0; i < training->num_trained; i++)
    dorm__trained_clear(&training->trained[i]);
  dorm__free(training->trained);
  for (size_t i = 0; i < training->num_kernels; i++)
    dorm__kernel_factor_free(training->kernels[i]);
  dorm__free(training->kernels);
  dorm_model_free(training->model);
  dorm__free(training);
}

const dorm_model *dorm_training_model(const dorm_training *training)
{
  return training ? training->model : NULL;
}

dorm_model *dorm_training_take_model(dorm_training *training)
{
  dorm_model *model = training ? training->model : NULL;
  if (model)
    training->model = NULL;
  return model;
}

size_t dorm_training_num_candidates(const dorm_training *training)
{
  return training ? training->num_trained : 0;
}

const dorm_candidate *dorm_training_candidate(const dorm_training *training, size_t index)
{
  return training && index < training->num_trained ? &training->trained[index].candidate : NULL;
}

size_t dorm_training_num_training_queries(const dorm_training *training)
{
  return training ? training->num_training_queries : 0;
}

size_t dorm_training_num_folds(const dorm_training *training)
{
  return training ? training->num_folds : 0;
}

double dorm_training_estimate(const dorm_training *training, double *standard_error)
{
  if (standard_error)
    *standard_error = training ? training->estimate_error : (double)NAN;
  return training ? training->estimate : (double)NAN;
}

double dorm_training_baseline(const dorm_training *training, dorm_baseline which, size_t *feature)
{
  bool is_known = training && (unsigned)which < sizeof training->baselines / sizeof *training->baselines;
  if (feature)
    *feature = is_known && which == DORM_BASELINE_FEATURE ? training->best_feature : 0;
  return is_known ? training->baselines[which] : (double)NAN;
}

double dorm_training_validation(const dorm_training *training)
{
  return training ? training->validation : (double)NAN;
}

dorm_status dorm__training_adopt(dorm_context *context, dorm_training *training, dorm__trained *made)
{
  if (!DORM__GROW(training->trained, training->capacity, training->num_trained + 1)) {
    dorm__trained_clear(made);
    return dorm__out_of_memory(context, "a candidate");
  }
  made->candidate.number = training->num_trained + 1;
  training->trained[training->num_trained++] = *made;
  return DORM_OK;
}

dorm_status dorm__training_add(dorm_context *context, dorm_training *training, const dorm__trained *trained,
                               size_t width, const double *w)
{
  dorm__trained made = *trained;
  made.candidate.reference = made.reference = dorm__copy_text(trained->candidate.reference);
  made.candidate.position_weights = made.position_weights = dorm__copy_text(trained->candidate.position_weights);
  made.width = width;
  made.w = w ? dorm__alloc(width, sizeof *made.w) : NULL;
  if (!made.reference || !made.position_weights || (w && !made.w)) {
    dorm__trained_clear(&made);
    return dorm__out_of_memory(context, "a candidate");
  }
  if (w)
    memcpy(made.w, w, width * sizeof *w);
  return dorm__training_adopt(context, training, &made);
}

dorm_status dorm__trained_add_scores(dorm_context *context, const dorm__trained *trained, const dorm__feature_map *map,
                                     const dorm_dataset *dataset, size_t num_threads, double weight, double *scores)
{
  dorm__part linear = {0};
  dorm_status status = DORM_OK;
  for (size_t p = 0; status == DORM_OK && p < trained->num_parts; p++) {
    const dorm__part *part = &trained->parts[p];
    status = part->kind->score(context, part->state, map, dataset, num_threads, weight * part->weight, scores);
  }
  if (status != DORM_OK || !trained->w)
    return status;
  status = dorm__linear_part_new(context, map->num_ids, trained->candidate.rank_block, trained->w, &linear);
  if (status != DORM_OK)
    return status;
  status = linear.kind->score(context, linear.state, map, dataset, num_threads, weight, scores);
  linear.kind->free(linear.state);
  return status;
}

void dorm__training_drop_last(dorm_training *training)
{
  dorm__trained_clear(&training->trained[--training->num_trained]);
}

/* ---- In a checkpoint ------------------------------------------------------------------- */

/* Write and read the doubles at these offsets of a struct. */
static void save_numbers(const void *from, size_t count, const size_t *offsets, dorm__record_writer *writer)
{
  for (size_t i = 0; i < count; i++)
    dorm__record_put_number(writer, *(const double *)((const char *)from + offsets[i]));
}

static void restore_numbers(dorm__record_reader *reader, size_t count, const size_t *offsets, void *to)
{
  for (size_t i = 0; i < count; i++)
    *(double *)((char *)to + offsets[i]) = dorm__record_take_number(reader);
}

static const size_t certificate_numbers[] = {offsetof(dorm_certificate, primal),
                                             offsetof(dorm_certificate, dual),
                                             offsetof(dorm_certificate, gap),
                                             offsetof(dorm_certificate, reference_constant),
                                             offsetof(dorm_certificate, seconds),
                                             offsetof(dorm_certificate, score_seconds),
                                             offsetof(dorm_certificate, oracle_seconds),
                                             offsetof(dorm_certificate, qp_seconds)};
static const size_t candidate_numbers[] = {offsetof(dorm_candidate, rank_block),
                                           offsetof(dorm_candidate, ridge),
                                           offsetof(dorm_candidate, C),
                                           offsetof(dorm_candidate, validation),
                                           offsetof(dorm_candidate, validation_error),
                                           offsetof(dorm_candidate, score_scale),
                                           offsetof(dorm_candidate, kernel_trace),
                                           offsetof(dorm_candidate, kernel_residual),
                                           offsetof(dorm_candidate, kernel_bound),
                                           offsetof(dorm_candidate, rho),
                                           offsetof(dorm_candidate, training)};
enum {
  NUM_CERTIFICATE_NUMBERS = sizeof certificate_numbers / sizeof *certificate_numbers,
  NUM_CANDIDATE_NUMBERS = sizeof candidate_numbers / sizeof *candidate_numbers
};

void dorm__certificate_save(const dorm_certificate *certificate, dorm__record_writer *writer)
{
  save_numbers(certificate, NUM_CERTIFICATE_NUMBERS, certificate_numbers, writer);
  dorm__record_put_count(writer, certificate->iterations);
  dorm__record_put_count(writer, certificate->num_columns);
  dorm__record_put_count(writer, certificate->num_support);
}

dorm_certificate dorm__certificate_restore(dorm__record_reader *reader)
{
  dorm_certificate certificate = {0};
  restore_numbers(reader, NUM_CERTIFICATE_NUMBERS, certificate_numbers, &certificate);
  certificate.iterations = dorm__record_take_count(reader);
  certificate.num_columns = dorm__record_take_count(reader);
  certificate.num_support = dorm__record_take_count(reader);
  return certificate;
}

void dorm__trained_save(const dorm__trained *trained, dorm__record_writer *writer)
{
  const dorm_candidate *candidate = &trained->candidate;
  dorm__record_put_text(writer, trained->reference);
  dorm__record_put_text(writer, trained->position_weights);
  dorm__record_put_count(writer, candidate->truncation);
  dorm__record_put_count(writer, candidate->round);
  dorm__record_put_count(writer, candidate->kernel_rank);
  dorm__record_put_count(writer, candidate->is_selected != 0);
  save_numbers(candidate, NUM_CANDIDATE_NUMBERS, candidate_numbers, writer);
  dorm__certificate_save(&candidate->certificate, writer);
  dorm__record_put_count(writer, trained->width);
  dorm__record_put_numbers(writer, trained->width, trained->w);
}

dorm_status dorm__trained_restore(dorm_context *context, dorm__record_reader *reader, dorm_training *training)
{
  dorm__trained made = {.candidate = {.kernel = ""}};
  dorm_candidate *candidate = &made.candidate;
  DORM__FREED char *reference = dorm__record_take_text(reader);
  DORM__FREED char *position_weights = dorm__record_take_text(reader);
  candidate->truncation = dorm__record_take_count(reader);
  candidate->round = dorm__record_take_count(reader);
  candidate->kernel_rank = dorm__record_take_count(reader);
  candidate->is_selected = dorm__record_take_count(reader) != 0;
  restore_numbers(reader, NUM_CANDIDATE_NUMBERS, candidate_numbers, candidate);
  candidate->certificate = dorm__certificate_restore(reader);
  size_t width = dorm__record_take_count(reader);
  const char *bytes = dorm__record_take(reader, width, sizeof(double));
  DORM__FREED double *w = bytes ? dorm__alloc(width, sizeof *w) : NULL;
  if (reader->is_bad)
    return DORM_OK;
  if (!reference || !position_weights || !w)
    return dorm__out_of_memory(context, "a candidate");
  memcpy(w, bytes, width * sizeof *w);
  candidate->reference = reference;
  candidate->position_weights = position_weights;
  return dorm__training_add(context, training, &made, width, width ? w : NULL);
}

/* Writes the parts and held-out values, which dorm__trained_save leaves out. */
static dorm_status save_rest(dorm_context *context, const dorm__trained *trained, const dorm__feature_map *map,
                             size_t num_held_out, dorm__record_writer *writer)
{
  dorm_status status = DORM_OK;
  dorm__record_put_count(writer, trained->held_out != NULL);
  dorm__record_put_numbers(writer, trained->held_out ? num_held_out : 0, trained->held_out);
  dorm__record_put_count(writer, trained->num_parts);
  for (size_t p = 0; status == DORM_OK && p < trained->num_parts; p++)
    status = dorm__part_save(context, &trained->parts[p], map, writer);
  return status;
}

static dorm_status restore_rest(dorm_context *context, const dorm__feature_map *map, size_t num_held_out,
                                dorm__record_reader *reader, dorm__trained *trained)
{
  bool has_values = dorm__record_take_count(reader) != 0;
  const void *values = has_values ? dorm__record_take(reader, num_held_out, sizeof(double)) : NULL;
  size_t num_parts = dorm__record_take_count(reader);
  reader->is_bad = reader->is_bad || num_parts > 1; /* a candidate of a fold continues from no model */
  if (reader->is_bad)
    return DORM_OK;
  trained->candidate.kernel = "linear";
  trained->held_out = values ? dorm__alloc(num_held_out, sizeof *trained->held_out) : NULL;
  trained->parts = num_parts ? dorm__alloc_zero(num_parts, sizeof *trained->parts) : NULL;
  if ((values && !trained->held_out) || (num_parts && !trained->parts))
    return dorm__out_of_memory(context, "a candidate");
  if (values)
    memcpy(trained->held_out, values, num_held_out * sizeof *trained->held_out);
  dorm_status status = num_parts ? dorm__part_restore(context, map, reader, trained->parts) : DORM_OK;
  trained->num_parts = num_parts && trained->parts->kind;
  return status;
}

dorm_status dorm__training_save(dorm_context *context, const dorm_training *training, const dorm__feature_map *map,
                                size_t num_held_out, dorm__record_writer *writer)
{
  dorm_status status = DORM_OK;
  dorm__record_put_count(writer, training->num_trained);
  for (size_t i = 0; status == DORM_OK && i < training->num_trained; i++) {
    dorm__trained_save(&training->trained[i], writer);
    status = save_rest(context, &training->trained[i], map, num_held_out, writer);
  }
  return status;
}

dorm_status dorm__training_restore(dorm_context *context, const dorm__feature_map *map, size_t num_held_out,
                                   dorm__record_reader *reader, dorm_training *training)
{
  size_t count = dorm__record_take_count(reader);
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && !reader->is_bad && i < count; i++) {
    status = dorm__trained_restore(context, reader, training);
    if (status == DORM_OK && !reader->is_bad)
      status = restore_rest(context, map, num_held_out, reader, &training->trained[training->num_trained - 1]);
  }
  return status;
}
