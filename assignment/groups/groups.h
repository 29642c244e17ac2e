/* groups.h: rankings that respect groups of documents (the paper, section 5.1), for the files of assignment/ outside
 * this subfolder. "In front" means at the first `top` positions. */
#ifndef DORM_ASSIGNMENT_GROUPS_GROUPS_H
#define DORM_ASSIGNMENT_GROUPS_GROUPS_H

#include "assignment/assignment.h"
#include "assignment/call.h"

enum { DORM__FAILURE_SIZE = 200 };

/* The groups of one plan and their method (groups.h). */
typedef struct dorm__group_plan dorm__group_plan;
void dorm__group_plan_free(dorm__group_plan *plan);

/* Scratch arrays, [max_docs] each. */
typedef struct dorm__group_scratch {
  uint32_t *used;   /* number of documents in front, by group */
  uint32_t *rest;   /* documents that are not in front */
  uint32_t *holder; /* position of a document, or DORM__NO_DOC */
  uint32_t *from, *by, *queue;
  uint32_t *best; /* the best free documents of full groups */
  double *best_worth;
  double *gain; /* by position */
  uint8_t *is_queued;
} dorm__group_scratch;

/* Solves one call with groups. *method is the method that found the ranking. If a programme failed, returns
 * DORM_BAD_DATA or DORM_OUT_OF_MEMORY, with the reason in the workspace. */
dorm_status dorm__groups_solve(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                               const dorm__oracle_call *call, uint32_t *order, dorm__oracle_method *method);
/* Whether the ranking respects the groups and, if a proof is known, is optimal. */
bool dorm__groups_check(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const dorm__oracle_call *call,
                        dorm__oracle_method method, const uint32_t *order);

/* ---- Worth ----------------------------------------------------------------------------------------- */

/* The largest sum of weights of a group in front, slightly above the capacity to allow for rounding. */
static inline double dorm__groups_limit(const dorm__oracle_groups *groups)
{
  return groups->capacity * (1 + 1e-6);
}

/* The worth of document j at position p minus its worth at position `last`. */
static inline double dorm__worth_in_front(const dorm__oracle_call *call, size_t last, size_t p, size_t j)
{
  double score = (call->c[p] - call->c[last]) * call->g[j];
  if (!call->cost)
    return score - call->t * (call->a[p] - call->a[last]) * call->b[j];
  const double *cost = call->cost + j * call->num_docs;
  return score + call->t * (cost[p] - cost[last]);
}

/* Appends the documents that are not in order[0 .. top - 1], in document order. Fills holder [num_docs] with the
 * position of each document in front, and with DORM__NO_DOC for the others. O(num_docs) */
static inline void dorm__fill_after(size_t num_docs, size_t top, uint32_t *holder, uint32_t *order)
{
  for (size_t j = 0; j < num_docs; j++)
    holder[j] = DORM__NO_DOC;
  for (size_t p = 0; p < top; p++)
    holder[order[p]] = (uint32_t)p;
  for (size_t j = 0, p = top; j < num_docs; j++)
    if (holder[j] == DORM__NO_DOC)
      order[p++] = (uint32_t)j;
}

/* ---- Group sort -------------------------------------------------------------------------------- */

/* key and order [num_docs]. */
void dorm__group_sort_solve(const dorm__group_plan *plan, dorm__oracle_workspace *workspace, size_t num_docs,
                            const double *key, uint32_t *order);
/* Whether no exchange of two documents pays. */
bool dorm__group_sort_is_best(const dorm__group_plan *plan, dorm__oracle_workspace *workspace, size_t num_docs,
                              const double *key, const uint32_t *order);

/* ---- Programme --------------------------------------------------------------------------------- */

/* Ranks by a programme. Fills order [num_docs]. *excess >= 0 bounds how much better another ranking may be. *fraction
 * (may be NULL) is the distance of the solution from integers. Returns DORM_BAD_DATA or DORM_OUT_OF_MEMORY, with the
 * reason in `failure`. */
dorm_status dorm__programme_rank(const dorm__group_plan *plan, const dorm__oracle_call *call,
                                 const dorm__group_scratch *scratch, uint32_t *order, double *excess, double *fraction,
                                 char failure[DORM__FAILURE_SIZE]);
/* Finds as many documents as may be in front together, up to groups->top. Fills docs [*count]. */
dorm_status dorm__programme_count(dorm_context *context, const dorm__oracle_groups *groups, size_t num_docs,
                                  double seconds, uint32_t *docs, size_t *count);

/* ---- Group plan -------------------------------------------------------------------------------- */

struct dorm__group_plan {
  dorm__region memory;        /* of the arrays */
  dorm__oracle_groups groups; /* top: number of positions that can be filled */
  dorm__oracle_method method;
  bool is_free;       /* a call with t = 0 may be sorted */
  bool is_disjoint;   /* with equal weights within each group, so that room counts documents */
  size_t flat_from;   /* >= top, < num_docs: all positions from here on are alike for every document */
  uint32_t *group_of; /* [num_docs], a document without a group has its own number above the groups */
  uint32_t *room;     /* [num_docs] documents that a group may have in front */
  uint32_t *in_front; /* [top] documents that can be in front together, NULL if is_disjoint */
  double seconds;     /* limit of a mixed-integer programme, or 0 */
};

/* ---- Group assignment -------------------------------------------------------------------------- */

/* Fills order [num_docs]. O(top num_docs) if few documents matter, O(top^2 num_docs) in nearly all other cases. */
void dorm__group_assignment_solve(const dorm__group_plan *plan, const dorm__oracle_call *call, double tolerance,
                                  const dorm__group_scratch *scratch, uint32_t *order);
/* Whether no exchange of documents, along any cycle, gains more than `tolerance`. */
bool dorm__group_assignment_is_best(const dorm__group_plan *plan, const dorm__oracle_call *call, double tolerance,
                                    const dorm__group_scratch *scratch, const uint32_t *order);

/* ---- Glpk -------------------------------------------------------------------------------------- */

/* Maximise <objective, x> over 0 <= x <= 1. Row i of the matrix times x equals limit[i] (the first num_equations rows)
 * or is at most limit[i] (the others). x is an integer if is_integer. */
typedef struct dorm__programme {
  size_t num_variables;
  const double *objective; /* [num_variables] */
  size_t num_rows;
  const double *limit; /* [num_rows] */
  size_t num_equations;
  size_t num_entries;
  const int *rows, *variables; /* [num_entries + 1] of each entry, counted from 1 (entry 0 is unused) */
  const double *values;        /* [num_entries + 1] */
  bool is_integer;
  double seconds; /* 0 for no limit */
} dorm__programme;

typedef struct dorm__programme_result {
  bool has_solution;
  bool is_proved; /* the solution is optimal */
  double bound;   /* upper bound on all solutions, INFINITY if unknown */
  char failure[DORM__FAILURE_SIZE];
} dorm__programme_result;

/* Fills x [num_variables] if has_solution. Returns false, with the reason in result->failure, if GLPK is missing or
 * fails, or memory or a thread is lacking. */
bool dorm__glpk_solve(const dorm__programme *programme, double *x, dorm__programme_result *result);

#endif
