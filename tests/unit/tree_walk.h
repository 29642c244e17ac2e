/* tree_walk.h: the leaf of a row, one comparison after the other. */
#ifndef DORM_TESTS_TREE_WALK_H
#define DORM_TESTS_TREE_WALK_H

#include "trees/trees.h"

#include <math.h>

static inline size_t unit_walk(const dorm__tree *tree, const float *row)
{
  size_t node = 0;
  while (tree->nodes[node].child != node) {
    float value = row[tree->nodes[node].feature];
    size_t side = isnan(value) ? tree->nodes[node].absent : !(value < tree->nodes[node].threshold);
    node = tree->nodes[node].child + side;
  }
  return node;
}

#endif
