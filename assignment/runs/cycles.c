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
#include "assignment/runs/sweep.h"

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

/* Raises the potential of y, to which the document at x should move, or marks the cycle that this would close. */
static inline void raise_at(void *user, uint32_t x, size_t y, double potential)
{
  cycle_work *work = user;
  if (closes_cycle(work, x, (uint32_t)y)) {
    take_cycle(work, x, (uint32_t)y);
  } else {
    dorm__raise(work->merge, y, potential);
    work->scratch->parent[y] = x;
    work->raised = true;
  }
}

DORM__WIDE_VECTORS
static void sweep_down(cycle_work *work)
{
  dorm__sweep_once(work->merge, false, raise_at, work);
}

DORM__WIDE_VECTORS
static void sweep_up(cycle_work *work)
{
  dorm__sweep_once(work->merge, true, raise_at, work);
}

/* Sweeps. Returns whether the potentials are unchanged and no cycle was found. */
static bool sweep_changes_nothing(cycle_work *work, void (*sweep)(cycle_work *))
{
  work->raised = false;
  sweep(work);
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
    if (sweep_changes_nothing(work, sweep_down) && pair > 0)
      return true;
    if (sweep_changes_nothing(work, sweep_up))
      return true;
    if (work->found == 0 && pair >= PAIRS_BEFORE_SEARCH)
      search_parents(work);
  }
  return false;
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
