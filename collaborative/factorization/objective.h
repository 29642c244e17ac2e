/* objective.h: the objective F of ranking matrix factorisation (factors.h) at a point. */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_OBJECTIVE_H
#define DORM_COLLABORATIVE_FACTORIZATION_OBJECTIVE_H

#include "base/base.h"
#include "collaborative/factorization/lists.h"
#include "collaborative/factorization/start.h"

/* *value becomes F at the point. If `gradient` is given, its offsets and item rows become the derivatives of F by them,
 * which exist where both maxima are unique; its user rows stay as they are. Tests need it. */
dorm_status dorm__objective(dorm_context *context, const dorm__lists *lists, const dorm__point *start, double penalty,
                            const dorm__point *point, double *value, dorm__point *gradient);

#endif
