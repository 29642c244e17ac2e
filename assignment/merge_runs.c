/*
 * merge_runs.c: the best ranking as the best merge of one run of documents a
 * level (levels.c).
 *
 * 1. A greedy merge: position p gets the head of the run with the largest
 *    (c[p] - c[p+1]) g - (a[p] - a[p+1]) b. With S_p the documents of the p best
 *    positions, the value is sum_p (c[p-1] - c[p]) g(S_p) - (a[p-1] - a[p]) b(S_p)
 *    up to a constant (Abel summation), so this is right wherever the best S_p
 *    are nested.
 * 2. Potentials that prove it (certificate.c), or say where it may be wrong.
 * 3. There, the best merges of two runs at a time (pair_merges.c).
 * 4. If still no proof: cycles of moves that gain (cycles.c), until there is.
 *
 * The end is always a proof of optimality up to the tolerance; the rest decides
 * the speed alone. Two runs need no proof: two_runs.c is exact.
 *
 * Where a is constant from position k on (`truncation`), documents behind k
 * differ in score alone and stand in its order: the tail acts as one run. Steps
 * 1 to 4 are then done for the first positions only, a little more than k of
 * them, and tail_is_proved() extends the proof to all positions. O(num_docs)
 * and what a small problem costs.
 */
#include "assignment/assignment.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 3, RAISES = 2, MARGIN = 32, WINDOW_MARGIN = 24, WINDOW_GROWTH = 3 };

typedef struct merge_work {
  const dorm__oracle_call *call;
  const dorm__levels *levels;
  const dorm__ranked *ranked;
  const dorm__merge_scratch *scratch;
  size_t truncation;
  size_t most_sweeps;
  dorm__merge merge;
  uint32_t size[DORM__MOST_LEVELS]; /* documents of a run, also behind the window */
} merge_work;

/* ---- Greedy ---------------------------------------------------------------- */

/* Fills sequence[0 .. end - 1] and the lengths; num_runs is a constant after
 * inlining. */
static inline __attribute__((always_inline)) void take_heads(merge_work *work, size_t num_runs, size_t end)
{
  dorm__merge *merge = &work->merge;
  const double *a = merge->a, *c = merge->c;
  double head[DORM__MOST_LEVELS], gain[DORM__MOST_LEVELS], open[DORM__MOST_LEVELS];
  uint32_t taken[DORM__MOST_LEVELS];
  for (size_t q = 0; q < num_runs; q++) {
    head[q] = merge->scores[q][0];
    gain[q] = merge->gain[q];
    open[q] = 0;
    taken[q] = 0;
  }
  size_t last = work->call->num_docs - 1;
  for (size_t p = 0; p < end; p++) {
    double fall_of_c = p < last ? c[p] - c[p + 1] : 0, fall_of_a = p < last ? a[p] - a[p + 1] : 0;
    double best = -INFINITY;
    size_t run = 0;
    for (size_t q = 0; q < num_runs; q++) {
      double value = fall_of_c * head[q] - fall_of_a * gain[q] + open[q];
      run = value > best ? q : run;
      best = value > best ? value : best;
    }
    merge->sequence[p] = (uint8_t)run;
    if (++taken[run] < work->size[run])
      head[run] = merge->scores[run][taken[run]];
    else
      open[run] = -INFINITY;
  }
  for (size_t q = 0; q < num_runs; q++)
    merge->length[q] = taken[q];
}

static void merge_greedily(merge_work *work, size_t end)
{
  switch (work->merge.num_runs) {
  case 2:
    take_heads(work, 2, end);
    break;
  case 3:
    take_heads(work, 3, end);
    break;
  case 4:
    take_heads(work, 4, end);
    break;
  case 5:
    take_heads(work, 5, end);
    break;
  default:
    take_heads(work, work->merge.num_runs, end);
    break;
  }
}

/* Positions head .. count - 1 get the best-scored documents that are not among
 * the first `head`; lengths become those of the window. */
static void fill_by_score(merge_work *work, size_t head)
{
  dorm__merge *merge = &work->merge;
  uint32_t in_head[DORM__MOST_LEVELS] = {0}, seen[DORM__MOST_LEVELS] = {0};
  for (size_t p = 0; p < head; p++)
    in_head[merge->sequence[p]]++;
  memcpy(merge->length, in_head, merge->num_runs * sizeof *in_head);
  size_t rank = 0;
  for (size_t p = head; p < merge->count; rank++) {
    uint8_t run = work->levels->level_of[work->ranked->docs[rank]];
    if (seen[run]++ < in_head[run])
      continue;
    merge->sequence[p++] = run;
    merge->length[run]++;
  }
}

/* ---- Improvement ----------------------------------------------------------- */

/* Steps 2 to 4 on the window; true when its best merge is proved. */
static bool improve(merge_work *work)
{
  dorm__merge *merge = &work->merge;
  size_t count = merge->count, first = count, end = 0;
  dorm__merge_refresh(merge);
  for (size_t round = 0; round < MOST_ROUNDS; round++) {
    dorm__merge_midpoints(merge);
    dorm__violations violations = dorm__merge_violations(merge);
    if (violations.count == 0)
      return true;
    if (violations.count <= count / 100 + 4)
      for (int i = 0; i < RAISES; i++)
        if (dorm__merge_raise(merge))
          return true;
    if (first == 0 && end == count)
      break;
    size_t reach = ((size_t)MARGIN << 2 * round) + (violations.highest - violations.lowest) / 4;
    size_t low = violations.lowest > reach ? violations.lowest - reach : 0;
    size_t high = violations.highest + reach + 1;
    first = low < first ? low : first;
    end = high > end ? high : end;
    if (round > 0 || end - first + 2 * MARGIN >= count) {
      first = 0;
      end = count;
    }
    end = end < count ? end : count;
    dorm__merge_pairs(merge, &work->scratch->pairs, &first, &end);
  }
  return dorm__merge_cancel_cycles(merge, &work->scratch->cycles, work->most_sweeps);
}

/* ---- Behind a truncated table ---------------------------------------------- */

/* The documents behind the window, in the order of their scores. */
typedef struct tail_walk {
  size_t rank; /* in the ranked list, of the next document that may be in the tail */
  uint32_t seen[DORM__MOST_LEVELS];
} tail_walk;

/* The rank of the next document behind the window, num_docs at the end. */
static size_t next_of_tail(const merge_work *work, tail_walk *walk)
{
  for (; walk->rank < work->call->num_docs; walk->rank++) {
    uint8_t run = work->levels->level_of[work->ranked->docs[walk->rank]];
    if (walk->seen[run]++ >= work->merge.length[run])
      return walk->rank++;
  }
  return walk->rank;
}

/* Lines of the runs that have no document in the window's own tail: their last
 * documents in the head may belong behind the window, their first documents
 * behind it into the head. All other arcs across the window's end have a path
 * through the window's tail, by the argument of the lemma in certificate.c with
 * the tail as one run. */
typedef struct tail_lines {
  bool is_in_tail[DORM__MOST_LEVELS];
  double base[DORM__MOST_LEVELS]; /* of the last document in the head */
  double score[DORM__MOST_LEVELS];
  double lowest_score; /* of these; INFINITY when there are none */
  size_t to_come;      /* runs with documents behind the window and none in its tail */
} tail_lines;

static tail_lines draw_lines(const merge_work *work)
{
  const dorm__merge *merge = &work->merge;
  tail_lines lines = {.lowest_score = INFINITY};
  for (size_t p = work->truncation; p < merge->count; p++)
    lines.is_in_tail[merge->sequence[p]] = true;
  for (size_t q = 0; q < merge->num_runs; q++)
    lines.base[q] = -INFINITY;
  for (size_t q = 0; q < merge->num_runs; q++) {
    if (lines.is_in_tail[q])
      continue;
    lines.to_come += merge->length[q] < work->size[q];
    if (merge->length[q] == 0)
      continue;
    size_t x = merge->positions[merge->first[q] + merge->length[q] - 1];
    lines.score[q] = merge->score_at[x];
    lines.base[q] = merge->potential[x] - merge->c[x] * lines.score[q] + merge->a[x] * merge->gain[q];
    lines.lowest_score = fmin(lines.lowest_score, lines.score[q]);
  }
  return lines;
}

/* A document of run q at position x behind the window, with its score and
 * potential: may it not go into the head? */
static bool head_holds(const merge_work *work, size_t q, size_t x, double score, double potential)
{
  const dorm__merge *merge = &work->merge;
  double base = potential - merge->c[x] * score + merge->a[x] * merge->gain[q];
  for (size_t y = 0; y < work->truncation; y++)
    if (base + merge->c[y] * score - merge->a[y] * merge->gain[q] > merge->potential[y] + merge->tolerance)
      return false;
  return true;
}

/* Extends the proof for the window: behind it, potentials at midpoints. In
 * falling c these are a convex chain with the scores as slopes, so that a line
 * exceeds it most where its own score belongs: the walk ends there. */
static bool tail_is_proved(const merge_work *work)
{
  const dorm__merge *merge = &work->merge;
  size_t num_docs = work->call->num_docs, p = merge->count;
  tail_lines lines = draw_lines(work);
  tail_walk walk = {0};
  size_t rank = next_of_tail(work, &walk);
  double score = merge->score_at[p - 1], potential = merge->potential[p - 1];
  if (rank < num_docs && work->ranked->scores[rank] - work->ranked->offset > score)
    return false;
  for (; rank < num_docs; p++, rank = next_of_tail(work, &walk)) {
    double next = work->ranked->scores[rank] - work->ranked->offset;
    if (lines.to_come == 0 && lines.lowest_score > score)
      break;
    potential += 0.5 * (merge->c[p] - merge->c[p - 1]) * (score + next);
    score = next;
    for (size_t q = 0; q < merge->num_runs; q++)
      if (lines.base[q] + merge->c[p] * lines.score[q] - merge->a[p] * merge->gain[q] > potential + merge->tolerance)
        return false;
    size_t run = work->levels->level_of[work->ranked->docs[rank]];
    if (!lines.is_in_tail[run]) {
      lines.is_in_tail[run] = true;
      lines.to_come--;
      if (!head_holds(work, run, p, score, potential))
        return false;
    }
  }
  return true;
}

static bool is_sorted(const double *scores, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (scores[i] > scores[i - 1])
      return false;
  return true;
}

/* The window's own tail must stand in the order of scores for that proof. It may
 * not where c is flat: it is then sorted, and proved again. */
static bool sort_tail(merge_work *work, size_t head)
{
  dorm__merge *merge = &work->merge;
  if (is_sorted(merge->score_at + head, merge->count - head))
    return true;
  fill_by_score(work, head);
  dorm__merge_refresh(merge);
  dorm__merge_midpoints(merge);
  for (int i = 0; i < RAISES; i++)
    if (dorm__merge_raise(merge))
      return true;
  return false;
}

/* ---- The whole ------------------------------------------------------------- */

static void write_order(const merge_work *work, uint32_t *order)
{
  const dorm__merge *merge = &work->merge;
  uint32_t next[DORM__MOST_LEVELS];
  memcpy(next, work->scratch->runs.start, merge->num_runs * sizeof *next);
  for (size_t p = 0; p < merge->count; p++)
    order[p] = work->scratch->runs.docs[next[merge->sequence[p]]++];
  if (merge->count == work->call->num_docs)
    return;
  tail_walk walk = {0};
  size_t p = merge->count;
  while (walk.rank < p) { /* at p nothing is left of the window */
    size_t rank = next_of_tail(work, &walk);
    if (rank == work->call->num_docs)
      return;
    order[p++] = work->ranked->docs[rank];
  }
  memcpy(order + p, work->ranked->docs + walk.rank, (work->call->num_docs - p) * sizeof *order);
}

static void merge_two(merge_work *work)
{
  dorm__merge *merge = &work->merge;
  dorm__two_runs runs = {.count = {work->size[0], work->size[1]},
                         .scores = {merge->scores[0], merge->scores[1]},
                         .gain_difference = merge->gain[0] - merge->gain[1],
                         .a = merge->a,
                         .c = merge->c};
  dorm__two_runs_merge(&runs, &work->scratch->pairs.two_runs, merge->sequence);
}

static void set_up(merge_work *work, double tolerance)
{
  const dorm__merge_scratch *scratch = work->scratch;
  dorm__merge *merge = &work->merge;
  dorm__runs_build(work->levels, work->call->num_docs, work->ranked->docs, work->ranked->scores, work->ranked->offset,
                   &scratch->runs);
  merge->num_runs = work->levels->count;
  merge->a = work->call->a;
  merge->c = work->call->c;
  merge->tolerance = tolerance;
  merge->sequence = scratch->sequence;
  merge->score_at = scratch->score_at;
  merge->potential = scratch->potential;
  merge->positions = scratch->positions;
  for (size_t q = 0; q < merge->num_runs; q++) {
    merge->gain[q] = work->call->t * work->levels->gain[q];
    merge->scores[q] = scratch->runs.scores + scratch->runs.start[q];
    work->size[q] = work->levels->size[q];
  }
}

bool dorm__merge_runs_solve(const dorm__oracle_call *call, const dorm__levels *levels, size_t truncation,
                            double tolerance, size_t most_sweeps, const dorm__ranked *ranked,
                            const dorm__merge_scratch *scratch, uint32_t *order)
{
  merge_work work = {.call = call,
                     .levels = levels,
                     .ranked = ranked,
                     .scratch = scratch,
                     .truncation = truncation,
                     .most_sweeps = most_sweeps};
  set_up(&work, tolerance);
  size_t num_docs = call->num_docs, window = 2 * truncation + WINDOW_MARGIN;
  bool is_whole = window + window / 2 >= num_docs;
  size_t head = truncation < num_docs ? truncation : num_docs;
  work.merge.count = is_whole ? num_docs : window;
  if (is_whole && work.merge.num_runs == 2) {
    memcpy(work.merge.length, work.size, 2 * sizeof *work.size);
    merge_two(&work);
    write_order(&work, order);
    return true;
  }
  merge_greedily(&work, head);
  for (;;) {
    if (head < work.merge.count)
      fill_by_score(&work, head);
    if (!improve(&work))
      return false;
    if (work.merge.count == num_docs || (sort_tail(&work, head) && tail_is_proved(&work)))
      break;
    window *= WINDOW_GROWTH;
    work.merge.count = window + window / 2 >= num_docs ? num_docs : window;
  }
  write_order(&work, order);
  return true;
}
