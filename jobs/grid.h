/* grid.h: one pair of data sets, on which a job trains all combinations of the settings that are lists. */
#ifndef DORM_JOBS_GRID_H
#define DORM_JOBS_GRID_H

#include "jobs/candidates.h"
#include "jobs/job.h"

typedef struct dorm__checkpoint dorm__checkpoint;
typedef struct dorm__committee dorm__committee;

/* One grid of a job: that of a fold, of the whole data, or of a retraining. */
typedef struct dorm__grid {
  size_t number; /* in the order in which the job trains them, from 0 */
  const dorm_dataset *train;
  const dorm_dataset *validation;      /* may be NULL */
  dorm_dataset *own_train;             /* `train`, where rows may take over its memory; else NULL */
  dorm_dataset *own_validation;        /* likewise */
  const dorm_training *chosen_from;    /* in a retraining, the candidates of the grid that was chosen from; else NULL */
  const dorm_dataset *whole;           /* of a fold, the data that it is a part of; else NULL */
  const dorm__feature_map *shared_map; /* of all grids of a cross-validation; NULL: `train` has its own */
  const dorm__committee *committee;    /* of trainers that average folds; NULL: they train, too */
  dorm__progress *progress;
  dorm__checkpoint *checkpoint;      /* NULL: none */
  const dorm__fold_sums *fold_sums;  /* written into the checkpoint */
  dorm_training *training;           /* owned; the candidates */
  size_t num_restored;               /* candidates from a checkpoint that the trainers have not come to yet */
  dorm__feature_map map;             /* owned; without rank block */
  struct dorm__training_rows *taken; /* owned; rows in the data's memory, kept to measure the model; or NULL */
} dorm__grid;

#endif
