/* cache_format.c: the layout of a cache of a data set, and checks of a cache. The sizes in the header must add up to
 * the size of the file before anything is allocated. The contents of the arrays are checked like the contents of a
 * text. */
#include "data/cache_format.h"
#include "base/hash.h"
#include "data/cache.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const char magic[DORM__MAGIC_SIZE] = {'d', 'o', 'r', 'm', 'd', 'a', 't', 'a'};
static const uint32_t version = 5;
static const uint32_t byte_order = 0x01020304;

/* ---- Layout ------------------------------------------------------------------------- */

static uint64_t checksum_header(const dorm__cache_header *header)
{
  return dorm__hash_words(1, header, offsetof(dorm__cache_header, header_checksum));
}

size_t dorm__cache_padded(size_t size)
{
  return (size + 7) / 8 * 8;
}

void dorm__cache_list(const dorm__cache_header *header, dorm_dataset *dataset,
                      dorm__cache_section sections[DORM__CACHE_NUM_SECTIONS])
{
  size_t num_docs = (size_t)header->num_docs;
  size_t num_queries = (size_t)header->num_queries;
  size_t num_entries = (size_t)header->num_entries;
  bool is_sparse = header->is_sparse != 0;
  const dorm__cache_section all[DORM__CACHE_NUM_SECTIONS] = {
      {(void **)&dataset->query_start, num_queries + 1, sizeof *dataset->query_start},
      {(void **)&dataset->labels, num_docs, sizeof *dataset->labels},
      {(void **)&dataset->feature_ids, (size_t)header->num_features, sizeof *dataset->feature_ids},
      {(void **)&dataset->query_texts, num_queries, sizeof *dataset->query_texts},
      {(void **)&dataset->doc_texts, num_docs, sizeof *dataset->doc_texts},
      {(void **)&dataset->texts, (size_t)header->texts_size, 1},
      {(void **)&dataset->row_start, is_sparse ? num_docs + 1 : 0, sizeof *dataset->row_start},
      {(void **)&dataset->indices, is_sparse ? num_entries : 0, sizeof *dataset->indices},
      {(void **)&dataset->values, num_entries, sizeof *dataset->values},
      {(void **)&dataset->input_order, header->has_order ? num_docs : 0, sizeof *dataset->input_order},
      {(void **)&dataset->query_weights, header->has_query_weights ? num_queries : 0, sizeof *dataset->query_weights},
      {(void **)&dataset->doc_weights, header->has_doc_weights ? num_docs : 0, sizeof *dataset->doc_weights},
  };
  memcpy(sections, all, sizeof all);
}

uint64_t dorm__cache_num_blocks(const dorm__cache_section *one)
{
  return ((uint64_t)one->count * one->size + DORM__CACHE_BLOCK - 1) / DORM__CACHE_BLOCK;
}

uint64_t dorm__cache_all_blocks(const dorm__cache_section sections[DORM__CACHE_NUM_SECTIONS])
{
  uint64_t count = 0;
  for (size_t i = 0; i < DORM__CACHE_NUM_SECTIONS; i++)
    count += dorm__cache_num_blocks(&sections[i]);
  return count;
}

size_t dorm__cache_block_size(size_t size, size_t at)
{
  return size - at < DORM__CACHE_BLOCK ? size - at : (size_t)DORM__CACHE_BLOCK;
}

void dorm__cache_sum_blocks(const dorm__cache_section *one, const char *bytes, dorm__file_memory *file,
                            uint64_t *checksums)
{
  size_t size = one->count * one->size;
  for (size_t at = 0; at < size; at += DORM__CACHE_BLOCK) {
    dorm__file_memory_use(file, bytes + at, dorm__cache_block_size(size, at));
    *checksums++ = dorm__hash_words(0, bytes + at, dorm__cache_block_size(size, at));
  }
}

size_t dorm__cache_texts_size(const dorm_dataset *dataset)
{
  size_t size = 1;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    size_t end = dataset->query_texts[q] + strlen(dorm_dataset_query_id(dataset, q)) + 1;
    size = end > size ? end : size;
  }
  for (size_t j = 0; j < dataset->num_docs; j++) {
    size_t end = dataset->doc_texts[j] + strlen(dorm_dataset_doc_id(dataset, j)) + 1;
    size = end > size ? end : size;
  }
  return size;
}

void dorm__cache_header_seal(dorm__cache_header *header, size_t count, const uint64_t *checksums)
{
  memcpy(header->magic, magic, sizeof magic);
  header->version = version;
  header->byte_order = byte_order;
  header->checksum = dorm__hash_words(0, checksums, count * sizeof *checksums);
  header->header_checksum = checksum_header(header);
}

/* ---- Reading ------------------------------------------------------------------------ */

dorm_status dorm__cache_refuse(dorm_context *context, const char *path, const char *why)
{
  return dorm__fail(context, DORM_BAD_DATA, "%s: this data cache cannot be used: %s", path, why);
}

bool dorm__cache_is(const dorm__byte_reader *bytes)
{
  return dorm__byte_reader_starts_with(bytes, magic);
}

static dorm_status check_header(dorm_context *context, const char *path, const dorm__cache_header *header,
                                uint64_t file_size)
{
  if (header->byte_order != byte_order)
    return dorm__cache_refuse(context, path, "it is of a machine of another byte order");
  if (header->version != version)
    return dorm__cache_refuse(context, path, "it is of another version of dorm");
  if (header->header_checksum != checksum_header(header))
    return dorm__cache_refuse(context, path, "its header is damaged");
  if (!DORM__CACHE_HAS_WIDE_SIZES)
    return dorm__cache_refuse(context, path, "it needs a machine of 64 bits");
  const uint64_t counts[] = {header->num_docs,    header->num_queries, header->num_features,
                             header->num_entries, header->texts_size,  header->is_sparse};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (counts[i] > file_size)
      return dorm__cache_refuse(context, path, "its sizes are not those of the file");
  bool has_all = header->num_features ? header->num_entries / header->num_features == header->num_docs &&
                                            header->num_entries % header->num_features == 0
                                      : header->num_entries == 0;
  if (!header->is_sparse && !has_all)
    return dorm__cache_refuse(context, path, "what it holds is no data set");
  dorm_dataset none;
  dorm__cache_section sections[DORM__CACHE_NUM_SECTIONS];
  dorm__cache_list(header, &none, sections);
  uint64_t total = sizeof *header;
  for (size_t i = 0; i < DORM__CACHE_NUM_SECTIONS; i++)
    total += dorm__cache_padded(sections[i].count * sections[i].size); /* counts are below 2^60 */
  total += dorm__cache_all_blocks(sections) * sizeof(uint64_t);
  return total == file_size
             ? DORM_OK
             : dorm__cache_refuse(context, path, "it is cut short, or its sizes are not those of the file");
}

static dorm_status read_header(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                               dorm__cache_header *header)
{
  size_t got = 0;
  dorm_status status = DORM__ALL(dorm__byte_reader_read(context, bytes, header, sizeof *header, &got),
                                 got < sizeof *header ? dorm__cache_refuse(context, path, "it is cut short") : DORM_OK);
  return status == DORM_OK ? check_header(context, path, header, dorm__byte_reader_size(bytes)) : status;
}

dorm_status dorm__cache_open(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                             dorm__cache_header *header, dorm_dataset **dataset)
{
  *dataset = NULL;
  dorm_status status = read_header(context, path, bytes, header);
  if (status != DORM_OK)
    return status;
  dorm_dataset *made = dorm__alloc_zero(1, sizeof *made);
  if (!made || !(made->name = dorm__copy_text(path))) {
    dorm__free(made);
    return dorm__out_of_memory(context, "a data set");
  }
  made->num_features = (size_t)header->num_features;
  made->has_missing = header->has_missing != 0;
  *dataset = made;
  return DORM_OK;
}

dorm_status dorm__cache_read_at(dorm_context *context, const char *path, dorm__byte_reader *bytes, uint64_t at,
                                void *to, size_t size)
{
  size_t got = 0;
  dorm_status status = DORM__ALL(dorm__byte_reader_limit(context, bytes, at, at + size),
                                 dorm__byte_reader_read(context, bytes, to, size, &got));
  return status == DORM_OK && got < size ? dorm__cache_refuse(context, path, "it is cut short") : status;
}

dorm_status dorm__cache_read_checksums(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                                       const dorm__cache_header *header,
                                       const dorm__cache_section sections[DORM__CACHE_NUM_SECTIONS],
                                       uint64_t **checksums)
{
  size_t size = (size_t)dorm__cache_all_blocks(sections) * sizeof **checksums;
  *checksums = dorm__alloc(size, 1);
  if (!*checksums)
    return dorm__out_of_memory(context, "a data set");
  dorm_status status =
      dorm__cache_read_at(context, path, bytes, dorm__byte_reader_size(bytes) - size, *checksums, size);
  if (status == DORM_OK && dorm__hash_words(0, *checksums, size) != header->checksum)
    status = dorm__cache_refuse(context, path, "its checksum is wrong: it is damaged");
  return status;
}

dorm_status dorm__cache_make_values(dorm_context *context, const char *path, const dorm__cache_header *header,
                                    const char *folder, size_t count, dorm_dataset *dataset)
{
  if (folder && header->is_sparse)
    return dorm__fail(
        context, DORM_BAD_USAGE,
        "%s: its rows are sparse, and data.storage = file keeps dense ones: name the text that it was made "
        "of, or leave data.storage at auto",
        path);
  size_t size = dorm__cache_padded(count * sizeof *dataset->values);
  if (!folder)
    return (dataset->values = dorm__alloc(size, 1)) ? DORM_OK : dorm__out_of_memory(context, "a data set");
  dorm_status status = dorm__file_memory_new(context, folder, size, &dataset->file);
  dataset->values = status == DORM_OK ? dorm__file_memory_bytes(dataset->file) : NULL;
  return status;
}

/* ---- Valid contents --------------------------------------------------------------------- */

/* Whether starts[0 .. count] run from 0 to `end` in steps of at least `least`. */
static bool are_starts(size_t count, const size_t *starts, size_t end, size_t least)
{
  bool is_good = starts[0] == 0 && starts[count] == end;
  for (size_t i = 0; is_good && i < count; i++)
    is_good = starts[i] <= end && starts[i + 1] >= starts[i] + least;
  return is_good;
}

static bool are_texts(size_t count, const size_t *offsets, size_t size)
{
  bool is_good = true;
  for (size_t i = 0; i < count; i++)
    is_good = is_good && offsets[i] < size;
  return is_good;
}

static bool are_columns(const dorm_dataset *dataset)
{
  for (size_t j = 0; j < dataset->num_docs; j++)
    for (size_t e = dataset->row_start[j]; e < dataset->row_start[j + 1]; e++)
      if (dataset->indices[e] >= dataset->num_features ||
          (e > dataset->row_start[j] && dataset->indices[e] <= dataset->indices[e - 1]))
        return false;
  return true;
}

/* Whether order[count] contains each number below count once. Marks numbers in place, and removes the marks. */
static bool is_permutation(size_t count, size_t *order)
{
  const size_t mark = (size_t)1 << (sizeof mark * CHAR_BIT - 1);
  bool is_good = true;
  for (size_t i = 0; is_good && i < count; i++) {
    size_t number = order[i] & ~mark;
    is_good = number < count && !(order[number] & mark);
    if (is_good)
      order[number] |= mark;
  }
  for (size_t i = 0; i < count; i++)
    order[i] &= ~mark;
  return is_good;
}

static bool are_weights(size_t count, const double *weights)
{
  bool is_good = true;
  for (size_t i = 0; weights && i < count; i++)
    is_good = is_good && isfinite(weights[i]) && weights[i] >= 0;
  return is_good;
}

/* Whether all values are finite, or missing if the file allows missing values. */
static bool are_values(const dorm__cache_header *header, const dorm_dataset *dataset)
{
  enum { AT_ONCE = DORM__CACHE_BLOCK / sizeof *dataset->values };
  float worst = 0; /* becomes NaN at the first NaN or infinity */
  for (uint64_t first = 0; first < header->num_entries; first += AT_ONCE) {
    uint64_t end = header->num_entries - first < AT_ONCE ? header->num_entries : first + AT_ONCE;
    dorm__file_memory_use(dataset->file, dataset->values + first, (size_t)(end - first) * sizeof *dataset->values);
    for (uint64_t e = first; e < end; e++)
      if (!header->has_missing || !isnan(dataset->values[e]))
        worst += dataset->values[e] * 0;
  }
  return worst == 0;
}

bool dorm__cache_is_sound(const dorm__cache_header *header, const dorm_dataset *dataset)
{
  size_t size = (size_t)header->texts_size;
  bool is_good = dataset->num_docs && size && header->is_sparse <= 1 && header->has_missing <= 1 &&
                 header->has_order <= 1 && header->has_query_weights <= 1 && header->has_doc_weights <= 1 &&
                 are_weights(dataset->num_queries, dataset->query_weights) &&
                 are_weights(dataset->num_docs, dataset->doc_weights) &&
                 (!header->has_order || is_permutation(dataset->num_docs, dataset->input_order)) &&
                 are_starts(dataset->num_queries, dataset->query_start, dataset->num_docs, 1) &&
                 dataset->texts[0] == '\0' && dataset->texts[size - 1] == '\0' &&
                 are_texts(dataset->num_queries, dataset->query_texts, size) &&
                 are_texts(dataset->num_docs, dataset->doc_texts, size);
  for (size_t j = 0; j < dataset->num_docs; j++)
    is_good = is_good && isfinite(dataset->labels[j]) && dataset->labels[j] >= 0;
  for (size_t f = 0; f < dataset->num_features; f++)
    is_good = is_good && dataset->feature_ids[f] <= DORM__LARGEST_ID &&
              (f == 0 || dataset->feature_ids[f] > dataset->feature_ids[f - 1]);
  if (header->is_sparse)
    is_good = is_good && header->num_features <= UINT32_MAX &&
              are_starts(dataset->num_docs, dataset->row_start, (size_t)header->num_entries, 0) && are_columns(dataset);
  return is_good && are_values(header, dataset);
}
