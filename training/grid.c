/*
 * grid.c: trains all combinations of the settings that are lists. Makes the rows of each rank block and each kernel,
 * and lets each trainer make its candidates from them.
 */
#include "training/folds.h"
#include "training/train_once.h"

/* Returns whether these rows may take over the memory of the data. They must be the last to be made, and neither losses
 * nor parts of the model may read the data's values. Since the model is then scored on these rows, their rank block
 * must be the largest. */
static bool may_take(const dorm__job *job, const dorm__grid *grid, double rank_block, bool is_last)
{
  bool result =
      grid->own_train && is_last && !grid->map.cross && !job->num_own && dorm__kernel_is_linear(job->kernels.kernel);
  for (size_t i = 0; i < dorm__settings_count(job->settings, DORM__DATA_RANK_BLOCK); i++)
    result = result && rank_block >= dorm__settings_number_at(job->settings, DORM__DATA_RANK_BLOCK, i);
  for (size_t i = 0; i < job->num_trainers; i++)
    result = result && !job->trainers[i]->makes_parts;
  return result && !dorm__loss_reads_features(job->losses[0]);
}

/* Trains all candidates of one rank block and one kernel. */
static dorm_status train_rows(const dorm__job *job, dorm__grid *grid, const dorm__feature_map *map, size_t kernel,
                              bool is_last)
{
  bool takes = may_take(job, grid, map->rank_block, is_last);
  dorm__training_rows *rows = dorm__alloc_zero(1, sizeof *rows);
  if (!rows)
    return dorm__out_of_memory(job->context, "rows");
  dorm__sink sink = {.job = job, .grid = grid};
  dorm_status status = dorm__training_rows_make(job, grid, map, kernel, takes, rows);
  for (size_t i = 0; status == DORM_OK && i < job->num_trainers; i++) {
    const dorm__trainer *trainer = job->trainers[i];
    status = grid->committee && trainer->averages_folds
                 ? dorm__committee_take(grid->committee, trainer->count(job), &sink)
                 : trainer->train(job, rows, &sink);
  }
  dorm__sink_clear(&sink);
  dorm__sampled_features_clear(&rows->sample);
  dorm__features_free(&rows->train_features);
  if (takes) { /* the validation rows are needed for the scores of the model */
    grid->taken = rows;
    return status;
  }
  dorm__training_rows_clear(rows);
  dorm__free(rows);
  return status;
}

dorm_status dorm__grid_map(const dorm__job *job, const dorm_dataset *train, dorm__feature_map *map)
{
  return job->from ? dorm__earlier_map(job, train, map)
                   : dorm__feature_map_from(job->context, job->settings, train, map);
}

dorm_status dorm__grid_train(const dorm__job *job, dorm__grid *grid)
{
  size_t count = dorm__settings_count(job->settings, DORM__DATA_RANK_BLOCK);
  dorm_status status =
      DORM__ALL(dorm__training_new(job->context, &grid->training), dorm__checkpoint_restore_grid(job, grid),
                grid->shared_map ? dorm__feature_map_copy(job->context, grid->shared_map, &grid->map)
                                 : dorm__grid_map(job, grid->train, &grid->map));
  for (size_t i = 0; status == DORM_OK && i < count; i++) {
    dorm__feature_map map = grid->map;
    map.rank_block = dorm__settings_number_at(job->settings, DORM__DATA_RANK_BLOCK, i);
    for (size_t k = 0; status == DORM_OK && k < job->kernels.count; k++)
      status = train_rows(job, grid, &map, k, i + 1 == count);
  }
  /* With kernels, candidates from the checkpoint that were not reached lack the kernel of their weights. */
  for (; grid->num_restored && !dorm__kernel_is_linear(job->kernels.kernel); grid->num_restored--)
    dorm__training_drop_last(grid->training);
  return status;
}

void dorm__grid_clear(dorm__grid *grid)
{
  if (grid->taken)
    dorm__training_rows_clear(grid->taken);
  dorm__free(grid->taken);
  dorm__feature_map_clear(&grid->map);
  dorm_training_free(grid->training);
  *grid = (dorm__grid){0};
}
