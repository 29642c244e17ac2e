/*
 * setting_lines.c: the settings that made a model or a factorisation, as they stand in its file: one line "setting
 * KEY = VALUE" for each of them. Reading skips settings and values that only earlier versions have.
 */
#include "base/file.h"
#include "data/data.h"
#include "models/models.h"
#include "settings/settings.h"
#include <string.h>

void dorm__setting_lines_write(const dorm_settings *settings, dorm__output *output)
{
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++)
    dorm__output_text(output, "setting %s = %s\n", dorm__setting_table[i].key,
                      dorm__settings_text(settings, (dorm__setting)i));
}

dorm_status dorm__setting_line_read(dorm_context *context, const dorm__line_reader *lines, char *text,
                                    dorm_settings *settings)
{
  char *equals = strstr(text, " =");
  if (!equals)
    return dorm__line_reader_fail(context, lines, "'setting' needs a key, '=' and a value");
  *equals = '\0';
  const char *key = dorm__trim(text);
  if (dorm__gone_setting_find(key, equals + 2))
    return DORM_OK;
  dorm_status status = dorm_settings_set(context, settings, key, equals + 2);
  if (status == DORM_OK)
    dorm__settings_mark_record(settings, (dorm__setting)dorm__setting_of_key(key));
  if (status == DORM_OK || status == DORM_OUT_OF_MEMORY)
    return status;
  char message[DORM__MESSAGE_SIZE / 2];
  snprintf(message, sizeof message, "%.500s", dorm_context_message(context));
  return dorm__line_reader_fail(context, lines, "%s", message);
}
