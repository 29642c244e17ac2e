/* oracle.h: what oracle.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_ORACLE_H
#define DORM_ASSIGNMENT_ORACLE_H

#include "assignment/assignment.h"
#include "assignment/call.h"
#include "assignment/runs/levels.h"
#include "base/base.h"

/* The documents of a call by falling score. */
dorm__ranked dorm__oracle_rank(dorm__oracle_workspace *workspace, const dorm__oracle_call *call);

#endif
