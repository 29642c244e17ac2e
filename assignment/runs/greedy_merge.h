/* greedy_merge.h: what greedy_merge.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_RUNS_GREEDY_MERGE_H
#define DORM_ASSIGNMENT_RUNS_GREEDY_MERGE_H

#include "assignment/call.h"
#include "assignment/runs/levels.h"
#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"
#include "base/base.h"

/* One call of dorm__merge_runs_solve. */
typedef struct dorm__merge_job {
  const dorm__oracle_call *call;
  const dorm__levels *levels;
  const dorm__ranked *ranked;
  const dorm__merge_scratch *scratch;
  size_t truncation;
  size_t most_sweeps;
  dorm__merge merge;
  uint32_t size[DORM__MOST_LEVELS];  /* documents of a run, also behind the window */
  uint32_t found[DORM__MOST_LEVELS]; /* of these in scratch->runs so far */
  size_t next_rank;                  /* of the ranked list, to be put into its run */
} dorm__merge_job;

/* greedy_merge.c: documents of ranks up to `end` are put into their runs;
 * sequence[0 .. end - 1] is filled, true when that is the best; positions from
 * `head` to the window's end get what is left by score. */
void dorm__merge_find_ranks(dorm__merge_job *job, size_t end);
bool dorm__merge_greedily(dorm__merge_job *job, size_t end);
void dorm__merge_fill_by_score(dorm__merge_job *job, size_t head);

#endif
