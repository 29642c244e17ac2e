/* merge_runs.c: the best ranking as the best merge of sorted runs of documents, one per level (proof.c).
 *
 * 1. A greedy merge, which often proves itself (greedy_merge.c). If a falls steeply to its tail, of documents that
 *    cliff.c chooses.
 * 2. Potentials that prove the merge, or show where it may be wrong (certificate.c).
 * 3. There, the best merges of two runs at a time (pair_merges.c).
 * 4. If there still is no proof: cycles of moves that gain, until there is one (cycles.c).
 *
 * The end is always a proof of optimality up to the tolerance. Everything else affects only the speed. Two runs need no
 * proof, because two_runs.c is exact.
 *
 * If a is constant from position k on (`truncation`), documents after k differ only in score and are sorted by it, so
 * the tail acts as one run. Steps 1 to 4 are then done for a window of the first positions only, and truncated_tail.c
 * extends the proof to all of them. This takes O(num_docs) plus the cost of the window, which grows if that proof
 * fails.
 *
 * Time O(K num_docs) for K runs if the greedy merge is optimal. Merging every pair of runs once touches (K - 1)
 * num_docs positions. Cycles end after `most_sweeps` sweeps of O(K num_docs), and the caller then uses shortest
 * paths. */
#include "assignment/plan.h"
#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"

#include <string.h>

/* These numbers were found by timing (bench/oracle_bench.c). They affect only the speed. */
enum {
  MOST_TURNS = 3,      /* of pair merges, each followed by a check for violations */
  SMALL = 64,          /* positions up to which cycles are tried first */
  CLIFF = 512,         /* likewise if cliff.c chose the documents in front */
  THRESHOLD_RUNS = 16, /* maximum of runs for potentials by thresholds */
  FEW_VIOLATIONS = 40, /* maximum for which cycles are tried first */
  FEW_SWEEPS = 24,     /* when cycles are tried first */
  MARGIN = 32,         /* positions around violations in which pairs are merged */
  TAIL_SWEEPS = 4,     /* for a proof after the tail was sorted */
  WINDOW_MARGIN = 14,  /* positions of the first window after the truncation */
  WINDOW_GROWTH = 3,
  TWO_RUNS_WINDOWS = 4 /* a query of two runs is merged whole up to this many windows */
};

/* ---- Improvement ----------------------------------------------------------- */

static bool cancel_cycles(dorm__merge_task *task, size_t most_sweeps)
{
  return dorm__merge_cancel_cycles(&task->merge, &task->scratch->cycles,
                                   most_sweeps < task->most_sweeps ? most_sweeps : task->most_sweeps);
}

/* Whether the table a is truncated at a fall steeper than the one before. Greed then puts many documents on the wrong
 * side of the end, and cycles, which are found one at a time, are slow to exchange them. So cliff.c chooses again. */
static bool has_cliff(const dorm__merge_task *task)
{
  const double *a = task->merge.a;
  size_t k = task->truncation;
  return k >= 2 && k < task->call->num_docs && a[k - 1] - a[k] > a[k - 2] - a[k - 1];
}

/* Chooses the positions in which pairs of runs are merged: first those around the violations, then all positions. */
static void choose_range(const dorm__violations *violations, size_t turn, size_t count, size_t *first, size_t *end)
{
  size_t reach = MARGIN + (violations->highest - violations->lowest) / 4;
  size_t low = violations->lowest > reach ? violations->lowest - reach : 0;
  size_t high = violations->highest + reach + 1 < count ? violations->highest + reach + 1 : count;
  *first = low < *first ? low : *first;
  *end = high > *end ? high : *end;
  if (turn > 0 || *end - *first + 2 * MARGIN >= count) {
    *first = 0;
    *end = count;
  }
}

/* Does steps 2 to 4 on the window. Returns true if its best merge is proved. Usually one or two cycles are sufficient
 * for few documents, few violations, the documents of cliff.c, and a window that has grown. In these cases cycles are
 * first. */
static bool improve(dorm__merge_task *task, bool was_improved)
{
  dorm__merge *merge = &task->merge;
  size_t count = merge->count, first = count, end = 0;
  /* In front of a cliff most steps are doubtful. For few positions or many runs thresholds take as long as they
   * save. */
  merge->by_midpoints = has_cliff(task) || count <= SMALL || merge->num_runs > THRESHOLD_RUNS;
  dorm__merge_start(merge);
  if (merge->num_runs == 2) { /* the merge of the only pair is optimal, but the proof is missing */
    first = 0;
    end = count;
    dorm__merge_pairs(merge, &task->scratch->pairs, &first, &end);
    return cancel_cycles(task, SIZE_MAX);
  }
  if (count <= (has_cliff(task) ? CLIFF : was_improved ? 4 * SMALL : SMALL) && cancel_cycles(task, FEW_SWEEPS))
    return true;
  for (size_t turn = 0; turn < MOST_TURNS; turn++) {
    dorm__violations violations = dorm__merge_violations(merge, &task->scratch->cycles);
    if (violations.count == 0)
      return true;
    if (turn == 0 && violations.count <= FEW_VIOLATIONS && cancel_cycles(task, FEW_SWEEPS))
      return true;
    if (first == 0 && end == count)
      break;
    choose_range(&violations, turn, count, &first, &end);
    dorm__merge_pairs(merge, &task->scratch->pairs, &first, &end);
  }
  return cancel_cycles(task, SIZE_MAX);
}

static bool is_sorted(const double *scores, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (scores[i] > scores[i - 1])
      return false;
  return true;
}

/* Sorts the window's own tail by score, which the proof for the tail needs. It may be unsorted if c is flat. The window
 * is then proved again. */
static bool sort_tail(dorm__merge_task *task, size_t head)
{
  dorm__merge *merge = &task->merge;
  if (is_sorted(merge->score_at + head, merge->count - head))
    return true;
  dorm__merge_fill_by_score(task, head);
  dorm__merge_start(merge);
  return dorm__merge_is_proved(merge, &task->scratch->cycles, TAIL_SWEEPS);
}

/* ---- Result ---------------------------------------------------------------- */

static void merge_two(dorm__merge_task *task)
{
  dorm__merge *merge = &task->merge;
  dorm__two_runs runs = {.count = {task->size[0], task->size[1]},
                         .scores = {merge->scores[0], merge->scores[1]},
                         .gain_difference = merge->gain[0] - merge->gain[1],
                         .a = merge->a,
                         .c = merge->c};
  dorm__two_runs_merge(&runs, &task->scratch->pairs.two_runs, merge->sequence);
}

static void set_up(dorm__merge_task *task, double tolerance)
{
  const dorm__merge_scratch *scratch = task->scratch;
  dorm__merge *merge = &task->merge;
  merge->num_runs = task->levels->count;
  merge->a = task->call->a;
  merge->c = task->call->c;
  merge->tolerance = tolerance;
  merge->sequence = scratch->sequence;
  merge->score_at = scratch->score_at;
  merge->potential = scratch->potential;
  merge->positions = scratch->positions;
  uint32_t start = 0;
  for (size_t q = 0; q < merge->num_runs; q++) {
    scratch->runs.start[q] = start;
    merge->gain[q] = task->call->t * task->levels->gain[q];
    merge->scores[q] = scratch->runs.scores + start;
    task->size[q] = task->limit[q] = task->levels->size[q];
    start += task->size[q];
  }
}

bool dorm__merge_runs_solve(const dorm__oracle_call *call, const dorm__levels *levels,
                            const dorm__search_limits *limits, const dorm__ranked *ranked,
                            const dorm__merge_scratch *scratch, uint32_t *order)
{
  dorm__merge_task task = {.call = call,
                           .levels = levels,
                           .ranked = ranked,
                           .scratch = scratch,
                           .truncation = limits->truncation,
                           .most_sweeps = limits->most_sweeps};
  set_up(&task, limits->tolerance);
  size_t num_docs = call->num_docs, window = (has_cliff(&task) ? 2 : 1) * limits->truncation + WINDOW_MARGIN;
  bool is_whole = (task.merge.num_runs == 2 ? TWO_RUNS_WINDOWS : 1) * window + window / 2 >= num_docs;
  size_t head = limits->truncation + 1 < num_docs ? limits->truncation : num_docs;
  task.merge.count = is_whole ? num_docs : window;
  if (is_whole)
    dorm__merge_find_ranks(&task, num_docs);
  if (is_whole && task.merge.num_runs == 2) {
    memcpy(task.merge.length, task.size, 2 * sizeof *task.size);
    merge_two(&task);
    dorm__merge_write_order(&task, order);
    return true;
  }
  if (has_cliff(&task) && head < num_docs)
    dorm__merge_choose_head(&task);
  if (dorm__merge_greedily(&task, head) && head == num_docs) {
    dorm__merge_write_order(&task, order);
    return true;
  }
  for (bool was_improved = false;; was_improved = true) {
    if (head < task.merge.count)
      dorm__merge_fill_by_score(&task, head);
    if (!improve(&task, was_improved))
      return false;
    if (task.merge.count == num_docs || (sort_tail(&task, head) && dorm__merge_tail_is_proved(&task)))
      break;
    window *= WINDOW_GROWTH;
    task.merge.count = window + window / 2 >= num_docs ? num_docs : window;
  }
  dorm__merge_write_order(&task, order);
  return true;
}
