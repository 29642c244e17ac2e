/* inputs.c: a list of the files that a context has read, by device and inode. */
#include "base/inputs.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
  return strcmp(one, two) == 0 || (look(one, &first) && look(two, &second) && first.st_dev == second.st_dev &&
                                   first.st_ino == second.st_ino);
}

/* The place of a file in the list, or the end of the list. */
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

void dorm__inputs_free(dorm_context *context)
{
  while (context->inputs) {
    dorm__input *next = context->inputs->next;
    dorm__free(context->inputs);
    context->inputs = next;
  }
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
