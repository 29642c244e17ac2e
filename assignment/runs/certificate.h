/* certificate.h: what certificate.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_RUNS_CERTIFICATE_H
#define DORM_ASSIGNMENT_RUNS_CERTIFICATE_H

#include "assignment/runs/merge.h"
#include "base/base.h"

/* certificate.c */
void dorm__merge_refresh(dorm__merge *merge);
void dorm__merge_midpoints(dorm__merge *merge);
dorm__violations dorm__merge_violations(const dorm__merge *merge);
bool dorm__merge_raise(dorm__merge *merge);

#endif
