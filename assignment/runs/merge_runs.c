/*
 * merge_runs.c: the best ranking as the best merge of one run of documents a
 * level (levels.c).
 *
 * 1. A greedy merge, which often proves itself (greedy_merge.c).
 * 2. Potentials that prove it (certificate.c), or say where it may be wrong.
 * 3. There, the best merges of two runs at a time (pair_merges.c).
 * 4. If still no proof: cycles of moves that gain (cycles.c), until there is.
 *
 * The end is always a proof of optimality up to the tolerance; the rest decides
 * the speed alone. Two runs need no proof: two_runs.c is exact.
 *
 * Where a is constant from position k on (`truncation`), documents behind k
 * differ in score alone and stand in its order: the tail acts as one run. Steps
 * 1 to 4 are then done for a window of the first positions only, and
 * truncated_tail.c extends the proof to all of them. O(num_docs) and what the
 * window costs; the window grows where that proof fails.
 *
 * Time O(K num_docs) with K runs when the greedy merge is right; a round of pair
 * merges touches (K - 1) num_docs positions; cycles end after `most_sweeps`
 * sweeps of O(K num_docs), and the caller falls back to shortest paths.
 */
#include "assignment/call.h"
#include "assignment/runs/certificate.h"
#include "assignment/runs/cycles.h"
#include "assignment/runs/greedy_merge.h"
#include "assignment/runs/levels.h"
#include "assignment/runs/merge.h"
#include "assignment/runs/pair_merges.h"
#include "assignment/runs/runs.h"
#include "assignment/runs/truncated_tail.h"
#include "assignment/runs/two_runs.h"

#include <math.h>
#include <string.h>

/* Found by timing (oracle_bench); they decide the speed alone. */
enum {
  MOST_ROUNDS = 3,     /* of pair merges, each looked at anew */
  RAISES = 2,          /* pairs of sweeps that may turn few violations into a proof */
  SMALL = 64,          /* positions: cycles are tried first */
  FEW_VIOLATIONS = 24, /* cycles are tried first, but at a cliff */
  FEW_SWEEPS = 24,     /* for that */
  MARGIN = 32,         /* positions around violations in which pairs are merged */
  WINDOW_MARGIN = 14,  /* positions behind a truncated table in the first window */
  WINDOW_GROWTH = 3,
  TWO_RUNS_WINDOWS = 4 /* two runs: queries up to so many windows long are merged whole */
};

/* ---- Improvement ----------------------------------------------------------- */

static bool cancel_cycles(dorm__merge_job *job, size_t most_sweeps)
{
  return dorm__merge_cancel_cycles(&job->merge, &job->scratch->cycles,
                                   most_sweeps < job->most_sweeps ? most_sweeps : job->most_sweeps);
}

/* A table that ends in a fall steeper than the one before (truncated) wants many
 * documents exchanged across its end, for which cycles, one at a time, are slow. */
static bool has_cliff(const dorm__merge_job *job)
{
  const double *a = job->merge.a;
  size_t k = job->truncation;
  return k >= 2 && k < job->call->num_docs && a[k - 1] - a[k] > a[k - 2] - a[k - 1];
}

/* The positions to merge pairs of runs in: around the violations, and everything
 * when that was not enough. */
static void choose_range(const dorm__violations *violations, size_t round, size_t count, size_t *first, size_t *end)
{
  size_t reach = MARGIN + (violations->highest - violations->lowest) / 4;
  size_t low = violations->lowest > reach ? violations->lowest - reach : 0;
  size_t high = violations->highest + reach + 1 < count ? violations->highest + reach + 1 : count;
  *first = low < *first ? low : *first;
  *end = high > *end ? high : *end;
  if (round > 0 || *end - *first + 2 * MARGIN >= count) {
    *first = 0;
    *end = count;
  }
}

/* Steps 2 to 4 on the window; true when its best merge is proved. Few documents,
 * or few violations away from a cliff, mostly want one or two cycles, and so does
 * a window that has grown: these are tried first. */
static bool improve(dorm__merge_job *job, bool was_improved)
{
  dorm__merge *merge = &job->merge;
  size_t count = merge->count, first = count, end = 0;
  dorm__merge_refresh(merge);
  if (merge->num_runs == 2) { /* one pair: the best merge; what is missing is the proof */
    first = 0;
    end = count;
    dorm__merge_pairs(merge, &job->scratch->pairs, &first, &end);
    return cancel_cycles(job, SIZE_MAX);
  }
  if (count <= (was_improved ? 4 * SMALL : SMALL) && cancel_cycles(job, FEW_SWEEPS))
    return true;
  for (size_t round = 0; round < MOST_ROUNDS; round++) {
    dorm__merge_midpoints(merge);
    dorm__violations violations = dorm__merge_violations(merge);
    if (violations.count == 0)
      return true;
    if (round == 0 && violations.count <= FEW_VIOLATIONS && !has_cliff(job) && cancel_cycles(job, FEW_SWEEPS))
      return true;
    if (first == 0 && end == count)
      break;
    choose_range(&violations, round, count, &first, &end);
    dorm__merge_pairs(merge, &job->scratch->pairs, &first, &end);
  }
  return cancel_cycles(job, SIZE_MAX);
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
static bool sort_tail(dorm__merge_job *job, size_t head)
{
  dorm__merge *merge = &job->merge;
  if (is_sorted(merge->score_at + head, merge->count - head))
    return true;
  dorm__merge_fill_by_score(job, head);
  dorm__merge_refresh(merge);
  dorm__merge_midpoints(merge);
  for (int i = 0; i < RAISES; i++)
    if (dorm__merge_raise(merge))
      return true;
  return false;
}

/* ---- The whole ------------------------------------------------------------- */

static void merge_two(dorm__merge_job *job)
{
  dorm__merge *merge = &job->merge;
  dorm__two_runs runs = {.count = {job->size[0], job->size[1]},
                         .scores = {merge->scores[0], merge->scores[1]},
                         .gain_difference = merge->gain[0] - merge->gain[1],
                         .a = merge->a,
                         .c = merge->c};
  dorm__two_runs_merge(&runs, &job->scratch->pairs.two_runs, merge->sequence);
}

static void set_up(dorm__merge_job *job, double tolerance)
{
  const dorm__merge_scratch *scratch = job->scratch;
  dorm__merge *merge = &job->merge;
  merge->num_runs = job->levels->count;
  merge->a = job->call->a;
  merge->c = job->call->c;
  merge->tolerance = tolerance;
  merge->sequence = scratch->sequence;
  merge->score_at = scratch->score_at;
  merge->potential = scratch->potential;
  merge->positions = scratch->positions;
  uint32_t start = 0;
  for (size_t q = 0; q < merge->num_runs; q++) {
    scratch->runs.start[q] = start;
    merge->gain[q] = job->call->t * job->levels->gain[q];
    merge->scores[q] = scratch->runs.scores + start;
    job->size[q] = job->levels->size[q];
    start += job->size[q];
  }
}

bool dorm__merge_runs_solve(const dorm__oracle_call *call, const dorm__levels *levels, size_t truncation,
                            double tolerance, size_t most_sweeps, const dorm__ranked *ranked,
                            const dorm__merge_scratch *scratch, uint32_t *order)
{
  dorm__merge_job job = {.call = call,
                         .levels = levels,
                         .ranked = ranked,
                         .scratch = scratch,
                         .truncation = truncation,
                         .most_sweeps = most_sweeps};
  set_up(&job, tolerance);
  size_t num_docs = call->num_docs, window = (has_cliff(&job) ? 2 : 1) * truncation + WINDOW_MARGIN;
  bool is_whole = (job.merge.num_runs == 2 ? TWO_RUNS_WINDOWS : 1) * window + window / 2 >= num_docs;
  size_t head = truncation + 1 < num_docs ? truncation : num_docs;
  job.merge.count = is_whole ? num_docs : window;
  if (is_whole)
    dorm__merge_find_ranks(&job, num_docs);
  if (is_whole && job.merge.num_runs == 2) {
    memcpy(job.merge.length, job.size, 2 * sizeof *job.size);
    merge_two(&job);
    dorm__merge_write_order(&job, order);
    return true;
  }
  if (dorm__merge_greedily(&job, head) && head == num_docs) {
    dorm__merge_write_order(&job, order);
    return true;
  }
  for (bool was_improved = false;; was_improved = true) {
    if (head < job.merge.count)
      dorm__merge_fill_by_score(&job, head);
    if (!improve(&job, was_improved))
      return false;
    if (job.merge.count == num_docs || (sort_tail(&job, head) && dorm__merge_tail_is_proved(&job)))
      break;
    window *= WINDOW_GROWTH;
    job.merge.count = window + window / 2 >= num_docs ? num_docs : window;
  }
  dorm__merge_write_order(&job, order);
  return true;
}
