/* settings.h: settings by name. */
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
  DORM_SETTING_INTEGER, /* the same, whole */
  DORM_SETTING_SPEC,    /* a word with an optional argument, as in mu:0.3; `choices` says which */
  DORM_SETTING_PATH     /* a path, whatever its characters; never split into a list */
} dorm_setting_kind;

/* One row of the table that defines every setting. */
typedef struct dorm_setting_info {
  const char *key; /* "section.name" */
  dorm_setting_kind kind;
  int is_list; /* several values, separated by commas, are allowed */
  double min;
  double max;
  const char *choices; /* "a, b, c" for CHOICE and SPEC, else NULL */
  const char *default_text;
  const char *help;
  const char *instead; /* NULL; or, for a setting that only the command obeys, what the library has in its place */
} dorm_setting_info;

/* Row `index` of the table; NULL after the last. */
DORM_API const dorm_setting_info *dorm_setting_info_at(size_t index);

/* Makes settings that all have their defaults. The caller frees them. */
DORM_API dorm_status dorm_settings_new(dorm_context *context, dorm_settings **settings);
/* Frees settings. A training or a model keeps a copy. */
DORM_API void dorm_settings_free(dorm_settings *settings);

/* Reads an INI file; what it sets replaces the present values. An unknown key or
 * a bad value is DORM_BAD_USAGE, and the message names the file, the line and
 * the nearest known key. */
DORM_API dorm_status dorm_settings_read(dorm_context *context, dorm_settings *settings, const char *path);

/* Sets one key ("solver.C") from text ("1, 3, 10"), which is copied. An unknown key or a bad value is DORM_BAD_USAGE;
 * the setting then keeps its value. */
DORM_API dorm_status dorm_settings_set(dorm_context *context, dorm_settings *settings, const char *key,
                                       const char *text);

/* Says that the calling program does itself what settings ask for that only the command obeys (dorm_setting_info has
 * an `instead` for them: data.train, output.model ...). dorm_train then writes them into the model as a record of its
 * making; otherwise it refuses settings in which one of them was given. */
DORM_API void dorm_settings_obey_all(dorm_settings *settings);

/* The text of a setting, as it was given or by default; NULL for an unknown key.
 * It is valid until the setting changes. */
DORM_API const char *dorm_settings_get(const dorm_settings *settings, const char *key);

#ifdef __cplusplus
}
#endif

#endif
