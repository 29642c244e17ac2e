/* model.c: models in memory: the features that they use, and their parts. */
#include "base/team.h"
#include "models/model_lines.h"
#include "models/models.h"
#include "settings/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

dorm_status dorm__model_new(dorm_context *context, const dorm__feature_map *map, const dorm_settings *settings,
                            dorm_model **model)
{
  *model = NULL;
  dorm_model *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a model");
  dorm__feature_map own = *map;
  own.rank_block = 0;
  own.keeps_missing = false;
  if (!dorm__normalisation_is_global(own.normalisation))
    own.shift = own.spread = NULL;
  return DORM__GIVE(DORM__ALL(dorm__feature_map_copy(context, &own, &made->map),
                              dorm__settings_copy(context, settings, &made->settings)),
                    model, made, dorm_model_free);
}

void dorm_model_free(dorm_model *model)
{
  if (!model)
    return;
  dorm__feature_map_clear(&model->map);
  for (size_t i = 0; i < model->num_parts; i++)
    model->parts[i].kind->free(model->parts[i].state);
  dorm__free(model->parts);
  for (size_t i = 0; i < model->num_remarks; i++)
    dorm__free(model->remarks[i]);
  dorm__free(model->remarks);
  dorm_settings_free(model->settings);
  dorm__free(model);
}

static int compare_ids(const void *x, const void *y)
{
  size_t one = *(const size_t *)x, two = *(const size_t *)y;
  return (one > two) - (one < two);
}

size_t dorm__map_place(const dorm__feature_map *map, size_t id)
{
  const size_t *found = map->ids ? bsearch(&id, map->ids, map->num_ids, sizeof id, compare_ids) : NULL;
  return found ? (size_t)(found - map->ids) : map->num_ids;
}

dorm_status dorm__model_remark(dorm_context *context, dorm_model *model, const char *text)
{
  char *copy = dorm__copy_text(text);
  size_t capacity = model->num_remarks;
  if (!copy || !DORM__GROW(model->remarks, capacity, model->num_remarks + 1)) {
    dorm__free(copy);
    return dorm__out_of_memory(context, "a model");
  }
  model->remarks[model->num_remarks++] = copy;
  return DORM_OK;
}

const char *dorm_model_remark(const dorm_model *model, size_t index)
{
  return model && index < model->num_remarks ? model->remarks[index] : NULL;
}

const dorm__part_kind *dorm__part_kind_named(const char *word)
{
  static const dorm__part_kind *const kinds[] = {&dorm__kernel_part, &dorm__trees_part, &dorm__net_part,
                                                 &dorm__positions_part};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i]->word, word) == 0)
      return kinds[i];
  return NULL;
}

dorm_status dorm__parts_add(dorm_context *context, dorm__part part, dorm__part *parts, size_t *count)
{
  dorm_status status = DORM_OK;
  bool is_joined = false;
  for (size_t i = 0; status == DORM_OK && !is_joined && i < *count; i++)
    if (parts[i].kind == part.kind && part.kind->join)
      status = part.kind->join(context, parts[i].state, part.state, part.weight / parts[i].weight, &is_joined);
  if (!is_joined)
    parts[(*count)++] = part;
  return status;
}

dorm_status dorm__model_add(dorm_context *context, dorm_model *model, dorm__part part)
{
  size_t capacity = model->num_parts;
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < model->num_parts; i++)
    if (part.kind == &dorm__linear_part && model->parts[i].kind == part.kind)
      status = dorm__fail(context, DORM_BAD_USAGE, "a model holds at most one linear part");
    else if (model->parts[i].kind == &dorm__positions_part)
      status = dorm__fail(context, DORM_BAD_USAGE, "functions of positions are the last part of a model");
  if (status == DORM_OK && part.kind->open)
    status = part.kind->open(context, part.state, &model->map);
  if (status == DORM_OK && !DORM__GROW(model->parts, capacity, model->num_parts + 1))
    status = dorm__out_of_memory(context, "a model");
  if (status != DORM_OK) {
    part.kind->free(part.state);
    return status;
  }
  if (part.kind->scale) {
    part.kind->scale(part.state, part.weight);
    part.weight = 1;
  }
  model->parts[model->num_parts++] = part;
  return DORM_OK;
}

const char *dorm_model_part(const dorm_model *model, size_t index, const char **kind, double *weight)
{
  if (!model || index >= model->num_parts)
    return NULL;
  const dorm__part *part = &model->parts[index];
  if (kind)
    *kind = part->kind->word;
  if (weight)
    *weight = part->weight;
  return part->kind->describe(part->state);
}

const char *dorm_model_setting(const dorm_model *model, const char *key)
{
  return model ? dorm_settings_get(model->settings, key) : NULL;
}

dorm_status dorm_model_settings(dorm_context *context, const dorm_model *model, dorm_settings **settings)
{
  if (DORM__LACKS(context, DORM__GIVEN(model), DORM__RESULT(settings)))
    return DORM_BAD_USAGE;
  *settings = NULL;
  return dorm__settings_copy_usable(context, model->settings, settings);
}

/* ---- Scoring ----------------------------------------------------------------------------------- */

/* The scores of a model are the weighted sum of the scores of its parts. */

/* Returns one thread per processor, but a single thread for little work: rows of fewer than `smallest_parallel` entries
 * are scored before another thread wakes up. Kernels and functions of positions do much more for each entry. */
static size_t useful_threads(const dorm_model *model, const dorm_dataset *dataset)
{
  static const size_t smallest_parallel = 1 << 16;
  size_t num_entries =
      dataset->row_start ? dataset->row_start[dataset->num_docs] : dataset->num_docs * dataset->num_features;
  bool is_small = num_entries < smallest_parallel;
  for (size_t i = 0; i < model->num_parts; i++)
    is_small = is_small && model->parts[i].kind != &dorm__kernel_part && model->parts[i].kind != &dorm__positions_part;
  return is_small ? 1 : dorm__threads_for(0);
}

void dorm__model_compare_features(const dorm_context *context, const dorm_model *model, const dorm_dataset *dataset)
{
  size_t num_ids = model->map.num_ids;
  while (model->map.cross && num_ids && model->map.ids[num_ids - 1] >= DORM__FIRST_CROSS)
    num_ids--;
  if (num_ids)
    dorm__compare_features(context, dataset, "the model", num_ids, model->map.ids);
}

dorm_status dorm__model_score(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                              size_t num_threads, double *scores)
{
  dorm_status status = DORM_OK;
  num_threads = num_threads ? dorm__threads_for(num_threads) : useful_threads(model, dataset);
  if (dataset->num_docs)
    memset(scores, 0, dataset->num_docs * sizeof *scores);
  for (size_t i = 0; status == DORM_OK && i < model->num_parts; i++) {
    const dorm__part *part = &model->parts[i];
    status = part->kind->score(context, part->state, &model->map, dataset, num_threads, part->weight, scores);
  }
  for (size_t j = 0; status == DORM_OK && j < dataset->num_docs; j++)
    if (!isfinite(scores[j]))
      status = dorm__fail(context, DORM_NUMERICAL_FAILURE, "%s: the score of document %zu is not finite", dataset->name,
                          j + 1);
  return status;
}

dorm_status dorm_model_score(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                             size_t num_threads, double *scores)
{
  if (DORM__LACKS(context, DORM__GIVEN(model), DORM__GIVEN(dataset), DORM__GIVEN(scores)))
    return DORM_BAD_USAGE;
  dorm__model_compare_features(context, model, dataset);
  return dorm__model_score(context, model, dataset, num_threads, scores);
}

dorm_status dorm_model_score_rows(dorm_context *context, const dorm_model *model, const dorm_arrays *arrays,
                                  size_t num_threads, double *scores)
{
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  if (DORM__LACKS(context, DORM__GIVEN(model), DORM__GIVEN(arrays), DORM__GIVEN(scores)))
    return DORM_BAD_USAGE;
  return DORM__ALL(dorm__dataset_from_rows(context, arrays, true, &dataset),
                   dorm_model_score(context, model, dataset, num_threads, scores));
}

dorm_status dorm_model_score_stream(dorm_context *context, const dorm_model *model, const char *path,
                                    dorm_scores_function take, void *user)
{
  if (DORM__LACKS(context, DORM__GIVEN(model), DORM__GIVEN(path), DORM__GIVEN(take)))
    return DORM_BAD_USAGE;
  dorm__query_reader *reader = NULL;
  dorm_dataset *query = NULL;
  DORM__FREED double *scores = NULL;
  size_t capacity = 0;
  dorm_status status = dorm__query_reader_open(context, path, DORM_STORAGE_AUTO, &reader);
  if (status == DORM_OK)
    dorm__query_reader_follow(reader);
  while (status == DORM_OK && (status = dorm__query_reader_next(context, reader, &query)) == DORM_OK && query) {
    if (!DORM__GROW(scores, capacity, query->num_docs))
      status = dorm__out_of_memory(context, "scores");
    if (status == DORM_OK)
      status = DORM__ALL(dorm__model_score(context, model, query, 1, scores), take(user, query, scores));
    dorm_dataset_free(query);
  }
  dorm__query_reader_close(reader);
  return status;
}

/* ---- In a record ----------------------------------------------------------------------- */

dorm_status dorm__part_save(dorm_context *context, const dorm__part *part, const dorm__feature_map *map,
                            dorm__record_writer *writer)
{
  DORM__FREED char *text = NULL;
  dorm__output *output = NULL;
  size_t size = 0;
  dorm_status status = dorm__output_to_memory(context, &output);
  if (status != DORM_OK)
    return status;
  dorm__output_text(output, "part");
  part->kind->write(part->state, map, output);
  status = dorm__output_take(context, output, &text, &size);
  if (status == DORM_OK) {
    dorm__record_put_text(writer, part->kind->word);
    dorm__record_put_number(writer, part->weight);
    dorm__record_put_text(writer, text);
  }
  return status;
}

dorm_status dorm__part_restore(dorm_context *context, const dorm__feature_map *map, dorm__record_reader *reader,
                               dorm__part *part)
{
  DORM__FREED char *word = dorm__record_take_text(reader);
  double weight = dorm__record_take_number(reader);
  DORM__FREED char *text = dorm__record_take_text(reader);
  const dorm__part_kind *kind = word ? dorm__part_kind_named(word) : NULL;
  *part = (dorm__part){0};
  reader->is_bad = reader->is_bad || (word && (!kind || kind->scale));
  if (reader->is_bad || !kind || !text)
    return reader->is_bad ? DORM_OK : dorm__out_of_memory(context, "a candidate");
  dorm__model_lines lines;
  char *rest = NULL;
  *part = (dorm__part){kind, weight, NULL};
  dorm_status status = DORM__ALL(dorm__model_lines_open(context, "the checkpoint", text, strlen(text), &lines),
                                 dorm__model_lines_expect(context, &lines, "part", &rest),
                                 part->kind->read(context, &lines, map, rest, &part->state));
  dorm__model_lines_close(&lines);
  if (status != DORM_OK)
    *part = (dorm__part){0};
  return status;
}
