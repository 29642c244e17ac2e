/*
 * folds.c: cross-validation over queries. The training queries are shuffled and
 * dealt into folds; the grid is trained on all but one of them and measured on
 * it, for each in turn. A candidate's value is the mean over all held-out
 * queries.
 */
#include "training/folds.h"
#include "base/random.h"
#include "data/data.h"
#include "measures/measures.h"
#include "training/candidates.h"
#include "training/checkpoint.h"
#include "training/grid.h"
#include "training/run.h"

#include <math.h>
#include <string.h>

void dorm__fold_sums_clear(dorm__fold_sums *folds)
{
  dorm__free(folds->values);
  dorm__free(folds->squares);
  dorm__free(folds->queries);
  *folds = (dorm__fold_sums){0};
}

static dorm_status make_room(dorm__run *run, size_t count)
{
  dorm__fold_sums *folds = &run->folds;
  if (folds->count)
    return DORM_OK;
  folds->values = dorm__alloc_zero(count, sizeof *folds->values);
  folds->squares = dorm__alloc_zero(count, sizeof *folds->squares);
  folds->queries = dorm__alloc_zero(count, sizeof *folds->queries);
  folds->count = count;
  return folds->values && folds->squares && folds->queries ? DORM_OK : dorm__out_of_memory(run->context, "folds");
}

/* Sums over queries from the mean and its standard error s / sqrt(n). */
static void add_fold(dorm__fold_sums *folds, const dorm_training *training, size_t num_queries)
{
  double n = (double)num_queries;
  for (size_t i = 0; i < training->num_trained && i < folds->count; i++) {
    const dorm_candidate *candidate = &training->trained[i].candidate;
    double error = candidate->validation_error;
    folds->values[i] += n * candidate->validation;
    folds->squares[i] += n * candidate->validation * candidate->validation + n * (n - 1) * error * error;
    folds->queries[i] += n;
  }
}

void dorm__folds_assign(const dorm__fold_sums *folds, dorm_training *training)
{
  for (size_t i = 0; i < training->num_trained && i < folds->count; i++) {
    double n = folds->queries[i];
    if (!(n > 0))
      continue;
    double mean = folds->values[i] / n;
    double variance = n > 1 ? fmax(0, folds->squares[i] - n * mean * mean) / (n - 1) : 0;
    training->trained[i].candidate.validation = mean;
    training->trained[i].candidate.validation_error = sqrt(variance / n);
  }
}

/* Queries that count towards the measure in a fold: the measure says. */
static dorm_status count_queries(dorm__run *run, const dorm_dataset *held_out, size_t *count)
{
  dorm_evaluation evaluation;
  memset(run->scores, 0, held_out->num_docs * sizeof *run->scores);
  dorm_status status = dorm__measure_dataset(run->context, run->measure, held_out, run->scores, NULL, &evaluation);
  *count = evaluation.num_queries;
  return status;
}

/* Queries of the run's data whose fold is, or is not, `fold`. */
static dorm_status gather(const dorm__run *run, const dorm_dataset *whole, const size_t *fold_of, size_t fold,
                          bool is_held_out, dorm_dataset **dataset)
{
  dorm__query_of *queries = dorm__alloc(whole->num_queries, sizeof *queries);
  size_t count = 0;
  if (!queries)
    return dorm__out_of_memory(run->context, "folds");
  for (size_t q = 0; q < whole->num_queries; q++)
    if ((fold_of[q] == fold) == is_held_out)
      queries[count++] = (dorm__query_of){whole, q};
  dorm_status status = dorm__dataset_gather(run->context, whole->name, count, queries, dataset);
  dorm__free(queries);
  return status;
}

static dorm_status train_fold(dorm__run *run, const dorm_dataset *whole, const size_t *fold_of, size_t fold)
{
  dorm_dataset *train = NULL;
  dorm_dataset *held_out = NULL;
  dorm_dataset *own_train = run->own_train; /* of the whole, for later */
  size_t num_queries = 0;
  dorm_status status = gather(run, whole, fold_of, fold, false, &train);
  if (status == DORM_OK)
    status = gather(run, whole, fold_of, fold, true, &held_out);
  if (status == DORM_OK)
    status = count_queries(run, held_out, &num_queries);
  run->train = train;
  run->validation = held_out;
  run->own_train = NULL;
  run->grid = fold;
  if (status == DORM_OK)
    status = dorm__training_new(run->context, &run->training);
  if (status == DORM_OK)
    status = dorm__checkpoint_restore_grid(run);
  if (status == DORM_OK)
    status = dorm__grid_train(run);
  if (status == DORM_OK)
    add_fold(&run->folds, run->training, num_queries);
  dorm_training_free(run->training);
  run->training = NULL;
  dorm_dataset_free(train);
  dorm_dataset_free(held_out);
  run->own_train = own_train;
  return status;
}

dorm_status dorm__folds_train(dorm__run *run, size_t num_folds, uint64_t seed)
{
  const dorm_dataset *whole = run->train;
  if (num_folds < 2 || num_folds > whole->num_queries)
    return dorm__fail(run->context, DORM_BAD_USAGE, "selection.folds = %zu: %s has %zu queries; 2 to that many",
                      num_folds, whole->name, whole->num_queries);
  dorm_status status = make_room(run, dorm__grid_size(run->settings) * run->kernels.count);
  size_t *fold_of = dorm__alloc(whole->num_queries, sizeof *fold_of);
  if (status == DORM_OK && !fold_of)
    status = dorm__out_of_memory(run->context, "folds");
  if (status == DORM_OK) {
    dorm__random random;
    dorm__random_seed(&random, seed);
    dorm__random_permutation(&random, whole->num_queries, fold_of);
    for (size_t q = 0; q < whole->num_queries; q++)
      fold_of[q] %= num_folds;
  }
  for (size_t fold = 0; status == DORM_OK && fold < num_folds; fold++)
    if (!dorm__checkpoint_has_done(run->checkpoint, fold))
      status = train_fold(run, whole, fold_of, fold);
  dorm__free(fold_of);
  run->train = whole;
  run->validation = NULL;
  return status;
}
