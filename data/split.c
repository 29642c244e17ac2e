/* split.c: splits a data file into parts by query. Sorts queries by their number of relevant documents (label above 0),
 * in random order if equal. Along this order the parts take turns according to their shares, so that every part gets
 * its share of each kind of query. Turns are shuffled within short stretches, because otherwise one part would always
 * get the poorer of two neighbours. Copies lines unchanged. Writes weights beside the data to files beside the parts.
 * O(size of the text), in two passes. */
#include "base/memory.h"
#include "base/random.h"
#include "base/sort.h"
#include "base/status.h"
#include "data/cache.h"
#include "data/letor.h"
#include "data/row_store.h"

#include <math.h>
#include <string.h>

enum { MOST_PARTS = 1000, MOST_IN_STRETCH = 100 };

/* Fills turns [count] with the parts in turn. The next part is always the one that lacks most of its share so far. */
static void take_turns(size_t count, size_t num_parts, const double *shares, double *taken, size_t *turns)
{
  double total = 0;
  for (size_t p = 0; p < num_parts; p++) {
    total += shares[p];
    taken[p] = 0;
  }
  for (size_t i = 0; i < count; i++) {
    size_t next = 0;
    double most = -INFINITY;
    for (size_t p = 0; p < num_parts; p++) {
      double behind = (double)(i + 1) * shares[p] / total - taken[p];
      if (behind > most) {
        most = behind;
        next = p;
      }
    }
    taken[next]++;
    turns[i] = next;
  }
}

/* Fills parts[num_queries]. */
static dorm_status deal(dorm_context *context, const dorm_dataset *dataset, size_t num_parts, const double *shares,
                        uint64_t seed, size_t *parts)
{
  size_t count = dataset->num_queries;
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  size_t *places = dorm__region_take_zero(&memory, count, sizeof *places); /* of the queries in a random order */
  size_t *queries = dorm__region_take_zero(&memory, count, sizeof *queries);
  size_t *turns = dorm__region_take_zero(&memory, count, sizeof *turns);
  double *num_relevant = dorm__region_take_zero(&memory, count, sizeof *num_relevant); /* by place */
  uint32_t *order = dorm__region_take_zero(&memory, count, sizeof *order);             /* of the places */
  double *taken = dorm__region_take_zero(&memory, num_parts, sizeof *taken);
  if (memory.is_short)
    return dorm__out_of_memory(context, "splitting a data set");
  dorm__random random;
  dorm__random_seed(&random, seed);
  dorm__random_permutation(&random, count, places);
  for (size_t q = 0; q < count; q++) {
    queries[places[q]] = q;
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++)
      num_relevant[places[q]] += dataset->labels[j] > 0;
  }
  if (!dorm__order_descending(count, num_relevant, order))
    return dorm__out_of_memory(context, "splitting a data set");
  take_turns(count, num_parts, shares, taken, turns);
  size_t stretch = 2 * num_parts < MOST_IN_STRETCH ? 2 * num_parts : MOST_IN_STRETCH;
  for (size_t i = 0; i < count; i += stretch)
    dorm__random_shuffle(&random, count - i < stretch ? count - i : stretch, turns + i);
  for (size_t i = 0; i < count; i++)
    parts[queries[order[i]]] = turns[i];
  return DORM_OK;
}

/* ---- Copying ------------------------------------------------------------------------ */

/* Fills query_of[num_docs] for the documents in the order of the file. */
static void find_queries(const dorm_dataset *dataset, size_t *query_of)
{
  for (size_t q = 0; q < dataset->num_queries; q++)
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++)
      query_of[dorm_dataset_input_doc(dataset, j)] = q;
}

/* Returns the text after the label, or NULL if the line has no document. */
static const char *behind_label(const char *line, const char *end)
{
  line = dorm__skip_blanks(line, end);
  if (line == end || *line == '#')
    return NULL;
  while (line < end && *line != ' ' && *line != '\t' && *line != '#')
    line++;
  return line;
}

/* Copies a line. If its query comes from a file of sizes, adds a qid, so that the part needs no such file. */
static void copy_line(dorm__output *output, const char *line, const char *behind, const char *end, const char *query)
{
  const char *next = dorm__skip_blanks(behind, end);
  bool has_query = end - next >= 4 && memcmp(next, "qid:", 4) == 0;
  dorm__output_bytes(output, line, (size_t)(behind - line));
  if (!has_query)
    dorm__output_text(output, " qid:%s", query);
  dorm__output_bytes(output, behind, (size_t)(end - behind));
  dorm__output_bytes(output, "\n", 1);
}

/* A file and the parts that go to it. */
typedef struct split_file {
  const char *path;
  const int *takes; /* [num_parts] */
} split_file;

typedef struct split_outputs {
  size_t num_files;
  const split_file *files; /* [num_files] */
  dorm__output **outputs;  /* [num_files] */
} split_outputs;

static dorm_status copy_lines(dorm_context *context, dorm__line_reader *lines, const dorm_dataset *dataset,
                              const size_t *query_of, const size_t *parts, const split_outputs *to)
{
  const char *line = NULL;
  const char *end = NULL;
  size_t doc = 0;
  dorm_status status = dorm__line_reader_next(context, lines, &line, &end);
  while (status == DORM_OK && line) {
    const char *behind = behind_label(line, end);
    if (behind && doc == dataset->num_docs)
      return dorm__line_reader_fail(context, lines, "the file has changed while it was read");
    for (size_t f = 0; behind && f < to->num_files; f++)
      if (to->files[f].takes[parts[query_of[doc]]])
        copy_line(to->outputs[f], line, behind, end, dorm_dataset_query_id(dataset, query_of[doc]));
    doc += behind != NULL;
    status = dorm__line_reader_next(context, lines, &line, &end);
  }
  if (status == DORM_OK && doc != dataset->num_docs)
    status =
        dorm__fail(context, DORM_BAD_DATA, "%s: the file cannot be read a second time, or has changed", dataset->name);
  return status;
}

/* Writes FILE.weight beside a file of parts, with a line for each of its queries or documents. doc_of [num_docs] is the
 * document of each line of the data. */
static dorm_status write_weights(dorm_context *context, const dorm_dataset *dataset, const size_t *query_of,
                                 const size_t *doc_of, const size_t *parts, const split_file *file)
{
  dorm__output *output = NULL;
  char *path = dorm__weights_path(file->path);
  dorm_status status = path ? dorm__output_open(context, path, &output) : dorm__out_of_memory(context, "weights");
  dorm__free(path);
  if (status != DORM_OK)
    return status;
  for (size_t i = 0; i < dataset->num_docs; i++) {
    size_t query = query_of[i];
    bool begins = doc_of[i] == dataset->query_start[query];
    if (!file->takes[parts[query]] || !(dataset->doc_weights || begins))
      continue;
    dorm__output_number(output, dataset->doc_weights ? dataset->doc_weights[doc_of[i]] : dataset->query_weights[query]);
    dorm__output_text(output, "\n");
  }
  return dorm__output_commit(context, output);
}

static dorm_status write_all_weights(dorm_context *context, const dorm_dataset *dataset, const size_t *query_of,
                                     const size_t *parts, size_t num_files, const split_file *files)
{
  if (!dataset->query_weights && !dataset->doc_weights)
    return DORM_OK;
  DORM__FREED size_t *doc_of = dorm__alloc(dataset->num_docs, sizeof *doc_of);
  dorm_status status = doc_of ? DORM_OK : dorm__out_of_memory(context, "weights");
  for (size_t j = 0; doc_of && j < dataset->num_docs; j++)
    doc_of[dorm_dataset_input_doc(dataset, j)] = j;
  for (size_t f = 0; status == DORM_OK && f < num_files; f++)
    status = write_weights(context, dataset, query_of, doc_of, parts, &files[f]);
  return status;
}

static dorm_status write_files(dorm_context *context, const char *path, const dorm_dataset *dataset,
                               const size_t *parts, size_t num_files, const split_file *files)
{
  DORM__OWNED(dorm__line_reader) *lines = NULL;
  DORM__FREED size_t *query_of = dorm__alloc(dataset->num_docs, sizeof *query_of);
  DORM__FREED dorm__output **outputs = dorm__alloc_zero(num_files, sizeof(dorm__output *));
  dorm_status status = DORM__ALL(query_of && outputs ? DORM_OK : dorm__out_of_memory(context, "splitting a data set"),
                                 dorm__line_reader_open(context, path, &lines));
  for (size_t f = 0; status == DORM_OK && f < num_files; f++)
    status = dorm__output_open(context, files[f].path, &outputs[f]);
  if (status == DORM_OK) {
    find_queries(dataset, query_of);
    status = copy_lines(context, lines, dataset, query_of, parts, &(const split_outputs){num_files, files, outputs});
  }
  for (size_t f = 0; outputs && f < num_files; f++)
    if (outputs[f])
      status = dorm__output_close(context, outputs[f], status);
  return DORM__ALL(status, write_all_weights(context, dataset, query_of, parts, num_files, files));
}

/* Rejects a cache, which has no lines to copy. */
static dorm_status check_text(dorm_context *context, const char *path)
{
  dorm__byte_reader *bytes = NULL;
  dorm_status status = dorm__byte_reader_open(context, path, &bytes);
  if (status == DORM_OK && dorm__cache_is(bytes))
    status = dorm__fail(context, DORM_BAD_DATA, "%s: this is a data cache; split the text that it was made from", path);
  dorm__byte_reader_close(bytes);
  return status;
}

static dorm_status check_shares(dorm_context *context, size_t num_parts, const double *shares)
{
  if (num_parts < 2 || num_parts > MOST_PARTS)
    return dorm__fail(context, DORM_BAD_USAGE, "%zu parts, but a file is split into 2 to %d", num_parts, MOST_PARTS);
  for (size_t p = 0; p < num_parts; p++)
    if (!(shares[p] > 0 && shares[p] <= 1e9))
      return dorm__fail(context, DORM_BAD_USAGE, "the share %g of part %zu is not a number above 0", shares[p], p + 1);
  return DORM_OK;
}

dorm_status dorm_split(dorm_context *context, const char *path, const dorm_read_options *options, size_t num_parts,
                       const double *shares, uint64_t seed, size_t num_files, const char *const *paths,
                       const int *takes)
{
  if (DORM__LACKS(context, DORM__GIVEN(path), DORM__GIVEN(shares), DORM__GIVEN_IF(num_files, paths),
                  DORM__GIVEN_IF(num_files, takes)))
    return DORM_BAD_USAGE;
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  DORM__FREED size_t *parts = NULL;
  DORM__FREED split_file *files = dorm__alloc(num_files, sizeof *files);
  dorm_read_options full;
  dorm_status status = dorm__struct_take(context, "options", DORM__STRUCT(dorm_read_options), options, &full);
  if (status == DORM_OK && full.labels_optional)
    status = dorm__fail(context, DORM_BAD_USAGE, "options.labels_optional: lines without a label are not split");
  if (status == DORM_OK && dorm__csv_is(path))
    status = dorm__fail(context, DORM_BAD_USAGE, "%s: dorm split takes LETOR text, not CSV or TSV", path);
  if (status == DORM_OK)
    status = check_shares(context, num_parts, shares);
  for (size_t f = 0; status == DORM_OK && files && f < num_files; f++) {
    files[f] = (split_file){paths[f], takes + f * num_parts};
    if (!paths[f])
      status = dorm__fail(context, DORM_BAD_USAGE, "paths: entry %zu is NULL", f);
  }
  if (status == DORM_OK)
    status = DORM__ALL(check_text(context, path), dorm_dataset_read_with(context, path, options, &dataset));
  if (status == DORM_OK && dataset->num_queries < num_parts)
    status = dorm__fail(context, DORM_BAD_DATA, "%s: %zu queries are too few for %zu parts", path, dataset->num_queries,
                        num_parts);
  if (status == DORM_OK && (!files || !(parts = dorm__alloc(dataset->num_queries, sizeof *parts))))
    status = dorm__out_of_memory(context, "splitting a data set");
  return DORM__ALL(status, deal(context, dataset, num_parts, shares, seed, parts),
                   write_files(context, path, dataset, parts, num_files, files));
}
