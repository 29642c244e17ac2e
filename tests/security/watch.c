/*
 * watch.c: a library for LD_PRELOAD that writes a line "CALL PATH" to the file DORM_WATCH for each file that a program
 * opens and each library that it loads, before the call is made.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(const char *call, const char *path)
{
  char line[5000];
  int before = errno;
  const char *log = getenv("DORM_WATCH");
  int size = snprintf(line, sizeof line, "%s %s\n", call, path ? path : "");
  long file = log ? syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file >= 0) {
    if (syscall(SYS_write, file, line, (size_t)size) != size)
      abort();
    syscall(SYS_close, file);
  }
  errno = before;
}

static int open_at(int folder, const char *path, int flags, int mode)
{
  note("open", path);
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

/* The mode is an argument only if the call may create a file. */
#define OPENS(name, parameters, folder)                                                                                \
  int name parameters;                                                                                                 \
  int name parameters                                                                                                  \
  {                                                                                                                    \
    va_list arguments;                                                                                                 \
    va_start(arguments, flags);                                                                                        \
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;                                             \
    va_end(arguments);                                                                                                 \
    return open_at(folder, path, flags, mode);                                                                         \
  }
OPENS(open, (const char *path, int flags, ...), AT_FDCWD)
OPENS(open64, (const char *path, int flags, ...), AT_FDCWD)
OPENS(openat, (int folder, const char *path, int flags, ...), folder)
OPENS(openat64, (int folder, const char *path, int flags, ...), folder)

/* The names of open with _FORTIFY_SOURCE. */
int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
  return open_at(AT_FDCWD, path, flags, 0);
}
int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags)
{
  return open_at(AT_FDCWD, path, flags, 0);
}

#define OPENS_STREAM(name)                                                                                             \
  FILE *name(const char *path, const char *mode)                                                                       \
  {                                                                                                                    \
    note("fopen", path);                                                                                               \
    FILE *(*real)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, #name);      \
    return real(path, mode);                                                                                           \
  }
OPENS_STREAM(fopen)
OPENS_STREAM(fopen64)

void *dlopen(const char *path, int flags)
{
  note("dlopen", path);
  void *(*real)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  return real(path, flags);
}
