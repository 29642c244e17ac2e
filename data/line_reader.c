/* line_reader.c: lines of a text file, plain or gzip; the only door to zlib. */
#include "data/data.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

enum { FIRST_BUFFER = 1 << 18, LARGEST_LINE = 1 << 28 };

struct dorm__line_reader {
  gzFile file;
  char *path;
  char *buffer;
  size_t capacity;
  size_t begin; /* of what is not handed out yet */
  size_t end;
  size_t line;
  bool at_end_of_file;
};

dorm_status dorm__line_reader_open(dorm_context *context, const char *path, dorm__line_reader **reader)
{
  dorm_status status = DORM_OK;
  *reader = NULL;
  dorm__line_reader *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "reading a file");
  made->capacity = FIRST_BUFFER;
  made->buffer = dorm__alloc(made->capacity + 1, 1);
  made->path = dorm__copy_text(path);
  if (!made->buffer || !made->path) {
    status = dorm__out_of_memory(context, "reading a file");
    goto done;
  }
  errno = 0;
  made->file = gzopen(path, "rb");
  if (!made->file) {
    status = errno ? dorm__fail(context, DORM_IO_ERROR, "%s: cannot read: %s", path, strerror(errno))
                   : dorm__out_of_memory(context, "reading a file");
    goto done;
  }
  gzbuffer(made->file, FIRST_BUFFER);
  *reader = made;
  made = NULL;
done:
  dorm__line_reader_close(made);
  return status;
}

void dorm__line_reader_close(dorm__line_reader *reader)
{
  if (!reader)
    return;
  if (reader->file)
    gzclose(reader->file);
  dorm__free(reader->buffer);
  dorm__free(reader->path);
  dorm__free(reader);
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

/* Moves what is left to the front and reads more behind it. */
static dorm_status fill(dorm_context *context, dorm__line_reader *reader)
{
  size_t left = reader->end - reader->begin;
  memmove(reader->buffer, reader->buffer + reader->begin, left);
  reader->begin = 0;
  reader->end = left;
  if (left == reader->capacity) {
    if (left >= LARGEST_LINE) {
      reader->line++;
      return dorm__line_reader_fail(context, reader, "line longer than %d bytes", LARGEST_LINE);
    }
    char *larger = dorm__realloc(reader->buffer, 2 * reader->capacity + 1, 1);
    if (!larger)
      return dorm__out_of_memory(context, "a long line");
    reader->buffer = larger;
    reader->capacity *= 2;
  }
  errno = 0;
  int count = gzread(reader->file, reader->buffer + left, (unsigned)(reader->capacity - left));
  int error = Z_OK;
  const char *words = gzerror(reader->file, &error);
  if (count < 0 || error == Z_BUF_ERROR) {
    if (error == Z_BUF_ERROR)
      words = "the compressed data end too early";
    else if (error == Z_ERRNO)
      words = strerror(errno);
    return dorm__fail(context, error == Z_ERRNO ? DORM_IO_ERROR : DORM_BAD_DATA, "%s: cannot read: %s", reader->path,
                      words);
  }
  reader->end += (size_t)count;
  reader->at_end_of_file = count == 0;
  return DORM_OK;
}

dorm_status dorm__line_reader_next(dorm_context *context, dorm__line_reader *reader, const char **line,
                                   const char **end)
{
  *line = NULL;
  size_t searched = 0; /* of what is there, without an end of line */
  for (;;) {
    char *text = reader->buffer + reader->begin;
    size_t size = reader->end - reader->begin;
    char *newline = memchr(text + searched, '\n', size - searched);
    if (newline || (reader->at_end_of_file && size)) {
      char *stop = newline ? newline : text + size;
      reader->begin += (size_t)(stop - text) + (newline != NULL);
      reader->line++;
      if (stop > text && stop[-1] == '\r')
        stop--;
      *line = text;
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
