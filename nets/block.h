/* block.h: a block of documents that pass through a net together, so that their rows stay in the cache for both passes.
 */
#ifndef DORM_NETS_BLOCK_H
#define DORM_NETS_BLOCK_H

#include "base/memory.h"
#include "nets/nets.h"

typedef struct dorm__net_block {
  dorm__region memory;            /* of the arrays below */
  const dorm__features *features; /* borrowed */
  size_t hidden;
  size_t room;     /* largest number of documents */
  size_t num_docs; /* in the block */
  size_t *docs;    /* [room] document numbers */
  double *scores;  /* [room] */
  double *rows;    /* [room][width] in doubles, or NULL without hidden units */
  double *outputs; /* [room][hidden] tanh of the inputs, later derivatives of the cost by the inputs */
  double *powers;  /* [room][hidden] scratch */
} dorm__net_block;

/* Returns the number of documents whose rows fit into the cache, but at least `least`. */
size_t dorm__net_block_room(size_t width, size_t least);
dorm_status dorm__net_block_new(dorm_context *context, const dorm__features *features, size_t hidden, size_t room,
                                dorm__net_block *block);
void dorm__net_block_clear(dorm__net_block *block);
/* Adds the documents first .. first + count - 1. The block must have room for them. */
void dorm__net_block_add(dorm__net_block *block, size_t first, size_t count);
/* Computes the inputs of the hidden units [num_docs][hidden], or the scores [num_docs] of a single layer. */
void dorm__net_block_inputs(const dorm__net_block *block, const double *weights, double *inputs);
/* Replaces inputs[count] by their tanh. powers[count] is scratch. */
void dorm__net_units(size_t count, double *inputs, double *powers);
/* Computes the scores. */
void dorm__net_block_forward(dorm__net_block *block, const dorm__net *net);
/* Adds the sum over the block's documents of lambdas[j] dg_j / dweight to slope. Needs a forward pass of the same net
 * first. */
void dorm__net_block_backward(dorm__net_block *block, const dorm__net *net, const double *lambdas, double *slope);

#endif
