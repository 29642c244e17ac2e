/* truncated_tail.h: the documents after the window of a merge, where a is constant. */
#ifndef DORM_ASSIGNMENT_RUNS_TRUNCATED_TAIL_H
#define DORM_ASSIGNMENT_RUNS_TRUNCATED_TAIL_H

#include "assignment/runs/greedy_merge.h"
#include "base/base.h"

/* Whether the proof for the window extends to all positions, with the other documents by falling score after it. */
bool dorm__merge_tail_is_proved(const dorm__merge_task *task);
/* order [num_docs] becomes the merge of the window, then the other documents by falling score. */
void dorm__merge_write_order(const dorm__merge_task *task, uint32_t *order);

#endif
