/* glpk.h: linear and mixed-integer programmes over variables between 0 and 1, solved by GLPK. */
#ifndef DORM_ASSIGNMENT_GROUPS_GLPK_H
#define DORM_ASSIGNMENT_GROUPS_GLPK_H

#include "assignment/groups/groups.h"
#include "base/base.h"

/* Maximise <objective, x> over 0 <= x <= 1, where row i of the matrix times x is equal to limit[i] (the first
 * num_equations rows) or at most that (the others); x is whole where is_integer. */
typedef struct dorm__programme {
  size_t num_variables;
  const double *objective; /* [num_variables] */
  size_t num_rows;
  const double *limit; /* [num_rows] */
  size_t num_equations;
  size_t num_entries;
  const int *rows, *variables; /* [num_entries + 1] of each entry; they count from 1, and entry 0 is unused */
  const double *values;        /* [num_entries + 1] */
  bool is_integer;
  double seconds; /* 0: no limit */
} dorm__programme;

typedef struct dorm__programme_result {
  bool has_solution;
  bool is_proved; /* the solution is the best */
  double bound;   /* no solution is worth more; INFINITY where no bound is known */
  char failure[DORM__FAILURE_SIZE];
} dorm__programme_result;

/* Fills x [num_variables] where has_solution. Returns false, with the reason in result->failure, when there is no
 * GLPK, memory or thread, or GLPK failed. */
bool dorm__glpk_solve(const dorm__programme *programme, double *x, dorm__programme_result *result);

#endif
