/*
 * describe.c: a model as one JSON object, for programs that show models:
 *
 *   {"version": "0.1.0", "normalisation": "minmax", "needs_query": 1, "num_features": 46,
 *    "parts": [{"kind": "linear", "weight": 1, "description": "46 features, rank block 0.5"}],
 *    "remarks": [TEXT, ...], "settings": {"data.train": "train.txt", ...}}
 */
#include "base/json.h"
#include "models/models.h"

static void write_parts(dorm__json *json, const dorm_model *model)
{
  dorm__json_begin(json, "parts", '[', false);
  for (size_t i = 0; i < model->num_parts; i++) {
    const dorm__part *part = &model->parts[i];
    dorm__json_begin(json, NULL, '{', true);
    dorm__json_text(json, "kind", part->kind->word);
    dorm__json_number(json, "weight", part->weight);
    dorm__json_text(json, "description", part->kind->describe(part->state));
    dorm__json_end(json);
  }
  dorm__json_end(json);
}

static void write_remarks(dorm__json *json, const dorm_model *model)
{
  dorm__json_begin(json, "remarks", '[', false);
  for (size_t i = 0; i < model->num_remarks; i++)
    dorm__json_text(json, NULL, model->remarks[i]);
  dorm__json_end(json);
}

static void write_settings(dorm__json *json, const dorm_model *model)
{
  const dorm_setting_info *row;
  dorm__json_begin(json, "settings", '{', false);
  for (size_t i = 0; (row = dorm_setting_info_at(i)); i++) {
    dorm__json_text(json, row->key, dorm_model_setting(model, row->key));
  }
  dorm__json_end(json);
}

dorm_status dorm_model_describe(dorm_context *context, const dorm_model *model, char **json)
{
  if (DORM__LACKS(context, DORM__GIVEN(model), DORM__RESULT(json)))
    return DORM_BAD_USAGE;
  size_t size;
  dorm__output *output = NULL;
  dorm_status status = dorm__output_to_memory(context, &output);
  if (status != DORM_OK)
    return status;
  dorm__json writer = dorm__json_on(output);
  dorm__json_begin(&writer, NULL, '{', false);
  dorm__json_text(&writer, "version", dorm_version());
  dorm__json_text(&writer, "normalisation", dorm__normalisation_name(model->map.normalisation));
  dorm__json_whole(&writer, "needs_query", dorm_model_needs_query(model) != 0);
  dorm__json_whole(&writer, "num_features", model->map.num_ids);
  write_parts(&writer, model);
  write_remarks(&writer, model);
  write_settings(&writer, model);
  dorm__json_end(&writer);
  status = dorm__json_finish(context, &writer);
  if (status == DORM_OK)
    return dorm__output_take(context, output, json, &size);
  dorm__output_abandon(output);
  return status;
}
