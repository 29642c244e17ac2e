/* cache.h: data sets as binary files. */
#ifndef DORM_DATA_CACHE_H
#define DORM_DATA_CACHE_H

#include "base/base.h"
#include "data/data.h"
#include "data/line_reader.h"
#include "data/reader_parts.h"

/* Shards first_shard .. end_shard - 1 of num_shards. */
typedef struct dorm__shard_span {
  size_t first_shard, end_shard, num_shards;
} dorm__shard_span;

/* Whether the file is a cache of a data set. */
bool dorm__cache_is(const dorm__byte_reader *bytes);
/* Reads a cache. With a folder, the values of dense rows go to a file there (DORM_STORAGE_FILE), and sparse rows are an
 * error. Without one (NULL), values go to memory. */
dorm_status dorm__cache_read(dorm_context *context, const char *path, dorm__byte_reader *bytes, const char *folder,
                             uint64_t *stamp, dorm_dataset **dataset);
/* The counts before a share, and in total. */
typedef struct dorm__cache_share {
  size_t queries_before;
  uint64_t docs_before, num_queries, num_docs;
  bool is_reordered; /* the order of documents differs from the text */
} dorm__cache_share;
/* Reads only the queries of shards first_shard .. end_shard - 1 of num_shards. O(size of these + 64 kB
 * log(queries)). */
dorm_status dorm__cache_read_share(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                                   const dorm__shard_span *span, const char *folder, dorm__cache_share *share,
                                   dorm_dataset **dataset);
dorm_status dorm__cache_write(dorm_context *context, const dorm_dataset *dataset, uint64_t stamp, const char *path);
/* A hash of the text, the file of its query sizes (sizes_path, may be NULL), and the options storage, sort_queries and
 * labels_optional. It changes if any of them changes. */
uint64_t dorm__cache_stamp(const char *path, const char *sizes_path, const dorm_read_options *options);

#endif
