/* columns.h: vectors of features, and one column set of the dual: the columns of one query. */
#ifndef DORM_SOLVER_COLUMNS_H
#define DORM_SOLVER_COLUMNS_H

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
/* Makes room for `count` entries, and drops the present entries. Returns false when out of memory. */
bool dorm__vector_reserve(dorm__vector *vector, size_t count, bool is_sparse);
/* Does the same for a dense vector whose values are one item of the pool. */
bool dorm__vector_take(dorm__vector *vector, size_t count, dorm__pool *pool);
/* Returns <vector, x>. */
double dorm__vector_dot(const dorm__vector *vector, const double *x);
/* Computes result += factor * vector. */
void dorm__vector_add(const dorm__vector *vector, double factor, double *result);

/* ---- Columns --------------------------------------------------------------------------------------- */

/* The columns of one set: rankings kept as (Phi, Delta), each with its dual variable alpha. The dual uses psi =
 * Phi(reference) - Phi. The reference is kept apart, so a new reference changes no column. */
typedef struct dorm__columns {
  dorm__vector reference;
  size_t count;
  size_t capacity;
  dorm__vector *phi; /* [capacity], followed by the arrays below in the same allocation */
  double *loss;      /* [capacity] Delta */
  double *alpha;     /* [capacity] */
  double *old_alpha; /* [capacity] alpha before the present sweep, then the direction of the next one */
  double *gram;      /* [capacity][capacity] of psi */
  uint32_t *idle;    /* [capacity] passes over the data since alpha was last positive */
  double own_gap;    /* this set's part of the duality gap when a sweep last computed it (working_set.h) */
} dorm__columns;

/* Frees the columns shortly before the pools of their vectors are cleared as a whole. Does not give vectors back to the
 * pools. */
void dorm__columns_drop(dorm__columns *columns);
/* Appends a ranking with alpha = 0, takes over its vector and fills its part of the Gram matrix. sum [num_features] is
 * scratch, zero before and after. Returns false when out of memory. O(count num_features). */
bool dorm__columns_add(dorm__columns *columns, size_t num_features, dorm__vector *phi, double loss, double *sum);
/* Appends a ranking without its part of the Gram matrix, which dorm__columns_refill computes later. */
bool dorm__columns_add_bare(dorm__columns *columns, dorm__vector *phi, double loss, double alpha, uint32_t idle);
/* Computes the Gram matrix after a new reference. O(count^2 num_features). */
void dorm__columns_refill(dorm__columns *columns, size_t num_features, double *sum);
/* Computes margins[k] = Delta_k - <w, psi_k>. Returns the largest margin, at least 0. `margins` may be NULL. */
double dorm__columns_margins(const dorm__columns *columns, const double *w, double *margins);
/* Prefetches the vectors, for margins that are computed soon. */
void dorm__columns_fetch(const dorm__columns *columns);
/* Computes v += sum_k factors[k] psi_k. */
void dorm__columns_add_psi(const dorm__columns *columns, const double *factors, double *v);
/* Counts idle passes and drops columns that were idle for `limit` passes. */
void dorm__columns_prune(dorm__columns *columns, uint32_t limit);
/* Returns the memory that the columns take. */
size_t dorm__columns_bytes(const dorm__columns *columns);
/* Returns the sum of alpha over the columns. */
double dorm__columns_weight(const dorm__columns *columns);

#endif
