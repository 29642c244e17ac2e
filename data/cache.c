/*
 * cache.c: a data set as a binary file that loads at the speed of memory:
 *
 *   header, then query_start, labels, feature_ids, query_texts, doc_texts,
 *   texts, row_start and indices (sparse), values, input_order (of queries that were
 *   apart), query_weights, doc_weights (where there are some); each padded with zeros to a multiple of 8 bytes
 *
 * Numbers stand as this machine holds them: a file of another byte order or version is refused. The sizes in the header
 * must add up to the size of the file before anything is allocated, a checksum covers all arrays, and their contents
 * are checked as those of a text are. The stamp tells whether the text has changed since.
 */
#include "data/cache.h"
#include "base/file.h"
#include "base/hash.h"
#include "data/byte_reader.h"
#include "data/data.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const char magic[DORM__MAGIC_SIZE] = {'d', 'o', 'r', 'm', 'd', 'a', 't', 'a'};
static const uint32_t version = 4;
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
  uint64_t checksum; /* of the arrays */
  uint64_t header_checksum;
} cache_header;

enum { NUM_SECTIONS = 12, ROW_START = 6, INDICES = 7, INPUT_ORDER = 9, QUERY_WEIGHTS = 10, DOC_WEIGHTS = 11 };

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
  for (size_t i = 0; i < NUM_SECTIONS; i++)
    header.checksum = dorm__hash_words(header.checksum, *sections[i].bytes, sections[i].count * sections[i].size);
  header.header_checksum = checksum_header(&header);
  dorm__output *output = NULL;
  dorm_status status = dorm__output_open(context, path, &output);
  if (status != DORM_OK)
    return status;
  static const char zeros[8] = {0};
  dorm__output_bytes(output, &header, sizeof header);
  for (size_t i = 0; i < NUM_SECTIONS; i++) {
    size_t size = sections[i].count * sections[i].size;
    dorm__output_bytes(output, *sections[i].bytes, size);
    dorm__output_bytes(output, zeros, padded(size) - size);
  }
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

static dorm_status read_sections(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                                 const cache_header *header, dorm_dataset *dataset)
{
  section sections[NUM_SECTIONS];
  uint64_t checksum = 0;
  list_sections(header, dataset, sections);
  for (size_t i = 0; i < NUM_SECTIONS; i++) {
    size_t size = sections[i].count * sections[i].size;
    size_t got = 0;
    bool is_absent = lacks(header, i);
    if (!is_absent && !(*sections[i].bytes = dorm__alloc(padded(size), 1)))
      return dorm__out_of_memory(context, "a data set");
    dorm_status status =
        is_absent ? DORM_OK : dorm__byte_reader_read(context, bytes, *sections[i].bytes, padded(size), &got);
    if (status != DORM_OK)
      return status;
    if (!is_absent && got != padded(size))
      return refuse(context, path, "it is cut short");
    checksum = dorm__hash_words(checksum, *sections[i].bytes, size);
    for (size_t k = size; !is_absent && k < padded(size); k++)
      checksum += ((const char *)*sections[i].bytes)[k] != 0; /* the padding must be zeros */
  }
  return checksum == header->checksum ? DORM_OK : refuse(context, path, "its checksum is wrong: it is damaged");
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
  float worst = 0; /* becomes NaN with the first NaN or infinity */
  for (uint64_t e = 0; e < header->num_entries; e++)
    if (!header->has_missing || !isnan(dataset->values[e]))
      worst += dataset->values[e] * 0;
  return is_good && worst == 0;
}

bool dorm__cache_is(const dorm__byte_reader *bytes)
{
  return dorm__byte_reader_starts_with(bytes, magic);
}

dorm_status dorm__cache_read(dorm_context *context, const char *path, dorm__byte_reader *bytes, uint64_t *stamp,
                             dorm_dataset **dataset)
{
  cache_header header;
  size_t got = 0;
  *dataset = NULL;
  dorm_status status = dorm__byte_reader_read(context, bytes, &header, sizeof header, &got);
  if (status == DORM_OK && got < sizeof header)
    status = refuse(context, path, "it is cut short");
  if (status == DORM_OK)
    status = check_header(context, path, &header, dorm__byte_reader_size(bytes));
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
  status = read_sections(context, path, bytes, &header, made);
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
  uint64_t stamp = stamp_file(path, (uint64_t)storage + 1 + (sorts_queries ? 16 : 0));
  stamp = sizes_path ? stamp_file(sizes_path, stamp) : stamp;
  return stamp ? stamp : 1;
}
