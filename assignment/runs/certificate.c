/*
 * certificate.c: a proof that a merge of runs is the best ranking.
 *
 * Nodes are positions; the arc x -> y says "the document at x moves to y" and gains
 *
 *   w(x, y) = (c[y] - c[x]) g_x - (a[y] - a[x]) b_x.
 *
 * A ranking is the best exactly when no cycle of the complete graph gains, that is, when potentials d with d[y] >= d[x]
 * + w(x, y) on all arcs exist. It is enough to look at the arcs into each y from the nearest position above and the
 * nearest position below of every run:
 *
 *   Lemma. For every arc x -> y there is a path of such arcs that gains at least as much.
 *   Let x be above y, q its run, and x = x_1 < .. < x_m < y the positions of q from x on. The path x_1 -> x_2 -> .. ->
 *   x_m -> y has the same sum of a-terms, since the gains b are equal. Its c-terms are sum_i (c[x_{i+1}] - c[x_i])
 *   g_{x_i} with x_{m+1} = y: the factors are <= 0 and g_{x_i} <= g_x, so they are at least (c[y] - c[x]) g_x. For x
 *   below y the factors are >= 0 and g_{x_i} >= g_x. QED.
 *
 * So two sweeps check potentials in O(num_runs count). On the way down every run keeps the line y -> base + c[y] g -
 * a[y] b of its last document seen, base = d[x] - c[x] g_x + a[x] b_x; the sweep up does the same. With d feasible, the
 * prices d[p] for positions and max_p (gain(j, p) - d[p]) for documents are dual feasible for the assignment problem
 * and tight on the ranking.
 */
#include "assignment/runs/certificate.h"
#include "assignment/runs/merge.h"

#include <math.h>

void dorm__merge_refresh(dorm__merge *merge)
{
  uint32_t next[DORM__MOST_LEVELS];
  uint32_t start = 0;
  for (size_t q = 0; q < merge->num_runs; q++) {
    next[q] = merge->first[q] = start;
    start += merge->length[q];
  }
  merge->first[merge->num_runs] = start;
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
  merge->potential[0] = 0;
  for (size_t p = 1; p < merge->count; p++) {
    double gains = merge->gain[merge->sequence[p - 1]] + merge->gain[merge->sequence[p]];
    potential += 0.5 * ((c[p] - c[p - 1]) * (g[p - 1] + g[p]) - (a[p] - a[p - 1]) * gains);
    merge->potential[p] = potential;
  }
}

/* One sweep. num_runs is a constant after inlining, so that the compiler unrolls the loop over runs. */
static inline __attribute__((always_inline)) void sweep(const dorm__merge *merge, size_t num_runs, bool upwards,
                                                        bool raises, dorm__violations *violations)
{
  double base[DORM__MOST_LEVELS], score[DORM__MOST_LEVELS], gain[DORM__MOST_LEVELS];
  for (size_t q = 0; q < num_runs; q++) {
    base[q] = -INFINITY;
    score[q] = 0;
    gain[q] = q < merge->num_runs ? merge->gain[q] : 0;
  }
  const double *a = merge->a, *c = merge->c;
  double tolerance = merge->tolerance;
  for (size_t i = 0; i < merge->count; i++) {
    size_t y = upwards ? merge->count - 1 - i : i;
    double best = -INFINITY, here = merge->potential[y];
    for (size_t q = 0; q < num_runs; q++) {
      double value = base[q] + c[y] * score[q] - a[y] * gain[q];
      best = value > best ? value : best;
    }
    if (best > here + tolerance) {
      violations->count++;
      violations->lowest = y < violations->lowest ? y : violations->lowest;
      violations->highest = y > violations->highest ? y : violations->highest;
      if (raises)
        merge->potential[y] = here = best;
    }
    size_t own = merge->sequence[y];
    score[own] = merge->score_at[y];
    base[own] = here - c[y] * merge->score_at[y] + a[y] * gain[own];
  }
}

static inline __attribute__((always_inline)) void sweep_both(const dorm__merge *merge, size_t num_runs, bool raises,
                                                             dorm__violations *violations)
{
  sweep(merge, num_runs, false, raises, violations);
  sweep(merge, num_runs, true, raises, violations);
}

/* A number of runs without a case of its own is rounded up: runs without documents do no harm. */
static void sweep_pair(const dorm__merge *merge, bool raises, dorm__violations *violations)
{
  *violations = (dorm__violations){.lowest = SIZE_MAX};
  switch (merge->num_runs) {
  case 1:
  case 2:
    sweep_both(merge, 2, raises, violations);
    break;
  case 3:
    sweep_both(merge, 3, raises, violations);
    break;
  case 4:
    sweep_both(merge, 4, raises, violations);
    break;
  case 5:
    sweep_both(merge, 5, raises, violations);
    break;
  case 6:
    sweep_both(merge, 6, raises, violations);
    break;
  case 7:
  case 8:
    sweep_both(merge, 8, raises, violations);
    break;
  case 9:
  case 10:
    sweep_both(merge, 10, raises, violations);
    break;
  default:
    sweep_both(merge, merge->num_runs, raises, violations);
    break;
  }
}

dorm__violations dorm__merge_violations(const dorm__merge *merge)
{
  dorm__violations violations;
  sweep_pair(merge, false, &violations);
  return violations;
}

bool dorm__merge_raise(dorm__merge *merge)
{
  dorm__violations violations;
  sweep_pair(merge, true, &violations);
  return violations.count == 0;
}
