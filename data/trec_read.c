/* trec_read.c: reads qrels and a TREC run (Text REtrieval Conference), and joins them to a data set of the judged and
 * the retrieved documents of every query, with scores. As in trec_eval, a document that was judged but not retrieved
 * has score -infinity, and one that was retrieved but not judged has label 0. A negative label means that the document
 * was a candidate for judging but was not judged. It counts as 0. Both kinds are marked as unjudged.
 *
 *   TREC run   query Q0 document rank score tag       (rank and tag play no part)
 *   qrels      query 0 document label
 *
 * Lines that begin with # are comments. Anything after the tag is ignored. */
#include "base/hash.h"
#include "data/data.h"
#include "data/line_reader.h"

#include <math.h>
#include <string.h>

typedef struct trec_record {
  size_t query;
  size_t doc_text;
  double label;
  double score;
  bool is_retrieved;
  bool is_judged;
} trec_record;

typedef struct trec_query {
  size_t text;
  bool has_run;
  size_t num_docs;
} trec_query;

typedef struct trec_reader {
  dorm_context *context;
  dorm__line_reader *lines;
  char *texts; /* offset 0 holds "" */
  size_t texts_size;
  size_t texts_capacity;
  trec_query *queries;
  size_t num_queries;
  size_t queries_capacity;
  dorm__index_map *query_map; /* id -> query */
  trec_record *records;
  size_t num_records;
  size_t records_capacity;
  dorm__index_map *record_map; /* query and document -> record */
} trec_reader;

static dorm_status out_of_memory(const trec_reader *reader)
{
  return dorm__out_of_memory(reader->context, "TREC files");
}

static bool keep_text(trec_reader *reader, dorm__word text, size_t *offset)
{
  if (!dorm__grow((void **)&reader->texts, &reader->texts_capacity, reader->texts_size + text.size + 1, 1))
    return false;
  memcpy(reader->texts + reader->texts_size, text.begin, text.size);
  reader->texts[reader->texts_size + text.size] = '\0';
  *offset = reader->texts_size;
  reader->texts_size += text.size + 1;
  return true;
}

static bool is_text(const trec_reader *reader, size_t offset, dorm__word text)
{
  return strncmp(reader->texts + offset, text.begin, text.size) == 0 && !reader->texts[offset + text.size];
}

static bool find_query(const trec_reader *reader, dorm__word id, size_t *query)
{
  size_t cursor = 0;
  while (dorm__index_map_find(reader->query_map, dorm__index_map_key(reader->query_map, id.begin, id.size), &cursor,
                              query))
    if (is_text(reader, reader->queries[*query].text, id))
      return true;
  return false;
}

static uint64_t key_of_doc(const trec_reader *reader, size_t query, dorm__word id)
{
  return dorm__index_map_key(reader->record_map, id.begin, id.size) * 31 + query;
}

static bool find_record(const trec_reader *reader, size_t query, dorm__word id, size_t *record)
{
  size_t cursor = 0;
  while (dorm__index_map_find(reader->record_map, key_of_doc(reader, query, id), &cursor, record))
    if (reader->records[*record].query == query && is_text(reader, reader->records[*record].doc_text, id))
      return true;
  return false;
}

static dorm_status add_query(trec_reader *reader, dorm__word id, size_t *query)
{
  size_t text;
  if (!dorm__grow((void **)&reader->queries, &reader->queries_capacity, reader->num_queries + 1,
                  sizeof *reader->queries) ||
      !keep_text(reader, id, &text) ||
      !dorm__index_map_add(reader->query_map, dorm__index_map_key(reader->query_map, id.begin, id.size),
                           reader->num_queries))
    return out_of_memory(reader);
  *query = reader->num_queries++;
  reader->queries[*query] = (trec_query){.text = text};
  return DORM_OK;
}

static dorm_status add_record(trec_reader *reader, size_t query, dorm__word id, size_t *record)
{
  size_t text;
  if (!dorm__grow((void **)&reader->records, &reader->records_capacity, reader->num_records + 1,
                  sizeof *reader->records) ||
      !keep_text(reader, id, &text) ||
      !dorm__index_map_add(reader->record_map, key_of_doc(reader, query, id), reader->num_records))
    return out_of_memory(reader);
  *record = reader->num_records++;
  reader->records[*record] = (trec_record){.query = query, .doc_text = text, .score = -INFINITY};
  reader->queries[query].num_docs++;
  return DORM_OK;
}

/* ---- Lines --------------------------------------------------------------------- */

static bool is_comment(const char *line, const char *end)
{
  while (line < end && (*line == ' ' || *line == '\t'))
    line++;
  return line < end && *line == '#';
}

/* Whether a line contains a zero byte, which ends texts and is therefore an error. */
static bool holds_zero(const char *line, const char *end)
{
  return memchr(line, '\0', (size_t)(end - line)) != NULL;
}

static bool is_number(dorm__word text, double *value)
{
  return dorm__parse_double(text.begin, text.begin + text.size, value) == text.begin + text.size && isfinite(*value);
}

static dorm_status read_judgement(trec_reader *reader, const char *line, const char *end)
{
  enum { QUERY, ITERATION, DOCUMENT, LABEL, NUM_WORDS };
  dorm__word words[NUM_WORDS];
  double label = 0;
  size_t query;
  size_t record;
  size_t count = dorm__split_words(line, end, NUM_WORDS, words);
  if (count == 0)
    return DORM_OK;
  if (count != NUM_WORDS)
    return dorm__line_reader_fail(reader->context, reader->lines, "not of the form: query 0 document label");
  if (!is_number(words[LABEL], &label))
    return dorm__line_reader_fail(reader->context, reader->lines, "the label is not a finite number");
  if (!find_query(reader, words[QUERY], &query)) {
    dorm_status status = add_query(reader, words[QUERY], &query);
    if (status != DORM_OK)
      return status;
  }
  if (find_record(reader, query, words[DOCUMENT], &record))
    return dorm__line_reader_fail(reader->context, reader->lines, "the document is already judged for this query");
  dorm_status status = add_record(reader, query, words[DOCUMENT], &record);
  if (status == DORM_OK) {
    reader->records[record].label = label > 0 ? label : 0;
    reader->records[record].is_judged = label >= 0;
  }
  return status;
}

static dorm_status read_retrieved(trec_reader *reader, const char *line, const char *end)
{
  enum { QUERY, ITERATION, DOCUMENT, RANK, SCORE, TAG, NUM_WORDS };
  dorm__word words[NUM_WORDS];
  double score = 0;
  size_t query;
  size_t record;
  size_t count = dorm__split_words(line, end, NUM_WORDS, words);
  if (count == 0)
    return DORM_OK;
  if (count < NUM_WORDS)
    return dorm__line_reader_fail(reader->context, reader->lines, "not of the form: query Q0 document rank score tag");
  if (!is_number(words[SCORE], &score))
    return dorm__line_reader_fail(reader->context, reader->lines, "the score is not a finite number");
  if (!find_query(reader, words[QUERY], &query))
    return DORM_OK; /* the qrels do not judge it */
  reader->queries[query].has_run = true;
  if (!find_record(reader, query, words[DOCUMENT], &record)) {
    dorm_status status = add_record(reader, query, words[DOCUMENT], &record);
    if (status != DORM_OK)
      return status;
  } else if (reader->records[record].is_retrieved) {
    return dorm__line_reader_fail(reader->context, reader->lines, "the document already stands in this query");
  }
  reader->records[record].score = score;
  reader->records[record].is_retrieved = true;
  return DORM_OK;
}

static dorm_status read_lines(trec_reader *reader, const char *path,
                              dorm_status (*read)(trec_reader *reader, const char *line, const char *end))
{
  const char *line = NULL;
  const char *end = NULL;
  dorm_status status = dorm__line_reader_open(reader->context, path, &reader->lines);
  while (status == DORM_OK &&
         (status = dorm__line_reader_next(reader->context, reader->lines, &line, &end)) == DORM_OK && line)
    status = is_comment(line, end)   ? DORM_OK
             : holds_zero(line, end) ? dorm__line_reader_fail(reader->context, reader->lines, "a zero byte")
                                     : read(reader, line, end);
  dorm__line_reader_close(reader->lines);
  reader->lines = NULL;
  return status;
}

/* ---- The data set ---------------------------------------------------------------- */

static bool is_kept(const trec_query *query, bool all_queries)
{
  return query->num_docs && (query->has_run || all_queries);
}

/* Joins the files. Documents stay in their order, qrels first. */
static dorm_status join(trec_reader *reader, const char *name, bool all_queries, dorm_dataset **dataset,
                        double **scores)
{
  size_t num_docs = 0;
  size_t num_queries = 0;
  for (size_t q = 0; q < reader->num_queries; q++)
    if (is_kept(&reader->queries[q], all_queries)) {
      num_docs += reader->queries[q].num_docs;
      num_queries++;
    }
  if (!num_queries)
    return dorm__fail(reader->context, DORM_BAD_DATA, "%s: no query of the run is judged in the qrels", name);
  dorm_dataset *made = NULL;
  double *made_scores = dorm__alloc(num_docs, sizeof *made_scores);
  size_t *next = dorm__alloc(reader->num_queries, sizeof *next); /* next document to fill, by query */
  dorm_status status =
      DORM__ALL(made_scores && next ? DORM_OK : out_of_memory(reader),
                dorm__dataset_new(reader->context, name, num_docs, num_queries, 0, reader->texts_size, &made));
  if (status == DORM_OK && !(made->is_unjudged = dorm__alloc_zero(num_docs, sizeof *made->is_unjudged)))
    status = out_of_memory(reader);
  if (status != DORM_OK) {
    dorm__free(made_scores);
    dorm_dataset_free(made);
    goto done;
  }
  memcpy(made->texts, reader->texts, reader->texts_size);
  size_t doc = 0;
  for (size_t q = 0, kept = 0; q < reader->num_queries; q++) {
    if (!is_kept(&reader->queries[q], all_queries))
      continue;
    next[q] = doc;
    made->query_texts[kept] = reader->queries[q].text;
    doc += reader->queries[q].num_docs;
    made->query_start[++kept] = doc;
  }
  for (size_t i = 0; i < reader->num_records; i++) {
    const trec_record *record = &reader->records[i];
    if (!is_kept(&reader->queries[record->query], all_queries))
      continue;
    size_t j = next[record->query]++;
    made->labels[j] = record->label;
    made->is_unjudged[j] = !record->is_judged;
    made->doc_texts[j] = record->doc_text;
    made_scores[j] = record->score;
  }
  *dataset = made;
  *scores = made_scores;
done:
  dorm__free(next);
  return status;
}

/* Prints how many judged queries the run lacks, and how they are treated. */
static void note_missing(const trec_reader *reader, const char *qrels, const char *run, bool all_queries)
{
  size_t num_judged = 0, num_missing = 0;
  for (size_t q = 0; q < reader->num_queries; q++) {
    num_judged += reader->queries[q].num_docs > 0;
    num_missing += reader->queries[q].num_docs > 0 && !reader->queries[q].has_run;
  }
  if (num_missing)
    dorm__note(reader->context, "%s lacks %zu of the %zu queries that are judged in %s; %s", run, num_missing,
               num_judged, qrels,
               all_queries ? "there nothing counts as found" : "these do not count, unless all queries are asked for");
}

dorm_status dorm_trec_read(dorm_context *context, const char *qrels, const char *run, int all_queries,
                           dorm_dataset **dataset, double **scores)
{
  if (DORM__LACKS(context, DORM__GIVEN(qrels), DORM__GIVEN(run), DORM__RESULT(dataset), DORM__RESULT(scores)))
    return DORM_BAD_USAGE;
  trec_reader reader = {.context = context, .query_map = dorm__index_map_new(), .record_map = dorm__index_map_new()};
  dorm_status status = DORM_OK;
  size_t empty;
  *dataset = NULL;
  *scores = NULL;
  if (!reader.query_map || !reader.record_map || !keep_text(&reader, (dorm__word){"", 0}, &empty))
    status = out_of_memory(&reader);
  if (status == DORM_OK)
    status = DORM__ALL(read_lines(&reader, qrels, read_judgement), read_lines(&reader, run, read_retrieved));
  if (status == DORM_OK)
    note_missing(&reader, qrels, run, all_queries != 0);
  if (status == DORM_OK)
    status = join(&reader, run, all_queries != 0, dataset, scores);
  dorm__index_map_free(reader.query_map);
  dorm__index_map_free(reader.record_map);
  dorm__free(reader.texts);
  dorm__free(reader.queries);
  dorm__free(reader.records);
  return status;
}

void dorm_scores_free(double *scores)
{
  dorm__free(scores);
}
