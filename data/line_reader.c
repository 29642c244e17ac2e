/* line_reader.c: reads a text file, plain or gzip, line by line. */
#include "data/line_reader.h"
#include "data/data.h"
#include "data/reader_parts.h"

#include <math.h>
#include <string.h>

enum { FIRST_BUFFER = 1 << 18 };

struct dorm__line_reader {
  dorm__byte_reader *bytes;
  char *path;
  char *buffer;
  size_t capacity;
  size_t begin; /* of the bytes that were not returned yet */
  size_t end;
  size_t line;
  bool at_end_of_file;
  bool lacks_end; /* the last returned line has no line end */
};

/* Opens a file or, if `bytes` is not NULL, bytes [size] in memory that messages call `path`. */
static dorm_status open_reader(dorm_context *context, const char *path, const char *bytes, size_t size,
                               dorm__line_reader **reader)
{
  *reader = NULL;
  dorm__line_reader *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "reading a file");
  made->capacity = FIRST_BUFFER;
  made->buffer = dorm__alloc(made->capacity + 1, 1);
  made->path = dorm__copy_text(path);
  dorm_status status = !made->buffer || !made->path ? dorm__out_of_memory(context, "reading a file")
                       : bytes                      ? dorm__byte_reader_from_memory(context, bytes, size, &made->bytes)
                                                    : dorm__byte_reader_open(context, path, &made->bytes);
  return DORM__GIVE(status, reader, made, dorm__line_reader_close);
}

dorm_status dorm__line_reader_open(dorm_context *context, const char *path, dorm__line_reader **reader)
{
  return open_reader(context, path, NULL, 0, reader);
}

dorm_status dorm__line_reader_from_memory(dorm_context *context, const char *name, const char *bytes, size_t size,
                                          dorm__line_reader **reader)
{
  return open_reader(context, name, bytes, size, reader);
}

void dorm__line_reader_close(dorm__line_reader *reader)
{
  if (!reader)
    return;
  dorm__byte_reader_close(reader->bytes);
  dorm__free(reader->buffer);
  dorm__free(reader->path);
  dorm__free(reader);
}

bool dorm__line_reader_lacks_end(const dorm__line_reader *reader)
{
  return reader->lacks_end;
}

uint64_t dorm__line_reader_most(const dorm__line_reader *reader)
{
  return dorm__byte_reader_most(reader->bytes);
}

size_t dorm__line_reader_number(const dorm__line_reader *reader)
{
  return reader->line;
}

dorm_status dorm__line_reader_fail(dorm_context *context, const dorm__line_reader *reader, const char *format, ...)
{
  char what[DORM__MESSAGE_SIZE / 2];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return dorm__fail(context, DORM_BAD_DATA, "%s:%zu: %s", reader->path, reader->line, what);
}

/* Moves the remaining bytes to the front and reads more after them. */
static dorm_status fill(dorm_context *context, dorm__line_reader *reader)
{
  size_t left = reader->end - reader->begin;
  memmove(reader->buffer, reader->buffer + reader->begin, left);
  reader->begin = 0;
  reader->end = left;
  if (left == reader->capacity) {
    if (left >= DORM__LARGEST_LINE) {
      reader->line++;
      return dorm__line_reader_fail(context, reader, "line longer than %d bytes", DORM__LARGEST_LINE);
    }
    char *larger = dorm__realloc(reader->buffer, 2 * reader->capacity + 1, 1);
    if (!larger)
      return dorm__out_of_memory(context, "a long line");
    reader->buffer = larger;
    reader->capacity *= 2;
  }
  size_t count = 0;
  dorm_status status =
      dorm__byte_reader_read(context, reader->bytes, reader->buffer + left, reader->capacity - left, &count);
  reader->end += count;
  reader->at_end_of_file = count == 0;
  return status;
}

dorm_status dorm__line_reader_next(dorm_context *context, dorm__line_reader *reader, const char **line,
                                   const char **end)
{
  *line = NULL;
  size_t searched = 0; /* bytes without a line end */
  for (;;) {
    char *text = reader->buffer + reader->begin;
    size_t size = reader->end - reader->begin;
    char *newline = memchr(text + searched, '\n', size - searched);
    if (newline || (reader->at_end_of_file && size)) {
      char *stop = newline ? newline : text + size;
      reader->lacks_end = !newline;
      reader->begin += (size_t)(stop - text) + (newline != NULL);
      reader->line++;
      if (stop > text && stop[-1] == '\r')
        stop--;
      static const char mark[] = "\xef\xbb\xbf"; /* UTF-8 byte order mark, which a text may begin with */
      bool is_marked = reader->line == 1 && stop - text >= 3 && memcmp(text, mark, 3) == 0;
      *line = is_marked ? text + 3 : text;
      *end = stop;
      return DORM_OK;
    }
    if (reader->at_end_of_file)
      return DORM_OK;
    searched = size;
    dorm_status status = fill(context, reader);
    if (status != DORM_OK)
      return status;
  }
}

dorm_status dorm__each_line(dorm_context *context, const char *path, dorm__line_function take, void *user)
{
  DORM__OWNED(dorm__line_reader) *lines = NULL;
  const char *line = NULL;
  const char *end = NULL;
  dorm_status status = dorm__line_reader_open(context, path, &lines);
  while (status == DORM_OK && (status = dorm__line_reader_next(context, lines, &line, &end)) == DORM_OK && line)
    status = take(user, lines, line, end);
  return status;
}

bool dorm__is_one_number(const char *begin, const char *end, double *value)
{
  const char *rest = dorm__parse_double(dorm__skip_blanks(begin, end), end, value);
  return rest && dorm__skip_blanks(rest, end) == end && isfinite(*value);
}

dorm__word dorm__trimmed(const char *begin, const char *end)
{
  begin = dorm__skip_blanks(begin, end);
  while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  return (dorm__word){begin, (size_t)(end - begin)};
}

size_t dorm__split_words(const char *line, const char *end, size_t most, dorm__word *words)
{
  size_t count = 0;
  while (count <= most) {
    line = dorm__skip_blanks(line, end);
    if (line == end)
      break;
    const char *begin = line;
    while (line < end && *line != ' ' && *line != '\t')
      line++;
    if (count < most)
      words[count] = (dorm__word){begin, (size_t)(line - begin)};
    count++;
  }
  return count;
}
