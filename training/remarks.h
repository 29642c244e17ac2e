/* remarks.h: what a model says about how it was made. */
#ifndef DORM_TRAINING_REMARKS_H
#define DORM_TRAINING_REMARKS_H

#include "jobs/jobs.h"

/* Adds to the model, which was made of the marked candidates, one remark on how many were averaged, and one on each of
 * them: what it was trained with, its certificate, and its value on the validation data or in the folds. */
dorm_status dorm__remarks_add(dorm_context *context, const dorm_training *training, dorm_model *model);

#endif
