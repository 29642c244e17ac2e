/*
 * merge_runs.c: the best ranking as the best merge of one run of documents a
 * level (levels.c).
 *
 * 1. A greedy merge: position p gets the head of the run with the largest
 *    (c[p] - c[p+1]) g - (a[p] - a[p+1]) b. With S_p the documents of the p best
 *    positions, the value is sum_p (c[p-1] - c[p]) g(S_p) - (a[p-1] - a[p]) b(S_p)
 *    up to a constant (Abel summation), so this is right, and needs no other
 *    proof, when every S_p is the best set of p documents.
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

/* The heads of the runs while they are taken. */
typedef struct heads {
  double head[DORM__MOST_LEVELS]; /* score of the next document */
  double last[DORM__MOST_LEVELS]; /* score of the document taken last */
  double open[DORM__MOST_LEVELS]; /* 0; -INFINITY when the run is used up */
  double none[DORM__MOST_LEVELS]; /* 0; INFINITY when nothing was taken */
} heads;

typedef struct contender {
  double value;
  size_t run;
} contender;

/* Written so that compilers make no branch of it: which run is better is as
 * good as random. */
static inline contender better(contender x, contender y)
{
  bool is_y = y.value > x.value;
  size_t mask = (size_t)0 - is_y;
  return (contender){.value = is_y ? y.value : x.value, .run = x.run ^ ((x.run ^ y.run) & mask)};
}

/* What the head of run q is worth. */
static inline __attribute__((always_inline)) contender head_of(const heads *state, size_t q, double fall_of_c,
                                                               const double *shift)
{
  return (contender){.value = fall_of_c * state->head[q] + (state->open[q] - shift[q]), .run = q};
}

/* The better head of runs q and q + 1, where there are so many. */
static inline __attribute__((always_inline)) contender best_of_two(const heads *state, size_t num_runs, size_t q,
                                                                   double fall_of_c, const double *shift)
{
  contender x = head_of(state, q, fall_of_c, shift);
  return q + 1 < num_runs ? better(x, head_of(state, q + 1, fall_of_c, shift)) : x;
}

/* The run whose head is worth most: a knockout, which keeps the chain of
 * comparisons that depend on each other short. num_runs is a constant after
 * inlining. */
static inline __attribute__((always_inline)) size_t best_head(const heads *state, size_t num_runs, double fall_of_c,
                                                              const double *shift)
{
  contender best = best_of_two(state, num_runs, 0, fall_of_c, shift);
  if (num_runs > 2)
    best = better(best, best_of_two(state, num_runs, 2, fall_of_c, shift));
  if (num_runs > 4) {
    contender other = best_of_two(state, num_runs, 4, fall_of_c, shift);
    if (num_runs > 6)
      other = better(other, best_of_two(state, num_runs, 6, fall_of_c, shift));
    best = better(best, other);
  }
  for (size_t q = 8; q < num_runs; q += 2)
    best = better(best, best_of_two(state, num_runs, q, fall_of_c, shift));
  return best.run;
}

/* No document left is worth more at this place than one taken: the documents
 * taken are the best set of their number. */
static inline __attribute__((always_inline)) bool is_best_set(const heads *state, size_t num_runs, double fall_of_c,
                                                              const double *shift, double tolerance)
{
  double best_left = -INFINITY, worst_taken = INFINITY;
  for (size_t q = 0; q < num_runs; q++) {
    double left = fall_of_c * state->head[q] + (state->open[q] - shift[q]);
    double taken = fall_of_c * state->last[q] + (state->none[q] - shift[q]);
    best_left = left > best_left ? left : best_left;
    worst_taken = taken < worst_taken ? taken : worst_taken;
  }
  return best_left <= worst_taken + tolerance;
}

/* Fills sequence[0 .. end - 1] and the lengths. True when every set of best
 * documents was the best of its number: the merge of these is then the best. */
static inline __attribute__((always_inline)) bool take_heads(merge_work *work, size_t num_runs, size_t end)
{
  dorm__merge *merge = &work->merge;
  const double *a = merge->a, *c = merge->c;
  heads state;
  double shift[DORM__MOST_LEVELS], gain[DORM__MOST_LEVELS];
  uint32_t taken[DORM__MOST_LEVELS];
  for (size_t q = 0; q < num_runs; q++) {
    bool is_there = q < merge->num_runs;
    state.head[q] = state.last[q] = is_there ? merge->scores[q][0] : 0;
    state.open[q] = is_there ? 0 : -INFINITY;
    state.none[q] = INFINITY;
    gain[q] = is_there ? merge->gain[q] : 0;
    taken[q] = 0;
  }
  bool is_nested = true;
  size_t last = work->call->num_docs - 1;
  for (size_t p = 0; p < end; p++) {
    double fall_of_c = p < last ? c[p] - c[p + 1] : 0, fall_of_a = p < last ? a[p] - a[p + 1] : 0;
    for (size_t q = 0; q < num_runs; q++)
      shift[q] = fall_of_a * gain[q];
    size_t run = best_head(&state, num_runs, fall_of_c, shift);
    merge->sequence[p] = (uint8_t)run;
    state.last[run] = state.head[run];
    state.none[run] = 0;
    if (++taken[run] < work->size[run])
      state.head[run] = merge->scores[run][taken[run]];
    else
      state.open[run] = -INFINITY;
    is_nested &= p == last || is_best_set(&state, num_runs, fall_of_c, shift, merge->tolerance);
  }
  memcpy(merge->length, taken, merge->num_runs * sizeof *taken);
  return is_nested;
}

/* Numbers of runs without a case of their own are rounded up: runs without
 * documents do no harm. */
static bool merge_greedily(merge_work *work, size_t end)
{
  switch (work->merge.num_runs) {
  case 1:
  case 2:
    return take_heads(work, 2, end);
  case 3:
    return take_heads(work, 3, end);
  case 4:
    return take_heads(work, 4, end);
  case 5:
    return take_heads(work, 5, end);
  case 6:
    return take_heads(work, 6, end);
  case 7:
  case 8:
    return take_heads(work, 8, end);
  case 9:
  case 10:
    return take_heads(work, 10, end);
  default:
    return take_heads(work, work->merge.num_runs, end);
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
  size_t head = truncation + 1 < num_docs ? truncation : num_docs;
  work.merge.count = is_whole ? num_docs : window;
  if (is_whole && work.merge.num_runs == 2) {
    memcpy(work.merge.length, work.size, 2 * sizeof *work.size);
    merge_two(&work);
    write_order(&work, order);
    return true;
  }
  if (merge_greedily(&work, head) && head == num_docs) {
    write_order(&work, order);
    return true;
  }
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
