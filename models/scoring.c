/* scoring.c: the scores of a model, the weighted sum of what its parts give, on as many threads as asked for. */
#include "data/data.h"
#include "models/models.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { MOST_THREADS = 1024 };

/* One thread per processor, but one thread alone for little work: rows of fewer than `smallest_parallel` entries are
 * scored before another thread has awoken. A kernel does much more for each entry, and so do functions of positions. */
static size_t useful_threads(const dorm_model *model, const dorm_dataset *dataset)
{
  static const size_t smallest_parallel = 1 << 16;
  size_t num_entries =
      dataset->row_start ? dataset->row_start[dataset->num_docs] : dataset->num_docs * dataset->num_features;
  bool is_small = num_entries < smallest_parallel;
  for (size_t i = 0; i < model->num_parts; i++)
    is_small = is_small && model->parts[i].kind != &dorm__kernel_part && model->parts[i].kind != &dorm__positions_part;
  return is_small ? 1 : (size_t)omp_get_num_procs();
}

void dorm__model_compare_features(const dorm_context *context, const dorm_model *model, const dorm_dataset *dataset)
{
  size_t num_ids = model->num_ids;
  while (model->cross && num_ids && model->ids[num_ids - 1] >= DORM__FIRST_CROSS)
    num_ids--;
  if (num_ids)
    dorm__compare_features(context, dataset, "the model", num_ids, model->ids);
}

dorm_status dorm__model_score(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                              size_t num_threads, double *scores)
{
  dorm__feature_map map = dorm__model_map(model);
  dorm_status status = DORM_OK;
  if (num_threads > MOST_THREADS)
    return dorm__fail(context, DORM_BAD_USAGE, "%zu threads are more than %d", num_threads, MOST_THREADS);
  num_threads = num_threads ? num_threads : useful_threads(model, dataset);
  if (dataset->num_docs)
    memset(scores, 0, dataset->num_docs * sizeof *scores);
  for (size_t i = 0; status == DORM_OK && i < model->num_parts; i++) {
    const dorm__part *part = &model->parts[i];
    status = part->kind->score(context, part->state, &map, dataset, num_threads, part->weight, scores);
  }
  for (size_t j = 0; status == DORM_OK && j < dataset->num_docs; j++)
    if (!isfinite(scores[j]))
      status = dorm__fail(context, DORM_NUMERICAL_FAILURE, "%s: the score of document %zu is not finite", dataset->name,
                          j + 1);
  return status;
}

dorm_status dorm_model_score(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                             size_t num_threads, double *scores)
{
  if (DORM__LACKS(context, DORM__GIVEN(model), DORM__GIVEN(dataset), DORM__GIVEN(scores)))
    return DORM_BAD_USAGE;
  dorm__model_compare_features(context, model, dataset);
  return dorm__model_score(context, model, dataset, num_threads, scores);
}

dorm_status dorm_model_score_rows(dorm_context *context, const dorm_model *model, const dorm_arrays *arrays,
                                  size_t num_threads, double *scores)
{
  dorm_dataset *dataset = NULL;
  if (DORM__LACKS(context, DORM__GIVEN(model), DORM__GIVEN(arrays), DORM__GIVEN(scores)))
    return DORM_BAD_USAGE;
  dorm_status status = dorm__dataset_from_rows(context, arrays, true, &dataset);
  if (status == DORM_OK)
    status = dorm_model_score(context, model, dataset, num_threads, scores);
  dorm_dataset_free(dataset);
  return status;
}
