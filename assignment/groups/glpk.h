/* glpk.h: what glpk.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_GROUPS_GLPK_H
#define DORM_ASSIGNMENT_GROUPS_GLPK_H

#include "assignment/groups/programme.h"
#include "base/base.h"

/* x [num_columns] is filled where has_solution. False, and result->failure says
 * why, when there is no GLPK, memory or thread, or GLPK failed. */
bool dorm__glpk_solve(const dorm__programme *programme, double *x, dorm__programme_result *result);

#endif
