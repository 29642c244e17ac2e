/* reference.h: makes the reference ranking of one query, which the most violated ranking is held against. */
#ifndef DORM_SOLVER_REFERENCE_H
#define DORM_SOLVER_REFERENCE_H

#include "solver/problem.h"
#include "solver/vector.h"

/* Makes the reference at the point, or, where that is NULL, at the scores in thread->scores, which stay where the
 * reference follows them: its feature map phi and its loss Delta. Fails only where the oracle fails
 * (DORM_NUMERICAL_FAILURE) or memory runs out; leaves no message. */
dorm_status dorm__reference_at(const dorm__problem *problem, const dorm__reference *reference, size_t query,
                               dorm__scored_point *point, dorm__thread *thread, dorm__vector *phi, double *loss);

#endif
