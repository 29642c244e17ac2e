/* batches.c: a data set query by query, some at a time, for rows that are made and forgotten again. */
#include "features/batches.h"
#include "data/data.h"

static const size_t batch_values = 1 << 22; /* about how many stored values a batch has */

dorm_dataset dorm__batch(const dorm_dataset *dataset, size_t first, size_t end, size_t *query_start)
{
  size_t doc = dataset->query_start[first];
  dorm_dataset view = {.name = dataset->name,
                       .num_docs = dataset->query_start[end] - doc,
                       .num_queries = end - first,
                       .num_features = dataset->num_features,
                       .query_start = query_start,
                       .feature_ids = dataset->feature_ids,
                       .values = dataset->values,
                       .indices = dataset->indices,
                       .has_missing = dataset->has_missing};
  for (size_t q = first; q <= end; q++)
    query_start[q - first] = dataset->query_start[q] - doc;
  if (dataset->row_start)
    view.row_start = dataset->row_start + doc; /* its entries are places in all values and indices */
  else
    view.values = dataset->values + doc * dataset->num_features;
  dorm__file_memory_use(dataset->file, view.values, view.num_docs * view.num_features * sizeof *view.values);
  return view;
}

size_t dorm__batch_end(const dorm_dataset *dataset, size_t first)
{
  const size_t *start = dataset->query_start;
  const size_t *rows = dataset->row_start;
  size_t end = first;
  size_t count = 0;
  while (end < dataset->num_queries && count < batch_values) {
    count += rows ? rows[start[end + 1]] - rows[start[end]] : (start[end + 1] - start[end]) * dataset->num_features;
    end++;
  }
  return end;
}
