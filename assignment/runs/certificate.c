/* certificate.c: a proof that a merge of runs is the best ranking.
 *
 * Nodes are positions. The arc x -> y means "the document at x moves to y" and gains
 *
 *   w(x, y) = (c[y] - c[x]) g_x - (a[y] - a[x]) b_x.
 *
 * A ranking is optimal exactly when no cycle of the complete graph gains. Equivalently, potentials d exist with d[y] >=
 * d[x] + w(x, y) on all arcs. It is sufficient to consider the arcs into each y from the nearest position above and the
 * nearest position below of every run:
 *
 *   Lemma. For every arc x -> y there is a path of such arcs that gains at least as much.
 *   Let x be above y, q its run, and x = x_1 < .. < x_m < y the positions of q from x on. The path x_1 -> x_2 -> .. ->
 *   x_m -> y has the same sum of a-terms, since the gains b are equal. Its c-terms are sum_i (c[x_{i+1}] - c[x_i])
 *   g_{x_i} with x_{m+1} = y: the factors are <= 0 and g_{x_i} <= g_x, so they are at least (c[y] - c[x]) g_x. For x
 *   below y the factors are >= 0 and g_{x_i} >= g_x. QED.
 *
 * So two sweeps check potentials in O(num_runs count). On the way down every run keeps the line y -> base + c[y] g -
 * a[y] b of its last document seen, with base = d[x] - c[x] g_x + a[x] b_x. The sweep up does the same. If d is
 * feasible, take the prices d[p] for positions and max_p (gain(j, p) - d[p]) for documents. They are dual feasible for
 * the assignment problem and tight on the ranking.
 *
 * Potentials. Step p leads from position p to p + 1. At it a document is worth v_p = (c[p] - c[p+1]) g - (a[p] -
 * a[p+1]) b. The arc x -> y gains minus the sum of v_p(x) over its steps on the way down, and plus that sum on the way
 * up. If the documents up to position p are the best set of their number for step p (greedy_merge.c), a threshold
 * separates the taken ones from the others. With d[p+1] = d[p] - threshold, an arc over that step loses nothing of its
 * slack, d[y] - d[x] - w(x, y). The other steps are doubtful, and so is every potential that was raised since.
 *
 * An arc that fails therefore crosses a doubtful step, or begins or ends at a raised position. If the arcs to the first
 * position beyond all of these hold, the arcs to later positions hold too. So a sweep begins at one end of the doubtful
 * positions, and stops at the first position beyond the other end at which no arc fails. */
#include "assignment/plan.h"
#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"

#include <math.h>
#include <string.h>

/* The first index of each run in merge->positions. */
static void find_firsts(dorm__merge *merge)
{
  merge->first[0] = 0;
  for (size_t q = 0; q < merge->num_runs; q++)
    merge->first[q + 1] = merge->first[q] + merge->length[q];
}

void dorm__merge_refresh(dorm__merge *merge)
{
  uint32_t next[DORM__MOST_LEVELS];
  find_firsts(merge);
  memcpy(next, merge->first, merge->num_runs * sizeof *next);
  for (size_t p = 0; p < merge->count; p++) {
    size_t q = merge->sequence[p];
    uint32_t place = next[q]++;
    merge->positions[place] = (uint32_t)p;
    merge->score_at[p] = merge->scores[q][place - merge->first[q]];
  }
}

void dorm__merge_midpoints(dorm__merge *merge)
{
  const double *a = merge->a, *c = merge->c, *g = merge->score_at;
  double potential = 0;
  merge->doubtful = (dorm__doubtful){.highest = merge->count - 1};
  merge->potential[0] = 0;
  for (size_t p = 1; p < merge->count; p++) {
    double gains = merge->gain[merge->sequence[p - 1]] + merge->gain[merge->sequence[p]];
    potential += 0.5 * ((c[p] - c[p - 1]) * (g[p - 1] + g[p]) - (a[p] - a[p - 1]) * gains);
    merge->potential[p] = potential;
  }
}

/* The next and the last document of each run at a step. */
typedef struct step_heads {
  dorm__lanes left[DORM__MOST_VECTORS], open[DORM__MOST_VECTORS];  /* score, and 0 or -INFINITY if none is left */
  dorm__lanes taken[DORM__MOST_VECTORS], none[DORM__MOST_VECTORS]; /* score, and 0 or INFINITY if none is taken */
  dorm__lanes gain[DORM__MOST_VECTORS];
  uint32_t next[DORM__MOST_LEVELS]; /* place of the next document in its run */
} step_heads;

static inline __attribute__((always_inline)) void find_step_heads(const dorm__merge *merge, size_t num_vectors,
                                                                  size_t p, step_heads *heads)
{
  for (size_t v = 0; v < num_vectors; v++) {
    heads->left[v] = heads->taken[v] = heads->gain[v] = (dorm__lanes){0};
    heads->open[v] = (dorm__lanes)DORM__LANES_OF(-INFINITY);
    heads->none[v] = (dorm__lanes)DORM__LANES_OF(INFINITY);
  }
  for (size_t q = 0; q < merge->num_runs; q++) {
    size_t place = p ? dorm__count_before(merge, q, p) : 0, v = q / DORM__LANES, lane = q % DORM__LANES;
    heads->next[q] = (uint32_t)place;
    heads->gain[v][lane] = merge->gain[q];
    if (place < merge->length[q]) {
      heads->left[v][lane] = merge->scores[q][place];
      heads->open[v][lane] = 0;
    }
    if (place > 0) {
      heads->taken[v][lane] = merge->scores[q][place - 1];
      heads->none[v][lane] = 0;
    }
  }
}

static inline double larger(double x, double y)
{
  return x > y ? x : y;
}

static inline double smaller(double x, double y)
{
  return x < y ? x : y;
}

/* Computes positions and scores from `first` to end - 1, and the potentials of the positions after these. Before
 * `first`, runs keep their positions. */
static inline __attribute__((always_inline)) void renew_of(dorm__merge *merge, size_t num_vectors, size_t first,
                                                           size_t end)
{
  step_heads heads;
  find_step_heads(merge, num_vectors, first, &heads);
  for (size_t p = first; p < end; p++) {
    size_t own = merge->sequence[p];
    uint32_t place = heads.next[own]++;
    double score = merge->scores[own][place];
    merge->positions[merge->first[own] + place] = (uint32_t)p;
    merge->score_at[p] = score;
    if (p + 1 == merge->count)
      break;
    bool is_open = place + 1 < merge->length[own];
    double after = is_open ? merge->scores[own][place + 1] : 0, open = is_open ? 0 : -INFINITY;
    dorm__lanes fall_of_c = DORM__LANES_OF(merge->c[p] - merge->c[p + 1]);
    dorm__lanes fall_of_a = DORM__LANES_OF(merge->a[p] - merge->a[p + 1]);
    dorm__lanes best = DORM__LANES_OF(-INFINITY), worst = DORM__LANES_OF(INFINITY);
    for (size_t v = 0; v < num_vectors; v++) {
      dorm__lane_masks is_own;
      dorm__find_lane(own, v, &is_own);
      dorm__set_lanes(&heads.left[v], &is_own, after);
      dorm__set_lanes(&heads.open[v], &is_own, open);
      dorm__set_lanes(&heads.taken[v], &is_own, score);
      dorm__set_lanes(&heads.none[v], &is_own, 0);
      dorm__lanes shift = fall_of_a * heads.gain[v];
      dorm__lanes left = fall_of_c * heads.left[v] - shift + heads.open[v];
      dorm__lanes taken = fall_of_c * heads.taken[v] - shift + heads.none[v];
      dorm__lane_masks is_better = left > best, is_worse = taken < worst;
      dorm__pick_lanes(&best, &is_better, &left);
      dorm__pick_lanes(&worst, &is_worse, &taken);
    }
    double best_left = larger(larger(best[0], best[1]), larger(best[2], best[3]));
    double worst_taken = smaller(smaller(worst[0], worst[1]), smaller(worst[2], worst[3]));
    if (best_left > worst_taken)
      dorm__doubt(merge, p);
    merge->potential[p + 1] = merge->potential[p] - 0.5 * (best_left + worst_taken);
  }
}

DORM__WIDE_VECTORS
static void renew(dorm__merge *merge, size_t first, size_t end)
{
  if (merge->num_runs <= DORM__LANES)
    renew_of(merge, 1, first, end);
  else if (merge->num_runs <= 2 * DORM__LANES)
    renew_of(merge, 2, first, end);
  else
    renew_of(merge, (merge->num_runs + DORM__LANES - 1) / DORM__LANES, first, end);
}

void dorm__merge_start(dorm__merge *merge)
{
  if (merge->by_midpoints) {
    dorm__merge_refresh(merge);
    dorm__merge_midpoints(merge);
    return;
  }
  find_firsts(merge);
  merge->doubtful = (dorm__doubtful){.lowest = SIZE_MAX};
  merge->potential[0] = 0;
  renew(merge, 0, merge->count);
}

void dorm__merge_renew(dorm__merge *merge)
{
  size_t lowest = merge->doubtful.lowest, end = merge->doubtful.highest + 1;
  if (lowest >= end)
    return;
  if (merge->by_midpoints) {
    dorm__merge_start(merge);
    return;
  }
  double before = end < merge->count ? merge->potential[end] : 0;
  merge->doubtful = (dorm__doubtful){.lowest = SIZE_MAX};
  merge->potential[0] = lowest > 0 ? merge->potential[0] : 0;
  renew(merge, lowest > 0 ? lowest - 1 : 0, end);
  double rise = end < merge->count ? merge->potential[end] - before : 0;
  for (size_t p = end + 1; p < merge->count; p++)
    merge->potential[p] += rise;
}
