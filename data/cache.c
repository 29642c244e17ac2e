/* cache.c: writes a data set as a binary file that loads at the speed of memory, and reads it. cache_format.h describes
 * the file. The stamp shows whether the text has changed since the file was made from it. */
#include "data/cache.h"
#include "base/file.h"
#include "base/hash.h"
#include "data/cache_format.h"

#include <sys/stat.h>

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

/* ---- Reading ---------------------------------------------------------------------- */

/* Whether the file lacks an optional section. */
static bool lacks(const dorm__cache_header *header, size_t which)
{
  return (!header->is_sparse && (which == DORM__CACHE_ROW_START || which == DORM__CACHE_INDICES)) ||
         (!header->has_order && which == DORM__CACHE_INPUT_ORDER) ||
         (!header->has_query_weights && which == DORM__CACHE_QUERY_WEIGHTS) ||
         (!header->has_doc_weights && which == DORM__CACHE_DOC_WEIGHTS);
}

/* Checks bytes of a section, from the beginning of a block on: the checksums of their blocks, and the padding with
 * zeros. */
static bool have_checksums(const char *bytes, size_t size, const uint64_t *checksums)
{
  bool is_good = true;
  for (size_t at = 0; is_good && at < size; at += DORM__CACHE_BLOCK)
    is_good = *checksums++ == dorm__hash_words(0, bytes + at, dorm__cache_block_size(size, at));
  for (size_t k = size; k < dorm__cache_padded(size); k++)
    is_good = is_good && bytes[k] == 0;
  return is_good;
}

/* Reads a section into the file that holds its values, and verifies these checksums. */
static dorm_status read_to_file(dorm_context *context, const char *path, dorm__byte_reader *bytes, uint64_t place,
                                const dorm__cache_section *one, const uint64_t *checksums, dorm__file_memory *file)
{
  size_t size = one->count * one->size;
  DORM__FREED char *some = dorm__alloc(DORM__FILE_BLOCK, 1);
  dorm_status status = some ? DORM_OK : dorm__out_of_memory(context, "a data set");
  for (size_t at = 0; status == DORM_OK && at < size; at += DORM__FILE_BLOCK) {
    size_t count = size - at < DORM__FILE_BLOCK ? size - at : (size_t)DORM__FILE_BLOCK;
    status = dorm__cache_read_at(context, path, bytes, place + at, some, dorm__cache_padded(count));
    if (status == DORM_OK && !have_checksums(some, count, checksums + at / DORM__CACHE_BLOCK))
      status = dorm__cache_refuse(context, path, "its checksum is wrong: it is damaged");
    if (status == DORM_OK)
      status = dorm__file_memory_put(context, file, at, some, dorm__cache_padded(count));
  }
  return status;
}

static dorm_status read_sections(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                                 const dorm__cache_header *header, const char *folder, dorm_dataset *dataset)
{
  dorm__cache_section sections[DORM__CACHE_NUM_SECTIONS];
  DORM__FREED uint64_t *checksums = NULL;
  dorm__cache_list(header, dataset, sections);
  dorm_status status = dorm__cache_read_checksums(context, path, bytes, header, sections, &checksums);
  uint64_t at = sizeof *header;
  size_t block = 0;
  for (size_t i = 0; status == DORM_OK && i < DORM__CACHE_NUM_SECTIONS; i++) {
    size_t size = dorm__cache_padded(sections[i].count * sections[i].size);
    if (lacks(header, i))
      continue;
    bool in_file = i == DORM__CACHE_VALUES && folder;
    if (i == DORM__CACHE_VALUES)
      status = dorm__cache_make_values(context, path, header, folder, sections[i].count, dataset);
    else if (!(*sections[i].bytes = dorm__alloc(size, 1)))
      status = dorm__out_of_memory(context, "a data set");
    if (status == DORM_OK && in_file)
      status = read_to_file(context, path, bytes, at, &sections[i], checksums + block, dataset->file);
    else if (status == DORM_OK)
      status = dorm__cache_read_at(context, path, bytes, at, *sections[i].bytes, size);
    if (status == DORM_OK && !in_file &&
        !have_checksums(*sections[i].bytes, sections[i].count * sections[i].size, checksums + block))
      status = dorm__cache_refuse(context, path, "its checksum is wrong: it is damaged");
    at += size;
    block += (size_t)dorm__cache_num_blocks(&sections[i]);
  }
  return status;
}

dorm_status dorm__cache_read(dorm_context *context, const char *path, dorm__byte_reader *bytes, const char *folder,
                             uint64_t *stamp, dorm_dataset **dataset)
{
  dorm__cache_header header;
  dorm_dataset *made = NULL;
  *dataset = NULL;
  dorm_status status = dorm__cache_open(context, path, bytes, &header, &made);
  if (status != DORM_OK)
    return status;
  made->num_docs = (size_t)header.num_docs;
  made->num_queries = (size_t)header.num_queries;
  status =
      DORM__ALL(read_sections(context, path, bytes, &header, folder, made),
                !dorm__cache_is_sound(&header, made) ? dorm__cache_refuse(context, path, "what it holds is no data set")
                                                     : DORM_OK);
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
