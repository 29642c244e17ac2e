/* features_sparse.c: sparse rows of features. A row keeps the entries of the chosen features. A value without an entry
 * is 0 before and after normalisation. So shifts, which are the same for all documents of a query, are omitted: min-max
 * is x / (max - min), and the z-score is x / (standard deviation). The rank of the value 0 is subtracted from all ranks
 * of a feature, so that values without an entry have rank 0.
 *
 * A missing value (NaN) has an entry. It is replaced by the mean of the known values of the query, including zeros, or
 * by the mean of the training data. Its rank is replaced by the mean rank. A counting sort groups the entries of a
 * query by feature in O(entries). */
#include "base/memory.h"
#include "features/features.h"
#include "features/features_dense.h"

#include <math.h>
#include <omp.h>

/* The indices, in `values` of the rows, of an entry's value and of its rank. */
typedef struct place {
  size_t value;
  size_t rank;
} place;

/* The buffers of one thread. */
typedef struct scratch {
  size_t *ends;      /* [num_ids] index in `places` after the last place of each feature; all 0 between queries */
  uint32_t *touched; /* [num_ids] features with an entry in the query */
  size_t num_touched;
  place *places;            /* [most entries of a query] grouped by feature */
  dorm__valued_doc *sorted; /* [most documents of a query] scratch for ranks */
} scratch;

/* Allocates buffers for each thread. */
static scratch *scratch_new(dorm__region *memory, size_t num_threads, size_t num_ids, size_t max_entries,
                            size_t max_docs)
{
  scratch *all = dorm__region_take_zero(memory, num_threads, sizeof *all);
  for (size_t i = 0; all && i < num_threads; i++)
    all[i] = (scratch){.ends = dorm__region_take_zero(memory, num_ids, sizeof *all->ends),
                       .touched = dorm__region_take_zero(memory, num_ids, sizeof *all->touched),
                       .places = dorm__region_take_zero(memory, max_entries, sizeof *all->places),
                       .sorted = dorm__region_take_zero(memory, max_docs, sizeof *all->sorted)};
  return all;
}

/* The number of values in a row. With a rank block, the row also has the same number of ranks, after the values. */
static size_t num_values(const dorm__feature_map *map, const dorm__features *features, size_t doc)
{
  size_t size = features->row_start[doc + 1] - features->row_start[doc];
  return map->rank_block > 0 ? size / 2 : size;
}

/* Groups the places of the entries of documents first .. end - 1 by feature. */
static void gather(const dorm__feature_map *map, const dorm__features *features, size_t first, size_t end, scratch *own)
{
  own->num_touched = 0;
  for (size_t j = first; j < end; j++)
    for (size_t i = 0; i < num_values(map, features, j); i++) {
      uint32_t index = features->indices[features->row_start[j] + i];
      if (!own->ends[index]++)
        own->touched[own->num_touched++] = index;
    }
  size_t offset = 0;
  for (size_t t = 0; t < own->num_touched; t++) {
    size_t count = own->ends[own->touched[t]];
    own->ends[own->touched[t]] = offset;
    offset += count;
  }
  for (size_t j = first; j < end; j++) {
    size_t count = num_values(map, features, j);
    for (size_t i = 0; i < count; i++) {
      size_t value = features->row_start[j] + i;
      own->places[own->ends[features->indices[value]]++] = (place){value, value + count};
    }
  }
}

/* Returns max - min, or the standard deviation, of the values at places [count] and of num_absent zeros, one for each
 * document without an entry. Returns 0 if the feature is constant. */
static double find_spread(dorm__normalisation normalisation, size_t num_absent, size_t count, const place *places,
                          const float *values)
{
  float low = num_absent || !count ? 0 : values[places[0].value];
  float high = low;
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    float x = values[places[i].value];
    low = x < low ? x : low;
    high = x > high ? x : high;
    sum += (double)x;
  }
  if (normalisation == DORM__NORMALISATION_MIN_MAX || !(low < high))
    return (double)high - (double)low;
  double num_docs = (double)(num_absent + count);
  double mean = sum / num_docs;
  double squares = (double)num_absent * mean * mean;
  for (size_t i = 0; i < count; i++) {
    double x = (double)values[places[i].value] - mean;
    squares += x * x;
  }
  return sqrt(squares / num_docs);
}

/* Normalises the values at places [count]. The factor depends only on the first num_known values and on num_absent
 * zeros. The other values were missing, and have been replaced. */
static void normalise_feature(const dorm__feature_map *map, uint32_t index, size_t num_absent, size_t num_known,
                              size_t count, const place *places, float *values)
{
  if (map->normalisation == DORM__NORMALISATION_NONE)
    return;
  double spread = dorm__normalisation_is_global(map->normalisation)
                      ? map->spread[index]
                      : find_spread(map->normalisation, num_absent, num_known, places, values);
  double factor = spread > 0 ? 1 / spread : 0; /* as in dense rows */
  for (size_t i = 0; i < count; i++) {
    float *x = &values[places[i].value];
    *x = (float)((double)*x * factor);
  }
}

/* Ranks the values at places [count] together with num_absent zeros. Sets the ranks at the places: `factor` times the
 * mid-rank, minus the same for the value 0. If no document has the value 0, 1/2 is subtracted from the mid-ranks. */
static void rank_feature(size_t num_absent, size_t count, const place *places, double factor, dorm__valued_doc *sorted,
                         float *values)
{
  size_t num_docs = num_absent + count;
  size_t num_positive = 0;
  size_t num_zeros = num_absent;
  for (size_t i = 0; i < count; i++) {
    float x = values[places[i].value];
    sorted[i] = (dorm__valued_doc){x, (uint32_t)i};
    num_positive += x > 0;
    num_zeros += x == 0;
  }
  dorm__sort_valued(count, sorted);
  double step = num_docs > 1 ? factor / (double)(num_docs - 1) : 0;
  double middle = num_zeros ? (double)num_positive + ((double)num_zeros - 1) / 2 : ((double)num_docs - 1) / 2;
  for (size_t begin = 0; begin < count;) {
    size_t end = begin + 1;
    while (end < count && !(sorted[end].value < sorted[begin].value))
      end++;
    double ties = (double)(end - begin);
    double above = (double)begin + (sorted[begin].value < 0 ? (double)num_absent : 0) + (ties - 1) / 2;
    float rank = sorted[begin].value == 0 ? 0 : (float)(step * (middle - above));
    for (size_t i = begin; i < end; i++)
      values[places[sorted[i].doc].rank] = rank;
    begin = end;
  }
}

/* Moves the places of missing values to the end of places [count]. Returns the number of places of known values. */
static size_t part_missing(size_t count, place *places, const float *values)
{
  size_t num_known = 0;
  for (size_t i = 0; i < count; i++)
    if (!isnan(values[places[i].value])) {
      place known = places[i];
      places[i] = places[num_known];
      places[num_known++] = known;
    }
  return num_known;
}

/* Replaces `count` missing values, whose places follow the num_known places of known values, by the mean, and their
 * ranks by the mean rank. Must be called before the known values are normalised. */
static void fill_missing(const dorm__feature_map *map, uint32_t index, size_t num_absent, size_t num_known,
                         size_t count, const place *places, float *values)
{
  double sum = 0;
  size_t num_positive = 0;
  size_t num_zeros = num_absent;
  for (size_t i = 0; i < num_known; i++) {
    float x = values[places[i].value];
    sum += (double)x;
    num_positive += x > 0;
    num_zeros += x == 0;
  }
  size_t num_docs = num_absent + num_known;
  double mean = num_docs ? sum / (double)num_docs : 0;
  double middle = num_zeros ? (double)num_positive + ((double)num_zeros - 1) / 2 : ((double)num_docs - 1) / 2;
  double step = num_docs > 1 ? map->rank_block / (double)(num_docs - 1) : 0;
  for (size_t i = num_known; i < num_known + count; i++) {
    values[places[i].value] = (float)(map->mean ? map->mean[index] : mean);
    if (map->rank_block > 0)
      values[places[i].rank] = (float)(step * (middle - ((double)num_docs - 1) / 2));
  }
}

/* Normalises and ranks the features of one query in place. */
static void transform_query(const dorm_dataset *dataset, const dorm__feature_map *map, size_t query, scratch *own,
                            dorm__features *features)
{
  size_t first = dataset->query_start[query];
  size_t end = dataset->query_start[query + 1];
  gather(map, features, first, end, own);
  size_t begin = 0;
  for (size_t t = 0; t < own->num_touched; t++) {
    size_t stop = own->ends[own->touched[t]];
    size_t count = stop - begin;
    size_t num_absent = end - first - count;
    place *places = own->places + begin;
    size_t num_known = dataset->has_missing ? part_missing(count, places, features->values) : count;
    if (num_known < count)
      fill_missing(map, own->touched[t], num_absent, num_known, count - num_known, places, features->values);
    if (map->rank_block > 0)
      rank_feature(num_absent, num_known, places, map->rank_block, own->sorted, features->values);
    normalise_feature(map, own->touched[t], num_absent, num_known, count, places, features->values);
    own->ends[own->touched[t]] = 0;
    begin = stop;
  }
}

/* Allocates the rows and copies the chosen entries of the data. With a rank block, each row also has room for a rank
 * per entry. targets[num_features] is the index of a feature of the data in the rows, or num_ids if it is not chosen.
 * Returns false when out of memory, and the caller frees `features` even then. */
static bool lay_out(const dorm_dataset *dataset, const dorm__feature_map *map, const uint32_t *targets,
                    dorm__features *features)
{
  size_t copies = map->rank_block > 0 ? 2 : 1;
  size_t num_entries = 0;
  features->row_start = dorm__alloc(dataset->num_docs + 1, sizeof *features->row_start);
  if (!features->row_start)
    return false;
  for (size_t j = 0; j < dataset->num_docs; j++) {
    features->row_start[j] = copies * num_entries;
    for (size_t e = dataset->row_start[j]; e < dataset->row_start[j + 1]; e++)
      num_entries += targets[dataset->indices[e]] < map->num_ids;
  }
  features->row_start[dataset->num_docs] = copies * num_entries;
  features->values = dorm__alloc(num_entries, copies * sizeof *features->values);
  features->indices = dorm__alloc(num_entries, copies * sizeof *features->indices);
  if (!features->values || !features->indices)
    return false;
  for (size_t j = 0; j < dataset->num_docs; j++) {
    size_t at = features->row_start[j];
    size_t half = num_values(map, features, j);
    for (size_t e = dataset->row_start[j]; e < dataset->row_start[j + 1]; e++) {
      uint32_t target = targets[dataset->indices[e]];
      if (target >= map->num_ids)
        continue;
      features->values[at] = dataset->values[e];
      features->indices[at] = target;
      if (copies > 1)
        features->indices[at + half] = (uint32_t)(target + map->num_ids);
      at++;
    }
  }
  return true;
}

/* Makes the same rows in the memory of the data set, which loses its values. Only without a rank block, because rows
 * may then lose entries but gain none. */
static void lay_out_in_place(dorm_dataset *dataset, const dorm__feature_map *map, const uint32_t *targets,
                             dorm__features *features)
{
  size_t count = 0;
  size_t begin = 0;
  for (size_t j = 0; j < dataset->num_docs; j++) {
    size_t end = dataset->row_start[j + 1];
    for (size_t e = begin; e < end; e++) {
      uint32_t target = targets[dataset->indices[e]];
      if (target >= map->num_ids)
        continue;
      dataset->values[count] = dataset->values[e];
      dataset->indices[count++] = target;
    }
    dataset->row_start[j + 1] = count;
    begin = end;
  }
  features->values = dataset->values;
  features->row_start = dataset->row_start;
  features->indices = dataset->indices;
  dataset->values = NULL;
  dataset->row_start = NULL;
  dataset->indices = NULL;
}

/* Returns the largest number of entries of a query, including ranks. */
static size_t most_entries(const dorm_dataset *dataset, const dorm__features *features)
{
  size_t most = 0;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    size_t count = features->row_start[dataset->query_start[q + 1]] - features->row_start[dataset->query_start[q]];
    most = count > most ? count : most;
  }
  return most;
}

static bool transform(const dorm_dataset *dataset, const dorm__feature_map *map, size_t num_threads,
                      dorm__features *features)
{
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  scratch *all =
      scratch_new(&memory, num_threads, map->num_ids, most_entries(dataset, features), dorm__dataset_max_docs(dataset));
  if (memory.is_short)
    return false;
  if (num_threads == 1) { /* a parallel region costs more than a small query */
    for (size_t q = 0; q < dataset->num_queries; q++)
      transform_query(dataset, map, q, all, features);
  } else {
#pragma omp parallel for schedule(dynamic, 8) num_threads((int)num_threads)
    for (size_t q = 0; q < dataset->num_queries; q++)
      transform_query(dataset, map, q, &all[omp_get_thread_num()], features);
  }
  return true;
}

dorm_status dorm__features_build_sparse(dorm_context *context, const dorm_dataset *dataset, dorm_dataset *owned,
                                        const dorm__feature_map *map, const size_t *sources,
                                        const dorm__row_layout *layout, dorm__features *features)
{
  dorm__features made = {.num_docs = dataset->num_docs, .num_features = dorm__feature_map_width(map)};
  DORM__FREED uint32_t *targets = dorm__alloc(dataset->num_features, sizeof *targets);
  if (!targets)
    return dorm__out_of_memory(context, "features");
  for (size_t f = 0; f < dataset->num_features; f++)
    targets[f] = (uint32_t)map->num_ids;
  for (size_t f = 0; f < map->num_ids; f++)
    if (sources[f] < dataset->num_features)
      targets[sources[f]] = (uint32_t)f;
  bool is_laid_out = true;
  if (owned && map->rank_block <= 0)
    lay_out_in_place(owned, map, targets, &made);
  else
    is_laid_out = lay_out(dataset, map, targets, &made);
  if (is_laid_out && transform(dataset, map, layout->num_threads, &made)) {
    *features = made;
    return DORM_OK;
  }
  dorm__features_free(&made);
  return dorm__out_of_memory(context, "features");
}
