/*
 * sink.c: takes the candidates of a grid from the trainers. It measures each on the validation data, computes the
 * spread of its scores (an average divides by it), and keeps it.
 */
#include "base/processes.h"
#include "jobs/grid.h"
#include "jobs/rows.h"

#include <math.h>
#include <string.h>

void dorm__sink_clear(dorm__sink *sink)
{
  dorm__free(sink->scores);
  sink->scores = NULL;
}

/* Returns the sum of weight (score - mean score of its query)^2 over the documents of queries first .. end - 1. */
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
    double weight = dorm_dataset_query_weight(dataset, q);
    for (size_t j = start; j < stop; j++)
      sum += weight * ((scores[j] - mean) * (scores[j] - mean));
  }
  return sum;
}

/* Sums in a fixed number of pieces for each shard, so that the result does not depend on threads and processes. */
dorm_status dorm__spread_within_queries(dorm_context *context, const dorm_dataset *dataset, const double *scores,
                                        size_t num_threads, double *spread)
{
  enum { NUM_PIECES = 8 };
  size_t count = dorm__shards_here(dataset);
  DORM__FREED double *sums = dorm__alloc(count + 1, (1 + NUM_PIECES) * sizeof *sums);
  if (!sums)
    return dorm__out_of_memory(context, "the spread of scores");
  double *pieces = sums + count, sum = 0, weighted_docs = 0;
#pragma omp parallel for schedule(static) num_threads((int)num_threads)
  for (size_t i = 0; i < count * NUM_PIECES; i++) {
    size_t first, end;
    dorm__shard_range(dataset, i / NUM_PIECES, &first, &end);
    pieces[i] = squares_within(dataset, first + i % NUM_PIECES * (end - first) / NUM_PIECES,
                               first + (i % NUM_PIECES + 1) * (end - first) / NUM_PIECES, scores);
  }
  for (size_t i = 0; i < count; i++) {
    sums[i] = 0;
    for (size_t k = 0; k < NUM_PIECES; k++)
      sums[i] += pieces[i * NUM_PIECES + k];
  }
  dorm_status status = DORM__ALL(dorm__processes_sum(context, count, 1, sums, &sum),
                                 dorm__all_weighted_docs(context, dataset, &weighted_docs));
  *spread = sqrt(sum / weighted_docs);
  return status;
}

static dorm_status add_part_scores(dorm__sink *sink, const dorm__training_rows *rows, const dorm__part *part)
{
  return part->kind ? part->kind->score(sink->job->context, part->state, &rows->map, sink->grid->validation,
                                        sink->job->num_threads, part->weight, sink->scores)
                    : DORM_OK;
}

/* Computes the scores of an offer on the validation data, into sink->scores. */
static dorm_status score_validation(dorm__sink *sink, const dorm__training_rows *rows, const dorm__offer *offer)
{
  const dorm__job *job = sink->job;
  const dorm_dataset *validation = sink->grid->validation;
  if (!sink->scores)
    sink->scores = dorm__alloc(validation->num_docs, sizeof *sink->scores);
  if (!sink->scores)
    return dorm__out_of_memory(job->context, "scores");
  if (offer->w)
    dorm__features_score_queries(&rows->validation_features, validation->num_queries, validation->query_start, offer->w,
                                 job->num_threads, sink->scores);
  else
    memset(sink->scores, 0, validation->num_docs * sizeof *sink->scores);
  if (job->num_own)
    return dorm__positions_rank(job, rows, offer->w, sink->scores);
  dorm_status status = add_part_scores(sink, rows, &offer->part);
  for (size_t i = 0; status == DORM_OK && i < offer->num_more; i++)
    status = add_part_scores(sink, rows, &offer->more[i]);
  return status;
}

static dorm_status measure(dorm__sink *sink, const dorm__training_rows *rows, const dorm__offer *offer,
                           dorm__trained *made)
{
  const dorm__job *job = sink->job;
  const dorm_dataset *validation = sink->grid->validation;
  dorm_candidate *candidate = &made->candidate;
  dorm_evaluation evaluation;
  dorm_status status = score_validation(sink, rows, offer);
  if (status == DORM_OK && offer->races && sink->grid->whole) {
    made->held_out = dorm__alloc(validation->num_queries, sizeof *made->held_out);
    status = made->held_out ? DORM_OK : dorm__out_of_memory(job->context, "values of queries");
  }
  if (status == DORM_OK)
    status = dorm__job_measure(job, validation, sink->scores, made->held_out, &evaluation);
  if (status != DORM_OK)
    return status;
  if (!evaluation.num_queries && !job->num_folds)
    return dorm__fail(job->context, DORM_BAD_DATA, "%s: no query counts under %s", validation->name,
                      dorm__measure_spec(job->measure));
  candidate->validation = evaluation.mean;
  candidate->validation_error = evaluation.standard_error;
  return DORM_OK;
}

/* Returns whether selection compares the ends of paths with their start on the training data: there are no other data,
 * and there are several C. */
static bool compares_ends(const dorm__sink *sink)
{
  const dorm__job *job = sink->job;
  return !sink->grid->validation && !job->num_folds && !job->num_own && !job->diversity.is_on &&
         dorm__settings_count(job->settings, DORM__SOLVER_C) > 1 &&
         dorm__measure_check(job->context, job->measure, sink->grid->train) == DORM_OK;
}

static dorm_status measure_training(dorm__sink *sink, const dorm__offer *offer, dorm_candidate *candidate)
{
  const dorm_dataset *train = sink->grid->train;
  dorm_evaluation evaluation;
  dorm_status status =
      dorm__measure_dataset(sink->job->context, sink->job->measure, train, offer->train_scores, NULL, &evaluation);
  candidate->training = status == DORM_OK ? evaluation.mean : NAN;
  return status;
}

static void report(const dorm__sink *sink, dorm_event_kind kind, const dorm_candidate *candidate)
{
  const dorm__progress *progress = sink->grid->progress;
  dorm__log(sink->job->context, &(dorm_event){.kind = kind,
                                              .text = "",
                                              .candidate = candidate,
                                              .num_done = progress->num_done,
                                              .num_candidates = progress->num_expected,
                                              .seconds = dorm__seconds() - sink->job->clock.started});
}

/* Returns the number of the next candidate, from 0. */
static size_t next_index(const dorm__sink *sink)
{
  return sink->num_before + sink->grid->training->num_trained;
}

bool dorm__sink_has_left(const dorm__sink *sink)
{
  const dorm__fold_sums *sums = sink->grid->fold_sums;
  return sink->grid->whole && sums && next_index(sink) < sums->count && sums->has_left[next_index(sink)];
}

size_t dorm__sink_rounds(const dorm__sink *sink, size_t most)
{
  const dorm_training *chosen_from = sink->grid->chosen_from;
  size_t index = next_index(sink);
  return chosen_from && index < chosen_from->num_trained ? chosen_from->trained[index].candidate.round : most;
}

void dorm__sink_report_pass(dorm__sink *sink, dorm_candidate *candidate)
{
  sink->grid->progress->num_passes++;
  candidate->number = sink->grid->training->num_trained + 1;
  report(sink, DORM_EVENT_ITERATION, candidate);
}

/* Counts and reports the candidate that was kept last. */
static void report_last(const dorm__sink *sink)
{
  const dorm_training *training = sink->grid->training;
  sink->grid->progress->num_done++;
  report(sink, DORM_EVENT_CANDIDATE, &training->trained[training->num_trained - 1].candidate);
}

/* Gives a candidate the parts of an offer, or frees them on failure. */
static dorm_status take_parts(dorm_context *context, const dorm__offer *offer, dorm__trained *made)
{
  if (!offer->part.kind)
    return DORM_OK;
  made->parts = dorm__alloc(1 + offer->num_more, sizeof *made->parts);
  dorm_status status = made->parts ? DORM_OK : dorm__out_of_memory(context, "a candidate");
  for (size_t i = 0; i <= offer->num_more; i++) {
    dorm__part part = i < offer->num_more ? offer->more[i] : offer->part;
    if (status == DORM_OK)
      made->parts[made->num_parts++] = part;
    else
      part.kind->free(part.state);
  }
  return status;
}

/* Sets the values of a candidate that is not measured yet. */
static void clear_values(dorm_candidate *candidate)
{
  candidate->validation = candidate->validation_error = candidate->training = NAN;
  if (!candidate->certificate.iterations)
    candidate->certificate = (dorm_certificate){.primal = NAN, .dual = NAN, .gap = NAN, .reference_constant = NAN};
}

dorm_status dorm__sink_skip(dorm__sink *sink, const dorm__training_rows *rows, const char *reference)
{
  dorm__trained made = {.candidate = dorm__training_rows_candidate(rows)};
  made.candidate.reference = reference;
  clear_values(&made.candidate);
  dorm_status status = dorm__training_add(sink->job->context, sink->grid->training, &made, 0, NULL);
  if (status == DORM_OK)
    report_last(sink);
  return status;
}

dorm_status dorm__sink_take(dorm__sink *sink, const dorm__training_rows *rows, const dorm__offer *offer)
{
  const dorm__job *job = sink->job;
  dorm__trained made = {.candidate = offer->candidate, .kernel = offer->w ? rows->kernel : NULL};
  clear_values(&made.candidate);
  dorm_status status =
      DORM__ALL(take_parts(job->context, offer, &made),
                dorm__spread_within_queries(job->context, sink->grid->train, offer->train_scores, job->num_threads,
                                            &made.candidate.score_scale),
                sink->grid->validation                    ? measure(sink, rows, offer, &made)
                : offer->ends_path && compares_ends(sink) ? measure_training(sink, offer, &made.candidate)
                                                          : DORM_OK);
  if (status != DORM_OK) {
    dorm__trained_clear(&made);
    return status;
  }
  status = dorm__training_add(job->context, sink->grid->training, &made, offer->w ? dorm__training_rows_width(rows) : 0,
                              offer->w);
  if (status == DORM_OK)
    report_last(sink);
  return status;
}

dorm_status dorm__sink_adopt(dorm__sink *sink, dorm__trained *made)
{
  dorm_status status = dorm__training_adopt(sink->job->context, sink->grid->training, made);
  if (status == DORM_OK)
    report_last(sink);
  return status;
}

dorm_status dorm__sink_restore(dorm__sink *sink, const dorm__training_rows *rows, double *w, bool *is_there)
{
  const dorm__job *job = sink->job;
  dorm__grid *grid = sink->grid;
  size_t width = dorm__training_rows_width(rows);
  *is_there = grid->num_restored > 0;
  if (!*is_there)
    return DORM_OK;
  /* Restored candidates are at the front of the list, in the order in which they were made. The trainers have not yet
   * reached the last num_restored of them. */
  dorm__trained *trained = &grid->training->trained[grid->training->num_trained - grid->num_restored];
  if (trained->width != width)
    return dorm__fail(job->context, DORM_BAD_DATA,
                      "%s: the checkpoint is damaged: candidate %zu has %zu weights, not %zu; remove it to start anew",
                      dorm__settings_text(job->settings, DORM__OUTPUT_CHECKPOINT), trained->candidate.number,
                      trained->width, width);
  trained->kernel = rows->kernel; /* the kernel was fitted again */
  trained->candidate.kernel = dorm__training_rows_candidate(rows).kernel;
  if (width)
    memcpy(w, trained->w, width * sizeof *w);
  grid->num_restored--;
  bool is_short = trained->candidate.round &&
                  trained->candidate.certificate.gap > dorm__settings_number(job->settings, DORM__SOLVER_GAP);
  grid->progress->is_limited = grid->progress->is_limited || is_short;
  return DORM_OK;
}
