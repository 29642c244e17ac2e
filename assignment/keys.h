/* keys.h: what the documents of a call are sorted by, and how much of a value is rounding. */
#ifndef DORM_ASSIGNMENT_KEYS_H
#define DORM_ASSIGNMENT_KEYS_H

#include "assignment/assignment.h"
#include "assignment/call.h"
#include "assignment/runs/runs.h"
#include "base/base.h"

/* The keys of a sort [num_docs]: the call's g, or workspace->keys. */
const double *dorm__oracle_keys(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                                const dorm__oracle_call *call);
/* The documents by falling score. The middle of the range of the scores, which shifts every value alike, is the offset
 * to subtract from them: with it rounding would count for more. The arrays lie in the workspace. */
dorm__ranked dorm__oracle_rank(dorm__oracle_workspace *workspace, const dorm__oracle_call *call);
/* Improvements below this count as rounding. `spread` is the largest |g - offset|. */
double dorm__oracle_tolerance(const dorm__oracle_plan *plan, double t, double spread);

#endif
