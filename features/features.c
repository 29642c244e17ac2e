/* features.c: makes the rows that a linear model sees from the values of a data set. Normalises each feature, within
 * its query or by numbers of the training data. Optionally adds the rank block, which contains within-query mid-ranks.
 * Training and prediction make rows in the same way. features_dense.c makes dense rows, features_sparse.c sparse
 * ones. */
#include "features/features.h"
#include "features/features_dense.h"

/* Fills sources[num_ids] with the index of each id in the data set, or num_features if absent. */
static void find_sources(const dorm_dataset *dataset, const dorm__feature_map *map, size_t *sources)
{
  size_t f = 0;
  for (size_t i = 0; i < map->num_ids; i++) {
    while (f < dataset->num_features && dataset->feature_ids[f] < map->ids[i])
      f++;
    sources[i] = f < dataset->num_features && dataset->feature_ids[f] == map->ids[i] ? f : dataset->num_features;
  }
}

static dorm_status build_plain(dorm_context *context, const dorm_dataset *dataset, dorm_dataset *owned,
                               const dorm__feature_map *map, const dorm__row_layout *layout, dorm__features *features)
{
  DORM__FREED size_t *sources = dorm__alloc(map->num_ids, sizeof *sources);
  dorm_status status = sources ? DORM_OK : dorm__out_of_memory(context, "features");
  if (sources)
    find_sources(dataset, map, sources);
  if (status == DORM_OK)
    status = layout->is_sparse ? dorm__features_build_sparse(context, dataset, owned, map, sources, layout, features)
                               : dorm__features_build_dense(context, dataset, owned, map, sources, layout, features);
  if (owned) {
    dorm__values_free(owned->file, owned->values);
    dorm__free(owned->row_start);
    dorm__free(owned->indices);
    owned->file = NULL;
    owned->values = NULL;
    owned->row_start = NULL;
    owned->indices = NULL;
  }
  return status;
}

/* Makes dense or sparse rows, including the products if the map has any. Of dense rows, transforms only every stride-th
 * query and leaves raw values in the others. */
static dorm_status build(dorm_context *context, const dorm_dataset *dataset, dorm_dataset *owned,
                         const dorm__feature_map *map, dorm__row_layout layout, dorm__features *features)
{
  dorm_dataset crossed;
  *features = (dorm__features){0};
  if (!dataset->values && !dataset->row_start && dataset->num_docs && dataset->num_features)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: training took the values of the data", dataset->name);
  if (!map->cross)
    return build_plain(context, dataset, owned, map, &layout, features);
  dorm_status status = dorm__cross_dataset(context, map->cross, dataset, &crossed);
  if (status != DORM_OK)
    return status;
  status = build_plain(context, &crossed, NULL, map, &layout, features);
  dorm__cross_clear(&crossed);
  return status;
}

dorm_status dorm__features_build(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                 size_t num_threads, dorm__features *features)
{
  return build(context, dataset, NULL, map, (dorm__row_layout){dataset->row_start != NULL, 1, num_threads}, features);
}

dorm_status dorm__features_build_full(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                      size_t num_threads, dorm__features *features)
{
  return build(context, dataset, NULL, map, (dorm__row_layout){false, 1, num_threads}, features);
}

dorm_status dorm__features_take(dorm_context *context, dorm_dataset *dataset, const dorm__feature_map *map,
                                size_t num_threads, dorm__features *features)
{
  return build(context, dataset, dataset, map, (dorm__row_layout){dataset->row_start != NULL, 1, num_threads},
               features);
}

dorm__sampled_features dorm__features_sample(const dorm__features *features, size_t stride)
{
  return (dorm__sampled_features){.rows = *features, .stride = stride, .is_whole = true};
}

dorm_status dorm__features_begin(dorm_context *context, const dorm_dataset *dataset, dorm_dataset *owned,
                                 const dorm__feature_map *map, size_t stride, size_t num_threads,
                                 dorm__sampled_features *sample)
{
  bool is_sparse = dataset->row_start != NULL;
  bool is_whole = is_sparse || stride == 1;
  *sample = (dorm__sampled_features){.stride = stride, .is_whole = is_whole, .owns_rows = true};
  return build(context, dataset, owned, map, (dorm__row_layout){is_sparse, stride, num_threads}, &sample->rows);
}

dorm_status dorm__features_finish(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                  const double *weights, size_t num_threads, const dorm__finished_rows *rows)
{
  if (rows->sample->is_whole)
    dorm__features_score_queries(&rows->sample->rows, dataset->num_queries, dataset->query_start, weights, num_threads,
                                 rows->scores);
  else if (!dorm__features_finish_dense(dataset, map, weights, num_threads, rows->sample, rows->scores))
    return dorm__out_of_memory(context, "features");
  rows->sample->is_whole = true;
  rows->sample->owns_rows = false;
  *rows->features = rows->sample->rows;
  return DORM_OK;
}

void dorm__sampled_features_clear(dorm__sampled_features *sample)
{
  if (sample->owns_rows)
    dorm__features_free(&sample->rows);
  *sample = (dorm__sampled_features){0};
}
