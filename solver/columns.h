/* columns.h: what columns.c offers to the other files of this folder. */
#ifndef DORM_SOLVER_COLUMNS_H
#define DORM_SOLVER_COLUMNS_H

#include "base/base.h"
#include "solver/solver.h"

void dorm__columns_drop(dorm__columns *columns); /* before the pools of its vectors are cleared */
/* Appends a ranking with alpha = 0 and takes its vector. sum [num_features] is
 * scratch, zero before and after. False when out of memory.
 * O(count num_features). */
bool dorm__columns_add(dorm__columns *columns, size_t num_features, dorm__vector *phi, double loss, double *sum);
/* The Gram matrix, after a new reference. O(count^2 num_features). */
void dorm__columns_refill(dorm__columns *columns, size_t num_features, double *sum);
/* margins[k] = Delta_k - <w, psi_k> (NULL: not wanted); returns the largest, at
 * least 0. */
double dorm__columns_margins(const dorm__columns *columns, const double *w, double *margins);
/* Brings the vectors from memory for margins that are wanted soon. */
void dorm__columns_fetch(const dorm__columns *columns);
/* v += sum_k factors[k] psi_k */
void dorm__columns_add_psi(const dorm__columns *columns, const double *factors, double *v);
/* Counts idle passes and drops columns that were idle for `limit`. */
void dorm__columns_prune(dorm__columns *columns, uint32_t limit);
size_t dorm__columns_bytes(const dorm__columns *columns);

#endif
