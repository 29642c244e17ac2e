/*
 * folds.c: cross-validation over queries. The training queries are shuffled and dealt into folds; for each fold in
 * turn, the grid is trained on all other folds and measured on that one. A candidate's value is the mean over all
 * held-out queries.
 */
#include "training/folds.h"
#include "base/random.h"
#include "jobs/jobs.h"
#include "training/selection.h"

#include <string.h>

/* Finds which queries of a fold the measure counts, as the counts of an evaluation; it may skip some, such as queries
 * without relevant documents. */
static dorm_status count_queries(const dorm__job *job, const dorm_dataset *held_out, dorm_evaluation *evaluation)
{
  double *scores = dorm__alloc_zero(held_out->num_docs, sizeof *scores);
  if (!scores)
    return dorm__out_of_memory(job->context, "folds");
  dorm_status status = dorm__measure_dataset(job->context, job->measure, held_out, scores, NULL, evaluation);
  dorm__free(scores);
  return status;
}

dorm_status dorm__folds_gather(const dorm__job *job, const dorm__folds *folds, size_t fold, bool is_held_out,
                               dorm_dataset **dataset)
{
  const dorm_dataset *whole = folds->whole;
  dorm__query_of *queries = dorm__alloc(whole->num_queries, sizeof *queries);
  size_t count = 0;
  if (!queries)
    return dorm__out_of_memory(job->context, "folds");
  for (size_t q = 0; q < whole->num_queries; q++)
    if ((folds->fold_of[dorm__queries_before(whole) + q] == fold) == is_held_out)
      queries[count++] = (dorm__query_of){whole, q};
  dorm_status status = dorm__dataset_gather_shards(job->context, whole->name, whole, NULL, count, queries, dataset);
  dorm__free(queries);
  return status;
}

/* Adds what the fold's best candidates give under each share of parts. */
static dorm_status measure_shares(const dorm__job *job, const dorm__grid *grid, dorm__share_sums *shares)
{
  dorm_training *training = grid->training;
  dorm_status status = dorm__selection_mark(job->context, job->settings, true, training);
  if (status == DORM_OK)
    status = dorm__blend_measure(job, grid->validation, &grid->map, training, shares);
  for (size_t i = 0; i < training->num_trained; i++)
    training->trained[i].candidate.is_selected = 0;
  return status;
}

static dorm_status train_fold(const dorm__job *job, const dorm__grid *shared, const dorm__folds *folds, size_t fold,
                              dorm__fold_sums *sums, dorm__share_sums *shares, dorm__committee *committee)
{
  dorm__share_sums own_shares = {0};
  dorm_dataset *train = NULL;
  dorm_dataset *held_out = NULL;
  dorm_evaluation counted = {0};
  dorm_status status = dorm__folds_gather(job, folds, fold, false, &train);
  if (status == DORM_OK)
    status = dorm__folds_gather(job, folds, fold, true, &held_out);
  if (status == DORM_OK)
    status = count_queries(job, held_out, &counted);
  dorm__grid grid = {.number = fold,
                     .train = train,
                     .validation = held_out,
                     .whole = shared->train,
                     .shared_map = shared->shared_map,
                     .progress = shared->progress,
                     .checkpoint = shared->checkpoint,
                     .fold_sums = sums};
  if (status == DORM_OK)
    status = dorm__grid_train(job, &grid);
  if (status == DORM_OK)
    dorm__fold_sums_add(sums, grid.training, &counted);
  if (status == DORM_OK)
    status = dorm__share_sums_new(job, &own_shares);
  if (status == DORM_OK && counted.num_queries)
    status = measure_shares(job, &grid, &own_shares);
  if (status == DORM_OK)
    dorm__share_sums_add(&own_shares, shares);
  if (committee && (status == DORM_OK || status == DORM_STOPPED)) {
    size_t count = committee->count;
    dorm_status kept = dorm__committee_keep(job->context, &grid, &counted, status == DORM_OK, committee);
    if (kept == DORM_OK && !grid.training && committee->count > count) {
      committee->members[count].shares = own_shares;
      own_shares = (dorm__share_sums){0};
    }
    status = kept == DORM_OK ? status : kept;
  }
  dorm__share_sums_clear(&own_shares);
  dorm__grid_clear(&grid);
  dorm_dataset_free(train);
  dorm_dataset_free(held_out);
  return status;
}

dorm_status dorm__folds_train(const dorm__job *job, const dorm__grid *grid, dorm__fold_sums *sums,
                              dorm__share_sums *shares, dorm__committee *committee, dorm_evaluation *estimate)
{
  size_t num_queries = dorm__all_queries(grid->train);
  if (job->num_folds < 2 || job->num_folds > num_queries)
    return dorm__fail(job->context, DORM_BAD_USAGE,
                      "selection.folds = %zu: %s has %zu queries, and there can be from 2 folds to as many as queries",
                      job->num_folds, grid->train->name, num_queries);
  dorm_status status = dorm__fold_sums_reserve(job->context, dorm__job_grid_size(job), sums);
  dorm__folds folds = {.whole = grid->train, .fold_of = dorm__alloc(num_queries, sizeof *folds.fold_of)};
  if (status == DORM_OK && !folds.fold_of)
    status = dorm__out_of_memory(job->context, "folds");
  if (status == DORM_OK) {
    dorm__random random;
    dorm__random_seed(&random, dorm__settings_integer(job->settings, DORM__TRAINING_SEED));
    dorm__random_permutation(&random, num_queries, folds.fold_of);
    for (size_t q = 0; q < num_queries; q++)
      folds.fold_of[q] %= job->num_folds;
  }
  for (size_t fold = 0; status == DORM_OK && fold < job->num_folds; fold++) {
    if (!dorm__checkpoint_has_done(grid->checkpoint, fold))
      status = train_fold(job, grid, &folds, fold, sums, shares, committee);
    sums->num_folds += status == DORM_OK;
  }
  if (status == DORM_OK && committee && committee->count == job->num_folds)
    status = dorm__estimate(job, &folds, committee, estimate);
  dorm__free(folds.fold_of);
  return status;
}
