/* tree_choices.h: the combinations of the settings trees.*, of which the trainer makes one candidate each. */
#ifndef DORM_TRAINERS_TREE_CHOICES_H
#define DORM_TRAINERS_TREE_CHOICES_H

#include "jobs/jobs.h"

/* The settings of numbers that may be lists. */
enum {
  DORM__TREE_LEAVES,
  DORM__TREE_LEARNING_RATE,
  DORM__TREE_MIN_DOCS_IN_LEAF,
  DORM__TREE_ROW_SHARE,
  DORM__TREE_FEATURE_SHARE,
  DORM__TREE_REGRESSION_SHARE,
  DORM__NUM_TREE_LISTS
};

/* One combination. */
typedef struct dorm__tree_choice {
  const char *word; /* of trees.objective */
  const dorm__tree_objective *objective;
  const char *own_lambda; /* the λ-function that the word stands for; NULL: none, or one of trees.lambda */
  size_t lambda;          /* number of that one */
  size_t start;           /* number of the word of trees.start */
  double values[DORM__NUM_TREE_LISTS];
  char text[200]; /* "lambda:leaves=10,rate=0.1,start=ridge" */
} dorm__tree_choice;

size_t dorm__tree_choices_count(const dorm__job *job);
/* Combination number `index`; the last list changes fastest. */
dorm__tree_choice dorm__tree_choice_at(const dorm__job *job, size_t index);

#endif
