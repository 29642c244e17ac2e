/* ridge.h: the trainer `ridge`, and the ridge start from which other trainers begin. */
#ifndef DORM_TRAINERS_RIDGE_H
#define DORM_TRAINERS_RIDGE_H

#include "jobs/jobs.h"
#include "trees/trees.h"

extern const dorm__trainer dorm__ridge_trainer;

/* The point at which a training begins. */
typedef struct dorm__start {
  double ridge;   /* 0 if the start is not a ridge regression */
  double rho;     /* factor of the weights of data.from in the centre, 0 for a centre of 0 */
  double *centre; /* [num_features of the rows] of the regulariser, or NULL without data.from */
  double *w;      /* [num_features of the rows] */
  double *scores; /* [num_docs of the training data] at w, filled if has_scores */
  bool has_scores;
} dorm__start;

/* Returns the ridge of start number `index`: from solver.ridge, or chosen for the rows. */
double dorm__ridge_at(const dorm__job *job, const dorm__training_rows *rows, size_t index);
dorm_status dorm__start_new(const dorm__job *job, const dorm__training_rows *rows, dorm__start *start);
void dorm__start_clear(dorm__start *start);
/* Makes start number `index`, moves it into the bounds and hands it to the sink as a candidate. With solver.start =
 * zero the start is w = 0, moved into the bounds, and is no candidate. The first start also completes rows of which
 * only a sample was made. */
dorm_status dorm__start_make(const dorm__job *job, dorm__training_rows *rows, const dorm__bounds *bounds, size_t index,
                             dorm__sink *sink, dorm__start *start);
/* Makes the start of training around rho w0, with w0 the weights of data.from. It is rho w0, or w0 if rho is 0, moved
 * into the bounds. Hands it to the sink as a candidate. The first start also completes the rows. */
dorm_status dorm__start_at_model(const dorm__job *job, dorm__training_rows *rows, const dorm__bounds *bounds,
                                 double rho, dorm__sink *sink, dorm__start *start);

/* ---- Linear start ------------------------------------------------------------------------------ */

/* Returns whether word `index` of a setting such as net.start names a linear function, ridge or file:<path>. */
bool dorm__linear_start_is(const dorm__job *job, dorm__setting setting, size_t index);
/* Fills w [num_features of the rows] with the first ridge start of the SVM. *spread becomes the standard deviation
 * within queries of its scores on `features`, the training rows. Callers divide by it, since λ-functions depend on
 * differences of scores. */
dorm_status dorm__ridge_start(const dorm__job *job, const dorm__training_rows *rows, const dorm__features *features,
                              double *w, double *spread);
/* Does the same with the function of a setting: that ridge start, or the linear part of a model from a file, which must
 * fit the rows. */
dorm_status dorm__linear_start(const dorm__job *job, const dorm__training_rows *rows, const dorm__features *features,
                               dorm__setting setting, size_t index, double *w, double *spread);

/* ---- Bounds ------------------------------------------------------------------------------------ */

/* *order becomes the flags of trees/trees.h for each feature of the rows, or NULL for any order. The caller frees
 * it. */
dorm_status dorm__order_make(const dorm__job *job, const dorm__training_rows *rows, uint8_t **order);
/* Makes the bounds of weights that obey the order. Each is NULL if the settings ask for none. */
dorm_status dorm__bounds_make(const dorm__job *job, const dorm__training_rows *rows, dorm__bounds *bounds);
void dorm__bounds_clear(dorm__bounds *bounds);

#endif
