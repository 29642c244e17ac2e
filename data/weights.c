/* weights.c: weights of queries and of documents. FILE.weight beside the data FILE (a convention of LightGBM) has one
 * number of at least 0 per line, in the order of the data. Empty lines are skipped. The number of weights decides:
 *
 *   as many as queries     weights of queries, as in XGBoost, which has one weight per group
 *   as many as documents   weights of documents; but if all documents of each query have the same weight, it becomes
 * the weight of the query, because users of LightGBM write weights of queries in this way
 *
 * Any other number is an error. If every query has one document, the weights are weights of queries. */
#include "base/processes.h"
#include "data/row_store.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- A file ---------------------------------------------------------------------- */

static const char ending[] = ".weight";

char *dorm__weights_path(const char *data_path)
{
  size_t size = strlen(data_path) + sizeof ending;
  char *path = dorm__alloc(size, 1);
  if (path)
    snprintf(path, size, "%s%s", data_path, ending);
  return path;
}

/* Finds FILE.weight beside the data FILE. For data FILE.gz, looks for FILE.gz.weight and then for FILE.weight. *path is
 * NULL if there is no such file. The caller frees it. */
static dorm_status find_file(dorm_context *context, const char *data_path, char **path)
{
  size_t size = strlen(data_path);
  bool is_packed = size > 3 && strcmp(data_path + size - 3, ".gz") == 0;
  *path = dorm__weights_path(data_path);
  if (!*path)
    return dorm__out_of_memory(context, "weights");
  if (access(*path, F_OK) == 0)
    return DORM_OK;
  if (is_packed) {
    snprintf(*path + size - 3, sizeof ending, "%s", ending);
    if (access(*path, F_OK) == 0)
      return DORM_OK;
  }
  dorm__free(*path);
  *path = NULL;
  return DORM_OK;
}

static const char *skip_blanks(const char *text, const char *end)
{
  while (text < end && (*text == ' ' || *text == '\t' || *text == '\r'))
    text++;
  return text;
}

/* Reads the weight on a line. *is_there is false if the line is empty. */
static dorm_status read_line(dorm_context *context, const dorm__line_reader *lines, const char *line, const char *end,
                             bool *is_there, double *weight)
{
  line = skip_blanks(line, end);
  *is_there = line < end;
  if (!*is_there)
    return DORM_OK;
  const char *rest = dorm__parse_double(line, end, weight);
  if (rest && skip_blanks(rest, end) == end && isfinite(*weight) && *weight >= 0)
    return DORM_OK;
  while (end > line && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
    end--;
  return dorm__line_reader_fail(context, lines, "the weight '%.*s' is not a finite number of 0 or more",
                                end - line > 40 ? 40 : (int)(end - line), line);
}

/* A range of the numbers in a file, and the array that receives them. */
typedef struct window {
  uint64_t first; /* index in the file */
  size_t count;
  double *numbers; /* [count] */
} window;

/* Stores number i of the file in all windows that contain it. */
static void put(size_t num_windows, const window *windows, uint64_t i, double number)
{
  for (size_t k = 0; k < num_windows; k++)
    if (i >= windows[k].first && i - windows[k].first < windows[k].count)
      windows[k].numbers[i - windows[k].first] = number;
}

/* Reads the file once. Fills the windows, and counts all numbers of the file. */
static dorm_status read_numbers(dorm_context *context, const char *path, size_t num_windows, const window *windows,
                                uint64_t *count)
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
      put(num_windows, windows, *count, weight);
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

/* Replaces numbers [num_docs] by the first number of each query [num_queries], in the same array. */
static void take_one_per_query(const dorm_dataset *dataset, double *numbers)
{
  for (size_t q = 0; q < dataset->num_queries; q++)
    numbers[q] = numbers[dataset->query_start[q]];
}

/* Makes numbers the weights of queries, if `per_query`, or else of documents, and takes ownership. If `per_doc`, the
 * array has a number per document, otherwise a number per query. Replaces all earlier weights. */
static void keep(dorm_context *context, const char *path, bool per_doc, bool per_query, double *numbers,
                 dorm_dataset *dataset)
{
  if (per_doc && per_query)
    take_one_per_query(dataset, numbers);
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

/* Makes numbers [count] the weights of the data set, and takes ownership, even on failure. `count` is the number of
 * queries or of documents. */
static dorm_status take(dorm_context *context, const char *path, size_t count, double *numbers, dorm_dataset *dataset)
{
  bool is_of_docs = count == dataset->num_docs && count != dataset->num_queries;
  if (is_of_docs && dataset->input_order && !order_by_docs(dataset, &numbers)) {
    dorm__free(numbers);
    return dorm__out_of_memory(context, "weights");
  }
  keep(context, path, is_of_docs, !is_of_docs || are_of_queries(dataset, numbers), numbers, dataset);
  return DORM_OK;
}

static dorm_status fail_count(dorm_context *context, const char *path, uint64_t count, const char *data_path,
                              const dorm_dataset *dataset)
{
  return dorm__fail(context, DORM_BAD_DATA, "%s: %" PRIu64 " weights, but %s has %zu queries and %zu documents", path,
                    count, data_path, dorm__all_queries(dataset), dorm__all_docs(dataset));
}

dorm_status dorm__weights_read(dorm_context *context, const char *data_path, dorm_dataset *dataset)
{
  DORM__FREED char *path = NULL;
  uint64_t count = 0;
  dorm_status status = find_file(context, data_path, &path);
  if (status != DORM_OK || !path)
    return status;
  double *numbers = dorm__alloc(dataset->num_docs, sizeof *numbers);
  status = DORM__ALL(numbers ? read_numbers(context, path, 1, &(window){0, dataset->num_docs, numbers}, &count)
                             : dorm__out_of_memory(context, "weights"),
                     count != dataset->num_queries && count != dataset->num_docs
                         ? fail_count(context, path, count, data_path, dataset)
                         : DORM_OK);
  if (status == DORM_OK)
    status = take(context, path, (size_t)count, numbers, dataset);
  else
    dorm__free(numbers);
  return status;
}

/* ---- Of a share ---------------------------------------------------------------------- */

/* Reads the weights of a share, whose first document has number `docs_before` among the documents of all processes. The
 * process does not know yet whether the file has weights of queries or of documents, so it reads both ranges. */
static dorm_status read_share(dorm_context *context, const char *path, const char *data_path, uint64_t docs_before,
                              bool is_reordered, dorm_dataset *dataset)
{
  window of_queries = {dataset->shards->before, dataset->num_queries, NULL};
  window of_docs = {docs_before, dataset->num_docs, NULL};
  uint64_t count = 0;
  of_queries.numbers = dorm__alloc(of_queries.count, sizeof(double));
  of_docs.numbers = dorm__alloc(of_docs.count, sizeof(double));
  dorm_status status = of_queries.numbers && of_docs.numbers
                           ? read_numbers(context, path, 2, (window[]){of_queries, of_docs}, &count)
                           : dorm__out_of_memory(context, "weights");
  bool per_query = count == dataset->shards->all_queries;
  if (status == DORM_OK && !per_query && count != dataset->shards->all_docs)
    status = fail_count(context, path, count, data_path, dataset);
  if (status == DORM_OK && !per_query && is_reordered) /* the lines of a share may be anywhere in the file */
    status =
        dorm__fail(context, DORM_BAD_USAGE,
                   "%s: weights of documents beside a cache whose lines were brought together by query are read by "
                   "one process alone; data.weights = no leaves them out",
                   path);
  int64_t differ = status == DORM_OK && !per_query && !are_of_queries(dataset, of_docs.numbers);
  if (status == DORM_OK) /* all processes must agree on weights of queries or of documents */
    status = dorm__processes_max(context, &differ);
  if (status == DORM_OK)
    keep(context, path, !per_query, per_query || !differ, per_query ? of_queries.numbers : of_docs.numbers, dataset);
  if (status != DORM_OK || !per_query)
    dorm__free(of_queries.numbers);
  if (status != DORM_OK || per_query)
    dorm__free(of_docs.numbers);
  return status;
}

dorm_status dorm__weights_read_share(dorm_context *context, const char *data_path, bool is_reordered,
                                     dorm_dataset *dataset)
{
  DORM__FREED char *path = NULL;
  uint64_t docs_before, num_docs;
  return DORM__ALL(find_file(context, data_path, &path),
                   dorm__processes_count(context, dataset->num_docs, &docs_before, &num_docs),
                   path ? read_share(context, path, data_path, docs_before, is_reordered, dataset) : DORM_OK);
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
