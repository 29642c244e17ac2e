/*
 * io.c: lets the n-th call of libdorm that opens, reads, writes, flushes, syncs,
 * closes or renames a file fail, for n = 1, 2, 3 and so on, in the tasks of runs.c.
 * The linker directs these calls to the functions here. Each time:
 *
 *   the task must end with DORM_IO_ERROR (DORM_BAD_DATA if zlib meets the error)
 *   and a message, or with DORM_OK and the result that it has without a failure;
 *   every file under its final name must be the one that was there before, or a
 *   whole file that was renamed to it; no temporary file may be left, and no file
 *   may stay open.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/base.h"
#include "base/hash.h"
#include "tests/faults/runs.h"

static long countdown = -1;
static const char *failed_call; /* NULL: none has failed yet */
static FILE *failed_file;       /* the file to which a write failed */

static bool fails_now(const char *call, int error)
{
  if (fault_is_paused || countdown-- != 1)
    return false;
  failed_call = call;
  errno = error;
  return true;
}

/* ---- Files under their final names ---------------------------------------------------- */

enum { MOST_FILES = 100 };

/* The files of the folder, each with the hash of its bytes when it was put there, which must not change. */
static struct {
  char name[256];
  uint64_t hash;
} files[MOST_FILES];
static size_t num_files;

static uint64_t *hash_of(const char *name)
{
  size_t i = 0;
  while (i < num_files && strcmp(files[i].name, name) != 0)
    i++;
  if (i == num_files) {
    if (i == MOST_FILES)
      abort();
    snprintf(files[num_files++].name, sizeof files[0].name, "%s", name);
  }
  return &files[i].hash;
}

static bool is_seen(const char *name)
{
  for (size_t i = 0; i < num_files; i++)
    if (strcmp(files[i].name, name) == 0)
      return true;
  return false;
}

/* Records the files that are there, or says what is wrong with them. */
static bool look_at_files(bool is_check)
{
  bool good = true;
  DIR *listing = opendir(fault_path(""));
  for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
    if (entry->d_name[0] == '.')
      continue;
    uint64_t hash = fault_hash_file(fault_path(entry->d_name));
    if (!is_check)
      *hash_of(entry->d_name) = hash;
    else if (!is_seen(entry->d_name) || *hash_of(entry->d_name) != hash) {
      printf("    %s is %s\n", entry->d_name,
             strstr(entry->d_name, ".dorm-tmp") ? "left" : "neither the old file nor the new");
      good = false;
      unlink(fault_path(entry->d_name));
    }
  }
  closedir(listing);
  return good;
}

static size_t num_descriptors(void)
{
  size_t count = 0;
  DIR *listing = opendir("/proc/self/fd");
  while (listing && readdir(listing))
    count++;
  if (listing)
    closedir(listing);
  return count;
}

/* ---- The calls ------------------------------------------------------------------------- */

int __real_open(const char *path, int flags, ...);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__real_fdopen(int descriptor, const char *mode);
ssize_t __real_read(int descriptor, void *bytes, size_t size);
size_t __real_fread(void *bytes, size_t size, size_t count, FILE *file);
char *__real_fgets(char *text, int size, FILE *file);
int __real_gzread(gzFile file, void *bytes, unsigned size);
size_t __real_fwrite(const void *bytes, size_t size, size_t count, FILE *file);
int __real_fflush(FILE *file);
int __real_ferror(FILE *file);
int __real_fsync(int descriptor);
int __real_fclose(FILE *file);
int __real_rename(const char *old, const char *new);

#pragma GCC visibility push(default) /* shared libraries call these functions too */
int __wrap_open(const char *path, int flags, ...);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fdopen(int descriptor, const char *mode);
ssize_t __wrap_read(int descriptor, void *bytes, size_t size);
size_t __wrap_fread(void *bytes, size_t size, size_t count, FILE *file);
char *__wrap_fgets(char *text, int size, FILE *file);
int __wrap_gzread(gzFile file, void *bytes, unsigned size);
size_t __wrap_fwrite(const void *bytes, size_t size, size_t count, FILE *file);
int __wrap_fflush(FILE *file);
int __wrap_ferror(FILE *file);
int __wrap_fsync(int descriptor);
int __wrap_fclose(FILE *file);
int __wrap_rename(const char *old, const char *new);
#pragma GCC visibility pop

int __wrap_open(const char *path, int flags, ...)
{
  va_list arguments;
  va_start(arguments, flags);
  int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
  va_end(arguments);
  return fails_now("open", EMFILE) ? -1 : __real_open(path, flags, mode);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
  return fails_now("fopen", EMFILE) ? NULL : __real_fopen(path, mode);
}

FILE *__wrap_fdopen(int descriptor, const char *mode)
{
  return fails_now("fdopen", EMFILE) ? NULL : __real_fdopen(descriptor, mode);
}

ssize_t __wrap_read(int descriptor, void *bytes, size_t size)
{
  return fails_now("read", EIO) ? -1 : __real_read(descriptor, bytes, size);
}

size_t __wrap_fread(void *bytes, size_t size, size_t count, FILE *file)
{
  if (!fails_now("fread", EIO))
    return __real_fread(bytes, size, count, file);
  failed_file = file;
  return 0;
}

char *__wrap_fgets(char *text, int size, FILE *file)
{
  if (!fails_now("fgets", EIO))
    return __real_fgets(text, size, file);
  failed_file = file;
  return NULL;
}

int __wrap_gzread(gzFile file, void *bytes, unsigned size)
{
  return fails_now("gzread", EIO) ? -1 : __real_gzread(file, bytes, size);
}

/* Writes half of the bytes, as on a disk that becomes full. */
size_t __wrap_fwrite(const void *bytes, size_t size, size_t count, FILE *file)
{
  if (!fails_now("fwrite", ENOSPC))
    return __real_fwrite(bytes, size, count, file);
  failed_file = file;
  return __real_fwrite(bytes, size, count / 2, file);
}

int __wrap_fflush(FILE *file)
{
  return fails_now("fflush", ENOSPC) ? EOF : __real_fflush(file);
}

int __wrap_ferror(FILE *file)
{
  return file == failed_file || __real_ferror(file);
}

int __wrap_fsync(int descriptor)
{
  return fails_now("fsync", EIO) ? -1 : __real_fsync(descriptor);
}

int __wrap_fclose(FILE *file)
{
  bool is_failure = fails_now("fclose", EIO);
  int result = __real_fclose(file);
  if (file == failed_file)
    failed_file = NULL;
  if (is_failure)
    errno = EIO;
  return is_failure ? EOF : result;
}

int __wrap_rename(const char *old, const char *new)
{
  if (fails_now("rename", EIO))
    return -1;
  uint64_t hash = fault_hash_file(old);
  int result = __real_rename(old, new);
  if (result == 0)
    *hash_of(strrchr(new, '/') + 1) = hash;
  return result;
}

/* ---- The loop ------------------------------------------------------------------------------ */

/* Compressed data that cannot be read are bad data. */
static bool is_honest(const dorm_context *context, dorm_status status)
{
  bool is_read = strstr(dorm_context_message(context), "cannot read") != NULL;
  return (status == DORM_IO_ERROR && *dorm_context_message(context)) || (is_read && status == DORM_BAD_DATA);
}

static bool check_once(const fault_run *of, long n, uint64_t wanted)
{
  DORM__OWNED(dorm_context) *context = dorm_context_new();
  uint64_t result = DORM__HASH_START;
  num_files = 0;
  look_at_files(false);
  size_t before = num_descriptors();
  failed_call = NULL;
  failed_file = NULL;
  countdown = n;
  dorm_status status = fault_run_once(of, context, &result);
  countdown = -1;
  bool good = status == DORM_OK ? result == wanted : is_honest(context, status);
  good = num_descriptors() == before && good;
  good = look_at_files(true) && good;
  if (!good)
    printf("FAILED: %s, call %ld (%s): status %d, %zu descriptors instead of %zu, message '%s'%s\n", of->name, n,
           failed_call ? failed_call : "none", (int)status, num_descriptors(), before, dorm_context_message(context),
           status == DORM_OK && result != wanted ? ", another result" : "");
  return good;
}

static size_t check_run(const fault_run *of, long step)
{
  enum { MOST_REPORTS = 8 };
  size_t num_bad = 0;
  long n = 1;
  uint64_t wanted = DORM__HASH_START;
  dorm_context *context = dorm_context_new();
  if (fault_run_once(of, context, &wanted) != DORM_OK)
    num_bad = 1;
  dorm_context_free(context);
  do {
    num_bad += !check_once(of, n, wanted);
    n += step;
  } while (failed_call && num_bad < MOST_REPORTS);
  printf("%-18s %6ld calls, every %ld. failed: %s\n", of->name, n - 1 - step, step, num_bad ? "FAILED" : "good");
  return num_bad;
}

int main(int argc, char **argv)
{
  long step = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
  dorm_set_blas_threads(1);
  if (!fault_prepare())
    return 1;
  size_t num_bad = fault_run_all(check_run, step);
  fault_clean();
  return num_bad != 0;
}
