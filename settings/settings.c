/* settings.c: the values of the settings. Checks them against the table when they are set, and returns them as numbers,
 * indices of choices, or texts. "auto" is a separate value if it is the default. */
#include "settings/settings.h"

#include <string.h>

enum { MOST_VALUES = 1000 };

/* One word of a value. */
typedef struct setting_word {
  char *text;    /* points into `parts` of its value */
  double number; /* of a number, or of an argument <number> */
  size_t choice; /* the index of its form ("b:<number>") among the choices */
  bool has_path; /* its argument is a <path> */
} setting_word;

typedef struct setting_value {
  char *text;   /* as given */
  char *parts;  /* a copy of the text, split into words */
  size_t count; /* number of words, 0 for auto */
  setting_word *words;
  bool is_given;  /* by dorm_settings_set, even to the default */
  bool is_record; /* read from a model file */
  bool is_asked;  /* by the user (dorm__settings_become does not change this) */
} setting_value;

struct dorm_settings {
  setting_value values[DORM__NUM_SETTINGS];
  bool obeys_all; /* the program obeys the settings of the command */
};

static void value_clear(setting_value *value)
{
  dorm__free(value->text);
  dorm__free(value->parts);
  dorm__free(value->words);
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

/* Finds the choice whose name `text` begins with among "a, b:<number>, c:<path>". Returns the rest after that name in
 * `choices`, from the colon if there is one, or NULL if no choice fits. Sets *index and the length *name_size of its
 * name. */
static const char *find_choice(const char *choices, const char *text, size_t *index, size_t *name_size)
{
  *index = 0;
  for (const char *choice = choices; *choice; ++*index) {
    size_t size = strcspn(choice, ":,");
    *name_size = size;
    if (strncmp(text, choice, size) == 0 && (text[size] == '\0' || text[size] == ':'))
      return choice + size;
    choice += strcspn(choice, ",");
    choice += strspn(choice, ", ");
  }
  return NULL;
}

static bool starts_with(const char *text, const char *start)
{
  return strncmp(text, start, strlen(start)) == 0;
}

/* Removes the quotes around a path, if any. */
static dorm_status unquote(dorm_context *context, const dorm_setting_info *info, char *path)
{
  size_t size = strlen(path);
  if (*path != '"')
    return DORM_OK;
  if (size < 3 || path[size - 1] != '"')
    return dorm__fail(context, DORM_BAD_USAGE, "%s: the quotes of %s do not enclose a path", info->key, path);
  memmove(path, path + 1, size - 2);
  path[size - 2] = '\0';
  return DORM_OK;
}

/* dorm's settings for words of other programs (keys without section, and values). */
static const struct {
  const char *ours, *words; /* separated by blanks */
} foreign[] = {
    {"trees.leaves", "num_leaves max_leaves max_depth"},
    {"trees.trees", "n_estimators num_iterations num_boost_round num_trees"},
    {"trees.learning_rate", "eta shrinkage"},
    {"trees.min_docs_in_leaf", "min_data_in_leaf min_child_samples min_child_weight"},
    {"trees.bins", "max_bin"},
    {"trees.l2", "lambda_l2 reg_lambda"},
    {"trees.row_share", "subsample bagging_fraction"},
    {"trees.feature_share", "colsample_bytree feature_fraction"},
    {"training.patience", "early_stopping_rounds early_stopping_round"},
    {"selection.measure", "metric eval_metric"},
    {"training.seed", "random_state"},
    {"solver.threads", "n_jobs nthread num_threads"},
    {"the option --verbose", "verbose verbosity"},
    {"the option --query, or qid: in the data", "query group"},
    {"the option --label", "label"},
    {"trees", "lambdamart gbdt gbrt mart lightgbm xgboost"},
    {"net, or trees for LambdaMART", "lambdarank ranknet"},
    {"svm", "linear ranksvm"},
};

/* dorm's setting for this word, or NULL. */
static const char *ours_of(const char *word)
{
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    for (const char *s = foreign[i].words; *s; s += strcspn(s, " "), s += strspn(s, " "))
      if (strcspn(s, " ") == strlen(word) && strncmp(s, word, strlen(word)) == 0)
        return foreign[i].ours;
  return NULL;
}

static dorm_status check_choice(dorm_context *context, const dorm_setting_info *info, setting_word *word)
{
  size_t name_size;
  char *text = word->text;
  const char *form = find_choice(info->choices, text, &word->choice, &name_size);
  if (!form) {
    const char *ours = ours_of(text);
    return dorm__fail(context, DORM_BAD_USAGE, "%s: '%s' is none of: %s%s%s", info->key, text, info->choices,
                      ours ? "; dorm has " : "",
                      ours                                                ? ours
                      : info->is_list && strstr(info->choices, ":<path>") ? " (quote a path with a comma, file:\"a,b\")"
                                                                          : "");
  }
  bool wants_argument = *form == ':';
  bool has_argument = text[name_size] == ':' && text[name_size + 1];
  if (wants_argument != has_argument)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: '%s' %s", info->key, text,
                      wants_argument ? "needs a value after a colon" : "takes no value");
  if (starts_with(form, ":<number>"))
    return check_number(context, info, text, text + name_size + 1, &word->number);
  word->has_path = starts_with(form, ":<path>");
  return word->has_path ? unquote(context, info, text + name_size + 1) : DORM_OK;
}

static dorm_status check_word(dorm_context *context, const dorm_setting_info *info, setting_word *word)
{
  if (info->kind == DORM_SETTING_CHOICE || info->kind == DORM_SETTING_SPEC)
    return check_choice(context, info, word);
  if (info->kind == DORM_SETTING_NUMBER || info->kind == DORM_SETTING_INTEGER)
    return check_number(context, info, word->text, word->text, &word->number);
  word->has_path = info->kind == DORM_SETTING_PATH && *word->text;
  return DORM_OK;
}

/* Finds the comma that ends the word at `text`, or NULL at the end of the list. Skips commas in quoted arguments, as in
 * file:"a, b.txt". */
static char *find_comma(char *text)
{
  bool is_quoted = false;
  for (char *s = text; *s; s++) {
    if (*s == '"' && (is_quoted || (s > text && s[-1] == ':')))
      is_quoted = !is_quoted;
    if (*s == ',' && !is_quoted)
      return s;
  }
  return NULL;
}

/* Splits value->parts into trimmed words, at commas if it is a list. */
static dorm_status split_words(dorm_context *context, const dorm_setting_info *info, setting_value *value)
{
  size_t most = 1;
  if (info->is_list)
    for (const char *s = value->parts; *s; s++)
      most += *s == ',';
  if (most > MOST_VALUES)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: more than %d values", info->key, MOST_VALUES);
  value->words = dorm__alloc_zero(most, sizeof *value->words);
  if (!value->words)
    return dorm__out_of_memory(context, "a setting");
  char *rest = value->parts;
  while (rest) {
    char *comma = info->is_list ? find_comma(rest) : NULL;
    if (comma)
      *comma = '\0';
    char *word = dorm__trim(rest);
    if (!*word && info->kind != DORM_SETTING_TEXT && info->kind != DORM_SETTING_PATH)
      return dorm__fail(context, DORM_BAD_USAGE, "%s: a value is missing in '%s'", info->key, value->text);
    value->words[value->count++].text = word;
    rest = comma ? comma + 1 : NULL;
  }
  return DORM_OK;
}

static dorm_status value_set(dorm_context *context, const dorm_setting_info *info, const char *text,
                             setting_value *value)
{
  DORM__AT_END(value_clear) setting_value made = {0};
  if (text[strcspn(text, "\n\r")])
    return dorm__fail(context, DORM_BAD_USAGE, "%s: the value holds a line end", info->key);
  made.text = dorm__copy_text(text);
  made.parts = dorm__copy_text(text);
  if (!made.text || !made.parts)
    return dorm__out_of_memory(context, "a setting");
  char *trimmed = dorm__trim(made.text);
  memmove(made.text, trimmed, strlen(trimmed) + 1);
  dorm_status status = is_auto(info, made.text) ? DORM_OK : split_words(context, info, &made);
  for (size_t i = 0; status == DORM_OK && i < made.count; i++)
    status = check_word(context, info, &made.words[i]);
  if (status != DORM_OK)
    return status;
  value_clear(value);
  *value = made;
  made = (setting_value){0};
  return DORM_OK;
}

dorm_status dorm_settings_new(dorm_context *context, dorm_settings **settings)
{
  if (DORM__LACKS(context, DORM__RESULT(settings)))
    return DORM_BAD_USAGE;
  dorm_status status = DORM_OK;
  *settings = NULL;
  dorm_settings *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "settings");
  for (size_t i = 0; status == DORM_OK && i < DORM__NUM_SETTINGS; i++)
    status = value_set(context, &dorm__setting_table[i], dorm__setting_table[i].default_text, &made->values[i]);
  return DORM__GIVE(status, settings, made, dorm_settings_free);
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
  *copy = NULL;
  dorm_settings *made = NULL;
  dorm_status status = dorm_settings_new(context, &made);
  for (size_t i = 0; status == DORM_OK && i < DORM__NUM_SETTINGS; i++) {
    const setting_value *value = &settings->values[i];
    status = value_set(context, &dorm__setting_table[i], value->text, &made->values[i]);
    made->values[i].is_given = value->is_given;
    made->values[i].is_record = value->is_record;
    made->values[i].is_asked = value->is_asked;
  }
  return DORM__GIVE(status, copy, made, dorm_settings_free);
}

dorm_status dorm__settings_become(dorm_context *context, dorm_settings *settings, dorm__setting setting,
                                  const char *text)
{
  setting_value *value = &settings->values[setting];
  dorm_status status = value_set(context, &dorm__setting_table[setting], text, value);
  value->is_given = value->is_given || status == DORM_OK;
  return status;
}

/* ---- Settings in a model file ------------------------------------------------ */

void dorm__settings_mark_record(dorm_settings *settings, dorm__setting setting)
{
  settings->values[setting].is_record = true;
  settings->values[setting].is_asked = false;
}

void dorm__settings_mark_asked(dorm_settings *settings, dorm__setting setting)
{
  settings->values[setting].is_asked = true;
}

bool dorm__settings_is_asked(const dorm_settings *settings, dorm__setting setting)
{
  return settings->values[setting].is_asked;
}

/* Returns whether the text of a setting names a loss, measure, lambda-function or kernel, which may have a file. */
static bool is_spec(dorm__setting setting)
{
  static const dorm__setting specs[] = {DORM__LOSS_NAME, DORM__SELECTION_MEASURE, DORM__TRAINING_LAMBDA,
                                        DORM__SMOOTH_COST, DORM__KERNEL_KERNEL};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
    if (specs[i] == setting)
      return true;
  return false;
}

/* Whether a value names a file. In the text of a loss, measure, lambda-function or kernel, each path follows one of
 * three words: "x from PATH", "cost:file=PATH", "gram:PATH(1)". */
static bool names_file(dorm__setting setting, const setting_value *value)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  static const char *const words[] = {"from", "file", "gram"};
  for (size_t i = 0; i < value->count; i++)
    if (value->words[i].has_path)
      return true;
  for (const char *at = value->text; is_spec(setting) && *at;) {
    size_t size = strspn(at, letters);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      if (size == strlen(words[i]) && strncmp(at, words[i], size) == 0)
        return true;
    at += size ? size : 1;
  }
  return false;
}

dorm_status dorm__settings_copy_usable(dorm_context *context, const dorm_settings *settings, dorm_settings **copy)
{
  dorm_settings *made = NULL;
  *copy = NULL;
  dorm_status status = dorm__settings_copy(context, settings, &made);
  for (size_t i = 0; status == DORM_OK && i < DORM__NUM_SETTINGS; i++) {
    const dorm_setting_info *info = &dorm__setting_table[i];
    setting_value *value = &made->values[i];
    if (!value->is_record || !names_file((dorm__setting)i, value))
      continue;
    status = value_set(context, info, info->default_text, value);
    value->is_given = false;
  }
  return DORM__GIVE(status, copy, made, dorm_settings_free);
}

dorm_status dorm__settings_replace(dorm_context *context, const dorm_settings *given, dorm_settings *settings)
{
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < DORM__NUM_SETTINGS; i++)
    if (given->values[i].is_given)
      status = dorm_settings_set(context, settings, dorm__setting_table[i].key, given->values[i].text);
  return status;
}

/* Fails for a name without its section, such as "C". The message names the possible keys, "solver.C". Returns DORM_OK
 * if no key has this name. */
static dorm_status without_section(dorm_context *context, const char *name)
{
  char keys[400] = "";
  size_t size = 0;
  for (size_t i = 0; i < DORM__NUM_SETTINGS && size < sizeof keys; i++) {
    const char *key = dorm__setting_table[i].key;
    if (strcmp(strchr(key, '.') + 1, name) == 0)
      size += (size_t)snprintf(keys + size, sizeof keys - size, "%s'%s'", size ? " or " : "", key);
  }
  return size ? dorm__fail(context, DORM_BAD_USAGE, "unknown setting '%s'; did you mean %s?", name, keys) : DORM_OK;
}

static dorm_status unknown_key(dorm_context *context, const char *key)
{
  const char *keys[DORM__NUM_SETTINGS];
  dorm_status status = without_section(context, key);
  if (status != DORM_OK)
    return status;
  const char *point = strchr(key, '.'), *ours = ours_of(point ? point + 1 : key);
  if (ours)
    return dorm__fail(context, DORM_BAD_USAGE, "unknown setting '%s'; dorm has %s", key, ours);
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++)
    keys[i] = dorm__setting_table[i].key;
  return dorm__fail_unknown(context, "setting", key, keys, DORM__NUM_SETTINGS);
}

dorm_status dorm_settings_set(dorm_context *context, dorm_settings *settings, const char *key, const char *text)
{
  if (DORM__LACKS(context, DORM__GIVEN(settings), DORM__GIVEN(key), DORM__GIVEN(text)))
    return DORM_BAD_USAGE;
  const dorm__gone_setting *gone = dorm__gone_setting_find(key, text);
  if (gone)
    return dorm__fail(context, DORM_BAD_USAGE, "%s%s%s is gone: %s", key, gone->word ? " = " : "",
                      gone->word ? gone->word : "", gone->instead);
  size_t i = dorm__setting_of_key(key);
  if (i == DORM__NUM_SETTINGS)
    return unknown_key(context, key);
  dorm_status status = dorm__settings_become(context, settings, (dorm__setting)i, text);
  settings->values[i].is_asked = settings->values[i].is_asked || status == DORM_OK;
  return status;
}

void dorm_settings_obey_all(dorm_settings *settings)
{
  if (settings)
    settings->obeys_all = true;
}

dorm_status dorm__settings_check_obeyed(dorm_context *context, const dorm_settings *settings)
{
  for (size_t i = 0; !settings->obeys_all && i < DORM__NUM_SETTINGS; i++) {
    const dorm_setting_info *info = &dorm__setting_table[i];
    const setting_value *value = &settings->values[i];
    bool says_none = info->kind == DORM_SETTING_PATH ? !*value->text : strcmp(value->text, info->default_text) == 0;
    if (info->instead && value->is_given && !says_none)
      return dorm__fail(context, DORM_BAD_USAGE, "%s = %s: this setting is for the command; in the library, %s",
                        info->key, value->text, info->instead);
  }
  return DORM_OK;
}

const char *dorm_settings_get(const dorm_settings *settings, const char *key)
{
  size_t i = settings && key ? dorm__setting_of_key(key) : DORM__NUM_SETTINGS;
  return i == DORM__NUM_SETTINGS ? NULL : settings->values[i].text;
}

/* ---- Typed access ---------------------------------------------------------- */

const char *dorm__settings_text(const dorm_settings *settings, dorm__setting setting)
{
  return settings->values[setting].text;
}

double dorm__settings_number(const dorm_settings *settings, dorm__setting setting)
{
  return settings->values[setting].count ? settings->values[setting].words[0].number : 0;
}

size_t dorm__settings_integer(const dorm_settings *settings, dorm__setting setting)
{
  return (size_t)dorm__settings_number(settings, setting);
}

bool dorm__settings_is_given(const dorm_settings *settings, dorm__setting setting)
{
  return settings->values[setting].is_given;
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
  return settings->values[setting].words[index].text;
}

double dorm__settings_number_at(const dorm_settings *settings, dorm__setting setting, size_t index)
{
  return settings->values[setting].words[index].number;
}

size_t dorm__settings_choice(const dorm_settings *settings, dorm__setting setting)
{
  size_t index, name_size;
  if (settings->values[setting].count)
    return settings->values[setting].words[0].choice;
  return find_choice(dorm__setting_table[setting].choices, "auto", &index, &name_size) ? index : SIZE_MAX;
}

bool dorm__settings_say_yes(const dorm_settings *settings, dorm__setting setting, size_t index)
{
  return strcmp(dorm__settings_word_at(settings, setting, index), "yes") == 0;
}

const char *dorm__settings_argument_at(const dorm_settings *settings, dorm__setting setting, size_t index)
{
  const char *colon = strchr(settings->values[setting].words[index].text, ':');
  return colon ? colon + 1 : NULL;
}

dorm_status dorm__settings_each_path(const dorm_settings *settings, dorm__settings_take_path take, void *user)
{
  dorm_status status = DORM_OK;
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++)
    for (size_t k = 0; status == DORM_OK && k < settings->values[i].count; k++) {
      const setting_word *word = &settings->values[i].words[k];
      bool is_whole = dorm__setting_table[i].kind == DORM_SETTING_PATH;
      if (word->has_path)
        status = take(user, (dorm__setting)i, is_whole ? word->text : strchr(word->text, ':') + 1);
    }
  return status;
}
