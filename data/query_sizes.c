/*
 * query_sizes.c: how many documents each query of a data file has, where its lines name no query, as LightGBM
 * (`FILE.query`) and XGBoost (`FILE.group`) keep them: one number of documents per line, in the order of the data.
 */
#include "data/data.h"
#include "data/row_store.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Finds FILE.query or FILE.group beside the data, also without the .gz of the data; NULL when there is none, or when
 * *memory_is_out. */
static char *find_sizes_file(const char *data_path, bool *memory_is_out)
{
  static const char *const endings[] = {".query", ".group"};
  size_t size = strlen(data_path);
  bool is_packed = size > 3 && strcmp(data_path + size - 3, ".gz") == 0;
  char *path = dorm__alloc(size + sizeof ".query", 1);
  *memory_is_out = !path;
  for (size_t cut = 0; path && cut <= (is_packed ? 3U : 0U); cut += 3)
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
      snprintf(path, size + sizeof ".query", "%.*s%s", (int)(size - cut), data_path, endings[i]);
      if (access(path, F_OK) == 0)
        return path;
    }
  dorm__free(path);
  return NULL;
}

static const char *skip_blanks(const char *text, const char *end)
{
  while (text < end && (*text == ' ' || *text == '\t'))
    text++;
  return text;
}

static dorm_status read_size(dorm_context *context, const dorm__line_reader *reader, const char *line, const char *end,
                             size_t *capacity, dorm__query_sizes *found)
{
  double size = 0;
  const char *rest = dorm__parse_double(line, end, &size);
  if (!rest || skip_blanks(rest, end) != end || !(size >= 1 && size <= DORM__LARGEST_COUNT) || size != floor(size))
    return dorm__line_reader_fail(context, reader, "the size of a query must be a whole number of 1 or more");
  if (!dorm__grow((void **)&found->sizes, capacity, found->count + 1, sizeof *found->sizes))
    return dorm__out_of_memory(context, "query sizes");
  found->sizes[found->count++] = (size_t)size;
  return DORM_OK;
}

dorm_status dorm__query_sizes_find(dorm_context *context, const char *data_path, dorm__query_sizes *found)
{
  *found = (dorm__query_sizes){0};
  bool memory_is_out = false;
  char *path = find_sizes_file(data_path, &memory_is_out);
  if (!path)
    return memory_is_out ? dorm__out_of_memory(context, "query sizes") : DORM_OK;
  dorm__query_sizes made = {.path = path};
  dorm__line_reader *reader = NULL;
  size_t capacity = 0;
  const char *line = NULL;
  const char *end = NULL;
  dorm_status status = dorm__line_reader_open(context, path, &reader);
  while (status == DORM_OK && (status = dorm__line_reader_next(context, reader, &line, &end)) == DORM_OK && line) {
    line = skip_blanks(line, end);
    if (line < end)
      status = read_size(context, reader, line, end, &capacity, &made);
  }
  dorm__line_reader_close(reader);
  if (status == DORM_OK)
    *found = made;
  else
    dorm__query_sizes_clear(&made);
  return status;
}

void dorm__query_sizes_clear(dorm__query_sizes *found)
{
  dorm__free(found->path);
  dorm__free(found->sizes);
  *found = (dorm__query_sizes){0};
}
