/* batch_scores.c: scores and dense rows of a whole data set without a second matrix. Makes the rows of some queries at
 * a time, uses them and discards them. */
#include "data/data.h"
#include "features/features.h"
#include "features/features_dense.h"

static const size_t batch_values = 1 << 20; /* approximate number of values in a batch */

/* Makes a view of the queries first .. end - 1 that borrows everything but query_start [end - first + 1]. Prefetches
 * their values if these are in a file. */
static dorm_dataset make_view(const dorm_dataset *dataset, size_t first, size_t end, size_t *query_start)
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
    view.row_start = dataset->row_start + doc; /* offsets stay relative to all values and indices */
  else
    view.values = dataset->values + doc * dataset->num_features;
  dorm__file_memory_use(dataset->file, view.values, view.num_docs * view.num_features * sizeof *view.values);
  return view;
}

/* The end of the batch that begins at query `first`. It has at least one query, and some million values if each row has
 * `width`. */
static size_t batch_end(const dorm_dataset *dataset, size_t width, size_t first)
{
  const size_t *start = dataset->query_start;
  size_t end = first + 1;
  while (end < dataset->num_queries && (start[end] - start[first]) * width < batch_values)
    end++;
  return end;
}

dorm_status dorm__score_by_batches(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                   size_t num_threads, const double *weights, double *scores)
{
  size_t num_entries = dataset->row_start ? dataset->row_start[dataset->num_docs] : 0;
  size_t width = dataset->row_start ? num_entries / (dataset->num_docs + 1) + 1 : dataset->num_features;
  DORM__FREED size_t *query_start = dorm__alloc(dataset->num_queries + 1, sizeof *query_start);
  dorm_status status = query_start ? DORM_OK : dorm__out_of_memory(context, "scores");
  for (size_t first = 0, end; status == DORM_OK && first < dataset->num_queries; first = end) {
    end = batch_end(dataset, width, first);
    dorm_dataset view = make_view(dataset, first, end, query_start);
    DORM__AT_END(dorm__features_free) dorm__features features;
    status = dorm__features_build(context, &view, map, num_threads, &features);
    if (status == DORM_OK)
      dorm__features_score_queries(&features, view.num_queries, query_start, weights, num_threads,
                                   scores + dataset->query_start[first]);
    dorm__file_memory_leave(dataset->file);
  }
  return status;
}

dorm_status dorm__features_visit_full(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                      size_t num_threads, dorm__take_rows *take, void *taker)
{
  size_t width = dorm__feature_map_width(map);
  DORM__FREED size_t *query_start = dorm__alloc(dataset->num_queries + 1, sizeof *query_start);
  dorm_status status = query_start ? DORM_OK : dorm__out_of_memory(context, "features");
  if (!dataset->row_start && width < dataset->num_features)
    width = dataset->num_features; /* rows of some features read the memory of all */
  for (size_t first = 0, end; status == DORM_OK && first < dataset->num_queries; first = end) {
    end = batch_end(dataset, width, first);
    dorm_dataset view = make_view(dataset, first, end, query_start);
    DORM__AT_END(dorm__features_free) dorm__features features;
    status = dorm__features_build_full(context, &view, map, num_threads, &features);
    if (status == DORM_OK)
      take(taker, dataset->query_start[first], view.num_docs, features.values);
    dorm__file_memory_leave(dataset->file);
  }
  return status;
}
