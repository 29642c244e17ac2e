/*
 * folds.c: cross-validation over queries. The training queries are shuffled and split into folds. For each fold in
 * turn, the grid is trained on all other folds and measured on that one. A candidate's value is the mean over all
 * held-out queries. The estimate of the model's value comes with the values of random rankings and of the best single
 * feature, in large data over every k-th query.
 */
#include "training/folds.h"
#include "base/processes.h"
#include "training/selection.h"

#include <math.h>
#include <string.h>

/* The queries of a data set in folds. */
typedef struct folds {
  const dorm_dataset *whole;
  size_t count;
  size_t *places; /* [queries of all processes], a permutation: the fold is the remainder by `count` */
} folds;

/* A part of the queries, seen from a fold. */
typedef enum part { HELD_OUT, OTHERS, HALF_OF_OTHERS } part;

static bool is_in(const folds *all, size_t query, size_t fold, part which)
{
  size_t place = all->places[dorm__queries_before(all->whole) + query];
  if (place % all->count == fold)
    return which == HELD_OUT;
  return which == OTHERS || (which == HALF_OF_OTHERS && place / all->count % 2);
}

/* Finds which queries of a fold the measure counts, as the counts of an evaluation. The measure may skip some, such as
 * queries without relevant documents. */
static dorm_status count_queries(const dorm__job *job, const dorm_dataset *held_out, dorm_evaluation *evaluation)
{
  DORM__FREED double *scores = dorm__alloc_zero(held_out->num_docs, sizeof *scores);
  if (!scores)
    return dorm__out_of_memory(job->context, "folds");
  return dorm__measure_dataset(job->context, job->measure, held_out, scores, NULL, evaluation);
}

/* Makes a data set of a part of the queries. */
static dorm_status gather(const dorm__job *job, const folds *all, size_t fold, part which, dorm_dataset **dataset)
{
  const dorm_dataset *whole = all->whole;
  DORM__FREED dorm__query_of *queries = dorm__alloc(whole->num_queries, sizeof *queries);
  size_t count = 0;
  if (!queries)
    return dorm__out_of_memory(job->context, "folds");
  for (size_t q = 0; q < whole->num_queries; q++)
    if (is_in(all, q, fold, which))
      queries[count++] = (dorm__query_of){whole, q};
  return dorm__dataset_gather_shards(job->context, whole->name, whole, NULL, count, queries, dataset);
}

/* Adds the values of the fold's best candidates with each share of parts. */
static dorm_status measure_shares(const dorm__job *job, const dorm__grid *grid, dorm__share_sums *shares)
{
  dorm_training *training = grid->training;
  dorm_status status = DORM__ALL(dorm__selection_mark(job->context, job->settings, true, training),
                                 dorm__blend_measure(job, grid->validation, &grid->map, training, shares));
  for (size_t i = 0; i < training->num_trained; i++)
    training->trained[i].candidate.is_selected = 0;
  return status;
}

static dorm_status train_fold(const dorm__job *job, const dorm__grid *shared, const folds *all, size_t fold,
                              dorm__fold_sums *sums, dorm__share_sums *shares, dorm__committee *committee)
{
  DORM__AT_END(dorm__share_sums_clear) dorm__share_sums own_shares = {0};
  DORM__OWNED(dorm_dataset) *train = NULL;
  DORM__OWNED(dorm_dataset) *held_out = NULL;
  dorm_evaluation counted = {0};
  bool keeps_folds = dorm__checkpoint_keeps_folds(job), is_kept = false;
  dorm_status status = DORM__ALL(gather(job, all, fold, OTHERS, &train), gather(job, all, fold, HELD_OUT, &held_out),
                                 count_queries(job, held_out, &counted));
  DORM__AT_END(dorm__grid_clear)
  dorm__grid grid = {.number = fold,
                     .train = train,
                     .validation = held_out,
                     .whole = shared->train,
                     .shared_map = shared->shared_map,
                     .progress = shared->progress,
                     .checkpoint = keeps_folds ? NULL : shared->checkpoint,
                     .fold_sums = sums};
  if (status == DORM_OK && keeps_folds)
    status = dorm__checkpoint_restore_fold(job, shared->checkpoint, &grid, &is_kept);
  if (status == DORM_OK && !is_kept)
    status = dorm__grid_train(job, &grid);
  if (status == DORM_OK && keeps_folds && !is_kept &&
      dorm__checkpoint_keep_fold(job, shared->checkpoint, &grid) != DORM_OK)
    dorm__warn(job->context, "%s", dorm_context_message(job->context));
  if (status == DORM_OK)
    dorm__fold_sums_add(sums, grid.training, &counted);
  if (status == DORM_OK)
    status = dorm__share_sums_new(job, &own_shares);
  if (status == DORM_OK && counted.num_queries)
    status = measure_shares(job, &grid, &own_shares);
  if (status == DORM_OK)
    dorm__share_sums_add(&own_shares, shares);
  if (committee && (status == DORM_OK || status == DORM_STOPPED)) {
    dorm_status kept = dorm__committee_keep(job->context, &grid, &counted, status == DORM_OK, &own_shares, committee);
    status = kept == DORM_OK ? status : kept;
  }
  return status;
}

/* ---- Estimate for new queries ------------------------------------------------------------------ */

/* Estimates the value of a model on new queries. The value of the best candidate in the folds is too high, since it was
 * chosen by that value. So each fold chooses candidates and the share of parts by the other folds alone, and its own
 * candidates with these numbers rank its held-out queries. Every query is then ranked by a model that used it neither
 * in training nor in the choice. The mean over all queries is the cross-validated value of the whole choice. */

/* The choices whose value is estimated: the whole choice, with the share of parts that is best in the other folds, the
 * choice among the linear candidates alone, and the choice among those that score each document by itself. */
enum { WHOLE, LINEAR, SERVING, NUM_CHOICES };

/* Chooses among the candidates of a member, which have their values in the other folds. */
static dorm_status choose_by_others(const dorm__job *job, const dorm__committee *committee, size_t own, size_t choice)
{
  dorm_training *training = committee->members[own].training;
  DORM__AT_END(dorm__share_sums_clear) dorm__share_sums shares;
  for (size_t i = 0; i < training->num_trained; i++)
    training->trained[i].candidate.is_selected = 0;
  dorm_status status = dorm__share_sums_new(job, &shares);
  for (size_t k = 0; status == DORM_OK && k < committee->count; k++)
    if (k != own)
      dorm__share_sums_add(&committee->members[k].shares, &shares);
  if (status == DORM_OK)
    status = choice == SERVING ? dorm__selection_mark_serving(job->context, job->settings, training)
                               : dorm__selection_mark(job->context, job->settings, true, training);
  if (status == DORM_OK && choice != WHOLE)
    dorm__selection_share(choice == SERVING, training);
  else if (status == DORM_OK)
    dorm__blend_choose(job, &shares, training);
  return status;
}

/* Ranks the held-out queries of a fold by the chosen candidates of a training. values [num_queries of `whole`]. */
static dorm_status measure_chosen(const dorm__job *job, const folds *all, size_t fold, const dorm__feature_map *map,
                                  dorm_training *training, double *values)
{
  DORM__OWNED(dorm_dataset) *held_out = NULL;
  dorm_evaluation evaluation;
  dorm_status status = gather(job, all, fold, HELD_OUT, &held_out);
  if (status != DORM_OK)
    return status;
  DORM__FREED double *scores = dorm__alloc(held_out->num_docs, sizeof *scores);
  DORM__FREED double *own = dorm__alloc(held_out->num_queries, sizeof *own);
  status = DORM__ALL(scores && own ? dorm__blend_score(job, held_out, map, training, scores)
                                   : dorm__out_of_memory(job->context, "folds"),
                     dorm__job_measure(job, held_out, scores, own, &evaluation));
  for (size_t q = 0, i = 0; status == DORM_OK && q < all->whole->num_queries; q++)
    if (is_in(all, q, fold, HELD_OUT))
      values[q] = own[i++];
  return status;
}

/* ---- Few queries ------------------------------------------------------------------------------- */

/* The model is the mean of members that learned from the queries of all folds but one, so new queries will show more
 * than held-out queries of a member. Members that learn from half of their queries show how the value rises. If m
 * queries give a - b / m, five folds lack a fifth of this rise. The standard error counts this correction as an error,
 * since the mean of unstable members gains more, and members stop early by their held-out queries. */
enum { FEW_QUERIES = 300 };
static const double CURVE_SHARE = 0.2;

/* Trains a member on half of its queries, without candidates that have left the race, and without a word. */
static dorm_status train_half(const dorm__job *job, const dorm__grid *shared, const folds *all, size_t fold,
                              const dorm__fold_sums *sums, dorm__grid *grid)
{
  DORM__OWNED(dorm_dataset) *train = NULL;
  DORM__OWNED(dorm_dataset) *held_out = NULL;
  dorm__progress progress = *shared->progress;
  dorm_log_function log = job->context->log;
  dorm_status status =
      DORM__ALL(gather(job, all, fold, HALF_OF_OTHERS, &train), gather(job, all, fold, HELD_OUT, &held_out));
  *grid = (dorm__grid){.number = fold,
                       .train = train,
                       .validation = held_out,
                       .whole = shared->train,
                       .shared_map = shared->shared_map,
                       .progress = &progress,
                       .fold_sums = sums};
  job->context->log = NULL;
  if (status == DORM_OK)
    status = dorm__grid_train(job, grid);
  job->context->log = log;
  grid->train = grid->validation = NULL;
  grid->progress = NULL;
  return status;
}

/* Trains halves [committee->count] if there are few queries and time is left. *are_trained becomes whether it did. */
static dorm_status train_halves(const dorm__job *job, const dorm__grid *shared, const folds *all,
                                const dorm__committee *committee, const dorm__fold_sums *sums, dorm__grid *halves,
                                bool *are_trained)
{
  dorm_status status = DORM_OK;
  *are_trained = dorm__all_queries(all->whole) < FEW_QUERIES;
  for (size_t k = 0; *are_trained && status == DORM_OK && k < committee->count; k++) {
    *are_trained = !dorm__job_lacks_time(job, shared->progress);
    if (*are_trained)
      status = train_half(job, shared, all, committee->members[k].fold, sums, &halves[k]);
  }
  return status;
}

/* Measures the half of a member by the candidates that were chosen for the member. */
static dorm_status measure_half(const dorm__job *job, const folds *all, size_t fold, dorm__grid *half,
                                const dorm_training *chosen, double *values)
{
  dorm__selection_copy_marks(chosen, half->training);
  return dorm__selection_count(half->training) ? measure_chosen(job, all, fold, &half->map, half->training, values)
                                               : DORM_OK;
}

/* Adds to values [num_queries] what they lack by the values of halves, NaN without one, and their error to the standard
 * error. */
static dorm_status correct(const dorm__job *job, const folds *all, const double *of_halves, double *values,
                           dorm_evaluation *evaluation)
{
  double mean = evaluation->mean;
  for (size_t q = 0; q < all->whole->num_queries; q++)
    if (!isnan(of_halves[q]))
      values[q] += CURVE_SHARE * (values[q] - of_halves[q]);
  dorm_status status = dorm__measure_summarise(job->context, job->measure, all->whole, values, evaluation);
  evaluation->standard_error = hypot(evaluation->standard_error, evaluation->mean - mean);
  return status;
}

/* ---- All choices ------------------------------------------------------------------------------- */

/* Measures the choices of a member, and of its half unless this is NULL. Each choice fills its values and the values of
 * halves, unless they are NULL. `others` are the sums over the other folds. */
static dorm_status measure_choices(const dorm__job *job, const folds *all, dorm__committee *committee, size_t own,
                                   const dorm__fold_sums *others, dorm__grid *half,
                                   double *const values[2][NUM_CHOICES])
{
  dorm__committee_member *member = &committee->members[own];
  dorm_training *training = member->training;
  dorm_status status = DORM_OK;
  dorm__fold_sums_assign(others, training);
  for (size_t i = 0; status == DORM_OK && i < NUM_CHOICES; i++)
    if (values[0][i])
      status = DORM__ALL(choose_by_others(job, committee, own, i),
                         measure_chosen(job, all, member->fold, &member->map, training, values[0][i]),
                         half ? measure_half(job, all, member->fold, half, training, values[1][i]) : DORM_OK);
  for (size_t i = 0; i < training->num_trained; i++)
    training->trained[i].candidate.is_selected = 0;
  return status;
}

/* Measures all members on their held-out queries. Takes the sums first, since choosing replaces the values of
 * candidates. */
static dorm_status measure_members(const dorm__job *job, const folds *all, dorm__committee *committee,
                                   dorm__grid *halves, double *const values[2][NUM_CHOICES])
{
  dorm_status status = DORM_OK;
  DORM__FREED dorm__fold_sums *others = dorm__alloc_zero(committee->count, sizeof *others);
  if (!others)
    return dorm__out_of_memory(job->context, "folds");
  for (size_t own = 0; status == DORM_OK && own < committee->count; own++) {
    status = dorm__fold_sums_reserve(job->context, committee->members[own].training->num_trained, &others[own]);
    for (size_t k = 0; status == DORM_OK && k < committee->count; k++)
      if (k != own)
        dorm__fold_sums_add(&others[own], committee->members[k].training, &committee->members[k].counted);
  }
  for (size_t own = 0; status == DORM_OK && own < committee->count; own++)
    status = measure_choices(job, all, committee, own, &others[own], halves ? &halves[own] : NULL, values);
  for (size_t k = 0; k < committee->count; k++)
    dorm__fold_sums_clear(&others[k]);
  return status;
}

static bool is_linear(const dorm__trained *trained)
{
  return !trained->num_parts;
}

/* Returns whether some candidates, but not all, are of a sort. Candidates out of the race do not count. */
static bool is_mixed(const dorm_training *training, bool (*is_of_sort)(const dorm__trained *))
{
  size_t count[2] = {0, 0};
  for (size_t i = 0; i < training->num_trained; i++)
    count[is_of_sort(&training->trained[i])] += training->trained[i].candidate.score_scale > 0;
  return count[0] && count[1];
}

/* ---- Values to compare with ------------------------------------------------------------------ */

enum { MOST_VALUES = 1 << 20, NUM_RANDOM = 10 };

/* Chooses every k-th query, so that there are at most about MOST_VALUES values. */
static dorm_status sample(const dorm__job *job, const dorm_dataset *whole, dorm_dataset **sampled)
{
  size_t step = 1 + dorm__all_docs(whole) * whole->num_features / MOST_VALUES, count = 0;
  size_t before = dorm__queries_before(whole);
  DORM__FREED dorm__query_of *queries = dorm__alloc(whole->num_queries, sizeof *queries);
  if (!queries)
    return dorm__out_of_memory(job->context, "queries");
  for (size_t q = 0; q < whole->num_queries; q++)
    if ((before + q) % step == 0)
      queries[count++] = (dorm__query_of){whole, q};
  return dorm__dataset_gather_shards(job->context, whole->name, whole, NULL, count, queries, sampled);
}

static dorm_status measure_random(const dorm__job *job, const dorm_dataset *sampled, double *scores, double *chance)
{
  uint64_t before, total;
  dorm_status status = dorm__processes_count(job->context, sampled->num_docs, &before, &total);
  dorm_evaluation evaluation;
  dorm__random random;
  dorm__random_seed_for(&random, "chance", dorm__settings_integer(job->settings, DORM__TRAINING_SEED));
  *chance = 0;
  for (size_t i = 0; status == DORM_OK && i < NUM_RANDOM; i++) {
    dorm__random_skip(&random, (size_t)before);
    for (size_t j = 0; j < sampled->num_docs; j++)
      scores[j] = dorm__random_uniform(&random);
    dorm__random_skip(&random, (size_t)total - (size_t)before - sampled->num_docs);
    status = dorm__measure_dataset(job->context, job->measure, sampled, scores, NULL, &evaluation);
    *chance += evaluation.mean / NUM_RANDOM;
  }
  return status;
}

/* Ranks by each feature, and by its negative. A missing value counts as 0. */
static dorm_status measure_features(const dorm__job *job, const dorm_dataset *sampled, double *scores,
                                    dorm__estimate *estimate)
{
  dorm_status status = DORM_OK;
  dorm_evaluation evaluation;
  for (size_t i = 0; status == DORM_OK && i < 2 * sampled->num_features; i++) {
    for (size_t j = 0; j < sampled->num_docs; j++) {
      double value = sampled->values[j * sampled->num_features + i / 2];
      scores[j] = isnan(value) ? 0 : i % 2 ? -value : value;
    }
    status = dorm__measure_dataset(job->context, job->measure, sampled, scores, NULL, &evaluation);
    if (status == DORM_OK && !(evaluation.mean <= estimate->feature)) {
      estimate->feature = evaluation.mean;
      estimate->best_feature = sampled->feature_ids[i / 2];
    }
  }
  return status;
}

/* Measures random rankings, and each feature of dense data alone, on the queries of a data set. */
static dorm_status measure_baselines(const dorm__job *job, const dorm_dataset *dataset, dorm__estimate *estimate)
{
  DORM__OWNED(dorm_dataset) *sampled = NULL;
  dorm_status status = sample(job, dataset, &sampled);
  if (status != DORM_OK)
    return status;
  estimate->feature = NAN;
  DORM__FREED double *scores = dorm__alloc(sampled->num_docs, sizeof *scores);
  status =
      scores ? measure_random(job, sampled, scores, &estimate->chance) : dorm__out_of_memory(job->context, "scores");
  if (status == DORM_OK && !sampled->row_start)
    status = measure_features(job, sampled, scores, estimate);
  return status;
}

/* ---- The estimate ------------------------------------------------------------------------------ */

static dorm_status estimate_choice(const dorm__job *job, const dorm__grid *shared, const folds *all,
                                   const dorm__fold_sums *sums, dorm__committee *committee, dorm__estimate *estimate)
{
  size_t num_queries = all->whole->num_queries;
  bool has_halves;
  const dorm_training *last = committee->members[committee->count - 1].training;
  dorm_evaluation *const found[] = {&estimate->model, &estimate->linear, &estimate->serving};
  const bool is_there[] = {true, is_mixed(last, is_linear), is_mixed(last, dorm__selection_serves)};
  double *values[2][NUM_CHOICES]; /* of members, and of halves */
  DORM__FREED double *numbers = dorm__alloc(num_queries, 2 * NUM_CHOICES * sizeof *numbers);
  DORM__FREED dorm__grid *halves = dorm__alloc_zero(committee->count, sizeof *halves);
  if (!numbers || !halves)
    return dorm__out_of_memory(job->context, "folds");
  for (size_t i = 0; i < 2 * NUM_CHOICES * num_queries; i++)
    numbers[i] = NAN; /* for queries that no finished fold has held out */
  for (size_t i = 0; i < 2 * NUM_CHOICES; i++)
    values[i / NUM_CHOICES][i % NUM_CHOICES] = is_there[i % NUM_CHOICES] ? numbers + i * num_queries : NULL;
  dorm_status status = DORM__ALL(train_halves(job, shared, all, committee, sums, halves, &has_halves),
                                 measure_members(job, all, committee, has_halves ? halves : NULL, values));
  for (size_t k = 0; k < committee->count; k++)
    dorm__grid_clear(&halves[k]);
  for (size_t i = 0; status == DORM_OK && i < NUM_CHOICES; i++)
    if (values[0][i])
      status = DORM__ALL(dorm__measure_summarise(job->context, job->measure, all->whole, values[0][i], found[i]),
                         has_halves ? correct(job, all, values[1][i], values[0][i], found[i]) : DORM_OK);
  return status == DORM_OK ? measure_baselines(job, all->whole, estimate) : status;
}

/* ---- All folds -------------------------------------------------------------------------------- */

dorm_status dorm__folds_train(const dorm__job *job, const dorm__grid *grid, dorm__fold_sums *sums,
                              dorm__share_sums *shares, dorm__committee *committee, dorm__estimate *estimate)
{
  size_t num_queries = dorm__all_queries(grid->train);
  if (job->num_folds < 2 || job->num_folds > num_queries)
    return dorm__fail(job->context, DORM_BAD_USAGE,
                      "selection.folds = %zu: %s has %zu queries, and there can be from 2 folds to as many as queries",
                      job->num_folds, grid->train->name, num_queries);
  dorm_status status = dorm__fold_sums_reserve(job->context, dorm__job_grid_size(job), sums);
  folds all = {.whole = grid->train, .count = job->num_folds, .places = dorm__alloc(num_queries, sizeof *all.places)};
  if (status == DORM_OK && !all.places)
    status = dorm__out_of_memory(job->context, "folds");
  if (status == DORM_OK) {
    dorm__random random;
    dorm__random_seed(&random, dorm__settings_integer(job->settings, DORM__TRAINING_SEED));
    dorm__random_permutation(&random, num_queries, all.places);
  }
  bool averages = committee && committee->keeps_all;
  for (size_t fold = 0; status == DORM_OK && fold < job->num_folds; fold++) {
    if (averages && dorm__job_lacks_time(job, grid->progress))
      break;
    if (dorm__checkpoint_keeps_folds(job) || !dorm__checkpoint_has_done(grid->checkpoint, fold))
      status = train_fold(job, grid, &all, fold, sums, shares, committee);
    sums->num_folds += status == DORM_OK;
    if (status == DORM_OK && averages && fold + 1 < job->num_folds)
      dorm__committee_race(job->context, committee, sums);
  }
  if (status == DORM_OK && averages && committee->count > 1)
    status = estimate_choice(job, grid, &all, sums, committee, estimate);
  dorm__free(all.places);
  return status;
}
