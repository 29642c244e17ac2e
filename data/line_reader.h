/* line_reader.h: the lines of text files, for the readers of this folder and, by data.h, for those above it. */
#ifndef DORM_DATA_LINE_READER_H
#define DORM_DATA_LINE_READER_H

#include "base/base.h"

/* Reads a text file, plain or gzip, line by line. */
typedef struct dorm__line_reader dorm__line_reader;
dorm_status dorm__line_reader_open(dorm_context *context, const char *path, dorm__line_reader **reader);
/* The lines of bytes [size] in memory, borrowed until the reader is closed; messages name them `name`. */
dorm_status dorm__line_reader_from_memory(dorm_context *context, const char *name, const char *bytes, size_t size,
                                          dorm__line_reader **reader);
void dorm__line_reader_close(dorm__line_reader *reader);
DORM__OWNER(dorm__line_reader, dorm__line_reader_close)
/* Reads the next line [*line, *end), without its line end; the byte at *end may be read. *line is NULL after the last
 * line. Valid until the next call. */
dorm_status dorm__line_reader_next(dorm_context *context, dorm__line_reader *reader, const char **line,
                                   const char **end);
uint64_t dorm__line_reader_most(const dorm__line_reader *reader);  /* no more bytes than this can come from the file */
bool dorm__line_reader_lacks_end(const dorm__line_reader *reader); /* whether the last line had no line end */
size_t dorm__line_reader_number(const dorm__line_reader *reader);  /* of the last line, from 1 */
/* Fails with DORM_BAD_DATA and "path:line: ...". */
dorm_status dorm__line_reader_fail(dorm_context *context, const dorm__line_reader *reader, const char *format, ...)
    DORM__PRINTF(3, 4);

/* Takes a line [line, end) of a file; `lines` names it in messages. */
typedef dorm_status (*dorm__line_function)(void *user, const dorm__line_reader *lines, const char *line,
                                           const char *end);
/* Reads a file from its first to its last line, or to the first one that is refused. */
dorm_status dorm__each_line(dorm_context *context, const char *path, dorm__line_function take, void *user);

/* Words of a line between blanks. Returns how many, at most `most` + 1; the first
 * `most` are filled in. */
typedef struct dorm__word {
  const char *begin;
  size_t size;
} dorm__word;
size_t dorm__split_words(const char *line, const char *end, size_t most, dorm__word *words);

#endif
