/* run.h: the state of one call of dorm_train. */
#ifndef DORM_TRAINING_RUN_H
#define DORM_TRAINING_RUN_H

#include "assignment/assignment.h"
#include "base/base.h"
#include "data/data.h"
#include "features/features.h"
#include "kernels/kernels.h"
#include "measures/measures.h"
#include "solver/solver.h"
#include "training/candidates.h"
#include "training/kernel_grid.h"

/* Sums over the held-out queries of all folds, a candidate each. */
typedef struct dorm__fold_sums {
  size_t count;
  double *values;  /* [count] sum of the measure */
  double *squares; /* [count] sum of its squares */
  double *queries; /* [count] */
} dorm__fold_sums;

typedef struct dorm__checkpoint dorm__checkpoint;

/* One call of dorm_train. */
typedef struct dorm__run {
  dorm_context *context;
  dorm_settings *settings; /* effective */
  dorm__measure *measure;
  size_t num_threads;
  dorm__kernel_grid kernels;
  double started;
  double deadline; /* on dorm__seconds; 0: none */
  dorm__diversity diversity;
  bool has_said_short; /* that queries have too few groups */
  bool is_limited;     /* some solve ended at its limit of iterations */
  size_t num_passes;   /* over the data, in this call */
  dorm__fold_sums folds;
  dorm__checkpoint *checkpoint;                    /* NULL: none */
  dorm__oracle_counts oracles;                     /* over all solves */
  double oracle_seconds[DORM__NUM_ORACLE_METHODS]; /* by method, likewise */
  size_t num_expected;                             /* candidates, over all grids */
  size_t num_done;

  /* the grid being trained */
  size_t grid; /* its number: the folds, the whole, the retraining */
  const dorm_dataset *train;
  const dorm_dataset *validation; /* may be NULL */
  dorm_dataset *own_train;        /* the same, where their values may be taken; else NULL */
  dorm_dataset *own_validation;
  bool is_taken;         /* the rows of the last rank block are in their memory */
  dorm__feature_map map; /* without rank block */
  dorm_training *training;
  const dorm_training *chosen_from; /* while retraining, the grid that was chosen from; else NULL */
  size_t num_restored;              /* candidates of this grid that a checkpoint held */

  /* the combination being trained */
  dorm_candidate candidate;
  dorm__sampled_features sample; /* what starts are fitted to, of train_features once they are finished */
  dorm__features train_features;
  dorm__features validation_features;
  dorm__bounds bounds;
  const dorm__kernel_factor *kernel; /* NULL: linear; owned by the training */
  double *start;
  double *scores;               /* of the training documents at the start, then of the validation documents */
  bool has_start;               /* the former are there */
  const dorm__problem *problem; /* once there is one */
} dorm__run;

#endif
