/* gather.c: makes a data set from queries of one or two others, for folds and for training and validation data
 * together. */
#include "base/memory.h"
#include "base/processes.h"
#include "data/data.h"
#include "data/dataset.h"
#include "data/line_reader.h"
#include "data/reader_parts.h"

#include <string.h>

/* The sources in order of appearance, and the index in the result of each of their features. */
typedef struct gathered {
  const dorm_dataset *sources[2];
  size_t *indices[2]; /* [num_features of the source] */
  size_t num_sources;
  size_t num_docs;
  size_t num_entries;
  size_t texts_size;
  bool is_sparse;
} gathered;

static size_t source_number(const gathered *all, const dorm_dataset *dataset)
{
  size_t i = 0;
  while (i < all->num_sources && all->sources[i] != dataset)
    i++;
  return i;
}

static dorm_status count_sources(dorm_context *context, size_t count, const dorm__query_of *queries, gathered *all)
{
  for (size_t i = 0; i < count; i++) {
    const dorm_dataset *dataset = queries[i].dataset;
    size_t q = queries[i].query;
    if (source_number(all, dataset) == all->num_sources) {
      if (all->num_sources == 2)
        return dorm__fail(context, DORM_BAD_USAGE, "queries of more than two data sets cannot be gathered");
      all->sources[all->num_sources++] = dataset;
      all->is_sparse = all->is_sparse || dataset->row_start;
    }
    size_t first = dataset->query_start[q];
    size_t end = dataset->query_start[q + 1];
    all->num_docs += end - first;
    all->num_entries += dataset->row_start ? dataset->row_start[end] - dataset->row_start[first]
                                           : (end - first) * dataset->num_features;
    all->texts_size += strlen(dorm_dataset_query_id(dataset, q)) + 1;
    for (size_t j = first; j < end; j++)
      all->texts_size += strlen(dorm_dataset_doc_id(dataset, j)) + 1;
  }
  return DORM_OK;
}

/* Writes the union of the ids of the sources to ids, which is large enough for all. Returns their number. */
static size_t merge_ids(const gathered *all, size_t *ids)
{
  size_t at[2] = {0};
  size_t count = 0;
  for (;;) {
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < all->num_sources; i++)
      if (at[i] < all->sources[i]->num_features && all->sources[i]->feature_ids[at[i]] < least)
        least = all->sources[i]->feature_ids[at[i]];
    if (least == SIZE_MAX)
      return count;
    for (size_t i = 0; i < all->num_sources; i++)
      if (at[i] < all->sources[i]->num_features && all->sources[i]->feature_ids[at[i]] == least)
        all->indices[i][at[i]++] = count;
    ids[count++] = least;
  }
}

/* Copies row `doc` of a source to row `to`. Sparse rows must be filled in order. */
static void copy_row(const gathered *all, size_t source, size_t doc, size_t to, dorm_dataset *made)
{
  const dorm_dataset *from = all->sources[source];
  made->has_missing = made->has_missing || from->has_missing;
  const size_t *indices = all->indices[source];
  size_t first = from->row_start ? from->row_start[doc] : doc * from->num_features;
  size_t count = from->row_start ? from->row_start[doc + 1] - first : from->num_features;
  size_t entry = made->row_start ? made->row_start[to] : 0;
  dorm__file_memory_use(from->file, from->values + first, count * sizeof *from->values);
  if (made->file)
    dorm__file_memory_use(made->file, made->values + to * made->num_features,
                          made->num_features * sizeof *made->values);
  for (size_t e = 0; e < count; e++) {
    float value = from->values[first + e];
    size_t index = indices[from->row_start ? from->indices[first + e] : e];
    if (!made->row_start) {
      made->values[to * made->num_features + index] = value;
    } else if (value != 0) {
      made->indices[entry] = (uint32_t)index;
      made->values[entry++] = value;
    }
  }
  if (made->row_start)
    made->row_start[to + 1] = entry;
}

static void fill(const gathered *all, size_t count, const dorm__query_of *queries, dorm_dataset *made)
{
  size_t end_of_texts = 1; /* 0 is the empty text */
  size_t doc = 0;
  for (size_t i = 0; i < count; i++) {
    const dorm_dataset *from = queries[i].dataset;
    size_t q = queries[i].query;
    made->query_texts[i] = dorm__dataset_put_text(made, &end_of_texts, dorm_dataset_query_id(from, q));
    for (size_t j = from->query_start[q]; j < from->query_start[q + 1]; j++, doc++) {
      made->labels[doc] = from->labels[j];
      if (made->is_unjudged)
        made->is_unjudged[doc] = from->is_unjudged && from->is_unjudged[j];
      made->doc_texts[doc] = dorm__dataset_put_text(made, &end_of_texts, dorm_dataset_doc_id(from, j));
      copy_row(all, source_number(all, from), j, doc, made);
    }
    made->query_start[i + 1] = doc;
  }
}

/* Copies the weights if a source has any. Weights of the other source are 1. */
static dorm_status gather_weights(dorm_context *context, const gathered *all, size_t count,
                                  const dorm__query_of *queries, dorm_dataset *made)
{
  bool has_query_weights = false, has_doc_weights = false;
  size_t doc = 0;
  for (size_t i = 0; i < all->num_sources; i++) {
    has_query_weights = has_query_weights || all->sources[i]->query_weights;
    has_doc_weights = has_doc_weights || all->sources[i]->doc_weights;
  }
  if (has_query_weights)
    made->query_weights = dorm__alloc(count, sizeof *made->query_weights);
  if (has_doc_weights)
    made->doc_weights = dorm__alloc(all->num_docs, sizeof *made->doc_weights);
  if ((has_query_weights && !made->query_weights) || (has_doc_weights && !made->doc_weights))
    return dorm__out_of_memory(context, "weights");
  for (size_t i = 0; i < count; i++) {
    const dorm_dataset *from = queries[i].dataset;
    size_t q = queries[i].query;
    if (has_query_weights)
      made->query_weights[i] = dorm_dataset_query_weight(from, q);
    for (size_t j = from->query_start[q]; has_doc_weights && j < from->query_start[q + 1]; j++)
      made->doc_weights[doc++] = dorm_dataset_doc_weight(from, j);
  }
  return DORM_OK;
}

static const dorm__doc_lists *lists_of(const dorm_dataset *dataset, bool of_subtopics)
{
  return of_subtopics ? dataset->subtopics : dataset->groups;
}

/* Appends the entries of a query's documents to `made`, from document *doc and entry *entry on. */
static void copy_entries(const dorm__doc_lists *from, dorm__query_of query, dorm__doc_lists *made, size_t *doc,
                         size_t *entry)
{
  const size_t *start = query.dataset->query_start + query.query;
  for (size_t j = start[0]; j < start[1]; j++) {
    for (size_t e = from ? from->start[j] : 0; from && e < from->start[j + 1]; e++) {
      made->numbers[*entry] = from->numbers[e];
      made->weights[(*entry)++] = from->weights[e];
    }
    made->start[++*doc] = *entry;
  }
}

/* Copies the groups or subtopics of the documents if a source has any, otherwise sets *lists to NULL. Numbers of two
 * sources cannot collide, because they are local to a query. */
static dorm_status gather_lists(dorm_context *context, const gathered *all, size_t count, const dorm__query_of *queries,
                                bool of_subtopics, dorm__doc_lists **lists)
{
  size_t num_entries = 0, doc = 0, entry = 0;
  bool has_some = false;
  for (size_t i = 0; i < all->num_sources; i++)
    has_some = has_some || lists_of(all->sources[i], of_subtopics);
  for (size_t i = 0; i < count; i++) {
    const dorm__doc_lists *from = lists_of(queries[i].dataset, of_subtopics);
    const size_t *start = queries[i].dataset->query_start + queries[i].query;
    num_entries += from ? from->start[start[1]] - from->start[start[0]] : 0;
  }
  if (!has_some)
    return DORM_OK;
  dorm_status status = dorm__doc_lists_new(context, all->num_docs, count, num_entries, lists);
  for (size_t i = 0; status == DORM_OK && i < count; i++) {
    const dorm__doc_lists *from = lists_of(queries[i].dataset, of_subtopics);
    copy_entries(from, queries[i], *lists, &doc, &entry);
    (*lists)->num_subtopics[i] = from ? from->num_subtopics[queries[i].query] : 0;
  }
  return status;
}

/* Makes the data set. A source in `all` contributes its features even if no query comes from it. The values are in a
 * file if a source's values are. */
static dorm_status gather(dorm_context *context, const char *name, gathered *all, size_t count,
                          const dorm__query_of *queries, dorm_dataset **dataset)
{
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  dorm_dataset *made = NULL;
  *dataset = NULL;
  dorm_status status = count_sources(context, count, queries, all);
  if (status != DORM_OK)
    return status;
  const dorm__file_memory *like = NULL;
  size_t most_features = 0;
  bool has_unjudged = false;
  for (size_t i = 0; i < all->num_sources; i++) {
    const dorm_dataset *source = all->sources[i];
    most_features += source->num_features;
    all->indices[i] = dorm__region_take_zero(&memory, source->num_features, sizeof *all->indices[i]);
    like = source->file && !all->is_sparse ? source->file : like;
    has_unjudged = has_unjudged || source->is_unjudged;
  }
  size_t *ids = dorm__region_take_zero(&memory, most_features, sizeof *ids);
  if (memory.is_short)
    return dorm__out_of_memory(context, "a data set");
  const dorm__dataset_sizes sizes = {.num_docs = all->num_docs,
                                     .num_queries = count,
                                     .num_features = merge_ids(all, ids),
                                     .texts_size = all->texts_size,
                                     .is_sparse = all->is_sparse,
                                     .num_entries = all->num_entries,
                                     .like = like};
  status = dorm__dataset_make(context, name, &sizes, &made);
  if (status == DORM_OK && has_unjudged &&
      !(made->is_unjudged = dorm__alloc_zero(all->num_docs, sizeof *made->is_unjudged)))
    status = dorm__out_of_memory(context, "a data set");
  if (status == DORM_OK) {
    memcpy(made->feature_ids, ids, sizes.num_features * sizeof *ids);
    fill(all, count, queries, made);
  }
  status = DORM__ALL(status, gather_weights(context, all, count, queries, made),
                     gather_lists(context, all, count, queries, false, &made->groups),
                     gather_lists(context, all, count, queries, true, &made->subtopics));
  return DORM__GIVE(status, dataset, made, dorm_dataset_free);
}

dorm_status dorm__dataset_gather(dorm_context *context, const char *name, size_t count, const dorm__query_of *queries,
                                 dorm_dataset **dataset)
{
  gathered all = {.texts_size = 1};
  return gather(context, name, &all, count, queries, dataset);
}

/* Makes the shards of the result. Shard i has the queries that come from shard i of a source. */
static dorm_status gather_shards(dorm_context *context, const dorm__shards *of, size_t count,
                                 const dorm__query_of *queries, dorm_dataset *made)
{
  uint64_t unused;
  dorm__shards sizes = {.total = of->total, .first = of->first, .count = of->count};
  dorm_status status = DORM__ALL(dorm__processes_count(context, count, &sizes.before, &sizes.all_queries),
                                 dorm__processes_count(context, made->num_docs, &unused, &sizes.all_docs),
                                 dorm__shards_new(context, &sizes, &made->shards));
  if (status != DORM_OK)
    return status;
  size_t *start = made->shards->start;
  for (size_t i = 0; i < count; i++)
    start[dorm__shard_of_query(queries[i].dataset, queries[i].query) + 1]++;
  for (size_t i = 0; i < of->count; i++)
    start[i + 1] += start[i];
  return DORM_OK;
}

dorm_status dorm__dataset_gather_shards(dorm_context *context, const char *name, const dorm_dataset *one,
                                        const dorm_dataset *other, size_t count, const dorm__query_of *queries,
                                        dorm_dataset **dataset)
{
  gathered all = {.texts_size = 1, .sources = {one, other}, .num_sources = other ? 2 : 1};
  if (!one->shards)
    return dorm__dataset_gather(context, name, count, queries, dataset);
  for (size_t i = 0; i < all.num_sources; i++)
    all.is_sparse = all.is_sparse || all.sources[i]->row_start;
  dorm_status status = DORM__ALL(gather(context, name, &all, count, queries, dataset),
                                 gather_shards(context, one->shards, count, queries, *dataset));
  if (status != DORM_OK) {
    dorm_dataset_free(*dataset);
    *dataset = NULL;
  }
  return status;
}
