/* tree_start.h: the model at which boosting starts: a linear one, or that of data.from with its trees. */
#ifndef DORM_TRAINERS_TREE_START_H
#define DORM_TRAINERS_TREE_START_H

#include "jobs/jobs.h"
#include "trees/trees.h"

/* A start. A linear one is divided by the spread of its scores within queries; the model of data.from is left as it is.
 * All is NULL where boosting starts at 0. */
typedef struct dorm__tree_start {
  double *w;                 /* [num_features of the rows] */
  dorm__ensemble earlier;    /* the trees of data.from, which stand before the new ones */
  double *scores;            /* [num_docs] of the training data */
  double *validation_scores; /* [num_docs] of the validation data; NULL where there are none */
} dorm__tree_start;

/* Fails where trees cannot go on from the model of data.from. */
dorm_status dorm__tree_start_check(const dorm__job *job);
/* Makes what word `index` of trees.start names, or the start at data.from, on all training rows. Rows of the training
 * data and, unless it is NULL, of the validation data are for trees. To be cleared also on failure. */
dorm_status dorm__tree_start_make(const dorm__job *job, dorm__training_rows *rows, size_t index,
                                  const dorm__tree_rows *train, const dorm__tree_rows *validation,
                                  dorm__tree_start *start);
void dorm__tree_start_clear(dorm__tree_start *start);

#endif
