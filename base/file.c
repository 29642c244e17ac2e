/* file.c: writes files completely or not at all. Text goes to a temporary file FILE.dorm-tmp. Commit flushes, syncs and
 * renames it. A process locks its temporary file by flock(2), so that a file left by a killed process is recognised and
 * replaced. FILE.dorm-lock, locked in the same way, reserves FILE for one training. The same functions write a text to
 * memory. */
#include "base/file.h"
#include "base/hash.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct dorm__output {
  FILE *file;  /* NULL: the text goes to `bytes` */
  char *bytes; /* [size], followed by a zero byte once the text is taken */
  size_t size;
  size_t capacity;
  bool is_hashed; /* `hash` includes what is written */
  uint64_t hash;
  bool is_out_of_memory;
  char *path;
  char *temporary; /* or NULL if written directly */
  char *folder;    /* a copy of the path, which dirname modifies */
};

static void output_free(dorm__output *output)
{
  if (!output)
    return;
  dorm__free(output->bytes);
  dorm__free(output->path);
  dorm__free(output->temporary);
  dorm__free(output->folder);
  dorm__free(output);
}

/* A device, a pipe or standard output is written directly, because renaming would replace it. */
static bool is_written_directly(const char *path)
{
  struct stat about;
  return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

/* ---- Locked files ---------------------------------------------------------------------- */

/* Creates a file that this process locks until it closes the descriptor or ends. Replaces an existing file unless a
 * living process has locked it. Returns the descriptor, or -1 with errno, which is EWOULDBLOCK if another process has
 * the lock. On a file system without locks, no file is locked. */
static int create_held(const char *path, mode_t mode)
{
  enum { MOST_TRIES = 100 }; /* others may create and remove the file at the same time */
  for (int i = 0; i < MOST_TRIES; i++) {
    struct stat own, there;
    int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    bool is_new = descriptor >= 0;
    if (!is_new && errno == EEXIST)
      descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    else if (!is_new)
      return -1;
    if (descriptor < 0 && errno != ENOENT)
      return -1;
    if (descriptor < 0)
      continue;
    bool is_held = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    bool is_there = !is_held && fstat(descriptor, &own) == 0 && stat(path, &there) == 0 && own.st_dev == there.st_dev &&
                    own.st_ino == there.st_ino;
    if (is_new && is_there)
      return descriptor;
    if (is_there)
      unlink(path);
    close(descriptor);
    if (!is_new && is_held)
      break;
  }
  errno = EWOULDBLOCK;
  return -1;
}

typedef struct dorm__lock {
  struct dorm__lock *next;
  char *path; /* of the lock */
  int descriptor;
} dorm__lock;

static void lock_free(dorm__lock *lock)
{
  if (lock && lock->descriptor >= 0) {
    unlink(lock->path);
    close(lock->descriptor);
  }
  if (lock)
    dorm__free(lock->path);
  dorm__free(lock);
}

/* The address of the link to the lock of `path` in the context's list, or of the end of the list. */
static dorm__lock **find_lock(dorm_context *context, const char *path)
{
  dorm__lock **lock = &context->locks;
  while (*lock && strcmp((*lock)->path, path) != 0)
    lock = &(*lock)->next;
  return lock;
}

dorm_status dorm_context_lock_output(dorm_context *context, const char *path)
{
  if (DORM__LACKS(context, DORM__GIVEN(path)))
    return DORM_BAD_USAGE;
  if (strcmp(path, "-") == 0 || is_written_directly(path))
    return DORM_OK;
  dorm__lock *lock = dorm__alloc_zero(1, sizeof *lock);
  if (!lock || !(lock->path = dorm__join_texts(path, ".dorm-lock"))) {
    dorm__free(lock);
    return dorm__out_of_memory(context, "a lock");
  }
  dorm__lock **place = find_lock(context, lock->path);
  lock->descriptor = *place ? -1 : create_held(lock->path, 0666);
  if (lock->descriptor >= 0) {
    *place = lock;
    return DORM_OK;
  }
  dorm_status status =
      *place ? DORM_OK
      : errno == EWOULDBLOCK
          ? dorm__fail(context, DORM_IO_ERROR, "%s: another training that has not ended writes this file", path)
          : dorm__fail(context, DORM_IO_ERROR, "%s: cannot write: %s", lock->path, strerror(errno));
  lock_free(lock);
  return status;
}

void dorm__unlock_output(dorm_context *context, const char *path)
{
  DORM__FREED char *name = dorm__join_texts(path, ".dorm-lock");
  dorm__lock **place = find_lock(context, name ? name : ""), *lock = *place;
  if (lock)
    *place = lock->next;
  lock_free(lock);
}

/* ---- Opening ----------------------------------------------------------------------- */

/* Opens the temporary file for output->path, with the permissions of an existing file. Returns NULL with errno, which
 * is ENOMEM when out of memory. */
static FILE *open_temporary(dorm__output *output)
{
  struct stat old;
  bool has_old = stat(output->path, &old) == 0;
  mode_t mode = has_old ? old.st_mode & 0777 : 0666;
  output->temporary = dorm__join_texts(output->path, ".dorm-tmp");
  output->folder = dorm__copy_text(output->path);
  if (!output->temporary || !output->folder) {
    errno = ENOMEM;
    return NULL;
  }
  int descriptor = create_held(output->temporary, mode);
  if (descriptor < 0)
    return NULL;
  bool has_mode = !has_old || fchmod(descriptor, mode) == 0;
  FILE *file = has_mode ? fdopen(descriptor, "w") : NULL;
  if (!file) {
    int error = errno;
    unlink(output->temporary);
    close(descriptor);
    errno = error;
  }
  return file;
}

dorm_status dorm__output_open(dorm_context *context, const char *path, dorm__output **output)
{
  *output = NULL;
  dorm_status status = dorm_context_check_output(context, path);
  if (status != DORM_OK)
    return status;
  dorm__output *made = dorm__alloc_zero(1, sizeof *made);
  errno = ENOMEM;
  if (made && (made->path = dorm__copy_text(path))) {
    if (strcmp(path, "-") == 0)
      made->file = stdout;
    else if (is_written_directly(path))
      made->file = fopen(path, "w");
    else
      made->file = open_temporary(made);
  }
  if (made && made->file) {
    *output = made;
    return DORM_OK;
  }
  status = errno == ENOMEM ? dorm__out_of_memory(context, "an output file")
                           : dorm__fail(context, DORM_IO_ERROR, "%s: cannot write: %s", path,
                                        errno == EWOULDBLOCK ? "another process is writing it" : strerror(errno));
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
      !DORM__GROW(output->bytes, output->capacity, output->size + size)) {
    output->is_out_of_memory = true;
    return;
  }
  if (size)
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

/* Syncs the folder of the path, so that a rename there survives a power failure. Modifies the path. Returns false with
 * errno. */
static bool sync_folder(char *path)
{
  int folder = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool is_good = folder >= 0 && (fsync(folder) == 0 || errno == EINVAL); /* EINVAL: the file system has no such sync */
  int error = errno;
  if (folder >= 0)
    close(folder);
  errno = error;
  return is_good;
}

dorm_status dorm__output_commit(dorm_context *context, dorm__output *output)
{
  dorm_status status = DORM_OK;
  errno = 0;
  bool good = !output->is_out_of_memory && fflush(output->file) == 0 && !ferror(output->file);
  if (output->temporary)
    good = good && fsync(fileno(output->file)) == 0 && rename(output->temporary, output->path) == 0;
  int error = errno;
  if (output->temporary && !good)
    unlink(output->temporary); /* while it is locked */
  if (output->file != stdout)
    good = fclose(output->file) == 0 && good;
  if (error)
    errno = error;
  if (output->temporary)
    good = good && sync_folder(output->folder);
  if (!good)
    status = output->is_out_of_memory ? dorm__out_of_memory(context, "writing a file")
                                      : dorm__fail(context, DORM_IO_ERROR, "%s: cannot write: %s", output->path,
                                                   errno ? strerror(errno) : "write failed");
  output_free(output);
  return status;
}

void dorm__output_abandon(dorm__output *output)
{
  if (!output)
    return;
  if (output->temporary)
    unlink(output->temporary); /* while it is locked */
  if (output->file && output->file != stdout)
    fclose(output->file);
  output_free(output);
}

dorm_status dorm__output_close(dorm_context *context, dorm__output *output, dorm_status status)
{
  if (status == DORM_OK)
    return dorm__output_commit(context, output);
  dorm__output_abandon(output);
  return status;
}

double dorm__memory_limit(void)
{
  const double share = 0.75, least = 1 << 30;
  double limit = share * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  return limit > least ? limit : least;
}

dorm_status dorm__read_whole(dorm_context *context, const char *path, char **bytes, size_t *size)
{
  dorm_status status = DORM_OK;
  char *buffer = NULL;
  size_t capacity = 0;
  size_t count = 0;
  size_t got = 1;
  double limit = dorm__memory_limit();
  *bytes = NULL;
  *size = 0;
  FILE *file = fopen(path, "rb");
  if (!file)
    return dorm__fail(context, DORM_IO_ERROR, "%s: cannot read: %s", path, strerror(errno));
  struct stat about;
  bool is_large = fstat(fileno(file), &about) == 0 && (double)about.st_size > limit;
  while (status == DORM_OK && got && !is_large) {
    if (!DORM__GROW(buffer, capacity, count + (1 << 16))) {
      status = dorm__out_of_memory(context, "a file");
      break;
    }
    got = fread(buffer + count, 1, capacity - count, file);
    count += got;
    is_large = (double)count > limit;
  }
  if (is_large)
    status = dorm__fail(context, DORM_BAD_DATA,
                        "%s: more than %.0f MB, three quarters of the memory of this machine, cannot be read whole",
                        path, limit / (1 << 20));
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

/* ---- Inputs ------------------------------------------------------------------------------------ */

/* The files that a context has read, by device and inode. */

typedef struct dorm__input {
  struct dorm__input *next;
  dev_t device;
  ino_t inode;
} dorm__input;

static bool look(const char *path, struct stat *about)
{
  return (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, about) : stat(path, about)) == 0;
}

bool dorm__is_same_file(const char *one, const char *two)
{
  struct stat first, second;
  return strcmp(one, two) == 0 ||
         (look(one, &first) && look(two, &second) && first.st_dev == second.st_dev && first.st_ino == second.st_ino);
}

/* The address of the link to a file in the list, or of the end of the list. */
static dorm__input **find(dorm_context *context, const struct stat *about)
{
  dorm__input **place = &context->inputs;
  while (*place && ((*place)->device != about->st_dev || (*place)->inode != about->st_ino))
    place = &(*place)->next;
  return place;
}

dorm_status dorm__input_add(dorm_context *context, const char *path)
{
  struct stat about;
  if (!context->guards_inputs || !look(path, &about) || !S_ISREG(about.st_mode))
    return DORM_OK;
  dorm__input **place = find(context, &about);
  if (*place)
    return DORM_OK;
  *place = dorm__alloc_zero(1, sizeof **place);
  if (!*place)
    return dorm__out_of_memory(context, "the list of inputs");
  **place = (dorm__input){.device = about.st_dev, .inode = about.st_ino};
  return DORM_OK;
}

void dorm__input_remove(dorm_context *context, const char *path)
{
  struct stat about;
  dorm__input **place = look(path, &about) ? find(context, &about) : NULL, *found = place ? *place : NULL;
  if (found)
    *place = found->next;
  dorm__free(found);
}

void dorm_context_free(dorm_context *context)
{
  if (!context)
    return;
  while (context->kept) {
    dorm__kept *next = context->kept->next;
    dorm__free(context->kept->data);
    dorm__free(context->kept);
    context->kept = next;
  }
  while (context->locks) {
    dorm__lock *next = context->locks->next;
    lock_free(context->locks);
    context->locks = next;
  }
  while (context->inputs) {
    dorm__input *next = context->inputs->next;
    dorm__free(context->inputs);
    context->inputs = next;
  }
  dorm__free(context);
}

void dorm_context_guard_inputs(dorm_context *context)
{
  if (context)
    context->guards_inputs = true;
}

dorm_status dorm_context_check_output(dorm_context *context, const char *path)
{
  struct stat about;
  if (DORM__LACKS(context, DORM__GIVEN(path)))
    return DORM_BAD_USAGE;
  bool is_input = strcmp(path, "-") != 0 && stat(path, &about) == 0 && *find(context, &about);
  return is_input ? dorm__fail(context, DORM_BAD_USAGE, "%s: this file is read, so it cannot be the output, too", path)
                  : DORM_OK;
}
