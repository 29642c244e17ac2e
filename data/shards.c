/* shards.c: divides the queries of a data set into G shards. Query q is in shard floor(G D_q / D). Here D_q documents
 * precede it, and there are D in all. The shards are consecutive, have about as many documents each, and depend only on
 * the data and G. All sums over queries are computed shard by shard, so training depends on the shards but not on the
 * processes and threads that hold them. */
#include "base/processes.h"
#include "data/dataset.h"

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

dorm_status dorm__shards_new(dorm_context *context, const dorm__shards *sizes, dorm__shards **shards)
{
  dorm__shards *made = dorm__alloc(1, sizeof *made);
  if (made) {
    *made = *sizes;
    made->start = dorm__alloc_zero(sizes->count + 1, sizeof *made->start);
  }
  return DORM__GIVE(made && made->start ? DORM_OK : dorm__out_of_memory(context, "shards"), shards, made,
                    dorm__shards_free);
}

void dorm__shards_fill(const dorm_dataset *dataset, uint64_t docs_before, dorm__shards *shards)
{
  for (size_t q = 0; q < dataset->num_queries; q++) {
    size_t shard = dorm__shard_of(docs_before + dataset->query_start[q], shards->all_docs, shards->total);
    shards->start[shard - shards->first + 1]++;
  }
  for (size_t i = 0; i < shards->count; i++)
    shards->start[i + 1] += shards->start[i];
}

dorm_status dorm__shards_deal(dorm_context *context, const dorm_dataset *dataset, size_t num_shards,
                              dorm__shards **shards)
{
  const dorm__shards sizes = {
      .total = num_shards, .count = num_shards, .all_queries = dataset->num_queries, .all_docs = dataset->num_docs};
  *shards = NULL;
  dorm_status status = dorm__shards_new(context, &sizes, shards);
  if (status == DORM_OK)
    dorm__shards_fill(dataset, 0, *shards);
  return status;
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
