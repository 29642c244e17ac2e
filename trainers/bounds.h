/* bounds.h: bounds on the weights of the rows' features, from the settings solver.weight_min, solver.weight_max and
 * solver.bounded. */
#ifndef DORM_TRAINERS_BOUNDS_H
#define DORM_TRAINERS_BOUNDS_H

#include "jobs/jobs.h"

/* Makes the bounds; both are NULL where the settings ask for none. */
dorm_status dorm__bounds_make(const dorm__job *job, const dorm__training_rows *rows, dorm__bounds *bounds);
void dorm__bounds_clear(dorm__bounds *bounds);

#endif
