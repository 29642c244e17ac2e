/*
 * cache.c: a binary cache. The input is taken as one; and as the counts (six
 * bytes) and the arrays of one whose sizes and checksums are then made right, so
 * that what the arrays say is all that stands between them and the program. The
 * reader is included, under other names, for its layout and its checksums.
 */
#define dorm__cache_is           fuzz_cache_is
#define dorm__cache_read         fuzz_cache_read
#define dorm__cache_read_share   fuzz_cache_read_share
#define dorm__cache_write        fuzz_cache_write
#define dorm__cache_read_share   fuzz_cache_read_share
#define dorm__cache_stamp        fuzz_cache_stamp
#define dorm_dataset_write_cache fuzz_dataset_write_cache
#include "data/cache.c"

#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

/* A data set that was let in behaves: as text it is read again. */
static void use(dorm_context *context, const dorm_dataset *dataset)
{
  dorm_dataset *again = NULL;
  double sum = 0;
  for (size_t j = 0; j < dataset->num_docs; j++)
    for (size_t f = 0; f < dataset->num_features; f++)
      sum += isnan(dorm_dataset_value(dataset, j, f)) ? 0 : (double)dorm_dataset_value(dataset, j, f);
  fuzz_require(sum * 0 == 0, "values that are finite or missing");
  const char *path = fuzz_path("again");
  fuzz_require_ok(context, dorm_dataset_write(context, dataset, path), "a cache is written as text");
  dorm_dataset_read(context, path, &again); /* ids may hold what text cannot */
  dorm_dataset_free(again);
}

static void try_file(dorm_context *context, const void *bytes, size_t size)
{
  uint64_t stamp = 0;
  dorm_dataset *dataset = NULL;
  dorm__byte_reader *reader = NULL;
  const char *path = fuzz_write("cache", bytes, size);
  fuzz_require_ok(context, dorm__byte_reader_open(context, path, &reader), "a file that can be opened");
  dorm_status status = fuzz_cache_is(reader) ? fuzz_cache_read(context, path, reader, NULL, &stamp, &dataset)
                                             : dorm__fail(context, DORM_BAD_DATA, "no cache");
  dorm__byte_reader_close(reader);
  if (status == DORM_OK)
    use(context, dataset);
  else
    fuzz_require_failure(context, status);
  dorm_dataset_free(dataset);
}

/* Lays out the sections of a file with this header, filled from the input and with zeros after its end. */
static char *lay_out(cache_header *header, const uint8_t *data, size_t size, size_t *file_size)
{
  dorm_dataset none = {0};
  section sections[NUM_SECTIONS];
  list_sections(header, &none, sections);
  *file_size = sizeof *header;
  for (size_t i = 0; i < NUM_SECTIONS; i++)
    *file_size += padded(sections[i].count * sections[i].size);
  char *file = calloc(1, *file_size);
  fuzz_require(file != NULL, "memory");
  size_t at = sizeof *header;
  header->checksum = 0;
  for (size_t i = 0; i < NUM_SECTIONS; i++) {
    size_t bytes = sections[i].count * sections[i].size;
    size_t given = bytes < size ? bytes : size;
    if (given)
      memcpy(file + at, data, given);
    data += given;
    size -= given;
    header->checksum = dorm__hash_words(header->checksum, file + at, bytes);
    at += padded(bytes);
  }
  header->header_checksum = checksum_header(header);
  memcpy(file, header, sizeof *header);
  return file;
}

static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  enum { NUM_COUNTS = 6 };
  try_file(context, data, size);
  if (size < NUM_COUNTS)
    return;
  cache_header header = {.version = version, .byte_order = byte_order};
  memcpy(header.magic, magic, sizeof magic);
  header.num_docs = data[0] % 16;
  header.num_queries = data[1] % 16;
  header.num_features = data[2] % 16;
  header.num_entries = data[3];
  header.texts_size = data[4] % 64;
  header.is_sparse = data[5] % 4;
  header.has_missing = data[5] / 4 % 4;
  header.has_order = data[5] / 16 % 4;
  header.has_query_weights = data[5] / 64 % 2;
  header.has_doc_weights = data[5] / 128;
  size_t file_size;
  char *file = lay_out(&header, data + NUM_COUNTS, size - NUM_COUNTS, &file_size);
  try_file(context, file, file_size);
  free(file);
}

const fuzz_target fuzz_cache = {"cache", run, 2048};
