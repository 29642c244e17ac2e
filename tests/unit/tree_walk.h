/* tree_walk.h: the leaf of a row, one comparison after the other, and random sets of categories. */
#ifndef DORM_TESTS_TREE_WALK_H
#define DORM_TESTS_TREE_WALK_H

#include "tests/unit/unit.h"

/* The side of a value at a split. */
static inline size_t unit_side(const dorm__tree *tree, const dorm__tree_node *node, double value)
{
  size_t count;
  const float *set = dorm__tree_set(tree, node, &count);
  if (isnan(value))
    return node->absent;
  for (size_t i = 0; i < count; i++)
    if ((double)set[i] == value)
      return 0;
  return set || !(value < (double)node->threshold);
}

/* Makes node n of a tree a split by some of the categories 0 .. 7. */
static inline bool unit_random_set(dorm__random *random, dorm__tree *tree, size_t n)
{
  float categories[8];
  size_t count = 0;
  while (!count)
    for (size_t c = 0; c < 8; c++)
      if (dorm__random_below(random, 2))
        categories[count++] = (float)c;
  return dorm__tree_add_set(tree, n, count, categories);
}

static inline size_t unit_walk(const dorm__tree *tree, const float *row)
{
  size_t node = 0;
  while (tree->nodes[node].child != node) {
    node = tree->nodes[node].child + unit_side(tree, &tree->nodes[node], (double)row[tree->nodes[node].feature]);
  }
  return node;
}

#endif
