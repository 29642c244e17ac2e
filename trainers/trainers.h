/*
 * trainers.h: the trainers that training.trainer names. Each makes candidates from the rows of a job.
 *
 * Reading order: combinations, bounds, ridge, path, parallel, svm, smooth, adarank, tree_choices, tree_start, forest,
 * trees, nets, trainers.
 */
#ifndef DORM_TRAINERS_TRAINERS_H
#define DORM_TRAINERS_TRAINERS_H

#include "jobs/jobs.h"

extern const dorm__trainer dorm__svm_trainer;
extern const dorm__trainer dorm__ridge_trainer;
extern const dorm__trainer dorm__smooth_trainer;
extern const dorm__trainer dorm__adarank_trainer;
extern const dorm__trainer dorm__trees_trainer;
extern const dorm__trainer dorm__net_trainer;

/* All trainers above, in this order, followed by NULL. */
extern const dorm__trainer *const dorm__trainers[];

/* ---- Parallel runs ---------------------------------------------------------------- */

/* Trains run number `index` by this job, and hands its candidates to this sink. A run is one path of svm or one
 * ensemble of trees. Several threads call the function at the same time, so it must only read *user. */
typedef dorm_status (*dorm__run_function)(const dorm__job *job, dorm__sink *sink, size_t index, const void *user);

/* Makes `count` runs in parallel on job->num_run_threads threads. Makes them one after the other if a pass over the
 * data uses more threads (job->num_threads) than there are runs. Candidates and events reach `sink` and the log in the
 * order of the runs. Returns the status of the first run that failed. Only the calling thread calls the log and the
 * cancel function. If a run returns DORM_STOPPED, the later runs stop too. Their finished candidates are kept, except
 * in a cross-validation. Each thread needs the memory of one run. */
dorm_status dorm__parallel_train(const dorm__job *job, dorm__sink *sink, size_t count, dorm__run_function train,
                                 const void *user);

#endif
