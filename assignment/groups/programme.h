/* programme.h: rankings with groups as linear and mixed-integer programmes. */
#ifndef DORM_ASSIGNMENT_GROUPS_PROGRAMME_H
#define DORM_ASSIGNMENT_GROUPS_PROGRAMME_H

#include "assignment/assignment.h"
#include "assignment/call.h"
#include "assignment/groups/groups.h"
#include "base/base.h"

/* The ranking by a programme: fills order [num_docs]; *excess >= 0 says by how much another ranking may be worth more;
 * *fraction (may be NULL) says how far the solution was from whole numbers. DORM_BAD_DATA or DORM_OUT_OF_MEMORY, with
 * the reason in `failure`. */
dorm_status dorm__programme_rank(const dorm__group_plan *plan, const dorm__oracle_call *call,
                                 const dorm__group_scratch *scratch, uint32_t *order, double *excess, double *fraction,
                                 char failure[DORM__FAILURE_SIZE]);
/* As many documents as may stand together, up to groups->top: docs [*count]. */
dorm_status dorm__programme_count(dorm_context *context, const dorm__oracle_groups *groups, size_t num_docs,
                                  double seconds, uint32_t *docs, size_t *count);
/* The largest value of sum_jp gain[j][p] x[j][p] over all x >= 0 whose rows and columns sum to 1, for tests. gain
 * [num_docs][num_docs]. */
dorm_status dorm__glpk_assignment(dorm_context *context, size_t num_docs, const double *gain, double *value);

#endif
