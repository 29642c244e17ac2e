/* merge_chains.c: the greedy merge (greedy_merge.c) of long runs as four parallel chains.
 *
 * Each position of a greedy merge depends on the previous one, so a processor has little to do at a time. But if the
 * merge proves itself, the documents at the first m positions are the m best for the term of position m - 1. A
 * selection finds these without a merge, so a chain may begin at any position. */
#include "assignment/runs/merge.h"

#include <math.h>
#include <string.h>

/* ---- The best set of a given size ------------------------------------------------ */

typedef struct selection {
  const dorm__merge *merge;
  double fall_of_c;
  double shift[DORM__MOST_LEVELS];
  uint32_t low[DORM__MOST_LEVELS], high[DORM__MOST_LEVELS]; /* bounds of the number of documents of a run in the set */
} selection;

static inline double worth(const selection *s, size_t q, size_t n)
{
  return s->fall_of_c * s->merge->scores[q][n] - s->shift[q];
}

/* Counts the documents of run q that are worth at least `value`, between low and high. Written without branches. */
static inline uint32_t count_at_least(const selection *s, size_t q, double value)
{
  uint32_t first = s->low[q], count = s->high[q] - first;
  while (count > 1) {
    uint32_t half = count / 2;
    first += worth(s, q, first + half - 1) >= value ? half : 0;
    count -= half;
  }
  return first + (count == 1 && worth(s, q, first) >= value);
}

/* Tests the middle of the widest range. Either it is in the set, with all documents that are worth as much, or it is
 * not, and neither are documents that are worth less. Returns false if every range is empty. */
static bool halve(selection *s, size_t size)
{
  size_t num_runs = s->merge->num_runs, q = 0, total = 0;
  for (size_t r = 1; r < num_runs; r++)
    q = s->high[r] - s->low[r] > s->high[q] - s->low[q] ? r : q;
  if (s->high[q] == s->low[q])
    return false;
  uint32_t middle = (s->low[q] + s->high[q]) / 2, count[DORM__MOST_LEVELS];
  double value = worth(s, q, middle);
  for (size_t r = 0; r < num_runs; r++) {
    count[r] = r == q ? middle + 1 : count_at_least(s, r, value);
    total += count[r];
  }
  uint32_t *bound = total <= size ? s->low : s->high;
  count[q] -= total > size;
  memcpy(bound, count, num_runs * sizeof *count);
  return true;
}

/* Finds the `size` documents that are worth most for position size - 1, among those between two sets. */
static void find_best_set(const dorm__merge *merge, size_t size, const uint32_t *least, const uint32_t *most,
                          uint32_t *found)
{
  size_t p = size - 1, bytes = merge->num_runs * sizeof *found;
  selection s = {.merge = merge, .fall_of_c = merge->c[p] - merge->c[p + 1]};
  for (size_t q = 0; q < merge->num_runs; q++)
    s.shift[q] = (merge->a[p] - merge->a[p + 1]) * merge->gain[q];
  memcpy(s.low, least, bytes);
  memcpy(s.high, most, bytes);
  while (halve(&s, size))
    ;
  memcpy(found, s.low, bytes);
}

/* ---- The chains ---------------------------------------------------------------------- */

typedef struct lane_heads {
  dorm__lanes head[DORM__MOST_CHAIN_RUNS];      /* score of the next document of each run */
  dorm__lanes open[DORM__MOST_CHAIN_RUNS];      /* 0, or -INFINITY if the run is used up */
  dorm__lanes last[DORM__MOST_CHAIN_RUNS];      /* score of the document taken most recently */
  dorm__lanes none[DORM__MOST_CHAIN_RUNS];      /* 0, or INFINITY if nothing was taken */
  dorm__lane_masks next[DORM__MOST_CHAIN_RUNS]; /* the place of the next document in `scores` */
  int64_t end[DORM__MOST_CHAIN_RUNS];           /* the place after the last one */
} lane_heads;

static void find_lane_heads(const dorm__merge *merge, const double *scores, const dorm__chains *chains,
                            lane_heads *heads)
{
  for (size_t q = 0; q < merge->num_runs; q++) {
    heads->end[q] = (merge->scores[q] - scores) + (int64_t)merge->length[q];
    for (size_t i = 0; i < DORM__LANES; i++) {
      size_t taken = chains->start[i][q];
      bool is_open = taken < merge->length[q];
      heads->head[q][i] = is_open ? merge->scores[q][taken] : 0;
      heads->open[q][i] = is_open ? 0 : -INFINITY;
      heads->last[q][i] = taken ? merge->scores[q][taken - 1] : 0;
      heads->none[q][i] = taken ? 0 : INFINITY;
      heads->next[q][i] = (merge->scores[q] - scores) + (int64_t)taken;
    }
  }
}

static inline __attribute__((always_inline)) void run_chains(dorm__merge *merge, size_t num_runs, const double *scores,
                                                             dorm__chains *chains)
{
  size_t length = chains->length;
  const double *a = merge->a, *c = merge->c;
  uint8_t *restrict sequence = merge->sequence;
  double gain[DORM__MOST_CHAIN_RUNS];
  for (size_t q = 0; q < num_runs; q++)
    gain[q] = merge->gain[q];
  lane_heads heads;
  find_lane_heads(merge, scores, chains, &heads);
  dorm__lane_masks fails = {0};
  dorm__lanes a_here = {a[0], a[length], a[2 * length], a[3 * length]};
  dorm__lanes c_here = {c[0], c[length], c[2 * length], c[3 * length]};
  const dorm__lanes used_up = DORM__LANES_OF(-INFINITY);
  for (size_t p = 0; p < length; p++) {
    dorm__lanes a_next = {a[p + 1], a[p + 1 + length], a[p + 1 + 2 * length], a[p + 1 + 3 * length]};
    dorm__lanes c_next = {c[p + 1], c[p + 1 + length], c[p + 1 + 2 * length], c[p + 1 + 3 * length]};
    dorm__lanes fall_of_a = a_here - a_next, fall_of_c = c_here - c_next, shift[DORM__MOST_CHAIN_RUNS],
                best_value = used_up;
    dorm__lane_masks best = {0}, next = {0}, is_used_up = {0};
    for (size_t q = 0; q < num_runs; q++) {
      shift[q] = fall_of_a * gain[q];
      dorm__lanes value = fall_of_c * heads.head[q] + (heads.open[q] - shift[q]);
      dorm__lane_masks run = (dorm__lane_masks)DORM__LANES_OF((int64_t)q), is_better = value > best_value;
      dorm__pick_lanes(&best_value, &is_better, &value);
      best = (run & is_better) | (best & ~is_better);
    }
    for (size_t i = 0; i < DORM__LANES; i++)
      sequence[p + i * length] = (uint8_t)best[i];
    for (size_t q = 0; q < num_runs; q++) {
      dorm__lane_masks is_own = best == (dorm__lane_masks)DORM__LANES_OF((int64_t)q);
      heads.next[q] -= is_own;
      next |= heads.next[q] & is_own;
      is_used_up |= (heads.next[q] >= (dorm__lane_masks)DORM__LANES_OF(heads.end[q])) & is_own;
      dorm__pick_lanes(&heads.last[q], &is_own, &heads.head[q]);
      heads.none[q] = (dorm__lanes)((dorm__lane_masks)heads.none[q] & ~is_own);
    }
    next &= ~is_used_up;
    dorm__lanes score = {scores[next[0]], scores[next[1]], scores[next[2]], scores[next[3]]};
    dorm__lanes best_left = used_up, worst_taken = -used_up;
    for (size_t q = 0; q < num_runs; q++) {
      dorm__lane_masks is_own = best == (dorm__lane_masks)DORM__LANES_OF((int64_t)q), closes = is_own & is_used_up;
      dorm__pick_lanes(&heads.head[q], &is_own, &score);
      dorm__pick_lanes(&heads.open[q], &closes, &used_up);
      dorm__lanes left = fall_of_c * heads.head[q] + (heads.open[q] - shift[q]);
      dorm__lanes taken = fall_of_c * heads.last[q] + (heads.none[q] - shift[q]);
      dorm__lane_masks is_better = left > best_left, is_worse = taken < worst_taken;
      dorm__pick_lanes(&best_left, &is_better, &left);
      dorm__pick_lanes(&worst_taken, &is_worse, &taken);
    }
    fails |= best_left > worst_taken;
    a_here = a_next;
    c_here = c_next;
  }
  for (size_t i = 0; i < DORM__LANES; i++) {
    chains->is_nested[i] = !fails[i];
    for (size_t q = 0; q < num_runs; q++)
      chains->end[i][q] = (uint32_t)(heads.next[q][i] - (merge->scores[q] - scores));
  }
}

/* merge_runs.c passes at least three runs, because two_runs.c merges two. */
DORM__WIDE_VECTORS
static void run_chains_of(dorm__merge *merge, const double *scores, dorm__chains *chains)
{
  switch (merge->num_runs) {
  case 3:
    run_chains(merge, 3, scores, chains);
    break;
  case 4:
    run_chains(merge, 4, scores, chains);
    break;
  case 5:
    run_chains(merge, 5, scores, chains);
    break;
  default:
    run_chains(merge, merge->num_runs, scores, chains);
  }
}

void dorm__merge_chains(dorm__merge *merge, const double *scores, dorm__chains *chains)
{
  static const uint32_t none[DORM__MOST_LEVELS];
  size_t length = chains->length = (merge->count - 1) / DORM__LANES;
  memset(chains->start[0], 0, sizeof chains->start[0]);
  find_best_set(merge, 2 * length, none, merge->length, chains->start[2]);
  find_best_set(merge, length, none, chains->start[2], chains->start[1]);
  find_best_set(merge, 3 * length, chains->start[2], merge->length, chains->start[3]);
  run_chains_of(merge, scores, chains);
}
