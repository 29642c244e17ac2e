/* paths.h: trains several paths at the same time, and hands over what they make as if one had followed the other. */
#ifndef DORM_TRAINERS_PATHS_H
#define DORM_TRAINERS_PATHS_H

#include "jobs/jobs.h"

/* Trains path number `index` of the job that it is given into the sink that it is given. Several threads call it at the
 * same time, so that it only reads what `user` points to. */
typedef dorm_status (*dorm__path_function)(const dorm__job *job, dorm__sink *sink, size_t index, const void *user);

/* Trains `count` paths on job->num_path_threads threads. Candidates, events and the first failure come in the order of
 * the paths, and the log and the cancel function are called by the calling thread alone. When a path is stopped, so are
 * those after it; candidates that they have made are kept. Each thread has memory for a path of its own. */
dorm_status dorm__paths_train(const dorm__job *job, dorm__sink *sink, size_t count, dorm__path_function train,
                              const void *user);

#endif
