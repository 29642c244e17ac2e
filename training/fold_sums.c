/* fold_sums.c: means over the held-out queries of all folds, from their sums. */
#include "training/fold_sums.h"

#include <math.h>

void dorm__fold_sums_clear(dorm__fold_sums *sums)
{
  dorm__free(sums->values);
  dorm__free(sums->squares);
  dorm__free(sums->queries);
  *sums = (dorm__fold_sums){0};
}

dorm_status dorm__fold_sums_reserve(dorm_context *context, size_t count, dorm__fold_sums *sums)
{
  if (sums->count)
    return DORM_OK;
  sums->values = dorm__alloc_zero(count, sizeof *sums->values);
  sums->squares = dorm__alloc_zero(count, sizeof *sums->squares);
  sums->queries = dorm__alloc_zero(count, sizeof *sums->queries);
  sums->count = count;
  return sums->values && sums->squares && sums->queries ? DORM_OK : dorm__out_of_memory(context, "folds");
}

/* The sums over the n queries follow from their mean and its standard error s / sqrt(n), where s^2 = sum (value -
 * mean)^2 / (n - 1). */
void dorm__fold_sums_add(dorm__fold_sums *sums, const dorm_training *training, size_t num_queries)
{
  double n = (double)num_queries;
  for (size_t i = 0; i < training->num_trained && i < sums->count; i++) {
    const dorm_candidate *candidate = &training->trained[i].candidate;
    double error = candidate->validation_error;
    sums->values[i] += n * candidate->validation;
    sums->squares[i] += n * candidate->validation * candidate->validation + n * (n - 1) * error * error;
    sums->queries[i] += n;
  }
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
  }
  sums->count = kept;
}

void dorm__fold_sums_assign(const dorm__fold_sums *sums, dorm_training *training)
{
  for (size_t i = 0; i < training->num_trained && i < sums->count; i++) {
    double n = sums->queries[i];
    if (!(n > 0))
      continue;
    double mean = sums->values[i] / n;
    double variance = n > 1 ? fmax(0, sums->squares[i] - n * mean * mean) / (n - 1) : 0;
    training->trained[i].candidate.validation = mean;
    training->trained[i].candidate.validation_error = sqrt(variance / n);
  }
}
