/*
 * committee.c: candidates that are means over the folds of a cross-validation (Parmanto, Munro and Doyle, "Improving
 * Committee Diagnosis with Resampling Techniques", NIPS 1996). Early stopping of each member uses queries that it was
 * not trained on, and every query trains all members but one. A candidate that is trained again on all queries would
 * have no queries for early stopping.
 */
#include "base/linalg.h"
#include "base/processes.h"
#include "training/folds.h"

#include <math.h>

static void drop_members(dorm__committee *committee)
{
  for (size_t k = 0; k < committee->count; k++) {
    dorm_training_free(committee->members[k].training);
    dorm__feature_map_clear(&committee->members[k].map);
    dorm__share_sums_clear(&committee->members[k].shares);
    dorm__free(committee->members[k].weights);
  }
  committee->count = 0;
}

void dorm__committee_clear(dorm__committee *committee)
{
  drop_members(committee);
  dorm__free(committee->members);
  *committee = (dorm__committee){0};
}

/* Replaces values [count] of the queries of this process, owned, by the values of the queries of all processes. */
static dorm_status share(dorm_context *context, size_t count, double **values)
{
  void *all = NULL;
  size_t all_count;
  if (dorm__processes_size(context) == 1 || !*values)
    return DORM_OK;
  dorm_status status = dorm__processes_gather_items(context, sizeof **values, count, *values, &all, &all_count);
  if (status == DORM_OK) {
    dorm__free(*values);
    *values = all;
  }
  return status;
}

dorm_status dorm__committee_keep(dorm_context *context, dorm__grid *fold, const dorm_evaluation *counted,
                                 bool is_finished, dorm__share_sums *shares, dorm__committee *committee)
{
  if (!fold->training || !fold->training->num_trained || (!is_finished && committee->count))
    return DORM_OK;
  if (!committee->keeps_all)
    drop_members(committee);
  size_t num_queries = fold->validation->num_queries;
  double *weights = dorm__alloc(num_queries, sizeof *weights);
  if (!weights || !DORM__GROW(committee->members, committee->capacity, committee->count + 1)) {
    dorm__free(weights);
    return dorm__out_of_memory(context, "folds");
  }
  for (size_t q = 0; q < num_queries; q++)
    weights[q] = dorm_dataset_query_weight(fold->validation, q);
  dorm_status status = share(context, num_queries, &weights);
  for (size_t i = 0; status == DORM_OK && i < fold->training->num_trained; i++)
    status = share(context, num_queries, &fold->training->trained[i].held_out);
  if (status != DORM_OK) {
    dorm__free(weights);
    return status;
  }
  committee->members[committee->count++] = (dorm__committee_member){.fold = fold->number,
                                                                    .training = fold->training,
                                                                    .map = fold->map,
                                                                    .counted = *counted,
                                                                    .shares = *shares,
                                                                    .num_queries = dorm__all_queries(fold->validation),
                                                                    .weights = weights};
  *shares = (dorm__share_sums){0};
  fold->training = NULL;
  fold->map = (dorm__feature_map){0};
  return DORM_OK;
}

/* ---- The race ---------------------------------------------------------------------------------- */

/* Returns how much worse a candidate is than another one on the held-out queries so far, in standard errors of the
 * paired difference. */
static double errors_below(const dorm__committee *committee, size_t index, size_t best)
{
  dorm__share_sum sum = {0};
  for (size_t k = 0; k < committee->count; k++) {
    const dorm__committee_member *member = &committee->members[k];
    const double *own = member->training->trained[index].held_out, *other = member->training->trained[best].held_out;
    for (size_t q = 0; own && other && q < member->num_queries; q++)
      dorm__share_sum_take(&sum, other[q] - own[q], member->weights[q]);
  }
  double error, mean = dorm__share_sum_mean(&sum, &error);
  return mean > 0 ? mean / error : 0;
}

/* Returns the candidate of the race with the largest mean over the held-out queries so far, or SIZE_MAX if there is
 * none. */
static size_t best_of_race(const dorm__committee *committee, const dorm__fold_sums *sums)
{
  const dorm_training *first = committee->members[0].training;
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < first->num_trained && i < sums->count; i++)
    if (first->trained[i].held_out && !sums->has_left[i] && sums->queries[i] > 0 &&
        (best == SIZE_MAX || sums->values[i] / sums->queries[i] > sums->values[best] / sums->queries[best]))
      best = i;
  return best;
}

void dorm__committee_race(dorm_context *context, dorm__committee *committee, dorm__fold_sums *sums)
{
  enum { LEAST_QUERIES = 20, MOST_ERRORS = 2 };
  size_t best = committee->count ? best_of_race(committee, sums) : SIZE_MAX, num_queries = 0;
  for (size_t k = 0; k < committee->count; k++)
    num_queries += committee->members[k].counted.num_queries;
  if (best == SIZE_MAX || num_queries < LEAST_QUERIES)
    return;
  for (size_t i = 0; i < committee->members[0].training->num_trained && i < sums->count; i++) {
    const dorm__trained *first = &committee->members[0].training->trained[i];
    double errors = first->held_out && !sums->has_left[i] ? errors_below(committee, i, best) : 0;
    if (!(errors > MOST_ERRORS))
      continue;
    dorm__detail(context, "candidate %zu (%s) leaves the race after fold %zu: %.1f standard errors below candidate %zu",
                 i + 1, first->candidate.reference, committee->count, errors, best + 1);
    dorm__fold_sums_leave(sums, i);
    for (size_t k = 0; k < committee->count; k++) /* a candidate out of the race ranks nothing */
      committee->members[k].training->trained[i].candidate.score_scale = 0;
  }
}

/* ---- Means ------------------------------------------------------------------------------------- */

/* Adds one member to a candidate that has room for its parts. Takes over the parts, even on failure. */
static dorm_status add_member(dorm_context *context, dorm__trained *member, double share, dorm__trained *made)
{
  dorm_status status = DORM_OK;
  for (size_t p = 0; status == DORM_OK && p < member->num_parts; p++) {
    dorm__part part = member->parts[p];
    part.weight *= share;
    member->parts[p] = (dorm__part){0};
    status = dorm__parts_add(context, part, made->parts, &made->num_parts);
  }
  if (made->w)
    dorm__add_scaled(made->width, share, member->w, made->w);
  return status;
}

/* Returns whether a candidate has left the race, so that the last fold did not train it. */
static bool has_left(const dorm__committee *committee, size_t index)
{
  const dorm__trained *last = &committee->members[committee->count - 1].training->trained[index];
  return !last->num_parts && !last->w;
}

/* Makes the mean of the candidates of one number in all folds. Its scale is the mean of their scales. If it has left
 * the race, it has neither parts nor weights, and scale 0. */
static dorm_status join(dorm_context *context, const dorm__committee *committee, size_t index, dorm__trained *made)
{
  const dorm__trained *first = &committee->members[0].training->trained[index];
  double share = 1 / (double)committee->count;
  double rounds = 0;
  size_t num_parts = 0;
  for (size_t k = 0; k < committee->count; k++)
    num_parts += committee->members[k].training->trained[index].num_parts;
  *made = (dorm__trained){.candidate = first->candidate, .kernel = NULL, .width = first->width};
  made->candidate.reference = made->reference = dorm__copy_text(first->candidate.reference);
  made->candidate.position_weights = made->position_weights = dorm__copy_text(first->candidate.position_weights);
  made->candidate.validation = made->candidate.validation_error = NAN;
  made->candidate.score_scale = 0;
  made->candidate.is_selected = 0;
  made->parts = dorm__alloc(num_parts, sizeof *made->parts);
  made->w = first->w ? dorm__alloc_zero(first->width, sizeof *made->w) : NULL;
  if (!made->reference || !made->position_weights || !made->parts || (first->w && !made->w)) {
    dorm__trained_clear(made);
    return dorm__out_of_memory(context, "a candidate");
  }
  dorm_status status = DORM_OK;
  for (size_t k = 0; status == DORM_OK && !has_left(committee, index) && k < committee->count; k++) {
    dorm__trained *member = &committee->members[k].training->trained[index];
    rounds += share * (double)member->candidate.round;
    made->candidate.score_scale += share * member->candidate.score_scale;
    status = add_member(context, member, share, made);
  }
  made->candidate.round = (size_t)(rounds + 0.5);
  if (status != DORM_OK)
    dorm__trained_clear(made);
  return status;
}

dorm_status dorm__committee_complete(dorm_context *context, const dorm__committee *committee, dorm_training *training)
{
  size_t count = committee->count ? committee->members[0].training->num_trained : 0;
  dorm_status status = DORM_OK;
  while (status == DORM_OK && training->num_trained < count) {
    dorm__trained made;
    status = DORM__ALL(join(context, committee, training->num_trained, &made),
                       dorm__training_adopt(context, training, &made));
  }
  return status;
}

dorm_status dorm__committee_take(const dorm__committee *committee, size_t count, dorm__sink *sink)
{
  const dorm__job *job = sink->job;
  const dorm_dataset *train = sink->grid->train;
  DORM__FREED double *scores = dorm__alloc(train->num_docs, sizeof *scores);
  dorm_status status = scores ? DORM_OK : dorm__out_of_memory(job->context, "scores");
  for (size_t i = 0; status == DORM_OK && i < count; i++) {
    dorm__trained made;
    status = join(job->context, committee, sink->grid->training->num_trained, &made);
    if (status != DORM_OK)
      break;
    for (size_t j = 0; j < train->num_docs; j++)
      scores[j] = 0;
    status = DORM__ALL(
        dorm__trained_add_scores(job->context, &made, &sink->grid->map, train, job->num_threads, 1, scores),
        dorm__spread_within_queries(job->context, train, scores, job->num_threads, &made.candidate.score_scale));
    if (status == DORM_OK)
      status = dorm__sink_adopt(sink, &made);
    else
      dorm__trained_clear(&made);
  }
  sink->grid->training->num_training_queries = dorm__all_queries(train);
  return status;
}
