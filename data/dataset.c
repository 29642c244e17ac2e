/* dataset.c: data sets in memory: made from arrays, asked for their parts, written as text. */
#include "data/dataset.h"
#include "base/file.h"
#include "data/data.h"
#include "data/doc_lists.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Makes all but the values: for dense rows room for them, for sparse ones room for where rows start. */
static dorm_status make_dataset(dorm_context *context, const char *name, size_t num_docs, size_t num_queries,
                                size_t num_features, size_t texts_size, bool is_dense, dorm_dataset **dataset)
{
  *dataset = NULL;
  dorm_dataset *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a data set");
  made->num_docs = num_docs;
  made->num_queries = num_queries;
  made->num_features = num_features;
  made->query_start = dorm__alloc_zero(num_queries + 1, sizeof *made->query_start);
  made->labels = dorm__alloc_zero(num_docs, sizeof *made->labels);
  made->feature_ids = dorm__alloc_zero(num_features, sizeof *made->feature_ids);
  if (!is_dense)
    made->row_start = dorm__alloc_zero(num_docs + 1, sizeof *made->row_start);
  else if (num_features <= SIZE_MAX / 4 / (num_docs + 1))
    made->values = dorm__alloc_zero(num_docs * num_features, sizeof *made->values);
  made->texts = dorm__alloc_zero(texts_size + 1, 1);
  made->query_texts = dorm__alloc_zero(num_queries, sizeof *made->query_texts);
  made->doc_texts = dorm__alloc_zero(num_docs, sizeof *made->doc_texts);
  made->name = dorm__copy_text(name);
  if (!made->query_start || !made->labels || !made->feature_ids ||
      !(is_dense ? (void *)made->values : made->row_start) || !made->texts || !made->query_texts || !made->doc_texts ||
      !made->name) {
    dorm_dataset_free(made);
    return dorm__out_of_memory(context, "a data set");
  }
  *dataset = made;
  return DORM_OK;
}

dorm_status dorm__dataset_new(dorm_context *context, const char *name, size_t num_docs, size_t num_queries,
                              size_t num_features, size_t texts_size, dorm_dataset **dataset)
{
  return make_dataset(context, name, num_docs, num_queries, num_features, texts_size, true, dataset);
}

dorm_status dorm__dataset_new_sparse(dorm_context *context, const char *name, size_t num_docs, size_t num_queries,
                                     size_t num_features, size_t num_entries, size_t texts_size, dorm_dataset **dataset)
{
  dorm_status status = make_dataset(context, name, num_docs, num_queries, num_features, texts_size, false, dataset);
  if (status != DORM_OK)
    return status;
  (*dataset)->indices = dorm__alloc(num_entries, sizeof *(*dataset)->indices);
  (*dataset)->values = dorm__alloc(num_entries, sizeof *(*dataset)->values);
  if ((*dataset)->indices && (*dataset)->values)
    return DORM_OK;
  dorm_dataset_free(*dataset);
  *dataset = NULL;
  return dorm__out_of_memory(context, "a data set");
}

void dorm_dataset_free(dorm_dataset *dataset)
{
  if (!dataset)
    return;
  dorm__free(dataset->query_start);
  dorm__free(dataset->labels);
  dorm__free(dataset->feature_ids);
  dorm__free(dataset->values);
  dorm__free(dataset->row_start);
  dorm__free(dataset->indices);
  dorm__free(dataset->texts);
  dorm__free(dataset->query_texts);
  dorm__free(dataset->doc_texts);
  dorm__free(dataset->name);
  dorm__free(dataset->input_order);
  dorm__doc_lists_free(dataset->groups);
  dorm__doc_lists_free(dataset->subtopics);
  dorm__free(dataset);
}

static dorm_status check_queries(dorm_context *context, size_t num_queries, const size_t *query_start,
                                 const double *labels)
{
  if (num_queries == 0 || query_start[0] != 0)
    return dorm__fail(context, DORM_BAD_USAGE, "query_start: needs at least one query and 0 as its first entry");
  for (size_t q = 0; q < num_queries; q++)
    if (query_start[q + 1] <= query_start[q])
      return dorm__fail(context, DORM_BAD_USAGE, "query_start: query %zu has no document", q);
  for (size_t j = 0; j < query_start[num_queries]; j++)
    if (!isfinite(labels[j]) || labels[j] < 0)
      return dorm__fail(context, DORM_BAD_DATA, "labels: document %zu has the label %g", j, labels[j]);
  return DORM_OK;
}

/* Makes a data set from arrays, all but the values. Queries and features get the numbers from 1 as ids. */
static dorm_status new_from_arrays(dorm_context *context, size_t num_queries, const size_t *query_start,
                                   size_t num_features, const double *labels, bool is_dense, dorm_dataset **dataset)
{
  enum { ID_SIZE = 24 };
  dorm_dataset *made = NULL;
  dorm_status status = check_queries(context, num_queries, query_start, labels);
  if (status == DORM_OK)
    status = make_dataset(context, "arrays", query_start[num_queries], num_queries, num_features,
                          1 + num_queries * ID_SIZE, is_dense, &made);
  if (status != DORM_OK)
    return status;
  memcpy(made->query_start, query_start, (num_queries + 1) * sizeof *query_start);
  memcpy(made->labels, labels, made->num_docs * sizeof *labels);
  for (size_t f = 0; f < num_features; f++)
    made->feature_ids[f] = f + 1;
  size_t offset = 1; /* 0 is the empty text of the documents */
  for (size_t q = 0; q < num_queries; q++) {
    made->query_texts[q] = offset;
    offset += 1 + (size_t)snprintf(made->texts + offset, ID_SIZE, "%zu", q + 1);
  }
  *dataset = made;
  return DORM_OK;
}

dorm_status dorm_dataset_from_arrays(dorm_context *context, size_t num_queries, const size_t *query_start,
                                     size_t num_features, const double *labels, const float *features,
                                     dorm_dataset **dataset)
{
  *dataset = NULL;
  dorm_dataset *made = NULL;
  dorm_status status = new_from_arrays(context, num_queries, query_start, num_features, labels, true, &made);
  for (size_t j = 0; status == DORM_OK && j < made->num_docs; j++)
    for (size_t f = 0; status == DORM_OK && f < num_features; f++) {
      float value = features[j * num_features + f];
      made->values[j * num_features + f] = value;
      if (isinf(value))
        status = dorm__fail(context, DORM_BAD_DATA, "features: document %zu, feature %zu is not finite", j, f);
      made->has_missing = made->has_missing || isnan(value);
    }
  if (status != DORM_OK) {
    dorm_dataset_free(made);
    return status;
  }
  *dataset = made;
  return DORM_OK;
}

static dorm_status check_row(dorm_context *context, size_t num_features, size_t doc, const size_t *row_start,
                             const uint32_t *indices, const float *values)
{
  for (size_t e = row_start[doc]; e < row_start[doc + 1]; e++) {
    if (indices[e] >= num_features || (e > row_start[doc] && indices[e] <= indices[e - 1]))
      return dorm__fail(context, DORM_BAD_USAGE,
                        "indices: document %zu: index %" PRIu32 " does not increase or is not below %zu", doc,
                        indices[e], num_features);
    if (isinf(values[e]))
      return dorm__fail(context, DORM_BAD_DATA, "values: document %zu, index %" PRIu32 " is not finite", doc,
                        indices[e]);
  }
  return DORM_OK;
}

dorm_status dorm_dataset_from_sparse(dorm_context *context, size_t num_queries, const size_t *query_start,
                                     size_t num_features, const double *labels, const size_t *row_start,
                                     const uint32_t *indices, const float *values, dorm_dataset **dataset)
{
  *dataset = NULL;
  dorm_dataset *made = NULL;
  if (num_features > UINT32_MAX / 2 || row_start[0] != 0)
    return dorm__fail(context, DORM_BAD_USAGE, "row_start: needs 0 as its first entry and at most %" PRIu32 " features",
                      UINT32_MAX / 2);
  dorm_status status = new_from_arrays(context, num_queries, query_start, num_features, labels, false, &made);
  for (size_t j = 0; status == DORM_OK && j < made->num_docs; j++)
    if (row_start[j + 1] < row_start[j])
      status = dorm__fail(context, DORM_BAD_USAGE, "row_start: decreases after document %zu", j);
  for (size_t j = 0; status == DORM_OK && j < made->num_docs; j++)
    status = check_row(context, num_features, j, row_start, indices, values);
  size_t num_entries = status == DORM_OK ? row_start[made->num_docs] : 0;
  for (size_t e = 0; e < num_entries; e++)
    made->has_missing = made->has_missing || isnan(values[e]);
  if (status == DORM_OK) {
    memcpy(made->row_start, row_start, (made->num_docs + 1) * sizeof *row_start);
    made->indices = dorm__alloc(num_entries, sizeof *made->indices);
    made->values = dorm__alloc(num_entries, sizeof *made->values);
    if (!made->indices || !made->values)
      status = dorm__out_of_memory(context, "a data set");
  }
  if (status != DORM_OK) {
    dorm_dataset_free(made);
    return status;
  }
  if (num_entries) {
    memcpy(made->indices, indices, num_entries * sizeof *indices);
    memcpy(made->values, values, num_entries * sizeof *values);
  }
  *dataset = made;
  return DORM_OK;
}

size_t dorm__dataset_max_docs(const dorm_dataset *dataset)
{
  size_t most = 0;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    size_t count = dataset->query_start[q + 1] - dataset->query_start[q];
    most = count > most ? count : most;
  }
  return most;
}

size_t dorm_dataset_num_docs(const dorm_dataset *dataset)
{
  return dataset->num_docs;
}

size_t dorm_dataset_num_queries(const dorm_dataset *dataset)
{
  return dataset->num_queries;
}

size_t dorm_dataset_num_features(const dorm_dataset *dataset)
{
  return dataset->num_features;
}

size_t dorm_dataset_feature_id(const dorm_dataset *dataset, size_t feature)
{
  return dataset->feature_ids[feature];
}

size_t dorm_dataset_query_start(const dorm_dataset *dataset, size_t query)
{
  return dataset->query_start[query];
}

const char *dorm_dataset_query_id(const dorm_dataset *dataset, size_t query)
{
  return dataset->texts + dataset->query_texts[query];
}

const char *dorm_dataset_doc_id(const dorm_dataset *dataset, size_t doc)
{
  return dataset->texts + dataset->doc_texts[doc];
}

size_t dorm_dataset_input_doc(const dorm_dataset *dataset, size_t doc)
{
  return dataset->input_order ? dataset->input_order[doc] : doc;
}

double dorm_dataset_label(const dorm_dataset *dataset, size_t doc)
{
  return dataset->labels[doc];
}

float dorm_dataset_value(const dorm_dataset *dataset, size_t doc, size_t feature)
{
  if (!dataset->values) /* training took the memory of the values */
    return 0;
  if (!dataset->row_start)
    return dataset->values[doc * dataset->num_features + feature];
  size_t low = dataset->row_start[doc];
  size_t end = dataset->row_start[doc + 1];
  for (size_t high = end; low < high;) { /* search for the first index of at least `feature` */
    size_t middle = low + (high - low) / 2;
    if (dataset->indices[middle] < feature)
      low = middle + 1;
    else
      high = middle;
  }
  return low < end && dataset->indices[low] == feature ? dataset->values[low] : 0;
}

static void write_value(dorm__output *output, const dorm_dataset *dataset, size_t index, float value)
{
  if (value == 0)
    return;
  dorm__output_text(output, " %zu:%s", dataset->feature_ids[index], isnan(value) ? "nan" : "");
  if (!isnan(value))
    dorm__output_float(output, value);
}

static void write_doc(dorm__output *output, const dorm_dataset *dataset, size_t query, size_t doc)
{
  dorm__output_number(output, dataset->labels[doc]);
  dorm__output_text(output, " qid:%s", dorm_dataset_query_id(dataset, query));
  if (dataset->row_start)
    for (size_t e = dataset->row_start[doc]; e < dataset->row_start[doc + 1]; e++)
      write_value(output, dataset, dataset->indices[e], dataset->values[e]);
  else
    for (size_t f = 0; f < dataset->num_features; f++)
      write_value(output, dataset, f, dataset->values[doc * dataset->num_features + f]);
  const char *doc_id = dorm_dataset_doc_id(dataset, doc);
  dorm__output_text(output, *doc_id ? " #docid = %s\n" : "\n", doc_id);
}

dorm_status dorm_dataset_write(dorm_context *context, const dorm_dataset *dataset, const char *path)
{
  dorm__output *output = NULL;
  dorm_status status = dorm__output_open(context, path, &output);
  if (status != DORM_OK)
    return status;
  for (size_t q = 0; q < dataset->num_queries; q++)
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++)
      write_doc(output, dataset, q, j);
  return dorm__output_commit(context, output);
}
