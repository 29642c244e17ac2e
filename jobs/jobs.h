/*
 * jobs.h: the parts of a call of dorm_train. A job has the settings, with values in place of auto, and the trainers. A
 * grid is one pair of data sets on which they train. Rows are the data under one feature map. The sink measures and
 * keeps candidates. A checkpoint has the candidates of an earlier call.
 *
 * Reading order: trainer, options, job, job_answers, earlier, candidates, fold_sums, grid, rows, sink,
 * ridge_regression, fingerprint, checkpoint.
 */
#ifndef DORM_JOBS_JOBS_H
#define DORM_JOBS_JOBS_H

#include "jobs/candidates.h"
#include "jobs/checkpoint.h"
#include "jobs/grid.h"
#include "jobs/job.h"
#include "jobs/rows.h"
#include "jobs/trainer.h"

#endif
