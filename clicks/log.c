/*
 * log.c: reads logs of clicks and merges their lines into one cell for each document and position. The number of words
 * in the first line determines the form of the log (dorm/clicks.h).
 */
#include "clicks/log.h"
#include "base/hash.h"
#include "base/processes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUERY, DOCUMENT, POSITION, CLICK, CLICKS, MOST_WORDS = 40 };
enum { POSITION_BESIDE, CLICK_BESIDE };
enum { POSITIONS = 1, SIDE_FILE = 2, SINGLE = 4, MERGED = 5 }; /* words of a line */
static const double largest_position = 1e6;

/* The position of a document when it was last shown. */
typedef struct last_place {
  size_t impression; /* from 1, or 0 if none */
  double position;
} last_place;

typedef struct log_reader {
  dorm_context *context;
  const dorm_dataset *dataset;
  const dorm__line_reader *lines;
  dorm_clicks *clicks;
  dorm__names *names;
  dorm__index_map *cells; /* document and position -> cell */
  size_t cells_capacity, single_capacity;
  size_t num_words;       /* of every line, 0 before the first */
  size_t num_lines;       /* without empty lines */
  size_t query;           /* of the previous line, or SIZE_MAX */
  double position;        /* of the previous line */
  size_t num_impressions; /* single impressions begun so far */
  last_place *last;       /* [num_docs], for single impressions */
  bool has_clicked;       /* the current impression has a click */
  bool from_0;            /* some position is 0 */
  size_t *doc_of;         /* [num_docs] document on each line of the data */
} log_reader;

static dorm_status out_of_memory(const log_reader *reader)
{
  return dorm__out_of_memory(reader->context, "clicks");
}

static int shown_size(dorm__word word)
{
  return word.size > 40 ? 40 : (int)word.size;
}

/* ---- Lines ------------------------------------------------------------------------- */

/* Reads a whole number from `least` to `most`. */
static dorm_status read_count(const log_reader *reader, const char *what, dorm__word word, double least, double most,
                              double *value)
{
  const char *end = word.begin + word.size;
  if (dorm__parse_double(word.begin, end, value) == end && *value >= least && *value <= most && *value == floor(*value))
    return DORM_OK;
  return dorm__line_reader_fail(reader->context, reader->lines, "the %s '%.*s' is not a whole number from %g to %g",
                                what, shown_size(word), word.begin, least, most);
}

/* Adds to the cell of a document at a position. Sets *cell to the cell. */
static dorm_status add(log_reader *reader, size_t doc, double position, double shown, double clicked, size_t *cell)
{
  dorm_clicks *clicks = reader->clicks;
  size_t place = (size_t)position - 1, cursor = 0;
  uint64_t key = (uint64_t)doc * (uint64_t)largest_position + place;
  if (!dorm__index_map_find(reader->cells, key, &cursor, cell)) {
    *cell = clicks->num_cells;
    if (*cell >= UINT32_MAX || !DORM__GROW(clicks->cells, reader->cells_capacity, *cell + 1) ||
        !dorm__index_map_add(reader->cells, key, *cell))
      return out_of_memory(reader);
    clicks->num_cells++;
    clicks->cells[*cell] = (dorm__click_cell){.doc = doc, .position = place, .number = (uint32_t)*cell};
  }
  clicks->cells[*cell].shown += shown;
  clicks->cells[*cell].clicks += clicked;
  clicks->num_clicks += (size_t)clicked;
  clicks->num_positions = place + 1 > clicks->num_positions ? place + 1 : clicks->num_positions;
  return DORM_OK;
}

/* Records the position of a document in the current impression, and a click on its cell, for sums over single
 * impressions. Fails if the impression has the document twice. */
static dorm_status note_single(log_reader *reader, size_t doc, double position, size_t cell, bool is_clicked)
{
  dorm_clicks *clicks = reader->clicks;
  last_place before = reader->last[doc];
  dorm__doc_name name = dorm__doc_name_of(reader->dataset, doc);
  reader->last[doc] = (last_place){reader->num_impressions, position};
  if (before.impression == reader->num_impressions)
    return dorm__line_reader_fail(reader->context, reader->lines,
                                  "the document '%.80s' is at position %.0f, but this impression has it at position "
                                  "%.0f already",
                                  dorm__doc_name_text(&name), position, before.position);
  if (!is_clicked)
    return DORM_OK;
  if (!DORM__GROW(clicks->single, reader->single_capacity, clicks->num_clicks))
    return out_of_memory(reader);
  clicks->single[clicks->num_clicks - 1] = (dorm__click){(uint32_t)cell, !reader->has_clicked};
  reader->has_clicked = true;
  return DORM_OK;
}

/* Finds the query and document at the beginning of a line. */
static dorm_status find_doc(const log_reader *reader, const dorm__word *words, size_t *query, size_t *doc)
{
  const dorm_dataset *dataset = reader->dataset;
  size_t cursor = 0, doc_cursor = 0;
  if (!dorm__names_query(reader->names, words[QUERY], &cursor, query))
    return dorm__line_reader_fail(reader->context, reader->lines, "there is no query '%.*s' in %s (it has %zu)",
                                  shown_size(words[QUERY]), words[QUERY].begin, dataset->name, dataset->num_queries);
  if (dorm__names_doc(reader->names, *query, words[DOCUMENT], &doc_cursor, doc))
    return DORM_OK;
  return dorm__line_reader_fail(
      reader->context, reader->lines, "there is no document '%.*s' in query '%.80s' of %s (it has %zu)",
      shown_size(words[DOCUMENT]), words[DOCUMENT].begin, dorm_dataset_query_id(dataset, *query), dataset->name,
      dataset->query_start[*query + 1] - dataset->query_start[*query]);
}

/* Reads a line that names a document, with one impression or with counts. */
static dorm_status read_named(log_reader *reader, const dorm__word *words)
{
  bool is_merged = reader->num_words == MERGED;
  size_t query = 0, doc = 0, cell = 0;
  double position = 0, shown = 1, clicked = 0;
  dorm_status status =
      DORM__ALL(find_doc(reader, words, &query, &doc),
                read_count(reader, "position", words[POSITION], 1, largest_position, &position),
                is_merged ? read_count(reader, "number of times shown", words[CLICK], 1, 1e15, &shown) : DORM_OK,
                read_count(reader, is_merged ? "number of clicks" : "click", words[is_merged ? CLICKS : CLICK], 0,
                           shown, &clicked),
                add(reader, doc, position, shown, clicked, &cell));
  if (status != DORM_OK || is_merged)
    return status;
  if (query != reader->query || position <= reader->position) {
    reader->clicks->impressions[query]++;
    reader->num_impressions++;
    reader->has_clicked = false;
  }
  reader->query = query;
  reader->position = position;
  return note_single(reader, doc, position, cell, clicked > 0);
}

/* Reads a line of a side file with positions (0 if the document was not shown) and clicks. Side files of LightGBM have
 * only positions, from 0 or 1 on. Documents with a label above 0 then count as clicked. */
static dorm_status read_beside(log_reader *reader, const dorm__word *words)
{
  bool has_clicks = reader->num_words == SIDE_FILE;
  size_t nth = reader->num_lines - 1, cell = 0;
  double position = 0, clicked = 0;
  dorm_status status = DORM__ALL(
      read_count(reader, "position", words[POSITION_BESIDE], 0, largest_position - 1, &position),
      has_clicks ? read_count(reader, "click", words[CLICK_BESIDE], 0, position > 0 ? 1 : 0, &clicked) : DORM_OK);
  if (status != DORM_OK || (has_clicks && position == 0) || nth >= reader->dataset->num_docs)
    return status;
  size_t doc = reader->doc_of[nth];
  reader->clicks->impressions[reader->clicks->query_of[doc]] = 1;
  reader->from_0 |= position == 0;
  return has_clicks ? add(reader, doc, position, 1, clicked, &cell)
                    : add(reader, doc, position + 1, 1, reader->dataset->labels[doc] > 0, &cell);
}

static dorm_status read_line(void *user, const dorm__line_reader *lines, const char *line, const char *end)
{
  log_reader *reader = user;
  reader->lines = lines;
  dorm__word words[MOST_WORDS];
  size_t count = dorm__split_words(line, end, MOST_WORDS, words);
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
  reader->num_lines++;
  return count >= SINGLE ? read_named(reader, words) : read_beside(reader, words);
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
  const dorm__click_cell *a = x, *b = y;
  if (a->doc != b->doc)
    return a->doc < b->doc ? -1 : 1;
  return (a->position > b->position) - (a->position < b->position);
}

/* Sorts the cells, and updates the clicks of impressions to the new order. */
static dorm_status sort_cells(log_reader *reader)
{
  dorm_clicks *clicks = reader->clicks;
  DORM__FREED uint32_t *place = dorm__alloc(clicks->num_cells, sizeof *place);
  if (!place)
    return out_of_memory(reader);
  qsort(clicks->cells, clicks->num_cells, sizeof *clicks->cells, compare_cells);
  for (size_t i = 0; i < clicks->num_cells; i++) {
    place[clicks->cells[i].number] = (uint32_t)i;
    clicks->cell_start[clicks->cells[i].doc + 1]++;
  }
  for (size_t j = 0; j < clicks->num_docs; j++)
    clicks->cell_start[j + 1] += clicks->cell_start[j];
  for (size_t i = 0; clicks->single && i < clicks->num_clicks; i++)
    clicks->single[i].cell = place[clicks->single[i].cell];
  return DORM_OK;
}

/* Sets the impressions of a query to the largest total of times shown at one position. */
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
  dorm__click_curve *curve = &clicks->curve;
  bool is_shifted = reader->num_words == POSITIONS && !reader->from_0;
  for (size_t i = 0; is_shifted && i < clicks->num_cells; i++)
    clicks->cells[i].position--;
  clicks->num_positions -= is_shifted;
  curve->look = dorm__alloc(clicks->num_positions, 2 * sizeof *curve->look);
  dorm_status status = DORM__ALL(curve->look ? DORM_OK : out_of_memory(reader), sort_cells(reader),
                                 reader->num_words == MERGED ? count_merged(reader) : DORM_OK);
  if (status != DORM_OK)
    return status;
  double sum = 0;
  for (size_t q = 0; q < clicks->num_queries; q++)
    sum += clicks->impressions[q];
  clicks->num_impressions = (size_t)sum;
  curve->trust = curve->look + clicks->num_positions;
  curve->eta_error = (double)NAN;
  dorm__curve_fill(curve, clicks->num_positions, 1, 0);
  dorm__clicks_count(clicks);
  return DORM_OK;
}

static void close_reader(log_reader *reader)
{
  dorm_clicks_free(reader->clicks);
  dorm__names_free(reader->names);
  dorm__index_map_free(reader->cells);
  dorm__free(reader->last);
  dorm__free(reader->doc_of);
}

/* Returns an empty log, or NULL when out of memory. */
static dorm_clicks *new_clicks(const char *path, const dorm_dataset *dataset)
{
  dorm_clicks *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return NULL;
  *made = (dorm_clicks){.num_docs = dataset->num_docs,
                        .num_queries = dataset->num_queries,
                        .path = dorm__copy_text(path),
                        .cell_start = dorm__alloc_zero(dataset->num_docs + 1, sizeof *made->cell_start),
                        .query_of = dorm__alloc(dataset->num_docs, sizeof *made->query_of),
                        .looks = dorm__alloc(dataset->num_docs, sizeof *made->looks),
                        .net = dorm__alloc(dataset->num_docs, sizeof *made->net),
                        .impressions = dorm__alloc_zero(dataset->num_queries, sizeof *made->impressions)};
  if (made->path && made->cell_start && made->query_of && made->looks && made->net && made->impressions)
    return made;
  dorm_clicks_free(made);
  return NULL;
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
                       .cells = dorm__index_map_new(),
                       .last = dorm__alloc_zero(dataset->num_docs, sizeof *reader.last),
                       .doc_of = dorm__alloc(dataset->num_docs, sizeof *reader.doc_of),
                       .query = SIZE_MAX,
                       .clicks = new_clicks(path, dataset)};
  if (!reader.clicks || !reader.cells || !reader.last || !reader.doc_of)
    return out_of_memory(&reader);
  for (size_t q = 0; q < dataset->num_queries; q++)
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++) {
      reader.clicks->query_of[j] = q;
      reader.doc_of[dorm_dataset_input_doc(dataset, j)] = j;
    }
  dorm_status status =
      DORM__ALL(dorm__names_new(context, dataset, &reader.names), read_file(&reader, path), finish(&reader));
  if (status == DORM_OK) {
    *clicks = reader.clicks;
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
  dorm__curve_clear(&clicks->curve);
  dorm__free(clicks->curve.look);
  dorm__free(clicks->looks);
  dorm__free(clicks->net);
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
