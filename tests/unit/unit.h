/* unit.h: macros, helpers and headers that the unit tests share. */
#ifndef DORM_TESTS_UNIT_H
#define DORM_TESTS_UNIT_H

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/linalg.h"
#include "clicks/clicks.h"
#include "jobs/jobs.h"
#include "policies/policies.h"
#include "tests/owned.h"
#include "training/training.h"

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

/* The same with random numbers too, of unit_random(0). */
#define UNIT_TEST_DRAWN(context, random, function)                                                                     \
  static void unit_drawn_##function(dorm_context *context, dorm__random *random);                                      \
  UNIT_TEST_IN(given, function)                                                                                        \
  {                                                                                                                    \
    dorm__random made = unit_random(0);                                                                                \
    unit_drawn_##function(given, &made);                                                                               \
  }                                                                                                                    \
  static void unit_drawn_##function(dorm_context *context, dorm__random *random)

/* A fresh context; fails the test and returns NULL when there is none. */
dorm_context *unit_context(void);
/* Checks that `status` is `expected` and, when text is given, that the
 * context's message contains it; prints what it saw otherwise. A status that had to be DORM_OK ends the test. */
#define UNIT_FAILS(context, status, expected, text) unit_fails((context), (status), (expected), (text), __LINE__)
void unit_fails(dorm_context *context, dorm_status status, dorm_status expected, const char *text, int line);
#define UNIT_OK(context, status) UNIT_FAILS((context), (status), DORM_OK, NULL)
/* The same for a call that has to be refused, with `context`. */
#define UNIT_BAD_DATA(call, text)  UNIT_FAILS(context, (call), DORM_BAD_DATA, (text))
#define UNIT_BAD_USAGE(call, text) UNIT_FAILS(context, (call), DORM_BAD_USAGE, (text))

/* Texts for an array, which clang-format puts side by side. */
#define UNIT_TEXTS(...)                                                                                                \
  {                                                                                                                    \
    __VA_ARGS__                                                                                                        \
  }

/* A refused call, and a text that its message contains. */
typedef struct unit_refusal {
  const char *given, *message;
} unit_refusal;

/* ---- Numbers ---------------------------------------------------------------------------- */

/* |x - y| <= tolerance * max(1, |x|, |y|) */
bool unit_close(double x, double y, double tolerance);
/* Checks that; prints both otherwise, the second time with what they are of. */
#define UNIT_CLOSE(x, y, tolerance)          unit_check_close((x), (y), (tolerance), "numbers", __LINE__)
#define UNIT_CLOSE_OF(what, x, y, tolerance) unit_check_close((x), (y), (tolerance), (what), __LINE__)
void unit_check_close(double x, double y, double tolerance, const char *what, int line);
/* Seed of random tests: DORM_TEST_SEED from the environment, or a fixed one; printed by main. */
uint64_t unit_seed(void);
/* Number of random cases of the tests of check-long: DORM_TEST_LONG from the environment, or what it is otherwise. */
size_t unit_long_count(size_t otherwise);
/* A generator that is seeded by unit_seed() + offset. */
dorm__random unit_random(uint64_t offset);
/* Zeros, which the caller frees by dorm__free. The test ends if there is no memory. */
void *unit_alloc(size_t count, size_t size);
/* Fills order[count] with the ranking of this number; false if there are no more than that. */
bool unit_ranking(size_t count, size_t number, uint32_t *order);
/* The ranking by falling scores, ties in the order of the documents. */
void unit_sort_by(size_t count, const double *scores, uint32_t *order);
/* All rankings of five documents, [position]. */
enum { UNIT_RANKINGS_OF_FIVE = 120 };
void unit_rankings_of_five(uint32_t rankings[UNIT_RANKINGS_OF_FIVE][5]);

/* ---- Texts and files --------------------------------------------------------------------- */

/* A text as printf makes it, of less than 512 bytes, which stays until 64 others were made. For one thread. */
const char *unit_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes `text` into a fresh temporary file and returns its path. The file is removed when many others were made after
 * it, or when the tests end, and then also files whose names begin with its path. */
const char *unit_temporary_file(const char *text);
void unit_write_file(const char *path, const void *bytes, size_t size);
/* The bytes of a file and a '\0', which the caller frees by dorm__free; `size` may be NULL. */
char *unit_read_file(const char *path, size_t *size);
/* Compiles tests/plugins/<source> by one line, with the installed headers' folder and nothing of the library, into a
 * file in the working folder, which the next call replaces. Returns its path. `definition` is "" or "-DSOMETHING".
 * Undefined symbols are errors. */
const char *unit_compile_module(const char *source, const char *definition);
/* The fault that modules made of plugins/bad*.c have from now on; NULL: none. */
void unit_set_fault(const char *fault);

/* ---- Data ------------------------------------------------------------------------------- */

/* The data set of these arrays. */
dorm_dataset *unit_dataset(dorm_context *context, size_t num_queries, const size_t *query_start, size_t num_features,
                           const double *labels, const float *values);
/* The same if all queries have `num_docs` documents. */
dorm_dataset *unit_even_dataset(dorm_context *context, size_t num_queries, size_t num_docs, size_t num_features,
                                const double *labels, const float *values);
/* A copy of dense data in which the zeros are left out. */
dorm_dataset *unit_sparse_copy(dorm_context *context, const dorm_dataset *dense);
/* A data set of one query of these labels, without features. */
dorm_dataset *unit_one_query(dorm_context *context, size_t num_docs, const double *labels);
/* A data set of this LETOR text. */
dorm_dataset *unit_read_text(dorm_context *context, const char *text);
/* The data set of a file; `options` may be NULL. */
dorm_dataset *unit_read(dorm_context *context, const char *path, const dorm_read_options *options);
/* Copies of these queries. */
dorm_dataset *unit_gather(dorm_context *context, size_t count, const dorm__query_of *queries);
/* Artificial data of `num_docs` documents a query. */
dorm_dataset *unit_artificial(dorm_context *context, size_t num_queries, size_t num_docs, size_t num_features,
                              double noise, uint64_t model_seed, uint64_t data_seed);
/* Whether `part` holds queries of `whole` from `first` on: the same ids, labels, weights and values. A feature that one
 * of them lacks is 0 in the other. */
bool unit_is_part(const dorm_dataset *part, const dorm_dataset *whole, size_t first);
dorm__loss *unit_loss(dorm_context *context, const char *spec);
dorm__loss_tables *unit_tables(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                               size_t num_threads);
dorm__measure *unit_measure(dorm_context *context, const char *spec);
dorm__kernel *unit_kernel(dorm_context *context, const char *expression);
dorm__oracle_workspace *unit_workspace(dorm_context *context, size_t most_docs);
dorm__oracle_plan *unit_plan(dorm_context *context, dorm__oracle_method method, size_t num_docs, const double *a,
                             const double *b, const double *c);
/* The mean of the measure over the queries. */
double unit_evaluate(dorm_context *context, const char *measure, const dorm_dataset *dataset, const double *scores);

/* ---- Settings, trainings and models ----------------------------------------------------- */

/* Pairs of key and value as an array that NULL ends. It lives as long as the block in which it is made. */
#define UNIT_PAIRS(...) ((const char *[]){__VA_ARGS__, NULL})
/* The defaults with these pairs set; NULL means no pairs. */
dorm_settings *unit_defaults(dorm_context *context, const char *const *pairs);
/* The same with the trainer svm. */
dorm_settings *unit_svm(dorm_context *context, const char *const *pairs);
/* Trains, which has to end well. `validation` may be NULL. */
dorm_training *unit_train(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train,
                          const dorm_dataset *validation);
/* For dorm_context_set_cancel: stops when it was asked *(int *)left times. */
int unit_stop_after(void *left);
/* Trains with settings that resume, stopping after `first` questions, one more and so on, and after `first` again when
 * it was `spread` times; until the training ends. */
dorm_training *unit_train_by_stops(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train,
                                   const dorm_dataset *validation, int first, int spread);
/* The weights of the linear part of the model that a training returned. */
const double *unit_weights(const dorm_training *training);
/* A model of this feature map, without parts; `settings` may be NULL. */
dorm_model *unit_model(dorm_context *context, const dorm__feature_map *map, const dorm_settings *settings);
void unit_add_linear(dorm_context *context, dorm_model *model, const double *weights, double rank_block, double weight);
void unit_add_kernel(dorm_context *context, dorm_model *model, const dorm__kernel_factor *factor,
                     const double *weights);
/* The standard deviation of scores within queries. */
double unit_spread(const dorm_dataset *dataset, const double *scores);
/* Whether the linear parts of the models that two trainings returned are the same bit for bit. */
bool unit_same_weights(const dorm_training *one, const dorm_training *two);
/* The scores of a data set by a model, which the caller frees by dorm__free. */
double *unit_scores(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset);
/* The model that this text describes. */
dorm_model *unit_read_model(dorm_context *context, const char *text);
/* Checks that a model which is written and read scores as before, bit for bit. */
void unit_reads_back(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset);
/* Checks that the text of a model is refused as bad data, with this text in the message. */
void unit_refuses_model(dorm_context *context, const char *text, const char *message);

#endif
