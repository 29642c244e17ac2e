/* fingerprint.h: what must be the same for a training to go on from a checkpoint. */
#ifndef DORM_JOBS_FINGERPRINT_H
#define DORM_JOBS_FINGERPRINT_H

#include "jobs/job.h"

/* A hash of the settings that change the result, of the files that they, the loss and the kernels name, and of the
 * data. Where the data are dealt into shards, all processes call this, and it is the same for any number of them;
 * elsewhere the number of threads is in it too. `validation` may be NULL. O(bytes of the data and of the files). */
dorm_status dorm__fingerprint(const dorm__job *job, const dorm_dataset *train, const dorm_dataset *validation,
                              uint64_t *fingerprint);
/* Adds the bytes of the file that a setting names to *(uint64_t *)hash. Skips files of data.*, which are hashed as data
 * sets, and files of output.*, which are results. A dorm__settings_take_path. */
dorm_status dorm__fingerprint_add_file(void *hash, dorm__setting setting, const char *path);

#endif
