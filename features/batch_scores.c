/*
 * batch_scores.c: scores and dense rows of a whole data set without a second matrix: the rows of some queries at a time
 * are made, used and forgotten.
 */
#include "data/data.h"
#include "features/batches.h"
#include "features/features.h"

dorm_status dorm__score_by_batches(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                   size_t num_threads, const double *weights, double *scores)
{
  size_t *query_start = dorm__alloc(dataset->num_queries + 1, sizeof *query_start);
  if (!query_start)
    return dorm__out_of_memory(context, "scores");
  dorm_status status = DORM_OK;
  for (size_t first = 0; status == DORM_OK && first < dataset->num_queries;) {
    size_t end = dorm__batch_end(dataset, first);
    dorm_dataset view = dorm__batch(dataset, first, end, query_start);
    dorm__features features;
    status = dorm__features_build(context, &view, map, num_threads, &features);
    if (status != DORM_OK)
      break;
    dorm__features_score_queries(&features, view.num_queries, query_start, weights, num_threads,
                                 scores + dataset->query_start[first]);
    dorm__features_free(&features);
    first = end;
  }
  dorm__free(query_start);
  return status;
}

/* The end of the batch of queries from `first` on whose dense rows have some million values. */
static size_t full_batch_end(const dorm_dataset *dataset, size_t width, size_t first)
{
  enum { MOST_VALUES = 1 << 22 };
  size_t end = first + 1;
  while (end < dataset->num_queries &&
         (dataset->query_start[end + 1] - dataset->query_start[first]) * width <= MOST_VALUES)
    end++;
  return end;
}

dorm_status dorm__features_visit_full(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                      size_t num_threads, dorm__take_rows *take, void *taker)
{
  size_t *query_start = dorm__alloc(dataset->num_queries + 1, sizeof *query_start);
  dorm_status status = query_start ? DORM_OK : dorm__out_of_memory(context, "features");
  size_t end;
  for (size_t first = 0; status == DORM_OK && first < dataset->num_queries; first = end) {
    end = full_batch_end(dataset, dorm__feature_map_width(map), first);
    dorm_dataset view = dorm__batch(dataset, first, end, query_start);
    dorm__features features;
    status = dorm__features_build_full(context, &view, map, num_threads, &features);
    if (status != DORM_OK)
      break;
    take(taker, dataset->query_start[first], view.num_docs, features.values);
    dorm__features_free(&features);
  }
  dorm__free(query_start);
  return status;
}
