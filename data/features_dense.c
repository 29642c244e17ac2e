/*
 * features_dense.c: dense rows of features. First the values of the wanted ids
 * are laid out, then each query is normalised in place, its ranks taken before.
 */
#include "data/data.h"

#include <omp.h>
#include <string.h>

/* Of one thread: low and high [num_ids], sorted [most documents of a query]. */
typedef struct scratch {
  float *low, *high;
  dorm__valued_doc *sorted;
} scratch;

static bool scratch_new(size_t num_ids, size_t max_docs, scratch *made)
{
  made->low = dorm__alloc(num_ids, sizeof *made->low);
  made->high = dorm__alloc(num_ids, sizeof *made->high);
  made->sorted = dorm__alloc(max_docs, sizeof *made->sorted);
  return made->low && made->high && made->sorted;
}

static void scratch_clear(scratch *used)
{
  dorm__free(used->low);
  dorm__free(used->high);
  dorm__free(used->sorted);
}

/* x -> (x - min) / (max - min), 0 where constant, for the first num_ids columns. */
static void min_max(size_t count, size_t width, size_t num_ids, scratch *own, float *rows)
{
  memcpy(own->low, rows, num_ids * sizeof *rows);
  memcpy(own->high, rows, num_ids * sizeof *rows);
  for (size_t i = 1; i < count; i++)
    for (size_t f = 0; f < num_ids; f++) {
      float x = rows[i * width + f];
      own->low[f] = x < own->low[f] ? x : own->low[f];
      own->high[f] = x > own->high[f] ? x : own->high[f];
    }
  for (size_t i = 0; i < count; i++)
    for (size_t f = 0; f < num_ids; f++) {
      /* in double: the range of two floats may be above the largest float */
      double range = (double)own->high[f] - (double)own->low[f];
      float *x = &rows[i * width + f];
      *x = range > 0 ? (float)(((double)*x - (double)own->low[f]) / range) : 0;
    }
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

static void lay_out_query(const dorm_dataset *dataset, const dorm__feature_map *map, const size_t *columns,
                          size_t query, size_t width, float *values)
{
  for (size_t j = dataset->query_start[query]; j < dataset->query_start[query + 1]; j++) {
    if (dataset->row_start) {
      lay_out_sparse_row(dataset, map, columns, j, values + j * width);
      continue;
    }
    const float *source = dataset->values + j * dataset->num_features;
    for (size_t f = 0; f < map->num_ids; f++)
      values[j * width + f] = columns[f] < dataset->num_features ? source[columns[f]] : 0;
  }
}

static void transform_query(const dorm_dataset *dataset, const dorm__feature_map *map, size_t query, size_t width,
                            scratch *own, float *values)
{
  size_t first = dataset->query_start[query];
  size_t count = dataset->query_start[query + 1] - first;
  float *rows = values + first * width;
  for (size_t f = 0; map->rank_block > 0 && f < map->num_ids; f++)
    rank_column(count, width, rows + f, map->rank_block, own->sorted, rows + map->num_ids + f);
  if (map->min_max)
    min_max(count, width, map->num_ids, own, rows);
}

bool dorm__features_build_dense(const dorm_dataset *dataset, const dorm__feature_map *map, const size_t *columns,
                                size_t num_threads, dorm__features *features)
{
  size_t width = dorm__feature_map_width(map);
  size_t max_docs = dorm__dataset_max_docs(dataset);
  bool is_good = width <= SIZE_MAX / 8 / (dataset->num_docs + 1);
  float *values = is_good ? dorm__alloc(dataset->num_docs * width, sizeof *values) : NULL;
  is_good = values != NULL;
#pragma omp parallel num_threads((int)num_threads) if (num_threads > 1)
  {
    scratch own = {0};
    bool is_ready = is_good && scratch_new(map->num_ids, max_docs, &own);
#pragma omp critical(dorm_features_dense)
    is_good = is_good && is_ready;
#pragma omp barrier
#pragma omp for schedule(dynamic, 8)
    for (size_t q = 0; q < (is_good ? dataset->num_queries : 0); q++) {
      lay_out_query(dataset, map, columns, q, width, values);
      transform_query(dataset, map, q, width, &own, values);
    }
    scratch_clear(&own);
  }
  if (!is_good) {
    dorm__free(values);
    return false;
  }
  *features = (dorm__features){.num_docs = dataset->num_docs, .num_features = width, .values = values};
  return true;
}
