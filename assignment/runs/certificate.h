/* certificate.h: potentials that prove a merge of runs to be the best, or show where it may not be. */
#ifndef DORM_ASSIGNMENT_RUNS_CERTIFICATE_H
#define DORM_ASSIGNMENT_RUNS_CERTIFICATE_H

#include "assignment/runs/merge.h"
#include "base/base.h"

/* Computes positions, first and score_at from the sequence. O(count) */
void dorm__merge_refresh(dorm__merge *merge);
/* Sets each potential to the middle of what the arcs p -> p + 1 and p + 1 -> p allow: feasible for these arcs wherever
 * some potential is, and a good guess for the others. O(count) */
void dorm__merge_midpoints(dorm__merge *merge);
/* Where the potentials fail; if they fail nowhere, the merge is the best. O(num_runs count) */
dorm__violations dorm__merge_violations(dorm__merge *merge);
/* Raises potentials where they fail, in one sweep down and one up. Returns true when there was nothing to raise: the
 * merge is the best. O(num_runs count) */
bool dorm__merge_raise(dorm__merge *merge);

#endif
