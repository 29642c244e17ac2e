/* scored_point.h: the weights of a scored point and the scores of one query there, for the other files of solver/. */
#ifndef DORM_SOLVER_SCORED_POINT_H
#define DORM_SOLVER_SCORED_POINT_H

#include "solver/problem.h"

/* The w of the point, borrowed until it is freed. */
const double *dorm__scored_point_weights(const dorm__scored_point *point);
/* own [num_own][count] becomes the scores of the rows first .. first + count - 1 by the functions of the first
 * positions, the blocks of w after the first one. Does nothing where there are none. */
void dorm__own_scores(const dorm__problem *problem, size_t first, size_t count, const double *w, double *own);
/* Puts the scores of the query's documents into thread->scores, by every function; computes them only if they are not
 * known yet. Threads may ask for different queries at the same time. */
void dorm__scored_point_query(dorm__scored_point *point, size_t query, dorm__thread *thread);

#endif
