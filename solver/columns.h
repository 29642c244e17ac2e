/* columns.h: one column set of the dual: that of a query, or with one slack that of all queries. */
#ifndef DORM_SOLVER_COLUMNS_H
#define DORM_SOLVER_COLUMNS_H

#include "base/base.h"
#include "solver/vector.h"

/* Rankings as (Phi, Delta) with their dual variables and the reference they are held against, psi = Phi(reference)
 * - Phi, so that a new reference changes no column. */
typedef struct dorm__columns {
  dorm__vector reference;
  size_t count;
  size_t capacity;
  dorm__vector *phi; /* [capacity]; the arrays below follow it in the same allocation */
  double *loss;      /* [capacity] Delta */
  double *alpha;     /* [capacity] */
  double *old_alpha; /* [capacity] before the present sweep */
  double *gram;      /* [capacity][capacity] of psi */
  uint32_t *idle;    /* [capacity] passes since alpha was positive */
  double own_gap;    /* the column set's part of the gap when a sweep last looked */
} dorm__columns;

/* Frees the columns before the pools of their vectors are cleared. */
void dorm__columns_drop(dorm__columns *columns);
/* Appends a ranking with alpha = 0 and takes its vector. sum [num_features] is
 * scratch, zero before and after. False when out of memory.
 * O(count num_features). */
bool dorm__columns_add(dorm__columns *columns, size_t num_features, dorm__vector *phi, double loss, double *sum);
/* The same without the Gram matrix, which dorm__columns_refill then makes. */
bool dorm__columns_add_bare(dorm__columns *columns, dorm__vector *phi, double loss, double alpha, uint32_t idle);
/* Computes the Gram matrix after a new reference. O(count^2 num_features). */
void dorm__columns_refill(dorm__columns *columns, size_t num_features, double *sum);
/* margins[k] = Delta_k - <w, psi_k> (NULL: not wanted); returns the largest, at
 * least 0. */
double dorm__columns_margins(const dorm__columns *columns, const double *w, double *margins);
/* Prefetches the vectors for margins that are wanted soon. */
void dorm__columns_fetch(const dorm__columns *columns);
/* v += sum_k factors[k] psi_k */
void dorm__columns_add_psi(const dorm__columns *columns, const double *factors, double *v);
/* Counts idle passes and drops columns that were idle for `limit` passes. */
void dorm__columns_prune(dorm__columns *columns, uint32_t limit);
size_t dorm__columns_bytes(const dorm__columns *columns);
/* sum alpha */
double dorm__columns_weight(const dorm__columns *columns);

#endif
