/* query_reader.c: reads one query after another from a file or a pipe, for as long as lines come. A query is complete
 * when a line of another query follows, at the end of the input, or, for a reader that follows, at an empty line.
 *
 * One buffer holds the text that was read and not yet returned. The lines of its complete queries are parsed as one
 * chunk (letor_chunk.c), whose queries are returned one by one. Memory: about twice the text of the longest query, and
 * the distinct feature ids. */
#include "base/hash.h"
#include "base/sort.h"
#include "data/data.h"
#include "data/dataset.h"
#include "data/letor.h"
#include "data/line_reader.h"
#include "data/reader_parts.h"

#include <string.h>

enum { FIRST_SIZE = 1 << 18, LEAST_ROOM = 1 << 12 };
static const double dense_share = 1.0 / 3; /* share of values other than 0 in the first query that makes rows dense */

struct dorm__query_reader {
  char *path;
  dorm__byte_reader *bytes;
  dorm_storage storage;
  char *text; /* [capacity + 1], with room for a final line end */
  size_t capacity;
  size_t begin;   /* of the lines that were not returned yet */
  size_t end;     /* of the text */
  size_t line;    /* number of lines before text[begin] */
  bool is_over;   /* the input has ended */
  bool has_begun; /* a UTF-8 byte order mark was looked for */
  bool follows;   /* an empty line ends a query */
  dorm__letor_chunk chunk;
  dorm__id_set *seen; /* needed by the chunk, not used here */
  size_t chunk_line;  /* number of lines before the chunk */
  size_t next_row;    /* of the chunk */
  size_t end_row;     /* end of its complete queries */
  dorm__query_place place;
  uint32_t *ids; /* scratch: ids of the entries of a query */
  size_t ids_capacity;
};

dorm_status dorm__query_reader_open(dorm_context *context, const char *path, dorm_storage storage,
                                    dorm__query_reader **reader)
{
  *reader = NULL;
  if (dorm__csv_is(path))
    return dorm__fail(context, DORM_BAD_USAGE, "%s: a stream is LETOR text, not CSV or TSV", path);
  dorm__query_reader *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "reading queries");
  made->storage = storage == DORM_STORAGE_FILE ? DORM_STORAGE_DENSE : storage; /* a query fits into memory */
  made->path = dorm__copy_text(path);
  made->text = dorm__alloc(FIRST_SIZE + 1, 1);
  made->capacity = FIRST_SIZE;
  made->seen = dorm__id_set_new();
  return DORM__GIVE(made->path && made->text && made->seen ? dorm__byte_reader_open_live(context, path, &made->bytes)
                                                           : dorm__out_of_memory(context, "reading queries"),
                    reader, made, dorm__query_reader_close);
}

void dorm__query_reader_close(dorm__query_reader *reader)
{
  if (!reader)
    return;
  dorm__byte_reader_close(reader->bytes);
  dorm__letor_chunk_clear(&reader->chunk);
  dorm__id_set_free(reader->seen);
  dorm__free(reader->ids);
  dorm__free(reader->text);
  dorm__free(reader->path);
  dorm__free(reader);
}

void dorm__query_reader_follow(dorm__query_reader *reader)
{
  reader->follows = true;
  reader->chunk.may_lack_label = true;
}

dorm__query_place dorm__query_reader_place(const dorm__query_reader *reader)
{
  return reader->place;
}

/* ---- Buffer ----------------------------------------------------------------------- */

/* Moves the remaining text to the front and reads more after it. Enlarges the buffer if it is full. */
static dorm_status fetch(dorm_context *context, dorm__query_reader *reader)
{
  static const char mark[] = "\xef\xbb\xbf";
  size_t left = reader->end - reader->begin;
  memmove(reader->text, reader->text + reader->begin, left);
  reader->begin = 0;
  reader->end = left;
  if (reader->capacity - left < LEAST_ROOM || left > reader->capacity / 2) {
    if (left >= DORM__LARGEST_LINE)
      return dorm__fail(context, DORM_BAD_DATA, "%s:%zu: a query of more than %d bytes begins here", reader->path,
                        reader->line + 1, (int)DORM__LARGEST_LINE);
    char *larger = dorm__realloc(reader->text, 2 * reader->capacity + 1, 1);
    if (!larger)
      return dorm__out_of_memory(context, "a long query");
    reader->text = larger;
    reader->capacity *= 2;
  }
  size_t count = 0;
  dorm_status status = dorm__byte_reader_read_some(context, reader->bytes, reader->text + reader->end,
                                                   reader->capacity - reader->end, &count);
  reader->end += count;
  reader->is_over = status == DORM_OK && !count;
  bool is_known = reader->end >= sizeof mark - 1 || reader->is_over;
  if (status == DORM_OK && !reader->has_begun && is_known) {
    reader->has_begun = true;
    if (reader->end >= 2 && memcmp(reader->text, "\x1f\x8b", 2) == 0)
      return dorm__fail(context, DORM_BAD_DATA, "%s: gzip data; a pipe has to be plain text: gunzip -c FILE | dorm %s",
                        reader->path, reader->follows ? "predict --follow MODEL" : "train --stream -");
    if (reader->end >= sizeof mark - 1 && memcmp(reader->text, mark, sizeof mark - 1) == 0)
      reader->begin = sizeof mark - 1;
  }
  if (reader->is_over && reader->end > reader->begin && reader->text[reader->end - 1] != '\n') {
    dorm__warn(context, "%s: the last line has no line end; the input may have been cut short", reader->path);
    reader->text[reader->end++] = '\n';
  }
  return status;
}

/* ---- Chunks ------------------------------------------------------------------------ */

static bool is_same_query(const dorm__letor_chunk *chunk, const dorm__letor_row *x, const dorm__letor_row *y)
{
  return x->query.size == y->query.size &&
         memcmp(chunk->begin + x->query.offset, chunk->begin + y->query.offset, x->query.size) == 0;
}

/* The offset of a row's line in the chunk. */
static size_t line_begin(const dorm__letor_chunk *chunk, const dorm__letor_row *row)
{
  size_t at = row->query.offset;
  while (at > 0 && chunk->begin[at - 1] != '\n')
    at--;
  return at;
}

static bool is_empty_line(const char *begin, const char *end)
{
  while (begin < end && (*begin == ' ' || *begin == '\t' || *begin == '\r'))
    begin++;
  return begin == end;
}

/* Whether there is an empty line between this row and the previous one. */
static bool follows_empty_line(const dorm__letor_chunk *chunk, size_t row)
{
  size_t before = chunk->rows[row - 1].line, at = line_begin(chunk, &chunk->rows[row]);
  for (size_t line = chunk->rows[row].line; line > before + 1; line--) {
    size_t end = --at; /* of the previous line */
    while (at > 0 && chunk->begin[at - 1] != '\n')
      at--;
    if (is_empty_line(chunk->begin + at, chunk->begin + end))
      return true;
  }
  return false;
}

/* Whether a row of the chunk (also its bad line) has the query of the previous row. */
static bool continues_query(const dorm__query_reader *reader, size_t row)
{
  const dorm__letor_chunk *chunk = &reader->chunk;
  return is_same_query(chunk, &chunk->rows[row - 1], &chunk->rows[row]) &&
         !(reader->follows && follows_empty_line(chunk, row));
}

/* The query id of a line, or an empty word. */
static dorm__word query_of_line(const char *begin, const char *end)
{
  static const char prefix[] = "qid:";
  enum { PREFIX = sizeof prefix - 1, WORDS = 2 }; /* the id is the first or the second word */
  dorm__word words[WORDS];
  size_t count = dorm__split_words(begin, end, WORDS, words);
  for (size_t i = 0; i < count && i < WORDS; i++)
    if (words[i].size >= PREFIX && memcmp(words[i].begin, prefix, PREFIX) == 0)
      return (dorm__word){words[i].begin + PREFIX, strcspn(words[i].begin + PREFIX, " \t\r\n#")};
  return (dorm__word){begin, 0};
}

/* Finds the end of the last complete query in the buffer without parsing features, so that a query that arrives in
 * pieces is parsed once. A line without a query, which is an error, counts as complete. So does a query before an empty
 * line, if the reader follows. */
static size_t end_of_whole_queries(const dorm__query_reader *reader)
{
  const char *at = reader->text + reader->begin, *end = reader->text + reader->end, *whole = at, *newline;
  dorm__word query = {at, 0};
  for (; at < end && (newline = memchr(at, '\n', (size_t)(end - at))) != NULL; at = newline + 1) {
    size_t blanks = strspn(at, " \t");
    if (is_empty_line(at, newline)) {
      whole = query.size && reader->follows ? newline + 1 : whole;
      query.size = reader->follows ? 0 : query.size;
    } else if (at[blanks] != '#') {
      dorm__word found = query_of_line(at, newline);
      bool is_same = found.size == query.size && memcmp(found.begin, query.begin, query.size) == 0;
      whole = !found.size ? newline + 1 : query.size && !is_same ? at : whole;
      query = found;
    }
  }
  return reader->is_over ? reader->end : (size_t)(whole - reader->text);
}

/* Finds the query of the chunk's bad line, also if the error precedes the query. */
static void name_bad_query(dorm__letor_chunk *chunk)
{
  const char *at = chunk->begin;
  for (size_t line = 1; line < chunk->num_lines; line++)
    at = (const char *)memchr(at, '\n', (size_t)(chunk->end - at)) + 1;
  dorm__word query = query_of_line(at, memchr(at, '\n', (size_t)(chunk->end - at)));
  dorm__letor_row *row = &chunk->rows[chunk->num_rows];
  row->query = (dorm__span){(uint32_t)(query.begin - chunk->begin), (uint32_t)query.size};
}

/* Parses the complete queries of the buffer. Of a query with a bad line, no row counts. */
static dorm_status read_chunk(dorm_context *context, dorm__query_reader *reader)
{
  dorm__letor_chunk *chunk = &reader->chunk;
  size_t end = end_of_whole_queries(reader);
  reader->chunk_line = reader->line;
  reader->next_row = 0;
  reader->end_row = 0;
  if (end == reader->begin)
    return DORM_OK;
  dorm__letor_chunk_read(chunk, reader->text + reader->begin, reader->text + end, reader->seen);
  if (chunk->status == DORM_OUT_OF_MEMORY)
    return dorm__out_of_memory(context, "reading queries");
  reader->begin = end;
  reader->line += chunk->num_lines;
  reader->end_row = chunk->num_rows;
  if (chunk->status == DORM_OK)
    return DORM_OK;
  name_bad_query(chunk);
  bool is_known = chunk->rows[chunk->num_rows].query.size || reader->follows;
  if (chunk->num_rows && (!is_known || continues_query(reader, chunk->num_rows)))
    for (reader->end_row--; reader->end_row > 0 && continues_query(reader, reader->end_row);)
      reader->end_row--;
  return DORM_OK;
}

/* Fails with the error of the chunk's bad line. */
static dorm_status fail_line(dorm_context *context, const dorm__query_reader *reader)
{
  return dorm__fail(context, reader->chunk.status, "%s:%zu: %s", reader->path,
                    reader->chunk_line + reader->chunk.num_lines, reader->chunk.message);
}

/* ---- From rows to a data set --------------------------------------------------------- */

/* The entries of rows first .. end - 1 of the chunk. */
typedef struct rows_of_query {
  const dorm__letor_chunk *chunk;
  size_t first, end;
  size_t num_ids;
  const uint32_t *ids; /* [num_ids] in any of the rows, increasing */
  bool is_uniform;     /* all rows have exactly these ids */
} rows_of_query;

static size_t entries_begin(const dorm__letor_chunk *chunk, size_t row)
{
  return row ? chunk->rows[row - 1].end : 0;
}

/* Lists the ids of the rows. */
static bool list_ids(dorm__query_reader *reader, rows_of_query *rows)
{
  const dorm__letor_chunk *chunk = rows->chunk;
  size_t begin = entries_begin(chunk, rows->first), end = chunk->rows[rows->end - 1].end;
  rows->ids = chunk->ids + begin;
  rows->num_ids = chunk->rows[rows->first].end - begin;
  rows->is_uniform = true;
  for (size_t i = rows->first + 1; rows->is_uniform && i < rows->end; i++) {
    size_t at = entries_begin(chunk, i);
    rows->is_uniform = chunk->rows[i].end - at == rows->num_ids &&
                       memcmp(chunk->ids + at, rows->ids, rows->num_ids * sizeof *rows->ids) == 0;
  }
  if (rows->is_uniform)
    return true;
  if (!DORM__GROW(reader->ids, reader->ids_capacity, end - begin))
    return false;
  memcpy(reader->ids, chunk->ids + begin, (end - begin) * sizeof *reader->ids);
  dorm__sort_ids(end - begin, reader->ids);
  rows->num_ids = 0;
  for (size_t i = 0; i < end - begin; i++)
    if (!i || reader->ids[i] != reader->ids[i - 1])
      reader->ids[rows->num_ids++] = reader->ids[i];
  rows->ids = reader->ids;
  return true;
}

static size_t count_nonzero(const rows_of_query *rows)
{
  const dorm__letor_chunk *chunk = rows->chunk;
  size_t count = 0;
  for (size_t e = entries_begin(chunk, rows->first); e < chunk->rows[rows->end - 1].end; e++)
    count += chunk->values[e] != 0;
  return count;
}

static void fill_dense(const rows_of_query *rows, dorm_dataset *made)
{
  const dorm__letor_chunk *chunk = rows->chunk;
  for (size_t i = rows->first; i < rows->end; i++) {
    size_t at = entries_begin(chunk, i);
    float *row = made->values + (i - rows->first) * rows->num_ids;
    if (rows->is_uniform) {
      memcpy(row, chunk->values + at, rows->num_ids * sizeof *row);
      continue;
    }
    for (size_t f = 0; at < chunk->rows[i].end; at++) {
      while (rows->ids[f] < chunk->ids[at])
        f++;
      row[f] = chunk->values[at];
    }
  }
}

static void fill_sparse(const rows_of_query *rows, dorm_dataset *made)
{
  const dorm__letor_chunk *chunk = rows->chunk;
  size_t count = 0;
  for (size_t i = rows->first; i < rows->end; i++) {
    size_t f = 0;
    for (size_t at = entries_begin(chunk, i); at < chunk->rows[i].end; at++) {
      if (chunk->values[at] == 0)
        continue;
      while (rows->ids[f] < chunk->ids[at])
        f++;
      made->indices[count] = (uint32_t)f;
      made->values[count++] = chunk->values[at];
    }
    made->row_start[i - rows->first + 1] = count;
  }
}

static void fill_labels(const rows_of_query *rows, dorm_dataset *made)
{
  const dorm__letor_chunk *chunk = rows->chunk;
  const dorm__span *query = &chunk->rows[rows->first].query;
  for (size_t i = rows->first; i < rows->end; i++)
    made->labels[i - rows->first] = chunk->rows[i].label;
  for (size_t f = 0; f < rows->num_ids; f++)
    made->feature_ids[f] = rows->ids[f];
  made->query_start[1] = made->num_docs;
  memcpy(made->texts, chunk->begin + query->offset, query->size);
  size_t at = query->size + 1;
  for (size_t i = rows->first; i < rows->end; i++) {
    const dorm__span *doc = &chunk->rows[i].doc;
    made->doc_texts[i - rows->first] = at;
    if (doc->size)
      memcpy(made->texts + at, chunk->texts.bytes + doc->offset, doc->size);
    at += doc->size + 1;
  }
}

static dorm_status make_query(dorm_context *context, dorm__query_reader *reader, size_t end_row, dorm_dataset **query)
{
  const dorm__letor_chunk *chunk = &reader->chunk;
  rows_of_query rows = {.chunk = chunk, .first = reader->next_row, .end = end_row};
  if (!list_ids(reader, &rows))
    return dorm__out_of_memory(context, "a query");
  size_t num_docs = rows.end - rows.first;
  size_t num_nonzero = reader->storage == DORM_STORAGE_DENSE ? 0 : count_nonzero(&rows);
  if (reader->storage == DORM_STORAGE_AUTO)
    reader->storage = (double)num_nonzero < dense_share * (double)num_docs * (double)rows.num_ids ? DORM_STORAGE_SPARSE
                                                                                                  : DORM_STORAGE_DENSE;
  size_t texts_size = chunk->rows[rows.first].query.size + 1;
  for (size_t i = rows.first; i < rows.end; i++)
    texts_size += chunk->rows[i].doc.size + 1;
  bool is_sparse = reader->storage == DORM_STORAGE_SPARSE;
  dorm_status status = dorm__dataset_make(context, reader->path,
                                          &(const dorm__dataset_sizes){.num_docs = num_docs,
                                                                       .num_queries = 1,
                                                                       .num_features = rows.num_ids,
                                                                       .texts_size = texts_size,
                                                                       .is_sparse = is_sparse,
                                                                       .num_entries = num_nonzero},
                                          query);
  if (status != DORM_OK)
    return status;
  fill_labels(&rows, *query);
  if (is_sparse)
    fill_sparse(&rows, *query);
  else
    fill_dense(&rows, *query);
  for (size_t e = entries_begin(chunk, rows.first); chunk->num_missing && e < chunk->rows[rows.end - 1].end; e++)
    (*query)->has_missing = (*query)->has_missing || chunk->values[e] != chunk->values[e];
  return DORM_OK;
}

/* ---- Queries ------------------------------------------------------------------------ */

/* Reads until a query is complete. Sets next_row == end_row at the end of the input. */
static dorm_status find_rows(dorm_context *context, dorm__query_reader *reader)
{
  dorm_status status = DORM_OK;
  while (status == DORM_OK && reader->next_row == reader->end_row) {
    if (reader->chunk.status != DORM_OK)
      return fail_line(context, reader);
    if (reader->is_over)
      return DORM_OK;
    status = DORM__ALL(fetch(context, reader), read_chunk(context, reader));
  }
  return status;
}

/* Records the place of the query in rows next_row .. end_row - 1 of the input. */
static void note_place(dorm__query_reader *reader, size_t end_row)
{
  const dorm__letor_chunk *chunk = &reader->chunk;
  const dorm__letor_row *last = &chunk->rows[end_row - 1];
  const char *begin = chunk->begin + line_begin(chunk, last);
  const char *end = memchr(begin, '\n', (size_t)(chunk->end - begin));
  reader->place.num_queries++;
  reader->place.first_line = reader->chunk_line + chunk->rows[reader->next_row].line + 1;
  reader->place.num_lines = reader->chunk_line + last->line + 1;
  reader->place.hash = dorm__hash_bytes(DORM__HASH_START, begin, (size_t)(end - begin));
}

dorm_status dorm__query_reader_next(dorm_context *context, dorm__query_reader *reader, dorm_dataset **query)
{
  *query = NULL;
  dorm_status status = find_rows(context, reader);
  if (status != DORM_OK || reader->next_row == reader->end_row)
    return status;
  size_t end = reader->next_row + 1;
  while (end < reader->end_row && continues_query(reader, end))
    end++;
  status = make_query(context, reader, end, query);
  if (status == DORM_OK) {
    note_place(reader, end);
    reader->next_row = end;
  }
  return status;
}

/* Skips the lines up to a place. */
static dorm_status pass_over(dorm_context *context, dorm__query_reader *reader, const dorm__query_place *place)
{
  uint64_t hash = DORM__HASH_START;
  dorm_status status = DORM_OK;
  while (status == DORM_OK && reader->line < place->num_lines) {
    const char *begin = reader->text + reader->begin;
    const char *end = memchr(begin, '\n', reader->end - reader->begin);
    if (end) {
      hash =
          ++reader->line == place->num_lines ? dorm__hash_bytes(DORM__HASH_START, begin, (size_t)(end - begin)) : hash;
      reader->begin += (size_t)(end - begin) + 1;
    } else if (reader->is_over) {
      return dorm__fail(context, DORM_BAD_DATA, "%s: it has %zu lines, but %zu were learned from before", reader->path,
                        reader->line, (size_t)place->num_lines);
    } else {
      status = fetch(context, reader);
    }
  }
  if (status == DORM_OK && place->num_lines && hash != place->hash)
    return dorm__fail(
        context, DORM_BAD_DATA,
        "%s:%zu: this is not the line that was learned from before (to learn from the whole file, send it "
        "through a pipe)",
        reader->path, (size_t)place->num_lines);
  reader->place = *place;
  return status;
}

dorm_status dorm__query_reader_go_on(dorm_context *context, dorm__query_reader *reader, const dorm__query_place *place)
{
  if (dorm__byte_reader_size(reader->bytes) > 0)
    return pass_over(context, reader, place);
  reader->place.num_queries = place->num_queries;
  return DORM_OK;
}
