/* cycles.h: moves of documents, along cycles, that improve a merge of runs until it is proved to be the best. */
#ifndef DORM_ASSIGNMENT_RUNS_CYCLES_H
#define DORM_ASSIGNMENT_RUNS_CYCLES_H

#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"
#include "base/base.h"

/* Makes moves, from the present potentials on, until these prove the merge to be the best. Returns false
 * after `most_sweeps` without a proof. */
bool dorm__merge_cancel_cycles(dorm__merge *merge, const dorm__cycle_scratch *scratch, size_t most_sweeps);
/* Whether the present potentials prove the merge to be the best as it stands, raised in at most `most_sweeps` sweeps.
 */
bool dorm__merge_is_proved(dorm__merge *merge, const dorm__cycle_scratch *scratch, size_t most_sweeps);

#endif
