/* features_narrow.c: room for rows whose values are whole multiples of a step, and how they are rounded. */
#include "features/features_narrow.h"

dorm_status dorm__narrow_new(dorm_context *context, const dorm_dataset *dataset, dorm_dataset *owned,
                             const dorm__feature_map *map, dorm__features *made)
{
  double most = (double)((1 << map->bits) - 1);
  *made = (dorm__features){.num_docs = dataset->num_docs,
                           .num_features = dorm__feature_map_width(map),
                           .code_size = map->bits / 8,
                           .num_values = map->num_ids,
                           .step = 1 / most,
                           .rank_step = map->rank_block / most};
  size_t size = made->num_docs * made->num_features * made->code_size;
  float *values = NULL;
  dorm_status status = DORM_OK;
  if (owned && made->num_features * made->code_size <= owned->num_features * sizeof *values) {
    made->codes = owned->values;
    made->file = owned->file;
    owned->values = NULL;
    owned->file = NULL;
  } else if (dataset->file) {
    status = dorm__values_new(context, dataset->file, size / sizeof *values + 1, &made->file, &values);
    made->codes = values;
  } else {
    made->codes = dorm__alloc(size, 1);
  }
  return status == DORM_OK && !made->codes ? dorm__out_of_memory(context, "features") : status;
}

void dorm__narrow_shrink(dorm_context *context, dorm__features *made)
{
  size_t size = made->num_docs * made->num_features * made->code_size;
  if (made->file) {
    (void)dorm__file_memory_resize(context, made->file, size);
    made->codes = dorm__file_memory_bytes(made->file);
  } else {
    void *codes = dorm__realloc(made->codes, size, 1);
    made->codes = codes ? codes : made->codes;
  }
}

/* The number of the multiple that is nearest to a value. */
static inline int32_t nearest(float value, double per_step, double most)
{
  double number = (double)value * per_step + 0.5;
  number = number > 0 ? number : 0;
  return (int32_t)(number < most ? number : most);
}

DORM__WIDE_VECTORS
static void round_16(size_t count, double per_step, double most, const float *restrict values, uint16_t *restrict codes)
{
  for (size_t f = 0; f < count; f++)
    codes[f] = (uint16_t)nearest(values[f], per_step, most);
}

DORM__WIDE_VECTORS
static void round_8(size_t count, double per_step, double most, const float *restrict values, uint8_t *restrict codes)
{
  for (size_t f = 0; f < count; f++)
    codes[f] = (uint8_t)nearest(values[f], per_step, most);
}

/* Rounds columns of one row to multiples of `step`. */
static void round_columns(const dorm__features *made, size_t count, double step, const float *values, void *codes)
{
  double per_step = step > 0 ? 1 / step : 0;
  if (made->code_size == sizeof(uint8_t))
    round_8(count, per_step, UINT8_MAX, values, codes);
  else
    round_16(count, per_step, UINT16_MAX, values, codes);
}

void dorm__narrow_put(const dorm__features *made, size_t first, const dorm__features *rows, size_t num_threads)
{
  size_t width = made->num_features, size = width * made->code_size;
  char *codes = (char *)made->codes + first * size;
  dorm__file_memory_use(made->file, codes, rows->num_docs * size);
#pragma omp parallel for num_threads((int)num_threads) if (num_threads > 1)
  for (size_t j = 0; j < rows->num_docs; j++) {
    const float *row = rows->values + j * width;
    round_columns(made, made->num_values, made->step, row, codes + j * size);
    round_columns(made, width - made->num_values, made->rank_step, row + made->num_values,
                  codes + j * size + made->num_values * made->code_size);
  }
}
