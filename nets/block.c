/*
 * block.c: the forward and the backward pass through a net for a block of documents with rows X [count][width]. The
 * backward pass adds to the slopes, given λ_j = the wanted move of the score g_j:
 *
 *   hidden = 0   g = X w                            slope += X' λ
 *   else         A = tanh(X W' + 1 t'), g = A v     slope of v += A' λ,   D[j][k] = λ_j v_k (1 - A[j][k]^2),
 *                                                   slope of W += D' X,   slope of t += column sums of D
 *
 * With hidden units each pass is one matrix product by BLAS with count * width * hidden multiply-adds. The speed of a
 * single layer is limited by memory. So it does not copy the rows, and a block is so small that the backward pass finds
 * its rows in the cache.
 */
#include "nets/block.h"
#include "base/lanes.h"
#include "base/linalg.h"

#include <math.h>
#include <string.h>

size_t dorm__net_block_room(size_t width, size_t least)
{
  enum { NUMBERS = 32768, MOST = 1024 }; /* 256 kB of doubles */
  size_t room = width < NUMBERS ? NUMBERS / (width + 1) : 1;
  room = room < MOST ? room : MOST;
  return room > least ? room : least;
}

dorm_status dorm__net_block_new(dorm_context *context, const dorm__features *features, size_t hidden, size_t room,
                                dorm__net_block *block)
{
  *block = (dorm__net_block){.features = features, .hidden = hidden, .room = room};
  block->docs = dorm__region_take_zero(&block->memory, room, sizeof *block->docs);
  block->scores = dorm__region_take_zero(&block->memory, room, sizeof *block->scores);
  if (hidden) {
    block->rows = dorm__region_take_zero(&block->memory, room, features->num_features * sizeof *block->rows);
    block->outputs = dorm__region_take_zero(&block->memory, room, hidden * sizeof *block->outputs);
    block->powers = dorm__region_take_zero(&block->memory, room, hidden * sizeof *block->powers);
  }
  return block->memory.is_short ? dorm__out_of_memory(context, "a net") : DORM_OK;
}

void dorm__net_block_clear(dorm__net_block *block)
{
  dorm__region_clear(&block->memory);
  *block = (dorm__net_block){0};
}

DORM__WIDE_VECTORS
static void widen(size_t count, const float *restrict values, double *restrict doubles)
{
  for (size_t i = 0; i < count; i++)
    doubles[i] = (double)values[i];
}

void dorm__net_block_add(dorm__net_block *block, size_t first, size_t count)
{
  size_t width = block->features->num_features;
  for (size_t i = 0; i < count; i++)
    block->docs[block->num_docs + i] = first + i;
  const dorm__features *features = block->features;
  if (block->hidden) {
    dorm__file_memory_use(features->file, features->values + first * width, count * width * sizeof *features->values);
    widen(count * width, block->features->values + first * width, block->rows + block->num_docs * width);
  }
  block->num_docs += count;
}

/* Adds the thresholds t [hidden] to each row of inputs [num_docs][hidden]. */
DORM__WIDE_VECTORS
static void add_thresholds(size_t num_docs, size_t hidden, const double *restrict thresholds, double *restrict inputs)
{
  for (size_t j = 0; j < num_docs; j++, inputs += hidden)
    for (size_t k = 0; k < hidden; k++)
      inputs[k] += thresholds[k];
}

/* Sets powers = -2 |inputs|. */
DORM__WIDE_VECTORS
static void take_powers(size_t count, const double *restrict inputs, double *restrict powers)
{
  for (size_t i = 0; i < count; i++)
    powers[i] = -2 * fabs(inputs[i]);
}

/* Replaces each input by its tanh: (1 - e) / (1 + e) with the sign of the input. powers hold e = exp(-2 |input|). */
DORM__WIDE_VECTORS
static void take_tanh(size_t count, const double *restrict powers, double *restrict inputs)
{
  for (size_t i = 0; i < count; i++)
    inputs[i] = copysign((1 - powers[i]) / (1 + powers[i]), inputs[i]);
}

/* Adds the terms of one document to the slopes of v and t, and replaces its outputs A_j [hidden] by D_j. */
DORM__WIDE_VECTORS
static void derive(size_t hidden, double lambda, const double *restrict v, double *restrict outputs,
                   double *restrict slope_v, double *restrict slope_t)
{
  for (size_t k = 0; k < hidden; k++) {
    slope_v[k] += lambda * outputs[k];
    outputs[k] = lambda * v[k] * (1 - outputs[k] * outputs[k]);
    slope_t[k] += outputs[k];
  }
}

void dorm__net_units(size_t count, double *inputs, double *powers)
{
  take_powers(count, inputs, powers);
  dorm__exponentials(count, powers);
  take_tanh(count, powers, inputs);
}

void dorm__net_block_inputs(const dorm__net_block *block, const double *weights, double *inputs)
{
  size_t width = block->features->num_features;
  size_t hidden = block->hidden;
  for (size_t i = 0, count; !hidden && i < block->num_docs; i += count) { /* adjacent documents are scored together */
    for (count = 1; i + count < block->num_docs && block->docs[i + count] == block->docs[i] + count;)
      count++;
    dorm__features_score(block->features, block->docs[i], count, weights, inputs + i);
  }
  if (!hidden)
    return;
  dorm__multiply_transposed(block->num_docs, hidden, width, 1, block->rows, width, weights, width, 0, inputs, hidden);
  add_thresholds(block->num_docs, hidden, weights + hidden * (width + 1), inputs);
}

void dorm__net_block_forward(dorm__net_block *block, const dorm__net *net)
{
  size_t hidden = net->hidden;
  dorm__net_block_inputs(block, net->weights, hidden ? block->outputs : block->scores);
  if (!hidden)
    return;
  dorm__net_units(block->num_docs * hidden, block->outputs, block->powers);
  dorm__matrix_vector(block->num_docs, hidden, block->outputs, net->weights + hidden * net->width, block->scores);
}

void dorm__net_block_backward(dorm__net_block *block, const dorm__net *net, const double *lambdas, double *slope)
{
  size_t width = net->width;
  size_t hidden = net->hidden;
  const double *v = net->weights + hidden * width;
  double *slope_v = slope + hidden * width;
  double *slope_t = slope_v + hidden;
  if (!hidden) {
    for (size_t j = 0; j < block->num_docs; j++)
      if (lambdas[j] != 0)
        dorm__features_add(block->features, block->docs[j], lambdas[j], slope);
    return;
  }
  for (size_t j = 0; j < block->num_docs; j++)
    derive(hidden, lambdas[j], v, block->outputs + j * hidden, slope_v, slope_t);
  dorm__add_product_over_rows(hidden, width, block->num_docs, block->outputs, block->rows, slope);
}
