/*
 * trainers.h: the trainers that training.trainer names. Each makes candidates of the rows of a job.
 *
 * Reading order: combinations, bounds, ridge, path, parallel, svm, lambda_list, smooth, adarank, linear_start,
 * tree_choices, tree_start, forest, trees, nets, trainers.
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

/* All of them, ended by NULL. */
extern const dorm__trainer *const dorm__trainers[];

/* ---- Parallel runs ---------------------------------------------------------------- */

/* Makes the candidates of run number `index`, one path of svm or one ensemble of trees, with the given job and sink.
 * Several threads call it at the same time, so it must only read *user. */
typedef dorm_status (*dorm__run_function)(const dorm__job *job, dorm__sink *sink, size_t index, const void *user);

/* Makes `count` runs in parallel on job->num_run_threads threads. Makes them one after the other if there are more
 * threads than runs and the data are large enough for threads inside a run. Candidates, events and the first failure
 * come in the order of the runs. Only the calling thread calls the log and the cancel function. When a run is stopped,
 * the later runs stop too, and their finished candidates are kept. Each thread has memory for a run of its own. */
dorm_status dorm__parallel_train(const dorm__job *job, dorm__sink *sink, size_t count, dorm__run_function train,
                                 const void *user);

#endif
