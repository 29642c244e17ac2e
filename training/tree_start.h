/* tree_start.h: the linear model at which boosting starts. */
#ifndef DORM_TRAINING_TREE_START_H
#define DORM_TRAINING_TREE_START_H

#include "training/rows.h"

/* A start divided by the spread of its scores within queries. All is NULL where boosting starts at 0. */
typedef struct dorm__tree_start {
  double *w;                 /* [num_features of the rows] */
  double *scores;            /* [num_docs] of the training data */
  double *validation_scores; /* [num_docs] of the validation data; NULL where there are none */
} dorm__tree_start;

/* Makes what word `index` of trees.start names, on all training rows. To be cleared also on failure. */
dorm_status dorm__tree_start_make(const dorm__job *job, dorm__training_rows *rows, size_t index,
                                  dorm__tree_start *start);
void dorm__tree_start_clear(dorm__tree_start *start);

#endif
