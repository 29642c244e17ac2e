/* hungarian.h: the plain method for the assignment problem, by Kuhn and Munkres. */
#ifndef DORM_ASSIGNMENT_HUNGARIAN_H
#define DORM_ASSIGNMENT_HUNGARIAN_H

#include "assignment/call.h"
#include "base/base.h"

typedef struct dorm__hungarian_scratch {
  double *doc_label, *position_label, *slack; /* [max_docs] */
  uint32_t *slack_doc, *position_of;          /* [max_docs] */
  uint8_t *doc_in_tree, *position_in_tree;    /* [max_docs] */
} dorm__hungarian_scratch;

/* O(num_docs^3) time, linear memory. */
void dorm__hungarian_solve(const dorm__oracle_call *call, const dorm__hungarian_scratch *scratch, uint32_t *order);

#endif
