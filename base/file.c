/*
 * file.c: files written whole or not at all. The text goes to a temporary
 * file in the folder of the target; commit flushes, syncs and renames it. The same
 * calls write a text in memory.
 */
#include "base/file.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct dorm__output {
  FILE *file;  /* NULL: the text goes to `bytes` */
  char *bytes; /* [size], and a zero byte after them once the text is taken */
  size_t size;
  size_t capacity;
  bool is_hashed; /* `hash` follows what is written */
  uint64_t hash;
  bool is_out_of_memory;
  char *path;
  char *temporary; /* NULL when written directly */
};

static void output_free(dorm__output *output)
{
  if (!output)
    return;
  dorm__free(output->bytes);
  dorm__free(output->path);
  dorm__free(output->temporary);
  dorm__free(output);
}

/* Opens a new file beside `path`, with the permissions that the umask leaves. Returns a descriptor, and the name in
 * output->temporary; or -1 with errno, which is ENOMEM when out of memory. */
static int create_temporary(dorm__output *output)
{
  enum { MOST_TRIES = 100, SUFFIX_SIZE = 40 };
  size_t size = strlen(output->path) + SUFFIX_SIZE;
  output->temporary = dorm__alloc(size, 1);
  if (!output->temporary) {
    errno = ENOMEM;
    return -1;
  }
  int descriptor = -1;
  for (int i = 0; descriptor < 0 && i < MOST_TRIES; i++) {
    snprintf(output->temporary, size, "%s.%ld-%d.tmp", output->path, (long)getpid(), i);
    descriptor = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST)
      break;
  }
  return descriptor;
}

/* A device, a pipe or standard output is written directly: renaming would
 * replace it. */
static bool is_written_directly(const char *path)
{
  struct stat about;
  return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

dorm_status dorm__output_open(dorm_context *context, const char *path, dorm__output **output)
{
  dorm_status status = DORM_OK;
  *output = NULL;
  dorm__output *made = dorm__alloc_zero(1, sizeof *made);
  if (!made || !(made->path = dorm__copy_text(path))) {
    status = dorm__out_of_memory(context, "an output file");
    goto done;
  }
  if (strcmp(path, "-") == 0) {
    made->file = stdout;
  } else if (is_written_directly(path)) {
    made->file = fopen(path, "w");
  } else {
    int descriptor = create_temporary(made);
    made->file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (descriptor >= 0 && !made->file) {
      int error = errno;
      close(descriptor);
      unlink(made->temporary);
      errno = error;
    }
  }
  if (!made->file) {
    status = errno == ENOMEM ? dorm__out_of_memory(context, "an output file")
                             : dorm__fail(context, DORM_IO_ERROR, "%s: cannot write: %s", path, strerror(errno));
    goto done;
  }
  *output = made;
  made = NULL;
done:
  output_free(made);
  return status;
}

dorm_status dorm__output_to_memory(dorm_context *context, dorm__output **output)
{
  *output = dorm__alloc_zero(1, sizeof **output);
  return *output ? DORM_OK : dorm__out_of_memory(context, "a text");
}

dorm_status dorm__output_take(dorm_context *context, dorm__output *output, char **text, size_t *size)
{
  dorm__output_bytes(output, "", 1);
  *text = NULL;
  *size = 0;
  bool good = !output->is_out_of_memory;
  if (good) {
    *text = output->bytes;
    *size = output->size - 1;
    output->bytes = NULL;
  }
  output_free(output);
  return good ? DORM_OK : dorm__out_of_memory(context, "a text");
}

static void append(dorm__output *output, const void *bytes, size_t size)
{
  if (output->is_out_of_memory || size > SIZE_MAX / 2 - output->size ||
      !dorm__grow((void **)&output->bytes, &output->capacity, output->size + size, 1)) {
    output->is_out_of_memory = true;
    return;
  }
  memcpy(output->bytes + output->size, bytes, size);
  output->size += size;
}

void dorm__output_bytes(dorm__output *output, const void *bytes, size_t size)
{
  if (!output->file)
    append(output, bytes, size);
  else if (size)
    fwrite(bytes, 1, size, output->file); /* commit checks ferror */
  if (output->is_hashed)
    output->hash = dorm__hash_bytes(output->hash, bytes, size);
}

void dorm__output_text(dorm__output *output, const char *format, ...)
{
  char buffer[512];
  va_list arguments;
  va_list again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int size = vsnprintf(buffer, sizeof buffer, format, arguments);
  char *text = buffer;
  if (size >= (int)sizeof buffer) {
    text = dorm__alloc((size_t)size + 1, 1);
    if (text)
      vsnprintf(text, (size_t)size + 1, format, again);
  }
  va_end(again);
  va_end(arguments);
  if (text && size > 0)
    dorm__output_bytes(output, text, (size_t)size);
  output->is_out_of_memory = output->is_out_of_memory || !text;
  if (text != buffer)
    dorm__free(text);
}

void dorm__output_number(dorm__output *output, double value)
{
  char buffer[DORM__NUMBER_SIZE];
  const char *text = dorm__format_double(buffer, value);
  dorm__output_bytes(output, text, strlen(text));
}

void dorm__output_float(dorm__output *output, float value)
{
  char buffer[DORM__NUMBER_SIZE];
  const char *text = dorm__format_float(buffer, value);
  dorm__output_bytes(output, text, strlen(text));
}

void dorm__output_start_hash(dorm__output *output)
{
  output->is_hashed = true;
  output->hash = DORM__HASH_START;
}

uint64_t dorm__output_hash(const dorm__output *output)
{
  return output->hash;
}

dorm_status dorm__output_commit(dorm_context *context, dorm__output *output)
{
  dorm_status status = DORM_OK;
  errno = 0;
  bool good = !output->is_out_of_memory && fflush(output->file) == 0 && !ferror(output->file);
  if (output->temporary)
    good = good && fsync(fileno(output->file)) == 0;
  int error = errno;
  if (output->file != stdout)
    good = fclose(output->file) == 0 && good;
  if (error)
    errno = error;
  if (output->temporary)
    good = good && rename(output->temporary, output->path) == 0;
  if (!good) {
    status = output->is_out_of_memory ? dorm__out_of_memory(context, "writing a file")
                                      : dorm__fail(context, DORM_IO_ERROR, "%s: cannot write: %s", output->path,
                                                   errno ? strerror(errno) : "write failed");
    if (output->temporary)
      unlink(output->temporary);
  }
  output_free(output);
  return status;
}

void dorm__output_abandon(dorm__output *output)
{
  if (!output)
    return;
  if (output->file && output->file != stdout)
    fclose(output->file);
  if (output->temporary)
    unlink(output->temporary);
  output_free(output);
}

dorm_status dorm__read_whole(dorm_context *context, const char *path, char **bytes, size_t *size)
{
  dorm_status status = DORM_OK;
  char *buffer = NULL;
  size_t capacity = 0;
  size_t count = 0;
  size_t got = 1;
  *bytes = NULL;
  *size = 0;
  FILE *file = fopen(path, "rb");
  if (!file)
    return dorm__fail(context, DORM_IO_ERROR, "%s: cannot read: %s", path, strerror(errno));
  while (status == DORM_OK && got) {
    if (!dorm__grow((void **)&buffer, &capacity, count + (1 << 16), 1)) {
      status = dorm__out_of_memory(context, "a file");
      break;
    }
    got = fread(buffer + count, 1, capacity - count, file);
    count += got;
  }
  if (status == DORM_OK && ferror(file))
    status = dorm__fail(context, DORM_IO_ERROR, "%s: cannot read: %s", path, strerror(errno));
  fclose(file);
  if (status != DORM_OK) {
    dorm__free(buffer);
    return status;
  }
  *bytes = buffer;
  *size = count;
  return DORM_OK;
}
