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
  dorm_candidate candidate; /* its fields that are the same for the whole path are set */
} dorm__path_options;

dorm_status dorm__path_train(const dorm__path_options *options, const dorm__named_reference *reference);
/* The number of rounds of the convex-concave procedure for a reference: 1 at most if it does not depend on w. */
size_t dorm__path_rounds(const dorm_settings *settings, const dorm__reference *reference);

/* ---- Paths ------------------------------------------------------------------------------------- */

/* Trains path number `index` of the job that it is given into the sink that it is given. Several threads call it at the
 * same time, so that it only reads what `user` points to. */
typedef dorm_status (*dorm__path_function)(const dorm__job *job, dorm__sink *sink, size_t index, const void *user);

/* Trains `count` paths: on job->num_path_threads threads beside each other, or, if these are more than paths and data
 * are large enough for threads inside a path, one after the other. Candidates, events and the first failure come in the
 * order of the paths, and the log and the cancel function are called by the calling thread alone. When a path is
 * stopped, so are those after it; candidates that they have made are kept. Each thread has memory for a path of its
 * own. */
dorm_status dorm__paths_train(const dorm__job *job, dorm__sink *sink, size_t count, dorm__path_function train,
                              const void *user);

#endif
