/* fold_sums.h: the measure of each candidate over the held-out queries of all folds. */
#ifndef DORM_JOBS_FOLD_SUMS_H
#define DORM_JOBS_FOLD_SUMS_H

#include "jobs/candidates.h"

/* Sums over the held-out queries of all folds, each [count] with one entry per candidate. A query counts as often as
 * its weight says. */
typedef struct dorm__fold_sums {
  size_t count;
  size_t num_folds;       /* finished */
  double *values;         /* [count] sum of the queries' measures */
  double *squares;        /* [count] sum of the squares of these */
  double *queries;        /* [count] sum of the weights of the held-out queries so far */
  double *square_weights; /* [count] sum of the squares of their weights */
} dorm__fold_sums;

/* Makes room for `count` candidates, unless there is room already. */
dorm_status dorm__fold_sums_reserve(dorm_context *context, size_t count, dorm__fold_sums *sums);
void dorm__fold_sums_clear(dorm__fold_sums *sums);
/* Adds one fold: the validation values of the candidates, which are means over the held-out queries, with their
 * standard errors. held_out says which queries count, and what they weigh. */
void dorm__fold_sums_add(dorm__fold_sums *sums, const dorm_training *training, const dorm_evaluation *held_out);
/* Whether the sums contain a fold. */
bool dorm__fold_sums_has_some(const dorm__fold_sums *sums);
/* Keeps candidates 0, step, 2 step, ... */
void dorm__fold_sums_thin(dorm__fold_sums *sums, size_t step);
/* Gives the candidates of a training the means over all folds, with their standard errors. */
void dorm__fold_sums_assign(const dorm__fold_sums *sums, dorm_training *training);

#endif
