/*
 * share_read.c: each process reads the shards that it owns, and nothing else stays in its memory. The text is gone
 * through twice: a scan of an even part of the bytes finds where queries begin (share_plan.c), and then each process
 * reads the lines of its shards. Where the scans met something odd, the processes look at every line of the parts that
 * they scanned; the first process that finds a bad line has the first one of the text.
 */
#include "data/share_read.h"
#include "base/processes.h"
#include "data/byte_reader.h"
#include "data/cache.h"
#include "data/dataset.h"
#include "data/file_list.h"
#include "data/letor.h"
#include "data/query_scan.h"
#include "data/shards.h"
#include "data/share_pieces.h"
#include "data/share_plan.h"
#include "data/weights.h"

#include <string.h>
#include <unistd.h>

bool dorm__share_is_pattern(const char *path)
{
  return strstr(path, "%r") || (access(path, F_OK) != 0 && strpbrk(path, "*?[{"));
}

static dorm_status check_options(dorm_context *context, const char *path, const dorm_read_options *options)
{
  if (options->sort_queries)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "data.sort_queries = yes: several processes cannot bring the lines of a query together; write "
                      "them together first, as dorm split does");
  if (options->use_cache)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "data.cache = yes: several processes do not write a cache of %s; dorm cache writes one that they "
                      "read",
                      path);
  return DORM_OK;
}

/* Looks at every line of this process's scan; the failure is that of the first bad one. */
static dorm_status look(dorm_context *context, const char *path, const dorm__query_scan *scan,
                        const dorm__share_plan *plan, const dorm_read_options *options)
{
  dorm_status status = dorm__letor_check_pieces(context, path, scan->num_ranges, plan->looks, options);
  int64_t unused = 0;
  if (status == DORM_OK) /* another process may have found it */
    status = dorm__processes_max(context, &unused);
  return status == DORM_OK ? dorm__fail(context, DORM_BAD_DATA, "%s: the file changed while it was read", path)
                           : status;
}

/* Deals the queries of a share into its shards; of `whole`, the counts are those of all processes and of those before.
 */
static dorm_status deal(dorm_context *context, const dorm__cache_share *whole, size_t num_shards, dorm_dataset *dataset)
{
  size_t number = dorm__processes_number(context);
  size_t size = dorm__processes_size(context);
  dorm__shards *shards = dorm__alloc_zero(1, sizeof *shards);
  dataset->shards = shards;
  if (!shards)
    return dorm__out_of_memory(context, "shards");
  shards->total = num_shards;
  shards->first = dorm__shards_of_process(number, size, num_shards);
  shards->count = dorm__shards_of_process(number + 1, size, num_shards) - shards->first;
  shards->before = whole->queries_before;
  shards->all_queries = whole->num_queries;
  shards->all_docs = whole->num_docs;
  shards->start = dorm__alloc_zero(shards->count + 1, sizeof *shards->start);
  if (!shards->start)
    return dorm__out_of_memory(context, "shards");
  for (size_t q = 0; q < dataset->num_queries; q++) {
    uint64_t before = whole->docs_before + dataset->query_start[q];
    shards->start[dorm__shard_of(before, whole->num_docs, num_shards) - shards->first + 1]++;
  }
  for (size_t i = 0; i < shards->count; i++)
    shards->start[i + 1] += shards->start[i];
  return DORM_OK;
}

/* Whether the share holds as much as was planned. */
static dorm_status check_count(dorm_context *context, const dorm__share_plan *plan, const dorm_dataset *dataset,
                               dorm__cache_share *whole)
{
  const dorm__data_place *from = &plan->places[dorm__processes_number(context)];
  const dorm__data_place *to = from + 1;
  *whole = (dorm__cache_share){.queries_before = (size_t)from->queries_before,
                               .docs_before = from->docs_before,
                               .num_queries = plan->num_queries,
                               .num_docs = plan->num_docs};
  bool is_planned = dataset->num_docs == to->docs_before - from->docs_before &&
                    dataset->num_queries == to->queries_before - from->queries_before;
  return is_planned ? DORM_OK
                    : dorm__fail(context, DORM_BAD_DATA, "%s: the file changed while it was read", dataset->name);
}

static dorm_status read_shards(dorm_context *context, const char *path, const dorm__file_list *files,
                               const dorm__share_plan *plan, const dorm_read_options *options, dorm_dataset **dataset)
{
  dorm__share_pieces found;
  if (!plan->num_docs)
    return dorm__fail(context, DORM_BAD_DATA, "%s: no document in it", path);
  dorm_status status = dorm__share_pieces_find(context, files, plan, &found);
  if (status != DORM_OK)
    return status;
  status = dorm__letor_read_pieces(context, path, found.count, found.pieces, options, dataset);
  dorm__cache_share whole;
  if (status == DORM_OK)
    status = check_count(context, plan, *dataset, &whole);
  if (status == DORM_OK)
    status = deal(context, &whole, options->num_shards, *dataset);
  dorm__share_pieces_clear(&found);
  return status;
}

static dorm_status read_texts(dorm_context *context, const char *path, const dorm__file_list *files,
                              const dorm_read_options *options, dorm_dataset **dataset)
{
  dorm__query_scan scan = {0};
  dorm__share_plan plan = {0};
  dorm_status status = dorm__share_plan_scan(context, files, &scan);
  if (status == DORM_OK)
    status = dorm__share_plan_make(context, files, &scan, options->num_shards, &plan);
  if (status == DORM_OK && plan.is_odd)
    status = look(context, path, &scan, &plan, options);
  dorm__query_scan_clear(&scan);
  if (status == DORM_OK)
    status = read_shards(context, path, files, &plan, options, dataset);
  dorm__share_plan_clear(&plan);
  return status;
}

/* The weights beside one file; several files may have none. */
static dorm_status read_weights(dorm_context *context, const dorm__file_list *files, bool is_reordered,
                                dorm_dataset *dataset)
{
  if (files->count == 1)
    return dorm__weights_read_share(context, files->paths[0], is_reordered, dataset);
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < files->count; i++)
    status = dorm__weights_refuse(context, files->paths[i]);
  return status;
}

/* *is_cache becomes whether the path is a cache; if so, reads it, and *is_reordered becomes whether its documents stand
 * in another order than in the text. */
static dorm_status read_cache(dorm_context *context, const char *path, const dorm_read_options *options, bool *is_cache,
                              bool *is_reordered, dorm_dataset **dataset)
{
  size_t size = dorm__processes_size(context);
  size_t number = dorm__processes_number(context);
  dorm__byte_reader *bytes = NULL;
  dorm__cache_share whole;
  dorm_status status = dorm__byte_reader_open(context, path, &bytes);
  *is_cache = status == DORM_OK && dorm__cache_is(bytes);
  if (*is_cache)
    status = dorm__cache_read_share(context, path, bytes, dorm__shards_of_process(number, size, options->num_shards),
                                    dorm__shards_of_process(number + 1, size, options->num_shards), options->num_shards,
                                    dorm__read_folder(options), &whole, dataset);
  dorm__byte_reader_close(bytes);
  *is_reordered = status == DORM_OK && *is_cache && whole.is_reordered;
  return status == DORM_OK && *is_cache ? deal(context, &whole, options->num_shards, *dataset) : status;
}

dorm_status dorm__share_read(dorm_context *context, const char *path, const dorm_read_options *options,
                             dorm_dataset **dataset)
{
  dorm__file_list files = {0};
  *dataset = NULL;
  dorm_status status = check_options(context, path, options);
  if (status == DORM_OK)
    status = dorm__file_list_find(context, path, &files);
  bool is_cache = false, is_reordered = false;
  if (status == DORM_OK && files.count == 1)
    status = read_cache(context, files.paths[0], options, &is_cache, &is_reordered, dataset);
  if (status == DORM_OK && !is_cache)
    status = read_texts(context, path, &files, options, dataset);
  if (status == DORM_OK && is_cache && options->ignore_weights)
    status = dorm_dataset_set_weights(context, *dataset, NULL, NULL);
  if (status == DORM_OK && !options->ignore_weights)
    status = read_weights(context, &files, is_reordered, *dataset);
  dorm__file_list_clear(&files);
  if (status != DORM_OK) {
    dorm_dataset_free(*dataset);
    *dataset = NULL;
  }
  return status;
}
