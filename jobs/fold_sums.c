/* fold_sums.c: means over the held-out queries of all folds, from their sums. */
#include "jobs/candidates.h"

#include <math.h>

void dorm__fold_sums_clear(dorm__fold_sums *sums)
{
  dorm__region_clear(&sums->memory);
  *sums = (dorm__fold_sums){0};
}

dorm_status dorm__fold_sums_reserve(dorm_context *context, size_t count, dorm__fold_sums *sums)
{
  if (sums->count)
    return DORM_OK;
  *sums = (dorm__fold_sums){.count = count, .num_folds = sums->num_folds};
  sums->values = dorm__region_take_zero(&sums->memory, count, sizeof *sums->values);
  sums->squares = dorm__region_take_zero(&sums->memory, count, sizeof *sums->squares);
  sums->queries = dorm__region_take_zero(&sums->memory, count, sizeof *sums->queries);
  sums->square_weights = dorm__region_take_zero(&sums->memory, count, sizeof *sums->square_weights);
  sums->has_left = dorm__region_take_zero(&sums->memory, count, sizeof *sums->has_left);
  return sums->memory.is_short ? dorm__out_of_memory(context, "folds") : DORM_OK;
}

/* A candidate has a mean over queries of total weight W, and its standard error sqrt(V / (n - 1)). V is the weighted
 * mean of the squared differences from the mean, and n = W^2 / sum of squared weights. The sums follow from these. */
void dorm__fold_sums_add(dorm__fold_sums *sums, const dorm_training *training, const dorm_evaluation *held_out)
{
  double weight = held_out->total_weight;
  double n = held_out->effective_queries;
  for (size_t i = 0; n > 0 && i < training->num_trained && i < sums->count; i++) {
    const dorm_candidate *candidate = &training->trained[i].candidate;
    if (!isfinite(candidate->validation)) /* it has left the race */
      continue;
    double error = candidate->validation_error;
    sums->values[i] += weight * candidate->validation;
    sums->squares[i] += weight * candidate->validation * candidate->validation + weight * (n - 1) * error * error;
    sums->queries[i] += weight;
    sums->square_weights[i] += weight * weight / n;
  }
}

void dorm__fold_sums_leave(dorm__fold_sums *sums, size_t index)
{
  sums->has_left[index] = true;
  sums->values[index] = sums->squares[index] = sums->queries[index] = sums->square_weights[index] = 0;
}

bool dorm__fold_sums_has_some(const dorm__fold_sums *sums)
{
  return sums->count && sums->queries[0] > 0;
}

void dorm__fold_sums_thin(dorm__fold_sums *sums, size_t step)
{
  size_t kept = 0;
  for (size_t i = 0; step && i < sums->count; i += step, kept++) {
    sums->values[kept] = sums->values[i];
    sums->squares[kept] = sums->squares[i];
    sums->queries[kept] = sums->queries[i];
    sums->square_weights[kept] = sums->square_weights[i];
  }
  sums->count = kept;
}

void dorm__fold_sums_assign(const dorm__fold_sums *sums, dorm_training *training)
{
  for (size_t i = 0; i < training->num_trained && i < sums->count; i++) {
    double weight = sums->queries[i];
    if (!(weight > 0))
      continue;
    double mean = sums->values[i] / weight;
    double n = weight * weight / sums->square_weights[i];
    double variance = n > 1 ? fmax(0, sums->squares[i] - weight * mean * mean) / (n - 1) : 0;
    training->trained[i].candidate.validation = mean;
    training->trained[i].candidate.validation_error = sqrt(variance / weight);
  }
}
