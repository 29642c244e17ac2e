/* unit.h: macros, helpers and headers that the unit tests share. */
#ifndef DORM_TESTS_UNIT_H
#define DORM_TESTS_UNIT_H

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/random.h"
#include "data/data.h"
#include "jobs/jobs.h"
#include "tests/owned.h"

typedef struct unit_test {
  const char *name;
  const char *file;
  int line;
  CU_TestFunc run;
} unit_test;

/* Defines a test. It is a pointer in the section unit_tests, in which main.c finds it; the file NAME_test.c is its
 * suite. */
#define UNIT_TEST(function)                                                                                            \
  static void function(void);                                                                                          \
  static const unit_test unit_##function = {#function, __FILE__, __LINE__, function};                                  \
  static const unit_test *const unit_entry_##function __attribute__((section("unit_tests"), used)) = &unit_##function; \
  static void function(void)

/* The same with a context, which is freed after the test. */
#define UNIT_TEST_IN(context, function)                                                                                \
  static void unit_in_##function(dorm_context *context);                                                               \
  UNIT_TEST(function)                                                                                                  \
  {                                                                                                                    \
    DORM__OWNED(dorm_context) *made = unit_context();                                                                  \
    unit_in_##function(made);                                                                                          \
  }                                                                                                                    \
  static void unit_in_##function(dorm_context *context)

/* A fresh context; fails the test and returns NULL when there is none. */
dorm_context *unit_context(void);
/* Checks that `status` is `expected` and, when text is given, that the
 * context's message contains it; prints what it saw otherwise. A status that had to be DORM_OK ends the test. */
#define UNIT_FAILS(context, status, expected, text) unit_fails((context), (status), (expected), (text), __LINE__)
void unit_fails(dorm_context *context, dorm_status status, dorm_status expected, const char *text, int line);
#define UNIT_OK(context, status) UNIT_FAILS((context), (status), DORM_OK, NULL)
/* The weights of the linear part of the model that a training returned. */
const double *unit_weights(const dorm_training *training);
/* A data set of one query of these labels, without features. */
dorm_dataset *unit_one_query(dorm_context *context, size_t num_docs, const double *labels);
/* A data set of this LETOR text. */
dorm_dataset *unit_read_text(dorm_context *context, const char *text);
/* Pairs of key and value as an array that NULL ends. It lives as long as the block in which it is made. */
#define UNIT_PAIRS(...) ((const char *[]){__VA_ARGS__, NULL})
/* Checks that a model which is written and read scores as before, bit for bit. */
void unit_reads_back(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset);
/* Checks that the text of a model is refused as bad data, with this text in the message. */
void unit_refuses_model(dorm_context *context, const char *text, const char *message);
/* The defaults with these pairs of key and value set. */
dorm_settings *unit_settings(dorm_context *context, const char *const pairs[][2], size_t count);
/* All rankings of five documents, [position]. */
enum { UNIT_RANKINGS_OF_FIVE = 120 };
void unit_rankings_of_five(uint32_t rankings[UNIT_RANKINGS_OF_FIVE][5]);
/* |x - y| <= tolerance * max(1, |x|, |y|) */
bool unit_close(double x, double y, double tolerance);
/* Seed of random tests: DORM_TEST_SEED from the environment, or a fixed one;
 * printed by main. */
uint64_t unit_seed(void);
/* Writes `text` into a fresh temporary file and returns its path (static until
 * the next call). */
const char *unit_temporary_file(const char *text);
/* Compiles tests/plugins/<source> by one line, with the installed headers'
 * folder and nothing of the library, into a file in the working folder.
 * `definition` is "" or "-DSOMETHING". Undefined symbols are errors. */
void unit_compile_module(const char *source, const char *definition, char path[64]);

#endif
