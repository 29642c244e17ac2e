/*
 * cache.c: a data set as a binary file that loads at the speed of memory:
 *
 *   header, then query_start, labels, feature_ids, query_texts, doc_texts,
 *   texts, row_start and indices (sparse), values, input_order (of queries that were
 *   apart), query_weights, doc_weights (where there are some); each padded with zeros to a multiple of 8 bytes
 *
 * Numbers stand as this machine holds them: a file of another byte order or version is refused. The sizes in the header
 * must add up to the size of the file before anything is allocated, and the contents of the arrays are checked as those
 * of a text are. At the end stands a checksum for each 64 kB of each array, so that one of several processes can read
 * its share and know it to be whole: query_start says where its shards begin. The stamp tells whether the text has
 * changed since.
 */
#include "data/cache.h"
#include "base/file.h"
#include "base/hash.h"
#include "data/byte_reader.h"
#include "data/data.h"
#include "data/shards.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const char magic[DORM__MAGIC_SIZE] = {'d', 'o', 'r', 'm', 'd', 'a', 't', 'a'};
static const uint32_t version = 5;
static const uint32_t byte_order = 0x01020304;

typedef struct cache_header {
  char magic[DORM__MAGIC_SIZE];
  uint32_t version;
  uint32_t byte_order;
  uint64_t stamp; /* of the text; 0: of no text */
  uint64_t num_docs;
  uint64_t num_queries;
  uint64_t num_features;
  uint64_t num_entries;
  uint64_t texts_size;
  uint64_t is_sparse;
  uint64_t has_missing;
  uint64_t has_order; /* whether documents stand in another order than in the text */
  uint64_t has_query_weights;
  uint64_t has_doc_weights;
  uint64_t checksum; /* of the checksums of all blocks */
  uint64_t header_checksum;
} cache_header;

enum {
  QUERY_START,
  LABELS,
  FEATURE_IDS,
  QUERY_TEXTS,
  DOC_TEXTS,
  TEXTS,
  ROW_START,
  INDICES,
  VALUES,
  INPUT_ORDER,
  QUERY_WEIGHTS,
  DOC_WEIGHTS,
  NUM_SECTIONS
};

enum { BLOCK_SIZE = 1 << 16 }; /* bytes of an array with a checksum of their own; the last block may be shorter */

/* An array of the file. */
typedef struct section {
  void **bytes; /* the pointer in the data set */
  size_t count;
  size_t size; /* of an item */
} section;

/* Counts in a header become sizes in memory, so a cache is written and read only where size_t has 64 bits. */
static const bool has_wide_sizes = sizeof(size_t) == sizeof(uint64_t);

static uint64_t checksum_header(const cache_header *header)
{
  return dorm__hash_words(1, header, offsetof(cache_header, header_checksum));
}

static size_t padded(size_t size)
{
  return (size + 7) / 8 * 8;
}

static void list_sections(const cache_header *header, dorm_dataset *dataset, section sections[NUM_SECTIONS])
{
  size_t num_docs = (size_t)header->num_docs;
  size_t num_queries = (size_t)header->num_queries;
  size_t num_entries = (size_t)header->num_entries;
  bool is_sparse = header->is_sparse != 0;
  const section all[NUM_SECTIONS] = {
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

static uint64_t num_blocks(const section *one)
{
  return ((uint64_t)one->count * one->size + BLOCK_SIZE - 1) / BLOCK_SIZE;
}

static uint64_t all_blocks(const section sections[NUM_SECTIONS])
{
  uint64_t count = 0;
  for (size_t i = 0; i < NUM_SECTIONS; i++)
    count += num_blocks(&sections[i]);
  return count;
}

/* The bytes of the block of a section that begins at `at`. */
static size_t block_size(size_t size, size_t at)
{
  return size - at < BLOCK_SIZE ? size - at : (size_t)BLOCK_SIZE;
}

/* checksums [num_blocks] of the bytes of a section, which may stand in `file`. */
static void sum_blocks(const section *one, const char *bytes, dorm__file_memory *file, uint64_t *checksums)
{
  size_t size = one->count * one->size;
  for (size_t at = 0; at < size; at += BLOCK_SIZE) {
    dorm__file_memory_use(file, bytes + at, block_size(size, at));
    *checksums++ = dorm__hash_words(0, bytes + at, block_size(size, at));
  }
}

/* ---- Writing ---------------------------------------------------------------------- */

static size_t texts_size(const dorm_dataset *dataset)
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

dorm_status dorm__cache_write(dorm_context *context, const dorm_dataset *dataset, uint64_t stamp, const char *path)
{
  if (!dataset->values || !has_wide_sizes)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: %s", path,
                      dataset->values ? "a cache needs a machine of 64 bits" : "training took the values of the data");
  cache_header header = {.version = version,
                         .byte_order = byte_order,
                         .stamp = stamp,
                         .num_docs = dataset->num_docs,
                         .num_queries = dataset->num_queries,
                         .num_features = dataset->num_features,
                         .num_entries = dataset->row_start ? dataset->row_start[dataset->num_docs]
                                                           : dataset->num_docs * dataset->num_features,
                         .texts_size = texts_size(dataset),
                         .is_sparse = dataset->row_start != NULL,
                         .has_missing = dataset->has_missing,
                         .has_order = dataset->input_order != NULL,
                         .has_query_weights = dataset->query_weights != NULL,
                         .has_doc_weights = dataset->doc_weights != NULL};
  memcpy(header.magic, magic, sizeof magic);
  dorm_dataset arrays = *dataset;
  section sections[NUM_SECTIONS];
  list_sections(&header, &arrays, sections);
  size_t count = (size_t)all_blocks(sections);
  uint64_t *checksums = dorm__alloc(count, sizeof *checksums);
  if (!checksums)
    return dorm__out_of_memory(context, "a cache");
  for (size_t i = 0, at = 0; i < NUM_SECTIONS; at += (size_t)num_blocks(&sections[i++]))
    sum_blocks(&sections[i], *sections[i].bytes, i == VALUES ? dataset->file : NULL, checksums + at);
  header.checksum = dorm__hash_words(0, checksums, count * sizeof *checksums);
  header.header_checksum = checksum_header(&header);
  dorm__output *output = NULL;
  dorm_status status = dorm__output_open(context, path, &output);
  if (status != DORM_OK) {
    dorm__free(checksums);
    return status;
  }
  static const char zeros[8] = {0};
  dorm__output_bytes(output, &header, sizeof header);
  for (size_t i = 0; i < NUM_SECTIONS; i++) {
    size_t size = sections[i].count * sections[i].size;
    const char *bytes = *sections[i].bytes;
    for (size_t at = 0; at < size; at += BLOCK_SIZE) {
      dorm__file_memory_use(i == VALUES ? dataset->file : NULL, bytes + at, block_size(size, at));
      dorm__output_bytes(output, bytes + at, block_size(size, at));
    }
    dorm__output_bytes(output, zeros, padded(size) - size);
  }
  dorm__output_bytes(output, checksums, count * sizeof *checksums);
  dorm__free(checksums);
  return dorm__output_commit(context, output);
}

dorm_status dorm_dataset_write_cache(dorm_context *context, const dorm_dataset *dataset, const char *path)
{
  if (DORM__LACKS(context, DORM__GIVEN(dataset), DORM__GIVEN(path)))
    return DORM_BAD_USAGE;
  return dorm__cache_write(context, dataset, 0, path);
}

/* ---- Reading ---------------------------------------------------------------------- */

static dorm_status refuse(dorm_context *context, const char *path, const char *why)
{
  return dorm__fail(context, DORM_BAD_DATA, "%s: this data cache cannot be used: %s", path, why);
}

static dorm_status check_header(dorm_context *context, const char *path, const cache_header *header, uint64_t file_size)
{
  if (header->byte_order != byte_order)
    return refuse(context, path, "it is of a machine of another byte order");
  if (header->version != version)
    return refuse(context, path, "it is of another version of dorm");
  if (header->header_checksum != checksum_header(header))
    return refuse(context, path, "its header is damaged");
  if (!has_wide_sizes)
    return refuse(context, path, "it needs a machine of 64 bits");
  const uint64_t counts[] = {header->num_docs,    header->num_queries, header->num_features,
                             header->num_entries, header->texts_size,  header->is_sparse};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (counts[i] > file_size)
      return refuse(context, path, "its sizes are not those of the file");
  dorm_dataset none;
  section sections[NUM_SECTIONS];
  list_sections(header, &none, sections);
  uint64_t total = sizeof *header;
  for (size_t i = 0; i < NUM_SECTIONS; i++)
    total += padded(sections[i].count * sections[i].size); /* counts are below 2^60 */
  total += all_blocks(sections) * sizeof(uint64_t);
  return total == file_size ? DORM_OK
                            : refuse(context, path, "it is cut short, or its sizes are not those of the file");
}

/* Whether the file lacks a section that others have. */
static bool lacks(const cache_header *header, size_t which)
{
  return (!header->is_sparse && (which == ROW_START || which == INDICES)) ||
         (!header->has_order && which == INPUT_ORDER) || (!header->has_query_weights && which == QUERY_WEIGHTS) ||
         (!header->has_doc_weights && which == DOC_WEIGHTS);
}

/* Reads `size` bytes at a place of the file. */
static dorm_status read_at(dorm_context *context, const char *path, dorm__byte_reader *bytes, uint64_t at, void *to,
                           size_t size)
{
  size_t got = 0;
  dorm_status status = dorm__byte_reader_limit(context, bytes, at, at + size);
  if (status == DORM_OK)
    status = dorm__byte_reader_read(context, bytes, to, size, &got);
  return status == DORM_OK && got < size ? refuse(context, path, "it is cut short") : status;
}

/* Reads the checksums of all blocks, which stand at the end. */
static dorm_status read_checksums(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                                  const cache_header *header, const section sections[NUM_SECTIONS],
                                  uint64_t **checksums)
{
  size_t size = (size_t)all_blocks(sections) * sizeof **checksums;
  *checksums = dorm__alloc(size, 1);
  if (!*checksums)
    return dorm__out_of_memory(context, "a data set");
  dorm_status status = read_at(context, path, bytes, dorm__byte_reader_size(bytes) - size, *checksums, size);
  if (status == DORM_OK && dorm__hash_words(0, *checksums, size) != header->checksum)
    status = refuse(context, path, "its checksum is wrong: it is damaged");
  return status;
}

/* Whether bytes of a section, from the beginning of a block on, have the checksums of their blocks, and are padded with
 * zeros. */
static bool have_checksums(const char *bytes, size_t size, const uint64_t *checksums)
{
  bool is_good = true;
  for (size_t at = 0; is_good && at < size; at += BLOCK_SIZE)
    is_good = *checksums++ == dorm__hash_words(0, bytes + at, block_size(size, at));
  for (size_t k = size; k < padded(size); k++)
    is_good = is_good && bytes[k] == 0;
  return is_good;
}

/* Makes room for the values of `count` entries; with a folder in a file there. */
static dorm_status make_values(dorm_context *context, const char *path, const cache_header *header, const char *folder,
                               size_t count, dorm_dataset *dataset)
{
  if (folder && header->is_sparse)
    return dorm__fail(
        context, DORM_BAD_USAGE,
        "%s: its rows are sparse, and data.storage = file keeps dense ones: name the text that it was made "
        "of, or leave data.storage at auto",
        path);
  size_t size = padded(count * sizeof *dataset->values);
  if (!folder)
    return (dataset->values = dorm__alloc(size, 1)) ? DORM_OK : dorm__out_of_memory(context, "a data set");
  dorm_status status = dorm__file_memory_new(context, folder, size, &dataset->file);
  dataset->values = status == DORM_OK ? dorm__file_memory_bytes(dataset->file) : NULL;
  return status;
}

/* Reads a section with these checksums into the file that it stands in. */
static dorm_status read_to_file(dorm_context *context, const char *path, dorm__byte_reader *bytes, uint64_t place,
                                const section *one, const uint64_t *checksums, dorm__file_memory *file)
{
  size_t size = one->count * one->size;
  char *some = dorm__alloc(DORM__FILE_BLOCK, 1);
  dorm_status status = some ? DORM_OK : dorm__out_of_memory(context, "a data set");
  for (size_t at = 0; status == DORM_OK && at < size; at += DORM__FILE_BLOCK) {
    size_t count = size - at < DORM__FILE_BLOCK ? size - at : (size_t)DORM__FILE_BLOCK;
    status = read_at(context, path, bytes, place + at, some, padded(count));
    if (status == DORM_OK && !have_checksums(some, count, checksums + at / BLOCK_SIZE))
      status = refuse(context, path, "its checksum is wrong: it is damaged");
    if (status == DORM_OK)
      status = dorm__file_memory_put(context, file, at, some, padded(count));
  }
  dorm__free(some);
  return status;
}

static dorm_status read_sections(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                                 const cache_header *header, const char *folder, dorm_dataset *dataset)
{
  section sections[NUM_SECTIONS];
  uint64_t *checksums = NULL;
  list_sections(header, dataset, sections);
  dorm_status status = read_checksums(context, path, bytes, header, sections, &checksums);
  uint64_t at = sizeof *header;
  size_t block = 0;
  for (size_t i = 0; status == DORM_OK && i < NUM_SECTIONS; i++) {
    size_t size = padded(sections[i].count * sections[i].size);
    if (lacks(header, i))
      continue;
    bool in_file = i == VALUES && folder;
    if (i == VALUES)
      status = make_values(context, path, header, folder, sections[i].count, dataset);
    else if (!(*sections[i].bytes = dorm__alloc(size, 1)))
      status = dorm__out_of_memory(context, "a data set");
    if (status == DORM_OK && in_file)
      status = read_to_file(context, path, bytes, at, &sections[i], checksums + block, dataset->file);
    else if (status == DORM_OK)
      status = read_at(context, path, bytes, at, *sections[i].bytes, size);
    if (status == DORM_OK && !in_file &&
        !have_checksums(*sections[i].bytes, sections[i].count * sections[i].size, checksums + block))
      status = refuse(context, path, "its checksum is wrong: it is damaged");
    at += size;
    block += (size_t)num_blocks(&sections[i]);
  }
  dorm__free(checksums);
  return status;
}

/* Whether starts[0 .. count] go from 0 to `end` and grow by at least `least` each time. */
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

/* Whether order[count] holds each number below count once. Marks the numbers that it has met, and unmarks them. */
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

/* Whether all values are finite, or missing where some may be. */
static bool are_values(const cache_header *header, const dorm_dataset *dataset)
{
  enum { AT_ONCE = BLOCK_SIZE / sizeof *dataset->values };
  float worst = 0; /* becomes NaN with the first NaN or infinity */
  for (uint64_t first = 0; first < header->num_entries; first += AT_ONCE) {
    uint64_t end = header->num_entries - first < AT_ONCE ? header->num_entries : first + AT_ONCE;
    dorm__file_memory_use(dataset->file, dataset->values + first, (size_t)(end - first) * sizeof *dataset->values);
    for (uint64_t e = first; e < end; e++)
      if (!header->has_missing || !isnan(dataset->values[e]))
        worst += dataset->values[e] * 0;
  }
  return worst == 0;
}

/* Whether the arrays hold what a text could have held. */
static bool is_sound(const cache_header *header, const dorm_dataset *dataset)
{
  size_t size = (size_t)header->texts_size;
  bool is_good = dataset->num_docs && size && header->is_sparse <= 1 && header->has_missing <= 1 &&
                 header->has_order <= 1 && header->has_query_weights <= 1 && header->has_doc_weights <= 1 &&
                 are_weights(dataset->num_queries, dataset->query_weights) &&
                 are_weights(dataset->num_docs, dataset->doc_weights) &&
                 (!header->has_order || is_permutation(dataset->num_docs, dataset->input_order)) &&
                 are_starts(dataset->num_queries, dataset->query_start, dataset->num_docs, 1) &&
                 dataset->texts[size - 1] == '\0' && are_texts(dataset->num_queries, dataset->query_texts, size) &&
                 are_texts(dataset->num_docs, dataset->doc_texts, size);
  for (size_t j = 0; j < dataset->num_docs; j++)
    is_good = is_good && isfinite(dataset->labels[j]) && dataset->labels[j] >= 0;
  for (size_t f = 0; f < dataset->num_features; f++)
    is_good = is_good && dataset->feature_ids[f] <= DORM__LARGEST_ID &&
              (f == 0 || dataset->feature_ids[f] > dataset->feature_ids[f - 1]);
  if (header->is_sparse)
    is_good = is_good && header->num_features <= UINT32_MAX &&
              are_starts(dataset->num_docs, dataset->row_start, (size_t)header->num_entries, 0) && are_columns(dataset);
  else
    is_good = is_good && (header->num_features ? header->num_entries / header->num_features == header->num_docs &&
                                                     header->num_entries % header->num_features == 0
                                               : header->num_entries == 0);
  return is_good && are_values(header, dataset);
}

bool dorm__cache_is(const dorm__byte_reader *bytes)
{
  return dorm__byte_reader_starts_with(bytes, magic);
}

static dorm_status read_header(dorm_context *context, const char *path, dorm__byte_reader *bytes, cache_header *header)
{
  size_t got = 0;
  dorm_status status = dorm__byte_reader_read(context, bytes, header, sizeof *header, &got);
  if (status == DORM_OK && got < sizeof *header)
    status = refuse(context, path, "it is cut short");
  return status == DORM_OK ? check_header(context, path, header, dorm__byte_reader_size(bytes)) : status;
}

dorm_status dorm__cache_read(dorm_context *context, const char *path, dorm__byte_reader *bytes, const char *folder,
                             uint64_t *stamp, dorm_dataset **dataset)
{
  cache_header header;
  *dataset = NULL;
  dorm_status status = read_header(context, path, bytes, &header);
  if (status != DORM_OK)
    return status;
  dorm_dataset *made = dorm__alloc_zero(1, sizeof *made);
  if (!made || !(made->name = dorm__copy_text(path))) {
    dorm__free(made);
    return dorm__out_of_memory(context, "a data set");
  }
  made->num_docs = (size_t)header.num_docs;
  made->num_queries = (size_t)header.num_queries;
  made->num_features = (size_t)header.num_features;
  made->has_missing = header.has_missing != 0;
  status = read_sections(context, path, bytes, &header, folder, made);
  if (status == DORM_OK && !is_sound(&header, made))
    status = refuse(context, path, "what it holds is no data set");
  if (status != DORM_OK) {
    dorm_dataset_free(made);
    return status;
  }
  *stamp = header.stamp;
  *dataset = made;
  return DORM_OK;
}

/* ---- The share of a process ----------------------------------------------------------- */

typedef struct share_reader {
  dorm_context *context;
  const char *path;
  dorm__byte_reader *bytes;
  const cache_header *header;
  const char *folder; /* of the file that the values go to, or NULL */
  section sections[NUM_SECTIONS];
  uint64_t place[NUM_SECTIONS]; /* of the sections in the file */
  size_t block[NUM_SECTIONS];   /* their first checksums */
  uint64_t *checksums;
} share_reader;

static dorm_status open_share(share_reader *reader, dorm_dataset *dataset)
{
  uint64_t at = sizeof *reader->header;
  size_t block = 0;
  list_sections(reader->header, dataset, reader->sections);
  for (size_t i = 0; i < NUM_SECTIONS; i++) {
    reader->place[i] = at;
    reader->block[i] = block;
    at += padded(reader->sections[i].count * reader->sections[i].size);
    block += (size_t)num_blocks(&reader->sections[i]);
  }
  return read_checksums(reader->context, reader->path, reader->bytes, reader->header, reader->sections,
                        &reader->checksums);
}

/* Reads items [first, first + count) of a section to where they stand, which may be in `file`; every block that holds
 * some is checked. */
static dorm_status read_items_to(const share_reader *reader, size_t which, uint64_t first, size_t count, void *items,
                                 dorm__file_memory *file)
{
  const section *one = &reader->sections[which];
  uint64_t size = (uint64_t)one->count * one->size;
  uint64_t begin = first * one->size;
  uint64_t end = begin + (uint64_t)count * one->size;
  char *block = dorm__alloc(BLOCK_SIZE, 1);
  dorm_status status = block ? DORM_OK : dorm__out_of_memory(reader->context, "a data set");
  for (uint64_t at = begin / BLOCK_SIZE * BLOCK_SIZE; status == DORM_OK && at < end; at += BLOCK_SIZE) {
    size_t length = size - at < BLOCK_SIZE ? (size_t)(size - at) : (size_t)BLOCK_SIZE;
    status = read_at(reader->context, reader->path, reader->bytes, reader->place[which] + at, block, length);
    if (status == DORM_OK &&
        dorm__hash_words(0, block, length) != reader->checksums[reader->block[which] + at / BLOCK_SIZE])
      status = refuse(reader->context, reader->path, "its checksum is wrong: it is damaged");
    uint64_t from = at < begin ? begin : at;
    uint64_t to = at + length < end ? at + length : end;
    if (status == DORM_OK) {
      dorm__file_memory_fill(file, (char *)items + (from - begin), (size_t)(to - from));
      memcpy((char *)items + (from - begin), block + (from - at), (size_t)(to - from));
    }
  }
  dorm__free(block);
  return status;
}

static dorm_status read_items(const share_reader *reader, size_t which, uint64_t first, size_t count, void *items)
{
  return read_items_to(reader, which, first, count, items, NULL);
}

/* Makes room for items of a section in the data set, and reads them. */
static dorm_status take_items(const share_reader *reader, size_t which, uint64_t first, size_t count)
{
  const section *one = &reader->sections[which];
  if (!(*one->bytes = dorm__alloc(count, one->size)))
    return dorm__out_of_memory(reader->context, "a data set");
  return read_items(reader, which, first, count, *one->bytes);
}

/* Finds the first query of a shard, and its first document. */
static dorm_status find_shard(const share_reader *reader, size_t shard, size_t num_shards, size_t *query,
                              uint64_t *docs_before)
{
  size_t low = 0;
  size_t high = (size_t)reader->header->num_queries;
  size_t start = 0;
  dorm_status status = DORM_OK;
  while (status == DORM_OK && low < high) { /* queries before low are in shards before, high and later ones are not */
    size_t middle = low + (high - low) / 2;
    status = read_items(reader, QUERY_START, middle, 1, &start);
    if (dorm__shard_of(start, reader->header->num_docs, num_shards) < shard)
      low = middle + 1;
    else
      high = middle;
  }
  if (status == DORM_OK)
    status = read_items(reader, QUERY_START, low, 1, &start);
  *query = low;
  *docs_before = start;
  return status;
}

/* Finds where the text ends that begins at `offset`. */
static dorm_status find_text_end(const share_reader *reader, size_t offset, size_t *end)
{
  char bytes[256];
  size_t all = (size_t)reader->header->texts_size;
  dorm_status status = DORM_OK;
  for (*end = 0; status == DORM_OK && !*end; offset += sizeof bytes) {
    size_t count = all - offset < sizeof bytes ? all - offset : sizeof bytes;
    if (offset >= all)
      return refuse(reader->context, reader->path, "what it holds is no data set");
    status = read_items(reader, TEXTS, offset, count, bytes);
    const char *stop = status == DORM_OK ? memchr(bytes, '\0', count) : NULL;
    *end = stop ? offset + (size_t)(stop - bytes) + 1 : 0;
  }
  return status;
}

/* Finds the part [*first, *end) of the texts that holds those at these offsets. */
static dorm_status find_texts(const share_reader *reader, const dorm_dataset *made, size_t *first, size_t *end)
{
  size_t last = 0;
  *first = SIZE_MAX;
  for (size_t i = 0; i < made->num_queries + made->num_docs; i++) {
    size_t offset = i < made->num_queries ? made->query_texts[i] : made->doc_texts[i - made->num_queries];
    last = offset > last ? offset : last;
    *first = offset && offset < *first ? offset : *first;
  }
  if (*first != SIZE_MAX)
    return find_text_end(reader, last, end);
  *first = *end = 0;
  return DORM_OK;
}

/* Copies the texts at these offsets of a part that begins at `first` to the data set's own. Offset 0 stays: there
 * stands the empty text. */
static void move_texts(const char *part, size_t first, size_t count, size_t *offsets, char *own, size_t *size)
{
  for (size_t i = 0; i < count; i++) {
    if (!offsets[i])
      continue;
    size_t length = strlen(part + (offsets[i] - first)) + 1;
    memcpy(own + *size, part + (offsets[i] - first), length);
    offsets[i] = *size;
    *size += length;
  }
}

static size_t texts_of(const char *part, size_t first, size_t count, const size_t *offsets)
{
  size_t size = 0;
  for (size_t i = 0; i < count; i++)
    size += offsets[i] ? strlen(part + (offsets[i] - first)) + 1 : 0;
  return size;
}

/* Reads the texts of the queries and documents that are here. */
static dorm_status take_texts(const share_reader *reader, dorm_dataset *made)
{
  size_t first = 0, end = 0;
  char zero = 0;
  dorm_status status = read_items(reader, TEXTS, 0, 1, &zero);
  if (status == DORM_OK && zero)
    status = refuse(reader->context, reader->path, "its texts do not begin with an empty one");
  if (status == DORM_OK)
    status = find_texts(reader, made, &first, &end);
  char *part = status == DORM_OK ? dorm__alloc_zero(end - first + 1, 1) : NULL;
  if (status == DORM_OK)
    status =
        part ? read_items(reader, TEXTS, first, end - first, part) : dorm__out_of_memory(reader->context, "a data set");
  if (status == DORM_OK) {
    size_t size = 1;
    made->texts = dorm__alloc_zero(size + texts_of(part, first, made->num_queries, made->query_texts) +
                                       texts_of(part, first, made->num_docs, made->doc_texts),
                                   1);
    if (made->texts) {
      move_texts(part, first, made->num_queries, made->query_texts, made->texts, &size);
      move_texts(part, first, made->num_docs, made->doc_texts, made->texts, &size);
    } else
      status = dorm__out_of_memory(reader->context, "a data set");
  }
  dorm__free(part);
  return status;
}

/* Reads rows [first, first + num_docs). */
static dorm_status take_rows(const share_reader *reader, uint64_t first, dorm_dataset *made)
{
  size_t num_docs = made->num_docs;
  size_t width = made->num_features;
  if (!reader->header->is_sparse || reader->folder) {
    dorm_status made_room =
        make_values(reader->context, reader->path, reader->header, reader->folder, num_docs * width, made);
    return made_room == DORM_OK
               ? read_items_to(reader, VALUES, first * width, num_docs * width, made->values, made->file)
               : made_room;
  }
  dorm_status status = take_items(reader, ROW_START, first, num_docs + 1);
  size_t entry = status == DORM_OK ? made->row_start[0] : 0;
  size_t count = status == DORM_OK ? made->row_start[num_docs] - entry : 0;
  if (status == DORM_OK && (entry > reader->header->num_entries || count > reader->header->num_entries - entry))
    status = refuse(reader->context, reader->path, "what it holds is no data set");
  if (status == DORM_OK)
    status = take_items(reader, INDICES, entry, count);
  if (status == DORM_OK)
    status = take_items(reader, VALUES, entry, count);
  for (size_t i = 0; status == DORM_OK && i <= num_docs; i++)
    made->row_start[i] -= entry;
  return status;
}

/* Reads the queries [first, end), whose documents begin with number docs_before. */
static dorm_status take_share(const share_reader *reader, size_t first, size_t end, uint64_t docs_before,
                              dorm_dataset *made)
{
  const cache_header *header = reader->header;
  made->num_queries = end - first;
  made->num_features = (size_t)header->num_features;
  made->has_missing = header->has_missing != 0;
  dorm_status status = take_items(reader, QUERY_START, first, made->num_queries + 1);
  for (size_t q = 0; status == DORM_OK && q <= made->num_queries; q++)
    made->query_start[q] -= (size_t)docs_before;
  if (status != DORM_OK)
    return status;
  made->num_docs = made->query_start[made->num_queries];
  if (made->num_docs > header->num_docs - docs_before)
    return refuse(reader->context, reader->path, "what it holds is no data set");
  const struct {
    size_t which;
    uint64_t first;
    size_t count;
    bool is_there;
  } parts[] = {{LABELS, docs_before, made->num_docs, true},
               {FEATURE_IDS, 0, made->num_features, true},
               {QUERY_TEXTS, first, made->num_queries, true},
               {DOC_TEXTS, docs_before, made->num_docs, true},
               {QUERY_WEIGHTS, first, made->num_queries, header->has_query_weights != 0},
               {DOC_WEIGHTS, docs_before, made->num_docs, header->has_doc_weights != 0}};
  for (size_t i = 0; status == DORM_OK && i < sizeof parts / sizeof *parts; i++)
    if (parts[i].is_there)
      status = take_items(reader, parts[i].which, parts[i].first, parts[i].count);
  if (status == DORM_OK)
    status = take_texts(reader, made);
  return status == DORM_OK ? take_rows(reader, docs_before, made) : status;
}

/* Whether the arrays of a share hold what a text could have held. */
static bool is_sound_share(const cache_header *header, const dorm_dataset *made)
{
  cache_header own = *header;
  if (!made->num_docs)
    return !made->num_queries;
  own.num_docs = made->num_docs;
  own.num_queries = made->num_queries;
  own.num_entries = made->row_start ? made->row_start[made->num_docs] : made->num_docs * made->num_features;
  own.texts_size = 1;
  for (size_t i = 0; i < made->num_queries + made->num_docs; i++) {
    size_t offset = i < made->num_queries ? made->query_texts[i] : made->doc_texts[i - made->num_queries];
    size_t end = offset + strlen(made->texts + offset) + 1;
    own.texts_size = end > own.texts_size ? end : own.texts_size;
  }
  own.has_order = 0;
  return is_sound(&own, made);
}

dorm_status dorm__cache_read_share(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                                   size_t first_shard, size_t end_shard, size_t num_shards, const char *folder,
                                   dorm__cache_share *share, dorm_dataset **dataset)
{
  cache_header header;
  size_t end = 0;
  uint64_t docs_end = 0;
  *dataset = NULL;
  dorm_status status = read_header(context, path, bytes, &header);
  if (status != DORM_OK)
    return status;
  dorm_dataset *made = dorm__alloc_zero(1, sizeof *made);
  if (!made || !(made->name = dorm__copy_text(path))) {
    dorm__free(made);
    return dorm__out_of_memory(context, "a data set");
  }
  share_reader reader = {.context = context, .path = path, .bytes = bytes, .header = &header, .folder = folder};
  *share = (dorm__cache_share){.num_queries = header.num_queries, .num_docs = header.num_docs};
  status = open_share(&reader, made);
  if (status == DORM_OK)
    status = find_shard(&reader, first_shard, num_shards, &share->queries_before, &share->docs_before);
  if (status == DORM_OK)
    status = find_shard(&reader, end_shard, num_shards, &end, &docs_end);
  if (status == DORM_OK && (end < share->queries_before || docs_end < share->docs_before))
    status = refuse(context, path, "what it holds is no data set");
  if (status == DORM_OK)
    status = take_share(&reader, share->queries_before, end, share->docs_before, made);
  if (status == DORM_OK && !is_sound_share(&header, made))
    status = refuse(context, path, "what it holds is no data set");
  dorm__free(reader.checksums);
  if (status == DORM_OK)
    *dataset = made;
  else
    dorm_dataset_free(made);
  return status;
}

/* ---- The cache beside a text ------------------------------------------------------- */

static uint64_t stamp_file(const char *path, uint64_t seed)
{
  struct stat about;
  if (stat(path, &about) != 0)
    return seed;
  const int64_t facts[] = {(int64_t)about.st_size, (int64_t)about.st_mtim.tv_sec, (int64_t)about.st_mtim.tv_nsec,
                           (int64_t)about.st_ino};
  return dorm__hash_words(seed, facts, sizeof facts);
}

uint64_t dorm__cache_stamp(const char *path, const char *sizes_path, dorm_storage storage, bool sorts_queries)
{
  dorm_storage kept = storage == DORM_STORAGE_FILE ? DORM_STORAGE_DENSE : storage; /* their caches are the same */
  uint64_t stamp = stamp_file(path, (uint64_t)kept + 1 + (sorts_queries ? 16 : 0));
  stamp = sizes_path ? stamp_file(sizes_path, stamp) : stamp;
  return stamp ? stamp : 1;
}
