/* linear_start.h: linear functions of rows at which trainings of nets and trees may start. */
#ifndef DORM_TRAINERS_LINEAR_START_H
#define DORM_TRAINERS_LINEAR_START_H

#include "jobs/jobs.h"

/* Whether word `index` of a setting such as net.start names a linear function, ridge or file:<path>. */
bool dorm__linear_start_is(const dorm__job *job, dorm__setting setting, size_t index);
/* w [num_features of the rows] becomes that function: the first ridge regression that the SVM starts from, or the
 * linear part of a model from a file, which has to fit the rows. *spread becomes the standard deviation within queries
 * of its scores on `features`, the training rows; λ-functions look at differences of scores, so that callers divide by
 * it. */
dorm_status dorm__linear_start(const dorm__job *job, const dorm__training_rows *rows, const dorm__features *features,
                               dorm__setting setting, size_t index, double *w, double *spread);

#endif
