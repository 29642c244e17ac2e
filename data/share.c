/* share.c: dorm_dataset_read_with. If several processes train together, each reads its shards from a cache of the whole
 * data, so that all processes have the same columns. */
#include "base/processes.h"
#include "base/status.h"
#include "data/cache.h"
#include "data/dataset.h"
#include "data/row_store.h"

static dorm_status check_options(dorm_context *context, const char *path, const dorm_read_options *options,
                                 const dorm__byte_reader *bytes)
{
  if (!dorm__cache_is(bytes))
    return dorm__fail(context, DORM_BAD_USAGE,
                      "%s: several processes read a cache, not text; dorm cache %s -o FILE makes one", path, path);
  if (options->sort_queries || options->use_cache)
    return dorm__fail(context, DORM_BAD_USAGE, "%s = yes: several processes read a cache as dorm cache wrote it",
                      options->sort_queries ? "data.sort_queries" : "data.cache");
  return DORM_OK;
}

/* Reads the shards of this process, out of options->num_shards, from a cache. */
static dorm_status read_share(dorm_context *context, const char *path, const dorm_read_options *options,
                              dorm_dataset **dataset)
{
  size_t size = dorm__processes_size(context), number = dorm__processes_number(context);
  const dorm__shard_span span = {dorm__shards_of_process(number, size, options->num_shards),
                                 dorm__shards_of_process(number + 1, size, options->num_shards), options->num_shards};
  dorm__cache_share whole;
  dorm__byte_reader *bytes = NULL;
  dorm_status status =
      DORM__ALL(dorm__byte_reader_open(context, path, &bytes), check_options(context, path, options, bytes),
                dorm__cache_read(context, path, bytes, &span, dorm__read_folder(options), &whole, dataset));
  dorm__byte_reader_close(bytes);
  if (status != DORM_OK)
    return status;
  const dorm__shards sizes = {.total = span.num_shards,
                              .first = span.first_shard,
                              .count = span.end_shard - span.first_shard,
                              .before = whole.queries_before,
                              .all_queries = whole.num_queries,
                              .all_docs = whole.num_docs};
  status = dorm__shards_new(context, &sizes, &(*dataset)->shards);
  if (status != DORM_OK)
    return status;
  dorm__shards_fill(*dataset, whole.docs_before, (*dataset)->shards);
  return options->ignore_weights ? dorm_dataset_set_weights(context, *dataset, NULL, NULL)
                                 : dorm__weights_read(context, path, whole.is_reordered, *dataset);
}

static dorm_status read_with(dorm_context *context, const char *path, const dorm_read_options *options,
                             dorm_dataset **dataset)
{
  if (options->num_shards && dorm__processes_size(context) > 1)
    return read_share(context, path, options, dataset);
  return DORM__ALL(dorm__dataset_read_whole(context, path, options, dataset),
                   options->num_shards ? dorm__shards_deal(context, *dataset, options->num_shards, &(*dataset)->shards)
                                       : DORM_OK);
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
  if (status == DORM_OK && (unsigned)full.storage > DORM_STORAGE_FILE)
    status = dorm__fail(context, DORM_BAD_USAGE, "options.storage is %d: it has to be 0, 1, 2 or 3", (int)full.storage);
  if (status == DORM_OK)
    status = read_with(context, path, &full, dataset);
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
