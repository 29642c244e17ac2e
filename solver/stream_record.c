/*
 * stream_record.c: a stream written down and read back, all that cannot be computed again to the same bits: base, v and
 * w, and of each query of the window its data, rows, reference, and columns with their Gram matrix. Tables and plans
 * are made again.
 */
#include "solver/stream.h"
#include "solver/stream_parts.h"

#include <string.h>

/* ---- Writing ---------------------------------------------------------------------- */

static void put_vector(dorm__record_writer *writer, const dorm__vector *vector)
{
  dorm__record_put_count(writer, vector->indices != NULL);
  dorm__record_put_count(writer, vector->count);
  if (vector->indices)
    dorm__record_put_bytes(writer, vector->indices, vector->count * sizeof *vector->indices);
  dorm__record_put_numbers(writer, vector->count, vector->values);
}

/* Rows of floats: those of a data set or of features. */
static void put_rows(dorm__record_writer *writer, size_t num_docs, size_t width, const size_t *row_start,
                     const uint32_t *indices, const float *values)
{
  size_t count = row_start ? row_start[num_docs] : num_docs * width;
  dorm__record_put_count(writer, row_start ? 2 : values ? 1 : 0);
  if (!values)
    return;
  dorm__record_put_count(writer, count);
  for (size_t j = 0; row_start && j < num_docs; j++)
    dorm__record_put_count(writer, row_start[j + 1]);
  if (row_start)
    dorm__record_put_bytes(writer, indices, count * sizeof *indices);
  dorm__record_put_bytes(writer, values, count * sizeof *values);
}

static void put_slot(dorm__record_writer *writer, const dorm__stream_slot *slot)
{
  const dorm_dataset *dataset = slot->dataset;
  const dorm__columns *columns = &slot->columns;
  dorm__record_put_text(writer, dataset->name);
  dorm__record_put_text(writer, dorm_dataset_query_id(dataset, 0));
  dorm__record_put_count(writer, dataset->num_docs);
  dorm__record_put_count(writer, dataset->num_features);
  dorm__record_put_numbers(writer, dataset->num_docs, dataset->labels);
  for (size_t f = 0; f < dataset->num_features; f++)
    dorm__record_put_count(writer, dataset->feature_ids[f]);
  put_rows(writer, dataset->num_docs, dataset->num_features, dataset->row_start, dataset->indices, dataset->values);
  put_rows(writer, dataset->num_docs, slot->features.num_features, slot->features.row_start, slot->features.indices,
           slot->features.values);
  dorm__record_put_number(writer, slot->hinge);
  put_vector(writer, &columns->reference);
  dorm__record_put_count(writer, columns->count);
  for (size_t k = 0; k < columns->count; k++) {
    dorm__record_put_number(writer, columns->loss[k]);
    dorm__record_put_number(writer, columns->alpha[k]);
    put_vector(writer, &columns->phi[k]);
    dorm__record_put_numbers(writer, columns->count, columns->gram + k * columns->capacity);
  }
}

void dorm__stream_save(const dorm__stream *stream, dorm__record_writer *writer)
{
  dorm__record_put_count(writer, stream->width);
  dorm__record_put_numbers(writer, stream->width, stream->base);
  dorm__record_put_numbers(writer, stream->width, stream->v);
  dorm__record_put_numbers(writer, stream->width, stream->w);
  dorm__record_put_number(writer, stream->scale);
  dorm__record_put_count(writer, stream->num_trained);
  dorm__record_put_count(writer, stream->num_taken);
  for (size_t i = 0; i < dorm__stream_num_kept(stream); i++)
    put_slot(writer, dorm__stream_slot_at(stream, i));
}

/* ---- Reading ---------------------------------------------------------------------- */

/* Each function below returns false when out of memory; reader->is_bad becomes true where the record does not fit. */

/* Takes items of `size` bytes into an array of the caller. */
static void take_items(dorm__record_reader *reader, size_t count, size_t size, void *items)
{
  const void *from = dorm__record_take(reader, count, size);
  if (from && count)
    memcpy(items, from, count * size);
}

/* Whether `count` items of `size` bytes can still come. */
static bool can_take(dorm__record_reader *reader, size_t count, size_t size)
{
  reader->is_bad = reader->is_bad || count > (reader->size - reader->at) / size;
  return !reader->is_bad;
}

/* Reads a vector of a query that trains; others have an empty one. */
static bool take_vector(dorm__record_reader *reader, dorm__stream *stream, bool trains, dorm__vector *vector)
{
  bool is_sparse = dorm__record_take_count(reader) != 0;
  size_t count = dorm__record_take_count(reader);
  if (!trains) {
    reader->is_bad = reader->is_bad || is_sparse || count;
    return true;
  }
  bool has_width = is_sparse ? count <= stream->width : count == stream->width;
  reader->is_bad = reader->is_bad || !has_width || is_sparse != stream->options.is_sparse;
  if (reader->is_bad)
    return true;
  bool has_room = is_sparse ? dorm__vector_reserve(vector, count, true)
                            : dorm__vector_take(vector, stream->capacity, &stream->thread.vectors);
  if (!has_room)
    return false;
  vector->count = count;
  if (is_sparse)
    take_items(reader, count, sizeof *vector->indices, vector->indices);
  for (size_t e = 0; is_sparse && !reader->is_bad && e < count; e++)
    reader->is_bad = vector->indices[e] >= stream->width;
  dorm__record_take_numbers(reader, count, vector->values);
  return true;
}

/* Reads rows of `width` features; the arrays are NULL where there are none. */
static bool take_rows(dorm__record_reader *reader, size_t num_docs, size_t width, size_t **row_start,
                      uint32_t **indices, float **values)
{
  size_t kind = dorm__record_take_count(reader);
  size_t count = kind ? dorm__record_take_count(reader) : 0;
  bool is_dense = kind == 1 && (width ? count / width == num_docs && count % width == 0 : !count);
  reader->is_bad = reader->is_bad || kind > 2 || (kind == 1 && !is_dense);
  if (reader->is_bad || !kind || !can_take(reader, count, sizeof **values) || !can_take(reader, num_docs, 1))
    return true;
  *values = dorm__alloc(count, sizeof **values);
  if (kind == 2) {
    *row_start = dorm__alloc_zero(num_docs + 1, sizeof **row_start);
    *indices = dorm__alloc(count, sizeof **indices);
  }
  if (!*values || (kind == 2 && (!*row_start || !*indices)))
    return false;
  for (size_t j = 0; kind == 2 && j < num_docs; j++) {
    (*row_start)[j + 1] = dorm__record_take_count(reader);
    reader->is_bad = reader->is_bad || (*row_start)[j + 1] < (*row_start)[j] || (*row_start)[j + 1] > count;
  }
  if (kind == 2) {
    reader->is_bad = reader->is_bad || (*row_start)[num_docs] != count;
    take_items(reader, count, sizeof **indices, *indices);
    for (size_t e = 0; !reader->is_bad && e < count; e++)
      reader->is_bad = (*indices)[e] >= width;
  }
  take_items(reader, count, sizeof **values, *values);
  return true;
}

static bool take_dataset(dorm__record_reader *reader, dorm_dataset *dataset)
{
  size_t num_docs, num_features;
  dataset->name = dorm__record_take_text(reader);
  dataset->texts = dorm__record_take_text(reader);
  dataset->num_docs = num_docs = dorm__record_take_count(reader);
  dataset->num_features = num_features = dorm__record_take_count(reader);
  dataset->num_queries = 1;
  if (!can_take(reader, num_docs, sizeof(double)) || !can_take(reader, num_features, sizeof(uint64_t)))
    return true;
  reader->is_bad = reader->is_bad || !num_docs;
  dataset->query_start = dorm__alloc_zero(2, sizeof *dataset->query_start);
  dataset->labels = dorm__alloc(num_docs, sizeof *dataset->labels);
  dataset->feature_ids = dorm__alloc(num_features, sizeof *dataset->feature_ids);
  dataset->query_texts = dorm__alloc_zero(1, sizeof *dataset->query_texts);
  dataset->doc_texts = dorm__alloc(num_docs, sizeof *dataset->doc_texts);
  if (!dataset->name || !dataset->texts || !dataset->query_start || !dataset->labels || !dataset->feature_ids ||
      !dataset->query_texts || !dataset->doc_texts)
    return reader->is_bad;
  dataset->query_start[1] = num_docs;
  for (size_t j = 0; j < num_docs; j++)
    dataset->doc_texts[j] = strlen(dataset->texts);
  dorm__record_take_numbers(reader, num_docs, dataset->labels);
  for (size_t f = 0; f < num_features; f++)
    dataset->feature_ids[f] = dorm__record_take_count(reader);
  return take_rows(reader, num_docs, num_features, &dataset->row_start, &dataset->indices, &dataset->values);
}

static bool take_columns(dorm__record_reader *reader, dorm__stream *stream, bool trains, dorm__columns *columns)
{
  if (!take_vector(reader, stream, trains, &columns->reference))
    return false;
  size_t count = dorm__record_take_count(reader);
  reader->is_bad = reader->is_bad || (count && !trains);
  double *row = can_take(reader, count, sizeof *row) ? dorm__alloc(count, sizeof *row) : NULL;
  bool is_good = row || reader->is_bad;
  for (size_t k = 0; is_good && !reader->is_bad && k < count; k++) {
    double loss = dorm__record_take_number(reader);
    double alpha = dorm__record_take_number(reader);
    dorm__vector phi = {0};
    is_good = take_vector(reader, stream, trains, &phi) && dorm__columns_add_bare(columns, &phi, loss, alpha, 0);
    dorm__vector_clear(&phi);
    dorm__record_take_numbers(reader, count, row);
    for (size_t m = 0; is_good && m <= k; m++) {
      columns->gram[k * columns->capacity + m] = row[m];
      columns->gram[m * columns->capacity + k] = row[m];
    }
  }
  dorm__free(row);
  return is_good;
}

static dorm_status take_slot(dorm_context *context, dorm__stream *stream, dorm__record_reader *reader,
                             dorm__stream_slot *slot)
{
  dorm__features *rows = &slot->features;
  slot->dataset = dorm__alloc_zero(1, sizeof *slot->dataset);
  if (!slot->dataset || !take_dataset(reader, slot->dataset))
    return dorm__out_of_memory(context, "a stream");
  if (reader->is_bad)
    return DORM_OK;
  rows->num_docs = slot->dataset->num_docs;
  rows->num_features = stream->width;
  if (!take_rows(reader, rows->num_docs, rows->num_features, &rows->row_start, &rows->indices, &rows->values))
    return dorm__out_of_memory(context, "a stream");
  reader->is_bad = reader->is_bad || !rows->values || stream->options.is_sparse != (rows->row_start != NULL);
  slot->hinge = dorm__record_take_number(reader);
  if (reader->is_bad)
    return DORM_OK;
  dorm_status status = dorm__stream_reserve(context, stream, rows->num_docs, stream->width);
  if (status == DORM_OK)
    status = dorm__stream_open_slot(context, stream, slot);
  if (status != DORM_OK)
    return status;
  bool trains = dorm__loss_tables_query(slot->tables, 0)->trains;
  return take_columns(reader, stream, trains, &slot->columns) ? DORM_OK : dorm__out_of_memory(context, "a stream");
}

dorm_status dorm__stream_restore(dorm_context *context, dorm__stream *stream, dorm__record_reader *reader)
{
  size_t width = dorm__record_take_count(reader);
  if (!can_take(reader, width, 3 * sizeof(double)))
    return DORM_OK;
  dorm_status status = dorm__stream_reserve(context, stream, 1, width);
  if (status != DORM_OK)
    return status;
  reader->is_bad = reader->is_bad || stream->width != width;
  if (reader->is_bad)
    return DORM_OK;
  dorm__record_take_numbers(reader, width, stream->base);
  dorm__record_take_numbers(reader, width, stream->v);
  dorm__record_take_numbers(reader, width, stream->w);
  stream->scale = dorm__record_take_number(reader);
  stream->num_trained = dorm__record_take_count(reader);
  stream->num_taken = dorm__record_take_count(reader);
  for (size_t i = 0; status == DORM_OK && !reader->is_bad && i < dorm__stream_num_kept(stream); i++)
    status = take_slot(context, stream, reader, dorm__stream_slot_at(stream, i));
  return status;
}
