/* query_sizes.c: reads the number of documents of each query of a data file whose lines name no query. LightGBM
 * (`FILE.query`) and XGBoost (`FILE.group`) keep these numbers, one per line, in the order of the data. */
#include "data/data.h"
#include "data/row_store.h"

#include <math.h>
#include <string.h>

typedef struct size_reader {
  dorm_context *context;
  dorm__query_sizes *found;
  size_t capacity;
} size_reader;

static dorm_status read_size(void *user, const dorm__line_reader *lines, const char *line, const char *end)
{
  size_reader *reader = user;
  dorm__query_sizes *found = reader->found;
  double size = 0;
  if (dorm__skip_blanks(line, end) == end)
    return DORM_OK;
  if (!dorm__is_one_number(line, end, &size) || !(size >= 1 && size <= DORM__LARGEST_COUNT) || size != floor(size))
    return dorm__line_reader_fail(reader->context, lines, "the size of a query must be a whole number of 1 or more");
  if (!DORM__GROW(found->sizes, reader->capacity, found->count + 1))
    return dorm__out_of_memory(reader->context, "query sizes");
  found->sizes[found->count++] = (size_t)size;
  return DORM_OK;
}

dorm_status dorm__query_sizes_find(dorm_context *context, const char *data_path, dorm__query_sizes *found)
{
  *found = (dorm__query_sizes){0};
  dorm_status status =
      dorm__file_beside(context, data_path, 2, (const char *const[]){".query", ".group"}, &found->path);
  if (status != DORM_OK || !found->path)
    return status;
  size_reader reader = {.context = context, .found = found};
  status = dorm__each_line(context, found->path, read_size, &reader);
  if (status != DORM_OK)
    dorm__query_sizes_clear(found);
  return status;
}

void dorm__query_sizes_clear(dorm__query_sizes *found)
{
  dorm__free(found->path);
  dorm__free(found->sizes);
  *found = (dorm__query_sizes){0};
}

/* ---- Query order ------------------------------------------------------------------------------- */

/* Groups the documents of scattered queries. The counts of documents by query give every document its new place.
 * Labels, texts and rows are then copied to these places, each into a new array. */

/* Sets order[place] to the document that moves to this place. Fills query_start. */
static void find_order(dorm_dataset *dataset, const size_t *query_of, size_t *order)
{
  size_t *start = dataset->query_start;
  memset(start, 0, (dataset->num_queries + 1) * sizeof *start);
  for (size_t j = 0; j < dataset->num_docs; j++)
    start[query_of[j] + 1]++;
  for (size_t q = 0; q < dataset->num_queries; q++)
    start[q + 1] += start[q];
  for (size_t j = 0; j < dataset->num_docs; j++)
    order[start[query_of[j]]++] = j;
  for (size_t q = dataset->num_queries; q > 0; q--) /* undoes the shift to the start of the next query */
    start[q] = start[q - 1];
  start[0] = 0;
}

/* Moves items of `size` bytes, one per document. */
static bool move_items(size_t num_docs, const size_t *order, size_t size, void **items)
{
  char *moved = dorm__alloc(num_docs, size);
  if (!moved)
    return false;
  for (size_t i = 0; i < num_docs && size; i++)
    memcpy(moved + i * size, (const char *)*items + order[i] * size, size);
  dorm__free(*items);
  *items = moved;
  return true;
}

/* Moves the rows of a dense data set, which may be in a file. */
static dorm_status move_dense_rows(dorm_context *context, dorm_dataset *dataset, const size_t *order)
{
  size_t width = dataset->num_features;
  float *values = NULL;
  dorm__file_memory *file = NULL;
  dorm_status status = dorm__values_new(context, dataset->file, dataset->num_docs * width, &file, &values);
  if (status != DORM_OK)
    return status;
  for (size_t i = 0; i < dataset->num_docs && width; i++) {
    dorm__file_memory_use(dataset->file, dataset->values + order[i] * width, width * sizeof *values);
    dorm__file_memory_use(file, values + i * width, width * sizeof *values);
    memcpy(values + i * width, dataset->values + order[i] * width, width * sizeof *values);
  }
  dorm__values_free(dataset->file, dataset->values);
  dataset->values = values;
  dataset->file = file;
  return DORM_OK;
}

static void swap_blocks(void **one, void **other)
{
  void *kept = *one;
  *one = *other;
  *other = kept;
}

static bool move_sparse_rows(dorm_dataset *dataset, const size_t *order)
{
  size_t num_entries = dataset->row_start[dataset->num_docs];
  DORM__FREED size_t *row_start = dorm__alloc(dataset->num_docs + 1, sizeof *row_start);
  DORM__FREED uint32_t *indices = dorm__alloc(num_entries, sizeof *indices);
  DORM__FREED float *values = dorm__alloc(num_entries, sizeof *values);
  if (!row_start || !indices || !values)
    return false;
  size_t entry = 0;
  for (size_t i = 0; i < dataset->num_docs; i++) {
    size_t first = dataset->row_start[order[i]];
    size_t count = dataset->row_start[order[i] + 1] - first;
    row_start[i] = entry;
    memcpy(indices + entry, dataset->indices + first, count * sizeof *indices);
    memcpy(values + entry, dataset->values + first, count * sizeof *values);
    entry += count;
  }
  row_start[dataset->num_docs] = entry;
  swap_blocks((void **)&dataset->row_start, (void **)&row_start);
  swap_blocks((void **)&dataset->indices, (void **)&indices);
  swap_blocks((void **)&dataset->values, (void **)&values);
  return true;
}

dorm_status dorm__dataset_order(dorm_context *context, dorm_dataset *dataset, const size_t *query_of)
{
  size_t num_docs = dataset->num_docs;
  size_t *order = dorm__alloc(num_docs, sizeof *order);
  if (!order)
    return dorm__out_of_memory(context, "sorting a data set");
  find_order(dataset, query_of, order);
  dataset->input_order = order;
  bool is_good = move_items(num_docs, order, sizeof *dataset->labels, (void **)&dataset->labels) &&
                 move_items(num_docs, order, sizeof *dataset->doc_texts, (void **)&dataset->doc_texts) &&
                 (!dataset->row_start || move_sparse_rows(dataset, order));
  if (!is_good)
    return dorm__out_of_memory(context, "sorting a data set");
  return dataset->row_start ? DORM_OK : move_dense_rows(context, dataset, order);
}
