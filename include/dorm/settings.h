/* settings.h: a set of settings, each of which has a name and a text. */
#ifndef DORM_SETTINGS_H
#define DORM_SETTINGS_H

#include <stddef.h>

#include "dorm/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dorm_settings dorm_settings;

typedef enum dorm_setting_kind {
  DORM_SETTING_TEXT,    /* a free text */
  DORM_SETTING_CHOICE,  /* one of the words in `choices` */
  DORM_SETTING_NUMBER,  /* min <= x <= max */
  DORM_SETTING_INTEGER, /* an integer, min <= x <= max */
  DORM_SETTING_SPEC,    /* a word of `choices` with an optional argument, as in mu:0.3 */
  DORM_SETTING_PATH     /* a path of any characters, never split into a list */
} dorm_setting_kind;

/* One row of the table that defines every setting. */
typedef struct dorm_setting_info {
  const char *key; /* "section.name" */
  dorm_setting_kind kind;
  int is_list; /* 1: several values, separated by commas, are allowed */
  double min;
  double max;
  const char *choices; /* "a, b, c" for CHOICE and SPEC, else NULL */
  const char *default_text;
  const char *help;
  const char *instead; /* if only the `dorm` command obeys the setting: what a program does instead; otherwise NULL */
} dorm_setting_info;

/* Returns row `index` of the table, which is static, or NULL after the last row. */
DORM_API const dorm_setting_info *dorm_setting_info_at(size_t index);

/* Makes settings that all have their defaults. The caller frees them. */
DORM_API dorm_status dorm_settings_new(dorm_context *context, dorm_settings **settings);
/* Frees settings, which may be NULL. Trainings and models have copies of their own, so it may be called before they are
 * freed. */
DORM_API void dorm_settings_free(dorm_settings *settings);

/* Reads an INI file. Its values replace the present values of the same settings. A key that is unknown or given twice,
 * or a bad value, returns DORM_BAD_USAGE. The message names the file and the line, and for an unknown key the nearest
 * known one. The settings of the lines before keep the values of the file. */
DORM_API dorm_status dorm_settings_read(dorm_context *context, dorm_settings *settings, const char *path);

/* Sets the setting `key` ("solver.C") from `text` ("1, 3, 10"), which is copied. An unknown key or a bad value returns
 * DORM_BAD_USAGE, and the setting keeps its value. */
DORM_API dorm_status dorm_settings_set(dorm_context *context, dorm_settings *settings, const char *key,
                                       const char *text);

/* Declares that the calling program handles the settings that otherwise only the `dorm` command obeys (data.train,
 * output.model and all others with an `instead` in dorm_setting_info). dorm_train then records them in the model.
 * Without this call dorm_train refuses settings in which one of them has been set to a value other than its default. */
DORM_API void dorm_settings_obey_all(dorm_settings *settings);

/* Returns the text of a setting, which is its default if it was not set. Returns NULL for an unknown key. The text is
 * valid until the setting changes or the settings are freed. */
DORM_API const char *dorm_settings_get(const dorm_settings *settings, const char *key);

#ifdef __cplusplus
}
#endif

#endif
