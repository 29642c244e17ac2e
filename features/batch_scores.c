/* batch_scores.c: scores and dense rows of a whole data set without a second matrix. Makes the rows of some queries at
 * a time, uses them and discards them. Threads score different batches, whose rows stay in their caches. If the values
 * are in a file, threads share one batch, because a batch releases all resident blocks. */
#include "base/memory.h"
#include "base/team.h"
#include "features/features.h"
#include "features/features_dense.h"

/* Approximate number of values in a batch: of all threads, and of one thread. */
static const size_t batch_values = 1 << 20, own_values = 1 << 17;

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

/* The end of the batch that begins at query `first`. It has at least one query, and about `values` values if each row
 * has `width`. */
static size_t batch_end(const dorm_dataset *dataset, size_t width, size_t values, size_t first)
{
  const size_t *start = dataset->query_start;
  size_t end = first + 1;
  while (end < dataset->num_queries && (start[end] - start[first]) * width < values)
    end++;
  return end;
}

typedef struct batch_scoring {
  const dorm_dataset *dataset;
  const dorm__feature_map *map;
  size_t num_threads; /* of a batch */
  const double *weights;
  double *scores;
  size_t num_batches;
  size_t *bounds;      /* [num_batches + 1] first query of each batch */
  size_t *query_start; /* scratch [queries + batches] */
} batch_scoring;

static dorm_status score_batch(dorm_context *context, const batch_scoring *work, size_t batch)
{
  size_t first = work->bounds[batch], *query_start = work->query_start + first + batch;
  dorm_dataset view = make_view(work->dataset, first, work->bounds[batch + 1], query_start);
  DORM__AT_END(dorm__features_free) dorm__features features;
  dorm_status status = dorm__features_build(context, &view, work->map, work->num_threads, &features);
  if (status == DORM_OK)
    dorm__features_score_queries(&features, view.num_queries, query_start, work->weights, work->num_threads,
                                 work->scores + work->dataset->query_start[first]);
  dorm__file_memory_leave(work->dataset->file);
  return status;
}

dorm_status dorm__score_by_batches(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                   size_t num_threads, const double *weights, double *scores)
{
  size_t num_entries = dataset->row_start ? dataset->row_start[dataset->num_docs] : 0;
  size_t width = dataset->row_start ? num_entries / (dataset->num_docs + 1) + 1 : dataset->num_features;
  size_t num_sides = dataset->file ? 1 : num_threads, num_queries = dataset->num_queries;
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  dorm__team *team = NULL;
  batch_scoring work = {.dataset = dataset,
                        .map = map,
                        .num_threads = dataset->file ? num_threads : 1,
                        .weights = weights,
                        .scores = scores,
                        .bounds = dorm__region_take(&memory, num_queries + 1, sizeof *work.bounds),
                        .query_start = dorm__region_take(&memory, 2 * num_queries + 1, sizeof *work.query_start)};
  dorm_status status = DORM__ALL(memory.is_short ? dorm__out_of_memory(context, "scores") : DORM_OK,
                                 dorm__team_new(context, num_sides, "scores", &team));
  if (status != DORM_OK)
    return status;
  for (size_t first = work.bounds[0] = 0; first < num_queries; work.bounds[++work.num_batches] = first)
    first = batch_end(dataset, width, dataset->file ? batch_values : own_values, first);
  num_sides = num_sides < work.num_batches ? num_sides : work.num_batches;
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)num_sides) if (num_sides > 1)
  for (size_t i = 0; i < work.num_batches; i++)
    if (!dorm__team_skips(team, i))
      dorm__team_note(team, i, score_batch(dorm__team_context(team), &work, i));
  return dorm__team_end(context, team);
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
    end = batch_end(dataset, width, batch_values, first);
    dorm_dataset view = make_view(dataset, first, end, query_start);
    DORM__AT_END(dorm__features_free) dorm__features features;
    status = dorm__features_build_full(context, &view, map, num_threads, &features);
    if (status == DORM_OK)
      take(taker, dataset->query_start[first], view.num_docs, features.values);
    dorm__file_memory_leave(dataset->file);
  }
  return status;
}
