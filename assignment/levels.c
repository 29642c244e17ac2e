/*
 * levels.c: documents grouped by gain.
 *
 * Two documents of equal gain b differ in the c-term alone, and c falls: among
 * the best rankings is one that keeps each level in the order of its scores. A
 * ranking is then a merge of one sorted run a level. Levels are the distinct
 * values of b, not labels: Precision@n, WTA and MRR always have two.
 */
#include "assignment/assignment.h"

#include <string.h>

bool dorm__levels_find(size_t num_docs, const double *b, uint8_t *level_of, dorm__levels *levels)
{
  size_t count = 0;
  for (size_t j = 0; j < num_docs; j++) {
    size_t q = 0;
    while (q < count && levels->gain[q] != b[j])
      q++;
    if (q == count) {
      if (count == DORM__MOST_LEVELS)
        return false;
      levels->gain[count] = b[j];
      levels->size[count++] = 0;
    }
    levels->size[q]++;
    level_of[j] = (uint8_t)q;
  }
  levels->count = count;
  levels->level_of = level_of;
  return true;
}

void dorm__runs_build(const dorm__levels *levels, size_t num_docs, const uint32_t *sorted_docs,
                      const double *sorted_scores, double offset, const dorm__runs *runs)
{
  uint32_t next[DORM__MOST_LEVELS];
  uint32_t start = 0;
  for (size_t q = 0; q < levels->count; q++) {
    next[q] = runs->start[q] = start;
    start += levels->size[q];
  }
  runs->start[levels->count] = start;
  for (size_t i = 0; i < num_docs; i++) {
    uint32_t doc = sorted_docs[i];
    uint32_t place = next[levels->level_of[doc]]++;
    runs->docs[place] = doc;
    runs->scores[place] = sorted_scores[i] - offset;
  }
}
