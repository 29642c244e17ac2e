/*
 * ensemble.c: trees and lists of trees, and the scoring of rows. Rows are scored in batches that stay in the cache for
 * all trees. Two methods find the same leaves, both without branches:
 *
 *   descent   LANES rows go down together; a leaf is its own child, so they stop when none of them moves. Costs
 *             O(depth) per row and tree.
 *   columns   the batch is transposed, and each split moves the rows that are at it, GROUP rows by a few vector
 *             instructions. Costs O(leaves / GROUP) per row and tree: for small trees a quarter of the descent.
 */
#include "trees/trees.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  BATCH = 64,         /* rows that all trees score before the next rows */
  LANES = 8,          /* rows that descend at the same time, so that their loads overlap */
  GROUP = 32,         /* rows whose places are one vector of bytes */
  LANE_VALUES = 8,    /* values of one vector */
  SMALL_TREE = 63,    /* nodes of the largest tree that is scored by columns */
  MOST_COLUMNS = 1024 /* features of the widest rows that are transposed (256 kB on the stack) */
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
  dorm__free(tree->sets);
  *tree = (dorm__tree){0};
}

bool dorm__tree_add_set(dorm__tree *tree, size_t node, size_t count, const float *categories)
{
  enum { MOST_CATEGORIES = 1 << 24, MOST_IN_ALL = 1 << 30 }; /* floats and 31 bits hold these exactly */
  if (count > MOST_CATEGORIES || tree->sets_size > MOST_IN_ALL ||
      !DORM__GROW(tree->sets, tree->sets_capacity, tree->sets_size + count + 1))
    return false;
  tree->nodes[node].threshold = DORM__IN_SET;
  tree->nodes[node].set = (tree->sets_size + 1) & 0x7fffffff;
  tree->sets[tree->sets_size++] = (float)count;
  memcpy(tree->sets + tree->sets_size, categories, count * sizeof *categories);
  tree->sets_size += count;
  return true;
}

const float *dorm__tree_set(const dorm__tree *tree, const dorm__tree_node *node, size_t *count)
{
  *count = node->set ? (size_t)tree->sets[node->set - 1] : 0;
  return node->set ? tree->sets + node->set : NULL;
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
    size_t count;
    const float *set = dorm__tree_set(tree, each, &count);
    for (size_t i = 0; i < count; i++)
      if (!isfinite(set[i]) || (i && !(set[i - 1] < set[i])))
        return "the categories do not increase";
    if (each->child != next)
      return "the children are not the next two nodes that have no parent yet";
    next += 2;
  }
  if (tree->num_nodes && next == tree->num_nodes)
    return NULL;
  *node = tree->num_nodes ? tree->num_nodes - 1 : 0;
  return "the tree has fewer nodes than its splits have children";
}

/* Returns the next node of a row, without a branch. A NaN value compares as false. */
static inline uint32_t next_node(const dorm__tree_node *node, float value)
{
  return node->child + ((uint32_t)(value >= node->threshold) | ((uint32_t)(value != value) & node->absent));
}

/* Returns the number that a split compares with its threshold. */
static float compared(const dorm__tree *tree, const dorm__tree_node *node, float value)
{
  size_t count, low = 0;
  const float *set = dorm__tree_set(tree, node, &count);
  if (!set || value != value)
    return value;
  for (size_t end = count; low < end;) {
    size_t middle = (low + end) / 2;
    if (set[middle] < value)
      low = middle + 1;
    else
      end = middle;
  }
  return low < count && set[low] == value ? 0 : 1;
}

size_t dorm__tree_side(const dorm__tree *tree, const dorm__tree_node *node, float value)
{
  return next_node(node, compared(tree, node, value)) - node->child;
}

/* Finds the leaves of LANES rows, which are `width` values apart. */
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

static uint32_t descend_one(const dorm__tree *tree, const float *row)
{
  uint32_t node = 0;
  for (;;) {
    const dorm__tree_node *at = &tree->nodes[node];
    uint32_t next = next_node(at, compared(tree, at, row[at->feature]));
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
  for (; !tree->sets_size && i + LANES <= count; i += LANES)
    descend(tree->nodes, width, rows + i * width, leaves + i);
  for (; i < count; i++)
    leaves[i] = descend_one(tree, rows + i * width);
}

/* ---- Many trees ------------------------------------------------------------------ */

dorm_status dorm__ensemble_add(dorm_context *context, dorm__ensemble *ensemble, dorm__tree *tree)
{
  if (!DORM__GROW(ensemble->trees, ensemble->capacity, ensemble->num_trees + 1)) {
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
    if (!DORM__GROW(tree.sets, tree.sets_capacity, from->sets_size)) {
      dorm__tree_clear(&tree);
      status = dorm__out_of_memory(context, "trees");
      break;
    }
    if (from->sets_size)
      memcpy(tree.sets, from->sets, from->sets_size * sizeof *tree.sets);
    tree.sets_size = from->sets_size;
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

bool dorm__ensemble_find_categories(const dorm__ensemble *ensemble, bool *is_category)
{
  bool is_good = true;
  for (int pass = 0; pass < 2; pass++)
    for (size_t t = 0; t < ensemble->num_trees; t++)
      for (size_t n = 0; n < ensemble->trees[t].num_nodes; n++) {
        const dorm__tree_node *node = &ensemble->trees[t].nodes[n];
        bool has_threshold =
            !dorm__tree_node_is_leaf(&ensemble->trees[t], n) && !node->set && node->threshold > -FLT_MAX;
        if (node->set)
          is_category[node->feature] = true;
        else if (has_threshold && is_category[node->feature])
          is_good = false;
      }
  return is_good;
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

/* ---- Scores by columns ------------------------------------------------------------- */

typedef float eight_values __attribute__((vector_size(4 * LANE_VALUES)));

/* The nodes at which GROUP rows are, a byte each. Lane j of vector k of a column has row 4 j + k, so that comparisons
 * of four vectors fill the bytes. */
typedef uint8_t places __attribute__((vector_size(GROUP)));

typedef struct column {
  eight_values values[BATCH / LANE_VALUES];
} column;

/* QUARTER(k): all bits of bytes k, k + 4, k + 8 ... */
#define FOUR(k) (k) == 0 ? 255 : 0, (k) == 1 ? 255 : 0, (k) == 2 ? 255 : 0, (k) == 3 ? 255 : 0
#define QUARTER(k)                                                                                                     \
  {                                                                                                                    \
    FOUR(k), FOUR(k), FOUR(k), FOUR(k), FOUR(k), FOUR(k), FOUR(k), FOUR(k)                                             \
  }
static const places quarters[4] = {QUARTER(0), QUARTER(1), QUARTER(2), QUARTER(3)};

static void transpose(size_t width, size_t count, const float *rows, column *columns)
{
  uint8_t place[BATCH];
  for (size_t i = 0; i < BATCH; i++)
    place[i] = (uint8_t)(i / GROUP * GROUP + i % 4 * LANE_VALUES + i % GROUP / 4);
  for (size_t f = 0; f < width; f++) {
    float values[BATCH] = {0};
    for (size_t i = 0; i < count; i++)
      values[place[i]] = rows[i * width + f];
    memcpy(&columns[f], values, sizeof values);
  }
}

/* Moves the rows at split `number` to its children. A NaN value compares as false. */
static inline __attribute__((always_inline)) void move_rows(const dorm__tree_node *split, uint8_t number,
                                                            const column *feature, size_t num_groups, places *groups)
{
  eight_values threshold = split->threshold - (eight_values){0};
  places none = {0};
  places at = none + number;
  places left = none + (uint8_t)split->child;
  const eight_values *values = feature->values;
  for (size_t g = 0; g < num_groups; g++, values += 4) {
    places is_right;
    if (split->absent)
      is_right = ~((quarters[0] & (places)(values[0] < threshold)) | (quarters[1] & (places)(values[1] < threshold)) |
                   (quarters[2] & (places)(values[2] < threshold)) | (quarters[3] & (places)(values[3] < threshold)));
    else
      is_right = (quarters[0] & (places)(values[0] >= threshold)) | (quarters[1] & (places)(values[1] >= threshold)) |
                 (quarters[2] & (places)(values[2] >= threshold)) | (quarters[3] & (places)(values[3] >= threshold));
    places is_here = (places)(groups[g] == at);
    groups[g] = (is_here & (left - is_right)) | (~is_here & groups[g]);
  }
}

/* Adds the values of a small tree to outputs [count][stride]. */
DORM__WIDE_VECTORS
static void add_by_columns(const dorm__tree *tree, const column *columns, size_t count, size_t stride, double *outputs)
{
  places groups[BATCH / GROUP] = {{0}};
  uint8_t splits[SMALL_TREE + 1];
  size_t num_splits = 0;
  for (size_t n = 0; n < tree->num_nodes; n++) { /* without a branch, since many would be mispredicted */
    splits[num_splits] = (uint8_t)n;
    num_splits += !dorm__tree_node_is_leaf(tree, n);
  }
  for (size_t s = 0; s < num_splits; s++) {
    const dorm__tree_node *split = &tree->nodes[splits[s]];
    move_rows(split, splits[s], &columns[split->feature], (count + GROUP - 1) / GROUP, groups);
  }
  const uint8_t *place = (const uint8_t *)groups;
  for (size_t i = 0; i < count; i++)
    outputs[i * stride] += tree->values[place[i]];
}

static bool goes_by_columns(const dorm__tree *tree, const column *columns)
{
  return columns && tree->num_nodes <= SMALL_TREE && !tree->sets_size;
}

/* Adds the outputs of a batch. `columns` are its rows transposed, or NULL. */
static void add_batch(const dorm__ensemble *ensemble, size_t first, size_t count, const float *rows,
                      const column *columns, double *outputs)
{
  uint32_t leaves[BATCH];
  size_t num_outputs = ensemble->num_outputs;
  for (size_t t = first; t < ensemble->num_trees; t++) {
    const dorm__tree *tree = &ensemble->trees[t];
    double *of_tree = outputs + t % num_outputs;
    if (goes_by_columns(tree, columns)) {
      add_by_columns(tree, columns, count, num_outputs, of_tree);
      continue;
    }
    dorm__tree_find_leaves(tree, ensemble->width, count, rows, leaves);
    for (size_t i = 0; i < count; i++)
      of_tree[i * num_outputs] += tree->values[leaves[i]];
  }
}

/* Transposes a batch and adds its outputs. This does not pay for small batches or few trees. */
static void transpose_and_add_batch(const dorm__ensemble *ensemble, size_t first, size_t count, const float *rows,
                                    double *outputs)
{
  column columns[MOST_COLUMNS];
  transpose(ensemble->width, count, rows, columns);
  add_batch(ensemble, first, count, rows, columns, outputs);
}

static bool pays_to_transpose(const dorm__ensemble *ensemble, size_t first, size_t count)
{
  return count >= LANES && ensemble->width <= MOST_COLUMNS && ensemble->num_trees >= first + LANES;
}

void dorm__ensemble_add_outputs(const dorm__ensemble *ensemble, size_t first, size_t count, const float *rows,
                                size_t num_threads, double *outputs)
{
  size_t num_batches = (count + BATCH - 1) / BATCH;
#pragma omp parallel for schedule(static) num_threads((int)num_threads) if (num_threads > 1)
  for (size_t batch = 0; batch < num_batches; batch++) {
    size_t doc = batch * BATCH;
    size_t num_rows = count - doc < BATCH ? count - doc : BATCH;
    if (pays_to_transpose(ensemble, first, num_rows))
      transpose_and_add_batch(ensemble, first, num_rows, rows + doc * ensemble->width,
                              outputs + doc * ensemble->num_outputs);
    else
      add_batch(ensemble, first, num_rows, rows + doc * ensemble->width, NULL, outputs + doc * ensemble->num_outputs);
  }
}

/* The outputs to which a visit of rows adds. */
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
    return rows->visit(context, rows->user, 0, ensemble->width - rows->num_ranks, add_visited, &to);
  add_visited(&to, 0, rows->num_docs, rows->values);
  return DORM_OK;
}
