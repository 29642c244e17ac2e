/*
 * stumps.c: a kind of part of a model, all that it takes: a document gets values[f] for each feature f that is above
 * thresholds[f]. In a model file `part stumps WEIGHT of one level` and one line `stump THRESHOLD VALUE` per feature.
 */
#include "tests/unit/stumps.h"

#include "models/model_lines.h"

static dorm_status stumps_score(dorm_context *context, const void *state, const dorm__feature_map *map,
                                const dorm_dataset *dataset, size_t num_threads, double weight, double *scores)
{
  const stumps *part = state;
  (void)context;
#pragma omp parallel for num_threads((int)num_threads)
  for (size_t j = 0; j < dataset->num_docs; j++)
    for (size_t f = 0; f < map->num_ids; f++)
      if ((double)dorm_dataset_value(dataset, j, f) > part->thresholds[f])
        scores[j] += weight * part->values[f];
  return DORM_OK;
}

static void stumps_write(const void *state, const dorm__feature_map *map, dorm__output *output)
{
  const stumps *part = state;
  dorm__output_text(output, " of one level\n");
  for (size_t f = 0; f < map->num_ids; f++)
    dorm__output_text(output, "stump %.17g %.17g\n", part->thresholds[f], part->values[f]);
}

static dorm_status stumps_read(dorm_context *context, dorm__model_lines *lines, const dorm__feature_map *map,
                               char *text, void **state)
{
  stumps *made = calloc(1, sizeof *made);
  dorm_status status = strcmp(text, "of one level") == 0 && map->num_ids == STUMPS
                           ? DORM_OK
                           : dorm__line_reader_fail(context, lines->reader, "stumps of %s", text);
  for (size_t f = 0; status == DORM_OK && f < STUMPS; f++) {
    status = dorm__model_lines_expect(context, lines, "stump", &text);
    if (status == DORM_OK &&
        !(dorm__next_number(&text, " ", &made->thresholds[f]) && dorm__next_number(&text, " ", &made->values[f])))
      status = dorm__line_reader_fail(context, lines->reader, "'stump' needs two numbers");
  }
  *state = status == DORM_OK ? made : NULL;
  if (status != DORM_OK)
    free(made);
  return status;
}

static const char *stumps_describe(const void *state)
{
  (void)state;
  return "of one level";
}

const dorm__part_kind stumps_kind = {.word = "stumps",
                                     .score = stumps_score,
                                     .write = stumps_write,
                                     .read = stumps_read,
                                     .describe = stumps_describe,
                                     .free = free};
