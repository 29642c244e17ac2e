/* query_sizes.c: reads the number of documents of each query of a data file whose lines name no query. LightGBM
 * (`FILE.query`) and XGBoost (`FILE.group`) keep these numbers, one per line, in the order of the data. */
#include "data/data.h"
#include "data/row_store.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Finds FILE.query or FILE.group beside the data, also without the data's .gz. Returns NULL if there is none, or if
 * *memory_is_out. */
static char *find_sizes_file(const char *data_path, bool *memory_is_out)
{
  static const char *const endings[] = {".query", ".group"};
  size_t size = strlen(data_path);
  bool is_packed = size > 3 && strcmp(data_path + size - 3, ".gz") == 0;
  char *path = dorm__alloc(size + sizeof ".query", 1);
  *memory_is_out = !path;
  for (size_t cut = 0; path && cut <= (is_packed ? 3U : 0U); cut += 3)
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
      snprintf(path, size + sizeof ".query", "%.*s%s", (int)(size - cut), data_path, endings[i]);
      if (access(path, F_OK) == 0)
        return path;
    }
  dorm__free(path);
  return NULL;
}

static const char *skip_blanks(const char *text, const char *end)
{
  while (text < end && (*text == ' ' || *text == '\t'))
    text++;
  return text;
}

static dorm_status read_size(dorm_context *context, const dorm__line_reader *reader, const char *line, const char *end,
                             size_t *capacity, dorm__query_sizes *found)
{
  double size = 0;
  const char *rest = dorm__parse_double(line, end, &size);
  if (!rest || skip_blanks(rest, end) != end || !(size >= 1 && size <= DORM__LARGEST_COUNT) || size != floor(size))
    return dorm__line_reader_fail(context, reader, "the size of a query must be a whole number of 1 or more");
  if (!dorm__grow((void **)&found->sizes, capacity, found->count + 1, sizeof *found->sizes))
    return dorm__out_of_memory(context, "query sizes");
  found->sizes[found->count++] = (size_t)size;
  return DORM_OK;
}

dorm_status dorm__query_sizes_find(dorm_context *context, const char *data_path, dorm__query_sizes *found)
{
  *found = (dorm__query_sizes){0};
  bool memory_is_out = false;
  char *path = find_sizes_file(data_path, &memory_is_out);
  if (!path)
    return memory_is_out ? dorm__out_of_memory(context, "query sizes") : DORM_OK;
  dorm__query_sizes made = {.path = path};
  dorm__line_reader *reader = NULL;
  size_t capacity = 0;
  const char *line = NULL;
  const char *end = NULL;
  dorm_status status = dorm__line_reader_open(context, path, &reader);
  while (status == DORM_OK && (status = dorm__line_reader_next(context, reader, &line, &end)) == DORM_OK && line) {
    line = skip_blanks(line, end);
    if (line < end)
      status = read_size(context, reader, line, end, &capacity, &made);
  }
  dorm__line_reader_close(reader);
  if (status == DORM_OK)
    *found = made;
  else
    dorm__query_sizes_clear(&made);
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

static bool move_sparse_rows(dorm_dataset *dataset, const size_t *order)
{
  size_t num_entries = dataset->row_start[dataset->num_docs];
  size_t *row_start = dorm__alloc(dataset->num_docs + 1, sizeof *row_start);
  uint32_t *indices = dorm__alloc(num_entries, sizeof *indices);
  float *values = dorm__alloc(num_entries, sizeof *values);
  bool is_good = row_start && indices && values;
  size_t entry = 0;
  for (size_t i = 0; is_good && i < dataset->num_docs; i++) {
    size_t first = dataset->row_start[order[i]];
    size_t count = dataset->row_start[order[i] + 1] - first;
    row_start[i] = entry;
    if (count) {
      memcpy(indices + entry, dataset->indices + first, count * sizeof *indices);
      memcpy(values + entry, dataset->values + first, count * sizeof *values);
    }
    entry += count;
  }
  if (is_good) {
    row_start[dataset->num_docs] = entry;
    dorm__free(dataset->row_start);
    dorm__free(dataset->indices);
    dorm__free(dataset->values);
    dataset->row_start = row_start;
    dataset->indices = indices;
    dataset->values = values;
    return true;
  }
  dorm__free(row_start);
  dorm__free(indices);
  dorm__free(values);
  return false;
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
