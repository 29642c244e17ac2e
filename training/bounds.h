/* bounds.h: bounds on the weights of rows, from the settings solver.weight_min, weight_max and bounded. */
#ifndef DORM_TRAINING_BOUNDS_H
#define DORM_TRAINING_BOUNDS_H

#include "training/rows.h"

/* Without such settings both bounds are NULL. */
dorm_status dorm__bounds_make(const dorm__job *job, const dorm__training_rows *rows, dorm__bounds *bounds);
void dorm__bounds_clear(dorm__bounds *bounds);

#endif
