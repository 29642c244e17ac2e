/* vector.h: vectors of features, dense or sparse, which columns and references are made of. */
#ifndef DORM_SOLVER_VECTOR_H
#define DORM_SOLVER_VECTOR_H

#include "base/base.h"
#include "base/memory.h"

/* values[i] belongs to feature indices[i] if the data are sparse, and to feature i if indices is NULL. The arrays are
 * owned and grow as needed. */
typedef struct dorm__vector {
  size_t count;
  size_t capacity;
  double *values;
  uint32_t *indices;
  dorm__pool *pool; /* the pool of the values, or NULL if they are an allocation of their own */
} dorm__vector;

void dorm__vector_clear(dorm__vector *vector);
/* Clears a vector whose pool is about to be cleared as a whole. Does not give its values back to the pool. */
void dorm__vector_drop(dorm__vector *vector);
/* Makes room for `count` entries, and drops the present entries. Returns false when out of memory. */
bool dorm__vector_reserve(dorm__vector *vector, size_t count, bool is_sparse);
/* Does the same for a dense vector whose values are one item of the pool. */
bool dorm__vector_take(dorm__vector *vector, size_t count, dorm__pool *pool);
/* Returns <vector, x>. */
double dorm__vector_dot(const dorm__vector *vector, const double *x);
/* Computes result += factor * vector. */
void dorm__vector_add(const dorm__vector *vector, double factor, double *result);

#endif
