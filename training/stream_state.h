/* stream_state.h: the checkpoint from which a training on a stream goes on. */
#ifndef DORM_TRAINING_STREAM_STATE_H
#define DORM_TRAINING_STREAM_STATE_H

#include "training/stream_call.h"

void dorm__running_add(dorm__running *running, double value);
/* NaN for fewer than two values. */
double dorm__running_error(const dorm__running *running);

/* Writes the checkpoint that output.checkpoint names, if it names one. */
dorm_status dorm__stream_state_save(const dorm__stream_call *call);
/* Reads it where output.resume = yes and the file is there; refuses to replace one that is not to be replaced.
 * *is_there says whether one was read. */
dorm_status dorm__stream_state_read(dorm__stream_call *call, bool *is_there);

#endif
