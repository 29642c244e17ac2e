/* kernel_grid.h: the kernels that training tries. */
#ifndef DORM_JOBS_KERNEL_GRID_H
#define DORM_JOBS_KERNEL_GRID_H

#include "jobs/candidates.h"

typedef struct dorm__kernel_grid {
  const dorm_settings *settings; /* borrowed */
  dorm__kernel *kernel;
  size_t num_ranks;
  size_t count; /* number of kernels to train with */
} dorm__kernel_grid;

/* The data that a kernel is fitted to. validation may be NULL. */
typedef struct dorm__kernel_data {
  const dorm_dataset *train, *validation;
  const dorm__feature_map *map;
  size_t num_threads;
} dorm__kernel_data;

/* Receives the factor and the rows. */
typedef struct dorm__kernel_grid_rows {
  const dorm__kernel_factor **factor;
  dorm__features *train_features, *validation_features;
} dorm__kernel_grid_rows;

dorm_status dorm__kernel_grid_open(dorm_context *context, const dorm_settings *settings, dorm__kernel_grid *grid);
void dorm__kernel_grid_close(dorm__kernel_grid *grid);
/* Makes the features of both data sets under kernel number `index`. *factor is owned by `training`. Not for the kernel
 * `linear`. `validation` may be NULL. */
dorm_status dorm__kernel_grid_features(dorm_context *context, const dorm__kernel_grid *grid, size_t index,
                                       const dorm__kernel_data *data, dorm_training *training,
                                       const dorm__kernel_grid_rows *rows);
/* Returns a bound on how far the optimum for the exact kernel lies below the dual value of the working set: 1/2 (sum
 * over queries i of A_i sqrt(t_i D_i))^2. The sum is dorm__working_set_residual_length. Derived in kernels/factor.c. */
double dorm__kernel_bound(const dorm__working_set *set, const dorm__kernel_factor *factor);

#endif
