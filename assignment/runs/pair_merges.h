/* pair_merges.h: improves a merge of several runs by merging two of them at a time again. */
#ifndef DORM_ASSIGNMENT_RUNS_PAIR_MERGES_H
#define DORM_ASSIGNMENT_RUNS_PAIR_MERGES_H

#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"
#include "base/base.h"

/* Works on positions *first .. *end - 1, and widens these where changes come near their ends. */
void dorm__merge_pairs(dorm__merge *merge, const dorm__pair_scratch *scratch, size_t *first, size_t *end);

#endif
