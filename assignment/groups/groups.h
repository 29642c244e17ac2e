/*
 * groups.h: rankings that respect groups of documents (the paper, section 5.1): by sorting, by assignment, and by
 * GLPK's linear and mixed-integer programmes.
 */
#ifndef DORM_ASSIGNMENT_GROUPS_GROUPS_H
#define DORM_ASSIGNMENT_GROUPS_GROUPS_H

#include "assignment/assignment.h"
#include "assignment/call.h"
#include "base/base.h"

void dorm__group_plan_free(dorm__group_plan *plan);

/* Scratch, [max_docs] each. */
typedef struct dorm__group_scratch {
  uint32_t *used;   /* documents in front, by group */
  uint32_t *rest;   /* documents that stand behind */
  uint32_t *holder; /* position of a document, or DORM__NO_DOC */
  uint32_t *from, *by, *queue;
  uint32_t *best; /* of the free documents of a full group */
  double *best_worth;
  double *gain; /* by position */
  uint8_t *is_queued;
} dorm__group_scratch;

/* One call with groups. DORM_BAD_DATA when a programme failed. */
dorm_status dorm__groups_solve(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                               const dorm__oracle_call *call, uint32_t *order, dorm__oracle_method *method);
bool dorm__groups_check(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const dorm__oracle_call *call,
                        dorm__oracle_method method, const uint32_t *order);

#endif
