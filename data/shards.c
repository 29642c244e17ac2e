/* shards.c: divides the queries of a data set into G shards. Query q is in shard floor(G D_q / D). Here D_q documents
 * precede it, and there are D in all. The shards are consecutive, have about as many documents each, and depend only on
 * the data and G. All sums over queries are computed shard by shard, so training depends on the shards but not on the
 * processes and threads that hold them. */
#include "base/processes.h"
#include "base/status.h"
#include "data/cache.h"
#include "data/data.h"
#include "data/dataset.h"
#include "data/line_reader.h"
#include "data/reader_parts.h"
#include "data/row_store.h"

size_t dorm__shard_of(uint64_t docs_before, uint64_t all_docs, size_t num_shards)
{
  return all_docs ? (size_t)(docs_before * num_shards / all_docs) : 0;
}

size_t dorm__shards_of_process(size_t number, size_t size, size_t num_shards)
{
  return number * num_shards / size;
}

void dorm__shards_free(dorm__shards *shards)
{
  if (shards)
    dorm__free(shards->start);
  dorm__free(shards);
}

dorm_status dorm__shards_deal(dorm_context *context, const dorm_dataset *dataset, size_t num_shards,
                              dorm__shards **shards)
{
  dorm__shards *made = dorm__alloc_zero(1, sizeof *made);
  *shards = made;
  if (made) {
    *made = (dorm__shards){
        .total = num_shards, .count = num_shards, .all_queries = dataset->num_queries, .all_docs = dataset->num_docs};
    made->start = dorm__alloc_zero(num_shards + 1, sizeof *made->start);
  }
  if (!made || !made->start) {
    dorm__shards_free(made);
    *shards = NULL;
    return dorm__out_of_memory(context, "shards");
  }
  for (size_t q = 0; q < dataset->num_queries; q++)
    made->start[dorm__shard_of(dataset->query_start[q], dataset->num_docs, num_shards) + 1]++;
  for (size_t i = 0; i < num_shards; i++)
    made->start[i + 1] += made->start[i];
  return DORM_OK;
}

size_t dorm__shards_here(const dorm_dataset *dataset)
{
  return dataset->shards ? dataset->shards->count : 1;
}

void dorm__shard_range(const dorm_dataset *dataset, size_t i, size_t *start, size_t *end)
{
  *start = dataset->shards ? dataset->shards->start[i] : 0;
  *end = dataset->shards ? dataset->shards->start[i + 1] : dataset->num_queries;
}

size_t dorm__shard_of_query(const dorm_dataset *dataset, size_t query)
{
  size_t low = 0;
  size_t high = dorm__shards_here(dataset);
  while (dataset->shards && high - low > 1) { /* start[low] <= query < start[high] */
    size_t middle = low + (high - low) / 2;
    *(dataset->shards->start[middle] <= query ? &low : &high) = middle;
  }
  return low;
}

size_t dorm__queries_before(const dorm_dataset *dataset)
{
  return dataset->shards ? (size_t)dataset->shards->before : 0;
}

size_t dorm__all_queries(const dorm_dataset *dataset)
{
  return dataset->shards ? (size_t)dataset->shards->all_queries : dataset->num_queries;
}

size_t dorm__all_docs(const dorm_dataset *dataset)
{
  return dataset->shards ? (size_t)dataset->shards->all_docs : dataset->num_docs;
}

dorm_status dorm__all_weighted_docs(dorm_context *context, const dorm_dataset *dataset, double *sum)
{
  const size_t *start = dataset->query_start;
  size_t count = dorm__shards_here(dataset);
  *sum = (double)dorm__all_docs(dataset);
  if (!dataset->query_weights)
    return DORM_OK;
  DORM__FREED double *parts = dorm__alloc_zero(count, sizeof *parts);
  if (!parts)
    return dorm__out_of_memory(context, "weights");
  for (size_t i = 0; i < count; i++) {
    size_t first, end;
    dorm__shard_range(dataset, i, &first, &end);
    for (size_t q = first; q < end; q++)
      parts[i] += dataset->query_weights[q] * (double)(start[q + 1] - start[q]);
  }
  return dorm__processes_sum(context, count, 1, parts, sum);
}
