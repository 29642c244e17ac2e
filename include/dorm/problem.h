/* problem.h: what the assignment oracle is asked for one query, in a file for bug reports. */
#ifndef DORM_PROBLEM_H
#define DORM_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/dataset.h"
#include "dorm/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The problem of one query: over all rankings of its documents (that respect their groups, where it has some),
 *     maximise  sum_j  c[rank[j]] scores[j] - t a[rank[j]] b[j]
 * or, for a loss of general costs, + t cost[j][rank[j]]. Three calls are asked: t = 1 finds the most violated ranking,
 * t = 0 the prediction, t = -mu the reference where that is mu:NUMBER. The problem also holds what each call answered
 * when it was made. It has no features, no ids of queries or documents, and no paths. */
typedef struct dorm_problem dorm_problem;

/* The number of a query that stands for the query to look at: the first whose methods do not agree, else the one
 * whose calls take longest. */
#define DORM_WORST_QUERY SIZE_MAX

/* Makes the problem of query number `query` as training with these settings has it at scores[num_docs of the data
 * set], and asks its calls by the methods that the settings name. Of a setting that is a list, the first value counts.
 * Groups are those of the data set, if diversity.groups is set. A loss without rankings by positions (a structured one)
 * is DORM_BAD_USAGE; a score that is not finite is DORM_NUMERICAL_FAILURE. Cost: the tables of all queries, then some
 * milliseconds; with DORM_WORST_QUERY all methods for every query, those in O(num_docs^3) of up to 100 documents. */
DORM_API dorm_status dorm_problem_of(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                     size_t query, const double *scores, dorm_problem **problem);
/* Reads what dorm_problem_write wrote. DORM_BAD_DATA names the file and what is wrong in it. */
DORM_API dorm_status dorm_problem_read(dorm_context *context, const char *path, dorm_problem **problem);
/* Writes a JSON object, whole or not at all; "-" is standard output. Its numbers are read back as the same bits. */
DORM_API dorm_status dorm_problem_write(dorm_context *context, const dorm_problem *problem, const char *path);
DORM_API void dorm_problem_free(dorm_problem *problem);

/* What is known of a problem; borrowed from it. */
typedef struct dorm_problem_info {
  const char *version; /* of the dorm that made it */
  const char *loss;    /* with its parameters, but those that are texts */
  const char *position_weights, *reference, *oracle;
  size_t query; /* its number in the data set; 0 where it was read */
  size_t num_docs;
  size_t num_groups;
} dorm_problem_info;
DORM_API const dorm_problem_info *dorm_problem_about(const dorm_problem *problem);

/* What one method answered to one call; borrowed from the problem. */
typedef struct dorm_solution {
  const char *call; /* "most violated", "prediction" or "reference" */
  double t;
  const char *method;    /* a value of solver.oracle or diversity.oracle, "recorded", or "enumeration" */
  const char *found_by;  /* the method that found the ranking: auto chooses, and runs may give up */
  const uint32_t *order; /* [num_docs]: document order[p] stands at position p */
  double value;          /* of the ranking, as the method has it */
  double shortfall;      /* by which the ranking, valued anew, is worth less than the best that was found */
  double microseconds;   /* of one call, the shortest of several; NaN of an enumeration */
  int agrees; /* 1: the ranking is feasible, passes its own proof where there is one, is worth as much as the best
               * one, and `value` is what it is worth, all up to rounding */
} dorm_solution;

/* Asks each call of every method that is exact for the problem: the one that auto chooses and all others, of up to 500
 * documents shortest paths and Kuhn and Munkres' method (hungarian), of up to 8 an enumeration of all rankings, where
 * groups matter the shortcut and GLPK's programmes. DORM_STOPPED when cancelled. */
DORM_API dorm_status dorm_problem_solve(dorm_context *context, dorm_problem *problem);
/* Solution `index` of the latest dorm_problem_solve, call by call; NULL past the last. */
DORM_API const dorm_solution *dorm_problem_solution(const dorm_problem *problem, size_t index);

#ifdef __cplusplus
}
#endif

#endif
