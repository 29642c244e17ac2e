/* query_problem.h: the oracle's problem of one query, for the files that make, write, read and solve it. */
#ifndef DORM_TRAINING_QUERY_PROBLEM_H
#define DORM_TRAINING_QUERY_PROBLEM_H

#include "assignment/assignment.h"

enum { DORM__PROBLEM_CALLS = 8 }; /* at most, in a file */

/* One call and what it answered when the problem was made. */
typedef struct dorm__problem_call {
  double t;
  uint32_t *order; /* [num_docs]; NULL: nothing is recorded, and the rest does not count */
  char *found_by;  /* owned */
  double value;
  double microseconds; /* of one call */
} dorm__problem_call;

struct dorm_problem {
  dorm_problem_info about; /* texts are owned */
  double *labels, *scores; /* [num_docs] */
  double *c;               /* [num_docs] */
  double *a, *b;           /* [num_docs]; NULL in the general form */
  double *cost;            /* [num_docs][num_docs], cost[j][p]; NULL in the product form */
  dorm__oracle_method method;
  dorm__query_groups groups; /* of no group where there are none */
  dorm__group_method group_method;
  double limit; /* of a mixed-integer programme, in seconds; 0: none */
  size_t num_calls;
  dorm__problem_call calls[DORM__PROBLEM_CALLS];
  size_t num_solutions;
  dorm_solution *solutions; /* [num_solutions] */
  uint32_t *orders;         /* of the solutions, one after the other */
};

/* Makes the plan of a problem by a method and, where it has groups, a method for these. *top becomes the number of
 * positions that the groups hold for, 0 where they do not matter. */
dorm_status dorm__problem_plan(dorm_context *context, const dorm_problem *problem, dorm__oracle_method method,
                               dorm__group_method group_method, dorm__oracle_plan **plan, size_t *top);
/* Asks all calls by the methods of the problem, and records the answers. */
dorm_status dorm__problem_record(dorm_context *context, dorm_problem *problem);
/* dorm_problem_solve, with the methods that take O(num_docs^3) and the programmes of GLPK that were not asked for, for
 * problems of up to `most_cubic` documents. */
dorm_status dorm__problem_compare(dorm_context *context, dorm_problem *problem, size_t most_cubic);
/* Whether all solutions agree. */
bool dorm__problem_agrees(const dorm_problem *problem);

#endif
