/*
 * ensemble.c: trees and lists of trees, and the scoring of rows. Rows are scored in batches that stay in the cache
 * while all trees go over them; within a batch several rows descend a tree at the same time, without branches: a leaf
 * is its own child, so the descent of a group of rows ends when none of them moves. Costs O(depth) per row and tree.
 */
#include "trees/trees.h"

#include <math.h>
#include <string.h>

enum {
  BATCH = 64, /* rows that all trees go over before the next rows */
  LANES = 8   /* rows that descend at the same time, so that loads of several rows are under way */
};

/* ---- One tree ------------------------------------------------------------------ */

bool dorm__tree_node_is_leaf(const dorm__tree *tree, size_t node)
{
  return tree->nodes[node].child == node;
}

bool dorm__tree_make(size_t num_nodes, dorm__tree *tree)
{
  *tree = (dorm__tree){.num_nodes = num_nodes,
                       .nodes = dorm__alloc_zero(num_nodes, sizeof *tree->nodes),
                       .values = dorm__alloc_zero(num_nodes, sizeof *tree->values),
                       .gains = dorm__alloc_zero(num_nodes, sizeof *tree->gains)};
  if (tree->nodes && tree->values && tree->gains)
    return true;
  dorm__tree_clear(tree);
  return false;
}

void dorm__tree_clear(dorm__tree *tree)
{
  dorm__free(tree->nodes);
  dorm__free(tree->values);
  dorm__free(tree->gains);
  *tree = (dorm__tree){0};
}

void dorm__tree_scale(dorm__tree *tree, double factor)
{
  for (size_t n = 0; n < tree->num_nodes; n++) {
    tree->values[n] *= factor;
    tree->gains[n] *= fabs(factor);
  }
}

const char *dorm__tree_fault(const dorm__tree *tree, size_t width, size_t *node)
{
  size_t next = 1; /* the first node that is nobody's child yet */
  for (*node = 0; *node < tree->num_nodes; ++*node) {
    const dorm__tree_node *each = &tree->nodes[*node];
    if (*node >= next)
      return "no split has this node as a child";
    if (!isfinite(tree->values[*node]))
      return "the value is not finite";
    if (dorm__tree_node_is_leaf(tree, *node))
      continue;
    if (each->feature >= width)
      return "the feature is not in the model";
    if (!isfinite(each->threshold))
      return "the threshold is not finite";
    if (each->child != next)
      return "the children are not the next two nodes that have no parent yet";
    next += 2;
  }
  if (tree->num_nodes && next == tree->num_nodes)
    return NULL;
  *node = tree->num_nodes ? tree->num_nodes - 1 : 0;
  return "the tree has fewer nodes than its splits have children";
}

/* The next node of a row, without a branch. A value that is NaN compares as false. */
static inline uint32_t next_node(const dorm__tree_node *node, float value)
{
  return node->child + ((uint32_t)(value >= node->threshold) | ((uint32_t)(value != value) & node->absent));
}

/* The leaves of LANES rows, which are `width` values apart. */
static inline void descend(const dorm__tree_node *nodes, size_t width, const float *rows, uint32_t leaves[LANES])
{
  uint32_t moved = 1;
  for (size_t i = 0; i < LANES; i++)
    leaves[i] = 0;
  while (moved) {
    moved = 0;
    for (size_t i = 0; i < LANES; i++) {
      const dorm__tree_node *node = &nodes[leaves[i]];
      uint32_t next = next_node(node, rows[i * width + node->feature]);
      moved |= next ^ leaves[i];
      leaves[i] = next;
    }
  }
}

static uint32_t descend_one(const dorm__tree_node *nodes, const float *row)
{
  uint32_t node = 0;
  for (;;) {
    uint32_t next = next_node(&nodes[node], row[nodes[node].feature]);
    if (next == node)
      return node;
    node = next;
  }
}

void dorm__tree_find_leaves(const dorm__tree *tree, size_t width, size_t count, const float *rows, uint32_t *leaves)
{
  size_t i = 0;
  if (tree->num_nodes == 1) { /* rows may be empty */
    memset(leaves, 0, count * sizeof *leaves);
    return;
  }
  for (; i + LANES <= count; i += LANES)
    descend(tree->nodes, width, rows + i * width, leaves + i);
  for (; i < count; i++)
    leaves[i] = descend_one(tree->nodes, rows + i * width);
}

/* ---- Many trees ------------------------------------------------------------------ */

dorm_status dorm__ensemble_add(dorm_context *context, dorm__ensemble *ensemble, dorm__tree *tree)
{
  if (!dorm__grow((void **)&ensemble->trees, &ensemble->capacity, ensemble->num_trees + 1, sizeof *ensemble->trees)) {
    dorm__tree_clear(tree);
    return dorm__out_of_memory(context, "trees");
  }
  ensemble->trees[ensemble->num_trees++] = *tree;
  *tree = (dorm__tree){0};
  return DORM_OK;
}

dorm_status dorm__ensemble_copy(dorm_context *context, const dorm__ensemble *ensemble, size_t num_trees,
                                dorm__ensemble *copy)
{
  dorm_status status = DORM_OK;
  *copy = (dorm__ensemble){.width = ensemble->width, .num_outputs = ensemble->num_outputs};
  for (size_t t = 0; status == DORM_OK && t < num_trees; t++) {
    const dorm__tree *from = &ensemble->trees[t];
    dorm__tree tree;
    if (!dorm__tree_make(from->num_nodes, &tree)) {
      status = dorm__out_of_memory(context, "trees");
      break;
    }
    memcpy(tree.nodes, from->nodes, from->num_nodes * sizeof *tree.nodes);
    memcpy(tree.values, from->values, from->num_nodes * sizeof *tree.values);
    memcpy(tree.gains, from->gains, from->num_nodes * sizeof *tree.gains);
    status = dorm__ensemble_add(context, copy, &tree);
  }
  if (status != DORM_OK)
    dorm__ensemble_clear(copy);
  return status;
}

void dorm__ensemble_clear(dorm__ensemble *ensemble)
{
  for (size_t t = 0; t < ensemble->num_trees; t++)
    dorm__tree_clear(&ensemble->trees[t]);
  dorm__free(ensemble->trees);
  *ensemble = (dorm__ensemble){0};
}

bool dorm__ensemble_uses(const dorm__ensemble *ensemble, size_t first)
{
  for (size_t t = 0; t < ensemble->num_trees; t++)
    for (size_t n = 0; n < ensemble->trees[t].num_nodes; n++)
      if (!dorm__tree_node_is_leaf(&ensemble->trees[t], n) && ensemble->trees[t].nodes[n].feature >= first)
        return true;
  return false;
}

size_t dorm__ensemble_num_leaves(const dorm__ensemble *ensemble)
{
  size_t count = 0;
  for (size_t t = 0; t < ensemble->num_trees; t++)
    count += (ensemble->trees[t].num_nodes + 1) / 2;
  return count;
}

static void add_batch(const dorm__ensemble *ensemble, size_t first, size_t count, const float *rows, double *outputs)
{
  uint32_t leaves[BATCH];
  size_t num_outputs = ensemble->num_outputs;
  for (size_t t = first; t < ensemble->num_trees; t++) {
    const dorm__tree *tree = &ensemble->trees[t];
    dorm__tree_find_leaves(tree, ensemble->width, count, rows, leaves);
    for (size_t i = 0; i < count; i++)
      outputs[i * num_outputs + t % num_outputs] += tree->values[leaves[i]];
  }
}

void dorm__ensemble_add_outputs(const dorm__ensemble *ensemble, size_t first, size_t count, const float *rows,
                                size_t num_threads, double *outputs)
{
  size_t num_batches = (count + BATCH - 1) / BATCH;
#pragma omp parallel for schedule(static) num_threads((int)num_threads) if (num_threads > 1)
  for (size_t batch = 0; batch < num_batches; batch++) {
    size_t doc = batch * BATCH;
    add_batch(ensemble, first, count - doc < BATCH ? count - doc : BATCH, rows + doc * ensemble->width,
              outputs + doc * ensemble->num_outputs);
  }
}

/* The outputs that a visit of rows adds to. */
typedef struct adding {
  const dorm__ensemble *ensemble;
  size_t num_threads;
  double *outputs;
} adding;

static void add_visited(void *user, size_t first, size_t count, const float *rows)
{
  const adding *to = user;
  dorm__ensemble_add_outputs(to->ensemble, 0, count, rows, to->num_threads,
                             to->outputs + first * to->ensemble->num_outputs);
}

dorm_status dorm__ensemble_add_outputs_of(dorm_context *context, const dorm__ensemble *ensemble,
                                          const dorm__tree_rows *rows, size_t num_threads, double *outputs)
{
  adding to = {.ensemble = ensemble, .num_threads = num_threads, .outputs = outputs};
  if (!rows->values)
    return rows->visit(context, rows->user, add_visited, &to);
  add_visited(&to, 0, rows->num_docs, rows->values);
  return DORM_OK;
}
