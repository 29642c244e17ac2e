/* dataset_read.c: reads a complete data set from a text and the files beside it, or from a cache. */
#include "data/cache.h"
#include "data/dataset.h"
#include "data/letor.h"
#include "data/reader_parts.h"
#include "data/row_store.h"

#include <string.h>

/* Reads a text, or a cache that is named directly. */
static dorm_status read_file(dorm_context *context, const char *path, const dorm_read_options *options,
                             dorm_dataset **dataset)
{
  dorm__cache_share whole;
  dorm__byte_reader *bytes = NULL;
  if (dorm__csv_is_meant(path, options))
    return dorm__csv_read(context, path, options, dataset);
  dorm_status status = DORM__ALL(
      dorm__byte_reader_open(context, path, &bytes),
      dorm__cache_is(bytes) ? dorm__cache_read(context, path, bytes, NULL, dorm__read_folder(options), &whole, dataset)
                            : dorm__letor_read(context, path, bytes, options, dataset));
  dorm__byte_reader_close(bytes);
  return status;
}

/* Reads the cache beside the text. Returns false if it is missing, damaged, or made from another text. */
static bool read_cache(const char *path, uint64_t stamp, const char *folder, dorm_dataset **dataset)
{
  dorm_context unheard = {.message = ""}; /* drops messages about a bad cache, which will be replaced */
  dorm__cache_share whole = {0};
  dorm__byte_reader *bytes = NULL;
  bool is_read = dorm__byte_reader_open(&unheard, path, &bytes) == DORM_OK && dorm__cache_is(bytes) &&
                 dorm__cache_read(&unheard, path, bytes, NULL, folder, &whole, dataset) == DORM_OK;
  dorm__byte_reader_close(bytes);
  if (is_read && whole.stamp == stamp)
    return true;
  dorm_dataset_free(*dataset);
  *dataset = NULL;
  return false;
}

/* Reads the cache beside the text. If there is no good one, reads the text and writes the cache. */
static dorm_status read_cached(dorm_context *context, const char *path, const dorm_read_options *options,
                               dorm_dataset **dataset)
{
  dorm__query_sizes sizes;
  dorm_status status = DORM__ALL(dorm__input_add(context, path), dorm__query_sizes_find(context, path, &sizes));
  if (status != DORM_OK)
    return status;
  uint64_t stamp = dorm__cache_stamp(path, sizes.path, options);
  dorm__query_sizes_clear(&sizes);
  DORM__FREED char *cache_path = dorm__join_texts(path, ".dorm-cache");
  DORM__FREED char *name = dorm__copy_text(path);
  if (!cache_path || !name)
    return dorm__out_of_memory(context, "a data set");
  if (read_cache(cache_path, stamp, dorm__read_folder(options), dataset)) {
    dorm__free((*dataset)->name);
    (*dataset)->name = name;
    name = NULL;
  } else {
    status = read_file(context, path, options, dataset);
    if (status == DORM_OK && dorm__cache_write(context, *dataset, stamp, cache_path) != DORM_OK)
      dorm__warn(context, "%s", context->message);
  }
  return status;
}

dorm_status dorm__dataset_read_whole(dorm_context *context, const char *path, const dorm_read_options *options,
                                     dorm_dataset **dataset)
{
  *dataset = NULL;
  /* Standard input has no files beside it, and a cache does not hold names of columns. */
  bool keeps_cache = options->use_cache && strcmp(path, "-") != 0 && !dorm__csv_is(path);
  dorm_status status =
      keeps_cache ? read_cached(context, path, options, dataset) : read_file(context, path, options, dataset);
  if (status == DORM_OK && options->ignore_weights)
    status = dorm_dataset_set_weights(context, *dataset, NULL, NULL);
  else if (status == DORM_OK && strcmp(path, "-") != 0)
    status = dorm__weights_read(context, path, false, *dataset);
  if (status != DORM_OK) {
    dorm_dataset_free(*dataset);
    *dataset = NULL;
  }
  return status;
}
