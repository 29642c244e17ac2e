/* features_dense.c: dense rows of features. First lays out the values of the chosen ids, in new memory or in the memory
 * of the data set. Then transforms each query in place: computes ranks, and normalises values. Some queries can be
 * transformed before the others, which are then scored in the same pass. */
#include "features/features_dense.h"
#include "base/memory.h"
#include "features/features.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* The buffers of one thread. All are [num_ids] except sorted [most documents of a query]. */
typedef struct scratch {
  float *low, *high;
  double *shift, *spread, *factor;
  dorm__valued_doc *sorted;
} scratch;

/* Allocates one for each thread. */
static scratch *scratch_new(dorm__region *memory, size_t num_threads, size_t num_ids, size_t max_docs)
{
  scratch *all = dorm__region_take_zero(memory, num_threads, sizeof *all);
  for (size_t i = 0; all && i < num_threads; i++)
    all[i] = (scratch){.low = dorm__region_take_zero(memory, num_ids, sizeof *all->low),
                       .high = dorm__region_take_zero(memory, num_ids, sizeof *all->high),
                       .shift = dorm__region_take_zero(memory, num_ids, sizeof *all->shift),
                       .spread = dorm__region_take_zero(memory, num_ids, sizeof *all->spread),
                       .factor = dorm__region_take_zero(memory, num_ids, sizeof *all->factor),
                       .sorted = dorm__region_take_zero(memory, max_docs, sizeof *all->sorted)};
  return all;
}

/* ---- Normalisation ------------------------------------------------------------ */

DORM__WIDE_VECTORS
static void find_extremes(size_t count, size_t width, size_t num_ids, const float *restrict rows, float *restrict low,
                          float *restrict high)
{
  memcpy(low, rows, num_ids * sizeof *rows);
  memcpy(high, rows, num_ids * sizeof *rows);
  for (size_t i = 1; i < count; i++) {
    const float *restrict row = rows + i * width;
    for (size_t f = 0; f < num_ids; f++) {
      low[f] = row[f] < low[f] ? row[f] : low[f];
      high[f] = row[f] > high[f] ? row[f] : high[f];
    }
  }
}

static void find_range(size_t count, size_t width, size_t num_ids, const float *rows, scratch *own)
{
  const float *low = own->low;
  const float *high = own->high;
  find_extremes(count, width, num_ids, rows, own->low, own->high);
  for (size_t f = 0; f < num_ids; f++) { /* in double, because a range of floats may overflow */
    own->shift[f] = (double)low[f];
    own->spread[f] = (double)high[f] - (double)low[f];
  }
}

/* Finds mean and standard deviation. find_range must run before, because it finds the constant features. */
static void find_moments(size_t count, size_t width, size_t num_ids, const float *rows, scratch *own)
{
  memset(own->shift, 0, num_ids * sizeof *own->shift);
  for (size_t i = 0; i < count; i++)
    for (size_t f = 0; f < num_ids; f++)
      own->shift[f] += (double)rows[i * width + f];
  for (size_t f = 0; f < num_ids; f++)
    own->shift[f] /= (double)count;
  memset(own->spread, 0, num_ids * sizeof *own->spread);
  for (size_t i = 0; i < count; i++)
    for (size_t f = 0; f < num_ids; f++) {
      double x = (double)rows[i * width + f] - own->shift[f];
      own->spread[f] += x * x;
    }
  for (size_t f = 0; f < num_ids; f++)
    own->spread[f] = own->low[f] < own->high[f] ? sqrt(own->spread[f] / (double)count) : 0;
}

/* The rows of the next query. */
typedef struct rows_ahead {
  const float *rows;
  size_t count;
} rows_ahead;

/* Replaces rows by (row - shift) * factor, [num_ids] each, and meanwhile prefetches the rows ahead. */
DORM__WIDE_VECTORS
static void apply(size_t count, size_t width, size_t num_ids, const double *restrict shift,
                  const double *restrict factor, float *restrict rows, rows_ahead ahead)
{
  enum { FLOATS_A_LINE = 16 };
  for (size_t i = 0; i < count; i++) {
    float *restrict row = rows + i * width;
    for (size_t f = 0; i < ahead.count && f < width; f += FLOATS_A_LINE)
      __builtin_prefetch(ahead.rows + i * width + f);
    for (size_t f = 0; f < num_ids; f++)
      row[f] = (float)(((double)row[f] - shift[f]) * factor[f]);
  }
}

/* Sets factor[f] = 1 / spread[f], or 0 if the feature is constant. */
static void invert(size_t num_ids, const double *spread, double *factor)
{
  for (size_t f = 0; f < num_ids; f++)
    factor[f] = spread[f] > 0 ? 1 / spread[f] : 0;
}

static const double *find_shifts(const dorm__feature_map *map, size_t count, size_t width, const float *rows,
                                 scratch *own)
{
  if (map->normalisation == DORM__NORMALISATION_NONE)
    return NULL;
  if (dorm__normalisation_is_global(map->normalisation)) {
    invert(map->num_ids, map->spread, own->factor);
    return map->shift;
  }
  find_range(count, width, map->num_ids, rows, own);
  if (map->normalisation == DORM__NORMALISATION_Z_SCORE)
    find_moments(count, width, map->num_ids, rows, own);
  invert(map->num_ids, own->spread, own->factor);
  return own->shift;
}

/* Returns the numbers to subtract from the values of a query, or NULL for none. The values are then multiplied by
 * own->factor. Categories stay as they are. */
static const double *find_normalisation(const dorm__feature_map *map, size_t count, size_t width, const float *rows,
                                        scratch *own)
{
  const double *shift = find_shifts(map, count, width, rows, own);
  if (!shift || !map->is_category)
    return shift;
  for (size_t f = 0; f < map->num_ids; f++) {
    own->shift[f] = map->is_category[f] ? 0 : shift[f];
    own->factor[f] = map->is_category[f] ? 1 : own->factor[f];
  }
  return own->shift;
}

/* Computes ranks[sorted[i].doc * stride] = factor (1 - (above + (ties - 1) / 2) / (count - 1)), or factor / 2 if the
 * values are constant. Sorts the documents and values in sorted[count]. */
static void assign_ranks(size_t count, size_t stride, double factor, dorm__valued_doc *sorted, float *ranks)
{
  dorm__sort_valued(count, sorted);
  for (size_t above = 0; above < count;) {
    size_t end = above + 1;
    while (end < count && !(sorted[end].value < sorted[above].value))
      end++;
    double ties = (double)(end - above);
    double rank = count > 1 ? 1 - ((double)above + (ties - 1) / 2) / (double)(count - 1) : 0.5;
    for (size_t i = above; i < end; i++)
      ranks[sorted[i].doc * stride] = (float)(factor * rank);
    above = end;
  }
}

static void rank_feature(size_t count, size_t stride, const float *values, double factor, dorm__valued_doc *sorted,
                         float *ranks)
{
  for (size_t i = 0; i < count; i++)
    sorted[i] = (dorm__valued_doc){values[i * stride], (uint32_t)i};
  assign_ranks(count, stride, factor, sorted, ranks);
}

/* ---- Missing values -------------------------------------------------------------- */

/* Finds shift and factor of a feature from `count` known values, in any order. */
static void normalise_known(const dorm__feature_map *map, size_t feature, size_t count, const dorm__valued_doc *known,
                            double mean, double *shift, double *factor)
{
  double low = count ? (double)known[0].value : 0;
  double high = low;
  double squares = 0;
  for (size_t i = 0; i < count; i++) {
    double x = (double)known[i].value;
    low = x < low ? x : low;
    high = x > high ? x : high;
    squares += (x - mean) * (x - mean);
  }
  double spread = high - low;
  *shift = low;
  if (map->normalisation == DORM__NORMALISATION_Z_SCORE) {
    *shift = mean;
    spread = low < high ? sqrt(squares / (double)count) : 0;
  }
  if (map->shift) {
    *shift = map->shift[feature];
    spread = map->spread[feature];
  }
  *factor = spread > 0 ? 1 / spread : 0;
  if (map->normalisation == DORM__NORMALISATION_NONE || (map->is_category && map->is_category[feature])) {
    *shift = 0;
    *factor = 1;
  }
}

/* Transforms one feature of a query with missing values. Known values determine normalised values and ranks. The
 * missing ones get means, or stay NaN. `column` is the feature in the first row. */
static void transform_with_missing(const dorm__feature_map *map, size_t feature, size_t count, size_t width,
                                   float *column, dorm__valued_doc *known)
{
  size_t num_known = 0;
  double mean = 0;
  for (size_t i = 0; i < count; i++)
    if (!isnan(column[i * width])) {
      known[num_known++] = (dorm__valued_doc){column[i * width], (uint32_t)i};
      mean += (double)column[i * width];
    }
  mean = num_known ? mean / (double)num_known : 0;
  double shift, factor;
  normalise_known(map, feature, num_known, known, mean, &shift, &factor);
  for (size_t i = 0; map->rank_block > 0 && i < count; i++)
    column[i * width + map->num_ids] = map->keeps_missing ? NAN : (float)(map->rank_block / 2);
  if (map->rank_block > 0)
    assign_ranks(num_known, width, map->rank_block, known, column + map->num_ids);
  mean = map->keeps_missing ? (double)NAN : map->mean ? map->mean[feature] : mean;
  for (size_t i = 0; i < count; i++) {
    double x = isnan(column[i * width]) ? mean : (double)column[i * width];
    column[i * width] = (float)((x - shift) * factor);
  }
}

/* ---- Layout --------------------------------------------------------------------- */

static void lay_out_row(const dorm__feature_map *map, const size_t *sources, size_t num_features, const float *source,
                        float *row)
{
  for (size_t f = 0; f < map->num_ids; f++)
    row[f] = sources[f] < num_features ? source[sources[f]] : 0;
}

static void lay_out_sparse_row(const dorm_dataset *dataset, const dorm__feature_map *map, const size_t *sources,
                               size_t doc, float *row)
{
  size_t entry = dataset->row_start[doc];
  size_t end = dataset->row_start[doc + 1];
  for (size_t f = 0; f < map->num_ids; f++) { /* both lists increase, and an id that the data set lacks has no entry */
    while (sources[f] < dataset->num_features && entry < end && dataset->indices[entry] < sources[f])
      entry++;
    row[f] = entry < end && dataset->indices[entry] == sources[f] ? dataset->values[entry] : 0;
  }
}

static dorm_status lay_out_anew(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                const size_t *sources, size_t num_threads, dorm__features *features)
{
  size_t num_features = dataset->num_features, width = features->num_features;
  if (!dataset->file)
    features->values = dorm__alloc(dataset->num_docs * width, sizeof *features->values);
  dorm_status status = DORM_OK;
  if (dataset->file)
    status = dorm__values_new(context, dataset->file, dataset->num_docs * width, &features->file, &features->values);
  else if (!features->values)
    status = dorm__out_of_memory(context, "features");
#pragma omp parallel for num_threads((int)num_threads) if (num_threads > 1)
  for (size_t j = 0; j < (status == DORM_OK ? dataset->num_docs : 0); j++) {
    float *row = features->values + j * width;
    dorm__file_memory_fill(features->file, row, width * sizeof *row);
    if (dataset->row_start) {
      lay_out_sparse_row(dataset, map, sources, j, row);
    } else {
      const float *source = dataset->values + j * num_features;
      dorm__file_memory_use(dataset->file, source, num_features * sizeof *source);
      lay_out_row(map, sources, num_features, source, row);
    }
  }
  return status;
}

static bool is_identity(const dorm_dataset *dataset, const dorm__feature_map *map, const size_t *sources)
{
  bool is_same = map->num_ids == dataset->num_features;
  for (size_t f = 0; is_same && f < map->num_ids; f++)
    is_same = sources[f] == f;
  return is_same;
}

/* Changes the capacity of a data set for values, in memory or in its file. */
static dorm_status resize_values(dorm_context *context, dorm_dataset *dataset, size_t count)
{
  if (dataset->file) {
    dorm_status status = dorm__file_memory_resize(context, dataset->file, count * sizeof *dataset->values);
    dataset->values = dorm__file_memory_bytes(dataset->file);
    return status;
  }
  float *values = dorm__realloc(dataset->values, count, sizeof *values);
  if (!values)
    return dorm__out_of_memory(context, "features");
  dataset->values = values;
  return DORM_OK;
}

/* Lays out a row in place or elsewhere among the values of the data set. `laid_out` has room for one row. */
static void move_row(const dorm_dataset *dataset, const dorm__feature_map *map, const size_t *sources, size_t doc,
                     size_t width, float *laid_out)
{
  size_t num_features = dataset->num_features;
  const float *source = dataset->values + doc * num_features;
  float *row = dataset->values + doc * width;
  dorm__file_memory_use(dataset->file, source, num_features * sizeof *source);
  dorm__file_memory_use(dataset->file, row, width * sizeof *row);
  lay_out_row(map, sources, num_features, source, laid_out);
  memcpy(row, laid_out, map->num_ids * sizeof *row);
}

/* Lays out all rows in place. Rows that shrink move from the first on, rows that grow from the last on. */
static dorm_status lay_out_in_place(dorm_context *context, dorm_dataset *dataset, const dorm__feature_map *map,
                                    const size_t *sources, dorm__features *features)
{
  size_t num_features = dataset->num_features, num_docs = dataset->num_docs, width = features->num_features;
  DORM__FREED float *row = dorm__alloc(map->num_ids, sizeof *row);
  dorm_status status = DORM__ALL(row ? DORM_OK : dorm__out_of_memory(context, "features"),
                                 width > num_features ? resize_values(context, dataset, num_docs * width) : DORM_OK);
  if (status == DORM_OK && (width != num_features || !is_identity(dataset, map, sources)))
    for (size_t i = 0; i < num_docs; i++)
      move_row(dataset, map, sources, width > num_features ? num_docs - 1 - i : i, width, row);
  if (status != DORM_OK)
    return status;
  if (width < num_features) /* memory that cannot be returned stays */
    (void)resize_values(context, dataset, num_docs * width);
  features->values = dataset->values;
  features->file = dataset->file;
  dataset->values = NULL;
  dataset->file = NULL;
  return DORM_OK;
}

/* ---- Transformation ------------------------------------------------------------- */

/* The transformation of the rows that were laid out. */
typedef struct transformation {
  const dorm_dataset *dataset;
  const dorm__feature_map *map;
  const dorm__features *features;
  size_t step;           /* visits the queries 0, step, 2 step, ... */
  size_t stride;         /* of the sample */
  bool is_finishing;     /* the sample's queries are already transformed and only need scores */
  const double *weights; /* for scores, or NULL */
  double *scores;
} transformation;

/* The rows of the next query. Empty if prefetching them would evict this query from the cache. */
static rows_ahead find_ahead(const transformation *work, size_t query)
{
  const size_t *start = work->dataset->query_start;
  size_t width = work->features->num_features;
  size_t next = query + work->step;
  if (next >= work->dataset->num_queries || work->features->file ||
      (start[query + 1] - start[query]) * width * sizeof *work->features->values > DORM__MOST_FETCHED)
    return (rows_ahead){0};
  return (rows_ahead){work->features->values + start[next] * width, start[next + 1] - start[next]};
}

/* Transforms and scores a few rows at a time, so that they are still in the nearest cache when they are scored. */
static void transform_query(const transformation *work, size_t query, scratch *own)
{
  enum { FEW = 8 };
  const dorm__feature_map *map = work->map;
  const dorm__features *features = work->features;
  size_t width = features->num_features;
  size_t first = work->dataset->query_start[query];
  size_t count = work->dataset->query_start[query + 1] - first;
  float *rows = features->values + first * width;
  dorm__file_memory_use(features->file, rows, count * width * sizeof *rows);
  if (work->dataset->has_missing) {
    for (size_t f = 0; f < map->num_ids; f++)
      transform_with_missing(map, f, count, width, rows + f, own->sorted);
    if (work->weights)
      dorm__features_score(features, first, count, work->weights, work->scores + first);
    return;
  }
  rows_ahead ahead = find_ahead(work, query);
  for (size_t f = 0; map->rank_block > 0 && f < map->num_ids; f++)
    rank_feature(count, width, rows + f, map->rank_block, own->sorted, rows + map->num_ids + f);
  const double *shift = find_normalisation(map, count, width, rows, own);
  for (size_t i = 0; i < count; i += FEW) {
    size_t few = count - i < FEW ? count - i : FEW;
    rows_ahead next = {0};
    if (ahead.count > i)
      next = (rows_ahead){ahead.rows + i * width, ahead.count - i};
    if (shift)
      apply(few, width, map->num_ids, shift, own->factor, rows + i * width, next);
    if (work->weights)
      dorm__features_score(features, first + i, few, work->weights, work->scores + first + i);
  }
}

/* Transforms query `number` of all, or only scores it if it is already transformed. */
static void finish_query(const transformation *work, size_t query, size_t number, scratch *own)
{
  const size_t *start = work->dataset->query_start;
  if (!work->is_finishing || number % work->stride)
    transform_query(work, query, own);
  else
    dorm__features_score_in_turn(work->features, start[query], start[query + 1] - start[query], work->weights,
                                 work->scores + start[query]);
}

static bool transform(const transformation *work, size_t num_threads)
{
  size_t num_queries = work->dataset->num_queries;
  size_t before = dorm__queries_before(work->dataset);
  size_t first = (work->step - before % work->step) % work->step; /* the first multiple of step */
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  scratch *all = scratch_new(&memory, num_threads, work->map->num_ids, dorm__dataset_max_docs(work->dataset));
  if (memory.is_short)
    return false;
  if (num_threads == 1) { /* a parallel region costs more than a small query */
    for (size_t q = first; q < num_queries; q += work->step)
      finish_query(work, q, before + q, all);
  } else {
#pragma omp parallel for schedule(dynamic, 8) num_threads((int)num_threads)
    for (size_t q = first; q < num_queries; q += work->step)
      finish_query(work, q, before + q, &all[omp_get_thread_num()]);
  }
  return true;
}

dorm_status dorm__features_build_dense(dorm_context *context, const dorm_dataset *dataset, dorm_dataset *owned,
                                       const dorm__feature_map *map, const size_t *sources,
                                       const dorm__row_layout *layout, dorm__features *features)
{
  size_t width = dorm__feature_map_width(map);
  dorm__features made = {.num_docs = dataset->num_docs, .num_features = width};
  transformation work = {
      .dataset = dataset, .map = map, .features = &made, .step = layout->stride, .stride = layout->stride};
  if (width > SIZE_MAX / 8 / (dataset->num_docs + 1))
    return dorm__out_of_memory(context, "features");
  dorm_status status =
      DORM__ALL(owned ? lay_out_in_place(context, owned, map, sources, &made)
                      : lay_out_anew(context, dataset, map, sources, layout->num_threads, &made),
                !transform(&work, layout->num_threads) ? dorm__out_of_memory(context, "features") : DORM_OK);
  if (status == DORM_OK)
    *features = made;
  else
    dorm__values_free(made.file, made.values);
  return status;
}

bool dorm__features_finish_dense(const dorm_dataset *dataset, const dorm__feature_map *map, const double *weights,
                                 size_t num_threads, const dorm__sampled_features *sample, double *scores)
{
  transformation work = {.dataset = dataset,
                         .map = map,
                         .features = &sample->rows,
                         .step = 1,
                         .stride = sample->stride,
                         .is_finishing = true,
                         .weights = weights,
                         .scores = scores};
  return transform(&work, num_threads);
}
