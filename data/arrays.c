/* arrays.c: makes data sets from arrays of the calling program, and returns the arrays of a data set. Copies values,
 * but borrows them for scoring if they already have the layout of a data set. Cost: O(documents * features), or
 * O(entries) for sparse rows. */
#include "base/status.h"
#include "data/data.h"
#include "data/dataset.h"
#include "data/row_store.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- Checks -------------------------------------------------------------------- */

static dorm_status check_queries(dorm_context *context, const dorm_arrays *arrays)
{
  const size_t *start = arrays->query_start;
  if (start[0] != 0 || start[arrays->num_queries] != arrays->num_docs)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "query_start: begins with %zu and ends with %zu; it has to begin with 0 and end with the number "
                      "of documents, %zu",
                      start[0], start[arrays->num_queries], arrays->num_docs);
  for (size_t q = 0; q < arrays->num_queries; q++)
    if (start[q + 1] > arrays->num_docs)
      return dorm__fail(context, DORM_BAD_USAGE, "query_start: query %zu ends at %zu, but there are %zu documents", q,
                        start[q + 1], arrays->num_docs);
    else if (start[q + 1] <= start[q])
      return start[q + 1] == start[q]
                 ? dorm__fail(context, DORM_BAD_USAGE, "query_start: query %zu has no document", q)
                 : dorm__fail(context, DORM_BAD_USAGE, "query_start: decreases from %zu to %zu at query %zu", start[q],
                              start[q + 1], q);
  return DORM_OK;
}

static dorm_status check_labels(dorm_context *context, const dorm_arrays *arrays)
{
  for (size_t j = 0; arrays->labels && j < arrays->num_docs; j++)
    if (!isfinite(arrays->labels[j]) || arrays->labels[j] < 0)
      return dorm__fail(context, DORM_BAD_DATA, "labels: document %zu has the label %g", j, arrays->labels[j]);
  return DORM_OK;
}

static dorm_status check_feature_ids(dorm_context *context, const dorm_arrays *arrays)
{
  const size_t *ids = arrays->feature_ids;
  for (size_t f = 0; ids && f < arrays->num_features; f++)
    if (ids[f] > DORM__LARGEST_ID || (f && ids[f] <= ids[f - 1]))
      return dorm__fail(context, DORM_BAD_USAGE,
                        "feature_ids: id %zu of feature %zu does not increase or is above %" PRIu32, ids[f], f,
                        DORM__LARGEST_ID);
  return DORM_OK;
}

static dorm_status check_row_start(dorm_context *context, const dorm_arrays *arrays)
{
  if (arrays->row_start[0] != 0)
    return dorm__fail(context, DORM_BAD_USAGE, "row_start: has to begin with 0");
  for (size_t j = 0; j < arrays->num_docs; j++)
    if (arrays->row_start[j + 1] < arrays->row_start[j])
      return dorm__fail(context, DORM_BAD_USAGE, "row_start: decreases after document %zu", j);
  if (arrays->row_start[arrays->num_docs] && !arrays->indices)
    return dorm__fail(context, DORM_BAD_USAGE, "the argument 'indices' is NULL");
  return DORM_OK;
}

static dorm_status check_indices(dorm_context *context, const dorm_arrays *arrays)
{
  const size_t *start = arrays->row_start;
  const uint32_t *indices = arrays->indices;
  for (size_t j = 0; j < arrays->num_docs; j++)
    for (size_t e = start[j]; e < start[j + 1]; e++)
      if (indices[e] >= arrays->num_features || (e > start[j] && indices[e] <= indices[e - 1]))
        return dorm__fail(context, DORM_BAD_USAGE,
                          "indices: document %zu: index %" PRIu32 " does not increase or is not below %zu", j,
                          indices[e], arrays->num_features);
  return DORM_OK;
}

/* Counts the values that the rows hold. */
static size_t count_values(const dorm_arrays *arrays)
{
  return arrays->row_start ? arrays->row_start[arrays->num_docs] : arrays->num_features ? arrays->num_docs : 0;
}

static dorm_status check(dorm_context *context, const dorm_arrays *arrays)
{
  if (arrays->storage > DORM_STORAGE_SPARSE)
    return dorm__fail(context, DORM_BAD_USAGE, "arrays.storage is %d: it has to be 0, 1 or 2", (int)arrays->storage);
  if ((!arrays->row_start || arrays->indices) && count_values(arrays) && !arrays->floats == !arrays->doubles)
    return dorm__fail(context, DORM_BAD_USAGE, "features: one of 'floats' and 'doubles' has to be given");
  if (arrays->query_start && !arrays->num_queries)
    return dorm__fail(context, DORM_BAD_USAGE, "num_queries is 0: query_start needs at least one query");
  if (!arrays->query_start && arrays->num_queries > 1)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "the argument 'query_start' is NULL: then all documents are one query, but num_queries is %zu",
                      arrays->num_queries);
  if (arrays->num_docs == 0 || arrays->num_features > UINT32_MAX / 2)
    return dorm__fail(context, DORM_BAD_USAGE, "%zu documents of %zu features: needs at least one, of at most %" PRIu32,
                      arrays->num_docs, arrays->num_features, UINT32_MAX / 2);
  return DORM__ALL(arrays->query_start ? check_queries(context, arrays) : DORM_OK, check_labels(context, arrays),
                   dorm__weights_check(context, "query_weights", arrays->query_start ? arrays->num_queries : 1,
                                       arrays->query_weights),
                   dorm__weights_check(context, "doc_weights", arrays->num_docs, arrays->doc_weights),
                   check_feature_ids(context, arrays), arrays->row_start ? check_row_start(context, arrays) : DORM_OK,
                   arrays->row_start ? check_indices(context, arrays) : DORM_OK);
}

/* ---- Ids ------------------------------------------------------------------------- */

enum { NUMBER_SIZE = 24 };

static size_t texts_size(const dorm_arrays *arrays, size_t num_queries)
{
  size_t size = 1;
  for (size_t q = 0; q < num_queries; q++)
    size += arrays->query_ids ? strlen(arrays->query_ids[q]) + 1 : NUMBER_SIZE;
  for (size_t j = 0; arrays->doc_ids && j < arrays->num_docs; j++)
    size += strlen(arrays->doc_ids[j]) + 1;
  return size;
}

/* Numbers queries without ids from 1. */
static void fill_ids(dorm_dataset *dataset, const dorm_arrays *arrays)
{
  size_t offset = 1; /* 0 is the empty text of documents without ids */
  for (size_t f = 0; f < dataset->num_features; f++)
    dataset->feature_ids[f] = arrays->feature_ids ? arrays->feature_ids[f] : f + 1;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    char number[NUMBER_SIZE];
    snprintf(number, sizeof number, "%zu", q + 1);
    dataset->query_texts[q] =
        dorm__dataset_put_text(dataset, &offset, arrays->query_ids ? arrays->query_ids[q] : number);
  }
  for (size_t j = 0; arrays->doc_ids && j < dataset->num_docs; j++)
    dataset->doc_texts[j] = dorm__dataset_put_text(dataset, &offset, arrays->doc_ids[j]);
}

static dorm_status check_texts(dorm_context *context, const char *what, size_t count, const char *const *texts)
{
  for (size_t i = 0; texts && i < count; i++)
    if (!texts[i])
      return dorm__fail(context, DORM_BAD_USAGE, "%s: entry %zu is NULL", what, i);
  return DORM_OK;
}

/* ---- Values ---------------------------------------------------------------------- */

/* The values of dense rows. */
typedef struct row_layout {
  ptrdiff_t row_stride, column_stride;
  bool is_plain; /* rows are contiguous, without gaps */
} row_layout;

static row_layout layout_of(const dorm_arrays *arrays)
{
  row_layout layout = {arrays->row_stride, arrays->column_stride, false};
  if (!layout.row_stride && !layout.column_stride)
    layout = (row_layout){(ptrdiff_t)arrays->num_features, 1, false};
  layout.is_plain = layout.column_stride == 1 && layout.row_stride == (ptrdiff_t)arrays->num_features;
  return layout;
}

/* A document of the arrays: values [count] of the features at `indices`, or of all features if `indices` is NULL. */
typedef struct source_row {
  size_t count;
  const uint32_t *indices;
  const float *values;
} source_row;

/* The row of a document. It is copied to scratch [num_features] unless its values are contiguous floats. */
static source_row row_of(const dorm_arrays *arrays, size_t doc, float *scratch)
{
  row_layout layout = layout_of(arrays);
  const size_t *start = arrays->row_start;
  ptrdiff_t first = start ? (ptrdiff_t)start[doc] : (ptrdiff_t)doc * layout.row_stride;
  ptrdiff_t step = start ? 1 : layout.column_stride;
  source_row row = {start ? start[doc + 1] - start[doc] : arrays->num_features, start ? arrays->indices + first : NULL,
                    scratch};
  if (arrays->floats && step == 1)
    row.values = arrays->floats + first;
  else
    for (size_t i = 0; i < row.count; i++) {
      ptrdiff_t at = first + (ptrdiff_t)i * step;
      scratch[i] = arrays->floats ? arrays->floats[at] : (float)arrays->doubles[at];
    }
  return row;
}

static size_t count_nonzero(const dorm_arrays *arrays, float *scratch)
{
  size_t count = 0;
  for (size_t j = 0; j < arrays->num_docs; j++) {
    source_row row = row_of(arrays, j, scratch);
    for (size_t i = 0; i < row.count; i++)
      count += row.values[i] != 0;
  }
  return count;
}

static dorm_status check_values(dorm_context *context, dorm_dataset *dataset, size_t doc, const source_row *row)
{
  for (size_t i = 0; i < row->count; i++) {
    if (isinf(row->values[i]))
      return dorm__fail(context, DORM_BAD_DATA,
                        "features: document %zu, feature %zu is not finite, or too large for a float", doc,
                        row->indices ? row->indices[i] : i);
    dataset->has_missing = dataset->has_missing || isnan(row->values[i]);
  }
  return DORM_OK;
}

static void put_dense(dorm_dataset *dataset, size_t doc, const source_row *row)
{
  float *values = dataset->values + doc * dataset->num_features;
  if (!row->indices && row->count)
    memcpy(values, row->values, row->count * sizeof *values);
  for (size_t i = 0; row->indices && i < row->count; i++)
    values[row->indices[i]] = row->values[i];
}

static void put_sparse(dorm_dataset *dataset, size_t doc, const source_row *row)
{
  size_t e = dataset->row_start[doc];
  for (size_t i = 0; i < row->count; i++)
    if (row->indices || row->values[i] != 0) {
      dataset->indices[e] = row->indices ? row->indices[i] : (uint32_t)i;
      dataset->values[e++] = row->values[i];
    }
  dataset->row_start[doc + 1] = e;
}

/* Copies the values. If the data set borrows them, only checks them. */
static dorm_status fill_values(dorm_context *context, const dorm_arrays *arrays, float *scratch, dorm_dataset *dataset)
{
  dorm_status status = DORM_OK;
  for (size_t j = 0; status == DORM_OK && j < arrays->num_docs; j++) {
    source_row row = row_of(arrays, j, scratch);
    status = check_values(context, dataset, j, &row);
    if (!dataset->is_borrowed && dataset->row_start)
      put_sparse(dataset, j, &row);
    else if (!dataset->is_borrowed)
      put_dense(dataset, j, &row);
  }
  return status;
}

/* Allocates the values, or borrows the caller's. num_entries is the number of values to keep in sparse rows. */
static dorm_status make_values(dorm_context *context, const dorm_arrays *arrays, bool may_borrow, size_t num_entries,
                               dorm_dataset *dataset)
{
  bool is_alike = !arrays->row_start == !dataset->row_start;
  dataset->is_borrowed = may_borrow && arrays->floats && is_alike && (arrays->row_start || layout_of(arrays).is_plain);
  if (dataset->is_borrowed) {
    dataset->values = (float *)(uintptr_t)arrays->floats; /* only read */
    dataset->indices = (uint32_t *)(uintptr_t)arrays->indices;
    if (arrays->row_start)
      memcpy(dataset->row_start, arrays->row_start, (arrays->num_docs + 1) * sizeof *arrays->row_start);
    return DORM_OK;
  }
  if (dataset->row_start) {
    dataset->indices = dorm__alloc(num_entries, sizeof *dataset->indices);
    dataset->values = dorm__alloc(num_entries, sizeof *dataset->values);
  } else if (arrays->num_features <= SIZE_MAX / 4 / (arrays->num_docs + 1)) {
    dataset->values = dorm__alloc_zero(arrays->num_docs * arrays->num_features, sizeof *dataset->values);
  }
  return dataset->values && (!dataset->row_start || dataset->indices) ? DORM_OK
                                                                      : dorm__out_of_memory(context, "a data set");
}

/* Makes the data set without its values. */
static dorm_status make_frame(dorm_context *context, const dorm_arrays *arrays, bool is_dense, dorm_dataset **dataset)
{
  dorm_dataset *made = NULL;
  size_t num_queries = arrays->query_start ? arrays->num_queries : 1;
  dorm_status status = DORM__ALL(
      check_texts(context, "query_ids", num_queries, arrays->query_ids),
      check_texts(context, "doc_ids", arrays->num_docs, arrays->doc_ids),
      dorm__dataset_new_without_values(context, "the data set",
                                       &(const dorm__dataset_sizes){.num_docs = arrays->num_docs,
                                                                    .num_queries = num_queries,
                                                                    .num_features = arrays->num_features,
                                                                    .texts_size = texts_size(arrays, num_queries),
                                                                    .is_sparse = !is_dense},
                                       &made));
  if (status != DORM_OK)
    return status;
  made->query_start[num_queries] = arrays->num_docs;
  if (arrays->query_start)
    memcpy(made->query_start, arrays->query_start, (num_queries + 1) * sizeof *arrays->query_start);
  if (arrays->labels)
    memcpy(made->labels, arrays->labels, made->num_docs * sizeof *arrays->labels);
  fill_ids(made, arrays);
  *dataset = made;
  return DORM_OK;
}

/* Decides whether rows become dense. *num_entries is the number of values to keep if they become sparse. */
static bool wants_dense(const dorm_arrays *arrays, float *scratch, size_t *num_entries)
{
  bool is_auto = arrays->storage == DORM_STORAGE_AUTO && !dorm__rows_are_few(arrays->num_docs, arrays->num_features);
  bool is_dense = arrays->storage != DORM_STORAGE_SPARSE;
  size_t num_nonzero = is_auto || (!is_dense && !arrays->row_start) ? count_nonzero(arrays, scratch) : 0;
  if (is_auto)
    is_dense = dorm__dense_suits(arrays->num_docs, num_nonzero, arrays->num_features);
  *num_entries = arrays->row_start ? arrays->row_start[arrays->num_docs] : num_nonzero;
  return is_dense;
}

dorm_status dorm__dataset_from_rows(dorm_context *context, const dorm_arrays *arrays, bool may_borrow,
                                    dorm_dataset **dataset)
{
  dorm_dataset *made = NULL;
  size_t num_entries = 0;
  dorm_arrays full;
  *dataset = NULL;
  dorm_status status = dorm__struct_take(context, "arrays", DORM__STRUCT(dorm_arrays), arrays, &full);
  arrays = &full;
  if (status == DORM_OK)
    status = check(context, arrays);
  if (status != DORM_OK)
    return status;
  DORM__FREED float *scratch = dorm__alloc(arrays->num_features, sizeof *scratch);
  if (!scratch)
    return dorm__out_of_memory(context, "a data set");
  bool is_dense = wants_dense(arrays, scratch, &num_entries);
  status = DORM__ALL(make_frame(context, arrays, is_dense, &made),
                     make_values(context, arrays, may_borrow, num_entries, made),
                     fill_values(context, arrays, scratch, made));
  if (status == DORM_OK && (arrays->query_weights || arrays->doc_weights))
    status = dorm_dataset_set_weights(context, made, arrays->query_weights, arrays->doc_weights);
  return DORM__GIVE(status, dataset, made, dorm_dataset_free);
}

/* ---- include/dorm/dataset.h --------------------------------------------------------- */

dorm_status dorm_dataset_new(dorm_context *context, const dorm_arrays *arrays, dorm_dataset **dataset)
{
  if (DORM__LACKS(context, DORM__GIVEN(arrays), DORM__RESULT(dataset)))
    return DORM_BAD_USAGE;
  return dorm__dataset_from_rows(context, arrays, false, dataset);
}

/* Describes rows whose features are numbered from 1. Borrows all arrays. */
static dorm_arrays plain_arrays(size_t num_queries, const size_t *query_start, size_t num_features,
                                const double *labels, const float *values, dorm_storage storage)
{
  return (dorm_arrays){.struct_size = sizeof(dorm_arrays),
                       .num_docs = query_start[num_queries],
                       .num_queries = num_queries,
                       .query_start = query_start,
                       .num_features = num_features,
                       .labels = labels,
                       .floats = values,
                       .storage = storage};
}

dorm_status dorm_dataset_from_arrays(dorm_context *context, size_t num_queries, const size_t *query_start,
                                     size_t num_features, const double *labels, const float *features,
                                     dorm_dataset **dataset)
{
  if (DORM__LACKS(context, DORM__GIVEN(query_start), DORM__GIVEN(labels), DORM__GIVEN_IF(num_features, features),
                  DORM__RESULT(dataset)))
    return DORM_BAD_USAGE;
  dorm_arrays arrays = plain_arrays(num_queries, query_start, num_features, labels, features, DORM_STORAGE_DENSE);
  return dorm__dataset_from_rows(context, &arrays, false, dataset);
}

dorm_status dorm_dataset_from_sparse(dorm_context *context, size_t num_queries, const size_t *query_start,
                                     size_t num_features, const double *labels, const size_t *row_start,
                                     const uint32_t *indices, const float *values, dorm_dataset **dataset)
{
  if (DORM__LACKS(context, DORM__GIVEN(query_start), DORM__GIVEN(labels), DORM__GIVEN(row_start),
                  DORM__RESULT(dataset)))
    return DORM_BAD_USAGE;
  dorm_arrays arrays = plain_arrays(num_queries, query_start, num_features, labels, values, DORM_STORAGE_SPARSE);
  arrays.row_start = row_start;
  arrays.indices = indices;
  return dorm__dataset_from_rows(context, &arrays, false, dataset);
}

dorm_status dorm_dataset_arrays(dorm_context *context, const dorm_dataset *dataset, dorm_arrays *arrays)
{
  if (DORM__LACKS(context, DORM__GIVEN(dataset), DORM__GIVEN(arrays)))
    return DORM_BAD_USAGE;
  dorm_status status = dorm__struct_check(context, "arrays", DORM__STRUCT(dorm_arrays), arrays);
  if (status != DORM_OK)
    return status;
  dorm_arrays made = {.struct_size = sizeof made,
                      .num_docs = dataset->num_docs,
                      .num_queries = dataset->num_queries,
                      .query_start = dataset->query_start,
                      .num_features = dataset->num_features,
                      .feature_ids = dataset->feature_ids,
                      .labels = dataset->labels,
                      .floats = dataset->values,
                      .row_start = dataset->row_start,
                      .indices = dataset->indices,
                      .storage = dataset->row_start ? DORM_STORAGE_SPARSE : DORM_STORAGE_DENSE,
                      .query_weights = dataset->query_weights,
                      .doc_weights = dataset->doc_weights};
  dorm__struct_give(&made, arrays);
  return DORM_OK;
}
