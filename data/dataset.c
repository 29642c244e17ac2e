/* dataset.c: documents of queries with labels and features, in memory. */
#include "data/data.h"

#include <math.h>
#include <string.h>

dorm_status dorm__dataset_new(dorm_context *context, const char *name, size_t num_docs, size_t num_queries,
                              size_t num_features, size_t texts_size, dorm_dataset **dataset)
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
  made->values = num_features > SIZE_MAX / 4 / (num_docs + 1)
                     ? NULL
                     : dorm__alloc_zero(num_docs * num_features, sizeof *made->values);
  made->texts = dorm__alloc_zero(texts_size + 1, 1);
  made->query_texts = dorm__alloc_zero(num_queries, sizeof *made->query_texts);
  made->doc_texts = dorm__alloc_zero(num_docs, sizeof *made->doc_texts);
  made->name = dorm__copy_text(name);
  if (!made->query_start || !made->labels || !made->feature_ids || !made->values || !made->texts ||
      !made->query_texts || !made->doc_texts || !made->name) {
    dorm_dataset_free(made);
    return dorm__out_of_memory(context, "a data set");
  }
  *dataset = made;
  return DORM_OK;
}

void dorm_dataset_free(dorm_dataset *dataset)
{
  if (!dataset)
    return;
  dorm__free(dataset->query_start);
  dorm__free(dataset->labels);
  dorm__free(dataset->feature_ids);
  dorm__free(dataset->values);
  dorm__free(dataset->texts);
  dorm__free(dataset->query_texts);
  dorm__free(dataset->doc_texts);
  dorm__free(dataset->name);
  dorm__free(dataset);
}

static dorm_status check_arrays(dorm_context *context, size_t num_queries, const size_t *query_start,
                                size_t num_features, const double *labels, const float *features)
{
  if (num_queries == 0 || query_start[0] != 0)
    return dorm__fail(context, DORM_BAD_USAGE, "query_start: needs at least one query and 0 as its first entry");
  for (size_t q = 0; q < num_queries; q++)
    if (query_start[q + 1] <= query_start[q])
      return dorm__fail(context, DORM_BAD_USAGE, "query_start: query %zu has no document", q);
  size_t num_docs = query_start[num_queries];
  for (size_t j = 0; j < num_docs; j++) {
    if (!isfinite(labels[j]) || labels[j] < 0)
      return dorm__fail(context, DORM_BAD_DATA, "labels: document %zu has the label %g", j, labels[j]);
    for (size_t f = 0; f < num_features; f++)
      if (!isfinite(features[j * num_features + f]))
        return dorm__fail(context, DORM_BAD_DATA, "features: document %zu, feature %zu is not finite", j, f);
  }
  return DORM_OK;
}

dorm_status dorm_dataset_from_arrays(dorm_context *context, size_t num_queries, const size_t *query_start,
                                     size_t num_features, const double *labels, const float *features,
                                     dorm_dataset **dataset)
{
  enum { ID_SIZE = 24 }; /* a query is known by its number, from 1 */
  *dataset = NULL;
  dorm_status status = check_arrays(context, num_queries, query_start, num_features, labels, features);
  if (status != DORM_OK)
    return status;
  size_t num_docs = query_start[num_queries];
  dorm_dataset *made = NULL;
  status = dorm__dataset_new(context, "arrays", num_docs, num_queries, num_features, 1 + num_queries * ID_SIZE, &made);
  if (status != DORM_OK)
    return status;
  memcpy(made->query_start, query_start, (num_queries + 1) * sizeof *query_start);
  memcpy(made->labels, labels, num_docs * sizeof *labels);
  if (num_features)
    memcpy(made->values, features, num_docs * num_features * sizeof *features);
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

double dorm_dataset_label(const dorm_dataset *dataset, size_t doc)
{
  return dataset->labels[doc];
}

float dorm_dataset_value(const dorm_dataset *dataset, size_t doc, size_t feature)
{
  return dataset->values[doc * dataset->num_features + feature];
}

dorm_status dorm_dataset_write(dorm_context *context, const dorm_dataset *dataset, const char *path)
{
  dorm__output *output = NULL;
  dorm_status status = dorm__output_open(context, path, &output);
  if (status != DORM_OK)
    return status;
  for (size_t q = 0; q < dataset->num_queries; q++)
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++) {
      dorm__output_number(output, dataset->labels[j]);
      dorm__output_text(output, " qid:%s", dorm_dataset_query_id(dataset, q));
      const float *row = dataset->values + j * dataset->num_features;
      for (size_t f = 0; f < dataset->num_features; f++) {
        if (row[f] == 0)
          continue;
        dorm__output_text(output, " %zu:", dataset->feature_ids[f]);
        dorm__output_float(output, row[f]);
      }
      const char *doc_id = dorm_dataset_doc_id(dataset, j);
      dorm__output_text(output, *doc_id ? " #docid = %s\n" : "\n", doc_id);
    }
  return dorm__output_commit(context, output);
}
