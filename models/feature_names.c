/*
 * feature_names.c: the names that the features of a model have in another program, from a text with lines `ID NAME`.
 * Blank lines and lines that begin with # are skipped. Without a file the name of a feature is feature_ID.
 */
#include "base/hash.h"
#include "models/model_lines.h"
#include "models/models.h"

#include <string.h>

/* Reads one line into names [num_ids of the model], and into `taken`: name -> feature. Changes the text. */
static dorm_status read_name(dorm_context *context, const dorm__line_reader *lines, const dorm_model *model, char *text,
                             char **names, dorm__index_map *taken)
{
  size_t id;
  text = dorm__trim(text);
  if (!*text || *text == '#')
    return DORM_OK;
  char *rest = text;
  if (!dorm__next_count(&rest, 0, DORM__LARGEST_ID, &id) || !*rest)
    return dorm__line_reader_fail(context, lines, "'%.60s' is not a feature id followed by a name", text);
  const char *name = rest + strspn(rest, " \t");
  size_t feature = dorm__map_place(&model->map, id);
  if (feature == model->map.num_ids)
    return DORM_OK; /* the file may serve other models too */
  if (names[feature])
    return dorm__line_reader_fail(context, lines, "feature %zu already has the name '%.60s'", model->map.ids[feature],
                                  names[feature]);
  for (const char *c = name; *c; c++)
    if ((unsigned char)*c < ' ')
      return dorm__line_reader_fail(context, lines, "the name of feature %zu contains a control character",
                                    model->map.ids[feature]);
  uint64_t key = dorm__index_map_key(taken, name, strlen(name));
  size_t cursor = 0, f;
  while (dorm__index_map_find(taken, key, &cursor, &f))
    if (strcmp(names[f], name) == 0)
      return dorm__line_reader_fail(context, lines, "'%.60s' is already the name of feature %zu", name,
                                    model->map.ids[f]);
  names[feature] = dorm__copy_text(name);
  return names[feature] && dorm__index_map_add(taken, key, feature) ? DORM_OK
                                                                    : dorm__out_of_memory(context, "names of features");
}

static dorm_status read_names(dorm_context *context, const char *path, const dorm_model *model, char **names)
{
  enum { LONGEST = 1000 };
  dorm__line_reader *lines = NULL;
  const char *line = NULL;
  const char *end = NULL;
  char copy[LONGEST + 1];
  dorm__index_map *taken = dorm__index_map_new();
  dorm_status status =
      taken ? dorm__line_reader_open(context, path, &lines) : dorm__out_of_memory(context, "names of features");
  while (status == DORM_OK && (status = dorm__line_reader_next(context, lines, &line, &end)) == DORM_OK && line) {
    size_t size = (size_t)(end - line);
    if (size > LONGEST) {
      status = dorm__line_reader_fail(context, lines, "a line of more than %d characters", LONGEST);
      break;
    }
    memcpy(copy, line, size);
    copy[size] = '\0';
    status = read_name(context, lines, model, copy, names, taken);
  }
  dorm__line_reader_close(lines);
  dorm__index_map_free(taken);
  for (size_t f = 0; status == DORM_OK && f < model->map.num_ids; f++)
    if (!names[f])
      status = dorm__fail(context, DORM_BAD_DATA, "%s: feature %zu of the model has no name", path, model->map.ids[f]);
  return status;
}

/* Returns the name of a feature's column in CSV, TSV or a data frame, with its length, or NULL if it has no name. */
static const char *column_of(const dorm_model *model, size_t id, size_t *size)
{
  const char *column = dorm_model_setting(model, "data.columns");
  for (size_t i = 1; column && i < id; i++) {
    column = strchr(column, ',');
    column = column ? column + 1 : NULL;
  }
  *size = column ? strcspn(column, ",") : 0;
  return *size ? column : NULL;
}

size_t dorm_model_num_features(const dorm_model *model)
{
  return model ? model->map.num_ids : 0;
}

size_t dorm_model_feature_id(const dorm_model *model, size_t feature)
{
  return model && feature < model->map.num_ids ? model->map.ids[feature] : 0;
}

size_t dorm_model_feature_name(const dorm_model *model, size_t feature, char *name, size_t size)
{
  if (name && size)
    *name = '\0';
  if (!model || feature >= model->map.num_ids)
    return 0;
  size_t length = 0;
  const char *column = column_of(model, model->map.ids[feature], &length);
  int written = column ? snprintf(name, name ? size : 0, "%.*s", (int)length, column)
                       : snprintf(name, name ? size : 0, "feature_%zu", (size_t)model->map.ids[feature]);
  return written > 0 ? (size_t)written : 0;
}

/* Returns the name of a feature as a new text, or NULL when out of memory. */
static char *own_name(const dorm_model *model, size_t feature)
{
  size_t size = dorm_model_feature_name(model, feature, NULL, 0) + 1;
  char *name = dorm__alloc_zero(size, 1);
  if (name)
    dorm_model_feature_name(model, feature, name, size);
  return name;
}

dorm_status dorm_feature_names_read(dorm_context *context, const dorm_model *model, const char *path, char ***names)
{
  if (DORM__LACKS(context, DORM__GIVEN(model), DORM__RESULT(names)))
    return DORM_BAD_USAGE;
  *names = NULL;
  dorm_status status = DORM_OK;
  char **made = dorm__alloc_zero(model->map.num_ids, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "names of features");
  if (path)
    status = read_names(context, path, model, made);
  for (size_t f = 0; !path && status == DORM_OK && f < model->map.num_ids; f++) {
    made[f] = own_name(model, f);
    if (!made[f])
      status = dorm__out_of_memory(context, "names of features");
  }
  if (status == DORM_OK)
    *names = made;
  else
    dorm_feature_names_free(model, made);
  return status;
}

void dorm_feature_names_free(const dorm_model *model, char **names)
{
  for (size_t f = 0; model && names && f < model->map.num_ids; f++)
    dorm__free(names[f]);
  dorm__free(names);
}
