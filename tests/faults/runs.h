/* runs.h: small runs of everything in libdorm, for tests that make something fail on the way. */
#ifndef DORM_TESTS_RUNS_H
#define DORM_TESTS_RUNS_H

#include "base/base.h"

typedef struct fault_run {
  const char *name;
  dorm_status (*run)(dorm_context *context, uint64_t *result); /* *result: a hash of what it writes */
} fault_run;

extern const fault_run fault_runs[];        /* ended by a NULL name */
extern const fault_run fault_rating_runs[]; /* ratings_runs.c, likewise */
/* All of both, one after the other; the sum of what `check` returns. */
size_t fault_run_all(size_t (*check)(const fault_run *run, long step), long step);

bool fault_prepare_ratings(dorm_context *context);
/* Makes a folder with the files that the runs read; false with a message. */
bool fault_prepare(void);
void fault_clean(void);
/* The path of a file in that folder ("" for the folder); one of a few static buffers. */
const char *fault_path(const char *name);

/* Writes `text` there. */
bool fault_write(const char *name, const char *text);
/* The defaults with "key=value;key=value" set. */
dorm_status fault_settings(dorm_context *context, const char *texts, dorm_settings **settings);
/* A hash of a file's bytes goes into the result. */
void fault_add_file(uint64_t *result, const char *name);

uint64_t fault_hash_file(const char *path);
/* While that works, nothing shall fail. */
extern bool fault_is_paused;

#endif
