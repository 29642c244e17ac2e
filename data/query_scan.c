/*
 * query_scan.c: a first look at some bytes of a LETOR file, which says where its queries begin: of each line only the
 * query id is read. What is wrong with a line is left to the reading after it (letor.c); the scan marks its range as
 * odd where it cannot go by `label qid:Q`, or where a query comes back.
 */
#include "data/query_scan.h"
#include "data/byte_reader.h"
#include "data/text_buffers.h"

#include <string.h>

bool dorm__query_scan_open(dorm__query_scan *scan)
{
  *scan = (dorm__query_scan){.queries = dorm__index_map_new()};
  return scan->queries != NULL;
}

void dorm__query_scan_clear(dorm__query_scan *scan)
{
  dorm__free(scan->ranges);
  dorm__free(scan->runs);
  dorm__free(scan->texts);
  dorm__index_map_free(scan->queries);
  *scan = (dorm__query_scan){0};
}

static bool has_id(const dorm__query_scan *scan, size_t run, const char *id, size_t size)
{
  const char *text = scan->texts + scan->runs[run].text;
  return strncmp(text, id, size) == 0 && text[size] == '\0';
}

/* The same by the key of the id. */
static size_t find_run(const dorm__query_scan *scan, uint64_t key, const char *id, size_t size)
{
  size_t cursor = 0;
  size_t run;
  while (dorm__index_map_find(scan->queries, key, &cursor, &run))
    if (has_id(scan, run, id, size))
      return run;
  return SIZE_MAX;
}

size_t dorm__query_scan_find(const dorm__query_scan *scan, const char *id, size_t size)
{
  return find_run(scan, dorm__index_map_key(scan->queries, id, size), id, size);
}

/* ---- Lines -------------------------------------------------------------------------- */

static const char *skip_blanks(const char *s, const char *end)
{
  while (s < end && (*s == ' ' || *s == '\t'))
    s++;
  return s;
}

static const char *word_end(const char *s, const char *end)
{
  while (s < end && *s != ' ' && *s != '\t' && *s != '#')
    s++;
  return s;
}

/* Finds the query id [*id, *id + *size) of a line; *size is 0 where there is none. False for a line without a
 * document. */
static bool find_id(const char *line, const char *end, const char **id, size_t *size)
{
  static const char prefix[] = "qid:";
  size_t prefix_size = sizeof prefix - 1;
  *size = 0;
  end -= end > line && end[-1] == '\r';
  line = skip_blanks(line, end);
  if (line == end || *line == '#')
    return false;
  if ((size_t)(end - line) < prefix_size || memcmp(line, prefix, prefix_size) != 0) /* a line may lack its label */
    line = skip_blanks(word_end(line, end), end);
  const char *stop = word_end(line, end);
  if ((size_t)(stop - line) <= prefix_size || memcmp(line, prefix, prefix_size) != 0)
    return true;
  *id = line + prefix_size;
  bool is_bad = memchr(*id, '\0', (size_t)(stop - *id)) || memchr(*id, '\r', (size_t)(stop - *id));
  *size = is_bad ? 0 : (size_t)(stop - *id);
  return true;
}

/* Begins a run; *is_new is false where its query had one before. */
static bool add_run(dorm__query_scan *scan, uint64_t offset, uint64_t line, const char *id, size_t size, bool *is_new)
{
  uint64_t key = dorm__index_map_key(scan->queries, id, size);
  *is_new = find_run(scan, key, id, size) == SIZE_MAX;
  if (!dorm__grow((void **)&scan->runs, &scan->runs_capacity, scan->num_runs + 1, sizeof *scan->runs) ||
      !dorm__grow((void **)&scan->texts, &scan->texts_capacity, scan->texts_size + size + 1, 1) ||
      (*is_new && !dorm__index_map_add(scan->queries, key, scan->num_runs)))
    return false;
  memcpy(scan->texts + scan->texts_size, id, size);
  scan->texts[scan->texts_size + size] = '\0';
  scan->runs[scan->num_runs++] = (dorm__query_run){
      .key = key, .text = scan->texts_size, .offset = offset, .line = line, .docs_before = scan->num_docs};
  scan->texts_size += size + 1;
  return true;
}

/* Looks at one line. False when out of memory. */
static bool look_at(dorm__query_scan *scan, dorm__scan_range *range, uint64_t offset, const char *line, const char *end)
{
  const char *id = NULL;
  size_t size = 0;
  bool is_new = true;
  if (find_id(line, end, &id, &size)) {
    bool is_same = size && scan->num_runs && has_id(scan, scan->num_runs - 1, id, size);
    if (size && !is_same && !add_run(scan, offset, range->num_lines, id, size, &is_new))
      return false;
    range->is_odd = range->is_odd || !size || !is_new;
    range->num_docs++;
    scan->num_docs++;
  }
  range->num_lines++;
  return true;
}

/* Looks at the lines of a buffer, whose first byte is number range->end of the file, up to the first that begins at
 * `end` or after it. A line that began before the range is passed over. */
static bool look_at_lines(dorm__query_scan *scan, dorm__scan_range *range, uint64_t end, bool is_within,
                          const char *text, const char *text_end)
{
  static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */
  uint64_t offset = range->end;
  const char *line = text;
  while (line < text_end && (offset < end || is_within)) {
    const char *newline = memchr(line, '\n', (size_t)(text_end - line));
    const char *stop = newline ? newline : text_end;
    const char *next = newline ? newline + 1 : text_end;
    bool has_mark = offset == 0 && (size_t)(stop - line) >= sizeof mark - 1 && !memcmp(line, mark, sizeof mark - 1);
    if (!is_within && !look_at(scan, range, offset, line + (has_mark ? sizeof mark - 1 : 0), stop))
      return false;
    offset += (uint64_t)(next - line);
    range->begin = is_within ? offset : range->begin;
    is_within = false;
    line = next;
  }
  range->end = offset;
  return true;
}

static dorm_status scan_bytes(dorm_context *context, dorm__query_scan *scan, dorm__scan_range *range, const char *path,
                              dorm__byte_reader *bytes, uint64_t end)
{
  dorm__text_buffers *buffers = NULL;
  bool is_within = range->begin > 0;
  const char *text = NULL;
  const char *text_end = NULL;
  /* the byte before shows whether a line begins at the first one */
  range->end = is_within ? range->begin - 1 : 0;
  dorm_status status = dorm__byte_reader_limit(context, bytes, range->end, UINT64_MAX);
  if (status == DORM_OK)
    status = dorm__text_buffers_new(context, path, bytes, 1, &buffers);
  while (status == DORM_OK && (range->end < end || is_within)) {
    status = dorm__text_buffers_next(context, buffers, (size_t)range->num_lines, &text, &text_end);
    if (status != DORM_OK || !text)
      break;
    if (!look_at_lines(scan, range, end, is_within, text, text_end))
      status = dorm__out_of_memory(context, "the queries of a file");
    is_within = false;
  }
  dorm__text_buffers_free(buffers);
  return status;
}

dorm_status dorm__query_scan_add(dorm_context *context, dorm__query_scan *scan, size_t file, const char *path,
                                 uint64_t begin, uint64_t end)
{
  dorm__scan_range range = {.file = file, .begin = begin, .first_run = scan->num_runs};
  dorm__byte_reader *bytes = NULL;
  if (!dorm__grow((void **)&scan->ranges, &scan->ranges_capacity, scan->num_ranges + 1, sizeof *scan->ranges))
    return dorm__out_of_memory(context, "the queries of a file");
  dorm_status status = dorm__byte_reader_open(context, path, &bytes);
  if (status == DORM_OK)
    status = scan_bytes(context, scan, &range, path, bytes, end);
  dorm__byte_reader_close(bytes);
  if (status == DORM_BAD_DATA) { /* a line too long, or damaged gzip: reading will find it, after what is before it */
    range.is_odd = 1;
    range.end = UINT64_MAX;
    status = DORM_OK;
  }
  range.end_run = scan->num_runs;
  scan->ranges[scan->num_ranges++] = range;
  return status;
}
