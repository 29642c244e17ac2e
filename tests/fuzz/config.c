/* config.c: a configuration file. Good settings can be copied, and each text can be set again and stays the same. */
#include "tests/fuzz/fuzz.h"

static void check(dorm_context *context, const dorm_settings *settings)
{
  DORM__OWNED(dorm_settings) *copy = NULL;
  const dorm_setting_info *info;
  fuzz_require_ok(context, dorm__settings_copy(context, settings, &copy), "settings are copied");
  for (size_t i = 0; (info = dorm_setting_info_at(i)) != NULL; i++) {
    const char *text = dorm_settings_get(settings, info->key);
    fuzz_require_ok(context, dorm_settings_set(context, copy, info->key, text), "a setting holds what it was given");
    fuzz_require(strcmp(text, dorm_settings_get(copy, info->key)) == 0, "a copy is the same");
    size_t count = dorm__settings_count(copy, (dorm__setting)i);
    for (size_t k = 0; k < count; k++)
      fuzz_require(dorm__settings_word_at(copy, (dorm__setting)i, k) != NULL &&
                       dorm__settings_number_at(copy, (dorm__setting)i, k) * 0 == 0,
                   "words and numbers of a list");
  }
}

static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  DORM__OWNED(dorm_settings) *settings = fuzz_settings(context, NULL);
  dorm_status status = dorm_settings_read(context, settings, fuzz_write("config", data, size));
  if (fuzz_is_good(context, status))
    check(context, settings);
}

const fuzz_target fuzz_config = {"config", run, 2048};
