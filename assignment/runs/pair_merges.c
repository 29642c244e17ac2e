/* pair_merges.c: improves a merge by merging two of its runs again while the other runs keep their positions, for every
 * pair of runs until no pair gains.
 *
 * For two runs this is the best merge. For more runs it usually is, and cycles.c does the rest. Runs q and r share the
 * positions that they have now, and two_runs.c merges them with the tables at these positions. Near-linear: merging
 * every pair once touches (num_runs - 1) count positions. */
#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"

#include <string.h>

enum { MOST_TURNS = 12 };

/* Writes the merge of q and r back. Returns whether it differs from before. */
static bool place_pair(dorm__merge *merge, const dorm__pair_scratch *scratch, size_t q, size_t r)
{
  uint32_t *list_q = merge->positions + merge->first[q], *list_r = merge->positions + merge->first[r];
  size_t count = (size_t)merge->length[q] + merge->length[r];
  bool differs = false;
  for (size_t i = 0; i < count; i++) {
    uint32_t p = scratch->places[i];
    bool is_r = scratch->run_at[i];
    uint8_t run = (uint8_t)(is_r ? r : q);
    if (is_r)
      *list_r++ = p;
    else
      *list_q++ = p;
    differs |= merge->sequence[p] != run;
    merge->sequence[p] = run;
  }
  return differs;
}

static bool merge_pair(dorm__merge *merge, const dorm__pair_scratch *scratch, size_t q, size_t r)
{
  size_t count_q = merge->length[q], count_r = merge->length[r];
  const uint32_t *list_q = merge->positions + merge->first[q], *list_r = merge->positions + merge->first[r];
  if (count_q == 0 || count_r == 0)
    return false;
  for (size_t i = 0, x = 0, y = 0; i < count_q + count_r; i++) {
    bool takes_q = y == count_r || (x < count_q && list_q[x] < list_r[y]);
    uint32_t p = takes_q ? list_q[x] : list_r[y];
    x += takes_q;
    y += !takes_q;
    scratch->places[i] = p;
    scratch->a[i] = merge->a[p];
    scratch->c[i] = merge->c[p];
  }
  dorm__two_runs pair = {.count = {count_q, count_r},
                         .scores = {merge->scores[q], merge->scores[r]},
                         .gain_difference = merge->gain[q] - merge->gain[r],
                         .a = scratch->a,
                         .c = scratch->c};
  dorm__two_runs_merge(&pair, &scratch->two_runs, scratch->run_at);
  return place_pair(merge, scratch, q, r);
}

/* Skips a pair if neither of its runs changed since it was merged. */
void dorm__merge_pairs(dorm__merge *merge, const dorm__pair_scratch *scratch)
{
  size_t runs = merge->num_runs;
  memset(scratch->merged, 0, runs * runs * sizeof *scratch->merged);
  for (size_t q = 0; q < runs; q++)
    scratch->changed[q] = 1;
  uint32_t step = 1;
  bool any = true;
  for (int turn = 0; any && turn < MOST_TURNS; turn++) {
    any = false;
    for (size_t q = 0; q < runs; q++)
      for (size_t r = q + 1; r < runs; r++) {
        uint32_t *merged = &scratch->merged[q * runs + r];
        if (*merged >= scratch->changed[q] && *merged >= scratch->changed[r])
          continue;
        step++;
        if (merge_pair(merge, scratch, q, r)) {
          scratch->changed[q] = scratch->changed[r] = step;
          any = true;
        }
        *merged = step;
      }
  }
  dorm__merge_start(merge);
}
