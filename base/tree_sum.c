/* tree_sum.c: see tree_sum.h. */
#include "base/tree_sum.h"
#include "base/base.h"
#include "base/linalg.h"

#include <stdbool.h>
#include <string.h>

/* Whether the last two sums are the two halves of one of the tree. */
static bool has_siblings(const dorm__tree_sum *sum)
{
  if (sum->count < 2)
    return false;
  unsigned level = sum->level[sum->count - 1];
  return sum->level[sum->count - 2] == level && !(sum->next & (((size_t)2 << level) - 1));
}

void dorm__tree_sum_push(dorm__tree_sum *sum, unsigned level, double *values)
{
  sum->level[sum->count] = level;
  sum->part[sum->count++] = values;
  sum->next += (size_t)1 << level;
  while (has_siblings(sum)) {
    double *right = sum->part[--sum->count];
    dorm__add_scaled(sum->width, 1, right, sum->part[sum->count - 1]);
    dorm__free(right);
    sum->level[sum->count - 1]++;
  }
}

void dorm__tree_sum_join(dorm__tree_sum *sum, dorm__tree_sum *following)
{
  for (size_t i = 0; i < following->count; i++)
    dorm__tree_sum_push(sum, following->level[i], following->part[i]);
  following->count = 0;
}

void dorm__tree_sum_total(const dorm__tree_sum *sum, double *values)
{
  memset(values, 0, sum->width * sizeof *values);
  for (size_t i = sum->count; i-- > 0;)
    dorm__add_scaled(sum->width, 1, sum->part[i], values);
}

void dorm__tree_sum_clear(dorm__tree_sum *sum)
{
  for (size_t i = 0; i < sum->count; i++)
    dorm__free(sum->part[i]);
  sum->count = 0;
}
