/* runs.h: small tasks of all kinds for libdorm, for the tests that let calls fail while a task is executed. */
#ifndef DORM_TESTS_RUNS_H
#define DORM_TESTS_RUNS_H

#include "base/base.h"
#include "tests/owned.h"

/* A task: one of the two functions, the second with a text of settings. *result becomes a hash of all that the task
 * computes and writes. */
typedef struct fault_run {
  const char *name;
  dorm_status (*run)(dorm_context *context, uint64_t *result);
  dorm_status (*run_with)(dorm_context *context, const char *texts, uint64_t *result);
  const char *texts;
} fault_run;

dorm_status fault_run_once(const fault_run *of, dorm_context *context, uint64_t *result);
/* The runs of each file. The last has the name NULL. */
extern const fault_run fault_runs[];
extern const fault_run fault_training_runs[];
extern const fault_run fault_rating_runs[];
extern const fault_run fault_stream_runs[];
/* Calls `check` for every task of the lists and returns the sum of its results. */
size_t fault_run_all(size_t (*check)(const fault_run *run, long step), long step);

bool fault_prepare_ratings(dorm_context *context);
bool fault_prepare_streams(void);
/* Makes a folder with the files that the tasks read; if that fails, prints why and returns false. */
bool fault_prepare(void);
void fault_clean(void);
/* The path of a file in that folder ("" for the folder); one of a few static buffers. */
const char *fault_path(const char *name);

/* Writes `text` to a file of that folder. */
bool fault_write(const char *name, const char *text);
/* Settings with their defaults, changed by a text "key=value;key=value", in which $name is the path of a file. */
dorm_status fault_settings(dorm_context *context, const char *texts, dorm_settings **settings);
/* Artificial queries of five documents with three features. */
dorm_status fault_generate(dorm_context *context, size_t num_queries, uint64_t seed, dorm_dataset **dataset);
/* Settings for a short training. */
#define FAULT_SMALL "solver.C=1;solver.threads=1;ranking.rounds=1;ranking.reference=mu:1;"
/* Trains on generated data, writes the model to the file "written", and adds its hash to the result. */
dorm_status fault_train(dorm_context *context, const char *texts, uint64_t *result);
/* Adds a hash of the bytes of a file to the result. */
void fault_add_file(uint64_t *result, const char *name);
/* Does so if the status is DORM_OK, and returns it. */
dorm_status fault_wrote(dorm_status status, const char *name, uint64_t *result);

uint64_t fault_hash_file(const char *path);
/* While this is true, no call fails. */
extern bool fault_is_paused;

#endif
