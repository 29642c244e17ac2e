/* tree_start.h: the model at which boosting starts: a linear one, or the model of data.from with its trees. */
#ifndef DORM_TRAINERS_TREE_START_H
#define DORM_TRAINERS_TREE_START_H

#include "jobs/jobs.h"
#include "trees/trees.h"

/* A start. A linear one is divided by the spread of its scores within queries, but the model of data.from is not. All
 * is NULL if boosting starts at 0. */
typedef struct dorm__tree_start {
  double *w;                 /* [num_features of the rows] */
  dorm__ensemble earlier;    /* the trees of data.from, which come before the new ones */
  bool keeps_parts;          /* the trees of data.from use other values and stay parts beside the new ones */
  double *scores;            /* [num_docs] of the training data */
  double *validation_scores; /* [num_docs] of the validation data, or NULL if there are none */
} dorm__tree_start;

/* Fails if trees cannot continue from the model of data.from. */
dorm_status dorm__tree_start_check(const dorm__job *job);
/* Makes the start that word `index` of trees.start names, or the start at data.from, on all training rows. Rows of the
 * training data and, unless it is NULL, of the validation data are for trees. The caller clears the start, even on
 * failure. */
dorm_status dorm__tree_start_make(const dorm__job *job, dorm__training_rows *rows, size_t index,
                                  const dorm__tree_rows *train, const dorm__tree_rows *validation,
                                  dorm__tree_start *start);
void dorm__tree_start_clear(dorm__tree_start *start);

/* ---- Tree choices ------------------------------------------------------------------------------ */

/* The settings of numbers that may be lists. */
enum {
  DORM__TREE_LEAVES,
  DORM__TREE_LEARNING_RATE,
  DORM__TREE_MIN_DOCS_IN_LEAF,
  DORM__TREE_ROW_SHARE,
  DORM__TREE_FEATURE_SHARE,
  DORM__TREE_REGRESSION_SHARE,
  DORM__TREE_L2,
  DORM__NUM_TREE_LISTS
};

/* One combination. */
typedef struct dorm__tree_choice {
  const char *word; /* of trees.objective */
  const dorm__tree_objective *objective;
  const char *own_lambda; /* the λ-function that the word names, or NULL for none or one of training.lambda */
  size_t lambda;          /* number of that λ-function */
  bool is_raw;            /* trees use raw values */
  size_t start;           /* number of the word of trees.start */
  double values[DORM__NUM_TREE_LISTS];
  char text[200]; /* "lambda:leaves=10,raw,start=ridge" */
} dorm__tree_choice;

size_t dorm__tree_choices_count(const dorm__job *job);
/* Returns combination number `index`. The last list changes fastest. */
dorm__tree_choice dorm__tree_choice_at(const dorm__job *job, size_t index);

#endif
