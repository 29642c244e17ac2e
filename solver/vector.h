/* vector.h: vectors of features, dense or sparse, which columns and references are made of. */
#ifndef DORM_SOLVER_VECTOR_H
#define DORM_SOLVER_VECTOR_H

#include "base/base.h"
#include "base/pool.h"

/* values[count], of feature indices[i] where the data are sparse, of feature i where indices is NULL. Grows as
 * needed, owned. */
typedef struct dorm__vector {
  size_t count;
  size_t capacity;
  double *values;
  uint32_t *indices;
  dorm__pool *pool; /* where the values come from; NULL: allocated */
} dorm__vector;

void dorm__vector_clear(dorm__vector *vector);
/* The same before its pool is cleared as a whole: values of the pool are not given back to it. */
void dorm__vector_drop(dorm__vector *vector);
/* Room for `count` entries, what was there is lost; false when out of memory. */
bool dorm__vector_reserve(dorm__vector *vector, size_t count, bool is_sparse);
/* The same for a dense vector, whose values are an item of the pool. */
bool dorm__vector_take(dorm__vector *vector, size_t count, dorm__pool *pool);
double dorm__vector_dot(const dorm__vector *vector, const double *x);
/* result += factor * vector */
void dorm__vector_add(const dorm__vector *vector, double factor, double *result);

#endif
