/* cycles.h: what cycles.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_RUNS_CYCLES_H
#define DORM_ASSIGNMENT_RUNS_CYCLES_H

#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"
#include "base/base.h"

bool dorm__merge_cancel_cycles(dorm__merge *merge, const dorm__cycle_scratch *scratch, size_t most_sweeps);

#endif
