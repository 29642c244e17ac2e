/* pair_merges.c: improves a merge by merging two of its runs again while the other runs keep their positions, for every
 * pair of runs until no pair gains.
 *
 * For two runs this is the best merge. For more runs it usually is, and cycles.c does the rest. Runs q and r share the
 * positions that they have now, and two_runs.c merges them with the tables at these positions. Near-linear: merging
 * every pair once touches (num_runs - 1) count positions. */
#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"

#include <string.h>

enum { MOST_TURNS = 12, WIDER = 32 };

typedef struct pair_work {
  dorm__merge *merge;
  const dorm__pair_scratch *scratch;
  size_t first, end;      /* the positions worked on */
  size_t lowest, highest; /* of those that changed */
} pair_work;

/* Writes the merge of q and r back. Returns whether it differs from before. */
static bool place_pair(pair_work *work, size_t count, size_t q, size_t r, uint32_t *list_q, uint32_t *list_r)
{
  dorm__merge *merge = work->merge;
  bool differs = false;
  for (size_t i = 0; i < count; i++) {
    uint32_t p = work->scratch->places[i];
    bool is_r = work->scratch->run_at[i];
    uint8_t run = (uint8_t)(is_r ? r : q);
    if (is_r)
      *list_r++ = p;
    else
      *list_q++ = p;
    if (merge->sequence[p] == run)
      continue;
    merge->sequence[p] = run;
    work->lowest = p < work->lowest ? p : work->lowest;
    work->highest = p > work->highest ? p : work->highest;
    differs = true;
  }
  return differs;
}

static bool merge_pair(pair_work *work, size_t q, size_t r)
{
  dorm__merge *merge = work->merge;
  const dorm__pair_scratch *scratch = work->scratch;
  size_t before_q = dorm__count_before(merge, q, work->first), before_r = dorm__count_before(merge, r, work->first);
  size_t count_q = dorm__count_before(merge, q, work->end) - before_q;
  size_t count_r = dorm__count_before(merge, r, work->end) - before_r;
  if (count_q == 0 || count_r == 0)
    return false;
  uint32_t *list_q = merge->positions + merge->first[q] + before_q;
  uint32_t *list_r = merge->positions + merge->first[r] + before_r;
  size_t count = count_q + count_r;
  for (size_t i = 0, x = 0, y = 0; i < count; i++) {
    bool takes_q = y == count_r || (x < count_q && list_q[x] < list_r[y]);
    uint32_t p = takes_q ? list_q[x] : list_r[y];
    x += takes_q;
    y += !takes_q;
    scratch->places[i] = p;
    scratch->a[i] = merge->a[p];
    scratch->c[i] = merge->c[p];
  }
  dorm__two_runs pair = {.count = {count_q, count_r},
                         .scores = {merge->scores[q] + before_q, merge->scores[r] + before_r},
                         .gain_difference = merge->gain[q] - merge->gain[r],
                         .a = scratch->a,
                         .c = scratch->c};
  dorm__two_runs_merge(&pair, &scratch->two_runs, scratch->run_at);
  return place_pair(work, count, q, r, list_q, list_r);
}

/* Widens the range of positions if changes came near its ends. Returns whether it did. */
static bool widen(pair_work *work, size_t *first, size_t *end)
{
  size_t reach = WIDER + (work->highest - work->lowest) / 4;
  size_t low = work->lowest > reach ? work->lowest - reach : 0;
  size_t high = work->highest + reach + 1 < work->merge->count ? work->highest + reach + 1 : work->merge->count;
  bool wider = low < *first || high > *end;
  *first = low < *first ? low : *first;
  *end = high > *end ? high : *end;
  return wider;
}

/* Skips a pair if neither of its runs changed since it was merged. */
void dorm__merge_pairs(dorm__merge *merge, const dorm__pair_scratch *scratch, size_t *first, size_t *end)
{
  size_t runs = merge->num_runs;
  memset(scratch->merged, 0, runs * runs * sizeof *scratch->merged);
  for (size_t q = 0; q < runs; q++)
    scratch->changed[q] = 1;
  pair_work work = {.merge = merge, .scratch = scratch};
  uint32_t step = 1;
  bool any = true;
  for (int turn = 0; any && turn < MOST_TURNS; turn++) {
    work.first = *first;
    work.end = *end;
    work.lowest = SIZE_MAX;
    work.highest = 0;
    any = false;
    for (size_t q = 0; q < runs; q++)
      for (size_t r = q + 1; r < runs; r++) {
        uint32_t *merged = &scratch->merged[q * runs + r];
        if (*merged >= scratch->changed[q] && *merged >= scratch->changed[r])
          continue;
        step++;
        if (merge_pair(&work, q, r)) {
          scratch->changed[q] = scratch->changed[r] = step;
          any = true;
        }
        *merged = step;
      }
    if (any && widen(&work, first, end))
      for (size_t q = 0; q < runs; q++)
        scratch->changed[q] = step + 1;
  }
  dorm__merge_start(merge);
}
