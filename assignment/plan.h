/* plan.h: what the oracle knows of a query before it sees scores. */
#ifndef DORM_ASSIGNMENT_PLAN_H
#define DORM_ASSIGNMENT_PLAN_H

#include "assignment/assignment.h"
#include "assignment/call.h"
#include "assignment/groups/groups.h"
#include "assignment/moves.h"
#include "assignment/runs/runs.h"
#include "base/base.h"

struct dorm__oracle_plan {
  dorm__oracle_method method;
  bool is_free;    /* the method was chosen by the plan, not asked for: another may be taken where t = 0 */
  bool adjusts;    /* positions have scores of their own: those of the best ranking without them enter anew */
  bool can_sort;   /* one sort is exact for every t */
  double key_of_g; /* gamma and alpha of keys.c */
  double key_of_b;
  size_t top;            /* the table s of keys.c is constant from there on */
  double magnitude_of_g; /* max |c| and max |cost|: they bound what a call adds up */
  double magnitude_of_t;
  dorm__oracle_call tables; /* without g and t */
  size_t truncation;        /* a is constant from there on, up to falls whose sum is lost in rounding */
  dorm__levels levels;
  dorm__equals equals;      /* for moves; else empty */
  dorm__group_plan *groups; /* NULL where there are none that matter */
};

/* The method that most calls of the plan will take. */
dorm__oracle_method dorm__oracle_plan_method(const dorm__oracle_plan *plan);

#endif
