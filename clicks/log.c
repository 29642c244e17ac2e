/*
 * log.c: reads logs of clicks and merges their lines: one cell for each document and position. The number of words in
 * the first line decides which form a log has (dorm/clicks.h).
 */
#include "clicks/log.h"
#include "base/hash.h"
#include "base/processes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUERY, DOCUMENT, POSITION, CLICK, CLICKS, MOST_WORDS };
enum { POSITION_BESIDE, CLICK_BESIDE };
enum { POSITIONS = 1, SIDE_FILE = 2, SINGLE = 4, MERGED = 5 }; /* words of a line */
static const double largest_position = 1e6;

typedef struct click_word {
  const char *begin;
  size_t size;
} click_word;

/* Where a document stood when it was last shown. */
typedef struct last_place {
  size_t impression; /* from 1; 0: none */
  double position;
} last_place;

typedef struct log_reader {
  dorm_context *context;
  const dorm_dataset *dataset;
  const dorm__line_reader *lines;
  dorm_clicks *clicks;
  dorm__index_map *queries; /* id -> query */
  dorm__index_map *docs;    /* id and query -> document */
  dorm__index_map *cells;   /* document and position -> cell */
  size_t cells_capacity, single_capacity;
  size_t num_words;        /* of every line; 0 before the first */
  size_t num_lines;        /* that are not empty */
  size_t query;            /* of the line before; SIZE_MAX: none */
  double position;         /* of the line before */
  size_t num_impressions;  /* begun, of single ones */
  last_place *last;        /* [num_docs], of single impressions */
  dorm__index_map *places; /* query and position -> document, of a side file */
  bool has_clicked;        /* the present impression has a click */
  bool from_0;             /* a position is 0 */
  size_t *doc_of;          /* [num_docs] the document on a line of the data; NULL: they stand in order */
} log_reader;

static dorm_status out_of_memory(const log_reader *reader)
{
  return dorm__out_of_memory(reader->context, "clicks");
}

static int shown_size(click_word word)
{
  return word.size > 40 ? 40 : (int)word.size;
}

/* ---- Ids ------------------------------------------------------------------------- */

static uint64_t key_in_query(const log_reader *reader, const char *text, size_t size, size_t query)
{
  return dorm__index_map_key(reader->docs, text, size) * 31 + query;
}

static bool is_word(const char *text, click_word word)
{
  return strlen(text) == word.size && memcmp(text, word.begin, word.size) == 0;
}

static dorm_status index_data(log_reader *reader)
{
  const dorm_dataset *dataset = reader->dataset;
  reader->doc_of = dataset->input_order ? dorm__alloc(dataset->num_docs, sizeof *reader->doc_of) : NULL;
  if (dataset->input_order && !reader->doc_of)
    return out_of_memory(reader);
  for (size_t j = 0; reader->doc_of && j < dataset->num_docs; j++)
    reader->doc_of[dataset->input_order[j]] = j;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    const char *query = dorm_dataset_query_id(dataset, q);
    if (!dorm__index_map_add(reader->queries, dorm__index_map_key(reader->queries, query, strlen(query)), q))
      return out_of_memory(reader);
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++) {
      dorm__doc_name name = dorm__doc_name_of(dataset, j);
      const char *id = dorm__doc_name_text(&name);
      reader->clicks->query_of[j] = q;
      if (!dorm__index_map_add(reader->docs, key_in_query(reader, id, strlen(id), q), j))
        return out_of_memory(reader);
    }
  }
  return DORM_OK;
}

static dorm_status find_query(const log_reader *reader, click_word word, size_t *query)
{
  size_t cursor = 0;
  if (reader->query < reader->dataset->num_queries &&
      is_word(dorm_dataset_query_id(reader->dataset, reader->query), word)) {
    *query = reader->query;
    return DORM_OK;
  }
  uint64_t key = dorm__index_map_key(reader->queries, word.begin, word.size);
  while (dorm__index_map_find(reader->queries, key, &cursor, query))
    if (is_word(dorm_dataset_query_id(reader->dataset, *query), word))
      return DORM_OK;
  return dorm__line_reader_fail(reader->context, reader->lines, "there is no query '%.*s' in %s (it has %zu)",
                                shown_size(word), word.begin, reader->dataset->name, reader->dataset->num_queries);
}

static dorm_status find_doc(const log_reader *reader, size_t query, click_word word, size_t *doc)
{
  const dorm_dataset *dataset = reader->dataset;
  size_t cursor = 0;
  while (dorm__index_map_find(reader->docs, key_in_query(reader, word.begin, word.size, query), &cursor, doc)) {
    dorm__doc_name name = dorm__doc_name_of(dataset, *doc);
    if (*doc >= dataset->query_start[query] && *doc < dataset->query_start[query + 1] &&
        is_word(dorm__doc_name_text(&name), word))
      return DORM_OK;
  }
  return dorm__line_reader_fail(reader->context, reader->lines,
                                "there is no document '%.*s' in query '%.80s' of %s (it has %zu)", shown_size(word),
                                word.begin, dorm_dataset_query_id(dataset, query), dataset->name,
                                dataset->query_start[query + 1] - dataset->query_start[query]);
}

/* ---- Lines ------------------------------------------------------------------------- */

/* Fills at most MOST_WORDS words; returns how many there are. */
static size_t split(const char *line, const char *end, click_word *words)
{
  size_t count = 0;
  while (line < end) {
    while (line < end && (*line == ' ' || *line == '\t' || *line == '\r'))
      line++;
    const char *begin = line;
    while (line < end && *line != ' ' && *line != '\t' && *line != '\r')
      line++;
    if (line > begin && count < MOST_WORDS)
      words[count] = (click_word){begin, (size_t)(line - begin)};
    count += line > begin;
  }
  return count;
}

/* Reads a whole number from `least` to `most`. */
static dorm_status read_count(const log_reader *reader, const char *what, click_word word, double least, double most,
                              double *value)
{
  const char *end = word.begin + word.size;
  if (dorm__parse_double(word.begin, end, value) == end && *value >= least && *value <= most && *value == floor(*value))
    return DORM_OK;
  return dorm__line_reader_fail(reader->context, reader->lines, "the %s '%.*s' is not a whole number from %g to %g",
                                what, shown_size(word), word.begin, least, most);
}

static uint64_t key_of(size_t which, double position)
{
  return ((uint64_t)which * (uint64_t)largest_position + (uint64_t)position - 1);
}

/* Adds to the cell of a document at a position, which becomes *cell. */
static dorm_status add(log_reader *reader, size_t doc, double position, double shown, double clicked, size_t *cell)
{
  dorm_clicks *clicks = reader->clicks;
  size_t place = (size_t)position - 1, cursor = 0;
  uint64_t key = key_of(doc, position);
  if (!dorm__index_map_find(reader->cells, key, &cursor, cell)) {
    *cell = clicks->num_cells;
    if (*cell >= UINT32_MAX ||
        !dorm__grow((void **)&clicks->cells, &reader->cells_capacity, *cell + 1, sizeof *clicks->cells) ||
        !dorm__index_map_add(reader->cells, key, *cell))
      return out_of_memory(reader);
    clicks->cells[clicks->num_cells++] = (dorm__click_cell){.doc = doc, .position = place};
  }
  clicks->cells[*cell].shown += shown;
  clicks->cells[*cell].clicks += clicked;
  clicks->num_clicks += (size_t)clicked;
  clicks->num_positions = place + 1 > clicks->num_positions ? place + 1 : clicks->num_positions;
  return DORM_OK;
}

/* Notes a click of an impression, so that sums over single impressions can be made. */
static dorm_status add_single(log_reader *reader, size_t cell)
{
  dorm_clicks *clicks = reader->clicks;
  if (!dorm__grow((void **)&clicks->single, &reader->single_capacity, clicks->num_clicks, sizeof *clicks->single))
    return out_of_memory(reader);
  clicks->single[clicks->num_clicks - 1] = (dorm__click){(uint32_t)cell, !reader->has_clicked};
  reader->has_clicked = true;
  return DORM_OK;
}

/* Notes where a document stands in the present impression; fails if it stands there twice. */
static dorm_status note_place(log_reader *reader, size_t doc, double position)
{
  last_place *last = &reader->last[doc];
  double before = last->position;
  bool is_first = last->impression != reader->num_impressions;
  *last = (last_place){reader->num_impressions, position};
  if (is_first)
    return DORM_OK;
  dorm__doc_name name = dorm__doc_name_of(reader->dataset, doc);
  return dorm__line_reader_fail(reader->context, reader->lines,
                                "the document '%.80s' is at position %.0f, but this impression has it at position "
                                "%.0f already",
                                dorm__doc_name_text(&name), position, before);
}

/* The same of a side file: fails if another document of the query has the position. */
static dorm_status note_place_beside(log_reader *reader, size_t doc, double position)
{
  const dorm_dataset *dataset = reader->dataset;
  size_t query = reader->clicks->query_of[doc], other = 0, cursor = 0;
  uint64_t key = key_of(query, position);
  if (!dorm__index_map_find(reader->places, key, &cursor, &other))
    return dorm__index_map_add(reader->places, key, doc) ? DORM_OK : out_of_memory(reader);
  dorm__doc_name name = dorm__doc_name_of(dataset, doc), other_name = dorm__doc_name_of(dataset, other);
  return dorm__line_reader_fail(
      reader->context, reader->lines, "position %.0f of query '%.80s' has the document '%.80s', but '%.80s' before",
      position, dorm_dataset_query_id(dataset, query), dorm__doc_name_text(&name), dorm__doc_name_text(&other_name));
}

/* Finds the query, document and position that a line begins with. */
static dorm_status read_place(log_reader *reader, const click_word *words, size_t *query, size_t *doc, double *position)
{
  return DORM__ALL(find_query(reader, words[QUERY], query), find_doc(reader, *query, words[DOCUMENT], doc),
                   read_count(reader, "position", words[POSITION], 1, largest_position, position));
}

/* A line of an impression. */
static dorm_status read_single(log_reader *reader, const click_word *words)
{
  size_t query = 0, doc = 0, cell = 0;
  double position = 0, clicked = 0;
  dorm_status status = DORM__ALL(read_place(reader, words, &query, &doc, &position),
                                 read_count(reader, "click", words[CLICK], 0, 1, &clicked));
  if (status == DORM_OK && (query != reader->query || position <= reader->position)) {
    reader->clicks->impressions[query]++;
    reader->num_impressions++;
    reader->has_clicked = false;
  }
  reader->query = query;
  reader->position = position;
  return DORM__ALL(status, note_place(reader, doc, position), add(reader, doc, position, 1, clicked, &cell),
                   clicked > 0 ? add_single(reader, cell) : DORM_OK);
}

/* A line that says how often. */
static dorm_status read_merged(log_reader *reader, const click_word *words)
{
  size_t doc = 0, cell = 0;
  double position = 0, shown = 0, clicked = 0;
  return DORM__ALL(read_place(reader, words, &reader->query, &doc, &position),
                   read_count(reader, "number of times shown", words[CLICK], 1, 1e15, &shown),
                   read_count(reader, "number of clicks", words[CLICKS], 0, shown, &clicked),
                   add(reader, doc, position, shown, clicked, &cell));
}

/* A line of a side file. One without clicks, as of LightGBM, has positions from 0 or 1, several documents may share
 * one, and documents with a label above 0 were clicked. */
static dorm_status read_beside(log_reader *reader, const click_word *words)
{
  const dorm_dataset *dataset = reader->dataset;
  bool has_clicks = reader->num_words == SIDE_FILE;
  size_t doc = reader->num_lines, cell = 0;
  double position = 0, clicked = 0;
  dorm_status status = read_count(reader, "position", words[POSITION_BESIDE], 0, largest_position - 1, &position);
  if (status == DORM_OK && has_clicks)
    status = read_count(reader, "click", words[CLICK_BESIDE], 0, position > 0 ? 1 : 0, &clicked);
  if (status != DORM_OK || (has_clicks && position == 0) || doc >= dataset->num_docs)
    return status;
  doc = reader->doc_of ? reader->doc_of[doc] : doc;
  reader->clicks->impressions[reader->clicks->query_of[doc]] = 1;
  reader->from_0 |= position == 0;
  if (has_clicks)
    return DORM__ALL(note_place_beside(reader, doc, position), add(reader, doc, position, 1, clicked, &cell));
  return add(reader, doc, position + 1, 1, dataset->labels[doc] > 0, &cell);
}

static dorm_status read_line(void *user, const dorm__line_reader *lines, const char *line, const char *end)
{
  log_reader *reader = user;
  reader->lines = lines;
  click_word words[MOST_WORDS];
  size_t count = split(line, end, words);
  dorm_status status = DORM_OK;
  if (count == 0 || *words[0].begin == '#')
    return DORM_OK;
  if (!reader->num_words && count != POSITIONS && count != SIDE_FILE && count != SINGLE && count != MERGED)
    return dorm__line_reader_fail(reader->context, reader->lines,
                                  "%zu words, but a log has 4, `query doc position click`, 5, `query doc position "
                                  "shown clicks`, 2, `position click`, or 1, `position`",
                                  count);
  if (reader->num_words && count != reader->num_words)
    return dorm__line_reader_fail(reader->context, reader->lines, "%zu words, but the lines before have %zu", count,
                                  reader->num_words);
  reader->num_words = count;
  status = count == SINGLE   ? read_single(reader, words)
           : count == MERGED ? read_merged(reader, words)
                             : read_beside(reader, words);
  reader->num_lines++;
  return status;
}

static dorm_status read_file(log_reader *reader, const char *path)
{
  dorm_status status = dorm__each_line(reader->context, path, read_line, reader);
  if (status == DORM_OK && reader->num_words && reader->num_words <= SIDE_FILE &&
      reader->num_lines != reader->dataset->num_docs)
    status = dorm__fail(reader->context, DORM_BAD_DATA, "%s: %zu lines of `position%s`, but %s has %zu documents", path,
                        reader->num_lines, reader->num_words == SIDE_FILE ? " click" : "", reader->dataset->name,
                        reader->dataset->num_docs);
  double not_clicked = 0;
  for (size_t i = 0; i < reader->clicks->num_cells; i++)
    not_clicked += reader->clicks->cells[i].shown - reader->clicks->cells[i].clicks;
  if (status == DORM_OK && reader->clicks->num_clicks && !(not_clicked > 0))
    status = dorm__fail(reader->context, DORM_BAD_DATA,
                        "%s: each of its %zu lines has a click; a log also needs the documents that users were shown "
                        "and did not click",
                        path, reader->num_lines);
  if (status == DORM_OK && !reader->clicks->num_cells)
    status = dorm__fail(reader->context, DORM_BAD_DATA, "%s: it shows no document of %s", path, reader->dataset->name);
  return status;
}

/* ---- Cells by document -------------------------------------------------------------------- */

static int compare_cells(const void *x, const void *y)
{
  const dorm__click_cell *a = *(const dorm__click_cell *const *)x;
  const dorm__click_cell *b = *(const dorm__click_cell *const *)y;
  if (a->doc != b->doc)
    return a->doc < b->doc ? -1 : 1;
  return (a->position > b->position) - (a->position < b->position);
}

/* Sorts the cells; the clicks of impressions follow. */
static dorm_status sort_cells(log_reader *reader)
{
  dorm_clicks *clicks = reader->clicks;
  DORM__FREED const dorm__click_cell **order = dorm__alloc(clicks->num_cells, sizeof *order);
  DORM__FREED uint32_t *place = dorm__alloc(clicks->num_cells, sizeof *place);
  DORM__FREED dorm__click_cell *cells = clicks->cells;
  clicks->cells = dorm__alloc(clicks->num_cells, sizeof *cells);
  if (!order || !place || !clicks->cells)
    return out_of_memory(reader);
  for (size_t i = 0; i < clicks->num_cells; i++)
    order[i] = &cells[i];
  qsort(order, clicks->num_cells, sizeof *order, compare_cells);
  for (size_t i = 0; i < clicks->num_cells; i++) {
    clicks->cells[i] = *order[i];
    place[order[i] - cells] = (uint32_t)i;
    clicks->cell_start[order[i]->doc + 1]++;
  }
  for (size_t j = 0; j < clicks->num_docs; j++)
    clicks->cell_start[j + 1] += clicks->cell_start[j];
  for (size_t i = 0; clicks->single && i < clicks->num_clicks; i++)
    clicks->single[i].cell = place[clicks->single[i].cell];
  return DORM_OK;
}

/* The number of impressions of a query is the largest number of documents that one position of it had. */
static dorm_status count_merged(log_reader *reader)
{
  dorm_clicks *clicks = reader->clicks;
  DORM__FREED double *shown = dorm__alloc_zero(clicks->num_positions, sizeof *shown);
  if (!shown)
    return out_of_memory(reader);
  for (size_t q = 0; q < clicks->num_queries; q++) {
    const size_t *start = reader->dataset->query_start + q;
    size_t first = clicks->cell_start[start[0]], end = clicks->cell_start[start[1]];
    for (size_t i = first; i < end; i++) {
      shown[clicks->cells[i].position] += clicks->cells[i].shown;
      clicks->impressions[q] = fmax(clicks->impressions[q], shown[clicks->cells[i].position]);
    }
    for (size_t i = first; i < end; i++)
      shown[clicks->cells[i].position] = 0;
  }
  return DORM_OK;
}

static dorm_status finish(log_reader *reader)
{
  dorm_clicks *clicks = reader->clicks;
  bool is_shifted = reader->num_words == POSITIONS && !reader->from_0;
  for (size_t i = 0; is_shifted && i < clicks->num_cells; i++)
    clicks->cells[i].position--;
  clicks->num_positions -= is_shifted;
  dorm_status status = sort_cells(reader);
  if (status == DORM_OK && reader->num_words == MERGED)
    status = count_merged(reader);
  clicks->curve.look = dorm__alloc(clicks->num_positions, sizeof *clicks->curve.look);
  if (status != DORM_OK || !clicks->curve.look)
    return status != DORM_OK ? status : out_of_memory(reader);
  double sum = 0;
  for (size_t q = 0; q < clicks->num_queries; q++)
    sum += clicks->impressions[q];
  clicks->num_impressions = (size_t)sum;
  clicks->curve.eta_error = (double)NAN;
  dorm__curve_fill_power(&clicks->curve, clicks->num_positions, 1);
  return DORM_OK;
}

static void close_reader(log_reader *reader)
{
  dorm_clicks_free(reader->clicks);
  dorm__index_map_free(reader->queries);
  dorm__index_map_free(reader->docs);
  dorm__index_map_free(reader->cells);
  dorm__index_map_free(reader->places);
  dorm__free(reader->last);
  dorm__free(reader->doc_of);
}

dorm_status dorm_clicks_read(dorm_context *context, const char *path, const dorm_dataset *dataset, dorm_clicks **clicks)
{
  if (DORM__LACKS(context, DORM__GIVEN(path), DORM__GIVEN(dataset), DORM__RESULT(clicks)))
    return DORM_BAD_USAGE;
  if (dorm__processes_size(context) > 1)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: clicks are counted on one machine, by dorm train", path);
  DORM__AT_END(close_reader)
  log_reader reader = {.context = context,
                       .dataset = dataset,
                       .queries = dorm__index_map_new(),
                       .docs = dorm__index_map_new(),
                       .cells = dorm__index_map_new(),
                       .places = dorm__index_map_new(),
                       .last = dorm__alloc_zero(dataset->num_docs, sizeof *reader.last),
                       .query = SIZE_MAX,
                       .clicks = dorm__alloc_zero(1, sizeof *reader.clicks)};
  dorm_clicks *made = reader.clicks;
  *clicks = NULL;
  if (!made || !reader.queries || !reader.docs || !reader.cells || !reader.places || !reader.last)
    return out_of_memory(&reader);
  made->num_docs = dataset->num_docs;
  made->num_queries = dataset->num_queries;
  made->path = dorm__copy_text(path);
  made->cell_start = dorm__alloc_zero(made->num_docs + 1, sizeof *made->cell_start);
  made->query_of = dorm__alloc(made->num_docs, sizeof *made->query_of);
  made->impressions = dorm__alloc_zero(made->num_queries, sizeof *made->impressions);
  if (!made->path || !made->cell_start || !made->query_of || !made->impressions)
    return out_of_memory(&reader);
  dorm_status status = DORM__ALL(index_data(&reader), read_file(&reader, path), finish(&reader));
  if (status == DORM_OK) {
    *clicks = made;
    reader.clicks = NULL;
  }
  return status;
}

void dorm_clicks_free(dorm_clicks *clicks)
{
  if (!clicks)
    return;
  dorm__free(clicks->path);
  dorm__free(clicks->cells);
  dorm__free(clicks->cell_start);
  dorm__free(clicks->query_of);
  dorm__free(clicks->impressions);
  dorm__free(clicks->single);
  dorm__curve_free(&clicks->curve);
  dorm__free(clicks->model);
  dorm__free(clicks);
}

size_t dorm_clicks_num_moved(const dorm_clicks *clicks)
{
  size_t count = 0;
  for (size_t j = 0; clicks && j < clicks->num_docs; j++)
    count += clicks->cell_start[j + 1] > clicks->cell_start[j] + 1;
  return count;
}

double dorm__clicks_on_moved(const dorm_clicks *clicks)
{
  double sum = 0;
  for (size_t i = 0; i < clicks->num_cells; i++) {
    size_t doc = clicks->cells[i].doc;
    sum += clicks->cell_start[doc + 1] > clicks->cell_start[doc] + 1 ? clicks->cells[i].clicks : 0;
  }
  return sum;
}

size_t dorm_clicks_num_impressions(const dorm_clicks *clicks)
{
  return clicks ? clicks->num_impressions : 0;
}

size_t dorm_clicks_num_clicks(const dorm_clicks *clicks)
{
  return clicks ? clicks->num_clicks : 0;
}

dorm_status dorm__clicks_check(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset)
{
  if (clicks->num_docs == dataset->num_docs && clicks->num_queries == dataset->num_queries)
    return DORM_OK;
  return dorm__fail(
      context, DORM_BAD_USAGE, "%s was read for %zu documents of %zu queries, but %s has %zu documents of %zu queries",
      clicks->path, clicks->num_docs, clicks->num_queries, dataset->name, dataset->num_docs, dataset->num_queries);
}
