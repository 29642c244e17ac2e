/* grid.h: trains all combinations of the settings that are lists on one pair of data sets. */
#ifndef DORM_TRAINING_GRID_H
#define DORM_TRAINING_GRID_H

#include "jobs/jobs.h"

/* The feature map of a grid that trains on these data, without rank block. The caller clears it. */
dorm_status dorm__grid_map(const dorm__job *job, const dorm_dataset *train, dorm__feature_map *map);
/* Trains the grid into grid->training. The fields that the caller sets are borrowed. */
dorm_status dorm__grid_train(const dorm__job *job, dorm__grid *grid);
void dorm__grid_clear(dorm__grid *grid);

#endif
