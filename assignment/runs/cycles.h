/* cycles.h: moves of documents, along cycles, that improve a merge of runs until it is proved to be the best. */
#ifndef DORM_ASSIGNMENT_RUNS_CYCLES_H
#define DORM_ASSIGNMENT_RUNS_CYCLES_H

#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"
#include "base/base.h"

/* Makes moves until potentials prove the merge to be the best. Returns false after `most_sweeps` without a proof. */
bool dorm__merge_cancel_cycles(dorm__merge *merge, const dorm__cycle_scratch *scratch, size_t most_sweeps);
/* Whether potentials prove, within `most_sweeps`, that the merge is the best as it stands. Changes the potentials. */
bool dorm__merge_is_proved(dorm__merge *merge, const dorm__cycle_scratch *scratch, size_t most_sweeps);

#endif
