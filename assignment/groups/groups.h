/*
 * groups.h: rankings that respect groups of documents (the paper, section 5.1), for the files of assignment/ outside
 * this subfolder. "In front" means among the first `top` positions.
 */
#ifndef DORM_ASSIGNMENT_GROUPS_GROUPS_H
#define DORM_ASSIGNMENT_GROUPS_GROUPS_H

#include "assignment/assignment.h"
#include "assignment/call.h"
#include "base/base.h"

enum { DORM__FAILURE_SIZE = 200 };

/* The groups of one plan and the method for them (group_plan.h). */
typedef struct dorm__group_plan dorm__group_plan;
void dorm__group_plan_free(dorm__group_plan *plan);
dorm__oracle_method dorm__group_plan_method(const dorm__group_plan *plan);
dorm__plan_groups dorm__group_plan_view(const dorm__group_plan *plan);

/* Scratch arrays, [max_docs] each. */
typedef struct dorm__group_scratch {
  uint32_t *used;   /* documents in front, by group */
  uint32_t *rest;   /* documents that stand after those in front */
  uint32_t *holder; /* position of a document, or DORM__NO_DOC */
  uint32_t *from, *by, *queue;
  uint32_t *best; /* the best of the free documents of a full group */
  double *best_worth;
  double *gain; /* by position */
  uint8_t *is_queued;
} dorm__group_scratch;

/* One call with groups; *method becomes the method that found the ranking. DORM_BAD_DATA or DORM_OUT_OF_MEMORY, and
 * the reason in the workspace, when a programme failed. */
dorm_status dorm__groups_solve(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                               const dorm__oracle_call *call, uint32_t *order, dorm__oracle_method *method);
/* Whether the ranking respects the groups and, where a proof is known, is the best. */
bool dorm__groups_check(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const dorm__oracle_call *call,
                        dorm__oracle_method method, const uint32_t *order);

#endif
