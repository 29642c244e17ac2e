/* unit.h: what the unit tests share. A file exports one suite; main.c lists them. */
#ifndef DORM_TESTS_UNIT_H
#define DORM_TESTS_UNIT_H

#include <CUnit/CUnit.h>

#include "base/base.h"

typedef struct unit_test {
  const char *name;
  CU_TestFunc run;
} unit_test;

typedef struct unit_suite {
  const char *name;
  const unit_test *tests; /* ended by a NULL name */
} unit_suite;

extern const unit_suite base_suite;
extern const unit_suite data_suite;
extern const unit_suite reading_suite;
extern const unit_suite extremes_suite;
extern const unit_suite solver_suite;
extern const unit_suite training_suite;
extern const unit_suite passes_suite;
extern const unit_suite oracle_suite;
extern const unit_suite merge_suite;
extern const unit_suite losses_suite;
extern const unit_suite loss_modules_suite;
extern const unit_suite structured_losses_suite;
extern const unit_suite structured_training_suite;
extern const unit_suite measures_suite;
extern const unit_suite comparison_suite;
extern const unit_suite field_files_suite;
extern const unit_suite kernels_suite;
extern const unit_suite groups_suite;
extern const unit_suite diversity_suite;
extern const unit_suite ratings_suite;
extern const unit_suite factorization_suite;
extern const unit_suite kernel_modules_suite;

/* A fresh context; fails the test and returns NULL when there is none. */
dorm_context *unit_context(void);
/* Checks that `status` is `expected` and, when text is given, that the
 * context's message contains it; prints what it saw otherwise. */
#define UNIT_FAILS(context, status, expected, text) unit_fails((context), (status), (expected), (text), __LINE__)
void unit_fails(dorm_context *context, dorm_status status, dorm_status expected, const char *text, int line);
#define UNIT_OK(context, status) UNIT_FAILS((context), (status), DORM_OK, NULL)
/* A data set of one query of these labels, without features. */
dorm_dataset *unit_one_query(dorm_context *context, size_t num_docs, const double *labels);
/* |x - y| <= tolerance * max(1, |x|, |y|) */
bool unit_close(double x, double y, double tolerance);
/* Seed of random tests: DORM_TEST_SEED from the environment, or a fixed one;
 * printed by main. */
uint64_t unit_seed(void);
/* The folder of the test data (srcdir aware). */
const char *unit_data_path(const char *name);
/* Writes `text` into a fresh temporary file and returns its path (static until
 * the next call). */
const char *unit_temporary_file(const char *text);
/* Compiles tests/plugins/<source> by one line, with the installed headers'
 * folder and nothing of the library, into a file in the working folder.
 * `definition` is "" or "-DSOMETHING". Undefined symbols are errors. */
void unit_compile_module(const char *source, const char *definition, char path[64]);

#endif
