/*
 * fuzz.h: what the fuzz targets share. A target gives the bytes of an input to
 * one reader. If the input is good, it checks the result, mostly that it is the
 * same after it is written and read again. The targets are linked twice: with
 * libFuzzer (entry.c), and with replay.c, which any compiler builds.
 */
#ifndef DORM_TESTS_FUZZ_H
#define DORM_TESTS_FUZZ_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "data/data.h"
#include "jobs/jobs.h"
#include "models/models.h"
#include "settings/settings.h"
#include "solver/solver.h"
#include "tests/owned.h"
#include "training/training.h"

typedef struct fuzz_target {
  const char *name;
  void (*run)(dorm_context *context, const uint8_t *data, size_t size);
  size_t largest; /* longest input that is worth trying, in bytes */
} fuzz_target;

extern const fuzz_target *const fuzz_targets[]; /* ended by NULL */

/* The target of that name, or NULL. */
const fuzz_target *fuzz_find(const char *name);
/* Gives one input to the target. */
void fuzz_run(const fuzz_target *target, const uint8_t *data, size_t size);

/* ---- For targets ----------------------------------------------------------- */

typedef struct fuzz_text {
  const char *bytes;
  size_t size;
} fuzz_text;

/* Cuts off what is before the first line "%%". Without such a line the rest is
 * empty and its bytes are NULL. */
fuzz_text fuzz_cut(fuzz_text *rest);
/* A copy that ends with '\0'; freed by free. */
char *fuzz_string(fuzz_text text);
/* The path of `name` in a folder of this process, which is in memory if there is
 * /dev/shm. The result is one of a few static buffers. */
const char *fuzz_path(const char *name);
/* Writes the bytes to the file `name` of that folder and returns its path. */
const char *fuzz_write(const char *name, const void *bytes, size_t size);
/* Reads the bytes of a file; freed by free. */
fuzz_text fuzz_read(const char *path);
/* Ends the process with a message unless `good` is true. */
void fuzz_require(bool good, const char *what);
/* Ends the process unless the status is DORM_OK, or a failure with a message in the context. */
void fuzz_require_ok(dorm_context *context, dorm_status status, const char *what);
void fuzz_require_failure(dorm_context *context, dorm_status status);
/* Whether the status is DORM_OK; otherwise it has to be such a failure. */
bool fuzz_is_good(dorm_context *context, dorm_status status);
/* The defaults with these pairs of key and value set; `pairs` may be NULL. */
#define FUZZ_PAIRS(...) ((const char *[]){__VA_ARGS__, NULL})
dorm_settings *fuzz_settings(dorm_context *context, const char *const *pairs);
/* Reads position weights and checks that they do not increase. */
dorm_status fuzz_position_weights(dorm_context *context, const char *spec);
/* Writes the file "checkpoint": the frame of a whole one, these bytes and the right checksum (FNV-1a); or the whole one
 * with changes, of which each is two bytes for the place and one for the value. */
const char *fuzz_write_checkpoint(fuzz_text whole, bool is_changed, const uint8_t *data, size_t size);
/* x and y must have the same queries, labels, ids and values; y may lack a feature that is 0 everywhere. */
void fuzz_require_equal(const dorm_dataset *x, const dorm_dataset *y, const char *what);
/* A few documents with two features, or with none; made once, by the first call. */
const dorm_dataset *fuzz_small_data(bool has_features);

extern const fuzz_target fuzz_letor;
extern const fuzz_target fuzz_gzip;
extern const fuzz_target fuzz_cache;
extern const fuzz_target fuzz_checkpoint;
extern const fuzz_target fuzz_model;
extern const fuzz_target fuzz_config;
extern const fuzz_target fuzz_specs;
extern const fuzz_target fuzz_tables;
extern const fuzz_target fuzz_trec;
extern const fuzz_target fuzz_clicks;
extern const fuzz_target fuzz_groups;
extern const fuzz_target fuzz_ratings;
extern const fuzz_target fuzz_stream;

#endif
