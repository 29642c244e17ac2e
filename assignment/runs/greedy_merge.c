/* greedy_merge.c: the first step of a merge of runs: position p gets the head of the run with the largest (c[p] -
 * c[p+1]) g - (a[p] - a[p+1]) b.
 *
 * With S_p the documents at the p best positions, the value of a ranking is, up to a constant (Abel summation),
 *
 *   sum_p (c[p-1] - c[p]) g(S_p) - (a[p-1] - a[p]) b(S_p).
 *
 * When every S_p is the best set of p documents for its own term, the merge is optimal. This holds if no remaining
 * document is worth more than a taken one, which is checked for every p. O(K num_docs) for K runs. */
#include "assignment/runs/merge.h"

#include <math.h>
#include <string.h>

enum { LONG = 256 }; /* positions from which on chains are faster */

/* ---- Runs ------------------------------------------------------------------ */

void dorm__merge_find_ranks(dorm__merge_task *task, size_t end)
{
  const dorm__runs *runs = &task->scratch->runs;
  for (; task->next_rank < end; task->next_rank++) {
    uint32_t doc = task->ranked->docs[task->next_rank];
    size_t run = task->levels->level_of[doc];
    uint32_t place = runs->start[run] + task->found[run]++;
    runs->docs[place] = doc;
    runs->scores[place] = task->ranked->scores[task->next_rank] - task->ranked->offset;
    runs->ranks[place] = (uint32_t)task->next_rank;
  }
}

void dorm__merge_find_document(dorm__merge_task *task, size_t run, size_t n)
{
  while (task->found[run] <= n)
    dorm__merge_find_ranks(task, task->next_rank + 1);
}

/* ---- Greedy ---------------------------------------------------------------- */

/* The heads of the runs while they are taken. */
typedef struct heads {
  double head[DORM__MOST_LEVELS]; /* score of the next document */
  double last[DORM__MOST_LEVELS]; /* score of the document taken most recently */
  double open[DORM__MOST_LEVELS]; /* 0, or -INFINITY if the run is used up */
  double none[DORM__MOST_LEVELS]; /* 0, or INFINITY if nothing was taken */
} heads;

typedef struct contender {
  double value;
  size_t run;
} contender;

/* Written so that compilers make no branch, because the better run is unpredictable. */
static inline contender better(contender x, contender y)
{
  bool is_y = y.value > x.value;
  size_t mask = (size_t)0 - is_y;
  return (contender){.value = is_y ? y.value : x.value, .run = x.run ^ ((x.run ^ y.run) & mask)};
}

/* The worth of the head of run q at the current position. */
static inline __attribute__((always_inline)) contender head_of(const heads *state, size_t q, double fall_of_c,
                                                               const double *shift)
{
  return (contender){.value = fall_of_c * state->head[q] + (state->open[q] - shift[q]), .run = q};
}

/* The better of the heads of runs q and q + 1, if run q + 1 exists. */
static inline __attribute__((always_inline)) contender best_of_two(const heads *state, size_t num_runs, size_t q,
                                                                   double fall_of_c, const double *shift)
{
  contender x = head_of(state, q, fall_of_c, shift);
  return q + 1 < num_runs ? better(x, head_of(state, q + 1, fall_of_c, shift)) : x;
}

/* The run whose head is worth most, by a knockout, which shortens the chain of dependent comparisons. num_runs is a
 * constant after inlining. */
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

/* Whether no remaining document is worth more at this place than a taken one, so that the taken documents are the best
 * set of their number. */
static inline __attribute__((always_inline)) bool is_best_set(const heads *state, size_t num_runs, double fall_of_c,
                                                              const double *shift)
{
  double best_left = -INFINITY, worst_taken = INFINITY;
  for (size_t q = 0; q < num_runs; q++) {
    double left = fall_of_c * state->head[q] + (state->open[q] - shift[q]);
    double taken = fall_of_c * state->last[q] + (state->none[q] - shift[q]);
    best_left = left > best_left ? left : best_left;
    worst_taken = taken < worst_taken ? taken : worst_taken;
  }
  return best_left <= worst_taken;
}

/* Fills sequence[first .. end - 1], after taken_so_far documents of each run, and adds to these counts. Returns true if
 * the taken documents were the best set of their number at every position. */
static inline __attribute__((always_inline)) bool take_heads(dorm__merge_task *task, size_t num_runs, size_t first,
                                                             size_t end, uint32_t *taken_so_far)
{
  dorm__merge *merge = &task->merge;
  const double *a = merge->a, *c = merge->c;
  heads state;
  double shift[DORM__MOST_LEVELS], gain[DORM__MOST_LEVELS];
  uint32_t taken[DORM__MOST_LEVELS]; /* a copy that does not alias the sequence */
  memcpy(taken, taken_so_far, merge->num_runs * sizeof *taken);
  for (size_t q = 0; q < num_runs; q++) {
    bool is_there = q < merge->num_runs && taken[q] < task->limit[q], was_there = q < merge->num_runs && taken[q] > 0;
    if (is_there)
      dorm__merge_find_document(task, q, taken[q]);
    state.head[q] = is_there ? merge->scores[q][taken[q]] : 0;
    state.open[q] = is_there ? 0 : -INFINITY;
    state.last[q] = was_there ? merge->scores[q][taken[q] - 1] : 0;
    state.none[q] = was_there ? 0 : INFINITY;
    gain[q] = q < merge->num_runs ? merge->gain[q] : 0;
  }
  bool is_nested = true;
  size_t last = task->call->num_docs - 1;
  for (size_t p = first; p < end; p++) {
    double fall_of_c = p < last ? c[p] - c[p + 1] : 0, fall_of_a = p < last ? a[p] - a[p + 1] : 0;
    for (size_t q = 0; q < num_runs; q++)
      shift[q] = fall_of_a * gain[q];
    size_t run = best_head(&state, num_runs, fall_of_c, shift);
    merge->sequence[p] = (uint8_t)run;
    state.last[run] = state.head[run];
    state.none[run] = 0;
    if (++taken[run] < task->limit[run]) {
      dorm__merge_find_document(task, run, taken[run]);
      state.head[run] = merge->scores[run][taken[run]];
    } else {
      state.open[run] = -INFINITY;
    }
    is_nested &= p == last || is_best_set(&state, num_runs, fall_of_c, shift);
  }
  memcpy(taken_so_far, taken, merge->num_runs * sizeof *taken);
  return is_nested;
}

/* Rounds the number of runs up to a case that exists. Runs without documents do no harm. */
static bool merge_part(dorm__merge_task *task, size_t first, size_t end, uint32_t *taken)
{
  switch (task->merge.num_runs) {
  case 1:
  case 2:
    return take_heads(task, 2, first, end, taken);
  case 3:
    return take_heads(task, 3, first, end, taken);
  case 4:
    return take_heads(task, 4, first, end, taken);
  case 5:
    return take_heads(task, 5, first, end, taken);
  case 6:
    return take_heads(task, 6, first, end, taken);
  case 7:
  case 8:
    return take_heads(task, 8, first, end, taken);
  case 9:
  case 10:
    return take_heads(task, 10, first, end, taken);
  default:
    return take_heads(task, task->merge.num_runs, first, end, taken);
  }
}

/* Merges in chains. Repeats a chain if the previous one ends with other documents than this one began with. */
static bool merge_in_chains(dorm__merge_task *task, uint32_t *taken)
{
  dorm__merge *merge = &task->merge;
  dorm__chains chains;
  memcpy(merge->length, task->size, merge->num_runs * sizeof *merge->length);
  dorm__merge_chains(merge, task->scratch->runs.scores, &chains);
  bool is_nested = true;
  size_t first = 0;
  for (size_t i = 0; i < DORM__LANES; i++, first += chains.length) {
    if (memcmp(taken, chains.start[i], merge->num_runs * sizeof *taken) == 0) {
      memcpy(taken, chains.end[i], merge->num_runs * sizeof *taken);
      is_nested &= chains.is_nested[i];
    } else {
      is_nested &= merge_part(task, first, first + chains.length, taken);
    }
  }
  return merge_part(task, first, merge->count, taken) && is_nested;
}

bool dorm__merge_greedily(dorm__merge_task *task, size_t end)
{
  dorm__merge *merge = &task->merge;
  uint32_t taken[DORM__MOST_LEVELS];
  memset(taken, 0, merge->num_runs * sizeof *taken);
  bool is_long = end >= LONG && end == task->call->num_docs && merge->num_runs <= DORM__MOST_CHAIN_RUNS;
  bool is_nested = is_long ? merge_in_chains(task, taken) : merge_part(task, 0, end, taken);
  memcpy(merge->length, taken, merge->num_runs * sizeof *taken);
  return is_nested;
}

/* ---- By score ------------------------------------------------------------- */

void dorm__merge_fill_by_score(dorm__merge_task *task, size_t head)
{
  dorm__merge *merge = &task->merge;
  uint32_t in_head[DORM__MOST_LEVELS] = {0}, seen[DORM__MOST_LEVELS] = {0};
  for (size_t p = 0; p < head; p++)
    in_head[merge->sequence[p]]++;
  memcpy(merge->length, in_head, merge->num_runs * sizeof *in_head);
  size_t rank = 0;
  for (size_t p = head; p < merge->count; rank++) {
    uint8_t run = task->levels->level_of[task->ranked->docs[rank]];
    if (seen[run]++ < in_head[run])
      continue;
    merge->sequence[p++] = run;
    merge->length[run]++;
  }
  dorm__merge_find_ranks(task, rank);
}
