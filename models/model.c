/* model.c: models in memory; their scores are in kernels/model.c, which knows every part. */
#include "models/model.h"
#include "features/features.h"
#include "models/models.h"
#include "settings/settings.h"

#include <string.h>

dorm_status dorm__model_new(dorm_context *context, const dorm__feature_map *map, const dorm_settings *settings,
                            dorm_model **model)
{
  dorm_status status = DORM_OK;
  *model = NULL;
  dorm_model *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a model");
  made->num_ids = map->num_ids;
  made->normalisation = map->normalisation;
  made->rank_block = map->rank_block;
  made->ids = dorm__alloc(map->num_ids, sizeof *made->ids);
  made->weights = dorm__alloc_zero(dorm__feature_map_width(map), sizeof *made->weights);
  bool is_global = dorm__normalisation_is_global(map->normalisation);
  if (is_global) {
    made->shift = dorm__alloc(map->num_ids, sizeof *made->shift);
    made->spread = dorm__alloc(map->num_ids, sizeof *made->spread);
  }
  if (!made->ids || !made->weights || (is_global && (!made->shift || !made->spread))) {
    status = dorm__out_of_memory(context, "a model");
    goto done;
  }
  for (size_t f = 0; f < map->num_ids; f++)
    made->ids[f] = map->ids[f];
  for (size_t f = 0; is_global && f < map->num_ids; f++) {
    made->shift[f] = map->shift[f];
    made->spread[f] = map->spread[f];
  }
  status = dorm__settings_copy(context, settings, &made->settings);
  if (status != DORM_OK)
    goto done;
  *model = made;
  made = NULL;
done:
  dorm_model_free(made);
  return status;
}

static void part_clear(dorm__model_part *part)
{
  dorm__free(part->kernel);
  dorm__free(part->pivots);
  dorm__free(part->weights);
}

static void module_clear(dorm__model_module *module)
{
  dorm__free(module->kernel);
  dorm__free(module->path);
}

void dorm_model_free(dorm_model *model)
{
  if (!model)
    return;
  dorm__free(model->ids);
  dorm__free(model->shift);
  dorm__free(model->spread);
  dorm__free(model->weights);
  for (size_t i = 0; i < model->num_parts; i++)
    part_clear(&model->parts[i]);
  dorm__free(model->parts);
  for (size_t i = 0; i < model->num_modules; i++)
    module_clear(&model->modules[i]);
  dorm__free(model->modules);
  dorm_settings_free(model->settings);
  dorm__free(model);
}

dorm__feature_map dorm__model_map(const dorm_model *model)
{
  return (dorm__feature_map){.num_ids = model->num_ids,
                             .ids = model->ids,
                             .normalisation = model->normalisation,
                             .rank_block = model->rank_block,
                             .shift = model->shift,
                             .spread = model->spread};
}

dorm__feature_map dorm__model_part_map(const dorm_model *model, const dorm__model_part *part)
{
  dorm__feature_map map = dorm__model_map(model);
  map.rank_block = part->rank_block;
  return map;
}

dorm_status dorm__model_add_part(dorm_context *context, dorm_model *model, const dorm__model_part *part)
{
  dorm__feature_map map = dorm__model_part_map(model, part);
  size_t width = dorm__feature_map_width(&map);
  size_t capacity = model->num_parts;
  dorm__model_part made = *part;
  made.kernel = dorm__copy_text(part->kernel);
  made.pivots = dorm__alloc(part->num_pivots, (width + 1) * sizeof *made.pivots);
  made.weights = dorm__alloc(part->num_pivots, sizeof *made.weights);
  if (!made.kernel || !made.pivots || !made.weights ||
      !dorm__grow((void **)&model->parts, &capacity, model->num_parts + 1, sizeof *model->parts)) {
    part_clear(&made);
    return dorm__out_of_memory(context, "a model");
  }
  if (part->num_pivots) {
    memcpy(made.pivots, part->pivots, part->num_pivots * width * sizeof *made.pivots);
    memcpy(made.weights, part->weights, part->num_pivots * sizeof *made.weights);
  }
  model->parts[model->num_parts++] = made;
  return DORM_OK;
}

dorm_status dorm__model_add_module(dorm_context *context, dorm_model *model, const char *kernel, const char *path)
{
  dorm__model_module made = {dorm__copy_text(kernel), dorm__copy_text(path)};
  size_t capacity = model->num_modules;
  size_t i = 0;
  while (i < model->num_modules && strcmp(model->modules[i].kernel, kernel) != 0)
    i++;
  if (!made.kernel || !made.path || !dorm__grow((void **)&model->modules, &capacity, i + 1, sizeof *model->modules)) {
    module_clear(&made);
    return dorm__out_of_memory(context, "a model");
  }
  if (i < model->num_modules)
    module_clear(&model->modules[i]);
  else
    model->num_modules++;
  model->modules[i] = made;
  return DORM_OK;
}

const char *dorm__model_module_path(const dorm_model *model, const char *kernel)
{
  for (size_t i = 0; i < model->num_modules; i++)
    if (strcmp(model->modules[i].kernel, kernel) == 0)
      return model->modules[i].path;
  return NULL;
}

int dorm_model_weight(const dorm_model *model, size_t index, size_t *feature_id, double *value, double *rank)
{
  if (index >= model->num_ids)
    return 0;
  *feature_id = model->ids[index];
  *value = model->weights[index];
  *rank = model->rank_block > 0 ? model->weights[model->num_ids + index] : 0;
  return 1;
}

const char *dorm_model_kernel(const dorm_model *model, size_t index, size_t *num_pivots, double *rank_block)
{
  if (index >= model->num_parts)
    return NULL;
  *num_pivots = model->parts[index].num_pivots;
  *rank_block = model->parts[index].rank_block;
  return model->parts[index].kernel;
}

const char *dorm_model_setting(const dorm_model *model, const char *key)
{
  return dorm_settings_get(model->settings, key);
}

dorm_status dorm_model_settings(dorm_context *context, const dorm_model *model, dorm_settings **settings)
{
  *settings = NULL;
  return dorm__settings_copy(context, model->settings, settings);
}
