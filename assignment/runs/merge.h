/* merge.h: the state of a merge of several runs. */
#ifndef DORM_ASSIGNMENT_RUNS_MERGE_H
#define DORM_ASSIGNMENT_RUNS_MERGE_H

#include "assignment/plan.h"
#include "assignment/runs/runs.h"
#include "base/lanes.h"

enum { DORM__MOST_VECTORS = DORM__MOST_LEVELS / DORM__LANES };

/* The range from the lowest to the highest position whose potential was raised, or whose step to the next position is
 * doubtful (certificate.c). Empty if lowest > highest. */
typedef struct dorm__doubtful {
  size_t lowest, highest;
} dorm__doubtful;

/* Covers positions 0 .. count - 1. */
typedef struct dorm__merge {
  size_t count;
  size_t num_runs;
  const double *a, *c;                     /* [count] */
  double gain[DORM__MOST_LEVELS];          /* t b of a run */
  const double *scores[DORM__MOST_LEVELS]; /* of a run, falling */
  uint32_t length[DORM__MOST_LEVELS];      /* documents of a run within the positions */
  double tolerance;                        /* improvements below this are rounding */
  uint8_t *sequence;                       /* [count] the run at each position, which is the result */
  double *score_at;                        /* [count] the score of the document at each position */
  double *potential;                       /* [count] */
  bool by_midpoints;                       /* instead of thresholds (merge.h) */
  dorm__doubtful doubtful;                 /* of these potentials */
  uint32_t *positions;                     /* [count] increasing positions of run q from first[q] on */
  uint32_t first[DORM__MOST_LEVELS + 1];
} dorm__merge;

/* The number of documents of run q before `position`. Written without branches. */
static inline size_t dorm__count_before(const dorm__merge *merge, size_t q, size_t position)
{
  const uint32_t *list = merge->positions + merge->first[q], *at = list;
  size_t count = merge->length[q];
  while (count > 1) {
    size_t half = count / 2;
    at += at[half - 1] < position ? half : 0;
    count -= half;
  }
  return (size_t)(at - list) + (count == 1 && *at < position);
}

static inline void dorm__doubt(dorm__merge *merge, size_t p)
{
  merge->doubtful.lowest = p < merge->doubtful.lowest ? p : merge->doubtful.lowest;
  merge->doubtful.highest = p > merge->doubtful.highest ? p : merge->doubtful.highest;
}

/* Positions whose potential is too low for some arc. */
typedef struct dorm__violations {
  size_t count;
  size_t lowest, highest;
} dorm__violations;

/* ---- Two runs ---------------------------------------------------------------------------------- */

typedef struct dorm__two_runs {
  size_t count[2];         /* documents of each run */
  const double *scores[2]; /* falling */
  double gain_difference;  /* gain of run 0 minus gain of run 1 */
  const double *a, *c;     /* of the positions, [count[0] + count[1]] */
} dorm__two_runs;

/* Fills run_at [count[0] + count[1]] with the run, 0 or 1, at each position. */
void dorm__two_runs_merge(const dorm__two_runs *runs, const dorm__two_runs_scratch *scratch, uint8_t *run_at);

/* ---- Pair merges ------------------------------------------------------------------------------- */

/* Works on positions *first .. *end - 1, and widens this range when changes come near its ends. */
void dorm__merge_pairs(dorm__merge *merge, const dorm__pair_scratch *scratch, size_t *first, size_t *end);

/* ---- Merge chains ------------------------------------------------------------------------------ */

enum { DORM__MOST_CHAIN_RUNS = 8 };

/* The result of the chains: chain i covers positions i length .. (i + 1) length - 1. */
typedef struct dorm__chains {
  size_t length;
  uint32_t start[DORM__LANES][DORM__MOST_LEVELS]; /* documents of each run before a chain */
  uint32_t end[DORM__LANES][DORM__MOST_LEVELS];   /* and after it */
  bool is_nested[DORM__LANES]; /* the documents up to each position are the best set of their number */
} dorm__chains;

/* Fills the sequence from 0 to DORM__LANES length - 1 with length = (count - 1) / DORM__LANES > 0. There are at most
 * DORM__MOST_CHAIN_RUNS runs. All their documents are known, and the runs follow one another in `scores`.
 *
 * A chain begins with the best set of its number for the position before it. The first and the last quarter are
 * selected within and around the first half, as nested sets are. If a chain does not begin with the documents with
 * which the previous chain ends, the merge from there on is not greedy. */
void dorm__merge_chains(dorm__merge *merge, const double *scores, dorm__chains *chains);

/* ---- Certificate ------------------------------------------------------------------------------- */

/* Computes positions, first and score_at from the sequence. O(count) */
void dorm__merge_refresh(dorm__merge *merge);
/* Sets each potential to the middle of the interval that the arcs p -> p + 1 and p + 1 -> p allow. This is feasible for
 * these arcs if any potential is, and a good guess for the others. All positions are doubtful. O(count) */
void dorm__merge_midpoints(dorm__merge *merge);
/* Computes positions, first, score_at, the potentials and the doubtful positions from the sequence. `by_midpoints`
 * selects midpoints, which are doubtful everywhere, or thresholds (certificate.c). O(num_runs count) */
void dorm__merge_start(dorm__merge *merge);
/* Updates these after documents have moved and potentials were raised at doubtful positions. With thresholds,
 * O(num_runs) for each of these, and O(count) additions, whose rounding errors add up. So start anew from time to
 * time. */
void dorm__merge_renew(dorm__merge *merge);

/* ---- Cycles ------------------------------------------------------------------------------------ */

/* Finds positions at which the potentials fail. If there are none, the merge is optimal. O(num_runs) for each doubtful
 * position. */
dorm__violations dorm__merge_violations(dorm__merge *merge, const dorm__cycle_scratch *scratch);
/* Makes moves, starting from the current potentials, until these prove that the merge is optimal. Returns false after
 * `most_sweeps` without a proof. */
bool dorm__merge_cancel_cycles(dorm__merge *merge, const dorm__cycle_scratch *scratch, size_t most_sweeps);
/* Whether the current potentials, raised in at most `most_sweeps` sweeps, prove that the merge is optimal. */
bool dorm__merge_is_proved(dorm__merge *merge, const dorm__cycle_scratch *scratch, size_t most_sweeps);

/* ---- Greedy merge ------------------------------------------------------------------------------ */

typedef struct dorm__merge_task {
  const dorm__oracle_call *call;
  const dorm__levels *levels;
  const dorm__ranked *ranked;
  const dorm__merge_scratch *scratch;
  size_t truncation;
  size_t most_sweeps;
  dorm__merge merge;                 /* of the window, which is the first merge.count positions */
  uint32_t size[DORM__MOST_LEVELS];  /* documents of a run, including those after the window */
  uint32_t limit[DORM__MOST_LEVELS]; /* maximum of documents of a run that the greedy merge takes */
  uint32_t found[DORM__MOST_LEVELS]; /* number of these in scratch->runs so far */
  size_t next_rank;                  /* first rank in the ranked list whose document is not in its run yet */
} dorm__merge_task;

/* Puts the documents of the ranks before `end` into their runs. */
void dorm__merge_find_ranks(dorm__merge_task *task, size_t end);
/* Puts documents into their runs until document n (from 0) of one run is there. */
void dorm__merge_find_document(dorm__merge_task *task, size_t run, size_t n);
/* Fills sequence[0 .. end - 1] and the lengths. Returns true if that merge is optimal. O(num_runs end) */
bool dorm__merge_greedily(dorm__merge_task *task, size_t end);
/* Fills the positions from `head` to the end of the window, by falling score, with documents that are not among the
 * first `head`. Sets the lengths to the lengths in the window. */
void dorm__merge_fill_by_score(dorm__merge_task *task, size_t head);

/* ---- Truncated tail ---------------------------------------------------------------------------- */

/* Whether the proof for the window extends to all positions, if the other documents follow by falling score. */
bool dorm__merge_tail_is_proved(const dorm__merge_task *task);
/* Fills order [num_docs] with the merge of the window, then the other documents by falling score. */
void dorm__merge_write_order(const dorm__merge_task *task, uint32_t *order);

/* ---- Cliff ------------------------------------------------------------------------------------- */

/* Sets task->limit to the number of documents of each run at the first `truncation` < num_docs positions. O(num_runs
 * truncation), plus the visited ranks. */
void dorm__merge_choose_head(dorm__merge_task *task);

#endif
