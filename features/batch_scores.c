/*
 * batch_scores.c: scores of a whole data set without a second matrix: the rows of some queries at a time are made,
 * scored and forgotten.
 */
#include "data/data.h"
#include "features/features.h"

static const size_t batch_values = 1 << 22; /* about how many stored values a batch has */

/* Shows the queries first .. end - 1 as a data set that borrows everything but query_start [end - first + 1]. */
static dorm_dataset view_of(const dorm_dataset *dataset, size_t first, size_t end, size_t *query_start)
{
  size_t doc = dataset->query_start[first];
  dorm_dataset view = {.name = dataset->name,
                       .num_docs = dataset->query_start[end] - doc,
                       .num_queries = end - first,
                       .num_features = dataset->num_features,
                       .query_start = query_start,
                       .feature_ids = dataset->feature_ids,
                       .values = dataset->values,
                       .indices = dataset->indices,
                       .has_missing = dataset->has_missing};
  for (size_t q = first; q <= end; q++)
    query_start[q - first] = dataset->query_start[q] - doc;
  if (dataset->row_start)
    view.row_start = dataset->row_start + doc; /* its entries are places in all values and indices */
  else
    view.values = dataset->values + doc * dataset->num_features;
  return view;
}

static size_t end_of_batch(const dorm_dataset *dataset, size_t first)
{
  const size_t *start = dataset->query_start;
  const size_t *rows = dataset->row_start;
  size_t end = first;
  size_t count = 0;
  while (end < dataset->num_queries && count < batch_values) {
    count += rows ? rows[start[end + 1]] - rows[start[end]] : (start[end + 1] - start[end]) * dataset->num_features;
    end++;
  }
  return end;
}

dorm_status dorm__score_by_batches(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                   size_t num_threads, const double *weights, double *scores)
{
  size_t *query_start = dorm__alloc(dataset->num_queries + 1, sizeof *query_start);
  if (!query_start)
    return dorm__out_of_memory(context, "scores");
  dorm_status status = DORM_OK;
  for (size_t first = 0; status == DORM_OK && first < dataset->num_queries;) {
    size_t end = end_of_batch(dataset, first);
    dorm_dataset view = view_of(dataset, first, end, query_start);
    dorm__features features;
    dorm__file_memory_use(dataset->file, view.values, view.num_docs * view.num_features * sizeof *view.values);
    status = dorm__features_build(context, &view, map, num_threads, &features);
    if (status != DORM_OK)
      break;
#pragma omp parallel for num_threads((int)num_threads) if (num_threads > 1)
    for (size_t q = 0; q < view.num_queries; q++)
      dorm__features_score(&features, query_start[q], query_start[q + 1] - query_start[q], weights,
                           scores + dataset->query_start[first] + query_start[q]);
    dorm__features_free(&features);
    first = end;
  }
  dorm__free(query_start);
  return status;
}
