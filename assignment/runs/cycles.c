/* cycles.c: finds cycles of moves that still gain (certificate.c defines the graph) and makes these moves, until
 * potentials prove that no such cycle is left.
 *
 * The search is Bellman-Ford by sweeps from the current potentials. A raised potential stores the arc that raised it. A
 * cycle of such arcs gains more than the tolerance. Disjoint cycles found by a pair of sweeps are made together. Every
 * document moves along its arc, and then every run is sorted by its scores again, which cannot lose. A potential that
 * would close a cycle is not raised, so that one cycle does not inflate all potentials that it leads to and hide other
 * cycles.
 *
 * Each phase gains, but the number of phases has no polynomial bound. So `most_sweeps` limits it, and the caller then
 * uses another method. */
#include "assignment/plan.h"
#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"

#include <math.h>
#include <string.h>

enum {
  LONGEST_WALK = 16,
  PAIRS_BEFORE_SEARCH = 2,
  RENEWALS = 32 /* phases after which potentials are recomputed, because their rounding errors add up */
};

typedef struct cycle_work {
  dorm__merge *merge;
  const dorm__cycle_scratch *scratch;
  size_t found;     /* cycles of this phase */
  size_t num_moves; /* phases with moves */
  bool raised;
  bool only_counts; /* violations, and raises nothing */
  dorm__violations violations;
} cycle_work;

static const uint8_t NO_RUN = UINT8_MAX;

/* The document at x will move to y. */
static void move(cycle_work *work, uint32_t y, uint32_t x)
{
  work->scratch->next_run[y] = work->merge->sequence[x];
  dorm__doubt(work->merge, y);
}

/* Marks the moves of the cycle x -> y -> .. -> x (parents lead from x back to y) if it is disjoint from earlier
 * cycles. */
static void take_cycle(cycle_work *work, uint32_t x, uint32_t y)
{
  const dorm__cycle_scratch *s = work->scratch;
  for (uint32_t z = x;; z = s->parent[z]) {
    if (s->next_run[z] != NO_RUN)
      return;
    if (z == y)
      break;
  }
  for (uint32_t z = x; z != y; z = s->parent[z])
    move(work, z, s->parent[z]);
  move(work, y, x);
  work->found++;
}

/* Whether y is among the nearest LONGEST_WALK ancestors of x. */
static bool closes_cycle(const cycle_work *work, uint32_t x, uint32_t y)
{
  const uint32_t *parent = work->scratch->parent;
  for (int step = 0; step < LONGEST_WALK && x != DORM__NO_DOC; step++, x = parent[x])
    if (x == y)
      return true;
  return false;
}

static void count_violation(dorm__violations *violations, size_t y)
{
  violations->count++;
  violations->lowest = y < violations->lowest ? y : violations->lowest;
  violations->highest = y > violations->highest ? y : violations->highest;
}

/* Raises the potential of y, to which the document at x should move, or marks the cycle that this would close. */
static inline void raise_at(cycle_work *work, uint32_t x, size_t y, double potential)
{
  if (work->only_counts) {
    count_violation(&work->violations, y);
  } else if (closes_cycle(work, x, (uint32_t)y)) {
    take_cycle(work, x, (uint32_t)y);
  } else {
    work->merge->potential[y] = potential;
    dorm__doubt(work->merge, y);
    work->scratch->parent[y] = x;
    work->raised = true;
  }
}

/* ---- Sweeps ------------------------------------------------------------------------------------- */

/* The first of the highest lines. */
static inline size_t best_line(const dorm__lanes *lines, size_t num_runs)
{
  size_t best = 0;
  for (size_t q = 1; q < num_runs; q++)
    if (lines[q / DORM__LANES][q % DORM__LANES] > lines[best / DORM__LANES][best % DORM__LANES])
      best = q;
  return best;
}

/* The lines of all runs. */
typedef struct line_set {
  dorm__lanes base[DORM__MOST_VECTORS], score[DORM__MOST_VECTORS], gain[DORM__MOST_VECTORS];
  uint32_t from[DORM__MOST_LEVELS]; /* the position of the document that defines it */
} line_set;

/* Makes the line of the document at position x the line of its run. */
static inline __attribute__((always_inline)) void draw_line(const dorm__merge *merge, size_t num_vectors, size_t x,
                                                            line_set *lines)
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
static inline __attribute__((always_inline)) void first_lines(const dorm__merge *merge, size_t num_vectors,
                                                              bool upwards, size_t position, line_set *lines)
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
      draw_line(merge, num_vectors, merge->positions[merge->first[q] + (upwards ? place : place - 1)], lines);
  }
}

/* Sweeps over the positions at which an arc may fail: from one end of the doubtful positions to the first position
 * beyond the other end at which no arc fails (certificate.c). num_vectors and upwards are constants after inlining. */
static inline __attribute__((always_inline)) void sweep_with(cycle_work *work, size_t num_vectors, bool upwards)
{
  dorm__merge *merge = work->merge;
  const dorm__doubtful *doubtful = &merge->doubtful;
  if (doubtful->lowest > doubtful->highest)
    return;
  line_set lines;
  dorm__lanes line[DORM__MOST_VECTORS];
  first_lines(merge, num_vectors, upwards, upwards ? doubtful->highest : doubtful->lowest, &lines);
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
      size_t best = best_line(line, merge->num_runs);
      raise_at(work, lines.from[best], y, line[best / DORM__LANES][best % DORM__LANES]);
    } else if (upwards ? y < doubtful->lowest : y > doubtful->highest) {
      break;
    }
    draw_line(merge, num_vectors, y, &lines);
  }
}

/* Makes one sweep in the best way for the number of runs. */
static inline __attribute__((always_inline)) void sweep_once(cycle_work *work, bool upwards)
{
  size_t num_runs = work->merge->num_runs;
  if (num_runs <= DORM__LANES)
    sweep_with(work, 1, upwards);
  else if (num_runs <= 2 * DORM__LANES)
    sweep_with(work, 2, upwards);
  else
    sweep_with(work, (num_runs + DORM__LANES - 1) / DORM__LANES, upwards);
}

/* Sweeps. Returns whether the potentials are unchanged and no cycle was found. */
DORM__WIDE_VECTORS
static bool sweep_changes_nothing(cycle_work *work, bool upwards)
{
  work->raised = false;
  if (upwards) /* a constant in each call */
    sweep_once(work, true);
  else
    sweep_once(work, false);
  return !work->raised && work->found == 0;
}

/* Finds cycles anywhere among the parents, by walks that visit each node once. */
static void search_parents(cycle_work *work)
{
  const dorm__cycle_scratch *s = work->scratch;
  memset(s->visit, 0, work->merge->count * sizeof *s->visit);
  for (size_t start = work->merge->doubtful.lowest; start <= work->merge->doubtful.highest; start++) {
    uint32_t mark = (uint32_t)start + 1, z = (uint32_t)start;
    while (z != DORM__NO_DOC && s->visit[z] == 0) {
      s->visit[z] = mark;
      z = s->parent[z];
    }
    if (z != DORM__NO_DOC && s->visit[z] == mark) /* z is on a cycle, and parent[z] -> z closes it */
      take_cycle(work, s->parent[z], z);
  }
}

static void make_moves(cycle_work *work)
{
  dorm__merge *merge = work->merge;
  for (size_t p = merge->doubtful.lowest; p <= merge->doubtful.highest; p++)
    if (work->scratch->next_run[p] != NO_RUN)
      merge->sequence[p] = work->scratch->next_run[p];
  work->num_moves++;
  if (work->num_moves % RENEWALS == 0)
    dorm__merge_start(merge);
  else
    dorm__merge_renew(merge);
}

/* Sweeps until the potentials are a proof (returns true), cycles are found, or `most_sweeps` are done. After a sweep
 * all arcs of its direction hold. So the search ends when the next one, in the other direction, changes nothing. */
static bool prove(cycle_work *work, size_t *sweeps, size_t most_sweeps)
{
  const dorm__cycle_scratch *scratch = work->scratch;
  size_t count = work->merge->count;
  memset(scratch->parent, 0xff, count * sizeof *scratch->parent); /* DORM__NO_DOC */
  memset(scratch->next_run, NO_RUN, count);
  work->found = 0;
  for (size_t pair = 0; work->found == 0 && *sweeps < most_sweeps; pair++) {
    *sweeps += 2;
    if (sweep_changes_nothing(work, false) && pair > 0)
      return true;
    if (sweep_changes_nothing(work, true))
      return true;
    if (work->found == 0 && pair >= PAIRS_BEFORE_SEARCH)
      search_parents(work);
  }
  return false;
}

dorm__violations dorm__merge_violations(dorm__merge *merge, const dorm__cycle_scratch *scratch)
{
  cycle_work work = {.merge = merge, .scratch = scratch, .only_counts = true, .violations = {.lowest = SIZE_MAX}};
  sweep_changes_nothing(&work, false);
  sweep_changes_nothing(&work, true);
  return work.violations;
}

bool dorm__merge_is_proved(dorm__merge *merge, const dorm__cycle_scratch *scratch, size_t most_sweeps)
{
  cycle_work work = {.merge = merge, .scratch = scratch};
  size_t sweeps = 0;
  return prove(&work, &sweeps, most_sweeps);
}

bool dorm__merge_cancel_cycles(dorm__merge *merge, const dorm__cycle_scratch *scratch, size_t most_sweeps)
{
  cycle_work work = {.merge = merge, .scratch = scratch};
  size_t sweeps = 0;
  while (!prove(&work, &sweeps, most_sweeps)) {
    if (work.found == 0)
      return false;
    make_moves(&work);
  }
  return true;
}
