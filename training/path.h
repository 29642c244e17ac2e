/* path.h: one reference of one problem over all values of C. */
#ifndef DORM_TRAINING_PATH_H
#define DORM_TRAINING_PATH_H

#include "training/ridge.h"

/* What a path trains on. */
typedef struct dorm__path_options {
  const dorm__job *job;
  const dorm__training_rows *rows;
  dorm__sink *sink;
  const dorm__problem *problem;
  dorm__scored_point *point; /* of the problem */
  dorm__bounds bounds;
  const dorm__start *start;
  dorm_candidate candidate; /* the fields that stay the same along the path */
} dorm__path_options;

dorm_status dorm__path_train(const dorm__path_options *options, const dorm__named_reference *reference);
/* The rounds of the convex-concave procedure that a reference takes. */
size_t dorm__path_rounds(const dorm_settings *settings, const dorm__reference *reference);

#endif
