/*
 * sums.h: sums over the queries of all processes. The queries of a block are summed one after the other, and then the
 * blocks, so that the sums depend on the shards of the data and not on who has them. A failure to reach the others is
 * found again in the next call to the processes (base/processes.h); what is returned here then means nothing.
 */
#ifndef DORM_SOLVER_SUMS_H
#define DORM_SOLVER_SUMS_H

#include "solver/problem.h"

/* Adds what belongs to one query to a sum. */
typedef void (*dorm__add_query)(const void *user, size_t query, double *sum);
/* The sum over all queries, which begins with `start`. */
double dorm__sum_queries(const dorm__problem *problem, double start, dorm__add_query add, const void *user);
/* Each of numbers [count] becomes its sum over the processes. */
void dorm__count_all(const dorm__problem *problem, size_t count, size_t *numbers);

#endif
