/* plan.h: what plan.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_PLAN_H
#define DORM_ASSIGNMENT_PLAN_H

#include "assignment/assignment.h"
#include "assignment/call.h"
#include "assignment/runs/levels.h"
#include "base/base.h"

dorm__oracle_method dorm__oracle_plan_method(const dorm__oracle_plan *plan);

/* ---- plan.c ------------------------------------------------------------- */

struct dorm__oracle_plan {
  dorm__oracle_method method;
  bool is_free;    /* chosen here, not asked for: may differ where t = 0 */
  bool can_sort;   /* for every t */
  double key_of_g; /* gamma and alpha above */
  double key_of_b;
  size_t top;            /* the sorted table is constant from there on */
  double magnitude_of_g; /* max |c| and max |cost|: bounds on what a call adds up */
  double magnitude_of_t;
  dorm__oracle_call tables; /* without g and t */
  size_t truncation;        /* a is constant from there on, up to what rounding hides even in the sum */
  dorm__levels levels;
  dorm__group_plan *groups; /* NULL: none that matter */
};

#endif
