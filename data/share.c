/*
 * share.c: dorm_dataset_read_with. Where several processes train together, each keeps the shards that it owns;
 * features, storage and whether values are missing are those of the whole data, so that all processes see the same
 * columns.
 */
#include "data/share.h"
#include "base/processes.h"
#include "base/structs.h"
#include "data/share_read.h"

static dorm_status read_share(dorm_context *context, const char *path, const dorm_read_options *options,
                              dorm_dataset **dataset)
{
  if (options->num_shards && (dorm__processes_size(context) > 1 || dorm__share_is_pattern(path)))
    return dorm__share_read(context, path, options, dataset);
  dorm_status status = dorm__dataset_read_whole(context, path, options, dataset);
  if (status == DORM_OK && options->num_shards)
    status = dorm__shards_deal(context, *dataset, options->num_shards, &(*dataset)->shards);
  return status;
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
