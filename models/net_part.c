/*
 * net_part.c: a net with hidden units as a part of a model. A row x of the feature map with the part's rank block gets
 * the score sum over units of v tanh(<w, x> + t) (nets/nets.h). In a model file
 *
 *   part net WEIGHT RANK-BLOCK UNITS
 *   unit V T                one for each unit, with the lines below it
 *   values W ...            weights w of the features, one number for each, in the order of the features
 *   ranks W ...             of their ranks within the query; only if the rank block is above 0
 */
#include "models/model_lines.h"
#include "models/models.h"

#include <string.h>

typedef struct net_part {
  double rank_block;
  dorm__net net;
  char description[80];
} net_part;

static void net_free(void *state)
{
  DORM__FREED net_part *part = state;
  if (part)
    dorm__net_clear(&part->net);
}

/* Makes a part. Takes over the net, even on failure. */
static dorm_status make_part(dorm_context *context, double rank_block, dorm__net *net, net_part **part)
{
  net_part *made = dorm__alloc_zero(1, sizeof *made);
  *part = made;
  if (!made) {
    dorm__net_clear(net);
    return dorm__out_of_memory(context, "a model");
  }
  *made = (net_part){.rank_block = rank_block, .net = *net};
  *net = (dorm__net){0};
  snprintf(made->description, sizeof made->description, "%zu hidden units, %zu inputs, rank block %g", made->net.hidden,
           made->net.width, rank_block);
  return DORM_OK;
}

dorm_status dorm__net_part_new(dorm_context *context, const dorm__feature_map *map, const dorm__net *net,
                               dorm__part *part)
{
  dorm__net copy;
  net_part *made = NULL;
  *part = (dorm__part){0};
  dorm_status status =
      DORM__ALL(dorm__net_copy(context, net, &copy), make_part(context, map->rank_block, &copy, &made));
  if (status == DORM_OK)
    *part = (dorm__part){&dorm__net_part, 1, made};
  return status;
}

/* Holds the rows of the whole data set, 4 bytes for each feature of a document. */
static dorm_status net_score(dorm_context *context, const void *state, const dorm__feature_map *map,
                             const dorm_dataset *dataset, size_t num_threads, double weight, double *scores)
{
  const net_part *part = state;
  DORM__AT_END(dorm__features_free) dorm__features rows = {0};
  dorm__feature_map own_map = *map;
  own_map.rank_block = part->rank_block;
  DORM__FREED double *own_scores = dorm__alloc(dataset->num_docs, sizeof *own_scores);
  dorm_status status = DORM__ALL(own_scores ? dorm__features_build_full(context, dataset, &own_map, num_threads, &rows)
                                            : dorm__out_of_memory(context, "scores"),
                                 dorm__net_score(context, &part->net, &rows, num_threads, own_scores));
  for (size_t j = 0; status == DORM_OK && j < dataset->num_docs; j++)
    scores[j] += weight * own_scores[j];
  return status;
}

static dorm_status net_as_net(dorm_context *context, const void *state, const dorm__feature_map *map,
                              const dorm_dataset *dataset, size_t num_threads, double weight,
                              const dorm__net_of_part *made)
{
  const net_part *part = state;
  dorm__feature_map own_map = *map;
  own_map.rank_block = part->rank_block;
  dorm_status status = dorm__net_copy(context, &part->net, made->net);
  for (size_t k = 0; status == DORM_OK && k < made->net->hidden; k++)
    made->net->weights[made->net->hidden * made->net->width + k] *= weight;
  return status == DORM_OK ? dorm__features_build_full(context, dataset, &own_map, num_threads, made->rows) : status;
}

static const char *net_describe(const void *state)
{
  const net_part *part = state;
  return part->description;
}

/* ---- The lines of a model file ---------------------------------------------------------- */

static void net_write(const void *state, const dorm__feature_map *map, dorm__output *output)
{
  const net_part *part = state;
  const dorm__net *net = &part->net;
  const double *v = net->weights + net->hidden * net->width;
  dorm__output_text(output, " %s %zu\n", DORM__NUMBER(part->rank_block), net->hidden);
  for (size_t k = 0; k < net->hidden; k++) {
    const double *unit = net->weights + k * net->width;
    dorm__output_text(output, "unit");
    dorm__output_numbers(output, 2, (const double[]){v[k], v[net->hidden + k]});
    dorm__output_text(output, "values");
    dorm__output_numbers(output, map->num_ids, unit);
    if (net->width > map->num_ids) {
      dorm__output_text(output, "ranks");
      dorm__output_numbers(output, map->num_ids, unit + map->num_ids);
    }
  }
}

/* The lines of a net read so far. The number of units in the file may be wrong, so memory grows unit by unit. */
typedef struct net_reading {
  size_t num_ids;
  size_t width;
  size_t num_units;     /* read so far */
  double *units;        /* [num_units][width] */
  double (*ends)[2];    /* [num_units] v and t */
  size_t capacities[2]; /* of units and ends */
} net_reading;

static dorm_status read_unit(dorm_context *context, dorm__model_lines *lines, net_reading *reading)
{
  size_t n = reading->num_units;
  if (!DORM__GROW(reading->units, reading->capacities[0], (n + 1) * reading->width) ||
      !DORM__GROW(reading->ends, reading->capacities[1], n + 1))
    return dorm__out_of_memory(context, "a model");
  double *unit = reading->units + n * reading->width;
  dorm_status status =
      DORM__ALL(dorm__model_lines_numbers(context, lines, "unit", 2, reading->ends[n]),
                dorm__model_lines_numbers(context, lines, "values", reading->num_ids, unit),
                reading->width > reading->num_ids
                    ? dorm__model_lines_numbers(context, lines, "ranks", reading->num_ids, unit + reading->num_ids)
                    : DORM_OK);
  reading->num_units += status == DORM_OK;
  return status;
}

static dorm_status net_of(dorm_context *context, const net_reading *reading, dorm__net *net)
{
  size_t count = reading->num_units;
  dorm_status status = dorm__net_new(context, reading->width, count, net);
  if (status != DORM_OK)
    return status;
  double *v = net->weights + count * reading->width;
  memcpy(net->weights, reading->units, count * reading->width * sizeof *v);
  for (size_t k = 0; k < count; k++) {
    v[k] = reading->ends[k][0];
    v[count + k] = reading->ends[k][1];
  }
  return DORM_OK;
}

static dorm_status net_read(dorm_context *context, dorm__model_lines *lines, const dorm__feature_map *map, char *text,
                            void **state)
{
  double rank_block = 0;
  size_t num_units;
  dorm__net net = {0};
  net_part *part = NULL;
  *state = NULL;
  if (!dorm__next_number(&text, " \t", &rank_block) || rank_block < 0)
    return dorm__line_reader_fail(context, lines->reader, "'part net' needs a rank block of 0 or more");
  if (!dorm__next_count(&text, 1, 1e9, &num_units) || *dorm__trim(text))
    return dorm__line_reader_fail(context, lines->reader, "'part net' needs a number of hidden units, at least 1");
  dorm__feature_map own_map = *map;
  own_map.rank_block = rank_block;
  net_reading reading = {.num_ids = map->num_ids, .width = dorm__feature_map_width(&own_map)};
  dorm_status status = DORM_OK;
  while (status == DORM_OK && reading.num_units < num_units)
    status = read_unit(context, lines, &reading);
  if (status == DORM_OK)
    status = DORM__ALL(net_of(context, &reading, &net), make_part(context, rank_block, &net, &part));
  dorm__free(reading.units);
  dorm__free(reading.ends);
  *state = part;
  return status;
}

const dorm__part_kind dorm__net_part = {
    .word = "net",
    .score = net_score,
    .as_net = net_as_net,
    .write = net_write,
    .read = net_read,
    .describe = net_describe,
    .free = net_free,
};

bool dorm__model_net_at(const dorm_model *model, size_t index, dorm__model_net *net)
{
  for (size_t i = 0; i < model->num_parts; i++)
    if (model->parts[i].kind == &dorm__net_part && index-- == 0) {
      const net_part *own = model->parts[i].state;
      *net = (dorm__model_net){model->parts[i].weight, own->description, own->rank_block, &own->net};
      return true;
    }
  return false;
}
