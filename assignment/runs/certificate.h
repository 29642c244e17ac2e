/* certificate.h: potentials that prove a merge of runs to be the best, or show where it may not be. */
#ifndef DORM_ASSIGNMENT_RUNS_CERTIFICATE_H
#define DORM_ASSIGNMENT_RUNS_CERTIFICATE_H

#include "assignment/runs/merge.h"
#include "base/base.h"

/* Computes positions, first and score_at from the sequence. O(count) */
void dorm__merge_refresh(dorm__merge *merge);
/* Sets each potential to the middle of what the arcs p -> p + 1 and p + 1 -> p allow: feasible for these arcs wherever
 * some potential is, and a good guess for the others. All positions are doubtful. O(count) */
void dorm__merge_midpoints(dorm__merge *merge);
/* Computes positions, first, score_at, the potentials and where these are doubtful from the sequence: midpoints,
 * doubtful everywhere, or thresholds (certificate.c), as `by_midpoints` says. O(num_runs count) */
void dorm__merge_start(dorm__merge *merge);
/* The same after documents have moved and potentials were raised at doubtful positions. With thresholds
 * O(num_runs) for each of these, and O(count) additions, whose rounding adds up: start anew from time to time. */
void dorm__merge_renew(dorm__merge *merge);
/* Where the potentials fail; if they fail nowhere, the merge is the best. O(num_runs) for each doubtful position. */
dorm__violations dorm__merge_violations(dorm__merge *merge);
/* Raises potentials where they fail, in one sweep down and one up. Returns true when the second sweep
 * found nothing: they are a proof then. */
bool dorm__merge_raise(dorm__merge *merge);

#endif
