/* cache.c: the layout of a binary file of a data set (cache.h), which loads at the speed of memory, and writing it. The
 * stamp shows whether the text has changed since the file was made from it. */
#include "data/cache.h"
#include "base/hash.h"

#include <string.h>
#include <sys/stat.h>

const char dorm__cache_magic[DORM__MAGIC_SIZE] = {'d', 'o', 'r', 'm', 'd', 'a', 't', 'a'};

/* ---- Layout ------------------------------------------------------------------------- */

uint64_t dorm__cache_header_checksum(const dorm__cache_header *header)
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
  memcpy(header->magic, dorm__cache_magic, sizeof dorm__cache_magic);
  header->version = DORM__CACHE_VERSION;
  header->byte_order = DORM__CACHE_BYTE_ORDER;
  header->checksum = dorm__hash_words(0, checksums, count * sizeof *checksums);
  header->header_checksum = dorm__cache_header_checksum(header);
}

/* ---- Writing ---------------------------------------------------------------------- */

static dorm__cache_header header_of(const dorm_dataset *dataset, uint64_t stamp)
{
  size_t num_entries =
      dataset->row_start ? dataset->row_start[dataset->num_docs] : dataset->num_docs * dataset->num_features;
  return (dorm__cache_header){.stamp = stamp,
                              .num_docs = dataset->num_docs,
                              .num_queries = dataset->num_queries,
                              .num_features = dataset->num_features,
                              .num_entries = num_entries,
                              .texts_size = dorm__cache_texts_size(dataset),
                              .is_sparse = dataset->row_start != NULL,
                              .has_missing = dataset->has_missing,
                              .has_order = dataset->input_order != NULL,
                              .has_query_weights = dataset->query_weights != NULL,
                              .has_doc_weights = dataset->doc_weights != NULL};
}

/* Writes the bytes of a section, which may be in `file`, and pads them with zeros. */
static void write_section(dorm__output *output, const dorm__cache_section *one, dorm__file_memory *file)
{
  static const char zeros[8] = {0};
  size_t size = one->count * one->size;
  const char *bytes = *one->bytes;
  for (size_t at = 0; at < size; at += DORM__CACHE_BLOCK) {
    dorm__file_memory_use(file, bytes + at, dorm__cache_block_size(size, at));
    dorm__output_bytes(output, bytes + at, dorm__cache_block_size(size, at));
  }
  dorm__output_bytes(output, zeros, dorm__cache_padded(size) - size);
}

dorm_status dorm__cache_write(dorm_context *context, const dorm_dataset *dataset, uint64_t stamp, const char *path)
{
  if (!dataset->values || !DORM__CACHE_HAS_WIDE_SIZES)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: %s", path,
                      dataset->values ? "a cache needs a machine of 64 bits" : "training took the values of the data");
  dorm__cache_header header = header_of(dataset, stamp);
  dorm_dataset arrays = *dataset;
  dorm__cache_section sections[DORM__CACHE_NUM_SECTIONS];
  dorm__cache_list(&header, &arrays, sections);
  size_t count = (size_t)dorm__cache_all_blocks(sections);
  DORM__FREED uint64_t *checksums = dorm__alloc(count, sizeof *checksums);
  if (!checksums)
    return dorm__out_of_memory(context, "a cache");
  for (size_t i = 0, at = 0; i < DORM__CACHE_NUM_SECTIONS; at += (size_t)dorm__cache_num_blocks(&sections[i++]))
    dorm__cache_sum_blocks(&sections[i], *sections[i].bytes, i == DORM__CACHE_VALUES ? dataset->file : NULL,
                           checksums + at);
  dorm__cache_header_seal(&header, count, checksums);
  dorm__output *output = NULL;
  dorm_status status = dorm__output_open(context, path, &output);
  if (status == DORM_OK) {
    dorm__output_bytes(output, &header, sizeof header);
    for (size_t i = 0; i < DORM__CACHE_NUM_SECTIONS; i++)
      write_section(output, &sections[i], i == DORM__CACHE_VALUES ? dataset->file : NULL);
    dorm__output_bytes(output, checksums, count * sizeof *checksums);
    status = dorm__output_commit(context, output);
  }
  return status;
}

dorm_status dorm_dataset_write_cache(dorm_context *context, const dorm_dataset *dataset, const char *path)
{
  if (DORM__LACKS(context, DORM__GIVEN(dataset), DORM__GIVEN(path)))
    return DORM_BAD_USAGE;
  return dorm__cache_write(context, dataset, 0, path);
}

/* ---- The cache beside a text ------------------------------------------------------- */

static uint64_t stamp_file(const char *path, uint64_t seed)
{
  struct stat about;
  if (stat(path, &about) != 0)
    return seed;
  /* unlike the other times, a program cannot set back the time of the last change */
  const int64_t facts[] = {(int64_t)about.st_size,         (int64_t)about.st_mtim.tv_sec,
                           (int64_t)about.st_mtim.tv_nsec, (int64_t)about.st_ctim.tv_sec,
                           (int64_t)about.st_ctim.tv_nsec, (int64_t)about.st_ino};
  return dorm__hash_words(seed, facts, sizeof facts);
}

uint64_t dorm__cache_stamp(const char *path, const char *sizes_path, const dorm_read_options *options)
{
  dorm_storage kept =
      options->storage == DORM_STORAGE_FILE ? DORM_STORAGE_DENSE : options->storage; /* the caches are the same */
  uint64_t words = (uint64_t)kept + 1 + (options->sort_queries ? 16 : 0) + (options->labels_optional ? 32 : 0);
  uint64_t stamp = stamp_file(path, words);
  stamp = sizes_path ? stamp_file(sizes_path, stamp) : stamp;
  return stamp ? stamp : 1;
}
