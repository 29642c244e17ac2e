/* spec.c: text that names something with parameters (a loss, a measure, a kernel): `name:key=value,key=value`. The
 * short form `name@10` means `name:truncation=10`. Values are checked against rows of dorm_loss_parameter, which
 * measures and kernels use as well as losses. */
#include "base/spec.h"

#include <math.h>
#include <string.h>

enum { MOST_PAIRS = 100 };

/* Appends a pair. Its texts are borrowed. Fails if the key was already given. */
static dorm_status add_pair(dorm_context *context, const char *what, dorm__spec *spec, const char *key,
                            const char *value)
{
  if (spec->num_pairs == MOST_PAIRS)
    return dorm__fail(context, DORM_BAD_USAGE, "%s '%s': more than %d parameters", what, spec->name, MOST_PAIRS);
  for (size_t i = 0; i < spec->num_pairs; i++)
    if (strcmp(spec->pairs[i].key, key) == 0)
      return dorm__fail(context, DORM_BAD_USAGE, "%s '%s': '%s' is given twice", what, spec->name, key);
  spec->pairs[spec->num_pairs++] = (dorm__spec_pair){key, value};
  return DORM_OK;
}

/* Cuts the value at the beginning of `text` and returns it. *comma is the comma after it, or NULL after the last value.
 * A quoted value may contain commas. Returns NULL if the closing quote is missing. */
static char *take_value(char *text, char **comma)
{
  text += strspn(text, " \t");
  if (*text != '"') {
    *comma = strchr(text, ',');
    if (*comma)
      **comma = '\0';
    return dorm__trim(text);
  }
  char *end = strchr(text + 1, '"');
  if (!end)
    return NULL;
  char *rest = end + 1 + strspn(end + 1, " \t");
  if (*rest && *rest != ',')
    return NULL;
  *end = '\0';
  *comma = *rest ? rest : NULL;
  return text + 1;
}

/* Splits `rest`, the text after the first colon, into pairs, and appends them to the spec. Overwrites `rest`. */
static dorm_status split_pairs(dorm_context *context, const char *what, dorm__spec *spec, char *rest)
{
  dorm_status status = DORM_OK;
  while (status == DORM_OK && rest) {
    char *comma = NULL;
    size_t size = strcspn(rest, "=,");
    if (rest[size] != '=') {
      rest[size] = '\0';
      return dorm__fail(context, DORM_BAD_USAGE, "%s '%s': '%s' is not of the form key=value", what, spec->name,
                        dorm__trim(rest));
    }
    rest[size] = '\0';
    const char *value = take_value(rest + size + 1, &comma);
    if (!value)
      return dorm__fail(context, DORM_BAD_USAGE,
                        "%s '%s': the value of '%s' begins with a quote and does not end with one", what, spec->name,
                        dorm__trim(rest));
    status = add_pair(context, what, spec, dorm__trim(rest), value);
    rest = comma ? comma + 1 : NULL;
  }
  return status;
}

dorm_status dorm__spec_parse(dorm_context *context, const char *what, const char *text, dorm__spec *spec)
{
  dorm_status status = DORM_OK;
  DORM__AT_END(dorm__spec_free) dorm__spec made = {0};
  made.text = dorm__copy_text(text);
  made.pairs = dorm__alloc_zero(MOST_PAIRS, sizeof *made.pairs);
  if (!made.text || !made.pairs)
    return dorm__out_of_memory(context, what);
  char *colon = strchr(made.text, ':');
  if (colon)
    *colon = '\0';
  char *at = strchr(made.text, '@');
  if (at)
    *at = '\0';
  made.name = dorm__trim(made.text);
  if (!*made.name)
    return dorm__fail(context, DORM_BAD_USAGE, "the name of a %s is missing in '%s'", what, text);
  if (at)
    status = add_pair(context, what, &made, "truncation", dorm__trim(at + 1));
  if (status == DORM_OK && colon)
    status = split_pairs(context, what, &made, colon + 1);
  if (status != DORM_OK)
    return status;
  *spec = made;
  made = (dorm__spec){0};
  return status;
}

void dorm__spec_free(dorm__spec *spec)
{
  dorm__free(spec->text);
  dorm__free(spec->pairs);
  *spec = (dorm__spec){0};
}

/* ---- Modules ------------------------------------------------------------------- */

static const char from[] = "from ";

const char *dorm__spec_path(const char *text)
{
  bool is_quoted = false;
  for (const char *at = text; *at; at++) {
    is_quoted = is_quoted != (*at == '"');
    if (!is_quoted && (at == text || at[-1] == ' ') && strncmp(at, from, strlen(from)) == 0)
      return at + strlen(from);
  }
  return NULL;
}

char *dorm__spec_cut_path(char *text)
{
  const char *found = dorm__spec_path(text);
  if (!found)
    return NULL;
  char *path = text + (found - text);
  path[-(ptrdiff_t)strlen(from)] = '\0';
  return dorm__trim(path);
}

dorm_status dorm__spec_parse_of_module(dorm_context *context, const char *what, const char *text, const char *name,
                                       const char *path, dorm__spec *spec)
{
  bool is_named = text[strspn(text, " \t")] != '\0';
  dorm_status status = dorm__spec_parse(context, what, is_named ? text : name, spec);
  if (status == DORM_OK && strcmp(spec->name, name) != 0)
    status = dorm__fail(context, DORM_BAD_USAGE, "%s holds the %s '%s', not '%s'", path, what, name, spec->name);
  return status;
}

char *dorm__spec_join(char *text, const char *word, const char *rest)
{
  if (!text || !rest)
    return text;
  size_t size = strlen(text) + strlen(word) + strlen(rest) + 3;
  char *whole = dorm__alloc(size, 1);
  if (whole)
    snprintf(whole, size, "%s %s %s", text, word, rest);
  dorm__free(text);
  return whole;
}

/* ---- Values ---------------------------------------------------------------------- */

size_t dorm__spec_row(size_t num_rows, const dorm_loss_parameter *rows, const char *key)
{
  size_t i = 0;
  while (i < num_rows && strcmp(rows[i].name, key) != 0)
    i++;
  return i;
}

static dorm_status unknown_key(dorm_context *context, const char *what, const dorm__spec *spec, const char *key,
                               size_t num_rows, const dorm_loss_parameter *rows)
{
  const char *names[MOST_PAIRS] = {NULL};
  char list[400] = "";
  size_t used = 0;
  size_t count = num_rows < MOST_PAIRS ? num_rows : MOST_PAIRS;
  for (size_t i = 0; i < count; i++) {
    names[i] = rows[i].name;
    if (used < sizeof list)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", rows[i].name);
  }
  const char *nearest = dorm__nearest_word(key, names, count);
  if (nearest)
    return dorm__fail(context, DORM_BAD_USAGE, "%s '%s' has no parameter '%s'; did you mean '%s'?", what, spec->name,
                      key, nearest);
  return dorm__fail(context, DORM_BAD_USAGE, "%s '%s' has no parameter '%s'%s%s", what, spec->name, key,
                    count ? "; it has: " : " and takes none", list);
}

/* Whether `word` is one of the choices, which are words separated by commas, as in "exp2, linear". */
static bool is_choice(const char *choices, const char *word)
{
  size_t size = strlen(word);
  for (const char *choice = choices; *choice;) {
    size_t length = strcspn(choice, ",");
    if (length == size && strncmp(choice, word, size) == 0)
      return true;
    choice += length;
    choice += strspn(choice, ", ");
  }
  return false;
}

dorm_status dorm__spec_check(dorm_context *context, const char *what, const char *name, const dorm_loss_parameter *row,
                             const char *text, dorm_loss_value *value)
{
  double number = 0;
  if (!*text && !(row->choices && !*row->choices))
    return dorm__fail(context, DORM_BAD_USAGE, "%s '%s': %s needs a value", what, name, row->name);
  if (row->choices) {
    if (*row->choices && !is_choice(row->choices, text))
      return dorm__fail(context, DORM_BAD_USAGE, "%s '%s': %s=%s is none of: %s", what, name, row->name, text,
                        row->choices);
  } else {
    if (!dorm__text_to_double(text, &number))
      return dorm__fail(context, DORM_BAD_USAGE, "%s '%s': %s=%s is not a number", what, name, row->name, text);
    if (!(number >= row->min && number <= row->max))
      return dorm__fail(context, DORM_BAD_USAGE, "%s '%s': %s=%s is not between %g and %g", what, name, row->name, text,
                        row->min, row->max);
    if (row->is_integer && number != floor(number))
      return dorm__fail(context, DORM_BAD_USAGE, "%s '%s': %s=%s is not a whole number", what, name, row->name, text);
  }
  *value = (dorm_loss_value){.number = number, .text = text};
  return DORM_OK;
}

dorm_status dorm__spec_values(dorm_context *context, const char *what, const dorm__spec *spec, size_t num_rows,
                              const dorm_loss_parameter *rows, dorm_loss_value *values)
{
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < spec->num_pairs; i++)
    if (dorm__spec_row(num_rows, rows, spec->pairs[i].key) == num_rows)
      status = unknown_key(context, what, spec, spec->pairs[i].key, num_rows, rows);
  for (size_t i = 0; status == DORM_OK && i < num_rows; i++) {
    const char *text = rows[i].default_text;
    for (size_t j = 0; j < spec->num_pairs; j++)
      if (strcmp(spec->pairs[j].key, rows[i].name) == 0)
        text = spec->pairs[j].value;
    status = dorm__spec_check(context, what, spec->name, &rows[i], text, &values[i]);
  }
  return status;
}

void dorm__spec_store(size_t num_rows, const dorm_loss_parameter *rows, const dorm_loss_value *values,
                      size_t num_places, const dorm__spec_place *places)
{
  for (size_t k = 0; k < num_places; k++) {
    size_t i = dorm__spec_row(num_rows, rows, places[k].name);
    if (i < num_rows && places[k].number)
      *places[k].number = values[i].number;
    else if (i < num_rows)
      *places[k].flag = strcmp(values[i].text, places[k].word) == 0;
  }
}

char *dorm__spec_text(const char *name, size_t num_rows, const dorm_loss_parameter *rows, const dorm_loss_value *values)
{
  size_t size = strlen(name) + 2;
  for (size_t i = 0; i < num_rows; i++)
    size += strlen(rows[i].name) + strlen(values[i].text) + strlen(":=\"\"");
  char *text = dorm__alloc(size, 1);
  if (!text)
    return NULL;
  size_t used = (size_t)snprintf(text, size, "%s", name);
  for (size_t i = 0; i < num_rows; i++) {
    const char *quote = strchr(values[i].text, ',') ? "\"" : "";
    used += (size_t)snprintf(text + used, size - used, "%c%s=%s%s%s", i ? ',' : ':', rows[i].name, quote,
                             values[i].text, quote);
  }
  return text;
}

/* ---- Id ranges --------------------------------------------------------------------------------- */

/* Sets of feature ids, written as in "1-20, 33, 40-46". */

void dorm__id_ranges_clear(dorm__id_ranges *ranges)
{
  dorm__free(ranges->items);
  *ranges = (dorm__id_ranges){0};
}

/* Reads an integer. Moves *text past it and the blanks after it. Returns false if there is none or it is too large. */
static bool read_id(const char **text, size_t *id)
{
  const char *s = *text + strspn(*text, " \t");
  *id = 0;
  if (*s < '0' || *s > '9')
    return false;
  for (; *s >= '0' && *s <= '9'; s++) {
    if (*id > (SIZE_MAX - 9) / 10)
      return false;
    *id = *id * 10 + (size_t)(*s - '0');
  }
  *text = s + strspn(s, " \t");
  return true;
}

dorm_status dorm__id_ranges_parse(dorm_context *context, const char *what, const char *text, dorm__id_ranges *ranges)
{
  DORM__AT_END(dorm__id_ranges_clear) dorm__id_ranges made = {0};
  *ranges = made;
  const char *s = text + strspn(text, " \t");
  while (*s) {
    dorm__id_range range;
    bool is_good = read_id(&s, &range.first);
    range.last = range.first;
    if (is_good && *s == '-') {
      s++;
      is_good = read_id(&s, &range.last) && range.last >= range.first;
    }
    if (!is_good || (*s && (*s != ',' || !s[1 + strspn(s + 1, " \t")])))
      return dorm__fail(context, DORM_BAD_USAGE, "%s: '%s' is no list of feature ids such as 1-20, 33", what, text);
    s += *s == ',';
    if (!DORM__GROW(made.items, made.capacity, made.count + 1))
      return dorm__out_of_memory(context, "a list of feature ids");
    made.items[made.count++] = range;
  }
  *ranges = made;
  made = (dorm__id_ranges){0};
  return DORM_OK;
}

bool dorm__id_ranges_hold(const dorm__id_ranges *ranges, size_t id)
{
  for (size_t i = 0; i < ranges->count; i++)
    if (id >= ranges->items[i].first && id <= ranges->items[i].last)
      return true;
  return false;
}
