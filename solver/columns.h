/* columns.h: what columns.c offers to the other files of this folder. */
#ifndef DORM_SOLVER_COLUMNS_H
#define DORM_SOLVER_COLUMNS_H

#include "base/base.h"
#include "solver/solver.h"

/* The Gram matrix, after a new reference. O(count^2 num_features). */
void dorm__columns_refill(dorm__columns *columns, size_t num_features, double *sum);
/* Brings the vectors from memory for margins that are wanted soon. */
void dorm__columns_fetch(const dorm__columns *columns);
/* Counts idle passes and drops columns that were idle for `limit`. */
void dorm__columns_prune(dorm__columns *columns, uint32_t limit);
size_t dorm__columns_bytes(const dorm__columns *columns);

#endif
