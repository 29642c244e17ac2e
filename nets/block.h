/* block.h: some documents that go through a net together, so that their rows are in the cache for both directions. */
#ifndef DORM_NETS_BLOCK_H
#define DORM_NETS_BLOCK_H

#include "nets/nets.h"

typedef struct dorm__net_block {
  const dorm__features *features; /* borrowed */
  size_t hidden;
  size_t room;     /* documents, at most */
  size_t num_docs; /* in the block now */
  size_t *docs;    /* [room] their numbers */
  double *scores;  /* [room] */
  double *rows;    /* [room][width] in doubles; NULL without hidden units */
  double *outputs; /* [room][hidden] tanh of the hidden units, later the derivatives of the cost by their inputs */
  double *powers;  /* [room][hidden] scratch */
} dorm__net_block;

/* A number of documents whose rows fit into the cache, at least `least`. */
size_t dorm__net_block_room(size_t width, size_t least);
dorm_status dorm__net_block_new(dorm_context *context, const dorm__features *features, size_t hidden, size_t room,
                                dorm__net_block *block);
void dorm__net_block_clear(dorm__net_block *block);
/* Adds the documents first .. first + count - 1, for which there is room. */
void dorm__net_block_add(dorm__net_block *block, size_t first, size_t count);
/* The inputs of the hidden units [num_docs][hidden], or the scores [num_docs] of a single layer, under these weights.
 */
void dorm__net_block_inputs(const dorm__net_block *block, const double *weights, double *inputs);
/* inputs[count] become their tanh; powers[count] is scratch. */
void dorm__net_units(size_t count, double *inputs, double *powers);
/* Computes the scores. */
void dorm__net_block_forward(dorm__net_block *block, const dorm__net *net);
/* slope += sum over the block's documents of lambdas[j] dg_j / dweight, after a forward pass by the same net. */
void dorm__net_block_backward(dorm__net_block *block, const dorm__net *net, const double *lambdas, double *slope);

#endif
