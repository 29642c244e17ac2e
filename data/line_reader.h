/* line_reader.h: lines of text files, for the readers of this folder and (through data.h) for those above it. */
#ifndef DORM_DATA_LINE_READER_H
#define DORM_DATA_LINE_READER_H

#include "base/base.h"

/* Reads a text file, plain or gzip, line by line. */
typedef struct dorm__line_reader dorm__line_reader;
dorm_status dorm__line_reader_open(dorm_context *context, const char *path, dorm__line_reader **reader);
/* Reads the lines of bytes [size] in memory, which are borrowed until the reader is closed. Messages call them
 * `name`. */
dorm_status dorm__line_reader_from_memory(dorm_context *context, const char *name, const char *bytes, size_t size,
                                          dorm__line_reader **reader);
void dorm__line_reader_close(dorm__line_reader *reader);
DORM__OWNER(dorm__line_reader, dorm__line_reader_close)
/* Reads the next line [*line, *end) without its line end. The byte at *end may be read. *line is NULL after the last
 * line. Valid until the next call. */
dorm_status dorm__line_reader_next(dorm_context *context, dorm__line_reader *reader, const char **line,
                                   const char **end);
uint64_t dorm__line_reader_most(const dorm__line_reader *reader);  /* an upper bound of the bytes in the file */
bool dorm__line_reader_lacks_end(const dorm__line_reader *reader); /* whether the last line had no line end */
size_t dorm__line_reader_number(const dorm__line_reader *reader);  /* of the last line, from 1 */
/* Fails with DORM_BAD_DATA and "path:line: ...". */
dorm_status dorm__line_reader_fail(dorm_context *context, const dorm__line_reader *reader, const char *format, ...)
    DORM__PRINTF(3, 4);

/* Takes a line [line, end) of a file. `lines` gives its place for messages. */
typedef dorm_status (*dorm__line_function)(void *user, const dorm__line_reader *lines, const char *line,
                                           const char *end);
/* Calls `take` for each line of a file, until a line is rejected. */
dorm_status dorm__each_line(dorm_context *context, const char *path, dorm__line_function take, void *user);

static inline const char *dorm__skip_blanks(const char *s, const char *end)
{
  while (s < end && (*s == ' ' || *s == '\t'))
    s++;
  return s;
}
/* Whether the text is one finite number, apart from blanks around it. */
bool dorm__is_one_number(const char *begin, const char *end, double *value);
/* How many characters of a text of this size a message shows, for "%.*s". */
static inline int dorm__shown(size_t size)
{
  return size > 40 ? 40 : (int)size;
}

typedef struct dorm__word {
  const char *begin;
  size_t size;
} dorm__word;
/* The text without blanks around it. */
dorm__word dorm__trimmed(const char *begin, const char *end);
/* Splits a line into words between blanks. Returns their number, at most `most` + 1. Fills the first `most`. */
size_t dorm__split_words(const char *line, const char *end, size_t most, dorm__word *words);

#endif
