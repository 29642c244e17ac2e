/* shards.h: which shard a query lies in, and which process owns a shard, for the files of data/ that deal queries. */
#ifndef DORM_DATA_SHARDS_H
#define DORM_DATA_SHARDS_H

#include "data/data.h"

/* The shard of a query that has docs_before of all_docs documents before it, all processes together. */
size_t dorm__shard_of(uint64_t docs_before, uint64_t all_docs, size_t num_shards);
/* The first of the shards that process `number` of `size` owns; those of process `size` begin after the last. */
size_t dorm__shards_of_process(size_t number, size_t size, size_t num_shards);
/* The shard, of those that are here, of a query. */
size_t dorm__shard_of_query(const dorm_dataset *dataset, size_t query);

/* ---- Share ------------------------------------------------------------------------------------- */

/* dataset_read.c: reads all of a file, whatever options->num_shards is. */
dorm_status dorm__dataset_read_whole(dorm_context *context, const char *path, const dorm_read_options *options,
                                     dorm_dataset **dataset);

#endif
