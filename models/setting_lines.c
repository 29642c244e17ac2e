/*
 * setting_lines.c: writes and reads the lines for settings in the file of a model or a factorisation. There is one line
 * "setting KEY = VALUE" for each setting. In models, a line "set KEY ..." names the settings that the user set. The
 * other settings are defaults, or values that replaced "auto". Reading skips settings and values that only earlier
 * versions had, except for two settings that are now part of another one (join_earlier).
 */
#include "models/models.h"
#include "settings/settings.h"
#include <string.h>

void dorm__setting_lines_write(const dorm_settings *settings, dorm__output *output)
{
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++)
    dorm__output_text(output, "setting %s = %s\n", dorm__setting_table[i].key,
                      dorm__settings_text(settings, (dorm__setting)i));
}

/* If a setting of an earlier version is now part of another setting, appends its value to this one. Otherwise does
 * nothing. */
static dorm_status join_earlier(dorm_context *context, const char *key, const char *value, dorm_settings *settings)
{
  static const struct {
    const char *key, *word, *none;
    dorm__setting now;
  } earlier[] = {{"loss.module", "from", "", DORM__LOSS_NAME},
                 {"features.cross_size", "into", "0", DORM__FEATURES_CROSS}};
  for (size_t i = 0; i < sizeof earlier / sizeof *earlier; i++) {
    if (strcmp(key, earlier[i].key) != 0 || strcmp(value, earlier[i].none) == 0)
      continue;
    DORM__FREED char *text =
        dorm__spec_join(dorm__copy_text(dorm__settings_text(settings, earlier[i].now)), earlier[i].word, value);
    return text ? dorm_settings_set(context, settings, dorm__setting_table[earlier[i].now].key, text)
                : dorm__out_of_memory(context, "a setting");
  }
  return DORM_OK;
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
    return join_earlier(context, key, dorm__trim(equals + 2), settings);
  dorm_status status = dorm_settings_set(context, settings, key, equals + 2);
  if (status == DORM_OK)
    dorm__settings_mark_record(settings, (dorm__setting)dorm__setting_of_key(key));
  if (status == DORM_OK || status == DORM_OUT_OF_MEMORY)
    return status;
  char message[DORM__MESSAGE_SIZE / 2];
  snprintf(message, sizeof message, "%.500s", dorm_context_message(context));
  return dorm__line_reader_fail(context, lines, "%s", message);
}

/* ---- Which were set --------------------------------------------------------------------- */

int dorm_model_setting_is_given(const dorm_model *model, const char *key)
{
  size_t setting = model && key ? dorm__setting_of_key(key) : DORM__NUM_SETTINGS;
  return setting < DORM__NUM_SETTINGS && dorm__settings_is_asked(model->settings, (dorm__setting)setting);
}

void dorm__set_line_write(const dorm_settings *settings, dorm__output *output)
{
  dorm__output_text(output, "set");
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++)
    if (dorm__settings_is_asked(settings, (dorm__setting)i))
      dorm__output_text(output, " %s", dorm__setting_table[i].key);
  dorm__output_text(output, "\n");
}

dorm_status dorm__set_line_read(dorm_context *context, const dorm__line_reader *lines, char *text,
                                dorm_settings *settings)
{
  for (size_t i = 0; !text && i < DORM__NUM_SETTINGS; i++)
    if (strcmp(dorm__settings_text(settings, (dorm__setting)i), dorm__setting_table[i].default_text) != 0)
      dorm__settings_mark_asked(settings, (dorm__setting)i);
  char *rest = NULL;
  for (char *key = text ? strtok_r(text, " ", &rest) : NULL; key; key = strtok_r(NULL, " ", &rest)) {
    size_t setting = dorm__setting_of_key(key);
    if (setting < DORM__NUM_SETTINGS)
      dorm__settings_mark_asked(settings, (dorm__setting)setting);
    else if (!dorm__gone_setting_find(key, ""))
      return dorm__line_reader_fail(context, lines, "set '%.40s', which is no setting", key);
  }
  return DORM_OK;
}
