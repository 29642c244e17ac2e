/* ini_file.c: reads settings from a configuration file,
 *
 *   [section]
 *   key = value    ; a comment, or # a comment
 *
 * by libinih, which no other file calls. Messages for a bad line or value name the file and the line. */
#include "base/file.h"
#include "settings/settings.h"

#include <errno.h>
#include <ini.h>
#include <string.h>

enum { LINE_SIZE = 200 }; /* size of libinih's line buffer */

typedef struct ini_source {
  dorm_context *context;
  dorm_settings *settings;
  const char *path;
  FILE *file;
  size_t line;                      /* number of the line that was read last, from 1 */
  size_t lines[DORM__NUM_SETTINGS]; /* number of the line that set a setting, or 0 if none has */
  dorm_status status;
} ini_source;

/* Puts "path:line: " before the message of the context. Returns `status`. */
static dorm_status fail_at_line(const ini_source *source, dorm_status status)
{
  return dorm__fail_within(source->context, status, "%s:%zu", source->path, source->line);
}

/* Replaces libinih's fgets: counts lines, and rejects lines longer than its buffer. */
static char *read_line(char *text, int size, void *user)
{
  ini_source *source = user;
  if (source->status != DORM_OK || !fgets(text, size, source->file))
    return NULL;
  source->line++;
  if (!strchr(text, '\n') && !feof(source->file)) {
    dorm__fail(source->context, DORM_BAD_USAGE, "line longer than %d characters", size - 2);
    source->status = fail_at_line(source, DORM_BAD_USAGE);
    return NULL;
  }
  return text;
}

/* Removes a comment that begins with # at the beginning of the value or after a blank. libinih itself removes comments
 * that begin with a semicolon. */
static void cut_comment(char *value)
{
  for (char *s = value; *s; s++)
    if (*s == '#' && (s == value || s[-1] == ' ' || s[-1] == '\t')) {
      *s = '\0';
      return;
    }
}

/* Receives one setting from libinih. Always returns 1, so that libinih reports only lines that it cannot parse. */
static int set_from_file(void *user, const char *section, const char *name, const char *text)
{
  ini_source *source = user;
  if (source->status != DORM_OK)
    return 1;
  char key[2 * LINE_SIZE];
  char value[LINE_SIZE];
  snprintf(value, sizeof value, "%s", text);
  cut_comment(value);
  snprintf(key, sizeof key, "%s%s%s", section, *section ? "." : "", name);
  size_t i = dorm__setting_of_key(key);
  dorm_status status;
  if (i < DORM__NUM_SETTINGS && source->lines[i])
    status = dorm__fail(source->context, DORM_BAD_USAGE, "%s was already given on line %zu", key, source->lines[i]);
  else
    status = dorm_settings_set(source->context, source->settings, key, value);
  if (status == DORM_OK)
    source->lines[i] = source->line;
  else
    source->status = fail_at_line(source, status);
  return 1;
}

dorm_status dorm_settings_read(dorm_context *context, dorm_settings *settings, const char *path)
{
  if (DORM__LACKS(context, DORM__GIVEN(settings), DORM__GIVEN(path)))
    return DORM_BAD_USAGE;
  dorm_status status = dorm__input_add(context, path);
  if (status != DORM_OK)
    return status;
  ini_source source = {.context = context, .settings = settings, .path = path};
  source.file = fopen(path, "r");
  if (!source.file)
    return dorm__fail(context, DORM_IO_ERROR, "%s: cannot read: %s", path, strerror(errno));
  int bad_line = ini_parse_stream(read_line, &source, set_from_file, &source);
  if (source.status == DORM_OK && ferror(source.file))
    source.status = dorm__fail(context, DORM_IO_ERROR, "%s: cannot read: %s", path, strerror(errno));
  else if (bad_line > 0 &&
           (source.status == DORM_OK || (size_t)bad_line < source.line)) /* of two bad lines, reports the first */
    source.status =
        dorm__fail(context, DORM_BAD_USAGE, "%s:%d: neither [section], key = value nor a comment", path, bad_line);
  else if (source.status == DORM_OK && bad_line < 0)
    source.status = dorm__out_of_memory(context, "a configuration file");
  fclose(source.file);
  return source.status;
}
