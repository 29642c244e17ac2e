/* file_list.c: one file, the files of a pattern of the shell, or a file for each process. */
#include "data/file_list.h"
#include "base/processes.h"

#include <errno.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void dorm__file_list_clear(dorm__file_list *list)
{
  for (size_t i = 0; list->paths && i < list->count; i++)
    dorm__free(list->paths[i]);
  dorm__free(list->paths);
  dorm__free(list->sizes);
  *list = (dorm__file_list){0};
}

static dorm_status make_room(dorm_context *context, size_t count, dorm__file_list *list)
{
  list->paths = dorm__alloc_zero(count, sizeof *list->paths);
  list->sizes = dorm__alloc_zero(count, sizeof *list->sizes);
  list->count = count;
  return list->paths && list->sizes ? DORM_OK : dorm__out_of_memory(context, "the names of files");
}

/* The path with every %r replaced by the number. NULL when out of memory. */
static char *path_of(const char *path, size_t number)
{
  char digits[24];
  size_t size = (size_t)snprintf(digits, sizeof digits, "%zu", number);
  char *made = dorm__alloc(strlen(path) * sizeof digits / 2 + 1, 1); /* two characters become 20 at most */
  char *to = made;
  while (made && *path) {
    bool is_number = path[0] == '%' && path[1] == 'r';
    memcpy(to, is_number ? digits : path, is_number ? size : 1);
    to += is_number ? size : 1;
    path += is_number ? 2 : 1;
  }
  if (made)
    *to = '\0';
  return made;
}

static dorm_status find_own(dorm_context *context, const char *path, dorm__file_list *list)
{
  dorm_status status = make_room(context, dorm__processes_size(context), list);
  list->is_own_each = true;
  for (size_t i = 0; status == DORM_OK && i < list->count; i++)
    if (!(list->paths[i] = path_of(path, i)))
      status = dorm__out_of_memory(context, "the names of files");
  return status;
}

static dorm_status find_matching(dorm_context *context, const char *path, dorm__file_list *list)
{
  glob_t found = {0};
  int failure = glob(path, GLOB_BRACE, NULL, &found);
  dorm_status status = DORM_OK;
  if (failure == GLOB_NOSPACE)
    status = dorm__out_of_memory(context, "the names of files");
  else if (failure)
    status = dorm__fail(context, DORM_IO_ERROR, "%s: no file matches this pattern", path);
  if (status == DORM_OK)
    status = make_room(context, found.gl_pathc, list);
  for (size_t i = 0; status == DORM_OK && i < list->count; i++)
    if (!(list->paths[i] = dorm__copy_text(found.gl_pathv[i])))
      status = dorm__out_of_memory(context, "the names of files");
  globfree(&found);
  return status;
}

static dorm_status measure(dorm_context *context, size_t i, dorm__file_list *list)
{
  struct stat about;
  const char *path = list->paths[i];
  if (strcmp(path, "-") == 0)
    return dorm__fail(context, DORM_BAD_USAGE, "data.train = -: several processes cannot share standard input");
  if (stat(path, &about) != 0)
    return dorm__fail(context, DORM_IO_ERROR, "%s: cannot read: %s", path, strerror(errno));
  if (!S_ISREG(about.st_mode))
    return dorm__fail(context, DORM_BAD_USAGE, "%s: several processes can share a regular file only", path);
  list->sizes[i] = (uint64_t)about.st_size;
  return DORM_OK;
}

dorm_status dorm__file_list_find(dorm_context *context, const char *path, dorm__file_list *list)
{
  dorm_status status;
  *list = (dorm__file_list){0};
  if (strstr(path, "%r")) {
    status = find_own(context, path, list);
  } else if (access(path, F_OK) != 0 && strpbrk(path, "*?[{")) {
    status = find_matching(context, path, list);
  } else {
    status = make_room(context, 1, list);
    if (status == DORM_OK && !(list->paths[0] = dorm__copy_text(path)))
      status = dorm__out_of_memory(context, "the names of files");
  }
  for (size_t i = 0; status == DORM_OK && i < list->count; i++)
    if (!list->is_own_each || i == dorm__processes_number(context))
      status = measure(context, i, list);
  if (status != DORM_OK)
    dorm__file_list_clear(list);
  return status;
}
