/* cliff.h: a choice of the documents in front of a truncation, from which the search for the best ranking starts. */
#ifndef DORM_ASSIGNMENT_RUNS_CLIFF_H
#define DORM_ASSIGNMENT_RUNS_CLIFF_H

#include "assignment/runs/greedy_merge.h"

/* Sets task->limit to how many documents of each run stand at the first `truncation` < num_docs positions. O(num_runs
 * truncation), and the ranks of the documents that are looked at. */
void dorm__merge_choose_head(dorm__merge_task *task);

#endif
