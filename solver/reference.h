/* reference.h: what reference.c offers to the other files of this folder. */
#ifndef DORM_SOLVER_REFERENCE_H
#define DORM_SOLVER_REFERENCE_H

#include "base/base.h"
#include "solver/solver.h"

/* The reference at w: its feature map and its loss Delta. Fails only where the
 * oracle does (DORM_NUMERICAL_FAILURE) or memory; no message. */
dorm_status dorm__reference_at(const dorm__problem *problem, const dorm__reference *reference, size_t query,
                               const double *w, dorm__thread *thread, dorm__vector *phi, double *loss);

#endif
