/* programme.h: what programme.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_GROUPS_PROGRAMME_H
#define DORM_ASSIGNMENT_GROUPS_PROGRAMME_H

#include "assignment/assignment.h"
#include "assignment/call.h"
#include "assignment/groups/groups.h"
#include "base/base.h"

enum { DORM__FAILURE_SIZE = 200 };

/* max <objective, x> over 0 <= x <= 1, row i of the matrix times x = (or <=)
 * limit[i]; x whole where is_integer. */
typedef struct dorm__programme {
  size_t num_columns;
  const double *objective; /* [num_columns] */
  size_t num_rows;
  const double *limit;  /* [num_rows] */
  size_t num_equations; /* the first rows, the others are <= */
  size_t num_entries;
  const int *rows, *columns; /* [num_entries + 1], from 1, as are the numbers in them */
  const double *values;      /* [num_entries + 1] */
  bool is_integer;
  double seconds; /* 0: no limit */
} dorm__programme;

typedef struct dorm__programme_result {
  bool has_solution;
  bool is_proved; /* the solution is the best */
  double bound;   /* nothing is worth more; INFINITY: not known */
  char failure[DORM__FAILURE_SIZE];
} dorm__programme_result;

/* The ranking by a programme: order [num_docs], *excess >= 0, and in *fraction
 * (may be NULL) how far the solution was from whole numbers. DORM_BAD_DATA
 * or DORM_OUT_OF_MEMORY after a word in failure. */
dorm_status dorm__programme_rank(const dorm__group_plan *plan, const dorm__oracle_call *call,
                                 const dorm__group_scratch *scratch, uint32_t *order, double *excess, double *fraction,
                                 char failure[DORM__FAILURE_SIZE]);
/* As many documents as may stand together, up to groups->top: docs [*count]. */
dorm_status dorm__programme_count(dorm_context *context, const dorm__oracle_groups *groups, size_t num_docs,
                                  double seconds, uint32_t *docs, size_t *count);
/* The largest value of sum_jp gain[j][p] x[j][p] over all x >= 0 whose rows and
 * columns sum to 1, for tests. gain [num_docs][num_docs]. */
dorm_status dorm__glpk_assignment(dorm_context *context, size_t num_docs, const double *gain, double *value);

#endif
