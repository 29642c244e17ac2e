/* dataset.h: data sets that a reader fills. */
#ifndef DORM_DATA_DATASET_H
#define DORM_DATA_DATASET_H

#include "data/data.h"

typedef struct dorm__dataset_sizes {
  size_t num_docs, num_queries, num_features;
  size_t texts_size; /* bytes of ids, each ended by '\0' */
  bool is_sparse;
  size_t num_entries; /* of sparse rows */
  const dorm__file_memory
      *like; /* the values of dense rows are in a file beside this one, or in memory if it is NULL */
} dorm__dataset_sizes;

/* Makes a data set without values and indices. For sparse rows row_start is allocated and all 0. */
dorm_status dorm__dataset_new_without_values(dorm_context *context, const char *name, const dorm__dataset_sizes *sizes,
                                             dorm_dataset **dataset);
/* Makes a data set of these sizes. All arrays are zero. */
dorm_status dorm__dataset_make(dorm_context *context, const char *name, const dorm__dataset_sizes *sizes,
                               dorm_dataset **dataset);
/* The folder of the file for the values, or NULL if they go to memory. */
const char *dorm__read_folder(const dorm_read_options *options);

/* ---- Shards ------------------------------------------------------------------------------------- */

/* The shard of a query with docs_before of all_docs documents before it, counted over all processes. */
size_t dorm__shard_of(uint64_t docs_before, uint64_t all_docs, size_t num_shards);
/* The first shard of process `number` of `size`. For number = size, the number of shards. */
size_t dorm__shards_of_process(size_t number, size_t size, size_t num_shards);
/* Makes shards with these numbers, whose `start` is 0. */
dorm_status dorm__shards_new(dorm_context *context, const dorm__shards *sizes, dorm__shards **shards);
/* Fills `start`. docs_before documents are in earlier processes. */
void dorm__shards_fill(const dorm_dataset *dataset, uint64_t docs_before, dorm__shards *shards);
/* The shard of a query, among the shards in this process. */
size_t dorm__shard_of_query(const dorm_dataset *dataset, size_t query);

/* ---- Share ------------------------------------------------------------------------------------- */

/* dataset_read.c: reads a complete file, whatever options->num_shards is. */
dorm_status dorm__dataset_read_whole(dorm_context *context, const char *path, const dorm_read_options *options,
                                     dorm_dataset **dataset);

#endif
