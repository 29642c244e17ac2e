/*
 * linear_part.c: the linear part of a model,
 *
 *   score = sum_f weights[f] x_f + sum_f weights[num_ids + f] r_f,
 *
 * with x_f the normalised features of a document and r_f their mid-ranks within the query times the rank block
 * (features/features.h). Costs O(features) per document, and with a rank block the sorting of every feature within each
 * query. Rows are made and dropped batch by batch.
 */
#include "base/linalg.h"
#include "models/models.h"

#include <string.h>

typedef struct linear_part {
  size_t num_ids;
  double rank_block;
  size_t width;         /* num_ids, or twice that with a rank block */
  double *weights;      /* [width] */
  char description[80]; /* of counts alone */
} linear_part;

static void linear_free(void *state)
{
  DORM__FREED linear_part *part = state;
  if (part)
    dorm__free(part->weights);
}

dorm_status dorm__linear_part_new(dorm_context *context, size_t num_ids, double rank_block, const double *weights,
                                  dorm__part *part)
{
  dorm__feature_map map = {.num_ids = num_ids, .rank_block = rank_block};
  size_t width = dorm__feature_map_width(&map);
  linear_part *made = dorm__alloc_zero(1, sizeof *made);
  *part = (dorm__part){0};
  if (made)
    *made = (linear_part){num_ids, rank_block, width, dorm__alloc(width, sizeof *made->weights), ""};
  if (!made || !made->weights) {
    linear_free(made);
    return dorm__out_of_memory(context, "a model");
  }
  if (width)
    memcpy(made->weights, weights, width * sizeof *weights);
  snprintf(made->description, sizeof made->description, "%zu features, rank block %g", num_ids, rank_block);
  *part = (dorm__part){&dorm__linear_part, 1, made};
  return DORM_OK;
}

static bool is_zero(const linear_part *part)
{
  for (size_t f = 0; f < part->width; f++)
    if (part->weights[f] != 0)
      return false;
  return true;
}

static dorm_status linear_score(dorm_context *context, const void *state, const dorm__feature_map *map,
                                const dorm_dataset *dataset, size_t num_threads, double weight, double *scores)
{
  const linear_part *part = state;
  dorm__feature_map own_map = *map;
  own_map.rank_block = part->rank_block;
  if (is_zero(part))
    return DORM_OK; /* as in a model that has only kernels */
  DORM__FREED double *own_scores = dorm__alloc(dataset->num_docs, sizeof *own_scores);
  if (!own_scores)
    return dorm__out_of_memory(context, "scores");
  dorm_status status = dorm__score_by_batches(context, dataset, &own_map, num_threads, part->weights, own_scores);
  if (status == DORM_OK)
    dorm__add_scaled(dataset->num_docs, weight, own_scores, scores);
  return status;
}

/* Makes a single layer. If all weights are 0, as in a model without a linear part, dorm_model_probe drops it. */
static dorm_status linear_as_net(dorm_context *context, const void *state, const dorm__feature_map *map,
                                 const dorm_dataset *dataset, size_t num_threads, double weight,
                                 const dorm__net_of_part *made)
{
  const linear_part *part = state;
  dorm__feature_map own_map = *map;
  own_map.rank_block = part->rank_block;
  dorm_status status = dorm__net_new(context, part->width, 0, made->net);
  if (status == DORM_OK)
    dorm__add_scaled(part->width, weight, part->weights, made->net->weights);
  return status == DORM_OK ? dorm__features_build(context, dataset, &own_map, num_threads, made->rows) : status;
}

static void linear_scale(void *state, double factor)
{
  linear_part *part = state;
  for (size_t f = 0; f < part->width; f++)
    part->weights[f] *= factor;
}

static const char *linear_describe(const void *state)
{
  const linear_part *part = state;
  return part->description;
}

const dorm__part_kind dorm__linear_part = {
    .word = "linear",
    .score = linear_score,
    .as_net = linear_as_net,
    .scale = linear_scale,
    .describe = linear_describe,
    .free = linear_free,
};

const double *dorm__model_linear_weights(const dorm_model *model, double *rank_block)
{
  *rank_block = 0;
  for (size_t i = 0; i < model->num_parts; i++)
    if (model->parts[i].kind == &dorm__linear_part) {
      const linear_part *part = model->parts[i].state;
      *rank_block = part->rank_block;
      return part->weights;
    }
  return NULL;
}

int dorm_model_weight(const dorm_model *model, size_t index, size_t *feature_id, double *value, double *rank)
{
  double rank_block;
  if (!model || index >= model->map.num_ids)
    return 0;
  const double *weights = dorm__model_linear_weights(model, &rank_block);
  if (feature_id)
    *feature_id = model->map.ids[index];
  if (value)
    *value = weights ? weights[index] : 0;
  if (rank)
    *rank = rank_block > 0 ? weights[model->map.num_ids + index] : 0;
  return 1;
}
