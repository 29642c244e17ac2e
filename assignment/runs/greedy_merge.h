/* greedy_merge.h: the work that one call of dorm__merge_runs_solve does, and its first step, the greedy merge. */
#ifndef DORM_ASSIGNMENT_RUNS_GREEDY_MERGE_H
#define DORM_ASSIGNMENT_RUNS_GREEDY_MERGE_H

#include "assignment/call.h"
#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"
#include "base/base.h"

typedef struct dorm__merge_task {
  const dorm__oracle_call *call;
  const dorm__levels *levels;
  const dorm__ranked *ranked;
  const dorm__merge_scratch *scratch;
  size_t truncation;
  size_t most_sweeps;
  dorm__merge merge;                 /* of the window, the first merge.count positions */
  uint32_t size[DORM__MOST_LEVELS];  /* documents of a run, those after the window included */
  uint32_t limit[DORM__MOST_LEVELS]; /* most documents of a run that the greedy merge takes */
  uint32_t found[DORM__MOST_LEVELS]; /* how many of these are in scratch->runs so far */
  size_t next_rank;                  /* the first rank of the ranked list whose document is not in its run yet */
} dorm__merge_task;

/* Puts the documents of ranks up to `end` into their runs. */
void dorm__merge_find_ranks(dorm__merge_task *task, size_t end);
/* Puts documents into their runs until document n (from 0) of one run is there. */
void dorm__merge_find_document(dorm__merge_task *task, size_t run, size_t n);
/* Fills sequence[0 .. end - 1] and the lengths; returns true when that merge is the best. O(num_runs end) */
bool dorm__merge_greedily(dorm__merge_task *task, size_t end);
/* Fills the positions from `head` to the end of the window, by falling score, with documents that are not among the
 * first `head`; the lengths become those of the window. */
void dorm__merge_fill_by_score(dorm__merge_task *task, size_t head);

#endif
