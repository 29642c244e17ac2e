/* vector.h: what vector.c offers to the other files of this folder. */
#ifndef DORM_SOLVER_VECTOR_H
#define DORM_SOLVER_VECTOR_H

#include "base/base.h"
#include "base/pool.h"
#include "solver/solver.h"

/* The same before the pool is cleared, which then is not told. */
void dorm__vector_drop(dorm__vector *vector);
/* The same for a dense one of `count` entries, which items of the pool hold. */
bool dorm__vector_take(dorm__vector *vector, size_t count, dorm__pool *pool);
double dorm__vector_dot(const dorm__vector *vector, const double *x);
/* result += factor * vector */
void dorm__vector_add(const dorm__vector *vector, double factor, double *result);

#endif
