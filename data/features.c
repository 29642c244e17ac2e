/*
 * features.c: from the values of a data set to the rows that a linear model
 * sees: each feature normalised within its query and, when asked for, a block
 * of within-query mid-ranks. Both depend on the candidate list of the query
 * alone, so training and prediction compute them alike.
 */
#include "data/data.h"

#include <stdlib.h>
#include <string.h>

size_t dorm__feature_map_width(const dorm__feature_map *map)
{
  return map->rank_block > 0 ? 2 * map->num_ids : map->num_ids;
}

/* x -> (x - min) / (max - min), 0 where constant: column[count], stride apart. */
static void min_max_column(size_t count, size_t stride, float *column)
{
  float low = column[0];
  float high = column[0];
  for (size_t i = 1; i < count; i++) {
    float x = column[i * stride];
    low = x < low ? x : low;
    high = x > high ? x : high;
  }
  /* in double: the range of two floats may be above the largest float */
  double range = (double)high - (double)low;
  for (size_t i = 0; i < count; i++)
    column[i * stride] = range > 0 ? (float)(((double)column[i * stride] - (double)low) / range) : 0;
}

struct value_doc {
  float value;
  uint32_t doc;
};

static int compare_descending(const void *x, const void *y)
{
  float value_x = ((const struct value_doc *)x)->value;
  float value_y = ((const struct value_doc *)y)->value;
  return (value_x < value_y) - (value_x > value_y);
}

/* ranks[i * stride] = factor (1 - (above + (ties - 1) / 2) / (count - 1)),
 * factor / 2 where the column is constant. */
static void rank_column(size_t count, size_t stride, const float *column, double factor, struct value_doc *sorted,
                        float *ranks)
{
  for (size_t i = 0; i < count; i++)
    sorted[i] = (struct value_doc){column[i * stride], (uint32_t)i};
  qsort(sorted, count, sizeof *sorted, compare_descending);
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

/* columns[num_ids]: where each id stands in the data set; num_features: nowhere. */
static void find_columns(const dorm_dataset *dataset, const dorm__feature_map *map, size_t *columns)
{
  size_t f = 0;
  for (size_t i = 0; i < map->num_ids; i++) {
    while (f < dataset->num_features && dataset->feature_ids[f] < map->ids[i])
      f++;
    columns[i] = f < dataset->num_features && dataset->feature_ids[f] == map->ids[i] ? f : dataset->num_features;
  }
}

static void build_query(const dorm_dataset *dataset, const dorm__feature_map *map, const size_t *columns, size_t query,
                        size_t width, struct value_doc *sorted, float *values)
{
  size_t first = dataset->query_start[query];
  size_t count = dataset->query_start[query + 1] - first;
  float *rows = values + first * width;
  for (size_t i = 0; i < count; i++) {
    const float *source = dataset->values + (first + i) * dataset->num_features;
    for (size_t f = 0; f < map->num_ids; f++)
      rows[i * width + f] = columns[f] < dataset->num_features ? source[columns[f]] : 0;
  }
  for (size_t f = 0; f < map->num_ids; f++) {
    if (map->rank_block > 0)
      rank_column(count, width, rows + f, map->rank_block, sorted, rows + map->num_ids + f);
    if (map->min_max)
      min_max_column(count, width, rows + f);
  }
}

dorm_status dorm__features_build(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                 dorm__features *features)
{
  dorm_status status = DORM_OK;
  size_t width = dorm__feature_map_width(map);
  *features = (dorm__features){0};
  float *values =
      width > SIZE_MAX / 8 / (dataset->num_docs + 1) ? NULL : dorm__alloc(dataset->num_docs * width, sizeof *values);
  size_t *columns = dorm__alloc(map->num_ids, sizeof *columns);
  struct value_doc *sorted = dorm__alloc(dorm__dataset_max_docs(dataset), sizeof *sorted);
  if (!values || !columns || !sorted) {
    status = dorm__out_of_memory(context, "features");
    goto done;
  }
  find_columns(dataset, map, columns);
  for (size_t q = 0; q < dataset->num_queries; q++)
    build_query(dataset, map, columns, q, width, sorted, values);
  *features = (dorm__features){dataset->num_docs, width, values, NULL};
  values = NULL;
done:
  dorm__free(values);
  dorm__free(columns);
  dorm__free(sorted);
  return status;
}

void dorm__features_free(dorm__features *features)
{
  dorm__free(features->values);
  dorm__free(features->exact);
  *features = (dorm__features){0};
}

/* Eight partial sums let the compiler use vector registers without being
 * allowed to reorder sums; the result does not depend on the machine. */
#define DOT_ROW(size, row, weights)                                                                                    \
  double sums[8] = {0};                                                                                                \
  size_t f = 0;                                                                                                        \
  for (; f + 8 <= size; f += 8)                                                                                        \
    for (size_t i = 0; i < 8; i++)                                                                                     \
      sums[i] += (double)row[f + i] * weights[f + i];                                                                  \
  double sum = ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));              \
  for (; f < size; f++)                                                                                                \
    sum += (double)row[f] * weights[f];                                                                                \
  return sum

static double dot_row(size_t size, const float *row, const double *weights)
{
  DOT_ROW(size, row, weights);
}

static double dot_exact_row(size_t size, const double *row, const double *weights)
{
  DOT_ROW(size, row, weights);
}

void dorm__features_score(const dorm__features *features, size_t first, size_t count, const double *weights,
                          double *scores)
{
  size_t width = features->num_features;
  for (size_t i = 0; i < count; i++)
    scores[i] = features->exact ? dot_exact_row(width, features->exact + (first + i) * width, weights)
                                : dot_row(width, features->values + (first + i) * width, weights);
}

void dorm__features_add(const dorm__features *features, size_t doc, double factor, double *result)
{
  size_t width = features->num_features;
  if (features->exact) {
    dorm__add_scaled(width, factor, features->exact + doc * width, result);
    return;
  }
  const float *row = features->values + doc * width;
  for (size_t f = 0; f < width; f++)
    result[f] += factor * (double)row[f];
}
