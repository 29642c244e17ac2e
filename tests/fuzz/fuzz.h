/*
 * fuzz.h: what the fuzz targets share. A target takes the bytes of an input to
 * one reader and checks what a good input came to: written and read again it is
 * the same. The targets are linked twice: with libFuzzer (entry.c), and with a
 * driver of our own (replay.c) that any compiler builds.
 */
#ifndef DORM_TESTS_FUZZ_H
#define DORM_TESTS_FUZZ_H

#include "base/base.h"
#include "data/data.h"

typedef struct fuzz_target {
  const char *name;
  void (*run)(dorm_context *context, const uint8_t *data, size_t size);
  size_t largest; /* bytes of an input that are worth trying */
} fuzz_target;

extern const fuzz_target *const fuzz_targets[]; /* ended by NULL */

/* The target of that name, or NULL. */
const fuzz_target *fuzz_find(const char *name);
/* Runs it on one input. */
void fuzz_run(const fuzz_target *target, const uint8_t *data, size_t size);

/* ---- For targets ----------------------------------------------------------- */

typedef struct fuzz_text {
  const char *bytes;
  size_t size;
} fuzz_text;

/* Cuts off what stands before the first line "%%"; the rest is empty and its
 * bytes NULL when there is none. */
fuzz_text fuzz_cut(fuzz_text *rest);
/* A copy that ends with '\0'; freed by free. */
char *fuzz_string(fuzz_text text);
/* The path of `name` in a folder of this process, in memory where there is
 * /dev/shm. One of a few static buffers. */
const char *fuzz_path(const char *name);
/* Writes the bytes to it and returns its path. */
const char *fuzz_write(const char *name, const void *bytes, size_t size);
/* The bytes of a file; freed by free. */
fuzz_text fuzz_read(const char *path);
/* Ends the process with a message unless `good`. */
void fuzz_require(bool good, const char *what);
/* The same for a status, with the context's message; a failure has to have one. */
void fuzz_require_ok(dorm_context *context, dorm_status status, const char *what);
void fuzz_require_failure(dorm_context *context, dorm_status status);
/* Same queries, labels, ids and values; a feature that is 0 everywhere may be missing in y. */
void fuzz_require_equal(const dorm_dataset *x, const dorm_dataset *y, const char *what);
/* A few documents with two features, made once. */
const dorm_dataset *fuzz_small_data(void);

extern const fuzz_target fuzz_letor;
extern const fuzz_target fuzz_gzip;
extern const fuzz_target fuzz_cache;
extern const fuzz_target fuzz_checkpoint;
extern const fuzz_target fuzz_model;
extern const fuzz_target fuzz_config;
extern const fuzz_target fuzz_specs;
extern const fuzz_target fuzz_tables;
extern const fuzz_target fuzz_trec;
extern const fuzz_target fuzz_groups;
extern const fuzz_target fuzz_ratings;

#endif
