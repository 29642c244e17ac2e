/* json.c: reads JSON, and writes texts (RFC 8259: escapes, UTF-8). No other file of the library calls jansson.
 * dorm__format_double writes numbers in the fewest digits that read back as the same number. */
#include "base/json.h"
#include "base/file.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

dorm__json dorm__json_on(dorm__output *output)
{
  return (dorm__json){.output = output};
}

/* Writes bytes. Within a quoted string, escapes quotation marks and backslashes. */
static void put(const dorm__json *json, const char *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    if (json->is_quoted && (bytes[i] == '"' || bytes[i] == '\\'))
      dorm__output_bytes(json->output, "\\", 1);
    dorm__output_bytes(json->output, &bytes[i], 1);
  }
}

static void put_text(const dorm__json *json, const char *text)
{
  put(json, text, strlen(text));
}

static void new_line(const dorm__json *json)
{
  put_text(json, "\n");
  for (size_t i = 0; i < json->depth; i++)
    put_text(json, "  ");
}

static bool is_inline(const dorm__json *json)
{
  return json->is_quoted || (json->depth && json->levels[json->depth - 1].is_inline);
}

static int put_part(const char *bytes, size_t size, void *user)
{
  put(user, bytes, size);
  return 0;
}

static void put_string(dorm__json *json, const char *text)
{
  json_t *string = json_string(text);
  if (!string || json_dump_callback(string, put_part, json, JSON_ENCODE_ANY) != 0)
    json->is_bad = true;
  json_decref(string);
}

/* Writes the text between this member and the previous one, and the key unless it is NULL. */
static void start_member(dorm__json *json, const char *key)
{
  bool is_alone = json->is_first || !json->depth;
  bool follows = !is_alone && json->levels[json->depth - 1].count++ > 0;
  json->is_first = false;
  put_text(json, follows ? "," : "");
  if (!is_alone && !is_inline(json))
    new_line(json);
  else if (follows)
    put_text(json, " ");
  if (key) {
    put_string(json, key);
    put_text(json, ": ");
  }
}

void dorm__json_begin(dorm__json *json, const char *key, char bracket, bool on_one_line)
{
  start_member(json, key);
  bool is_inside = is_inline(json);
  put(json, &bracket, 1);
  if (json->depth == DORM__JSON_DEEPEST) { /* no caller nests so deeply */
    json->is_bad = true;
    return;
  }
  json->levels[json->depth].end = bracket == '{' ? '}' : ']';
  json->levels[json->depth].is_inline = on_one_line || is_inside;
  json->levels[json->depth++].count = 0;
}

void dorm__json_end(dorm__json *json)
{
  bool is_broken = !is_inline(json) && json->levels[json->depth - 1].count;
  json->depth--;
  if (is_broken)
    new_line(json);
  put(json, &json->levels[json->depth].end, 1);
}

void dorm__json_text(dorm__json *json, const char *key, const char *text)
{
  start_member(json, key);
  put_string(json, text);
}

void dorm__json_number(dorm__json *json, const char *key, double value)
{
  char buffer[DORM__NUMBER_SIZE];
  start_member(json, key);
  put_text(json, isfinite(value) ? dorm__format_double(buffer, value) : "null");
}

void dorm__json_float(dorm__json *json, const char *key, float value)
{
  char buffer[DORM__NUMBER_SIZE];
  const char *text = isfinite(value) ? dorm__format_float(buffer, value) : "null";
  start_member(json, key);
  put_text(json, text);
  if (!strpbrk(text, ".en"))
    put_text(json, ".0");
}

void dorm__json_whole(dorm__json *json, const char *key, size_t value)
{
  char buffer[DORM__NUMBER_SIZE];
  start_member(json, key);
  snprintf(buffer, sizeof buffer, "%zu", value);
  put_text(json, buffer);
}

void dorm__json_begin_quoted(dorm__json *json, const char *key)
{
  start_member(json, key);
  put_text(json, "\"");
  json->is_quoted = true;
  json->is_first = true;
}

void dorm__json_end_quoted(dorm__json *json)
{
  json->is_quoted = false;
  put_text(json, "\"");
}

dorm_status dorm__json_finish(dorm_context *context, dorm__json *json)
{
  put_text(json, "\n");
  return json->is_bad ? dorm__fail(context, DORM_BAD_DATA, "a text that JSON is to hold is not UTF-8") : DORM_OK;
}

/* Returns a string, or the member "id" of an object. */
static const char *id_of(const json_t *item)
{
  return json_string_value(json_is_object(item) ? json_object_get(item, "id") : item);
}

dorm_status dorm__json_ids(const char *begin, const char *end, dorm_status (*take)(void *user, const char *id),
                           void *user, char why[DORM__JSON_WHY])
{
  json_error_t error;
  json_t *object = json_loadb(begin, (size_t)(end - begin), 0, &error);
  const json_t *ids = json_object_get(object, "ids");
  dorm_status status = DORM_OK;
  why[0] = '\0';
  if (!object)
    snprintf(why, DORM__JSON_WHY, "not JSON: %s", error.text);
  else if (!json_is_array(ids))
    snprintf(why, DORM__JSON_WHY, "a group needs a list \"ids\"");
  for (size_t i = 0; status == DORM_OK && !*why && i < json_array_size(ids); i++) {
    const char *id = id_of(json_array_get(ids, i));
    if (id)
      status = take(user, id);
    else
      snprintf(why, DORM__JSON_WHY, "entry %zu of \"ids\" is no text and has no \"id\"", i + 1);
  }
  json_decref(object);
  return *why ? DORM_BAD_DATA : status;
}
