/* json.c: lists of ids from lines of JSON; the library's only door to jansson. */
#include "data/json.h"
#include "data/data.h"

#include <jansson.h>

/* A string, or an object whose "id" is one. */
static const char *id_of(const json_t *item)
{
  return json_string_value(json_is_object(item) ? json_object_get(item, "id") : item);
}

dorm_status dorm__json_ids(dorm_context *context, const dorm__line_reader *reader, const char *line, const char *end,
                           dorm_status (*take)(void *user, const char *id), void *user)
{
  json_error_t error;
  json_t *object = json_loadb(line, (size_t)(end - line), 0, &error);
  const json_t *ids = json_object_get(object, "ids");
  dorm_status status = DORM_OK;
  if (!object)
    status = dorm__line_reader_fail(context, reader, "not JSON: %s", error.text);
  else if (!json_is_array(ids))
    status = dorm__line_reader_fail(context, reader, "a group needs a list \"ids\"");
  for (size_t i = 0; status == DORM_OK && i < json_array_size(ids); i++) {
    const char *id = id_of(json_array_get(ids, i));
    status = id ? take(user, id)
                : dorm__line_reader_fail(context, reader, "entry %zu of \"ids\" is no text and has no \"id\"", i + 1);
  }
  json_decref(object);
  return status;
}
