/* vector.c: vectors of features, dense or sparse: their memory, inner products and sums. */
#include "solver/vector.h"
#include "base/linalg.h"

void dorm__vector_clear(dorm__vector *vector)
{
  if (vector->pool && vector->values)
    dorm__pool_give(vector->pool, vector->values);
  else
    dorm__free(vector->values);
  dorm__free(vector->indices);
  *vector = (dorm__vector){0};
}

void dorm__vector_drop(dorm__vector *vector)
{
  if (!vector->pool)
    dorm__vector_clear(vector);
  *vector = (dorm__vector){0};
}

bool dorm__vector_reserve(dorm__vector *vector, size_t count, bool is_sparse)
{
  if (vector->values && count <= vector->capacity && is_sparse == (vector->indices != NULL))
    return true;
  dorm__vector_clear(vector);
  vector->values = dorm__alloc(count, sizeof *vector->values);
  vector->indices = is_sparse ? dorm__alloc(count, sizeof *vector->indices) : NULL;
  if (!vector->values || (is_sparse && !vector->indices)) {
    dorm__vector_clear(vector);
    return false;
  }
  vector->capacity = count;
  return true;
}

bool dorm__vector_take(dorm__vector *vector, size_t count, dorm__pool *pool)
{
  if (vector->values && count <= vector->capacity && !vector->indices)
    return true;
  dorm__vector_clear(vector);
  vector->values = dorm__pool_take(pool);
  if (!vector->values)
    return false;
  vector->pool = pool;
  vector->capacity = count;
  return true;
}

double dorm__vector_dot(const dorm__vector *vector, const double *x)
{
  if (!vector->indices)
    return dorm__dot(vector->count, vector->values, x);
  double sum = 0;
  for (size_t i = 0; i < vector->count; i++)
    sum += vector->values[i] * x[vector->indices[i]];
  return sum;
}

void dorm__vector_add(const dorm__vector *vector, double factor, double *result)
{
  if (!vector->indices) {
    dorm__add_scaled(vector->count, factor, vector->values, result);
    return;
  }
  for (size_t i = 0; i < vector->count; i++)
    result[vector->indices[i]] += factor * vector->values[i];
}
