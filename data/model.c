/* model.c: a linear model and its scores. */
#include "data/data.h"

#include <math.h>
#include <omp.h>
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

void dorm_model_free(dorm_model *model)
{
  if (!model)
    return;
  dorm__free(model->ids);
  dorm__free(model->shift);
  dorm__free(model->spread);
  dorm__free(model->weights);
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

dorm_status dorm_model_score(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                             double *scores)
{
  dorm__feature_map map = dorm__model_map(model);
  size_t threads = dorm__settings_integer(model->settings, DORM__SOLVER_THREADS);
  dorm_status status = dorm__score_by_blocks(context, dataset, &map, threads ? threads : (size_t)omp_get_num_procs(),
                                             model->weights, scores);
  if (status != DORM_OK)
    return status;
  for (size_t j = 0; j < dataset->num_docs; j++)
    if (!isfinite(scores[j]))
      return dorm__fail(context, DORM_NUMERICAL_FAILURE, "%s: the score of document %zu is not finite", dataset->name,
                        j + 1);
  return DORM_OK;
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

const char *dorm_model_setting(const dorm_model *model, const char *key)
{
  return dorm_settings_get(model->settings, key);
}
