/*
 * cache.c: a binary cache. The input is taken as one; and as the counts (six bytes) and the arrays of one whose sizes
 * and checksums are then made right, so that the program meets the arrays unchecked. Reads a cache whole, then in two
 * shares.
 */
#include "data/cache.h"
#include "data/line_reader.h"
#include "data/reader_parts.h"
#include "tests/fuzz/fuzz.h"

/* A data set that was let in behaves: as text it is read again. */
static void use(dorm_context *context, const dorm_dataset *dataset)
{
  DORM__OWNED(dorm_dataset) *again = NULL;
  double sum = 0;
  for (size_t j = 0; j < dataset->num_docs; j++)
    for (size_t f = 0; f < dataset->num_features; f++)
      sum += isnan(dorm_dataset_value(dataset, j, f)) ? 0 : (double)dorm_dataset_value(dataset, j, f);
  fuzz_require(sum * 0 == 0, "values that are finite or missing");
  unlink(fuzz_path("again.weight")); /* of an input before */
  const char *path = fuzz_path("again");
  dorm_status status = dorm_dataset_write(context, dataset, path);
  if (dataset->query_weights && dataset->doc_weights) { /* which a text has no place for */
    fuzz_require_failure(context, status);
    return;
  }
  fuzz_require_ok(context, status, "a cache is written as text");
  dorm_dataset_read(context, path, &again); /* ids may hold what text cannot */
}

/* Reads each half of the shards of a cache that is whole, and asks whether together they are it. */
static void read_shares(dorm_context *context, const char *path, const dorm_dataset *whole)
{
  enum { NUM_SHARDS = 4 };
  size_t num_docs = 0, num_queries = 0;
  for (size_t first = 0; first < NUM_SHARDS; first += NUM_SHARDS / 2) {
    dorm__cache_share share;
    DORM__OWNED(dorm_dataset) *part = NULL;
    dorm__byte_reader *reader = NULL;
    fuzz_require_ok(context, dorm__byte_reader_open(context, path, &reader), "a file that can be opened again");
    fuzz_require_ok(context,
                    dorm__cache_read(context, path, reader,
                                     &(const dorm__shard_span){first, first + NUM_SHARDS / 2, NUM_SHARDS}, NULL, &share,
                                     &part),
                    "a share of a cache that was let in");
    dorm__byte_reader_close(reader);
    fuzz_require(share.docs_before == num_docs && share.queries_before == num_queries, "shares one after the other");
    fuzz_require(part->num_features == whole->num_features, "the features of the whole");
    for (size_t q = 0; q < part->num_queries; q++)
      fuzz_require(strcmp(dorm_dataset_query_id(part, q), dorm_dataset_query_id(whole, num_queries + q)) == 0 &&
                       num_docs + part->query_start[q] == whole->query_start[num_queries + q] &&
                       (!whole->query_weights || part->query_weights[q] == whole->query_weights[num_queries + q]),
                   "the queries of the whole");
    for (size_t j = 0; j < part->num_docs; j++) {
      fuzz_require(strcmp(dorm_dataset_doc_id(part, j), dorm_dataset_doc_id(whole, num_docs + j)) == 0 &&
                       part->labels[j] == whole->labels[num_docs + j] &&
                       (!whole->doc_weights || part->doc_weights[j] == whole->doc_weights[num_docs + j]),
                   "the documents of the whole");
      for (size_t f = 0; f < part->num_features; f++) {
        float one = dorm_dataset_value(part, j, f), other = dorm_dataset_value(whole, num_docs + j, f);
        fuzz_require(one == other || (isnan(one) && isnan(other)), "the values of the whole");
      }
    }
    num_docs += part->num_docs;
    num_queries += part->num_queries;
  }
  fuzz_require(num_docs == whole->num_docs && num_queries == whole->num_queries, "shares that make the whole");
}

/* Reads a file as a cache; one that was laid out may be refused for what its arrays hold alone. */
static void try_file(dorm_context *context, const void *bytes, size_t size, bool is_laid_out)
{
  dorm__cache_share share;
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  dorm__byte_reader *reader = NULL;
  const char *path = fuzz_write("cache", bytes, size);
  fuzz_require_ok(context, dorm__byte_reader_open(context, path, &reader), "a file that can be opened");
  dorm_status status = dorm__cache_is(reader) ? dorm__cache_read(context, path, reader, NULL, NULL, &share, &dataset)
                                              : dorm__fail(context, DORM_BAD_DATA, "no cache");
  if (status == DORM_OK) {
    read_shares(context, path, dataset);
    use(context, dataset);
  } else {
    fuzz_require_failure(context, status);
    fuzz_require(!is_laid_out || strstr(dorm_context_message(context), "what it holds is no data set"),
                 "sizes and checksums that the reader takes");
  }
  dorm__byte_reader_close(reader);
}

/* Lays out the sections of a file with this header, filled from the input and with zeros after its end, and their
 * checksums. */
static char *lay_out(dorm__cache_header *header, const uint8_t *data, size_t size, size_t *file_size)
{
  dorm_dataset none = {0};
  dorm__cache_section sections[DORM__CACHE_NUM_SECTIONS];
  dorm__cache_list(header, &none, sections);
  size_t count = (size_t)dorm__cache_all_blocks(sections);
  *file_size = sizeof *header + count * sizeof(uint64_t);
  for (size_t i = 0; i < DORM__CACHE_NUM_SECTIONS; i++)
    *file_size += dorm__cache_padded(sections[i].count * sections[i].size);
  char *file = calloc(1, *file_size);
  uint64_t *checksums = calloc(count + 1, sizeof *checksums);
  fuzz_require(file && checksums, "memory");
  size_t at = sizeof *header, block = 0;
  for (size_t i = 0; i < DORM__CACHE_NUM_SECTIONS; i++) {
    size_t bytes = sections[i].count * sections[i].size;
    size_t given = bytes < size ? bytes : size;
    if (given)
      memcpy(file + at, data, given);
    data += given;
    size -= given;
    dorm__cache_sum_blocks(&sections[i], file + at, NULL, checksums + block);
    block += (size_t)dorm__cache_num_blocks(&sections[i]);
    at += dorm__cache_padded(bytes);
  }
  dorm__cache_header_seal(header, count, checksums);
  memcpy(file, header, sizeof *header);
  memcpy(file + at, checksums, count * sizeof *checksums);
  free(checksums);
  return file;
}

static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  enum { NUM_COUNTS = 6 };
  try_file(context, data, size, false);
  if (size < NUM_COUNTS)
    return;
  dorm__cache_header header = {0};
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
  try_file(context, file, file_size, true);
  free(file);
}

const fuzz_target fuzz_cache = {"cache", run, 2048};
