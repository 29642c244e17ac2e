/* weights.c: weights of queries and of documents. FILE.weight beside the data FILE (a convention of LightGBM) has one
 * number of at least 0 per line, in the order of the data. Empty lines are skipped. The number of weights decides:
 *
 *   as many as queries     weights of queries, as in XGBoost, which has one weight per group
 *   as many as documents   weights of documents
 *
 * Any other number is an error. If every query has one document, the weights are weights of queries. If all documents
 * of each query have the same weight, it becomes the weight of the query, because users of LightGBM write weights of
 * queries in this way. */
#include "base/processes.h"
#include "data/row_store.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- A file ---------------------------------------------------------------------- */

char *dorm__weights_path(const char *data_path)
{
  return dorm__join_texts(data_path, ".weight");
}

dorm_status dorm__file_beside(dorm_context *context, const char *data_path, size_t num_endings,
                              const char *const *endings, char **path)
{
  size_t size = strlen(data_path);
  size_t most_cut = size > 3 && strcmp(data_path + size - 3, ".gz") == 0 ? 3 : 0;
  for (size_t cut = 0; cut <= most_cut; cut += 3)
    for (size_t i = 0; i < num_endings; i++) {
      *path = dorm__join_texts(data_path, endings[i]);
      if (!*path)
        return dorm__out_of_memory(context, "a file beside the data");
      memmove(*path + size - cut, endings[i], strlen(endings[i]) + 1);
      if (access(*path, F_OK) == 0)
        return DORM_OK;
      dorm__free(*path);
    }
  *path = NULL;
  return DORM_OK;
}

/* Reads the weight on a line. *is_there is false if the line is empty. */
static dorm_status read_line(dorm_context *context, const dorm__line_reader *lines, const char *line, const char *end,
                             bool *is_there, double *weight)
{
  line = dorm__skip_blanks(line, end);
  *is_there = line < end;
  if (!*is_there || (dorm__is_one_number(line, end, weight) && *weight >= 0))
    return DORM_OK;
  dorm__word word = dorm__trimmed(line, end);
  return dorm__line_reader_fail(context, lines, "the weight '%.*s' is not a finite number of 0 or more",
                                dorm__shown(word.size), word.begin);
}

/* A range of the numbers in a file, and the array that receives them. */
typedef struct window {
  uint64_t first; /* index in the file */
  size_t count;
  double *numbers; /* [count] */
} window;

/* Stores number i of the file in all windows that contain it. */
static void put(const window windows[2], uint64_t i, double number)
{
  for (size_t k = 0; k < 2; k++)
    if (i >= windows[k].first && i - windows[k].first < windows[k].count)
      windows[k].numbers[i - windows[k].first] = number;
}

/* Reads the file once. Fills the windows, and counts all numbers of the file. */
static dorm_status read_numbers(dorm_context *context, const char *path, const window windows[2], uint64_t *count)
{
  DORM__OWNED(dorm__line_reader) *lines = NULL;
  const char *line = NULL;
  const char *end = NULL;
  *count = 0;
  dorm_status status = dorm__line_reader_open(context, path, &lines);
  while (status == DORM_OK && (status = dorm__line_reader_next(context, lines, &line, &end)) == DORM_OK && line) {
    bool is_there;
    double weight;
    status = read_line(context, lines, line, end, &is_there, &weight);
    if (status == DORM_OK && is_there)
      put(windows, *count, weight);
    *count += is_there;
  }
  return status;
}

/* ---- Of queries or of documents ---------------------------------------------------- */

/* Reorders numbers [num_docs] from the order of the file's lines to the order of the documents (input_order). Replaces
 * the array *numbers. Returns false, with *numbers unchanged, when out of memory. */
static bool order_by_docs(const dorm_dataset *dataset, double **numbers)
{
  double *ordered = dorm__alloc(dataset->num_docs, sizeof *ordered);
  if (!ordered)
    return false;
  for (size_t j = 0; j < dataset->num_docs; j++)
    ordered[j] = (*numbers)[dataset->input_order[j]];
  dorm__free(*numbers);
  *numbers = ordered;
  return true;
}

/* Whether the numbers [num_docs] are equal within each query. */
static bool are_of_queries(const dorm_dataset *dataset, const double *numbers)
{
  for (size_t q = 0; q < dataset->num_queries; q++)
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++)
      if (numbers[j] != numbers[dataset->query_start[q]])
        return false;
  return true;
}

/* Makes numbers the weights of queries, if `per_query`, or else of documents, and takes ownership. If `per_doc`, the
 * array has a number per document, otherwise a number per query. Replaces all earlier weights. */
static void keep(dorm_context *context, const char *path, bool per_doc, bool per_query, double *numbers,
                 dorm_dataset *dataset)
{
  for (size_t q = 0; per_doc && per_query && q < dataset->num_queries; q++)
    numbers[q] = numbers[dataset->query_start[q]];
  dorm__free(dataset->query_weights);
  dorm__free(dataset->doc_weights);
  dataset->query_weights = per_query ? numbers : NULL;
  dataset->doc_weights = per_query ? NULL : numbers;
  if (per_query)
    dorm__note(context, "%s: weights of %zu queries%s: sums and means over queries are weighted", path,
               dorm__all_queries(dataset), per_doc ? ", a line for each document" : "");
  else
    dorm__note(context, "%s: weights of %zu documents: their gains are multiplied", path, dorm__all_docs(dataset));
}

/* Reads the weights of a data set, whose first document has number `docs_before` among the documents of all processes.
 * The process does not know yet whether the file has weights of queries or of documents, so it reads both ranges. */
static dorm_status read_weights(dorm_context *context, const char *path, const char *data_path, uint64_t docs_before,
                                bool is_reordered, dorm_dataset *dataset)
{
  size_t all_queries = dorm__all_queries(dataset), all_docs = dorm__all_docs(dataset);
  DORM__FREED double *of_queries = dorm__alloc(dataset->num_queries, sizeof *of_queries);
  DORM__FREED double *of_docs = dorm__alloc(dataset->num_docs, sizeof *of_docs);
  const window windows[2] = {{dorm__queries_before(dataset), dataset->num_queries, of_queries},
                             {docs_before, dataset->num_docs, of_docs}};
  uint64_t count = 0;
  dorm_status status =
      of_queries && of_docs ? read_numbers(context, path, windows, &count) : dorm__out_of_memory(context, "weights");
  bool per_query = count == all_queries;
  if (status == DORM_OK && !per_query && count != all_docs)
    status = dorm__fail(context, DORM_BAD_DATA, "%s: %" PRIu64 " weights, but %s has %zu queries and %zu documents",
                        path, count, data_path, all_queries, all_docs);
  if (status == DORM_OK && !per_query && is_reordered) /* the lines of a share may be anywhere in the file */
    status =
        dorm__fail(context, DORM_BAD_USAGE,
                   "%s: weights of documents beside a cache whose lines were brought together by query are read by "
                   "one process alone; data.weights = no leaves them out",
                   path);
  if (status == DORM_OK && !per_query && dataset->input_order && !order_by_docs(dataset, &of_docs))
    status = dorm__out_of_memory(context, "weights");
  int64_t differ = status == DORM_OK && !per_query && !are_of_queries(dataset, of_docs);
  if (status == DORM_OK && dataset->shards) /* all processes must agree on weights of queries or of documents */
    status = dorm__processes_max(context, &differ);
  if (status != DORM_OK)
    return status;
  double **kept = per_query ? &of_queries : &of_docs;
  keep(context, path, !per_query, per_query || !differ, *kept, dataset);
  *kept = NULL;
  return DORM_OK;
}

dorm_status dorm__weights_read(dorm_context *context, const char *data_path, bool is_reordered, dorm_dataset *dataset)
{
  DORM__FREED char *path = NULL;
  uint64_t docs_before = 0, num_docs;
  return DORM__ALL(dorm__file_beside(context, data_path, 1, (const char *const[]){".weight"}, &path),
                   dataset->shards ? dorm__processes_count(context, dataset->num_docs, &docs_before, &num_docs)
                                   : DORM_OK,
                   path ? read_weights(context, path, data_path, docs_before, is_reordered, dataset) : DORM_OK);
}

/* ---- Arrays -------------------------------------------------------------------------- */

dorm_status dorm__weights_check(dorm_context *context, const char *what, size_t count, const double *values)
{
  for (size_t i = 0; values && i < count; i++)
    if (!isfinite(values[i]) || values[i] < 0)
      return dorm__fail(context, DORM_BAD_DATA, "%s: entry %zu is %g, which is not a finite number of 0 or more", what,
                        i, values[i]);
  return DORM_OK;
}

/* Copies values[count]. *copy is NULL if `values` is NULL. */
static dorm_status copy_values(dorm_context *context, size_t count, const double *values, double **copy)
{
  *copy = values ? dorm__alloc(count, sizeof **copy) : NULL;
  if (values && !*copy)
    return dorm__out_of_memory(context, "weights");
  if (values)
    memcpy(*copy, values, count * sizeof **copy);
  return DORM_OK;
}

dorm_status dorm_dataset_set_weights(dorm_context *context, dorm_dataset *dataset, const double *query_weights,
                                     const double *doc_weights)
{
  double *of_queries = NULL;
  double *of_docs = NULL;
  if (DORM__LACKS(context, DORM__GIVEN(dataset)))
    return DORM_BAD_USAGE;
  dorm_status status = DORM__ALL(dorm__weights_check(context, "query_weights", dataset->num_queries, query_weights),
                                 dorm__weights_check(context, "doc_weights", dataset->num_docs, doc_weights),
                                 copy_values(context, dataset->num_queries, query_weights, &of_queries),
                                 copy_values(context, dataset->num_docs, doc_weights, &of_docs));
  if (status != DORM_OK) {
    dorm__free(of_queries);
    return status;
  }
  dorm__free(dataset->query_weights);
  dorm__free(dataset->doc_weights);
  dataset->query_weights = of_queries;
  dataset->doc_weights = of_docs;
  return DORM_OK;
}

double dorm_dataset_query_weight(const dorm_dataset *dataset, size_t query)
{
  if (!dataset || query >= dataset->num_queries)
    return (double)NAN;
  return dataset->query_weights ? dataset->query_weights[query] : 1;
}

double dorm_dataset_doc_weight(const dorm_dataset *dataset, size_t doc)
{
  if (!dataset || doc >= dataset->num_docs)
    return (double)NAN;
  return dataset->doc_weights ? dataset->doc_weights[doc] : 1;
}

double dorm__dataset_total_weight(const dorm_dataset *dataset)
{
  double sum = 0;
  for (size_t q = 0; dataset->query_weights && q < dataset->num_queries; q++)
    sum += dataset->query_weights[q];
  return dataset->query_weights ? sum : (double)dataset->num_queries;
}
