/*
 * features_dense.c: dense rows of features. First the values of the wanted ids
 * are laid out, in new memory or in that of the data set, then each query is
 * transformed in place: its ranks are taken, then its values normalised. Some
 * queries can be transformed before the others, which are then scored on the way.
 */
#include "features/features_dense.h"
#include "data/data.h"
#include "features/feature_map.h"
#include "features/features.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { MOST_FETCHED = 256 << 10 }; /* bytes of a query while which the next one comes from memory */

/* Of one thread: [num_ids] each, sorted [most documents of a query]. */
typedef struct scratch {
  float *low, *high;
  double *shift, *spread, *factor;
  dorm__valued_doc *sorted;
} scratch;

static bool scratch_new(size_t num_ids, size_t max_docs, scratch *made)
{
  made->low = dorm__alloc(num_ids, sizeof *made->low);
  made->high = dorm__alloc(num_ids, sizeof *made->high);
  made->shift = dorm__alloc(num_ids, sizeof *made->shift);
  made->spread = dorm__alloc(num_ids, sizeof *made->spread);
  made->factor = dorm__alloc(num_ids, sizeof *made->factor);
  made->sorted = dorm__alloc(max_docs, sizeof *made->sorted);
  return made->low && made->high && made->shift && made->spread && made->factor && made->sorted;
}

static void scratch_clear(scratch *used)
{
  dorm__free(used->low);
  dorm__free(used->high);
  dorm__free(used->shift);
  dorm__free(used->spread);
  dorm__free(used->factor);
  dorm__free(used->sorted);
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
  for (size_t f = 0; f < num_ids; f++) { /* in double: a range of floats may be above the largest float */
    own->shift[f] = (double)low[f];
    own->spread[f] = (double)high[f] - (double)low[f];
  }
}

/* Mean and standard deviation; behind find_range, which knows what is constant. */
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

/* Rows that come next. */
typedef struct rows_ahead {
  const float *rows;
  size_t count;
} rows_ahead;

/* (row - shift) * factor, [num_ids] each. Meanwhile the rows ahead come from memory. */
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

/* factor[f] = 1 / spread[f], 0 for what is constant. */
static void invert(size_t num_ids, const double *spread, double *factor)
{
  for (size_t f = 0; f < num_ids; f++)
    factor[f] = spread[f] > 0 ? 1 / spread[f] : 0;
}

/* What is to be taken off the values of a query, NULL where they stay; own->factor: what
 * they are then multiplied by. */
static const double *find_normalisation(const dorm__feature_map *map, size_t count, size_t width, const float *rows,
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

/* ranks[i * stride] = factor (1 - (above + (ties - 1) / 2) / (count - 1)),
 * factor / 2 where the column is constant. */
static void rank_column(size_t count, size_t stride, const float *column, double factor, dorm__valued_doc *sorted,
                        float *ranks)
{
  for (size_t i = 0; i < count; i++)
    sorted[i] = (dorm__valued_doc){column[i * stride], (uint32_t)i};
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

/* ---- Layout --------------------------------------------------------------------- */

static void lay_out_row(const dorm__feature_map *map, const size_t *columns, size_t num_columns, const float *source,
                        float *row)
{
  for (size_t f = 0; f < map->num_ids; f++)
    row[f] = columns[f] < num_columns ? source[columns[f]] : 0;
}

static void lay_out_sparse_row(const dorm_dataset *dataset, const dorm__feature_map *map, const size_t *columns,
                               size_t doc, float *row)
{
  size_t entry = dataset->row_start[doc];
  size_t end = dataset->row_start[doc + 1];
  for (size_t f = 0; f < map->num_ids; f++) { /* both increase; an id that is nowhere has no column */
    while (columns[f] < dataset->num_features && entry < end && dataset->columns[entry] < columns[f])
      entry++;
    row[f] = entry < end && dataset->columns[entry] == columns[f] ? dataset->values[entry] : 0;
  }
}

static float *lay_out_anew(const dorm_dataset *dataset, const dorm__feature_map *map, const size_t *columns,
                           size_t width, size_t num_threads)
{
  size_t num_columns = dataset->num_features;
  float *values = dorm__alloc(dataset->num_docs * width, sizeof *values);
#pragma omp parallel for num_threads((int)num_threads) if (num_threads > 1)
  for (size_t j = 0; j < (values ? dataset->num_docs : 0); j++)
    if (dataset->row_start)
      lay_out_sparse_row(dataset, map, columns, j, values + j * width);
    else
      lay_out_row(map, columns, num_columns, dataset->values + j * num_columns, values + j * width);
  return values;
}

static bool is_identity(const dorm_dataset *dataset, const dorm__feature_map *map, const size_t *columns)
{
  bool is_same = map->num_ids == dataset->num_features;
  for (size_t f = 0; is_same && f < map->num_ids; f++)
    is_same = columns[f] == f;
  return is_same;
}

/* Rows that shrink move from the first, rows that grow from the last. */
static float *lay_out_in_place(dorm_dataset *dataset, const dorm__feature_map *map, const size_t *columns, size_t width)
{
  size_t num_columns = dataset->num_features;
  size_t num_docs = dataset->num_docs;
  if (width > num_columns) {
    float *larger = dorm__realloc(dataset->values, num_docs * width, sizeof *larger);
    if (!larger)
      return NULL;
    dataset->values = larger;
  }
  float *values = dataset->values;
  float *row = dorm__alloc(map->num_ids, sizeof *row);
  if (!row)
    return NULL;
  if (width != num_columns || !is_identity(dataset, map, columns))
    for (size_t i = 0; i < num_docs; i++) {
      size_t j = width > num_columns ? num_docs - 1 - i : i;
      lay_out_row(map, columns, num_columns, values + j * num_columns, row);
      memcpy(values + j * width, row, map->num_ids * sizeof *row);
    }
  dorm__free(row);
  if (width < num_columns) {
    float *smaller = dorm__realloc(values, num_docs * width, sizeof *smaller);
    values = smaller ? smaller : values;
  }
  dataset->values = NULL;
  return values;
}

/* ---- Transformation ------------------------------------------------------------- */

/* What to do with laid out rows. */
typedef struct transformation {
  const dorm_dataset *dataset;
  const dorm__feature_map *map;
  const dorm__features *features;
  size_t step;           /* every so many queries are gone through */
  size_t stride;         /* of which every so many are transformed already; 0: none */
  const double *weights; /* of the scores that are wanted; NULL: none */
  double *scores;
} transformation;

/* The next query, where it does not drive this one from the cache. */
static rows_ahead find_ahead(const transformation *work, size_t query)
{
  const size_t *start = work->dataset->query_start;
  size_t width = work->features->num_features;
  size_t next = query + work->step;
  if (next >= work->dataset->num_queries ||
      (start[query + 1] - start[query]) * width * sizeof *work->features->values > MOST_FETCHED)
    return (rows_ahead){0};
  return (rows_ahead){work->features->values + start[next] * width, start[next + 1] - start[next]};
}

/* A few rows at a time, so that they are scored from the nearest cache. */
static void transform_query(const transformation *work, size_t query, scratch *own)
{
  enum { FEW = 8 };
  const dorm__feature_map *map = work->map;
  const dorm__features *features = work->features;
  size_t width = features->num_features;
  size_t first = work->dataset->query_start[query];
  size_t count = work->dataset->query_start[query + 1] - first;
  float *rows = features->values + first * width;
  rows_ahead ahead = find_ahead(work, query);
  for (size_t f = 0; map->rank_block > 0 && f < map->num_ids; f++)
    rank_column(count, width, rows + f, map->rank_block, own->sorted, rows + map->num_ids + f);
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

static bool transform(const transformation *work, size_t num_threads)
{
  size_t max_docs = dorm__dataset_max_docs(work->dataset);
  size_t num_queries = work->dataset->num_queries;
  const size_t *start = work->dataset->query_start;
  bool is_good = true;
#pragma omp parallel num_threads((int)num_threads) if (num_threads > 1)
  {
    scratch own = {0};
    bool is_ready = scratch_new(work->map->num_ids, max_docs, &own);
#pragma omp critical(dorm_features_dense)
    is_good = is_good && is_ready;
#pragma omp barrier
#pragma omp for schedule(dynamic, 8)
    for (size_t q = 0; q < (is_good ? num_queries : 0); q += work->step) {
      if (!work->stride || q % work->stride)
        transform_query(work, q, &own);
      else
        dorm__features_score_in_turn(work->features, start[q], start[q + 1] - start[q], work->weights,
                                     work->scores + start[q]);
    }
    scratch_clear(&own);
  }
  return is_good;
}

bool dorm__features_build_dense(const dorm_dataset *dataset, dorm_dataset *owned, const dorm__feature_map *map,
                                const size_t *columns, size_t stride, size_t num_threads, dorm__features *features)
{
  size_t width = dorm__feature_map_width(map);
  dorm__features made = {.num_docs = dataset->num_docs, .num_features = width, .stride = stride};
  transformation work = {.dataset = dataset, .map = map, .features = &made, .step = stride ? stride : 1};
  if (width <= SIZE_MAX / 8 / (dataset->num_docs + 1))
    made.values =
        owned ? lay_out_in_place(owned, map, columns, width) : lay_out_anew(dataset, map, columns, width, num_threads);
  if (!made.values || !transform(&work, num_threads)) {
    dorm__free(made.values);
    return false;
  }
  *features = made;
  return true;
}

bool dorm__features_finish_dense(const dorm_dataset *dataset, const dorm__feature_map *map, const double *weights,
                                 size_t num_threads, dorm__features *features, double *scores)
{
  transformation work = {.dataset = dataset,
                         .map = map,
                         .features = features,
                         .step = 1,
                         .stride = features->stride,
                         .weights = weights,
                         .scores = scores};
  bool is_good = transform(&work, num_threads);
  if (is_good)
    features->stride = 0;
  return is_good;
}
