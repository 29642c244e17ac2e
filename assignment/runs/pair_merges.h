/* pair_merges.h: what pair_merges.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_RUNS_PAIR_MERGES_H
#define DORM_ASSIGNMENT_RUNS_PAIR_MERGES_H

#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"
#include "base/base.h"

void dorm__merge_pairs(dorm__merge *merge, const dorm__pair_scratch *scratch, size_t *first, size_t *end);

#endif
