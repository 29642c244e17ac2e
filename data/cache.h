/* cache.h: data sets as binary files. A file contains:
 *
 *   header, then query_start, labels, feature_ids, query_texts, doc_texts,
 *   texts, row_start and indices (sparse), values, input_order (of queries that were
 *   apart), query_weights, doc_weights (where there are some); each padded with zeros to a multiple of 8 bytes
 *
 * Numbers are in the machine's representation. A file with another byte order or version is an error. At the end is a
 * checksum for each 64 kB of each array, so that each of several processes can read and verify its share. */
#ifndef DORM_DATA_CACHE_H
#define DORM_DATA_CACHE_H

#include "data/data.h"
#include "data/reader_parts.h"

typedef struct dorm__cache_header {
  char magic[DORM__MAGIC_SIZE];
  uint32_t version;
  uint32_t byte_order;
  uint64_t stamp; /* of the text, 0 if made from no text */
  uint64_t num_docs;
  uint64_t num_queries;
  uint64_t num_features;
  uint64_t num_entries;
  uint64_t texts_size;
  uint64_t is_sparse;
  uint64_t has_missing;
  uint64_t has_order; /* the order of documents differs from the text */
  uint64_t has_query_weights;
  uint64_t has_doc_weights;
  uint64_t checksum; /* of the checksums of all blocks */
  uint64_t header_checksum;
} dorm__cache_header;

/* The arrays of the file, in their order. */
enum {
  DORM__CACHE_QUERY_START,
  DORM__CACHE_LABELS,
  DORM__CACHE_FEATURE_IDS,
  DORM__CACHE_QUERY_TEXTS,
  DORM__CACHE_DOC_TEXTS,
  DORM__CACHE_TEXTS,
  DORM__CACHE_ROW_START,
  DORM__CACHE_INDICES,
  DORM__CACHE_VALUES,
  DORM__CACHE_INPUT_ORDER,
  DORM__CACHE_QUERY_WEIGHTS,
  DORM__CACHE_DOC_WEIGHTS,
  DORM__CACHE_NUM_SECTIONS
};

/* Bytes of an array per checksum. The last block may be shorter. */
enum { DORM__CACHE_BLOCK = 1 << 16 };
/* Counts in a header become sizes in memory, so caches are used only if size_t has 64 bits. */
enum { DORM__CACHE_HAS_WIDE_SIZES = sizeof(size_t) == sizeof(uint64_t) };

/* An array of the file. */
typedef struct dorm__cache_section {
  void **bytes; /* the pointer in the data set */
  size_t count;
  size_t size; /* of an item */
} dorm__cache_section;

/* ---- Layout ------------------------------------------------------------------------- */

enum { DORM__CACHE_VERSION = 5, DORM__CACHE_BYTE_ORDER = 0x01020304 };
extern const char dorm__cache_magic[DORM__MAGIC_SIZE];
uint64_t dorm__cache_header_checksum(const dorm__cache_header *header);
/* The size including the padding. */
size_t dorm__cache_padded(size_t size);
/* Lists the arrays of a file with this header: their pointers in `dataset` and their sizes. Absent arrays have no
 * items. */
void dorm__cache_list(const dorm__cache_header *header, dorm_dataset *dataset,
                      dorm__cache_section sections[DORM__CACHE_NUM_SECTIONS]);
/* The number of blocks of a section, and of all sections. Each block has a checksum. */
uint64_t dorm__cache_num_blocks(const dorm__cache_section *one);
uint64_t dorm__cache_all_blocks(const dorm__cache_section sections[DORM__CACHE_NUM_SECTIONS]);
/* The number of bytes in the block that begins at byte `at` of a section of `size` bytes. */
size_t dorm__cache_block_size(size_t size, size_t at);
/* Computes checksums [num_blocks] of the bytes of a section, which may be in `file`. */
void dorm__cache_sum_blocks(const dorm__cache_section *one, const char *bytes, dorm__file_memory *file,
                            uint64_t *checksums);
/* The size of the texts up to the end of the last text of a query or document. At least 1, for the empty text. */
size_t dorm__cache_texts_size(const dorm_dataset *dataset);
/* Fills the fields that identify the file and version, and the checksum over checksums [count] of all blocks. */
void dorm__cache_header_seal(dorm__cache_header *header, size_t count, const uint64_t *checksums);

/* ---- Reading ------------------------------------------------------------------------ */

/* Shards first_shard .. end_shard - 1 of num_shards. */
typedef struct dorm__shard_span {
  size_t first_shard, end_shard, num_shards;
} dorm__shard_span;

/* The counts before a share, and in total. */
typedef struct dorm__cache_share {
  size_t queries_before;
  uint64_t docs_before, num_queries, num_docs;
  uint64_t stamp;
  bool is_reordered; /* the order of documents differs from the text */
} dorm__cache_share;

/* Whether the file is a cache of a data set. */
bool dorm__cache_is(const dorm__byte_reader *bytes);
/* Reads a cache, or only the queries of the shards of `span` unless that is NULL. With a folder, the values of dense
 * rows go to a file there (DORM_STORAGE_FILE), and sparse rows are an error. Without one (NULL), values go to memory.
 * O(size of the queries + 64 kB log(queries)). */
dorm_status dorm__cache_read(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                             const dorm__shard_span *span, const char *folder, dorm__cache_share *share,
                             dorm_dataset **dataset);

/* ---- Writing ------------------------------------------------------------------------ */

dorm_status dorm__cache_write(dorm_context *context, const dorm_dataset *dataset, uint64_t stamp, const char *path);
/* A hash of the text, the file of its query sizes (sizes_path, may be NULL), and the options storage, sort_queries and
 * labels_optional. It changes if any of them changes. */
uint64_t dorm__cache_stamp(const char *path, const char *sizes_path, const dorm_read_options *options);

#endif
