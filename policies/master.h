/* master.h: the linear programme that mixes columns: master.c. */
#ifndef DORM_POLICIES_MASTER_H
#define DORM_POLICIES_MASTER_H

#include "base/base.h"

/* Maximise sum_x worth[x] theta[x] + sum_r (lower[r] slack[r] - upper[r] excess[r]), where theta sums to 1 in each
 * block, theta, slack, excess >= 0 and sum_x use[x][r] theta[x] + slack[r] - excess[r] = limit[r]. So the price of row
 * r lies between lower[r] and upper[r]. */
typedef struct dorm__master dorm__master;

/* limit [num_rows] is copied. */
dorm_status dorm__master_new(dorm_context *context, size_t num_blocks, size_t num_rows, const double *limit,
                             dorm__master **master);
void dorm__master_free(dorm__master *master);
/* Adds a column; use [num_rows] is copied. The first column of each block must be added first, in the order of blocks.
 */
dorm_status dorm__master_add(dorm_context *context, dorm__master *master, size_t block, double worth,
                             const double *use);
/* Solves it from the last basis, with prices [num_rows] between lower and upper [num_rows]. prices and block_prices
 * [num_blocks] are the dual solution. */
dorm_status dorm__master_solve(dorm_context *context, dorm__master *master, const double *lower, const double *upper,
                               double *value, double *prices, double *block_prices);
/* Calls of `add` numbered the columns from 0: theta [number of columns]. */
void dorm__master_mixture(const dorm__master *master, double *theta);

#endif
