/* forest.h: grows the trees of one candidate, on data that all candidates of these rows share. */
#ifndef DORM_TRAINERS_FOREST_H
#define DORM_TRAINERS_FOREST_H

#include "trainers/combinations.h"
#include "trainers/tree_start.h"

/* Input values of trees. */
typedef struct dorm__tree_input {
  dorm__row_source sources[2];
  dorm__tree_rows train, validation;
  dorm__tree_bins *bins; /* of both, or NULL if no candidate uses these values */
} dorm__tree_input;

/* The data that all candidates of one set of rows share. */
typedef struct dorm__forest_data {
  const dorm__job *job;
  dorm__training_rows *rows;
  dorm__sink *sink;
  size_t num_docs,
      num_other_docs;         /* of training and validation data (0 validation documents if rounds are not chosen) */
  dorm__tree_input inputs[2]; /* normalised values, raw values */
  dorm__lambda_list lambdas;  /* of training.lambda, empty if no objective uses them */
  dorm__lambda *own_lambda;   /* named by a word of trees.objective, such as dorm, or NULL */
  size_t num_starts;
  dorm__tree_start *starts; /* [num_starts], in the order of trees.start */
  double *levels;           /* [num_levels], the distinct labels, increasing, or NULL until an objective needs them */
  size_t num_levels;
  double *weights;       /* [num_docs] weights of the training documents, or NULL for 1 */
  double *query_weights; /* [num_docs] the same without the weights of documents */
  uint8_t *order;        /* [width] flags of the features, or NULL for any order */
  bool *is_category;     /* [width] features whose values are categories, or NULL for none */
  double seconds;        /* that an ensemble may take, or INFINITY */
  double *scaled_labels; /* [num_docs] labels times the weights of documents, or NULL without weights */
} dorm__forest_data;

/* Returns whether validation data choose the number of rounds. */
static inline bool dorm__forest_chooses_rounds(const dorm__forest_data *all)
{
  return all->rows->validation != NULL;
}

/* Grows candidate number `index` and gives it to the sink. `data` is a const dorm__forest_data. Several threads may
 * call it at the same time, each with a job and a sink of its own. */
dorm_status dorm__forest_grow(const dorm__job *job, dorm__sink *sink, size_t index, const void *data);

#endif
