/*
 * settings.c: the values of the settings: checked against the table when they
 * are set, read from an INI file (by libinih, whose only caller this is), and
 * handed out typed. "auto" is a value of its own where it is the default.
 */
#include "settings/settings.h"

#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 1000, LINE_SIZE = 200 }; /* libinih's own line buffer is 200 bytes */

typedef struct setting_value {
  char *text;      /* as given */
  char *parts;     /* the same, cut into words */
  size_t count;    /* 0: auto */
  char **words;    /* [count], into parts */
  double *numbers; /* [count]; for numbers */
  size_t line;     /* of the file being read; 0: not set by it */
} setting_value;

struct dorm_settings {
  setting_value values[DORM__NUM_SETTINGS];
};

static void value_clear(setting_value *value)
{
  dorm__free(value->text);
  dorm__free(value->parts);
  dorm__free(value->words);
  dorm__free(value->numbers);
  *value = (setting_value){0};
}

static bool is_auto(const dorm_setting_info *info, const char *text)
{
  return strcmp(info->default_text, "auto") == 0 && strcmp(text, "auto") == 0;
}

bool dorm__spec_is(const char *word, const char *name, const char **argument)
{
  size_t size = strlen(name);
  if (strncmp(word, name, size) != 0 || (word[size] != '\0' && word[size] != ':'))
    return false;
  if (argument)
    *argument = word[size] == ':' ? word + size + 1 : NULL;
  return true;
}

static dorm_status check_number(dorm_context *context, const dorm_setting_info *info, const char *word,
                                const char *number_text, double *number)
{
  bool whole = info->kind == DORM_SETTING_INTEGER;
  if (!dorm__text_to_double(number_text, number))
    return dorm__fail(context, DORM_BAD_USAGE, "%s: '%s' is not a number", info->key, word);
  if (!(*number >= info->min && *number <= info->max))
    return dorm__fail(context, DORM_BAD_USAGE, "%s: %s is not between %g and %g", info->key, word, info->min,
                      info->max);
  if (whole && *number > DORM__LARGEST_COUNT)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: %s is above %.0f", info->key, word, DORM__LARGEST_COUNT);
  if (whole && *number != (double)(uint64_t)*number)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: %s is not a whole number", info->key, word);
  return DORM_OK;
}

/* A word against "a, b:<number>, c:<path>". */
static dorm_status check_choice(dorm_context *context, const dorm_setting_info *info, const char *word)
{
  for (const char *choice = info->choices; *choice;) {
    size_t size = strcspn(choice, ",");
    size_t name_size = strcspn(choice, ":,");
    const char *form = choice + name_size; /* "", or ":<number>" */
    if (strncmp(word, choice, name_size) == 0 && (word[name_size] == '\0' || word[name_size] == ':')) {
      bool wants_argument = name_size < size;
      bool has_argument = word[name_size] == ':' && word[name_size + 1];
      if (wants_argument != has_argument)
        return dorm__fail(context, DORM_BAD_USAGE, "%s: '%s' %s", info->key, word,
                          wants_argument ? "needs a value behind a colon" : "takes no value");
      double number;
      if (wants_argument && strncmp(form, ":<number>", strlen(":<number>")) == 0)
        return check_number(context, info, word, word + name_size + 1, &number);
      return DORM_OK;
    }
    choice += size;
    choice += strspn(choice, ", ");
  }
  return dorm__fail(context, DORM_BAD_USAGE, "%s: '%s' is none of: %s", info->key, word, info->choices);
}

static dorm_status check_word(dorm_context *context, const dorm_setting_info *info, const char *word, double *number)
{
  switch (info->kind) {
  case DORM_SETTING_TEXT:
    return DORM_OK;
  case DORM_SETTING_CHOICE:
  case DORM_SETTING_SPEC:
    return check_choice(context, info, word);
  case DORM_SETTING_NUMBER:
  case DORM_SETTING_INTEGER:
    return check_number(context, info, word, word, number);
  }
  return DORM_OK;
}

/* Cuts value->parts at commas (when a list) into trimmed words. */
static dorm_status split_words(dorm_context *context, const dorm_setting_info *info, setting_value *value)
{
  size_t most = 1;
  if (info->is_list)
    for (const char *s = value->parts; *s; s++)
      most += *s == ',';
  if (most > MOST_VALUES)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: more than %d values", info->key, MOST_VALUES);
  value->words = dorm__alloc_zero(most, sizeof *value->words);
  value->numbers = dorm__alloc_zero(most, sizeof *value->numbers);
  if (!value->words || !value->numbers)
    return dorm__out_of_memory(context, "a setting");
  char *rest = value->parts;
  while (rest) {
    char *comma = info->is_list ? strchr(rest, ',') : NULL;
    if (comma)
      *comma = '\0';
    char *word = dorm__trim(rest);
    if (!*word && info->kind != DORM_SETTING_TEXT)
      return dorm__fail(context, DORM_BAD_USAGE, "%s: a value is missing in '%s'", info->key, value->text);
    value->words[value->count++] = word;
    rest = comma ? comma + 1 : NULL;
  }
  return DORM_OK;
}

static dorm_status value_set(dorm_context *context, const dorm_setting_info *info, const char *text,
                             setting_value *value)
{
  dorm_status status = DORM_OK;
  setting_value made = {0};
  if (text[strcspn(text, "\n\r")])
    return dorm__fail(context, DORM_BAD_USAGE, "%s: the value holds a line end", info->key);
  made.text = dorm__copy_text(text);
  made.parts = dorm__copy_text(text);
  if (!made.text || !made.parts) {
    status = dorm__out_of_memory(context, "a setting");
    goto done;
  }
  char *trimmed = dorm__trim(made.text);
  memmove(made.text, trimmed, strlen(trimmed) + 1);
  if (!is_auto(info, made.text)) {
    status = split_words(context, info, &made);
    for (size_t i = 0; status == DORM_OK && i < made.count; i++)
      status = check_word(context, info, made.words[i], &made.numbers[i]);
    if (status != DORM_OK)
      goto done;
  }
  value_clear(value);
  *value = made;
  made = (setting_value){0};
done:
  value_clear(&made);
  return status;
}

dorm_status dorm_settings_new(dorm_context *context, dorm_settings **settings)
{
  dorm_status status = DORM_OK;
  *settings = NULL;
  dorm_settings *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "settings");
  for (size_t i = 0; status == DORM_OK && i < DORM__NUM_SETTINGS; i++)
    status = value_set(context, &dorm__setting_table[i], dorm__setting_table[i].default_text, &made->values[i]);
  if (status != DORM_OK)
    dorm_settings_free(made);
  else
    *settings = made;
  return status;
}

void dorm_settings_free(dorm_settings *settings)
{
  if (!settings)
    return;
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++)
    value_clear(&settings->values[i]);
  dorm__free(settings);
}

dorm_status dorm__settings_copy(dorm_context *context, const dorm_settings *settings, dorm_settings **copy)
{
  dorm_status status = dorm_settings_new(context, copy);
  for (size_t i = 0; status == DORM_OK && i < DORM__NUM_SETTINGS; i++)
    status = value_set(context, &dorm__setting_table[i], settings->values[i].text, &(*copy)->values[i]);
  if (status != DORM_OK) {
    dorm_settings_free(*copy);
    *copy = NULL;
  }
  return status;
}

/* The row of a key, or DORM__NUM_SETTINGS. */
static size_t find_key(const char *key)
{
  size_t i = 0;
  while (i < DORM__NUM_SETTINGS && strcmp(dorm__setting_table[i].key, key) != 0)
    i++;
  return i;
}

static dorm_status unknown_key(dorm_context *context, const char *key)
{
  const char *keys[DORM__NUM_SETTINGS];
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++)
    keys[i] = dorm__setting_table[i].key;
  const char *nearest = dorm__nearest_word(key, keys, DORM__NUM_SETTINGS);
  return dorm__fail(context, DORM_BAD_USAGE, "unknown setting '%s'%s%s%s", key, nearest ? "; did you mean '" : "",
                    nearest ? nearest : "", nearest ? "'?" : "");
}

dorm_status dorm_settings_set(dorm_context *context, dorm_settings *settings, const char *key, const char *text)
{
  size_t i = find_key(key);
  if (i == DORM__NUM_SETTINGS)
    return unknown_key(context, key);
  return value_set(context, &dorm__setting_table[i], text, &settings->values[i]);
}

const char *dorm_settings_get(const dorm_settings *settings, const char *key)
{
  size_t i = find_key(key);
  return i == DORM__NUM_SETTINGS ? NULL : settings->values[i].text;
}

/* ---- The file ------------------------------------------------------------ */

typedef struct ini_source {
  dorm_context *context;
  dorm_settings *settings;
  const char *path;
  FILE *file;
  size_t line;
  dorm_status status;
} ini_source;

/* Puts "path:line: " before the message in the context. */
static dorm_status fail_at_line(ini_source *source, dorm_status status)
{
  char message[DORM__MESSAGE_SIZE];
  memcpy(message, source->context->message, sizeof message);
  return dorm__fail(source->context, status, "%s:%zu: %.800s", source->path, source->line, message);
}

/* libinih's fgets: counts lines, refuses what does not fit. */
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

static int set_from_file(void *user, const char *section, const char *name, const char *text)
{
  ini_source *source = user;
  if (source->status != DORM_OK)
    return 1;
  char key[2 * LINE_SIZE];
  snprintf(key, sizeof key, "%s%s%s", section, *section ? "." : "", name);
  size_t i = find_key(key);
  dorm_status status;
  if (i < DORM__NUM_SETTINGS && source->settings->values[i].line)
    status = dorm__fail(source->context, DORM_BAD_USAGE, "%s was already given on line %zu", key,
                        source->settings->values[i].line);
  else
    status = dorm_settings_set(source->context, source->settings, key, text);
  if (status == DORM_OK)
    source->settings->values[i].line = source->line;
  else
    source->status = fail_at_line(source, status);
  return 1;
}

dorm_status dorm_settings_read(dorm_context *context, dorm_settings *settings, const char *path)
{
  ini_source source = {.context = context, .settings = settings, .path = path};
  source.file = fopen(path, "r");
  if (!source.file)
    return dorm__fail(context, DORM_IO_ERROR, "%s: cannot read: %s", path, strerror(errno));
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++)
    settings->values[i].line = 0;
  int bad_line = ini_parse_stream(read_line, &source, set_from_file, &source);
  if (source.status == DORM_OK && ferror(source.file))
    source.status = dorm__fail(context, DORM_IO_ERROR, "%s: cannot read: %s", path, strerror(errno));
  else if (bad_line > 0 && (source.status == DORM_OK || (size_t)bad_line < source.line)) /* the first is the cause */
    source.status =
        dorm__fail(context, DORM_BAD_USAGE, "%s:%d: neither [section], key = value nor a comment", path, bad_line);
  else if (source.status == DORM_OK && bad_line < 0)
    source.status = dorm__out_of_memory(context, "a configuration file");
  fclose(source.file);
  return source.status;
}

/* ---- Typed access ---------------------------------------------------------- */

const char *dorm__settings_text(const dorm_settings *settings, dorm__setting setting)
{
  return settings->values[setting].text;
}

double dorm__settings_number(const dorm_settings *settings, dorm__setting setting)
{
  return settings->values[setting].count ? settings->values[setting].numbers[0] : 0;
}

size_t dorm__settings_integer(const dorm_settings *settings, dorm__setting setting)
{
  return (size_t)dorm__settings_number(settings, setting);
}

bool dorm__settings_is_auto(const dorm_settings *settings, dorm__setting setting)
{
  return settings->values[setting].count == 0;
}

size_t dorm__settings_count(const dorm_settings *settings, dorm__setting setting)
{
  return settings->values[setting].count;
}

const char *dorm__settings_word_at(const dorm_settings *settings, dorm__setting setting, size_t index)
{
  return settings->values[setting].words[index];
}

double dorm__settings_number_at(const dorm_settings *settings, dorm__setting setting, size_t index)
{
  return settings->values[setting].numbers[index];
}
