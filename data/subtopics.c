/* subtopics.c: the subtopics of its query that a document is relevant to, given by the program or read from lines
 *
 *   query subtopic document judgement
 *
 * as in TREC's diversity tasks. A document with a judgement of at most 0 is not relevant. Documents and queries that
 * are not in the data are skipped, but their subtopics count among the subtopics of the query. */
#include "base/hash.h"
#include "data/data.h"
#include "data/line_reader.h"
#include "data/reader_parts.h"

#include <math.h>
#include <string.h>

typedef struct subtopic_reader {
  dorm_context *context;
  dorm_dataset *dataset;
  const dorm__line_reader *lines;
  dorm__names *names;
  dorm__id_table known; /* names of subtopics, each in a query */
  uint32_t *numbers;    /* [known.count], of the subtopic in its query */
  size_t numbers_capacity;
  size_t *count; /* [num_queries] */
  dorm__doc_entry *entries;
  size_t num_entries, entries_capacity;
} subtopic_reader;

static dorm_status out_of_memory(const subtopic_reader *reader)
{
  return dorm__out_of_memory(reader->context, "subtopics");
}

static dorm_status find_subtopic(subtopic_reader *reader, size_t query, dorm__word word, uint32_t *number)
{
  size_t before = reader->known.count;
  size_t id = dorm__id_table_add_in(&reader->known, query, word.begin, word.size);
  if (id == DORM__NO_ID || !DORM__GROW(reader->numbers, reader->numbers_capacity, id + 1))
    return out_of_memory(reader);
  if (id == before)
    reader->numbers[id] = (uint32_t)reader->count[query]++;
  *number = reader->numbers[id];
  return DORM_OK;
}

static dorm_status read_line(void *user, const dorm__line_reader *lines, const char *line, const char *end)
{
  subtopic_reader *reader = user;
  reader->lines = lines;
  enum { QUERY, SUBTOPIC, DOCUMENT, JUDGEMENT, NUM_WORDS };
  dorm__word words[NUM_WORDS];
  double judgement = 0;
  size_t count = dorm__split_words(line, end, NUM_WORDS, words), cursor = 0, query, doc;
  if (count == 0 || *words[QUERY].begin == '#')
    return DORM_OK;
  const char *text = count == NUM_WORDS ? words[JUDGEMENT].begin : line;
  if (count != NUM_WORDS)
    return dorm__line_reader_fail(reader->context, reader->lines, "not of the form: query subtopic document judgement");
  if (dorm__parse_double(text, text + words[JUDGEMENT].size, &judgement) != text + words[JUDGEMENT].size ||
      !isfinite(judgement))
    return dorm__line_reader_fail(reader->context, reader->lines, "the judgement '%.*s' is not a finite number",
                                  words[JUDGEMENT].size > 40 ? 40 : (int)words[JUDGEMENT].size, text);
  if (judgement <= 0)
    return DORM_OK;
  while (dorm__names_query(reader->names, words[QUERY], &cursor, &query)) {
    uint32_t number = 0;
    size_t doc_cursor = 0;
    dorm_status status = find_subtopic(reader, query, words[SUBTOPIC], &number);
    while (status == DORM_OK && dorm__names_doc(reader->names, query, words[DOCUMENT], &doc_cursor, &doc)) {
      if (!DORM__GROW(reader->entries, reader->entries_capacity, reader->num_entries + 1))
        return out_of_memory(reader);
      reader->entries[reader->num_entries++] = (dorm__doc_entry){doc, number, judgement};
    }
    if (status != DORM_OK)
      return status;
  }
  return DORM_OK;
}

dorm_status dorm_dataset_read_subtopics(dorm_context *context, dorm_dataset *dataset, const char *path)
{
  if (DORM__LACKS(context, DORM__GIVEN(dataset), DORM__GIVEN(path)))
    return DORM_BAD_USAGE;
  subtopic_reader reader = {
      .context = context, .dataset = dataset, .count = dorm__alloc_zero(dataset->num_queries, sizeof *reader.count)};
  dorm__doc_lists *lists = NULL;
  dorm_status status =
      DORM__ALL(reader.count ? dorm__names_new(context, dataset, &reader.names) : out_of_memory(&reader),
                dorm__each_line(context, path, read_line, &reader));
  if (status == DORM_OK && !reader.num_entries)
    status = dorm__fail(context, DORM_BAD_DATA, "%s: no document of %s is relevant to a subtopic", path, dataset->name);
  if (status == DORM_OK)
    status = dorm__doc_lists_from(context, dataset->num_docs, dataset->num_queries, reader.num_entries, reader.entries,
                                  &lists);
  if (status == DORM_OK) {
    memcpy(lists->num_subtopics, reader.count, dataset->num_queries * sizeof *reader.count);
    dorm__doc_lists_free(dataset->subtopics);
    dataset->subtopics = lists;
  }
  dorm__names_free(reader.names);
  dorm__id_table_clear(&reader.known);
  dorm__free(reader.numbers);
  dorm__free(reader.count);
  dorm__free(reader.entries);
  return status;
}

/* Fails if the arrays of a query violate the contract of dorm_dataset_set_subtopics. */
static dorm_status check_query(dorm_context *context, const dorm_dataset *dataset, size_t query, size_t num_subtopics,
                               const size_t *start, const uint32_t *subtopics, const double *judgements)
{
  for (size_t j = dataset->query_start[query]; j < dataset->query_start[query + 1]; j++) {
    if (start[j + 1] < start[j] || start[0] != 0)
      return dorm__fail(context, DORM_BAD_USAGE, "start: decreases after document %zu, or does not begin with 0", j);
    for (size_t e = start[j]; e < start[j + 1]; e++) {
      if (subtopics[e] >= num_subtopics)
        return dorm__fail(context, DORM_BAD_USAGE, "subtopics: entry %zu is %u, and query '%.80s' has %zu", e,
                          subtopics[e], dorm_dataset_query_id(dataset, query), num_subtopics);
      if (judgements && (!isfinite(judgements[e]) || judgements[e] <= 0))
        return dorm__fail(context, DORM_BAD_DATA, "judgements: entry %zu is %g", e, judgements[e]);
    }
  }
  return DORM_OK;
}

dorm_status dorm_dataset_set_subtopics(dorm_context *context, dorm_dataset *dataset, const size_t *num_subtopics,
                                       const size_t *start, const uint32_t *subtopics, const double *judgements)
{
  if (DORM__LACKS(context, DORM__GIVEN(dataset), DORM__GIVEN(num_subtopics), DORM__GIVEN(start)))
    return DORM_BAD_USAGE;
  if (DORM__LACKS(context, DORM__GIVEN_IF(start[dataset->num_docs] > 0, subtopics)))
    return DORM_BAD_USAGE;
  dorm__doc_lists *lists = NULL;
  dorm_status status = DORM_OK;
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++)
    status = check_query(context, dataset, q, num_subtopics[q], start, subtopics, judgements);
  size_t count = status == DORM_OK ? start[dataset->num_docs] : 0;
  if (status == DORM_OK)
    status = dorm__doc_lists_new(context, dataset->num_docs, dataset->num_queries, count, &lists);
  if (status != DORM_OK)
    return status;
  memcpy(lists->start, start, (dataset->num_docs + 1) * sizeof *start);
  memcpy(lists->num_subtopics, num_subtopics, dataset->num_queries * sizeof *num_subtopics);
  for (size_t e = 0; e < count; e++) {
    lists->numbers[e] = subtopics[e];
    lists->weights[e] = judgements ? judgements[e] : 1;
  }
  dorm__doc_lists_free(dataset->subtopics);
  dataset->subtopics = lists;
  return DORM_OK;
}

dorm_status dorm_dataset_write_subtopics(dorm_context *context, const dorm_dataset *dataset, const char *path)
{
  if (DORM__LACKS(context, DORM__GIVEN(dataset), DORM__GIVEN(path)))
    return DORM_BAD_USAGE;
  dorm__output *output = NULL;
  const dorm__doc_lists *lists = dataset->subtopics;
  if (!lists)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: has no subtopics to write", dataset->name);
  dorm_status status = dorm__output_open(context, path, &output);
  if (status != DORM_OK)
    return status;
  for (size_t q = 0; q < dataset->num_queries; q++)
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++)
      for (size_t e = lists->start[j]; e < lists->start[j + 1]; e++) {
        dorm__output_text(output, "%s %zu %s ", dorm_dataset_query_id(dataset, q), (size_t)lists->numbers[e] + 1,
                          dorm_dataset_doc_id(dataset, j));
        dorm__output_number(output, lists->weights[e]);
        dorm__output_text(output, "\n");
      }
  return dorm__output_commit(context, output);
}
