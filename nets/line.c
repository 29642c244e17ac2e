/*
 * line.c: the scores of some documents while the weights of a net move along a line, weights + step * direction. The
 * inputs of hidden units, and the scores of a single layer, are linear in the step; so each direction costs one
 * product with the rows, and each step no more than the hidden units.
 */
#include "nets/block.h"
#include "nets/nets.h"

#include <math.h>
#include <string.h>

struct dorm__net_line {
  const dorm__net *net;    /* borrowed */
  const double *direction; /* [dorm__net_size], borrowed */
  dorm__net_block block;   /* the documents */
  size_t num_units;        /* hidden, or 1 */
  double *inputs, *direct; /* [room][num_units] at the weights, and by how much they grow with the step */
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
  *made = (dorm__net_line){.net = net,
                           .num_units = units,
                           .inputs = dorm__alloc(room, units * sizeof(double)),
                           .direct = dorm__alloc(room, units * sizeof(double)),
                           .moved = dorm__alloc(room, units * sizeof(double)),
                           .powers = dorm__alloc(room, units * sizeof(double)),
                           .v = dorm__alloc(units, sizeof(double))};
  dorm_status status = dorm__net_block_new(context, rows, net->hidden, room, &made->block);
  if (status == DORM_OK && !(made->inputs && made->direct && made->moved && made->powers && made->v))
    status = dorm__out_of_memory(context, "a net");
  if (status == DORM_OK)
    *line = made;
  else
    dorm__net_line_free(made);
  return status;
}

void dorm__net_line_free(dorm__net_line *line)
{
  if (!line)
    return;
  dorm__net_block_clear(&line->block);
  dorm__free(line->inputs);
  dorm__free(line->direct);
  dorm__free(line->moved);
  dorm__free(line->powers);
  dorm__free(line->v);
  dorm__free(line);
}

void dorm__net_line_documents(dorm__net_line *line, size_t first, size_t count)
{
  line->block.num_docs = 0;
  dorm__net_block_add(&line->block, first, count);
  dorm__net_block_inputs(&line->block, line->net->weights, line->inputs);
}

bool dorm__net_line_direction(dorm__net_line *line, const double *direction)
{
  bool moves = line->net->hidden > 0;
  line->direction = direction;
  dorm__net_block_inputs(&line->block, direction, line->direct);
  for (size_t j = 1; !moves && j < line->block.num_docs; j++)
    moves = line->direct[j] != line->direct[0];
  return moves;
}

void dorm__net_line_add(dorm__net_line *line, double step, double *scores)
{
  size_t hidden = line->net->hidden;
  size_t count = line->block.num_docs;
  size_t first_v = hidden * line->net->width;
  for (size_t i = 0; i < count * line->num_units; i++)
    line->moved[i] = line->inputs[i] + step * line->direct[i];
  if (!hidden) {
    for (size_t j = 0; j < count; j++)
      scores[j] += line->moved[j];
    return;
  }
  for (size_t k = 0; k < hidden; k++)
    line->v[k] = line->net->weights[first_v + k] + step * line->direction[first_v + k];
  dorm__net_units(count * hidden, line->moved, line->powers);
  for (size_t j = 0; j < count; j++)
    for (size_t k = 0; k < hidden; k++)
      scores[j] += line->v[k] * line->moved[j * hidden + k];
}
