/*
 * trainers.h: the trainers that training.trainer names. Each makes candidates of the rows of a job.
 *
 * Reading order: combinations, bounds, ridge, path, paths, svm, lambda_list, smooth, adarank, linear_start,
 * tree_choices, tree_start, trees, nets, trainers.
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

#endif
