/* sweep.h: one sweep over a merge (certificate.c), with a callback for potentials that are too low.
 *
 * Lines of four runs are kept in one vector. If there are few runs, all vectors are in registers. */
#ifndef DORM_ASSIGNMENT_RUNS_SWEEP_H
#define DORM_ASSIGNMENT_RUNS_SWEEP_H

#include "assignment/runs/merge.h"
#include "base/base.h"
#include "base/lanes.h"

#include <math.h>
#include <string.h>

enum { DORM__MOST_VECTORS = DORM__MOST_LEVELS / DORM__LANES };

/* Called if the potential of y is too low. The document at x has the best line there. The callback may raise the
 * potential (dorm__raise), and the sweep continues with the new one. */
typedef void (*dorm__when_above)(void *user, uint32_t x, size_t y, double best);

/* The first of the highest lines. */
static inline size_t dorm__best_line(const dorm__lanes *lines, size_t num_runs)
{
  size_t best = 0;
  for (size_t q = 1; q < num_runs; q++)
    if (lines[q / DORM__LANES][q % DORM__LANES] > lines[best / DORM__LANES][best % DORM__LANES])
      best = q;
  return best;
}

static inline void dorm__doubt(dorm__merge *merge, size_t p)
{
  merge->doubtful.lowest = p < merge->doubtful.lowest ? p : merge->doubtful.lowest;
  merge->doubtful.highest = p > merge->doubtful.highest ? p : merge->doubtful.highest;
}

static inline void dorm__raise(dorm__merge *merge, size_t p, double potential)
{
  merge->potential[p] = potential;
  dorm__doubt(merge, p);
}

/* The lines of all runs. */
typedef struct dorm__line_set {
  dorm__lanes base[DORM__MOST_VECTORS], score[DORM__MOST_VECTORS], gain[DORM__MOST_VECTORS];
  uint32_t from[DORM__MOST_LEVELS]; /* the position of the document that defines it */
} dorm__line_set;

/* Makes the line of the document at position x the line of its run. */
static inline __attribute__((always_inline)) void dorm__draw_line(const dorm__merge *merge, size_t num_vectors,
                                                                  size_t x, dorm__line_set *lines)
{
  size_t own = merge->sequence[x];
  double base = merge->potential[x] - merge->c[x] * merge->score_at[x] + merge->a[x] * merge->gain[own];
  for (size_t v = 0; v < num_vectors; v++) {
    dorm__lane_masks is_own;
    dorm__find_lane(own, v, &is_own);
    dorm__set_lanes(&lines->base[v], &is_own, base);
    dorm__set_lanes(&lines->score[v], &is_own, merge->score_at[x]);
  }
  lines->from[own] = (uint32_t)x;
}

/* Sets the initial lines: of the last document of each run up to `position`, or of the first one after it. A sweep that
 * begins at an end of the merge has no lines. */
static inline __attribute__((always_inline)) void
dorm__first_lines(const dorm__merge *merge, size_t num_vectors, bool upwards, size_t position, dorm__line_set *lines)
{
  for (size_t v = 0; v < num_vectors; v++) {
    lines->base[v] = (dorm__lanes)DORM__LANES_OF(-INFINITY);
    lines->score[v] = (dorm__lanes){0};
    memcpy(&lines->gain[v], merge->gain + v * DORM__LANES, sizeof lines->gain[v]);
  }
  if (upwards ? position + 1 >= merge->count : position == 0)
    return;
  for (size_t q = 0; q < merge->num_runs; q++) {
    size_t place = dorm__count_before(merge, q, position + 1);
    if (upwards ? place < merge->length[q] : place > 0)
      dorm__draw_line(merge, num_vectors, merge->positions[merge->first[q] + (upwards ? place : place - 1)], lines);
  }
}

/* Sweeps over the positions at which an arc may fail: from one end of the doubtful positions to the first position
 * beyond the other end at which no arc fails (certificate.c). num_vectors, upwards and when_above are constants after
 * inlining. */
static inline __attribute__((always_inline)) void dorm__sweep(dorm__merge *merge, size_t num_vectors, bool upwards,
                                                              dorm__when_above when_above, void *user)
{
  const dorm__doubtful *doubtful = &merge->doubtful;
  if (doubtful->lowest > doubtful->highest)
    return;
  dorm__line_set lines;
  dorm__lanes line[DORM__MOST_VECTORS];
  dorm__first_lines(merge, num_vectors, upwards, upwards ? doubtful->highest : doubtful->lowest, &lines);
  size_t y = upwards ? doubtful->highest : doubtful->lowest + (doubtful->lowest > 0);
  for (; y < merge->count; y += upwards ? SIZE_MAX : 1) { /* SIZE_MAX is above position 0 */
    double a = merge->a[y], c = merge->c[y];
    dorm__lanes limit = DORM__LANES_OF(merge->potential[y] + merge->tolerance);
    dorm__lane_masks above = {0};
    for (size_t v = 0; v < num_vectors; v++) {
      line[v] = lines.base[v] + c * lines.score[v] - a * lines.gain[v];
      above |= line[v] > limit;
    }
    if (above[0] | above[1] | above[2] | above[3]) {
      size_t best = dorm__best_line(line, merge->num_runs);
      when_above(user, lines.from[best], y, line[best / DORM__LANES][best % DORM__LANES]);
    } else if (upwards ? y < doubtful->lowest : y > doubtful->highest) {
      break;
    }
    dorm__draw_line(merge, num_vectors, y, &lines);
  }
}

/* Makes one sweep in the best way for the number of runs. */
static inline __attribute__((always_inline)) void dorm__sweep_once(dorm__merge *merge, bool upwards,
                                                                   dorm__when_above when_above, void *user)
{
  if (merge->num_runs <= DORM__LANES)
    dorm__sweep(merge, 1, upwards, when_above, user);
  else if (merge->num_runs <= 2 * DORM__LANES)
    dorm__sweep(merge, 2, upwards, when_above, user);
  else
    dorm__sweep(merge, (merge->num_runs + DORM__LANES - 1) / DORM__LANES, upwards, when_above, user);
}

#endif
