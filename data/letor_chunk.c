/* letor_chunk.c: parses lines of LETOR / SVMlight text,
 *
 *   label qid:Q id:value id:value ... # comment, docid = X kept
 *
 * into rows of entries. A value `nan`, `na` or `?`, in upper or lower case, is missing. A line may lack its qid if the
 * query sizes are known, and its label if labels are optional. Chunks are independent: the caller relates lines to
 * earlier lines (queries, indices). Every line is followed by a readable line end, so scans for a non-digit need no
 * bound. O(size of the text). */
#include "data/data.h"
#include "data/letor.h"
#include "data/line_reader.h"
#include "data/reader_parts.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* The line that is being parsed. */
typedef struct letor_line {
  dorm__letor_chunk *chunk;
  dorm__id_set *ids;
  const char *s;
  const char *end;
  size_t previous; /* first entry of the row above */
} letor_line;

static bool fail_line(letor_line *line, const char *format, ...) DORM__PRINTF(2, 3);
static bool fail_line(letor_line *line, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line->chunk->message, sizeof line->chunk->message, format, arguments);
  va_end(arguments);
  line->chunk->status = DORM_BAD_DATA;
  return false;
}

static bool out_of_memory(letor_line *line)
{
  line->chunk->status = DORM_OUT_OF_MEMORY;
  return false;
}

/* The length of a token for "%.*s" in a message. */
static int shown(const char *begin, const char *end)
{
  return dorm__shown((size_t)(end - begin));
}

static const char *token_end(const char *s, const char *end)
{
  while (s < end && *s != ' ' && *s != '\t' && *s != '#')
    s++;
  return s;
}

static dorm__span span(const letor_line *line, const char *begin, const char *end)
{
  return (dorm__span){(uint32_t)(begin - line->chunk->begin), (uint32_t)(end - begin)};
}

const char *dorm__foreign_format(const char *begin, size_t size)
{
#define BY_PANDAS(name, reader)                                                                                        \
  name ", not text; python3 -c 'import pandas; pandas." reader "(\"FILE\").to_csv(\"FILE.csv\", index=False)' makes "  \
       "CSV"
#define PICKLE                  "a pickle of Python, which may run programs when it is read; save the data as CSV"
#define UNPACKED(name, command) name ", packed text; " command " FILE > UNPACKED unpacks it"
  static const struct {
    const char *start;
    size_t size;
    const char *what;
  } formats[] = {
      {"PAR1", 4, BY_PANDAS("Parquet", "read_parquet")},
      {"ARROW1", 6, BY_PANDAS("Arrow", "read_feather")},
      {"\x89HDF", 4, BY_PANDAS("HDF5", "read_hdf")},
      {"\x28\xb5\x2f\xfd", 4, UNPACKED("zstd", "zstd -dc")},
      {"BZh", 3, UNPACKED("bzip2", "bzip2 -dc")},
      {"\xfd"
       "7zXZ",
       5, UNPACKED("xz", "xz -dc")},
      {"PK\3\4", 4, UNPACKED("zip (or Excel, or .npz of numpy)", "unzip -p")},
      {"\xff\xfe", 2, "UTF-16; iconv -f UTF-16 -t UTF-8 FILE > TEXT makes UTF-8"},
      {"\xfe\xff", 2, "UTF-16; iconv -f UTF-16 -t UTF-8 FILE > TEXT makes UTF-8"},
      {"\x93NUMPY", 6, "an array of numpy; dorm.Dataset takes it in Python (manual/python.md)"},
      {"\x80\2", 2, PICKLE},
      {"\x80\3", 2, PICKLE},
      {"\x80\4", 2, PICKLE},
      {"\x80\5", 2, PICKLE},
      {"SQLite format 3", 15,
       "a database of SQLite; sqlite3 -header -csv FILE 'SELECT * FROM ...' > FILE.csv makes CSV"},
      {"{", 1, "JSON; jq -rs '(.[0] | keys_unsorted), (.[] | [.[]]) | @csv' FILE > FILE.csv makes CSV of flat lines"},
      {"[{", 2, "JSON; jq -r '(.[0] | keys_unsorted), (.[] | [.[]]) | @csv' FILE > FILE.csv makes CSV of a flat list"},
  };
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (size >= formats[i].size && memcmp(begin, formats[i].start, formats[i].size) == 0)
      return formats[i].what;
  return NULL;
}

/* Rejects a line whose first token is not a label. The message names the format that the line seems to have. */
static bool refuse_label(letor_line *line, const char *stop)
{
  const char *begin = line->s, *format = dorm__foreign_format(begin, (size_t)(line->end - begin));
  bool has_comma = memchr(begin, ',', (size_t)(stop - begin)) || memchr(begin, ';', (size_t)(stop - begin));
  if (format)
    return fail_line(line, "this is %s", format);
  if (*begin == '[')
    return fail_line(line,
                     "'%.*s' looks like a configuration, not data; a configuration is FILE.ini, FILE.conf or "
                     "--config FILE",
                     shown(begin, stop), begin);
  return fail_line(line, "label '%.*s' is not a finite number%s", shown(begin, stop), begin,
                   has_comma ? "; CSV needs a header and a name that ends in .csv or .tsv, and, as standard input, "
                               "--query and --label"
                             : "");
}

static bool read_label(letor_line *line, double *label)
{
  const char *begin = line->s;
  const char *stop = token_end(begin, line->end);
  if (*begin == '{' || *begin == '[')
    return refuse_label(line, stop);
  if (memchr(begin, ':', (size_t)(stop - begin)) && line->chunk->may_lack_label) {
    *label = 0;
    return true;
  }
  if (memchr(begin, ':', (size_t)(stop - begin)))
    return fail_line(line, "no label before '%.*s'", shown(begin, stop), begin);
  if (dorm__parse_double(begin, stop, label) != stop || !isfinite(*label))
    return refuse_label(line, stop);
  if (*label < 0)
    return fail_line(line, "label '%.*s' is negative", shown(begin, stop), begin);
  line->s = dorm__skip_blanks(stop, line->end);
  return true;
}

static bool read_query(letor_line *line, dorm__span *query)
{
  static const char prefix[] = "qid:";
  const char *begin = line->s;
  const char *stop = token_end(begin, line->end);
  size_t prefix_size = sizeof prefix - 1;
  bool has_prefix = (size_t)(stop - begin) >= prefix_size && memcmp(begin, prefix, prefix_size) == 0;
  if (!has_prefix && line->chunk->may_lack_query) {
    *query = span(line, begin, begin);
    return true;
  }
  if (!has_prefix)
    return fail_line(line, "'qid:' expected after the label, not '%.*s'", shown(begin, stop), begin);
  begin += prefix_size;
  if (begin == stop || memchr(begin, '\0', (size_t)(stop - begin)) || memchr(begin, '\r', (size_t)(stop - begin)))
    return fail_line(line, "the query id is empty or holds a zero byte or a carriage return");
  *query = span(line, begin, stop);
  line->s = dorm__skip_blanks(stop, line->end);
  return true;
}

/* Whether the next row has the query id of the row above. */
static bool repeats_query(const dorm__letor_chunk *chunk)
{
  const dorm__letor_row *row = &chunk->rows[chunk->num_rows];
  return chunk->num_rows && row->query.size && row->query.size == row[-1].query.size &&
         memcmp(chunk->begin + row->query.offset, chunk->begin + row[-1].query.offset, row->query.size) == 0;
}

/* ---- Entries ---------------------------------------------------------------- */

static bool is_digit(char c)
{
  return (unsigned char)(c - '0') < 10;
}

/* Reads a number. The usual form, [-]digits[.digits] with at most 15 digits, is the exact quotient of two doubles.
 * Other forms go to dorm__parse_double. */
static const char *read_number(const char *s, const char *end, double *value)
{
  static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const char *t = s;
  bool is_negative = *t == '-';
  t += is_negative;
  const char *digits = t;
  uint64_t mantissa = 0;
  while (is_digit(*t))
    mantissa = mantissa * 10 + (uint64_t)(*t++ - '0');
  size_t num_digits = (size_t)(t - digits);
  size_t num_decimals = 0;
  if (*t == '.') {
    const char *decimals = ++t;
    while (is_digit(*t))
      mantissa = mantissa * 10 + (uint64_t)(*t++ - '0');
    num_decimals = (size_t)(t - decimals);
    num_digits += num_decimals;
  }
  if (num_digits - 1 >= 15 || *t == 'e' || *t == 'E') /* also true if there is no digit */
    return dorm__parse_double(s, end, value);
  double magnitude = (double)mantissa;
  if (num_decimals)
    magnitude /= powers[num_decimals];
  *value = is_negative ? -magnitude : magnitude;
  return t;
}

static bool fail_id(letor_line *line, const char *begin, uint64_t id)
{
  const char *stop = token_end(begin, line->end);
  if (id > DORM__LARGEST_ID)
    return fail_line(line, "feature id in '%.*s' is above %" PRIu32, shown(begin, stop), begin, DORM__LARGEST_ID);
  return fail_line(line, "'%.*s' is not feature:value", shown(begin, stop), begin);
}

/* Finds the end of a word that marks a missing value. Returns NULL for other words. */
static const char *read_missing(const char *s, const char *end)
{
  const char *stop = token_end(s, end);
  size_t size = (size_t)(stop - s);
  bool is_missing = (size == 1 && *s == '?') || (size == 2 && strncasecmp(s, "na", 2) == 0) ||
                    (size == 3 && strncasecmp(s, "nan", 3) == 0);
  return is_missing ? stop : NULL;
}

/* Reads the pairs of a line. There is room for all of them, because a pair takes at least four bytes. */
static bool read_entries(letor_line *line)
{
  dorm__letor_chunk *chunk = line->chunk;
  const char *s = line->s;
  const char *end = line->end;
  uint64_t next_id = 0;
  size_t count = chunk->num_entries;
  size_t num_nonzero = 0;
  while (s < end && *s != '#') {
    const char *begin = s;
    uint64_t number = 0;
    while (is_digit(*s) && number <= DORM__LARGEST_ID)
      number = number * 10 + (uint64_t)(*s++ - '0');
    if (s == begin || *s != ':' || number > DORM__LARGEST_ID)
      return fail_id(line, begin, number);
    if (number < next_id)
      return fail_line(line, "feature id %" PRIu64 " does not increase after %" PRIu64, number, next_id - 1);
    double value;
    const char *rest = read_number(s + 1, end, &value);
    if (!rest || (rest < end && *rest != ' ' && *rest != '\t' && *rest != '#') || !(fabs(value) <= FLT_MAX)) {
      const char *stop = token_end(s + 1, end);
      rest = read_missing(s + 1, end);
      if (!rest)
        return fail_line(line, "feature %" PRIu64 ": '%.*s' is not a finite number", number, shown(s + 1, stop), s + 1);
      value = (double)NAN;
      chunk->num_missing++;
    }
    next_id = number + 1;
    chunk->ids[count] = (uint32_t)number;
    chunk->values[count] = (float)value;
    num_nonzero += chunk->values[count] != 0;
    count++;
    s = dorm__skip_blanks(rest, end);
  }
  chunk->num_entries = count;
  chunk->num_nonzero += num_nonzero;
  line->s = s;
  return true;
}

/* Adds the ids of the row to the set. Skips rows with the same ids as the row above, which are common. */
static bool keep_ids(letor_line *line, size_t first)
{
  const dorm__letor_chunk *chunk = line->chunk;
  size_t count = chunk->num_entries - first;
  bool is_as_before = chunk->num_rows && count == first - line->previous &&
                      memcmp(chunk->ids + first, chunk->ids + line->previous, count * sizeof *chunk->ids) == 0;
  line->previous = first;
  for (size_t i = 0; !is_as_before && i < count; i++)
    if (!dorm__id_set_add(line->ids, chunk->ids[first + i]))
      return out_of_memory(line);
  return true;
}

/* Finds X of "docid = X" in a comment. Returns an empty word if there is none. */
static dorm__word find_doc(const letor_line *line)
{
  static const char word[] = "docid";
  size_t word_size = sizeof word - 1;
  for (const char *s = line->s; s + word_size < line->end; s++) {
    s = memchr(s, word[0], (size_t)(line->end - s));
    if (!s || s + word_size >= line->end)
      break;
    if (memcmp(s, word, word_size) != 0)
      continue;
    const char *t = dorm__skip_blanks(s + word_size, line->end);
    if (t == line->end || *t != '=')
      continue;
    const char *begin = dorm__skip_blanks(t + 1, line->end);
    const char *stop = begin;
    while (stop < line->end && *stop != ' ' && *stop != '\t' && *stop != '\0' && *stop != '\r')
      stop++;
    return (dorm__word){begin, (size_t)(stop - begin)};
  }
  return (dorm__word){line->end, 0};
}

/* Copies the id of the document to the texts of the chunk. */
static bool read_comment(letor_line *line, dorm__span *doc)
{
  dorm__letor_chunk *chunk = line->chunk;
  dorm__word word = find_doc(line);
  *doc = (dorm__span){(uint32_t)chunk->texts.size, (uint32_t)word.size};
  if (!word.size)
    return true;
  if (!DORM__GROW(chunk->texts.bytes, chunk->texts.capacity, chunk->texts.size + word.size + 1))
    return out_of_memory(line);
  memcpy(chunk->texts.bytes + chunk->texts.size, word.begin, word.size);
  chunk->texts.size += word.size;
  chunk->texts.bytes[chunk->texts.size++] = '\0';
  return true;
}

static bool make_room(letor_line *line)
{
  dorm__letor_chunk *chunk = line->chunk;
  size_t entries = chunk->num_entries + (size_t)(line->end - line->s) / 4 + 1;
  return (DORM__GROW(chunk->rows, chunk->rows_capacity, chunk->num_rows + 1) &&
          DORM__GROW(chunk->ids, chunk->ids_capacity, entries) &&
          DORM__GROW(chunk->values, chunk->values_capacity, entries)) ||
         out_of_memory(line);
}

static bool read_line(letor_line *line)
{
  dorm__letor_chunk *chunk = line->chunk;
  line->s = dorm__skip_blanks(line->s, line->end);
  if (line->s == line->end || *line->s == '#')
    return true;
  if (!make_room(line))
    return false;
  dorm__letor_row *row = &chunk->rows[chunk->num_rows];
  size_t first = chunk->num_entries;
  *row = (dorm__letor_row){.line = (uint32_t)(chunk->num_lines - 1)};
  if (!read_label(line, &row->label) || !read_query(line, &row->query))
    return false;
  chunk->has_query = true;
  row->is_same_query = repeats_query(chunk);
  if (!read_entries(line) || !keep_ids(line, first) || !read_comment(line, &row->doc))
    return false;
  row->end = (uint32_t)chunk->num_entries;
  chunk->num_rows++;
  return true;
}

void dorm__letor_chunk_read(dorm__letor_chunk *chunk, const char *begin, const char *end, dorm__id_set *ids)
{
  letor_line line = {.chunk = chunk, .ids = ids};
  chunk->begin = begin;
  chunk->end = end;
  chunk->num_lines = 0;
  chunk->num_rows = 0;
  chunk->num_entries = 0;
  chunk->num_nonzero = 0;
  chunk->num_missing = 0;
  chunk->texts.size = 0;
  chunk->status = DORM_OK;
  while (begin < end) {
    const char *newline = memchr(begin, '\n', (size_t)(end - begin));
    const char *stop = newline ? newline : end;
    chunk->num_lines++;
    chunk->has_query = false;
    line.s = begin;
    line.end = stop > begin && stop[-1] == '\r' ? stop - 1 : stop;
    if (!read_line(&line))
      return;
    begin = stop + 1;
  }
}

void dorm__letor_chunk_clear(dorm__letor_chunk *chunk)
{
  dorm__free(chunk->rows);
  dorm__free(chunk->ids);
  dorm__free(chunk->values);
  dorm__free(chunk->texts.bytes);
  *chunk = (dorm__letor_chunk){0};
}
