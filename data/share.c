/*
 * share.c: dorm_dataset_read_with. Where several processes train together, each keeps the shards that it owns;
 * features, storage and whether values are missing are those of the whole data, so that all processes see the same
 * columns.
 */
#include "data/share.h"
#include "base/processes.h"
#include "base/structs.h"
#include "data/byte_reader.h"
#include "data/cache.h"
#include "data/share_read.h"

#include <string.h>

/* Keeps the shards of this process of a data set that was read whole; frees `whole`. */
static dorm_status keep_share(dorm_context *context, dorm_dataset *whole, dorm_dataset **share)
{
  dorm__shards *all = whole->shards;
  size_t number = dorm__processes_number(context), size = dorm__processes_size(context);
  size_t first = dorm__shards_of_process(number, size, all->total);
  size_t end = dorm__shards_of_process(number + 1, size, all->total);
  size_t start = all->start[first];
  size_t count = all->start[end] - start;
  dorm__query_of *queries = dorm__alloc(count, sizeof *queries);
  dorm_status status = queries ? DORM_OK : dorm__out_of_memory(context, "a share of the data");
  dorm__shards kept = *all;
  kept.first = first;
  kept.count = end - first;
  kept.start = all->start + first;
  for (size_t i = 0; queries && i < count; i++)
    queries[i] = (dorm__query_of){whole, start + i};
  whole->shards = &kept;
  if (status == DORM_OK)
    status = dorm__dataset_gather_shards(context, whole->name, whole, NULL, count, queries, share);
  whole->shards = all;
  if (status == DORM_OK)
    (*share)->has_missing = whole->has_missing;
  dorm__free(queries);
  dorm_dataset_free(whole);
  return status;
}

static dorm_status is_cache(dorm_context *context, const char *path, bool *answer)
{
  dorm__byte_reader *bytes = NULL;
  dorm_status status = dorm__byte_reader_open(context, path, &bytes);
  *answer = status == DORM_OK && dorm__cache_is(bytes);
  dorm__byte_reader_close(bytes);
  return status;
}

static dorm_status read_share(dorm_context *context, const char *path, const dorm_read_options *options,
                              dorm_dataset **dataset)
{
  bool is_pattern = options->num_shards && dorm__share_is_pattern(path);
  bool is_alone = dorm__processes_size(context) == 1;
  bool is_cached = false;
  dorm_status status = DORM_OK;
  if (options->num_shards && !is_alone && !is_pattern && strcmp(path, "-") != 0)
    status = is_cache(context, path, &is_cached);
  if (status == DORM_OK && options->num_shards && !is_cached && (!is_alone || is_pattern))
    return dorm__share_read(context, path, options, dataset);
  if (status == DORM_OK)
    status = dorm__dataset_read_whole(context, path, options, dataset);
  if (status == DORM_OK && options->num_shards)
    status = dorm__shards_deal(context, *dataset, options->num_shards, &(*dataset)->shards);
  if (status != DORM_OK || is_alone || !options->num_shards)
    return status;
  dorm_dataset *whole = *dataset;
  *dataset = NULL;
  return keep_share(context, whole, dataset);
}

dorm_status dorm_dataset_read_with(dorm_context *context, const char *path, const dorm_read_options *options,
                                   dorm_dataset **dataset)
{
  if (DORM__LACKS(context, DORM__GIVEN(path), DORM__RESULT(dataset)))
    return DORM_BAD_USAGE;
  *dataset = NULL;
  dorm_read_options full;
  dorm__processes_begin(context);
  dorm_status status = dorm__struct_take(context, "options", DORM__STRUCT(dorm_read_options), options, &full);
  if (status == DORM_OK)
    status = read_share(context, path, &full, dataset);
  status = dorm__processes_end(context, status);
  if (status != DORM_OK) {
    dorm_dataset_free(*dataset);
    *dataset = NULL;
  }
  return status;
}

dorm_status dorm_dataset_read(dorm_context *context, const char *path, dorm_dataset **dataset)
{
  if (DORM__LACKS(context, DORM__GIVEN(path), DORM__RESULT(dataset)))
    return DORM_BAD_USAGE;
  return dorm_dataset_read_with(context, path, NULL, dataset);
}
