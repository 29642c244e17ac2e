/*
 * baselines.c: values of the measure to compare a model with: of random rankings, and of the best single feature. In
 * large data only every k-th query counts.
 */
#include "base/processes.h"
#include "base/random.h"
#include "training/folds.h"

#include <math.h>

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

dorm_status dorm__baselines_measure(const dorm__job *job, const dorm_dataset *dataset, dorm__estimate *estimate)
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
