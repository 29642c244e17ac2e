/* objective.h: what objective.c offers to the other files of this folder. */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_OBJECTIVE_H
#define DORM_COLLABORATIVE_FACTORIZATION_OBJECTIVE_H

#include "base/base.h"
#include "collaborative/factorization/lists.h"
#include "collaborative/factorization/start.h"

/* F at the point. Where `gradient` is given it becomes the derivative of F by
 * offsets and item rows, where the maxima are unique; its user rows are left. */
dorm_status dorm__objective(dorm_context *context, const dorm__lists *lists, const dorm__point *start, double penalty,
                            const dorm__point *point, double *value, dorm__point *gradient);

#endif
