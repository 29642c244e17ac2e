/* truncated_tail.h: what truncated_tail.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_RUNS_TRUNCATED_TAIL_H
#define DORM_ASSIGNMENT_RUNS_TRUNCATED_TAIL_H

#include "assignment/runs/greedy_merge.h"
#include "base/base.h"

/* truncated_tail.c */
bool dorm__merge_tail_is_proved(const dorm__merge_job *job);
void dorm__merge_write_order(const dorm__merge_job *job, uint32_t *order);

#endif
