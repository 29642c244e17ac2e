/*
 * kernel_grid.c: the kernels that training tries: every combination of the lists in kernel.kernel with every
 * kernel.rank. One factorisation serves all losses, references, position weights and C. The kernel `linear` by itself
 * is not factorised: its rows are made in rows.c.
 */
#include "jobs/kernel_grid.h"

dorm_status dorm__kernel_grid_open(dorm_context *context, const dorm_settings *settings, dorm__kernel_grid *grid)
{
  *grid = (dorm__kernel_grid){.settings = settings};
  dorm_status status = dorm__kernel_parse(context, dorm__settings_text(settings, DORM__KERNEL_KERNEL), &grid->kernel);
  if (status != DORM_OK)
    return status;
  grid->num_ranks = dorm__settings_count(settings, DORM__KERNEL_RANK);
  grid->count = dorm__kernel_is_linear(grid->kernel) ? 1 : dorm__kernel_num_choices(grid->kernel) * grid->num_ranks;
  return DORM_OK;
}

void dorm__kernel_grid_close(dorm__kernel_grid *grid)
{
  dorm__kernel_free(grid->kernel);
  *grid = (dorm__kernel_grid){0};
}

/* Hands a factor to the training result, which then owns it. Models are made from it. */
static dorm_status keep_factor(dorm_context *context, dorm_training *training, dorm__kernel_factor *factor)
{
  if (!dorm__grow((void **)&training->kernels, &training->kernels_capacity, training->num_kernels + 1,
                  sizeof *training->kernels)) {
    dorm__kernel_factor_free(factor);
    return dorm__out_of_memory(context, "a kernel");
  }
  training->kernels[training->num_kernels++] = factor;
  return DORM_OK;
}

dorm_status dorm__kernel_grid_features(dorm_context *context, const dorm__kernel_grid *grid, size_t index,
                                       const dorm__kernel_data *data, dorm_training *training,
                                       const dorm__kernel_grid_rows *rows)
{
  *rows->factor = NULL;
  dorm__kernel_options options = {
      .rank = (size_t)dorm__settings_number_at(grid->settings, DORM__KERNEL_RANK, index % grid->num_ranks),
      .seed = dorm__settings_integer(grid->settings, DORM__TRAINING_SEED),
      .num_threads = data->num_threads,
  };
  double started = dorm__seconds();
  dorm__kernel_factor *made = NULL;
  dorm_status status = DORM__ALL(dorm__kernel_fit(context, grid->kernel, index / grid->num_ranks, &options, data->train,
                                                  data->map, &(const dorm__kernel_fitted){&made, rows->train_features}),
                                 keep_factor(context, training, made));
  if (status != DORM_OK)
    return status;
  dorm__detail(context, "%s: rank %zu of %zu documents, residual trace %.3g of %.3g (%.2g s)", made->text, made->rank,
               made->num_docs, made->residual_trace, made->trace, dorm__seconds() - started);
  *rows->factor = made;
  return data->validation ? dorm__kernel_features(context, made, data->validation, data->map, data->num_threads,
                                                  rows->validation_features)
                          : DORM_OK;
}

double dorm__kernel_bound(const dorm__working_set *set, const dorm__kernel_factor *factor)
{
  double length = dorm__working_set_residual_length(set, factor->residual);
  return 0.5 * length * length;
}
