/* scored_point.h: scores of one query at a point. */
#ifndef DORM_SOLVER_SCORED_POINT_H
#define DORM_SOLVER_SCORED_POINT_H

#include "solver/problem.h"

const double *dorm__scored_point_weights(const dorm__scored_point *point);
/* Scores of the query's documents into thread->scores, computed only where they are not known. Threads may ask for
 * different queries at the same time. */
void dorm__scored_point_query(dorm__scored_point *point, size_t query, dorm__thread *thread);

#endif
