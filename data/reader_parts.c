/* reader_parts.c: reads the bytes of a file, and inflates gzip. No other file calls zlib. A plain file is read without
 * an additional copy. The path "-" is standard input. Bytes in memory can be read in the same way. */
#include "data/reader_parts.h"
#include "data/line_reader.h"

#include "data/data.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <omp.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { INFLATE_BUFFER = 1 << 18, LIVE_PIECE = 1 << 16, MILLISECONDS_A_LOOK = 100 };

/* A gzip file that inflates to more than both limits is an error. gzip shrinks LETOR text to a fifth and the most
 * regular log of clicks to a fiftieth, but a file crafted for this purpose to a thousandth. */
enum { MOST_INFLATION = 200, ALWAYS_INFLATED = 1 << 26 };

struct dorm__byte_reader {
  int descriptor; /* or -1 if the gzip reader owns it */
  gzFile gzip;
  char *path;
  unsigned char head[DORM__MAGIC_SIZE]; /* first bytes, which show the format */
  size_t head_begin, head_end;
  uint64_t size;      /* of a plain file, or of the bytes in memory */
  const char *memory; /* bytes in memory that remain, or NULL for a file */
  size_t memory_left;
  uint64_t left; /* bytes that may still be returned */
};

static dorm_status fail_to_read(dorm_context *context, const char *path)
{
  return dorm__fail(context, DORM_IO_ERROR, "%s: cannot read: %s", path, strerror(errno));
}

/* Reads up to `size` bytes, and fewer only at the end of the file. Returns false with errno. */
static bool read_fully(int descriptor, void *bytes, size_t size, size_t *count)
{
  *count = 0;
  while (*count < size) {
    size_t wanted = size - *count < INT_MAX ? size - *count : INT_MAX;
    ssize_t got = read(descriptor, (char *)bytes + *count, wanted);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return false;
    if (got == 0)
      break;
    *count += (size_t)got;
  }
  return true;
}

/* Reads like read_fully from a file with places. Threads that wait for the present one read some of its pieces. */
static bool read_pieces(int descriptor, void *bytes, size_t size, size_t *count)
{
  enum { PIECE = 1 << 18 };
  off_t first = lseek(descriptor, 0, SEEK_CUR);
  size_t end = size;
  int error = first < 0 ? errno : 0;
#pragma omp taskloop grainsize(1) shared(end, error)
  for (size_t at = 0; at < size; at += PIECE) {
    size_t wanted = size - at < PIECE ? size - at : PIECE, got = 0;
    ssize_t more = 1;
    while (got < wanted && more != 0) {
      more = pread(descriptor, (char *)bytes + at + got, wanted - got, first + (off_t)(at + got));
      got += more > 0 ? (size_t)more : 0;
      if (more < 0 && errno != EINTR)
        break;
    }
#pragma omp critical(dorm__read_pieces)
    {
      error = more < 0 ? errno : error;
      end = got < wanted && at + got < end ? at + got : end;
    }
  }
  *count = end;
  errno = error;
  return !error && lseek(descriptor, first + (off_t)end, SEEK_SET) >= 0;
}

/* Reads the first bytes to recognise gzip. A regular file is then rewound, because zlib must see these bytes again. A
 * pipe cannot be rewound, so zlib reads it, gzip or not. zlib waits for a full buffer, so a live pipe is read without
 * it. */
static dorm_status look(dorm_context *context, dorm__byte_reader *reader, bool is_live)
{
  struct stat about;
  if (fstat(reader->descriptor, &about) != 0)
    return fail_to_read(context, reader->path);
  bool can_go_back = S_ISREG(about.st_mode);
  if (can_go_back) {
    reader->size = (uint64_t)about.st_size;
    if (!read_fully(reader->descriptor, reader->head, sizeof reader->head, &reader->head_end))
      return fail_to_read(context, reader->path);
    if (reader->head_end < 2 || reader->head[0] != 0x1f || reader->head[1] != 0x8b)
      return DORM_OK;
    if (lseek(reader->descriptor, 0, SEEK_SET) != 0)
      return fail_to_read(context, reader->path);
    reader->head_end = 0;
  }
  if (!can_go_back && is_live)
    return DORM_OK;
  reader->gzip = gzdopen(reader->descriptor, "rb"); /* bytes that are not gzip pass unchanged */
  if (!reader->gzip)
    return dorm__out_of_memory(context, "reading a file");
  reader->descriptor = -1;
  gzbuffer(reader->gzip, INFLATE_BUFFER);
  return DORM_OK;
}

static dorm_status open_reader(dorm_context *context, const char *path, bool is_live, dorm__byte_reader **reader)
{
  *reader = NULL;
  dorm__byte_reader *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "reading a file");
  made->left = UINT64_MAX;
  made->path = dorm__copy_text(path);
  bool is_input = strcmp(path, "-") == 0;
  made->descriptor = -1;
  if (made->path)
    made->descriptor = is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
  dorm_status status = DORM_OK;
  if (!made->path)
    status = dorm__out_of_memory(context, "reading a file");
  else if (made->descriptor < 0)
    status = fail_to_read(context, path);
  else
    status = dorm__input_add(context, path);
  if (status == DORM_OK)
    status = look(context, made, is_live);
  return DORM__GIVE(status, reader, made, dorm__byte_reader_close);
}

dorm_status dorm__byte_reader_open(dorm_context *context, const char *path, dorm__byte_reader **reader)
{
  return open_reader(context, path, false, reader);
}

dorm_status dorm__byte_reader_open_live(dorm_context *context, const char *path, dorm__byte_reader **reader)
{
  return open_reader(context, path, true, reader);
}

dorm_status dorm__byte_reader_from_memory(dorm_context *context, const char *bytes, size_t size,
                                          dorm__byte_reader **reader)
{
  *reader = dorm__alloc_zero(1, sizeof **reader);
  if (!*reader)
    return dorm__out_of_memory(context, "reading a text");
  (*reader)->descriptor = -1;
  (*reader)->size = size;
  (*reader)->memory = bytes;
  (*reader)->memory_left = size;
  (*reader)->left = UINT64_MAX;
  return DORM_OK;
}

void dorm__byte_reader_close(dorm__byte_reader *reader)
{
  if (!reader)
    return;
  if (reader->gzip)
    gzclose(reader->gzip);
  if (reader->descriptor >= 0)
    close(reader->descriptor);
  dorm__free(reader->path);
  dorm__free(reader);
}

bool dorm__byte_reader_starts_with(const dorm__byte_reader *reader, const char magic[DORM__MAGIC_SIZE])
{
  return reader->head_end == DORM__MAGIC_SIZE && memcmp(reader->head, magic, DORM__MAGIC_SIZE) == 0;
}

uint64_t dorm__byte_reader_size(const dorm__byte_reader *reader)
{
  return reader->size;
}

uint64_t dorm__byte_reader_most(const dorm__byte_reader *reader)
{
  if (!reader->gzip)
    return reader->size;
  if (!reader->size || reader->size > UINT64_MAX / MOST_INFLATION)
    return UINT64_MAX;
  return MOST_INFLATION * reader->size > ALWAYS_INFLATED ? MOST_INFLATION * reader->size : ALWAYS_INFLATED;
}

static dorm_status inflate_bytes(dorm_context *context, dorm__byte_reader *reader, void *bytes, size_t size,
                                 size_t *count)
{
  while (*count < size) {
    size_t wanted = size - *count < INT_MAX ? size - *count : INT_MAX;
    errno = 0;
    int got = gzread(reader->gzip, (char *)bytes + *count, (unsigned)wanted);
    int error = Z_OK;
    const char *words = gzerror(reader->gzip, &error);
    if (got < 0 || error == Z_BUF_ERROR) {
      if (error == Z_ERRNO)
        return fail_to_read(context, reader->path);
      return dorm__fail(context, DORM_BAD_DATA, "%s: cannot read: %s", reader->path,
                        error == Z_BUF_ERROR ? "the compressed data end too early" : words);
    }
    if ((uint64_t)gztell(reader->gzip) > dorm__byte_reader_most(reader))
      return dorm__fail(context, DORM_BAD_DATA,
                        "%s: inflates to more than %d MB and %d times its size; if that is meant, decompress it first",
                        reader->path, ALWAYS_INFLATED >> 20, MOST_INFLATION);
    if (got == 0)
      break;
    *count += (size_t)got;
  }
  return DORM_OK;
}

dorm_status dorm__byte_reader_limit(dorm_context *context, dorm__byte_reader *reader, uint64_t begin, uint64_t end)
{
  errno = 0;
  bool is_there = begin == 0 || (reader->gzip ? gzseek(reader->gzip, (z_off_t)begin, SEEK_SET) >= 0
                                              : lseek(reader->descriptor, (off_t)begin, SEEK_SET) >= 0);
  if (!is_there && reader->gzip && !errno)
    return dorm__fail(context, DORM_BAD_DATA, "%s: cannot read: the compressed data end too early", reader->path);
  if (!is_there)
    return fail_to_read(context, reader->path);
  if (begin > 0)
    reader->head_begin = reader->head_end;
  reader->left = end - begin;
  return DORM_OK;
}

static dorm_status read_bytes(dorm_context *context, dorm__byte_reader *reader, void *bytes, size_t size, size_t *count)
{
  *count = 0;
  if (reader->memory) {
    *count = reader->memory_left < size ? reader->memory_left : size;
    memcpy(bytes, reader->memory, *count);
    reader->memory += *count;
    reader->memory_left -= *count;
    return DORM_OK;
  }
  if (reader->gzip)
    return inflate_bytes(context, reader, bytes, size, count);
  size_t kept = reader->head_end - reader->head_begin < size ? reader->head_end - reader->head_begin : size;
  memcpy(bytes, reader->head + reader->head_begin, kept);
  reader->head_begin += kept;
  bool (*read_all)(int, void *, size_t, size_t *) = reader->size && omp_in_parallel() ? read_pieces : read_fully;
  if (!read_all(reader->descriptor, (char *)bytes + kept, size - kept, count))
    return fail_to_read(context, reader->path);
  *count += kept;
  return DORM_OK;
}

dorm_status dorm__byte_reader_read(dorm_context *context, dorm__byte_reader *reader, void *bytes, size_t size,
                                   size_t *count)
{
  size_t wanted = reader->left < size ? (size_t)reader->left : size;
  dorm_status status = read_bytes(context, reader, bytes, wanted, count);
  reader->left -= *count;
  return status;
}

/* Waits for input. A signal interrupts the wait, and the context's cancel function decides what follows. */
static dorm_status await(dorm_context *context, const dorm__byte_reader *reader)
{
  struct pollfd file = {.fd = reader->descriptor, .events = POLLIN};
  for (;;) {
    if (dorm__cancelled(context))
      return dorm__fail(context, DORM_STOPPED, "%s: reading was cancelled", reader->path);
    int found = poll(&file, 1, MILLISECONDS_A_LOOK);
    if (found > 0)
      return DORM_OK;
    if (found < 0 && errno != EINTR)
      return fail_to_read(context, reader->path);
  }
}

dorm_status dorm__byte_reader_read_some(dorm_context *context, dorm__byte_reader *reader, void *bytes, size_t size,
                                        size_t *count)
{
  *count = 0;
  if (reader->memory || reader->gzip || reader->head_begin < reader->head_end) {
    size_t head = reader->head_end - reader->head_begin;
    size_t piece = head ? head : LIVE_PIECE;
    if (dorm__cancelled(context))
      return dorm__fail(context, DORM_STOPPED, "reading was cancelled");
    return dorm__byte_reader_read(context, reader, bytes, piece < size ? piece : size, count);
  }
  for (;;) {
    dorm_status status = await(context, reader);
    if (status != DORM_OK)
      return status;
    ssize_t got = read(reader->descriptor, bytes, size < INT_MAX ? size : INT_MAX);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (got < 0)
      return fail_to_read(context, reader->path);
    *count = (size_t)got;
    return DORM_OK;
  }
}

/* ---- Text buffers ------------------------------------------------------------------------------ */

/* * reader_parts.c: reads a text file into two buffers of whole lines, so that one thread can read (and inflate) the
 * next buffer while others parse the current one. A partial line at the end of a buffer moves to the next one. Each
 * buffer ends with a line end, so scans for one need no bound. */

/* The first size is for small files. A single thread does not wait at the end of a buffer. Its smaller buffer, which
 * stays in the processor's cache, is as fast, and saves memory if there are several processes with one thread each.
 * Several threads have SIZE_OF_MANY each, so that each has some chunks to parse. */
enum { FIRST_SIZE = 1 << 16, SIZE_OF_ONE_THREAD = 1 << 19, SIZE_OF_MANY = 1 << 20, LEAST_MANY = 4, MOST_MANY = 64 };

typedef struct buffer {
  char *text;
  size_t capacity; /* without the byte for an added line end */
  size_t size;     /* of the text read */
  size_t end;      /* of the whole lines */
  bool is_last;    /* it ends the file */
  bool is_too_long;
  dorm_status status;
} buffer;

struct dorm__text_buffers {
  dorm__byte_reader *bytes;
  char *path;
  size_t buffer_size;
  buffer buffers[2];
  size_t present;
  bool is_fetched;      /* the other buffer is full */
  dorm_context failure; /* of the fetch, reported when that buffer is requested */
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
  size_t many = num_threads < LEAST_MANY ? LEAST_MANY : num_threads < MOST_MANY ? num_threads : MOST_MANY;
  made->buffer_size = num_threads > 1 ? many * SIZE_OF_MANY : SIZE_OF_ONE_THREAD;
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

/* Reads until the buffer contains a whole line. */
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
