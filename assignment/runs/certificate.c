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
#include "assignment/runs/sweep.h"

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

typedef struct certificate_sweep {
  dorm__merge *merge;
  dorm__violations violations;
} certificate_sweep;

static inline double count_violation(void *user, uint32_t x, size_t y, double best)
{
  (void)x;
  (void)best;
  certificate_sweep *sweep = user;
  dorm__violations *violations = &sweep->violations;
  violations->count++;
  violations->lowest = y < violations->lowest ? y : violations->lowest;
  violations->highest = y > violations->highest ? y : violations->highest;
  return sweep->merge->potential[y];
}

static inline double raise_violation(void *user, uint32_t x, size_t y, double best)
{
  (void)x;
  certificate_sweep *sweep = user;
  sweep->violations.count++;
  return sweep->merge->potential[y] = best;
}

DORM__WIDE_VECTORS
static dorm__violations count_violations(dorm__merge *merge)
{
  certificate_sweep sweep = {.merge = merge, .violations = {.lowest = SIZE_MAX}};
  dorm__sweep_pair(merge, count_violation, &sweep);
  return sweep.violations;
}

DORM__WIDE_VECTORS
static bool raise_potentials(dorm__merge *merge)
{
  certificate_sweep sweep = {.merge = merge};
  dorm__sweep_pair(merge, raise_violation, &sweep);
  return sweep.violations.count == 0;
}

dorm__violations dorm__merge_violations(dorm__merge *merge)
{
  return count_violations(merge);
}

bool dorm__merge_raise(dorm__merge *merge)
{
  return raise_potentials(merge);
}
