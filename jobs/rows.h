/* rows.h: training and validation data under one feature map and one kernel. */
#ifndef DORM_JOBS_ROWS_H
#define DORM_JOBS_ROWS_H

#include "jobs/grid.h"

struct dorm__training_rows {
  const dorm_dataset *train;
  const dorm_dataset *validation;    /* may be NULL */
  dorm__feature_map map;             /* with its rank block */
  const dorm__kernel_factor *kernel; /* owned by the training; NULL: linear */
  dorm__sampled_features sample;     /* the rows that starts are fitted to, later part of train_features */
  dorm__features train_features;     /* empty until dorm__training_rows_finish */
  dorm__features validation_features;
  size_t num_functions; /* of positions, 1 if all share one */
  bool is_taken;        /* the rows have taken over the memory of the data */
};

/* Makes the rows of kernel number `kernel`. With `takes` they take over the memory of the data's values. */
dorm_status dorm__training_rows_make(const dorm__job *job, dorm__grid *grid, const dorm__feature_map *map,
                                     size_t kernel, bool takes, dorm__training_rows *rows);
void dorm__training_rows_clear(dorm__training_rows *rows);
/* Returns the number of weights of a candidate: the weights of a row's features, for each function of positions. */
size_t dorm__training_rows_width(const dorm__training_rows *rows);
/* Makes the training rows that are missing, and computes scores [num_docs], <weights, row> of each training
 * document. */
dorm_status dorm__training_rows_finish(const dorm__job *job, dorm__training_rows *rows, const double *weights,
                                       double *scores);
/* Makes rows with every value, as hidden units and trees need them. *full becomes `features`, the rows of the data set.
 * If these leave zeros out or, with keeps_missing, hold means for missing values, *full becomes a copy in `own`, with
 * NaN for missing values. */
dorm_status dorm__training_rows_full(const dorm__job *job, const dorm__training_rows *rows, const dorm_dataset *dataset,
                                     const dorm__features *features, bool keeps_missing, dorm__features *own,
                                     const dorm__features **full);

/* Dense rows for trees, with NaN for a missing value. They are the data set's own rows if these are in memory, or else
 * made in batches whenever they are visited. */
typedef struct dorm__row_source {
  const dorm__job *job;
  const dorm_dataset *dataset;
  dorm__feature_map map;
} dorm__row_source;

/* Returns the rows of a data set whose features are `features`. With is_raw their values are the values in the data.
 * `source` must outlive them. */
dorm__tree_rows dorm__training_rows_for_trees(const dorm__job *job, const dorm__feature_map *map,
                                              const dorm_dataset *dataset, const dorm__features *features, bool is_raw,
                                              dorm__row_source *source);

/* ---- Positions --------------------------------------------------------------------------------- */

/* Replaces scores [num_docs of the validation data] of the first block of w by scores that fall along the rankings of
 * all of w [dorm__training_rows_width]. */
dorm_status dorm__positions_rank(const dorm__job *job, const dorm__training_rows *rows, const double *w,
                                 double *scores);
/* Makes the part of weights [count][width] of rows with num_ids features and this rank block, with the position weights
 * of the settings. */
dorm_status dorm__positions_part_from(dorm_context *context, const dorm_settings *settings, size_t num_ids,
                                      double rank_block, size_t count, const double *weights, dorm__part *part);

/* ---- Earlier ----------------------------------------------------------------------------------- */

/* Reads the model of data.from, if there is one, into job->from. Gives data.normalisation and data.rank_block the
 * values of that model. Fails if the caller gave other values, or if a trainer of the job cannot continue from a
 * model. */
dorm_status dorm__earlier_open(dorm__job *job);
/* Copies the map of job->from, without a rank block. Fails if the data set has a feature that data.features names and
 * the model lacks. */
dorm_status dorm__earlier_map(const dorm__job *job, const dorm_dataset *dataset, dorm__feature_map *map);
/* Returns the rank block of the parts of the model, 0 if they have none. */
double dorm__earlier_rank_block(const dorm_model *model);
/* Fills w [width of the rows] with the weights of the linear part of a model, 0 for features that it lacks. They give
 * rows of another rank block the same scores. Rows without one lose the weights of the ranks. */
void dorm__earlier_weights(const dorm__training_rows *rows, const dorm_model *model, double *w);

#endif
