/*
 * query_order.c: brings the documents of a query together where a file has them apart. Documents are counted by query,
 * which gives every document its place; then labels, texts and rows move there, each into a new array.
 */
#include "data/row_store.h"

#include <string.h>

/* Sets order[place] to the document that moves to this place, and query_start from the numbers of documents. */
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
  for (size_t q = dataset->num_queries; q > 0; q--) /* each start has moved to the next query's */
    start[q] = start[q - 1];
  start[0] = 0;
}

/* Moves items of `size` bytes, one for each document. */
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

/* The same for the rows of a dense data set, which may stand in a file. */
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
