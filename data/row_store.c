/* row_store.c: the rows read so far, dense or sparse according to their density. Dense rows take 4 bytes per document
 * and feature, sparse rows 8 bytes per entry other than 0. Every append chooses again, to limit the memory for reading.
 * The final choice depends only on the complete data. Feature indices always follow the order of the ids. */
#include "data/row_store.h"
#include "data/data.h"
#include "data/letor.h"
#include "data/line_reader.h"
#include "data/reader_parts.h"

#include <string.h>

static const double sparse_density = 0.25;  /* sparse below this density */
static const double surely_sparse = 0.125;  /* before the end, dense stores become sparse only below this */
static const size_t small_matrix = 1 << 18; /* documents times features up to which rows are always dense */

dorm_status dorm__row_store_open(dorm_context *context, const char *path, dorm_storage storage, const char *folder,
                                 size_t num_threads, dorm__row_store *store)
{
  *store = (dorm__row_store){.path = path, .storage = storage, .num_threads = num_threads};
  store->ids = dorm__id_set_new();
  if (!store->ids || !DORM__GROW(store->row_start, store->starts_capacity, 1))
    return dorm__out_of_memory(context, "a data set");
  store->row_start[0] = 0;
  store->is_dense = storage == DORM_STORAGE_DENSE || storage == DORM_STORAGE_FILE;
  return folder ? dorm__file_memory_new(context, folder, 0, &store->file) : DORM_OK;
}

void dorm__row_store_clear(dorm__row_store *store)
{
  dorm__id_set_free(store->ids);
  dorm__values_free(store->file, store->values);
  dorm__free(store->row_start);
  dorm__free(store->indices);
  *store = (dorm__row_store){0};
}

bool dorm__rows_are_few(uint64_t num_rows, size_t width)
{
  return (double)num_rows * (double)width <= (double)small_matrix;
}

static bool is_dense_enough(double limit, uint64_t num_rows, uint64_t num_nonzero, size_t width)
{
  return dorm__rows_are_few(num_rows, width) || (double)num_nonzero >= limit * ((double)num_rows * (double)width);
}

bool dorm__dense_suits(uint64_t num_rows, uint64_t num_nonzero, size_t width)
{
  return is_dense_enough(sparse_density, num_rows, num_nonzero, width);
}

static bool wants_dense(const dorm__row_store *store, double limit, uint64_t num_rows, uint64_t num_nonzero,
                        size_t width)
{
  return store->storage == DORM_STORAGE_AUTO ? is_dense_enough(limit, num_rows, num_nonzero, width)
                                             : store->storage != DORM_STORAGE_SPARSE;
}

/* Rejects data that would not fit into memory. */
static dorm_status check_size(dorm_context *context, const dorm__row_store *store, bool dense, size_t num_rows,
                              size_t num_nonzero, size_t width)
{
  double limit = dorm__memory_limit();
  double bytes = dense ? (double)sizeof(float) * (double)num_rows * (double)width
                       : (double)(sizeof(float) + sizeof(uint32_t)) * (double)num_nonzero;
  if (dense && width && num_rows > SIZE_MAX / 16 / width) /* possible only with 32-bit addresses */
    return dorm__out_of_memory(context, "a data set");
  if (bytes <= limit || store->file)
    return DORM_OK;
  return dorm__fail(context, DORM_BAD_DATA,
                    "%s: %zu documents with %zu features are more than %s storage holds here "
                    "(%.0f MB)",
                    store->path, num_rows, width, dense ? "dense" : "sparse", limit / (1 << 20));
}

/* ---- Change of storage ------------------------------------------------------ */

/* Makes room for all values of the text, if `count` are the values of its first part. Memory that grew by doubling is
 * moved, so that it loses its large pages. The system does not provide the excess before it is used. */
static void make_all_room(dorm__row_store *store, size_t count)
{
  static const size_t many = 1 << 20;
  static const double margin = 1.05;
  if (count >= many && count > store->values_capacity && store->share_read > 0)
    (void)DORM__GROW(store->values, store->values_capacity, (size_t)(margin / store->share_read * (double)count));
}

/* Makes room for `count` values. A file grows by at least a quarter, since its room is reserved on the disk. */
static dorm_status grow_values(dorm_context *context, dorm__row_store *store, size_t count)
{
  if (!store->file) {
    make_all_room(store, count);
    return DORM__GROW(store->values, store->values_capacity, count) ? DORM_OK
                                                                    : dorm__out_of_memory(context, "a data set");
  }
  count += !count; /* a mapping cannot be empty */
  if (count <= store->values_capacity)
    return DORM_OK;
  if (count > SIZE_MAX / 4 / sizeof *store->values)
    return dorm__out_of_memory(context, "a data set");
  size_t larger = store->values_capacity + store->values_capacity / 4;
  larger = larger < count ? count : larger;
  dorm_status status = dorm__file_memory_resize(context, store->file, larger * sizeof *store->values);
  if (status != DORM_OK && larger > count) { /* the disk may have room for the required size */
    larger = count;
    status = dorm__file_memory_resize(context, store->file, larger * sizeof *store->values);
  }
  if (status != DORM_OK)
    return status;
  store->values = dorm__file_memory_bytes(store->file);
  store->values_capacity = larger;
  return DORM_OK;
}

/* Widens the rows of a dense store to `width`. The value at index i moves to index targets[i]. */
static dorm_status widen(dorm_context *context, dorm__row_store *store, size_t width, const size_t *targets)
{
  dorm_status status = grow_values(context, store, store->num_rows * width);
  if (status != DORM_OK)
    return status;
  for (size_t j = store->num_rows; j-- > 0;) { /* backwards, so that nothing is overwritten */
    const float *old = store->values + j * store->width;
    float *row = store->values + j * width;
    size_t f = width;
    dorm__file_memory_use(store->file, old, store->width * sizeof *old);
    dorm__file_memory_use(store->file, row, width * sizeof *row);
    for (size_t i = store->width; i-- > 0;) {
      float value = old[i];
      while (f > targets[i] + 1)
        row[--f] = 0;
      row[--f] = value;
    }
    while (f > 0)
      row[--f] = 0;
  }
  store->width = width;
  return DORM_OK;
}

static bool sparse_to_dense(dorm__row_store *store, size_t width)
{
  float *values = dorm__alloc_zero(store->num_rows, width * sizeof *values);
  if (!values)
    return false;
#pragma omp parallel for num_threads((int)store->num_threads) if (store->num_threads > 1)
  for (size_t j = 0; j < store->num_rows; j++)
    for (size_t e = store->row_start[j]; e < store->row_start[j + 1]; e++)
      values[j * width + dorm__id_set_rank(store->ids, store->indices[e])] = store->values[e];
  dorm__free(store->values);
  dorm__free(store->indices);
  store->values = values;
  store->indices = NULL;
  store->values_capacity = store->num_rows * width;
  store->indices_capacity = 0;
  store->width = width;
  store->is_dense = true;
  return true;
}

/* Converts in place: moves the entries to the front of the matrix. */
static bool dense_to_sparse(dorm__row_store *store, const size_t *ids)
{
  if (!DORM__GROW(store->indices, store->indices_capacity, store->num_nonzero) ||
      !DORM__GROW(store->row_start, store->starts_capacity, store->num_rows + 1))
    return false;
  size_t count = 0;
  for (size_t j = 0; j < store->num_rows; j++) {
    for (size_t f = 0; f < store->width; f++) {
      float value = store->values[j * store->width + f];
      if (value == 0)
        continue;
      store->values[count] = value;
      store->indices[count++] = (uint32_t)ids[f];
    }
    store->row_start[j + 1] = count;
  }
  store->width = 0;
  float *fitting = dorm__realloc(store->values, count, sizeof *store->values);
  store->values = fitting ? fitting : store->values;
  store->values_capacity = fitting ? count : store->values_capacity;
  store->is_dense = false;
  return true;
}

/* Adds new ids, and makes the store dense or sparse. `old` [width] are the previous ids of a dense store. */
static dorm_status change(dorm_context *context, dorm__row_store *store, const dorm__id_set *added, bool dense,
                          size_t *old)
{
  size_t before = dorm__id_set_count(store->ids);
  if (!dorm__id_set_add_all(store->ids, added))
    return dorm__out_of_memory(context, "a data set");
  size_t width = dorm__id_set_count(store->ids);
  if (width > before)
    dorm__id_set_rank_all(store->ids);
  if (store->is_dense != dense)
    return (dense ? sparse_to_dense(store, width) : dense_to_sparse(store, old))
               ? DORM_OK
               : dorm__out_of_memory(context, "a data set");
  if (!store->is_dense || width == before)
    return DORM_OK;
  for (size_t i = 0; i < before; i++)
    old[i] = dorm__id_set_rank(store->ids, (uint32_t)old[i]);
  return widen(context, store, width, old);
}

static dorm_status settle(dorm_context *context, dorm__row_store *store, const dorm__id_set *added, bool dense)
{
  DORM__FREED size_t *old = dorm__alloc(store->width, sizeof *old);
  if (old && store->is_dense)
    dorm__id_set_list(store->ids, old);
  return old ? change(context, store, added, dense, old) : dorm__out_of_memory(context, "a data set");
}

/* ---- Appending ---------------------------------------------------------------- */

static void append_dense(const dorm__row_store *store, const dorm__letor_chunk *chunk)
{
  float *row = store->values + chunk->first.row * store->width;
  size_t entry = 0;
  for (size_t i = 0; i < chunk->num_rows; i++, row += store->width) {
    size_t end = chunk->rows[i].end;
    dorm__file_memory_fill(store->file, row, store->width * sizeof *row);
    if (end - entry == store->width) { /* all of them, in order */
      memcpy(row, chunk->values + entry, store->width * sizeof *row);
      entry = end;
      continue;
    }
    memset(row, 0, store->width * sizeof *row);
    for (; entry < end; entry++)
      row[dorm__id_set_rank(store->ids, chunk->ids[entry])] = chunk->values[entry];
  }
}

static void append_sparse(const dorm__row_store *store, const dorm__letor_chunk *chunk)
{
  size_t at = chunk->first.nonzero;
  size_t entry = 0;
  for (size_t i = 0; i < chunk->num_rows; i++) {
    for (; entry < chunk->rows[i].end; entry++)
      if (chunk->values[entry] != 0) {
        store->values[at] = chunk->values[entry];
        store->indices[at++] = chunk->ids[entry];
      }
    store->row_start[chunk->first.row + i + 1] = at;
  }
}

static dorm_status make_room(dorm_context *context, dorm__row_store *store, size_t num_rows, size_t num_nonzero)
{
  if (store->is_dense)
    return grow_values(context, store, num_rows * store->width);
  return DORM__GROW(store->values, store->values_capacity, num_nonzero) &&
                 DORM__GROW(store->indices, store->indices_capacity, num_nonzero) &&
                 DORM__GROW(store->row_start, store->starts_capacity, num_rows + 1)
             ? DORM_OK
             : dorm__out_of_memory(context, "a data set");
}

dorm_status dorm__row_store_append(dorm_context *context, dorm__row_store *store, size_t num_chunks,
                                   dorm__letor_chunk *chunks, const dorm__id_set *ids)
{
  size_t num_rows = store->num_rows;
  size_t num_nonzero = store->num_nonzero;
  for (size_t i = 0; i < num_chunks; i++) {
    chunks[i].first.row = num_rows;
    chunks[i].first.nonzero = num_nonzero;
    num_rows += chunks[i].num_rows;
    num_nonzero += chunks[i].num_nonzero;
  }
  size_t width = dorm__id_set_count(ids);
  bool dense = wants_dense(store, store->is_dense ? surely_sparse : sparse_density, num_rows, num_nonzero, width);
  dorm_status status = DORM__ALL(check_size(context, store, dense, num_rows, num_nonzero, width),
                                 settle(context, store, ids, dense), make_room(context, store, num_rows, num_nonzero));
  if (status != DORM_OK)
    return status;
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)store->num_threads) if (store->num_threads > 1)
  for (size_t i = 0; i < num_chunks; i++) {
    if (store->is_dense)
      append_dense(store, &chunks[i]);
    else
      append_sparse(store, &chunks[i]);
  }
  store->num_rows = num_rows;
  store->num_nonzero = num_nonzero;
  return DORM_OK;
}

dorm_status dorm__row_store_finish(dorm_context *context, dorm__row_store *store, const dorm__id_set *ids,
                                   dorm_dataset *dataset)
{
  size_t width = dorm__id_set_count(ids);
  bool dense = wants_dense(store, sparse_density, store->num_rows, store->num_nonzero, width);
  dorm_status status = DORM__ALL(check_size(context, store, dense, store->num_rows, store->num_nonzero, width),
                                 settle(context, store, ids, dense));
  if (status != DORM_OK)
    return status;
  dataset->feature_ids = dorm__alloc(width, sizeof *dataset->feature_ids);
  if (!dataset->feature_ids)
    return dorm__out_of_memory(context, "a data set");
  dorm__id_set_list(store->ids, dataset->feature_ids);
  dataset->num_features = width;
  if (store->file) {
    status = dorm__file_memory_resize(context, store->file, store->num_rows * width * sizeof *store->values);
    if (status != DORM_OK)
      return status;
    dataset->values = dorm__file_memory_bytes(store->file);
    dataset->file = store->file;
    store->file = NULL;
  } else if (dense) {
    dataset->values = dorm__shrink(store->values, store->num_rows * width, sizeof *store->values);
  } else {
#pragma omp parallel for num_threads((int)store->num_threads) if (store->num_threads > 1)
    for (size_t e = 0; e < store->num_nonzero; e++)
      store->indices[e] = dorm__id_set_rank(store->ids, store->indices[e]);
    dataset->values = dorm__shrink(store->values, store->num_nonzero, sizeof *store->values);
    dataset->indices = dorm__shrink(store->indices, store->num_nonzero, sizeof *store->indices);
    dataset->row_start = dorm__shrink(store->row_start, store->num_rows + 1, sizeof *store->row_start);
    store->indices = NULL;
    store->row_start = NULL;
  }
  store->values = NULL;
  return DORM_OK;
}
