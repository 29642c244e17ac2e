/* net.c: a net, its initial weights, and the scores of many documents. */
#include "base/linalg.h"
#include "nets/block.h"
#include "nets/nets.h"

#include <math.h>
#include <omp.h>
#include <string.h>

size_t dorm__net_size(size_t width, size_t hidden)
{
  return hidden ? hidden * (width + 2) : width;
}

dorm_status dorm__net_new(dorm_context *context, size_t width, size_t hidden, dorm__net *net)
{
  bool fits = !hidden || width + 2 <= SIZE_MAX / sizeof(double) / hidden;
  *net = (dorm__net){.width = width, .hidden = hidden};
  if (fits)
    net->weights = dorm__alloc_zero(dorm__net_size(width, hidden), sizeof *net->weights);
  return net->weights ? DORM_OK : dorm__out_of_memory(context, "a net");
}

dorm_status dorm__net_copy(dorm_context *context, const dorm__net *net, dorm__net *copy)
{
  dorm_status status = dorm__net_new(context, net->width, net->hidden, copy);
  if (status == DORM_OK)
    memcpy(copy->weights, net->weights, dorm__net_size(net->width, net->hidden) * sizeof *net->weights);
  return status;
}

void dorm__net_clear(dorm__net *net)
{
  dorm__free(net->weights);
  *net = (dorm__net){0};
}

/* ---- Starts -------------------------------------------------------------------------- */

/* Computes means and standard deviations [width] of the features over the rows, or every n-th of many rows, since one
 * thread reads them. A sparse row is 0 at features for which it has no entry. */
static void find_moments(const dorm__features *rows, double *means, double *deviations)
{
  size_t width = rows->num_features;
  enum { MOST_ROWS = 1 << 16 };
  size_t step = 1 + rows->num_docs / MOST_ROWS;
  double share = 1 / ceil((double)rows->num_docs / (double)step);
  memset(means, 0, width * sizeof *means);
  memset(deviations, 0, width * sizeof *deviations);
  for (size_t j = 0; j < rows->num_docs; j += step) {
    dorm__row row = dorm__features_row(rows, j);
    for (size_t e = 0; e < row.count; e++) {
      size_t f = row.indices ? row.indices[e] : e;
      double value = dorm__row_value(&row, e);
      means[f] += share * value;
      deviations[f] += share * value * value;
    }
  }
  for (size_t f = 0; f < width; f++)
    deviations[f] = sqrt(fmax(0, deviations[f] - means[f] * means[f]));
}

/* Draws w [width] such that <w, x> would have a standard deviation near 1 over the rows if the features were
 * independent. */
static void draw_unit(size_t width, const double *deviations, dorm__random *random, double *w)
{
  double square = 0;
  for (size_t f = 0; f < width; f++) {
    w[f] = dorm__random_normal(random);
    square += deviations[f] * deviations[f];
  }
  for (size_t f = 0; f < width; f++)
    w[f] = square > 0 ? w[f] / sqrt(square) : 0;
}

/* Draws hidden units from number `first` on. The threshold of a unit makes the mean of its inputs 0. */
static void draw_units(size_t first, const double *means, const double *deviations, dorm__random *random,
                       dorm__net *net)
{
  double *thresholds = net->weights + net->hidden * (net->width + 1);
  for (size_t k = first; k < net->hidden; k++) {
    double *unit = net->weights + k * net->width;
    draw_unit(net->width, deviations, random, unit);
    thresholds[k] = -dorm__dot(net->width, unit, means);
  }
}

dorm_status dorm__net_draw(dorm_context *context, const dorm__features *rows, dorm__random *random, dorm__net *net)
{
  DORM__FREED double *means = dorm__alloc(net->width, sizeof *means);
  DORM__FREED double *deviations = dorm__alloc(net->width, sizeof *deviations);
  if (!means || !deviations)
    return dorm__out_of_memory(context, "a net");
  find_moments(rows, means, deviations);
  if (!net->hidden)
    draw_unit(net->width, deviations, random, net->weights);
  draw_units(0, means, deviations, random, net);
  for (size_t k = 0; k < net->hidden; k++)
    net->weights[net->hidden * net->width + k] = dorm__random_normal(random) / sqrt((double)net->hidden);
  return DORM_OK;
}

dorm_status dorm__net_start_linear(dorm_context *context, const dorm__features *rows, const double *w, double spread,
                                   dorm__random *random, dorm__net *net)
{
  static const double linear = 0.25; /* tanh is linear within 2 % up to this input */
  double factor = spread > 0 ? 1 / spread : 1;
  double *v = net->weights + net->hidden * net->width;
  DORM__FREED double *means = dorm__alloc(net->width, sizeof *means);
  DORM__FREED double *deviations = dorm__alloc(net->width, sizeof *deviations);
  if (!means || !deviations)
    return dorm__out_of_memory(context, "a net");
  memset(net->weights, 0, net->width * sizeof *w);
  dorm__add_scaled(net->width, net->hidden ? factor * linear : factor, w, net->weights);
  if (net->hidden) {
    find_moments(rows, means, deviations);
    memset(v, 0, net->hidden * sizeof *v);
    v[0] = 1 / linear;
    v[net->hidden] = -dorm__dot(net->width, net->weights, means);
    draw_units(1, means, deviations, random, net);
  }
  return DORM_OK;
}

/* ---- Scores ---------------------------------------------------------------------------- */

/* The same documents share a block whatever the number of threads, so BLAS gives the same bits. */
dorm_status dorm__net_score(dorm_context *context, const dorm__net *net, const dorm__features *rows, size_t num_threads,
                            double *scores)
{
  size_t room = dorm__net_block_room(net->width, 1);
  size_t num_blocks = (rows->num_docs + room - 1) / room;
  dorm_status status = DORM_OK;
  DORM__FREED dorm__net_block *blocks = dorm__alloc_zero(num_threads, sizeof *blocks);
  if (!blocks)
    return dorm__out_of_memory(context, "a net");
  for (size_t i = 0; status == DORM_OK && i < num_threads; i++)
    status = dorm__net_block_new(context, rows, net->hidden, room, &blocks[i]);
  if (status == DORM_OK) {
#pragma omp parallel for schedule(static) num_threads((int)num_threads) if (num_threads > 1)
    for (size_t b = 0; b < num_blocks; b++) {
      dorm__net_block *block = &blocks[omp_get_thread_num()];
      size_t first = b * room;
      block->num_docs = 0;
      dorm__net_block_add(block, first, rows->num_docs - first < room ? rows->num_docs - first : room);
      dorm__net_block_forward(block, net);
      memcpy(scores + first, block->scores, block->num_docs * sizeof *scores);
    }
  }
  for (size_t i = 0; i < num_threads; i++)
    dorm__net_block_clear(&blocks[i]);
  return status;
}
