/* master.h: the linear programme that mixes columns (master.c). */
#ifndef DORM_POLICIES_MASTER_H
#define DORM_POLICIES_MASTER_H

#include "base/base.h"

/* The linear programme
 *
 *   maximise sum_x worth[x] theta[x] + sum_r (lower[r] slack[r] - upper[r] excess[r])
 *   subject to sum_x use[x][r] theta[x] + slack[r] - excess[r] = limit[r]
 *
 * and theta, slack, excess >= 0. In each block theta sums to 1. So the price of row r is between lower[r] and
 * upper[r]. */
typedef struct dorm__master dorm__master;

/* Makes a programme without columns. Copies limit [num_rows]. */
dorm_status dorm__master_new(dorm_context *context, size_t num_blocks, size_t num_rows, const double *limit,
                             dorm__master **master);
void dorm__master_free(dorm__master *master);
/* Adds a column, and copies use [num_rows]. The first column of each block must be added first, in the order of
 * blocks. */
dorm_status dorm__master_add(dorm_context *context, dorm__master *master, size_t block, double worth,
                             const double *use);
/* Solves the programme from the last basis, with prices [num_rows] between lower and upper [num_rows]. Fills the dual
 * solution: prices, and block_prices [num_blocks]. */
dorm_status dorm__master_solve(dorm_context *context, dorm__master *master, const double *lower, const double *upper,
                               double *value, double *prices, double *block_prices);
/* Fills theta [number of columns]. Columns are numbered from 0 in the order of dorm__master_add. */
void dorm__master_mixture(const dorm__master *master, double *theta);

#endif
