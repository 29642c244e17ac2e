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
  double label;
  double score;
  bool is_retrieved;
  bool is_judged;
} trec_record;

typedef struct trec_query {
  bool has_run;
  size_t num_docs;
} trec_query;

typedef struct trec_reader {
  dorm_context *context;
  const dorm__line_reader *lines;
  dorm_status (*read)(struct trec_reader *reader, const char *line, const char *end); /* a line of the current file */
  dorm__id_table query_ids;
  trec_query *queries; /* [query_ids.count] */
  dorm__id_table doc_ids;
  trec_record *records; /* [doc_ids.count], of a document of a query */
  size_t queries_capacity, records_capacity;
} trec_reader;

#define FAIL(reader, ...) dorm__line_reader_fail((reader)->context, (reader)->lines, __VA_ARGS__)

static dorm_status out_of_memory(const trec_reader *reader)
{
  return dorm__out_of_memory(reader->context, "TREC files");
}

static dorm_status add_query(trec_reader *reader, dorm__word id, size_t *query)
{
  size_t before = reader->query_ids.count;
  *query = dorm__id_table_add(&reader->query_ids, id.begin, id.size);
  if (*query == DORM__NO_ID || !DORM__GROW(reader->queries, reader->queries_capacity, *query + 1))
    return out_of_memory(reader);
  if (*query == before)
    reader->queries[*query] = (trec_query){0};
  return DORM_OK;
}

/* Finds the record of a document of a query, or adds one. */
static dorm_status add_record(trec_reader *reader, size_t query, dorm__word id, bool *is_new, trec_record **record)
{
  size_t before = reader->doc_ids.count;
  size_t number = dorm__id_table_add_in(&reader->doc_ids, query, id.begin, id.size);
  if (number == DORM__NO_ID || !DORM__GROW(reader->records, reader->records_capacity, number + 1))
    return out_of_memory(reader);
  *record = &reader->records[number];
  *is_new = number == before;
  if (*is_new) {
    **record = (trec_record){.query = query, .score = -INFINITY};
    reader->queries[query].num_docs++;
  }
  return DORM_OK;
}

/* ---- Lines --------------------------------------------------------------------- */

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
  bool is_new;
  trec_record *record;
  if (dorm__split_words(line, end, NUM_WORDS, words) != NUM_WORDS)
    return FAIL(reader, "not of the form: query 0 document label");
  if (!is_number(words[LABEL], &label))
    return FAIL(reader, "the label is not a finite number");
  dorm_status status =
      DORM__ALL(add_query(reader, words[QUERY], &query), add_record(reader, query, words[DOCUMENT], &is_new, &record));
  if (status != DORM_OK)
    return status;
  if (!is_new)
    return FAIL(reader, "the document is already judged for this query");
  record->label = label > 0 ? label : 0;
  record->is_judged = label >= 0;
  return DORM_OK;
}

static dorm_status read_retrieved(trec_reader *reader, const char *line, const char *end)
{
  enum { QUERY, ITERATION, DOCUMENT, RANK, SCORE, TAG, NUM_WORDS };
  dorm__word words[NUM_WORDS];
  double score = 0;
  bool is_new;
  trec_record *record;
  if (dorm__split_words(line, end, NUM_WORDS, words) < NUM_WORDS)
    return FAIL(reader, "not of the form: query Q0 document rank score tag");
  if (!is_number(words[SCORE], &score))
    return FAIL(reader, "the score is not a finite number");
  uint32_t query = dorm__id_table_find(&reader->query_ids, words[QUERY].begin, words[QUERY].size);
  if (query == DORM__NO_ID)
    return DORM_OK; /* the qrels do not judge it */
  reader->queries[query].has_run = true;
  dorm_status status = add_record(reader, query, words[DOCUMENT], &is_new, &record);
  if (status != DORM_OK)
    return status;
  if (record->is_retrieved)
    return FAIL(reader, "this query has the document already");
  record->score = score;
  record->is_retrieved = true;
  return DORM_OK;
}

/* Reads a line unless it is empty or a comment. A zero byte, which ends texts, is an error. */
static dorm_status read_line(void *user, const dorm__line_reader *lines, const char *line, const char *end)
{
  trec_reader *reader = user;
  const char *begin = dorm__skip_blanks(line, end);
  reader->lines = lines;
  if (begin < end && *begin == '#')
    return DORM_OK;
  if (memchr(line, '\0', (size_t)(end - line)))
    return FAIL(reader, "a zero byte");
  return begin == end ? DORM_OK : reader->read(reader, line, end);
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
  size_t num_docs = 0, num_queries = 0, count = reader->query_ids.count;
  for (size_t q = 0; q < count; q++)
    if (is_kept(&reader->queries[q], all_queries)) {
      num_docs += reader->queries[q].num_docs;
      num_queries++;
    }
  if (!num_queries)
    return dorm__fail(reader->context, DORM_BAD_DATA, "%s: no query of the run is judged in the qrels", name);
  dorm_dataset *made = NULL;
  DORM__FREED double *made_scores = dorm__alloc(num_docs, sizeof *made_scores);
  DORM__FREED size_t *next = dorm__alloc(count, sizeof *next); /* next document to fill, by query */
  size_t queries_end = 1 + reader->query_ids.texts_size;       /* of the texts, which begin with an empty one */
  dorm_status status = DORM__ALL(made_scores && next ? DORM_OK : out_of_memory(reader),
                                 dorm__dataset_new(reader->context, name, num_docs, num_queries, 0,
                                                   queries_end + reader->doc_ids.texts_size, &made));
  if (status == DORM_OK && !(made->is_unjudged = dorm__alloc_zero(num_docs, sizeof *made->is_unjudged)))
    status = out_of_memory(reader);
  if (status != DORM_OK) {
    dorm_dataset_free(made);
    return status;
  }
  memcpy(made->texts + 1, reader->query_ids.texts, reader->query_ids.texts_size);
  memcpy(made->texts + queries_end, reader->doc_ids.texts, reader->doc_ids.texts_size);
  size_t doc = 0;
  for (size_t q = 0, kept = 0; q < count; q++) {
    if (!is_kept(&reader->queries[q], all_queries))
      continue;
    next[q] = doc;
    made->query_texts[kept] = 1 + reader->query_ids.offsets[q];
    doc += reader->queries[q].num_docs;
    made->query_start[++kept] = doc;
  }
  for (size_t i = 0; i < reader->doc_ids.count; i++) {
    const trec_record *record = &reader->records[i];
    if (!is_kept(&reader->queries[record->query], all_queries))
      continue;
    size_t j = next[record->query]++;
    made->labels[j] = record->label;
    made->is_unjudged[j] = !record->is_judged;
    made->doc_texts[j] = queries_end + reader->doc_ids.offsets[i];
    made_scores[j] = record->score;
  }
  *dataset = made;
  *scores = made_scores;
  made_scores = NULL;
  return DORM_OK;
}

/* Prints how many judged queries the run lacks, and how they are treated. */
static void note_missing(const trec_reader *reader, const char *qrels, const char *run, bool all_queries)
{
  size_t num_judged = 0, num_missing = 0;
  for (size_t q = 0; q < reader->query_ids.count; q++) {
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
  trec_reader reader = {.context = context, .read = read_judgement};
  dorm_status status = dorm__each_line(context, qrels, read_line, &reader);
  reader.read = read_retrieved;
  if (status == DORM_OK)
    status = dorm__each_line(context, run, read_line, &reader);
  if (status == DORM_OK)
    note_missing(&reader, qrels, run, all_queries != 0);
  if (status == DORM_OK)
    status = join(&reader, run, all_queries != 0, dataset, scores);
  dorm__id_table_clear(&reader.query_ids);
  dorm__id_table_clear(&reader.doc_ids);
  dorm__free(reader.queries);
  dorm__free(reader.records);
  return status;
}

void dorm_scores_free(double *scores)
{
  dorm__free(scores);
}
