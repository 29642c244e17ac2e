/*
 * sort.c: documents by falling key.
 *
 * A stable bottom-up merge sort of indices: O(count log count), no allocation.
 */
#include "assignment/assignment.h"

#include <string.h>

enum { RUN = 8 }; /* shorter runs are sorted by insertion */

static void sort_run(const double *key, uint32_t *order, size_t first, size_t end)
{
  for (size_t i = first + 1; i < end; i++) {
    uint32_t doc = order[i];
    size_t place = i;
    for (; place > first && key[order[place - 1]] < key[doc]; place--)
      order[place] = order[place - 1];
    order[place] = doc;
  }
}

static void merge_runs(const double *key, const uint32_t *from, uint32_t *to, size_t first, size_t middle, size_t end)
{
  size_t left = first, right = middle;
  for (size_t i = first; i < end; i++) {
    bool takes_left = left < middle && (right == end || key[from[left]] >= key[from[right]]);
    to[i] = takes_left ? from[left++] : from[right++];
  }
}

void dorm__sort_descending(size_t count, const double *key, uint32_t *order, uint32_t *scratch)
{
  for (size_t i = 0; i < count; i++)
    order[i] = (uint32_t)i;
  for (size_t first = 0; first < count; first += RUN)
    sort_run(key, order, first, first + RUN < count ? first + RUN : count);
  uint32_t *from = order, *to = scratch;
  for (size_t width = RUN; width < count; width *= 2) {
    for (size_t first = 0; first < count; first += 2 * width) {
      size_t middle = first + width < count ? first + width : count;
      size_t end = middle + width < count ? middle + width : count;
      merge_runs(key, from, to, first, middle, end);
    }
    uint32_t *other = from;
    from = to;
    to = other;
  }
  if (from != order)
    memcpy(order, from, count * sizeof *order);
}
