/*
 * line.c: computes the scores of some documents while the weights of a net move along the line weights + step *
 * direction. The inputs of hidden units, and the scores of a single layer, are linear in the step. So each direction
 * costs one product with the rows, and each step only the hidden units. The direction of a single weight costs one
 * column of the rows, and each step one hidden unit.
 */
#include "base/linalg.h"
#include "nets/block.h"
#include "nets/nets.h"

#include <string.h>

/* The values that change with the step. */
typedef enum motion { NOTHING, OUTPUT, UNIT, ALL } motion;

struct dorm__net_line {
  dorm__region memory;   /* of the arrays below */
  const dorm__net *net;  /* borrowed */
  dorm__net_block block; /* the documents */
  size_t num_units;      /* hidden units, or 1 for a single layer */
  double *inputs;        /* [room][num_units] of hidden units, or scores of a single layer */
  double *outputs;       /* [room][num_units] tanh of the inputs, with hidden units */
  double *scores;        /* [room] at step 0 */
  motion motion;
  size_t unit;             /* OUTPUT, UNIT: the hidden unit, 0 for a single layer */
  const double *direction; /* ALL: [dorm__net_size], borrowed */
  double *direct;          /* UNIT: [room], ALL: [room][num_units], derivatives of the inputs by the step */
  double *moved, *powers;  /* [room][num_units] scratch */
  double *v;               /* [num_units] scratch */
};

dorm_status dorm__net_line_new(dorm_context *context, const dorm__net *net, const dorm__features *rows, size_t room,
                               dorm__net_line **line)
{
  dorm__net_line *made = dorm__alloc_zero(1, sizeof *made);
  *line = NULL;
  if (!made)
    return dorm__out_of_memory(context, "a net");
  size_t units = net->hidden ? net->hidden : 1;
  dorm__region *memory = &made->memory;
  made->net = net;
  made->num_units = units;
  made->inputs = dorm__region_take_zero(memory, room, units * sizeof *made->inputs);
  made->outputs = dorm__region_take_zero(memory, room, units * sizeof *made->outputs);
  made->scores = dorm__region_take_zero(memory, room, sizeof *made->scores);
  made->direct = dorm__region_take_zero(memory, room, units * sizeof *made->direct);
  made->moved = dorm__region_take_zero(memory, room, units * sizeof *made->moved);
  made->powers = dorm__region_take_zero(memory, room, units * sizeof *made->powers);
  made->v = dorm__region_take_zero(memory, units, sizeof *made->v);
  return DORM__GIVE(DORM__ALL(memory->is_short ? dorm__out_of_memory(context, "a net") : DORM_OK,
                              dorm__net_block_new(context, rows, net->hidden, room, &made->block)),
                    line, made, dorm__net_line_free);
}

void dorm__net_line_free(dorm__net_line *line)
{
  if (!line)
    return;
  dorm__net_block_clear(&line->block);
  dorm__region_clear(&line->memory);
  dorm__free(line);
}

static const double *output_weights(const dorm__net_line *line)
{
  return line->net->weights + line->net->hidden * line->net->width;
}

void dorm__net_line_documents(dorm__net_line *line, size_t first, size_t count)
{
  size_t hidden = line->net->hidden;
  line->block.num_docs = 0;
  line->motion = NOTHING;
  dorm__net_block_add(&line->block, first, count);
  dorm__net_block_inputs(&line->block, line->net->weights, line->inputs);
  if (hidden) {
    memcpy(line->outputs, line->inputs, count * hidden * sizeof *line->outputs);
    dorm__net_units(count * hidden, line->outputs, line->powers);
    dorm__matrix_vector(count, hidden, line->outputs, output_weights(line), line->scores);
  } else {
    memcpy(line->scores, line->inputs, count * sizeof *line->scores);
  }
}

/* Returns whether values [num_docs] differ. */
static bool differ(const dorm__net_line *line, const double *values)
{
  for (size_t j = 1; j < line->block.num_docs; j++)
    if (values[j] != values[0])
      return true;
  return false;
}

bool dorm__net_line_direction(dorm__net_line *line, const double *direction)
{
  line->motion = ALL;
  line->direction = direction;
  dorm__net_block_inputs(&line->block, direction, line->direct);
  return line->net->hidden || differ(line, line->direct);
}

void dorm__net_line_still(dorm__net_line *line)
{
  line->motion = NOTHING;
}

/* Sets direct [num_docs] to feature `column` of the documents. */
static void take_column(dorm__net_line *line, size_t column)
{
  for (size_t j = 0; j < line->block.num_docs; j++) {
    dorm__row row = dorm__features_row(line->block.features, line->block.docs[j]);
    size_t e = column;
    if (row.indices) {
      size_t end = row.count;
      for (e = 0; e < end;) { /* finds the first index >= column */
        size_t middle = e + (end - e) / 2;
        if (row.indices[middle] < column)
          e = middle + 1;
        else
          end = middle;
      }
      e = e < row.count && row.indices[e] == column ? e : row.count;
    }
    line->direct[j] = e >= row.count ? 0 : dorm__row_value(&row, e);
  }
}

bool dorm__net_line_single(dorm__net_line *line, size_t weight)
{
  size_t width = line->net->width, hidden = line->net->hidden;
  line->motion = UNIT;
  if (!hidden || weight < hidden * width) {
    line->unit = hidden ? weight / width : 0;
    take_column(line, hidden ? weight % width : weight);
    return hidden || differ(line, line->direct);
  }
  line->unit = (weight - hidden * width) % hidden;
  if (weight < hidden * (width + 1))
    line->motion = OUTPUT;
  else
    for (size_t j = 0; j < line->block.num_docs; j++)
      line->direct[j] = 1;
  return true;
}

/* Adds the scores after one hidden unit has moved: score + v (tanh(moved) - tanh(input)). */
static void add_unit(dorm__net_line *line, double step, double *scores)
{
  size_t count = line->block.num_docs, units = line->num_units;
  double v = output_weights(line)[line->unit];
  for (size_t j = 0; j < count; j++)
    line->moved[j] = line->inputs[j * units + line->unit] + step * line->direct[j];
  dorm__net_units(count, line->moved, line->powers);
  for (size_t j = 0; j < count; j++)
    scores[j] += line->scores[j] + v * (line->moved[j] - line->outputs[j * units + line->unit]);
}

static void add_all(dorm__net_line *line, double step, double *scores)
{
  size_t hidden = line->net->hidden, count = line->block.num_docs;
  const double *v = output_weights(line);
  for (size_t i = 0; i < count * hidden; i++)
    line->moved[i] = line->inputs[i] + step * line->direct[i];
  for (size_t k = 0; k < hidden; k++)
    line->v[k] = v[k] + step * line->direction[hidden * line->net->width + k];
  dorm__net_units(count * hidden, line->moved, line->powers);
  for (size_t j = 0; j < count; j++)
    for (size_t k = 0; k < hidden; k++)
      scores[j] += line->v[k] * line->moved[j * hidden + k];
}

void dorm__net_line_add(dorm__net_line *line, double step, double *scores)
{
  size_t hidden = line->net->hidden, count = line->block.num_docs;
  if (line->motion == NOTHING)
    for (size_t j = 0; j < count; j++)
      scores[j] += line->scores[j];
  else if (!hidden)
    for (size_t j = 0; j < count; j++)
      scores[j] += line->scores[j] + step * line->direct[j];
  else if (line->motion == OUTPUT)
    for (size_t j = 0; j < count; j++)
      scores[j] += line->scores[j] + step * line->outputs[j * hidden + line->unit];
  else if (line->motion == UNIT)
    add_unit(line, step, scores);
  else
    add_all(line, step, scores);
}
