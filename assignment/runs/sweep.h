/*
 * sweep.h: one sweep over a merge (certificate.c), for files that do different things where a potential is too low.
 *
 * Lines of four runs are kept in one vector, all of them in registers where there are few runs. Vectors of the compiler
 * (gcc, clang) become several of the machine where its own are shorter.
 */
#ifndef DORM_ASSIGNMENT_RUNS_SWEEP_H
#define DORM_ASSIGNMENT_RUNS_SWEEP_H

#include "assignment/runs/merge.h"
#include "base/base.h"

#include <math.h>

enum { DORM__LANES = 4, DORM__MOST_VECTORS = DORM__MOST_LEVELS / DORM__LANES };

typedef double dorm__lanes __attribute__((vector_size(DORM__LANES * sizeof(double))));
typedef int64_t dorm__lane_masks __attribute__((vector_size(DORM__LANES * sizeof(int64_t))));

/* The potential of y is too low: the best line there is that of the document at x. Returns the potential from which the
 * sweep goes on. */
typedef double (*dorm__when_above)(void *user, uint32_t x, size_t y, double best);

#define DORM__LANES_OF(x)                                                                                              \
  {                                                                                                                    \
    (x), (x), (x), (x)                                                                                                 \
  }

/* Sets those lanes of *x where the mask is set. */
static inline __attribute__((always_inline)) void dorm__set_lanes(dorm__lanes *x, const dorm__lane_masks *mask,
                                                                  double value)
{
  dorm__lanes values = DORM__LANES_OF(value);
  *x = (dorm__lanes)(((dorm__lane_masks)values & *mask) | ((dorm__lane_masks)*x & ~*mask));
}

/* The first of the highest lines. */
static inline size_t dorm__best_line(const dorm__lanes *lines, size_t num_runs)
{
  size_t best = 0;
  for (size_t q = 1; q < num_runs; q++)
    if (lines[q / DORM__LANES][q % DORM__LANES] > lines[best / DORM__LANES][best % DORM__LANES])
      best = q;
  return best;
}

/* num_vectors, upwards and when_above are constants after inlining. */
static inline __attribute__((always_inline)) void dorm__sweep(const dorm__merge *merge, size_t num_vectors,
                                                              bool upwards, dorm__when_above when_above, void *user)
{
  dorm__lanes base[DORM__MOST_VECTORS], score[DORM__MOST_VECTORS], gain[DORM__MOST_VECTORS], line[DORM__MOST_VECTORS];
  uint32_t from[DORM__MOST_LEVELS];
  for (size_t v = 0; v < num_vectors; v++) {
    base[v] = (dorm__lanes)DORM__LANES_OF(-INFINITY);
    score[v] = gain[v] = (dorm__lanes){0};
    for (size_t lane = 0; lane < DORM__LANES && v * DORM__LANES + lane < merge->num_runs; lane++)
      gain[v][lane] = merge->gain[v * DORM__LANES + lane];
  }
  for (size_t i = 0; i < merge->count; i++) {
    size_t y = upwards ? merge->count - 1 - i : i, own = merge->sequence[y];
    double a = merge->a[y], c = merge->c[y], here = merge->potential[y];
    dorm__lanes limit = DORM__LANES_OF(here + merge->tolerance);
    dorm__lane_masks above = {0};
    for (size_t v = 0; v < num_vectors; v++) {
      line[v] = base[v] + c * score[v] - a * gain[v];
      above |= line[v] > limit;
    }
    if (above[0] | above[1] | above[2] | above[3]) {
      size_t best = dorm__best_line(line, merge->num_runs);
      here = when_above(user, from[best], y, line[best / DORM__LANES][best % DORM__LANES]);
    }
    double own_base = here - c * merge->score_at[y] + a * merge->gain[own];
    for (size_t v = 0; v < num_vectors; v++) {
      int64_t lane = (int64_t)own - (int64_t)(v * DORM__LANES);
      dorm__lane_masks is_own = (dorm__lane_masks){0, 1, 2, 3} == (dorm__lane_masks)DORM__LANES_OF(lane);
      dorm__set_lanes(&base[v], &is_own, own_base);
      dorm__set_lanes(&score[v], &is_own, merge->score_at[y]);
    }
    from[own] = (uint32_t)y;
  }
}

static inline __attribute__((always_inline)) void dorm__sweep_both(const dorm__merge *merge, size_t num_vectors,
                                                                   dorm__when_above when_above, void *user)
{
  dorm__sweep(merge, num_vectors, false, when_above, user);
  dorm__sweep(merge, num_vectors, true, when_above, user);
}

/* One sweep down and one up, as is best for the number of runs. */
static inline __attribute__((always_inline)) void dorm__sweep_pair(const dorm__merge *merge,
                                                                   dorm__when_above when_above, void *user)
{
  if (merge->num_runs <= DORM__LANES)
    dorm__sweep_both(merge, 1, when_above, user);
  else if (merge->num_runs <= 2 * DORM__LANES)
    dorm__sweep_both(merge, 2, when_above, user);
  else
    dorm__sweep_both(merge, (merge->num_runs + DORM__LANES - 1) / DORM__LANES, when_above, user);
}

#endif
