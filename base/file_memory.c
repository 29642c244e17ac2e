/* file_memory.c: large arrays in a file instead of in memory. The file is unlinked before the first byte is written, so
 * that no other program can change or truncate it. Its room on the disk is reserved in advance, so that a full disk is
 * an error of that call and not a later signal. (File systems that copy on write may still fill up.)
 *
 * The whole file is mapped. A list in the order of arrival has the blocks that are resident in the process. When
 * another one comes in, the first of them is released. This loses nothing, because the mapping is shared with the file:
 * written bytes stay in the system's cache, or go to the disk if the system needs the room. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct dorm__file_memory {
  char *folder; /* for messages, and for files created beside this one */
  int descriptor;
  char *bytes; /* [size] */
  size_t size;
  unsigned char *is_resident;         /* [number of blocks] */
  size_t blocks[DORM__MOST_RESIDENT]; /* latest arrivals, a ring from `oldest` on */
  size_t num_resident;
  size_t oldest;
};

static size_t num_blocks(size_t size)
{
  return (size + DORM__FILE_BLOCK - 1) / DORM__FILE_BLOCK;
}

/* Opens a new unlinked file. Returns -1 with errno. */
static int open_nameless(const char *folder)
{
  DORM__FREED char *path = dorm__join_texts(folder, "/dorm-rows-XXXXXX");
  if (!path) {
    errno = ENOMEM;
    return -1;
  }
  int descriptor = mkstemp(path);
  if (descriptor >= 0) {
    unlink(path);
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  return descriptor;
}

/* Fails. With size 0 the file could not be created. */
static dorm_status fail(dorm_context *context, const char *folder, size_t size, int error)
{
  if (!size)
    return dorm__fail(context, DORM_IO_ERROR, "%s: cannot make a file of rows in this folder (data.storage = file): %s",
                      folder, strerror(error));
  return dorm__fail(context, DORM_IO_ERROR,
                    "%s: cannot keep %.0f MB of rows in a file in this folder (data.storage = file): %s", folder,
                    ceil((double)size / (1 << 20)), strerror(error));
}

/* Reserves `size` bytes on the disk and maps them. Returns NULL with errno. */
static void *map(int descriptor, size_t size)
{
  errno = posix_fallocate(descriptor, 0, (off_t)size);
  if (errno)
    return NULL;
  void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return bytes == MAP_FAILED ? NULL : bytes;
}

dorm_status dorm__file_memory_new(dorm_context *context, const char *folder, size_t size, dorm__file_memory **memory)
{
  *memory = NULL;
  dorm__file_memory *made = dorm__alloc_zero(1, sizeof *made);
  if (!made || !(made->folder = dorm__copy_text(folder))) {
    dorm__free(made);
    return dorm__out_of_memory(context, "rows in a file");
  }
  made->descriptor = open_nameless(folder);
  return DORM__GIVE(DORM__ALL(made->descriptor < 0 ? fail(context, folder, 0, errno) : DORM_OK,
                              dorm__file_memory_resize(context, made, size)),
                    memory, made, dorm__file_memory_free);
}

void dorm__file_memory_leave(dorm__file_memory *memory)
{
  if (!memory)
    return;
#pragma omp critical(dorm__file_memory)
  {
    for (size_t i = 0; i < memory->num_resident; i++) {
#pragma omp atomic write
      memory->is_resident[memory->blocks[(memory->oldest + i) % DORM__MOST_RESIDENT]] = 0;
    }
    memory->num_resident = 0;
  }
  if (memory->bytes)
    madvise(memory->bytes, memory->size, MADV_DONTNEED);
}

dorm_status dorm__file_memory_resize(dorm_context *context, dorm__file_memory *memory, size_t size)
{
  size = size ? size : 1;
  dorm__file_memory_leave(memory);
  unsigned char *marks = dorm__alloc_zero(num_blocks(size), sizeof *marks);
  if (!marks)
    return dorm__out_of_memory(context, "rows in a file");
  char *bytes = map(memory->descriptor, size);
  if (!bytes) {
    int error = errno;
    dorm__free(marks);
    if (memory->bytes && ftruncate(memory->descriptor, (off_t)memory->size) != 0)
      dorm__note(context, "%s: %s: rows in a file keep more room than they need", memory->folder, strerror(errno));
    return fail(context, memory->folder, size, error);
  }
  if (memory->bytes)
    munmap(memory->bytes, memory->size);
  if (size < memory->size && ftruncate(memory->descriptor, (off_t)size) != 0)
    dorm__note(context, "%s: %s: rows in a file keep more room than they need", memory->folder, strerror(errno));
  dorm__free(memory->is_resident);
  memory->is_resident = marks;
  memory->bytes = bytes;
  memory->size = size;
  return DORM_OK;
}

void dorm__file_memory_free(dorm__file_memory *memory)
{
  if (!memory)
    return;
  if (memory->bytes)
    munmap(memory->bytes, memory->size);
  if (memory->descriptor >= 0)
    close(memory->descriptor);
  dorm__free(memory->is_resident);
  dorm__free(memory->folder);
  dorm__free(memory);
}

void *dorm__file_memory_bytes(const dorm__file_memory *memory)
{
  return memory->bytes;
}

static void advise(const dorm__file_memory *memory, size_t block, int advice)
{
  size_t first = block * DORM__FILE_BLOCK;
  if (first < memory->size)
    madvise(memory->bytes + first,
            memory->size - first < DORM__FILE_BLOCK ? memory->size - first : (size_t)DORM__FILE_BLOCK, advice);
}

/* Creates the pages of a block for writing, if the system can do this at once. */
static void make_pages(const dorm__file_memory *memory, size_t block)
{
#ifdef MADV_POPULATE_WRITE
  advise(memory, block, MADV_POPULATE_WRITE);
#else
  (void)memory;
  (void)block;
#endif
}

/* Adds a block, and releases the oldest one if there are too many. */
static void enter(dorm__file_memory *memory, size_t block, bool is_filled)
{
  enum { AHEAD = 2 };
  size_t leaving = SIZE_MAX;
  bool is_new;
#pragma omp critical(dorm__file_memory)
  {
    is_new = !memory->is_resident[block];
    if (is_new && memory->num_resident == DORM__MOST_RESIDENT) {
      leaving = memory->blocks[memory->oldest];
      memory->oldest = (memory->oldest + 1) % DORM__MOST_RESIDENT;
      memory->num_resident--;
#pragma omp atomic write
      memory->is_resident[leaving] = 0;
    }
    if (is_new) {
      memory->blocks[(memory->oldest + memory->num_resident++) % DORM__MOST_RESIDENT] = block;
#pragma omp atomic write
      memory->is_resident[block] = 1;
    }
  }
  if (leaving != SIZE_MAX)
    advise(memory, leaving, MADV_DONTNEED);
  if (is_new && is_filled)
    make_pages(memory, block);
  else if (is_new)
    advise(memory, block + AHEAD, MADV_WILLNEED);
}

static void use(dorm__file_memory *memory, const void *first, size_t size, bool is_filled)
{
  if (!memory || !size)
    return;
  size_t at = (size_t)((const char *)first - memory->bytes);
  for (size_t block = at / DORM__FILE_BLOCK; block <= (at + size - 1) / DORM__FILE_BLOCK; block++) {
    unsigned char is_resident;
#pragma omp atomic read
    is_resident = memory->is_resident[block];
    if (!is_resident)
      enter(memory, block, is_filled);
  }
}

void dorm__file_memory_use(dorm__file_memory *memory, const void *first, size_t size)
{
  use(memory, first, size, false);
}

void dorm__file_memory_fill(dorm__file_memory *memory, void *first, size_t size)
{
  use(memory, first, size, true);
}

/* Uses a system call, which creates pages as large as its input and need not clear them. */
dorm_status dorm__file_memory_put(dorm_context *context, dorm__file_memory *memory, size_t at, const void *bytes,
                                  size_t size)
{
  const char *from = bytes;
  for (size_t done = 0; done < size;) {
    ssize_t count = pwrite(memory->descriptor, from + done, size - done, (off_t)(at + done));
    if (count < 0 && errno != EINTR)
      return fail(context, memory->folder, memory->size, errno);
    done += count > 0 ? (size_t)count : 0;
  }
  return DORM_OK;
}

dorm_status dorm__values_new(dorm_context *context, const dorm__file_memory *like, size_t count,
                             dorm__file_memory **memory, float **values)
{
  *values = NULL;
  *memory = NULL;
  if (count > SIZE_MAX / 2 / sizeof **values)
    return dorm__out_of_memory(context, "rows");
  dorm_status status = DORM_OK;
  if (like)
    status = dorm__file_memory_new(context, like->folder, count * sizeof **values, memory);
  if (status == DORM_OK)
    *values = like ? dorm__file_memory_bytes(*memory) : dorm__alloc_zero(count, sizeof **values);
  return status == DORM_OK && !*values ? dorm__out_of_memory(context, "rows") : status;
}

void dorm__values_free(dorm__file_memory *memory, float *values)
{
  if (memory)
    dorm__file_memory_free(memory);
  else
    dorm__free(values);
}
