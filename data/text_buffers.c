/*
 * text_buffers.c: a text file in two buffers of whole lines, so that one thread can read (and inflate) the next buffer
 * while others work on the present one. The beginning of a line at the end of a buffer moves to the next buffer. Each
 * buffer is followed by a line end, so that a scan for one needs no bound.
 */
#include "data/text_buffers.h"
#include "data/byte_reader.h"

#include <string.h>

/* The first is for small files. One thread has nobody to wait for at the end of a buffer, so that a small one, which
 * stays in the cache, is no slower; several processes of one thread each save memory by it. */
enum { FIRST_SIZE = 1 << 16, SIZE_OF_ONE_THREAD = 1 << 19, SIZE_OF_THREADS = 1 << 22 };

typedef struct buffer {
  char *text;
  size_t capacity; /* without the byte for the added line end */
  size_t size;     /* of what was read */
  size_t end;      /* of the whole lines */
  bool is_last;    /* the file ends with it */
  bool is_too_long;
  dorm_status status;
} buffer;

struct dorm__text_buffers {
  dorm__byte_reader *bytes;
  char *path;
  size_t buffer_size;
  buffer buffers[2];
  size_t present;
  bool is_fetched;      /* the other buffer is filled */
  dorm_context failure; /* of the fetch; reported when that buffer is asked for */
};

dorm_status dorm__text_buffers_new(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                                   size_t num_threads, dorm__text_buffers **buffers)
{
  *buffers = NULL;
  dorm__text_buffers *made = dorm__alloc_zero(1, sizeof *made);
  if (!made || !(made->path = dorm__copy_text(path))) {
    dorm__free(made);
    return dorm__out_of_memory(context, "reading a file");
  }
  made->bytes = bytes;
  made->buffer_size = num_threads > 1 ? SIZE_OF_THREADS : SIZE_OF_ONE_THREAD;
  *buffers = made;
  return DORM_OK;
}

void dorm__text_buffers_free(dorm__text_buffers *buffers)
{
  if (!buffers)
    return;
  for (size_t i = 0; i < 2; i++)
    dorm__free(buffers->buffers[i].text);
  dorm__free(buffers->path);
  dorm__free(buffers);
}

/* Reads until there is at least one whole line. */
static dorm_status fill(dorm_context *context, dorm__text_buffers *buffers, buffer *next)
{
  for (;;) {
    if (next->size == next->capacity) {
      size_t larger = next->capacity < buffers->buffer_size ? buffers->buffer_size : 2 * next->capacity;
      next->is_too_long = next->size >= DORM__LARGEST_LINE;
      if (next->is_too_long)
        return DORM_BAD_DATA;
      char *text = dorm__realloc(next->text, larger + 1, 1);
      if (!text)
        return dorm__out_of_memory(context, "a long line");
      next->text = text;
      next->capacity = larger;
    }
    size_t count = 0;
    size_t wanted = next->capacity - next->size;
    dorm_status status = dorm__byte_reader_read(context, buffers->bytes, next->text + next->size, wanted, &count);
    if (status != DORM_OK)
      return status;
    next->size += count;
    next->is_last = count < wanted;
    for (next->end = next->size; next->end && next->text[next->end - 1] != '\n';)
      next->end--;
    if (next->is_last && next->end < next->size)
      next->end = next->size; /* the last line may lack its end */
    if (next->is_last || next->end)
      return DORM_OK;
  }
}

void dorm__text_buffers_fetch(dorm__text_buffers *buffers)
{
  buffer *present = &buffers->buffers[buffers->present];
  buffer *next = &buffers->buffers[1 - buffers->present];
  size_t left = present->size - present->end;
  if (buffers->is_fetched || present->is_last || present->status != DORM_OK)
    return;
  next->size = 0;
  next->status = DORM_OK;
  size_t room = present->text ? left + buffers->buffer_size : FIRST_SIZE;
  if (next->capacity < room) {
    char *text = dorm__realloc(next->text, room + 1, 1);
    next->status = text ? DORM_OK : dorm__out_of_memory(&buffers->failure, "reading a file");
    next->text = text ? text : next->text;
    next->capacity = text ? room : next->capacity;
  }
  if (next->status == DORM_OK) {
    if (left)
      memcpy(next->text, present->text + present->end, left);
    next->size = left;
    next->status = fill(&buffers->failure, buffers, next);
  }
  buffers->is_fetched = true;
}

dorm_status dorm__text_buffers_next(dorm_context *context, dorm__text_buffers *buffers, size_t num_lines,
                                    const char **begin, const char **end)
{
  *begin = NULL;
  *end = NULL;
  if (buffers->buffers[buffers->present].is_last)
    return DORM_OK;
  dorm__text_buffers_fetch(buffers);
  buffers->present = 1 - buffers->present;
  buffers->is_fetched = false;
  buffer *present = &buffers->buffers[buffers->present];
  if (present->is_too_long)
    return dorm__fail(context, DORM_BAD_DATA, "%s:%zu: line longer than %d bytes", buffers->path, num_lines + 1,
                      DORM__LARGEST_LINE);
  if (present->status != DORM_OK)
    return dorm__fail(context, present->status, "%s", buffers->failure.message);
  if (!present->end)
    return DORM_OK;
  present->text[present->size] = '\n'; /* the last line of a file may lack it */
  *begin = present->text;
  *end = present->text + present->end;
  return DORM_OK;
}
