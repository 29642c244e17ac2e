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

/* The number of the multiple that is nearest to `value`. */
static inline int32_t nearest(double value, double per_step, double most)
{
  double number = value * per_step + 0.5;
  return (int32_t)(number < 0 ? 0 : number > most ? most : number);
}

#define ROUND_ROW(type)                                                                                                \
  for (size_t f = 0; f < made->num_features; f++)                                                                      \
    ((type *)codes)[f] = (type)nearest((double)row[f], f < made->num_values ? per_value : per_rank, most);

static void round_row(const dorm__features *made, const float *restrict row, void *restrict codes)
{
  double most = made->code_size == sizeof(uint8_t) ? UINT8_MAX : UINT16_MAX;
  double per_value = 1 / made->step, per_rank = made->rank_step > 0 ? 1 / made->rank_step : 0;
  if (made->code_size == sizeof(uint8_t)) {
    ROUND_ROW(uint8_t)
  } else {
    ROUND_ROW(uint16_t)
  }
}

void dorm__narrow_put(const dorm__features *made, size_t first, const dorm__features *rows, size_t num_threads)
{
  size_t width = made->num_features, size = width * made->code_size;
  char *codes = (char *)made->codes + first * size;
  dorm__file_memory_use(made->file, codes, rows->num_docs * size);
#pragma omp parallel for num_threads((int)num_threads) if (num_threads > 1)
  for (size_t j = 0; j < rows->num_docs; j++)
    round_row(made, rows->values + j * width, codes + j * size);
}
