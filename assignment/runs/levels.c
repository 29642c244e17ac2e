/*
 * levels.c: the levels of a query: documents of equal gain.
 *
 * Two documents of equal gain b differ in the c-term alone, and c falls, so among the best rankings is one that keeps
 * each level in the order of its scores. A ranking is then a merge of sorted runs, one per level. Levels are the
 * distinct values of b, not labels: Precision@n, WTA and MRR always have two.
 */
#include "assignment/runs/runs.h"

size_t dorm__levels_find(size_t num_docs, const double *b, uint8_t *level_of, double *gain, uint32_t *size)
{
  size_t count = 0;
  for (size_t j = 0; j < num_docs; j++) {
    size_t q = 0;
    while (q < count && gain[q] != b[j])
      q++;
    if (q == count) {
      if (count == DORM__MOST_LEVELS)
        return 0;
      gain[q] = b[j];
      size[q] = 0;
      count++;
    }
    size[q]++;
    level_of[j] = (uint8_t)q;
  }
  return count;
}
