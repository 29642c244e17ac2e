/*
 * conventions.c: what `dorm eval` adds to the text of a measure. For TREC runs the conventions of trec_eval, ties=docid
 * and gain=linear, and for random order ties=expected, which goes before what the text says.
 */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const dorm_measure_info *find_measure(const char *text)
{
  size_t size = strcspn(text, "@:");
  for (size_t i = 0; dorm_measure_at(i); i++) {
    const dorm_measure_info *info = dorm_measure_at(i);
    if (strlen(info->name) == size && strncasecmp(info->name, text, size) == 0)
      return info;
  }
  return NULL;
}

static bool has_parameter(const dorm_measure_info *info, const char *name)
{
  for (size_t i = 0; i < info->num_parameters; i++)
    if (strcmp(info->parameters[i].name, name) == 0)
      return true;
  return false;
}

/* Appends "key=value" if the text gives no value to that key. */
static void append_convention(const char *key, const char *value, char *text, size_t size)
{
  char given[16];
  size_t end = strlen(text);
  snprintf(given, sizeof given, "%s=", key);
  if (!strstr(text, given))
    snprintf(text + end, size - end, "%s%s=%s", strchr(text, ':') ? "," : ":", key, value);
}

char *cli_measure_text(const char *measure, const cli_system *system)
{
  enum { ROOM = 64 };
  size_t size = strlen(measure) + ROOM;
  const char *ties = strstr(measure, "ties=");
  char *text = malloc(size);
  if (!text)
    return NULL;
  if (system->is_chance && ties)
    snprintf(text, size, "%.*sties=expected%s", (int)(ties - measure), measure, ties + strcspn(ties, ","));
  else
    snprintf(text, size, "%s", measure);
  const dorm_measure_info *info = find_measure(measure); /* NULL for trec_eval's names, which say it, and for losses */
  if (system->is_chance && (!info || has_parameter(info, "ties")))
    append_convention("ties", "expected", text, size);
  if (system->own_dataset && info && has_parameter(info, "gain"))
    append_convention("gain", "linear", text, size);
  if (system->own_dataset && info && has_parameter(info, "ties"))
    append_convention("ties", "docid", text, size);
  return text;
}

int cli_short_measure(const char *measure)
{
  return (int)(strchr(measure, '(') ? strlen(measure) : strcspn(measure, ":"));
}
