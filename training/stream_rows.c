/*
 * stream_rows.c: the rows of queries that come one after the other. The features are not known before, so they are
 * numbered as they appear, and rows of later queries are wider than rows of earlier ones. Normalisation is within
 * queries, or the normalisation of the model from which training continues.
 */
#include "training/stream_call.h"

#include <stdlib.h>
#include <string.h>

/* Returns the number of weights of one feature: one for its value, and with a rank block one for its rank. */
static size_t weights_each(const dorm__stream_rows *rows)
{
  return rows->map.rank_block > 0 ? 2 : 1;
}

size_t dorm__stream_rows_width(const dorm__stream_rows *rows)
{
  return rows->num_ids * weights_each(rows);
}

/* Takes normalisation, rank block and features of a linear model. */
static dorm_status take_model(dorm_context *context, const dorm_model *from, dorm__stream_rows *rows)
{
  double rank_block = 0;
  if (!dorm__model_linear_weights(from, &rank_block) || from->num_parts > 1)
    return dorm__fail(context, DORM_BAD_USAGE, "data.from: a stream continues from a linear model alone");
  rows->map = from->map;
  rows->map.rank_block = rank_block;
  rows->from = from;
  return dorm__stream_rows_add(context, rows, from->map.num_ids, from->map.ids);
}

dorm_status dorm__stream_rows_open(dorm_context *context, const dorm_settings *settings, const dorm_model *from,
                                   dorm__stream_rows *rows)
{
  dorm__normalisation normalisation = (dorm__normalisation)dorm__settings_choice(settings, DORM__DATA_NORMALISATION);
  *rows = (dorm__stream_rows){.map = {.normalisation = normalisation}};
  rows->map.rank_block = dorm__settings_is_auto(settings, DORM__DATA_RANK_BLOCK)
                             ? 0
                             : dorm__settings_number_at(settings, DORM__DATA_RANK_BLOCK, 0);
  rows->numbers = dorm__index_map_new();
  if (!rows->numbers)
    return dorm__out_of_memory(context, "features");
  dorm_status status = dorm__id_ranges_parse(context, dorm__setting_table[DORM__DATA_FEATURES].key,
                                             dorm__settings_text(settings, DORM__DATA_FEATURES), &rows->chosen);
  if (status == DORM_OK && from)
    return take_model(context, from, rows);
  if (status == DORM_OK && dorm__normalisation_is_global(normalisation))
    return dorm__fail(context, DORM_BAD_USAGE,
                      "data.normalisation = %s needs the numbers of all training data, which a stream does not have: "
                      "normalise within queries (minmax, zscore), or continue from a model that has them (data.from)",
                      dorm__normalisation_name(normalisation));
  return status;
}

void dorm__stream_rows_close(dorm__stream_rows *rows)
{
  dorm__id_ranges_clear(&rows->chosen);
  dorm__index_map_free(rows->numbers);
  dorm__free(rows->ids);
  dorm__free(rows->own);
  dorm__free(rows->places);
  *rows = (dorm__stream_rows){0};
}

/* ---- Numbers of features ------------------------------------------------------------- */

/* Finds the number of a feature, which gets the next one if it is new. Returns false when out of memory. */
static bool find_number(dorm__stream_rows *rows, size_t id, size_t *number)
{
  size_t cursor = 0;
  if (dorm__index_map_find(rows->numbers, id, &cursor, number))
    return true;
  if (!DORM__GROW(rows->ids, rows->capacity, rows->num_ids + 1) ||
      !dorm__index_map_add(rows->numbers, id, rows->num_ids))
    return false;
  rows->ids[rows->num_ids] = id;
  *number = rows->num_ids++;
  return true;
}

dorm_status dorm__stream_rows_add(dorm_context *context, dorm__stream_rows *rows, size_t count, const size_t *ids)
{
  size_t number;
  for (size_t i = 0; i < count; i++)
    if (!find_number(rows, ids[i], &number))
      return dorm__out_of_memory(context, "features");
  return DORM_OK;
}

static bool is_used(const dorm__stream_rows *rows, size_t id)
{
  return !rows->chosen.count || dorm__id_ranges_hold(&rows->chosen, id);
}

/* Lists the used features of a query, with their numbers. They are often the same as in the query before. */
static bool list_own(dorm__stream_rows *rows, const dorm_dataset *query)
{
  size_t count = 0, room = rows->own_capacity;
  bool is_as_before = query->num_features == rows->num_own &&
                      (!rows->num_own || memcmp(query->feature_ids, rows->own, rows->num_own * sizeof *rows->own) == 0);
  if (is_as_before)
    return true;
  if (!DORM__GROW(rows->own, rows->own_capacity, query->num_features) ||
      !DORM__GROW(rows->places, room, query->num_features))
    return false;
  rows->num_own = 0;
  for (size_t f = 0; f < query->num_features; f++) {
    if (!is_used(rows, query->feature_ids[f]))
      continue;
    rows->own[count] = query->feature_ids[f];
    if (!find_number(rows, rows->own[count], &rows->places[count]))
      return false;
    count++;
  }
  rows->num_own = count;
  return true;
}

/* Refuses new features if the normalisation of the model has numbers for each of its features. */
static dorm_status check_known(dorm_context *context, const dorm__stream_rows *rows, const dorm_dataset *query)
{
  size_t cursor, number;
  for (size_t f = 0; (rows->map.shift || rows->map.mean) && f < query->num_features; f++) {
    cursor = 0;
    if (is_used(rows, query->feature_ids[f]) &&
        !dorm__index_map_find(rows->numbers, query->feature_ids[f], &cursor, &number))
      return dorm__fail(context, DORM_BAD_DATA,
                        "%s: query %s has feature %zu, which the model of data.from lacks, and with it the numbers for "
                        "its normalisation",
                        query->name, dorm_dataset_query_id(query, 0), query->feature_ids[f]);
  }
  return DORM_OK;
}

/* ---- Rows ----------------------------------------------------------------------------- */

/* Returns the weight of feature `f` of rows that were made of `own` features alone, first the values, then the
 * ranks. */
static size_t weight_of(const dorm__stream_rows *rows, size_t f)
{
  size_t each = weights_each(rows);
  return f < rows->num_own ? rows->places[f] * each : rows->places[f - rows->num_own] * each + 1;
}

/* Moves rows of the query's own features to the weights of all features. Returns false when out of memory. */
static bool renumber(const dorm__stream_rows *rows, dorm__features *features)
{
  size_t width = dorm__stream_rows_width(rows), own = rows->num_own * weights_each(rows);
  if (features->row_start) {
    for (size_t e = 0; e < features->row_start[features->num_docs]; e++)
      features->indices[e] = (uint32_t)weight_of(rows, features->indices[e]);
    features->num_features = width;
    return true;
  }
  bool is_same = own == width;
  for (size_t f = 0; is_same && f < own; f++)
    is_same = weight_of(rows, f) == f;
  if (is_same)
    return true;
  float *values = dorm__alloc_zero(features->num_docs, width * sizeof *values);
  if (!values)
    return false;
  for (size_t j = 0; j < features->num_docs; j++)
    for (size_t f = 0; f < own; f++)
      values[j * width + weight_of(rows, f)] = features->values[j * own + f];
  dorm__free(features->values);
  features->values = values;
  features->num_features = width;
  return true;
}

/* Returns the numbers of the query's own features, or NULL if the map has none. */
static double *gather(const dorm__stream_rows *rows, const double *all, dorm__region *memory)
{
  double *own = all ? dorm__region_take_zero(memory, rows->num_own, sizeof *own) : NULL;
  for (size_t f = 0; own && f < rows->num_own; f++)
    own[f] = all[rows->places[f]];
  return own;
}

dorm_status dorm__stream_rows_make(dorm_context *context, dorm__stream_rows *rows, dorm_dataset *query,
                                   dorm__features *features)
{
  *features = (dorm__features){0};
  dorm_status status = DORM__ALL(check_known(context, rows, query),
                                 !list_own(rows, query) ? dorm__out_of_memory(context, "features") : DORM_OK);
  if (status != DORM_OK)
    return status;
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  dorm__feature_map map = rows->map;
  map.num_ids = rows->num_own;
  map.ids = rows->own;
  map.shift = gather(rows, map.shift, &memory);
  map.spread = gather(rows, map.spread, &memory);
  map.mean = gather(rows, map.mean, &memory);
  if (memory.is_short)
    status = dorm__out_of_memory(context, "features");
  else
    status = rows->keeps_values ? dorm__features_build(context, query, &map, 1, features)
                                : dorm__features_take(context, query, &map, 1, features);
  if (status == DORM_OK && !renumber(rows, features))
    status = dorm__out_of_memory(context, "features");
  if (status != DORM_OK)
    dorm__features_free(features);
  return status;
}

/* ---- Models ---------------------------------------------------------------------------- */

/* A feature with its number, to be sorted by id. */
typedef struct numbered_id {
  size_t id, number;
} numbered_id;

static int compare_ids(const void *x, const void *y)
{
  size_t one = ((const numbered_id *)x)->id, two = ((const numbered_id *)y)->id;
  return (one > two) - (one < two);
}

/* Returns the features in increasing order, or NULL when out of memory. */
static numbered_id *sorted_ids(const dorm__stream_rows *rows)
{
  numbered_id *sorted = dorm__alloc(rows->num_ids, sizeof *sorted);
  for (size_t i = 0; sorted && i < rows->num_ids; i++)
    sorted[i] = (numbered_id){rows->ids[i], i};
  if (sorted)
    qsort(sorted, rows->num_ids, sizeof *sorted, compare_ids);
  return sorted;
}

dorm_status dorm__stream_rows_model(dorm_context *context, const dorm__stream_rows *rows, const double *weights,
                                    const dorm_settings *settings, dorm_model **model)
{
  size_t count = rows->num_ids, each = weights_each(rows);
  DORM__FREED numbered_id *sorted = sorted_ids(rows);
  DORM__FREED size_t *ids = dorm__alloc(count, sizeof *ids);
  DORM__FREED double *ordered = dorm__alloc(count, each * sizeof *ordered);
  dorm__feature_map map = rows->map; /* with `from` the numbers are already in the order of its ids */
  dorm__part part = {0};
  *model = NULL;
  dorm_status status = sorted && ids && ordered ? DORM_OK : dorm__out_of_memory(context, "a model");
  for (size_t i = 0; status == DORM_OK && i < count; i++) {
    ids[i] = sorted[i].id;
    for (size_t k = 0; k < each; k++)
      ordered[k * count + i] = weights[sorted[i].number * each + k];
  }
  map.num_ids = count;
  map.ids = ids;
  if (status == DORM_OK)
    status = DORM__ALL(dorm__model_new(context, &map, settings, model),
                       dorm__linear_part_new(context, count, map.rank_block, ordered, &part),
                       dorm__model_add(context, *model, part));
  if (status != DORM_OK) {
    dorm_model_free(*model);
    *model = NULL;
  }
  return status;
}

dorm_status dorm__stream_rows_weights(dorm_context *context, const dorm__stream_rows *rows, double **weights,
                                      size_t *width)
{
  double rank_block = 0;
  size_t count = rows->from->map.num_ids, each = weights_each(rows);
  const double *linear = dorm__model_linear_weights(rows->from, &rank_block);
  *width = count * each;
  *weights = dorm__alloc(count, each * sizeof **weights);
  if (!*weights)
    return dorm__out_of_memory(context, "weights");
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < each; k++)
      (*weights)[i * each + k] = linear[k * count + i];
  return DORM_OK;
}
