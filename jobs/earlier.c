/*
 * earlier.c: the earlier model from which a training continues. Training then uses the features of that model, and its
 * shifts and spreads if the normalisation is global. So the model's weights mean the same in the new training, to the
 * last bit.
 */
#include "jobs/rows.h"

#include <string.h>

static dorm_status refuse(const dorm__job *job, const char *reason)
{
  return dorm__fail(job->context, DORM_BAD_USAGE, "data.from = %s: %s",
                    dorm__settings_text(job->settings, DORM__DATA_FROM), reason);
}

/* ---- The model ------------------------------------------------------------------------------ */

double dorm__earlier_rank_block(const dorm_model *model)
{
  double largest = 0;
  dorm__model_trees trees;
  dorm__model_net net;
  dorm__model_linear_weights(model, &largest);
  for (size_t i = 0; dorm__model_trees_at(model, i, &trees); i++)
    largest = trees.rank_block > largest ? trees.rank_block : largest;
  for (size_t i = 0; dorm__model_net_at(model, i, &net); i++)
    largest = net.rank_block > largest ? net.rank_block : largest;
  return largest;
}

static dorm_status check_trainers(const dorm__job *job)
{
  for (size_t i = 0; i < job->num_trainers; i++)
    if (!job->trainers[i]->goes_on)
      return dorm__fail(job->context, DORM_BAD_USAGE,
                        "data.from = %s: trainer '%s' does not continue from a model; svm, trees and net do",
                        dorm__settings_text(job->settings, DORM__DATA_FROM), job->trainers[i]->name);
  return strcmp(dorm__settings_text(job->settings, DORM__KERNEL_KERNEL), "linear") == 0
             ? DORM_OK
             : refuse(job, "the features of a kernel come from other training data; kernel.kernel has to be linear");
}

/* Gives the settings of the feature map the values of the model. */
static dorm_status adopt_map(dorm__job *job)
{
  const char *normalisation = dorm__normalisation_name(job->from->map.normalisation);
  const char *given = dorm__settings_text(job->settings, DORM__DATA_NORMALISATION);
  if (dorm__settings_is_given(job->settings, DORM__DATA_NORMALISATION) && strcmp(given, normalisation) != 0)
    return dorm__fail(job->context, DORM_BAD_USAGE,
                      "data.from = %s: the model has features normalised by %s, but data.normalisation = %s",
                      dorm__settings_text(job->settings, DORM__DATA_FROM), normalisation, given);
  const char *categories = dorm_model_setting(job->from, dorm__setting_table[DORM__DATA_CATEGORICAL].key);
  if (dorm__settings_is_given(job->settings, DORM__DATA_CATEGORICAL) &&
      strcmp(categories, dorm__settings_text(job->settings, DORM__DATA_CATEGORICAL)) != 0)
    return refuse(job, "the model has other categories than data.categorical");
  const char *cross = dorm__settings_text(job->settings, DORM__FEATURES_CROSS);
  if (*cross && (!job->from->map.cross || strcmp(cross, job->from->map.cross->text) != 0))
    return refuse(job, "the model has other products than features.cross");
  dorm_status status =
      DORM__ALL(job->from->map.cross ? dorm__job_set(job, DORM__FEATURES_CROSS, job->from->map.cross->text) : DORM_OK,
                dorm__job_set(job, DORM__DATA_NORMALISATION, normalisation),
                dorm__job_set(job, DORM__DATA_CATEGORICAL, categories));
  if (status == DORM_OK && dorm__settings_is_auto(job->settings, DORM__DATA_RANK_BLOCK))
    status = dorm__job_set(job, DORM__DATA_RANK_BLOCK, DORM__NUMBER(dorm__earlier_rank_block(job->from)));
  return status;
}

/* Fails if a linear model would lose its rank block, or any other model would get another one. The weights of a linear
 * model can be converted. */
static dorm_status check_rank_blocks(const dorm__job *job)
{
  double own = dorm__earlier_rank_block(job->from);
  bool is_linear = job->from->num_parts == 1 && dorm__model_linear_weights(job->from, &own);
  for (size_t i = 0; i < dorm__settings_count(job->settings, DORM__DATA_RANK_BLOCK); i++) {
    double given = dorm__settings_number_at(job->settings, DORM__DATA_RANK_BLOCK, i);
    if (is_linear ? own > 0 && !(given > 0) : own != given)
      return dorm__fail(job->context, DORM_BAD_USAGE,
                        "data.from = %s: the model has a rank block of %g, but data.rank_block has the value %g",
                        dorm__settings_text(job->settings, DORM__DATA_FROM), own, given);
  }
  return DORM_OK;
}

dorm_status dorm__earlier_open(dorm__job *job)
{
  const char *path = dorm__settings_text(job->settings, DORM__DATA_FROM);
  if (!*path)
    return dorm__settings_choice(job->settings, DORM__SOLVER_START) == DORM__START_FROM
               ? dorm__fail(job->context, DORM_BAD_USAGE, "solver.start = from needs a model, data.from")
               : DORM_OK;
  dorm_status status = DORM__ALL(check_trainers(job), dorm_model_read(job->context, path, &job->from));
  dorm__input_remove(job->context, path); /* the new model may replace it */
  for (size_t i = 0; status == DORM_OK && i < job->from->num_parts; i++)
    if (job->from->parts[i].kind == &dorm__positions_part)
      status = refuse(job, "the model has functions of positions, from which no training continues");
  if (status == DORM_OK)
    status = adopt_map(job);
  return status == DORM_OK ? check_rank_blocks(job) : status;
}

/* ---- Features -------------------------------------------------------------------------------- */

/* Fails if the model lacks a feature that the training would use. */
static dorm_status check_features(const dorm__job *job, const dorm_dataset *dataset)
{
  DORM__AT_END(dorm__id_ranges_clear) dorm__id_ranges chosen;
  dorm_status status = dorm__id_ranges_parse(job->context, dorm__setting_table[DORM__DATA_FEATURES].key,
                                             dorm__settings_text(job->settings, DORM__DATA_FEATURES), &chosen);
  for (size_t f = 0; status == DORM_OK && f < dataset->num_features; f++) {
    size_t id = dataset->feature_ids[f];
    if ((!chosen.count || dorm__id_ranges_hold(&chosen, id)) &&
        dorm__map_place(&job->from->map, id) == job->from->map.num_ids)
      status =
          dorm__fail(job->context, DORM_BAD_DATA,
                     "%s has feature %zu, but the model of data.from = %s, with %zu features, lacks it; "
                     "data.features can leave it out",
                     dataset->name, id, dorm__settings_text(job->settings, DORM__DATA_FROM), job->from->map.num_ids);
  }
  return status;
}

dorm_status dorm__earlier_map(const dorm__job *job, const dorm_dataset *dataset, dorm__feature_map *map)
{
  *map = (dorm__feature_map){0};
  dorm_status status = check_features(job, dataset);
  return status == DORM_OK ? dorm__feature_map_copy(job->context, &job->from->map, map) : status;
}

void dorm__earlier_weights(const dorm__training_rows *rows, const dorm_model *model, double *w)
{
  double rank_block = 0;
  const double *linear = dorm__model_linear_weights(model, &rank_block);
  size_t num_ids = rows->map.num_ids;
  bool has_ranks = rank_block > 0 && rows->map.rank_block > 0;
  memset(w, 0, dorm__feature_map_width(&rows->map) * sizeof *w);
  for (size_t f = 0, k = 0; linear && f < num_ids; f++) {
    while (k < model->map.num_ids && model->map.ids[k] < rows->map.ids[f])
      k++;
    if (k == model->map.num_ids || model->map.ids[k] != rows->map.ids[f])
      continue;
    w[f] = linear[k];
    if (has_ranks)
      w[num_ids + f] = linear[model->map.num_ids + k] * rank_block / rows->map.rank_block;
  }
}
