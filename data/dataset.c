/* dataset.c: data sets in memory: creates them, returns their parts, and writes them as text. */
#include "data/dataset.h"
#include "base/sort.h"
#include "data/reader_parts.h"
#include "data/row_store.h"

#include <math.h>
#include <string.h>

dorm_status dorm__dataset_new_without_values(dorm_context *context, const char *name, const dorm__dataset_sizes *sizes,
                                             dorm_dataset **dataset)
{
  *dataset = NULL;
  dorm_dataset *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a data set");
  made->num_docs = sizes->num_docs;
  made->num_queries = sizes->num_queries;
  made->num_features = sizes->num_features;
  made->query_start = dorm__alloc_zero(sizes->num_queries + 1, sizeof *made->query_start);
  made->labels = dorm__alloc_zero(sizes->num_docs, sizeof *made->labels);
  made->feature_ids = dorm__alloc_zero(sizes->num_features, sizeof *made->feature_ids);
  if (sizes->is_sparse)
    made->row_start = dorm__alloc_zero(sizes->num_docs + 1, sizeof *made->row_start);
  made->texts = dorm__alloc_zero(sizes->texts_size + 1, 1);
  made->query_texts = dorm__alloc_zero(sizes->num_queries, sizeof *made->query_texts);
  made->doc_texts = dorm__alloc_zero(sizes->num_docs, sizeof *made->doc_texts);
  made->name = dorm__copy_text(name);
  bool is_whole = made->query_start && made->labels && made->feature_ids && (!sizes->is_sparse || made->row_start) &&
                  made->texts && made->query_texts && made->doc_texts && made->name;
  return DORM__GIVE(is_whole ? DORM_OK : dorm__out_of_memory(context, "a data set"), dataset, made, dorm_dataset_free);
}

dorm_status dorm__dataset_make(dorm_context *context, const char *name, const dorm__dataset_sizes *sizes,
                               dorm_dataset **dataset)
{
  dorm_dataset *made = NULL;
  bool fits = sizes->is_sparse || sizes->num_features <= SIZE_MAX / 8 / (sizes->num_docs + 1);
  size_t count = sizes->is_sparse ? sizes->num_entries : sizes->num_docs * sizes->num_features;
  *dataset = NULL;
  dorm_status status = DORM__ALL(fits ? DORM_OK : dorm__out_of_memory(context, "a data set"),
                                 dorm__dataset_new_without_values(context, name, sizes, &made),
                                 dorm__values_new(context, sizes->like, count, &made->file, &made->values));
  if (status == DORM_OK && sizes->is_sparse && !(made->indices = dorm__alloc_zero(count, sizeof *made->indices)))
    status = dorm__out_of_memory(context, "a data set");
  return DORM__GIVE(status, dataset, made, dorm_dataset_free);
}

dorm_status dorm__dataset_new(dorm_context *context, const char *name, size_t num_docs, size_t num_queries,
                              size_t num_features, size_t texts_size, dorm_dataset **dataset)
{
  return dorm__dataset_make(
      context, name, &(const dorm__dataset_sizes){num_docs, num_queries, num_features, texts_size, false, 0, NULL},
      dataset);
}

size_t dorm__dataset_put_text(dorm_dataset *dataset, size_t *end, const char *text)
{
  size_t offset = *end, size = strlen(text) + 1;
  if (!*text)
    return 0;
  memcpy(dataset->texts + offset, text, size);
  *end += size;
  return offset;
}

void dorm_dataset_free(dorm_dataset *dataset)
{
  if (!dataset)
    return;
  dorm__free(dataset->query_start);
  dorm__free(dataset->labels);
  dorm__free(dataset->is_unjudged);
  dorm__free(dataset->feature_ids);
  if (!dataset->is_borrowed) {
    dorm__values_free(dataset->file, dataset->values);
    dorm__free(dataset->indices);
  }
  dorm__free(dataset->row_start);
  dorm__free(dataset->texts);
  dorm__free(dataset->query_texts);
  dorm__free(dataset->doc_texts);
  dorm__free(dataset->name);
  dorm__free(dataset->columns);
  dorm__free(dataset->input_order);
  dorm__free(dataset->query_weights);
  dorm__free(dataset->doc_weights);
  dorm__doc_lists_free(dataset->groups);
  dorm__doc_lists_free(dataset->subtopics);
  dorm__shards_free(dataset->shards);
  dorm__free(dataset);
}

const char *dorm__read_folder(const dorm_read_options *options)
{
  if (options->storage != DORM_STORAGE_FILE)
    return NULL;
  return options->folder && *options->folder ? options->folder : "/var/tmp";
}

void dorm__compare_features(const dorm_context *context, const dorm_dataset *dataset, const char *other, size_t num_ids,
                            const size_t *ids)
{
  size_t shared = 0, num_own = dataset->num_features;
  for (size_t i = 0, k = 0; i < num_ids && k < num_own;) {
    size_t id = ids[i], own = dataset->feature_ids[k];
    shared += id == own;
    i += id <= own;
    k += own <= id;
  }
  bool is_warning = shared < num_ids && (!shared || !dataset->row_start);
  if (shared < num_ids || shared < num_own)
    dorm__tell(context, is_warning ? DORM_EVENT_WARNING : DORM_EVENT_NOTE,
               "%s has %zu of the %zu features of %s; %s has %zu of the %zu features of %s", dataset->name, shared,
               num_ids, other, other, shared, num_own, dataset->name);
}

size_t dorm__dataset_max_docs(const dorm_dataset *dataset)
{
  size_t most = 0;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    size_t count = dataset->query_start[q + 1] - dataset->query_start[q];
    most = count > most ? count : most;
  }
  return most;
}

dorm_status dorm__dataset_rankings(dorm_context *context, const dorm_dataset *dataset, const double *scores,
                                   uint32_t *order)
{
  size_t most = dorm__dataset_max_docs(dataset);
  dorm__sort_scratch scratch;
  DORM__FREED double *sorted = dorm__alloc(most, sizeof *sorted);
  bool is_made = dorm__sort_scratch_alloc(most, &scratch) && sorted;
  for (size_t q = 0; is_made && q < dataset->num_queries; q++) {
    size_t start = dataset->query_start[q];
    dorm__sort_descending(dataset->query_start[q + 1] - start, scores + start, order + start, sorted, &scratch);
  }
  dorm__sort_scratch_free(&scratch);
  return is_made ? DORM_OK : dorm__out_of_memory(context, "rankings");
}

const char *dorm_dataset_columns(const dorm_dataset *dataset)
{
  return dataset && dataset->columns ? dataset->columns : "";
}

size_t dorm_dataset_num_docs(const dorm_dataset *dataset)
{
  return dataset ? dataset->num_docs : 0;
}

size_t dorm_dataset_num_queries(const dorm_dataset *dataset)
{
  return dataset ? dataset->num_queries : 0;
}

size_t dorm_dataset_num_features(const dorm_dataset *dataset)
{
  return dataset ? dataset->num_features : 0;
}

size_t dorm_dataset_feature_id(const dorm_dataset *dataset, size_t feature)
{
  return dataset && feature < dataset->num_features ? dataset->feature_ids[feature] : 0;
}

size_t dorm_dataset_query_start(const dorm_dataset *dataset, size_t query)
{
  return dataset && query <= dataset->num_queries ? dataset->query_start[query] : 0;
}

const char *dorm_dataset_query_id(const dorm_dataset *dataset, size_t query)
{
  return dataset && query < dataset->num_queries ? dataset->texts + dataset->query_texts[query] : NULL;
}

const char *dorm_dataset_doc_id(const dorm_dataset *dataset, size_t doc)
{
  return dataset && doc < dataset->num_docs ? dataset->texts + dataset->doc_texts[doc] : NULL;
}

size_t dorm_dataset_input_doc(const dorm_dataset *dataset, size_t doc)
{
  if (!dataset || doc >= dataset->num_docs)
    return 0;
  return dataset->input_order ? dataset->input_order[doc] : doc;
}

double dorm_dataset_label(const dorm_dataset *dataset, size_t doc)
{
  return dataset && doc < dataset->num_docs ? dataset->labels[doc] : (double)NAN;
}

float dorm_dataset_value(const dorm_dataset *dataset, size_t doc, size_t feature)
{
  if (!dataset || doc >= dataset->num_docs || feature >= dataset->num_features)
    return NAN;
  if (!dataset->values) /* training reused the memory of the values */
    return 0;
  if (!dataset->row_start)
    return dataset->values[doc * dataset->num_features + feature];
  size_t low = dataset->row_start[doc];
  size_t end = dataset->row_start[doc + 1];
  for (size_t high = end; low < high;) { /* binary search for the first index >= `feature` */
    size_t middle = low + (high - low) / 2;
    if (dataset->indices[middle] < feature)
      low = middle + 1;
    else
      high = middle;
  }
  return low < end && dataset->indices[low] == feature ? dataset->values[low] : 0;
}

static void write_value(dorm__output *output, const dorm_dataset *dataset, size_t index, float value)
{
  if (value == 0)
    return;
  dorm__output_text(output, " %zu:%s", dataset->feature_ids[index], isnan(value) ? "nan" : "");
  if (!isnan(value))
    dorm__output_float(output, value);
}

static void write_doc(dorm__output *output, const dorm_dataset *dataset, size_t query, size_t doc)
{
  if (dataset->file)
    dorm__file_memory_use(dataset->file, dataset->values + doc * dataset->num_features,
                          dataset->num_features * sizeof *dataset->values);
  dorm__output_number(output, dataset->labels[doc]);
  dorm__output_text(output, " qid:%s", dorm_dataset_query_id(dataset, query));
  if (dataset->row_start)
    for (size_t e = dataset->row_start[doc]; e < dataset->row_start[doc + 1]; e++)
      write_value(output, dataset, dataset->indices[e], dataset->values[e]);
  else
    for (size_t f = 0; f < dataset->num_features; f++)
      write_value(output, dataset, f, dataset->values[doc * dataset->num_features + f]);
  const char *doc_id = dorm_dataset_doc_id(dataset, doc);
  dorm__output_text(output, *doc_id ? " #docid = %s\n" : "\n", doc_id);
}

/* Writes the weights to PATH.weight, in the format in which they are read. */
static dorm_status write_weights(dorm_context *context, const dorm_dataset *dataset, const char *path)
{
  DORM__FREED char *weights_path = dorm__weights_path(path);
  dorm__output *output = NULL;
  dorm_status status =
      weights_path ? dorm__output_open(context, weights_path, &output) : dorm__out_of_memory(context, "weights");
  if (status != DORM_OK)
    return status;
  bool is_of_docs = dataset->doc_weights != NULL;
  size_t count = is_of_docs ? dataset->num_docs : dataset->num_queries;
  for (size_t i = 0; i < count; i++) {
    dorm__output_number(output, is_of_docs ? dataset->doc_weights[i] : dataset->query_weights[i]);
    dorm__output_text(output, "\n");
  }
  return dorm__output_commit(context, output);
}

/* Rejects data with both kinds of weights, because a file of weights holds one list, and weights to standard output,
 * which has no file beside it. */
static dorm_status check_writable(dorm_context *context, const dorm_dataset *dataset, const char *path)
{
  if (!dataset->values && !dataset->row_start && dataset->num_docs && dataset->num_features)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: training took the values of the data", path);
  if (dataset->query_weights && dataset->doc_weights)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "%s: a file of weights holds weights of queries or of documents, not both; take one of them away",
                      path);
  if ((dataset->query_weights || dataset->doc_weights) && strcmp(path, "-") == 0)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "standard output: it cannot have a file of weights beside it; take the "
                      "weights away");
  return DORM_OK;
}

dorm_status dorm_dataset_write(dorm_context *context, const dorm_dataset *dataset, const char *path)
{
  if (DORM__LACKS(context, DORM__GIVEN(dataset), DORM__GIVEN(path)))
    return DORM_BAD_USAGE;
  dorm__output *output = NULL;
  dorm_status status = DORM__ALL(check_writable(context, dataset, path), dorm__output_open(context, path, &output));
  if (status != DORM_OK)
    return status;
  for (size_t q = 0; q < dataset->num_queries; q++)
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++)
      write_doc(output, dataset, q, j);
  status = dorm__output_commit(context, output);
  bool has_weights = dataset->query_weights || dataset->doc_weights;
  return status == DORM_OK && has_weights ? write_weights(context, dataset, path) : status;
}

/* ---- Doc lists --------------------------------------------------------------------------------- */

/* Weighted lists of numbers for each document: its groups, or the subtopics that it is relevant to. */

void dorm__doc_lists_free(dorm__doc_lists *lists)
{
  if (!lists)
    return;
  dorm__free(lists->start);
  dorm__free(lists->numbers);
  dorm__free(lists->weights);
  dorm__free(lists->num_subtopics);
  dorm__free(lists->names);
  dorm__free(lists->name_at);
  dorm__free(lists);
}

dorm_status dorm__doc_lists_new(dorm_context *context, size_t num_docs, size_t num_queries, size_t num_entries,
                                dorm__doc_lists **lists)
{
  *lists = NULL;
  dorm__doc_lists *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "groups");
  made->start = dorm__alloc_zero(num_docs + 1, sizeof *made->start);
  made->numbers = dorm__alloc_zero(num_entries, sizeof *made->numbers);
  made->weights = dorm__alloc_zero(num_entries, sizeof *made->weights);
  made->num_subtopics = dorm__alloc_zero(num_queries, sizeof *made->num_subtopics);
  bool is_whole = made->start && made->numbers && made->weights && made->num_subtopics;
  return DORM__GIVE(is_whole ? DORM_OK : dorm__out_of_memory(context, "groups"), lists, made, dorm__doc_lists_free);
}

dorm_status dorm__doc_lists_from(dorm_context *context, size_t num_docs, size_t num_queries, size_t count,
                                 const dorm__doc_entry *entries, dorm__doc_lists **lists)
{
  dorm_status status = dorm__doc_lists_new(context, num_docs, num_queries, count, lists);
  if (status != DORM_OK)
    return status;
  size_t *start = (*lists)->start;
  for (size_t i = 0; i < count; i++)
    start[entries[i].doc + 1]++;
  for (size_t j = 0; j < num_docs; j++)
    start[j + 1] += start[j];
  for (size_t i = count; i-- > 0;) { /* backwards: start[j + 1] ends at the first entry of document j */
    size_t at = --start[entries[i].doc + 1];
    (*lists)->numbers[at] = entries[i].number;
    (*lists)->weights[at] = entries[i].weight;
  }
  /* now start[j + 1] is the start of document j */
  memmove(start, start + 1, num_docs * sizeof *start);
  start[num_docs] = count;
  return DORM_OK;
}
