/* rows.h: training and validation data under one feature map and one kernel. */
#ifndef DORM_JOBS_ROWS_H
#define DORM_JOBS_ROWS_H

#include "jobs/grid.h"

struct dorm__training_rows {
  const dorm_dataset *train;
  const dorm_dataset *validation;    /* may be NULL */
  dorm__feature_map map;             /* with its rank block, borrowed */
  const dorm__kernel_factor *kernel; /* owned by the grid's training; NULL: linear */
  dorm__sampled_features sample;     /* rows to which starts are fitted; borrows train_features once these are made */
  dorm__features train_features;     /* empty until dorm__training_rows_finish */
  dorm__features validation_features;
  size_t num_functions; /* of positions, 1 if all positions share one function */
  bool is_late;         /* the rows of both data sets are empty until dorm__training_rows_features */
  bool is_taken;        /* the rows have taken over the memory of the data's values */
};

/* Makes the rows of both data sets of the grid under `map` and kernel number `kernel`. With `takes` they take over the
 * memory of the data's values. The caller clears them, also on failure. */
dorm_status dorm__training_rows_make(const dorm__job *job, dorm__grid *grid, const dorm__feature_map *map,
                                     size_t kernel, bool takes, dorm__training_rows *rows);
void dorm__training_rows_clear(dorm__training_rows *rows);
/* Returns a bound on how far the optimum for the exact kernel lies below the dual value of the working set: 1/2 (sum
 * over queries i of A_i sqrt(t_i D_i))^2. The sum is dorm__working_set_residual_length. Derived in kernels/factor.c. */
double dorm__kernel_bound(const dorm__working_set *set, const dorm__kernel_factor *factor);
/* Returns the number of weights of a linear candidate: one for each feature of a row and function of positions. */
size_t dorm__training_rows_width(const dorm__training_rows *rows);
/* Makes the training rows that are missing. Fills scores [num_docs] with <weights, row> of each training document. */
dorm_status dorm__training_rows_finish(const dorm__job *job, dorm__training_rows *rows, const double *weights,
                                       double *scores);
/* Sets *full to dense rows of the data set, which hidden units need. These are its rows `features`, if they are dense
 * and not changed by keeps_missing. Otherwise makes them in `own`, which the caller frees. With keeps_missing, a
 * missing value is NaN in them, otherwise a mean. */
dorm_status dorm__training_rows_full(const dorm__job *job, const dorm__training_rows *rows, const dorm_dataset *dataset,
                                     const dorm__features *features, bool keeps_missing, dorm__features *own,
                                     const dorm__features **full);

/* From this, rows for trees are made in batches whenever they are visited: dense, with NaN for a missing value. */
typedef struct dorm__row_source {
  const dorm__job *job;
  const dorm_dataset *dataset;
  dorm__feature_map map;
} dorm__row_source;

/* Returns rows of a data set for trees. They are the values of its rows `features`, if these are made and dense, have
 * no missing values and no categories, and are not to be raw. Otherwise they are made from `source`, which this call
 * fills. With is_raw, features have their values in the data, without normalisation. `source` and `features` must
 * outlive the rows. */
dorm__tree_rows dorm__training_rows_for_trees(const dorm__job *job, const dorm__feature_map *map,
                                              const dorm_dataset *dataset, const dorm__features *features, bool is_raw,
                                              dorm__row_source *source);

/* ---- ridge_regression.c ------------------------------------------------------------------------- */

/* Solves (S + lambda I) w = s for w [num_features], a ridge regression on the labels, or on the gains 2^label - 1. S is
 * the covariance of the features within queries, s their covariance with labels or gains, and lambda = ridge * trace(S)
 * / num_features. O(num_docs num_features^2). If num_features is large or the rows are sparse: at most 200 steps of
 * conjugate gradients, each with two passes over the rows. If the rows are a kernel's, these steps end with
 * DORM_STOPPED when the caller of the library cancels. */
dorm_status dorm__ridge_regression(dorm_context *context, const dorm_dataset *dataset,
                                   const dorm__sampled_features *sample, bool on_gains, double ridge,
                                   size_t num_threads, double *w);
/* Returns the stride of the sample that is enough for the regression, 1 for all queries. */
size_t dorm__ridge_stride(size_t num_docs, size_t width, bool is_sparse);

/* ---- Positions --------------------------------------------------------------------------------- */

/* Ranks the validation data by w [dorm__training_rows_width], whose first block is the function of all positions. The
 * caller fills scores [num_docs] by this first block. They become scores that fall along the rankings by all of w. */
dorm_status dorm__positions_rank(const dorm__job *job, const dorm__training_rows *rows, const double *w,
                                 double *scores);
/* Makes the part of a model that ranks by `count` functions of positions, from weights [count][width]. The rows have
 * num_ids features and this rank block, and the position weights are the first ones of the settings. */
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
/* Fills w [width of the rows] with the weights of the linear part of a model, 0 for features that it lacks. If the rows
 * have another rank block than the model, rescales the weights of the ranks, so that scores stay the same. If the rows
 * have no rank block, leaves these weights out. */
void dorm__earlier_weights(const dorm__training_rows *rows, const dorm_model *model, double *w);

#endif
