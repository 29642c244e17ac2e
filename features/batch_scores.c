/*
 * batch_scores.c: scores of a whole data set without a second matrix: the rows of some queries at a time are made,
 * scored and forgotten.
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
