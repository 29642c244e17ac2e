/* path.h: trains with one reference of one problem, for all values of C in turn. */
#ifndef DORM_TRAINERS_PATH_H
#define DORM_TRAINERS_PATH_H

#include "jobs/jobs.h"
#include "trainers/ridge.h"

/* What a path trains on. */
typedef struct dorm__path_options {
  const dorm__job *job;
  const dorm__training_rows *rows;
  dorm__sink *sink;
  const dorm__problem *problem;
  dorm__scored_point *point; /* of the problem */
  dorm__bounds bounds;
  const dorm__start *start;
  double seconds;           /* that a solve may take; INFINITY: no limit */
  dorm_candidate candidate; /* its fields that are the same for the whole path are set */
} dorm__path_options;

dorm_status dorm__path_train(const dorm__path_options *options, const dorm__named_reference *reference);
/* The number of rounds of the convex-concave procedure for a reference: 1 at most if it does not depend on w. */
size_t dorm__path_rounds(const dorm_settings *settings, const dorm__reference *reference);

#endif
