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
  made->min_max = map->min_max;
  made->rank_block = map->rank_block;
  made->ids = dorm__alloc(map->num_ids, sizeof *made->ids);
  made->weights = dorm__alloc_zero(dorm__feature_map_width(map), sizeof *made->weights);
  if (!made->ids || !made->weights) {
    status = dorm__out_of_memory(context, "a model");
    goto done;
  }
  if (map->num_ids)
    memcpy(made->ids, map->ids, map->num_ids * sizeof *map->ids);
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
  dorm__free(model->weights);
  dorm_settings_free(model->settings);
  dorm__free(model);
}

dorm__feature_map dorm__model_map(const dorm_model *model)
{
  return (dorm__feature_map){model->num_ids, model->ids, model->min_max, model->rank_block};
}

dorm_status dorm_model_score(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                             double *scores)
{
  dorm__features features = {0};
  dorm__feature_map map = dorm__model_map(model);
  size_t threads = dorm__settings_integer(model->settings, DORM__SOLVER_THREADS);
  dorm_status status =
      dorm__features_build(context, dataset, &map, threads ? threads : (size_t)omp_get_num_procs(), &features);
  if (status != DORM_OK)
    return status;
  dorm__features_score(&features, 0, dataset->num_docs, model->weights, scores);
  dorm__features_free(&features);
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
