/* earlier.h: the earlier model that a training goes on from (data.from). */
#ifndef DORM_JOBS_EARLIER_H
#define DORM_JOBS_EARLIER_H

#include "jobs/rows.h"

/* Reads the model of data.from, where there is one, into job->from, and gives data.normalisation and data.rank_block
 * the values of that model. Fails where they were given other values, or where a trainer of the job cannot go on from a
 * model. */
dorm_status dorm__earlier_open(dorm__job *job);
/* A copy of the map of job->from, without a rank block. Fails where the data set has a feature among those of
 * data.features that the model lacks. */
dorm_status dorm__earlier_map(const dorm__job *job, const dorm_dataset *dataset, dorm__feature_map *map);
/* The rank block of what the model is made of, 0 where it has none. */
double dorm__earlier_rank_block(const dorm_model *model);
/* w [width of the rows]: the weights of the linear part of a model, 0 for features that it lacks. They give rows of
 * another rank block the same scores; rows without one lose the weights of the ranks. */
void dorm__earlier_weights(const dorm__training_rows *rows, const dorm_model *model, double *w);

#endif
