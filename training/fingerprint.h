/* fingerprint.h: what a checkpoint must agree with to be gone on from. */
#ifndef DORM_TRAINING_FINGERPRINT_H
#define DORM_TRAINING_FINGERPRINT_H

#include "training/job.h"

/* A hash of the settings that change the result, of the files that they name, and of the data; the same for any number
 * of processes where the data are dealt into shards. `validation` may be NULL. O(bytes of the data). */
dorm_status dorm__fingerprint(const dorm__job *job, const dorm_dataset *train, const dorm_dataset *validation,
                              uint64_t *fingerprint);

#endif
