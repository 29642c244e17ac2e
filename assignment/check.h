/* check.h: a proof, independent of the method that found a ranking, that the ranking is the best. */
#ifndef DORM_ASSIGNMENT_CHECK_H
#define DORM_ASSIGNMENT_CHECK_H

#include "assignment/assignment.h"
#include "assignment/call.h"
#include "base/base.h"

/* Uses the tables and scores alone, or the prices that the method left in the workspace. */
bool dorm__oracle_check(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const dorm__oracle_call *call,
                        dorm__oracle_method method, const uint32_t *order);

#endif
