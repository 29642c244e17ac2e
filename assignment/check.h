/* check.h: what check.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_CHECK_H
#define DORM_ASSIGNMENT_CHECK_H

#include "assignment/assignment.h"
#include "assignment/call.h"
#include "base/base.h"

/* Proves anew, from the tables and scores alone or from the prices that the
 * method left in the workspace, that a ranking just found is the best. */
bool dorm__oracle_check(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const dorm__oracle_call *call,
                        dorm__oracle_method method, const uint32_t *order);

#endif
