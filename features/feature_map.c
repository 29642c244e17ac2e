/* feature_map.c: chooses the features of a model and their normalisation, from options and the training data. Global
 * normalisations take shift and spread from the whole training set. An absent value is 0, and a missing one does not
 * count. Each document counts with the weight of its query. */
#include "base/processes.h"
#include "features/features.h"
#include "features/features_dense.h"

#include <math.h>
#include <string.h>

static const char *const names[DORM__NUM_NORMALISATIONS] = {
    [DORM__NORMALISATION_NONE] = "none",
    [DORM__NORMALISATION_MIN_MAX] = "minmax",
    [DORM__NORMALISATION_Z_SCORE] = "zscore",
    [DORM__NORMALISATION_GLOBAL_MIN_MAX] = "global-minmax",
    [DORM__NORMALISATION_GLOBAL_Z_SCORE] = "global-zscore",
};

const char *dorm__normalisation_name(dorm__normalisation normalisation)
{
  return names[normalisation];
}

bool dorm__normalisation_from(const char *name, dorm__normalisation *normalisation)
{
  for (size_t i = 0; i < DORM__NUM_NORMALISATIONS; i++)
    if (strcmp(names[i], name) == 0) {
      *normalisation = (dorm__normalisation)i;
      return true;
    }
  return false;
}

bool dorm__normalisation_is_global(dorm__normalisation normalisation)
{
  return normalisation == DORM__NORMALISATION_GLOBAL_MIN_MAX || normalisation == DORM__NORMALISATION_GLOBAL_Z_SCORE;
}

bool dorm__normalisation_is_within_queries(dorm__normalisation normalisation)
{
  return normalisation == DORM__NORMALISATION_MIN_MAX || normalisation == DORM__NORMALISATION_Z_SCORE;
}

/* ---- Statistics of the training data -------------------------------------------- */

/* Statistics of one feature over all documents. */
typedef struct feature_statistics {
  size_t count; /* number of known values */
  size_t num_missing;
  double weight, missing_weight; /* total over these documents, each with the weight of its query */
  double low, high;
  double sum;
  double squares; /* sum of the squared distances from the mean (second pass) */
} feature_statistics;

static void add_value(feature_statistics *feature, double weight, double x)
{
  feature->low = !feature->count || x < feature->low ? x : feature->low;
  feature->high = !feature->count || x > feature->high ? x : feature->high;
  feature->sum += weight * x;
  feature->weight += weight;
  feature->count++;
}

/* Adds every stored value of a document (dense data sets store all). In the second pass `known` has the sums of the
 * first pass over all documents, whose total weight is total_weight. */
static void pass_doc(const dorm_dataset *dataset, size_t doc, double weight, double total_weight,
                     const feature_statistics *known, feature_statistics *features)
{
  size_t width = dataset->num_features;
  size_t begin = dataset->row_start ? dataset->row_start[doc] : doc * width;
  size_t end = dataset->row_start ? dataset->row_start[doc + 1] : begin + width;
  dorm__file_memory_use(dataset->file, dataset->values + begin, (end - begin) * sizeof *dataset->values);
  for (size_t e = begin; e < end; e++) {
    size_t f = dataset->row_start ? dataset->indices[e] : e - begin;
    feature_statistics *feature = &features[f];
    double x = (double)dataset->values[e];
    if (!isnan(x) && known) {
      double mean = known[f].sum / (total_weight - known[f].missing_weight);
      feature->squares += weight * ((x - mean) * (x - mean));
    } else if (!isnan(x)) {
      add_value(feature, weight, x);
    } else if (!known) {
      feature->num_missing++;
      feature->missing_weight += weight;
    }
  }
}

/* Adds the statistics of a shard to the statistics of earlier shards. */
static void add_shard(size_t num_features, const feature_statistics *shard, feature_statistics *features)
{
  for (size_t f = 0; f < num_features; f++) {
    const feature_statistics *one = &shard[f];
    feature_statistics *all = &features[f];
    if (one->count) {
      all->low = !all->count || one->low < all->low ? one->low : all->low;
      all->high = !all->count || one->high > all->high ? one->high : all->high;
    }
    all->count += one->count;
    all->num_missing += one->num_missing;
    all->weight += one->weight;
    all->missing_weight += one->missing_weight;
    all->sum += one->sum;
    all->squares += one->squares;
  }
}

/* Computes the statistics of shard `shard` of this process. `known` is as in pass_doc. */
static void pass_shard(const dorm_dataset *dataset, size_t shard, double total_weight, const feature_statistics *known,
                       feature_statistics *features)
{
  size_t first, end;
  dorm__shard_range(dataset, shard, &first, &end);
  for (size_t q = first; q < end; q++) {
    double weight = dorm_dataset_query_weight(dataset, q);
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++)
      pass_doc(dataset, j, weight, total_weight, known, features);
  }
}

/* Makes one pass over all documents of all processes, shard by shard, into features [num_features], which must be 0.
 * `shards` has room for the shards of this process. */
static dorm_status pass(dorm_context *context, const dorm_dataset *dataset, double total_weight,
                        const feature_statistics *known, feature_statistics *shards, feature_statistics *features)
{
  size_t width = dataset->num_features, count = dorm__shards_here(dataset);
  DORM__FREED size_t *start = dorm__alloc(dorm__processes_size(context) + 1, sizeof *start);
  DORM__FREED void *all = NULL;
  memset(shards, 0, count * width * sizeof *shards);
  for (size_t i = 0; i < count; i++)
    pass_shard(dataset, i, total_weight, known, shards + i * width);
  dorm_status status = start ? DORM_OK : dorm__out_of_memory(context, "features");
  if (status == DORM_OK && dorm__processes_size(context) > 1) {
    status = dorm__processes_gather(context, shards, count * width * sizeof *shards, &all, start);
    shards = all;
    count = dataset->shards ? dataset->shards->total : 0;
  }
  for (size_t i = 0; status == DORM_OK && i < count; i++)
    add_shard(width, shards + i * width, features);
  return status;
}

/* Finds shift, spread and mean of a feature. A document without the feature counts as 0. */
static void summarise(const feature_statistics *given, size_t all_docs, double weighted_docs, bool is_min_max,
                      double *shift, double *spread, double *mean_value)
{
  size_t num_docs = all_docs - given->num_missing;
  double total_weight = weighted_docs - given->missing_weight;
  *shift = *spread = *mean_value = 0;
  if (!num_docs || !(total_weight > 0))
    return;
  feature_statistics feature = *given;
  double absent_weight = num_docs > feature.count ? fmax(0, total_weight - feature.weight) : 0;
  if (num_docs > feature.count)
    add_value(&feature, absent_weight, 0);
  double mean = feature.sum / total_weight;
  *mean_value = mean;
  double squares = feature.squares + absent_weight * mean * mean;
  *shift = is_min_max ? feature.low : mean;
  *spread = is_min_max ? feature.high - feature.low : sqrt(squares / total_weight);
  if (!(feature.low < feature.high))
    *spread = 0;
}

/* Computes features [num_features], the statistics over all documents. */
static dorm_status make_passes(dorm_context *context, const dorm_dataset *dataset, double weighted_docs,
                               bool makes_second, feature_statistics *features)
{
  size_t width = dataset->num_features;
  DORM__FREED feature_statistics *shards = dorm__alloc(dorm__shards_here(dataset), width * sizeof *shards);
  DORM__FREED feature_statistics *second = dorm__alloc_zero(width, sizeof *second);
  dorm_status status =
      DORM__ALL(shards && second ? DORM_OK : dorm__out_of_memory(context, "features"),
                pass(context, dataset, weighted_docs, NULL, shards, features),
                makes_second ? pass(context, dataset, weighted_docs, features, shards, second) : DORM_OK);
  for (size_t f = 0; status == DORM_OK && f < width; f++)
    features[f].squares = second[f].squares;
  return status;
}

static dorm_status find_statistics(dorm_context *context, const dorm_dataset *dataset, dorm__feature_map *map)
{
  bool is_min_max = map->normalisation == DORM__NORMALISATION_GLOBAL_MIN_MAX;
  DORM__FREED feature_statistics *features = dorm__alloc_zero(dataset->num_features, sizeof *features);
  double *shift = dorm__alloc(map->num_ids, sizeof *shift);
  double *spread = dorm__alloc(map->num_ids, sizeof *spread);
  double *mean = dorm__alloc(map->num_ids, sizeof *mean);
  double weighted_docs = 0;
  map->shift = shift;
  map->spread = spread;
  map->mean = mean;
  dorm_status status = DORM_OK;
  if (!features || !shift || !spread || !mean)
    status = dorm__out_of_memory(context, "features");
  if (status == DORM_OK)
    status = DORM__ALL(dorm__all_weighted_docs(context, dataset, &weighted_docs),
                       make_passes(context, dataset, weighted_docs,
                                   map->normalisation == DORM__NORMALISATION_GLOBAL_Z_SCORE, features));
  for (size_t i = 0, f = 0; status == DORM_OK && i < map->num_ids; i++) {
    while (dataset->feature_ids[f] != map->ids[i])
      f++;
    summarise(&features[f], dorm__all_docs(dataset), weighted_docs, is_min_max, &shift[i], &spread[i], &mean[i]);
  }
  if (status == DORM_OK && !dorm__normalisation_is_global(map->normalisation)) { /* only the means are needed */
    dorm__free(shift);
    dorm__free(spread);
    map->shift = NULL;
    map->spread = NULL;
  }
  return status;
}

/* ---- Choice of features ----------------------------------------------------------- */

static bool is_chosen(const dorm__id_ranges *ids, size_t id)
{
  return !ids->count || id >= DORM__FIRST_CROSS || dorm__id_ranges_hold(ids, id);
}

dorm_status dorm__features_chosen(dorm_context *context, const dorm__id_ranges *ids, const dorm_dataset *dataset,
                                  size_t *count)
{
  *count = 0;
  for (size_t f = 0; f < dataset->num_features; f++)
    *count += is_chosen(ids, dataset->feature_ids[f]);
  return *count || !ids->count
             ? DORM_OK
             : dorm__fail(context, DORM_BAD_USAGE, "data.features: the list names none of the %zu features of %s",
                          dataset->num_features, dataset->name);
}

static dorm_status choose_ids(dorm_context *context, const dorm__id_ranges *ids, const dorm_dataset *dataset,
                              dorm__feature_map *map)
{
  size_t count = 0;
  dorm_status status = dorm__features_chosen(context, ids, dataset, &count);
  if (status != DORM_OK)
    return status;
  size_t *chosen = dorm__alloc(count, sizeof *chosen);
  if (!chosen)
    return dorm__out_of_memory(context, "features");
  map->ids = chosen;
  for (size_t f = 0; f < dataset->num_features; f++)
    if (is_chosen(ids, dataset->feature_ids[f]))
      chosen[map->num_ids++] = dataset->feature_ids[f];
  return DORM_OK;
}

/* Makes a map of features that the data set has. */
static dorm_status make_map(dorm_context *context, const dorm__feature_options *options, const dorm_dataset *dataset,
                            dorm__feature_map *map)
{
  map->normalisation = options->normalisation;
  return DORM__ALL(choose_ids(context, &options->ids, dataset, map),
                   !dorm__normalisation_is_within_queries(map->normalisation) ? find_statistics(context, dataset, map)
                                                                              : DORM_OK);
}

dorm_status dorm__feature_map_new(dorm_context *context, const dorm__feature_options *options,
                                  const dorm_dataset *dataset, dorm__feature_map *map)
{
  dorm_dataset crossed;
  dorm__cross *copy = NULL;
  dorm_status status = DORM_OK;
  *map = (dorm__feature_map){0};
  if (!options->cross) {
    status = make_map(context, options, dataset, map);
  } else {
    status = DORM__ALL(dorm__cross_check(context, options->cross, dataset),
                       dorm__cross_dataset(context, options->cross, dataset, &crossed));
    if (status != DORM_OK)
      return status;
    status = DORM__ALL(make_map(context, options, &crossed, map),
                       dorm__cross_new(context, "features.cross", options->cross->text, &copy));
    dorm__cross_clear(&crossed);
    map->cross = copy;
  }
  if (status != DORM_OK)
    dorm__feature_map_clear(map);
  return status;
}

static void *copied(const void *items, size_t count, size_t size)
{
  void *copy = items ? dorm__alloc(count, size) : NULL;
  if (copy)
    memcpy(copy, items, count * size);
  return copy;
}

dorm_status dorm__feature_map_copy(dorm_context *context, const dorm__feature_map *map, dorm__feature_map *copy)
{
  *copy = *map;
  copy->ids = copied(map->ids, map->num_ids, sizeof *map->ids);
  copy->shift = copied(map->shift, map->num_ids, sizeof *map->shift);
  copy->spread = copied(map->spread, map->num_ids, sizeof *map->spread);
  copy->mean = copied(map->mean, map->num_ids, sizeof *map->mean);
  copy->cross = NULL;
  dorm_status status = DORM_OK;
  dorm__cross *cross = NULL;
  if (!copy->ids != !map->ids || !copy->shift != !map->shift || !copy->spread != !map->spread ||
      !copy->mean != !map->mean)
    status = dorm__out_of_memory(context, "features");
  if (status == DORM_OK && map->cross)
    status = dorm__cross_new(context, "features.cross", map->cross->text, &cross);
  copy->cross = cross;
  if (status != DORM_OK)
    dorm__feature_map_clear(copy);
  return status;
}

size_t dorm__feature_map_width(const dorm__feature_map *map)
{
  return map->rank_block > 0 ? 2 * map->num_ids : map->num_ids;
}

void dorm__feature_map_clear(dorm__feature_map *map)
{
  dorm__free((void *)map->ids);
  dorm__free((void *)map->shift);
  dorm__free((void *)map->spread);
  dorm__free((void *)map->mean);
  dorm__cross_free((dorm__cross *)map->cross);
  *map = (dorm__feature_map){0};
}
