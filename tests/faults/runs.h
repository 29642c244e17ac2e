/* runs.h: small runs of everything in libdorm, for tests that make something fail on the way. */
#ifndef DORM_TESTS_RUNS_H
#define DORM_TESTS_RUNS_H

#include "data/data.h"

typedef struct fault_run {
  const char *name;
  dorm_status (*run)(dorm_context *context, uint64_t *result); /* *result: a hash of what it writes */
} fault_run;

extern const fault_run fault_runs[]; /* ended by a NULL name */

/* Makes a folder with the files that the runs read; false with a message. */
bool fault_prepare(void);
void fault_clean(void);
/* The path of a file in that folder ("" for the folder); one of a few static buffers. */
const char *fault_path(const char *name);

uint64_t fault_hash_file(const char *path);
/* While that works, nothing shall fail. */
extern bool fault_is_paused;

#endif
