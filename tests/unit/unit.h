/* unit.h: what the unit tests share. A file exports one suite; main.c lists them. */
#ifndef DORM_TESTS_UNIT_H
#define DORM_TESTS_UNIT_H

#include <CUnit/CUnit.h>

#include "base/base.h"
#include "data/data.h"
#include "training/candidates.h"

typedef struct unit_test {
  const char *name;
  CU_TestFunc run;
} unit_test;

typedef struct unit_suite {
  const char *name;
  const unit_test *tests; /* ended by a NULL name */
} unit_suite;

extern const unit_suite base_suite;
extern const unit_suite settings_suite;
extern const unit_suite linalg_suite;
extern const unit_suite data_suite;
extern const unit_suite features_suite;
extern const unit_suite model_file_suite;
extern const unit_suite model_parts_suite;
extern const unit_suite reading_suite;
extern const unit_suite query_reader_suite;
extern const unit_suite extremes_suite;
extern const unit_suite solver_suite;
extern const unit_suite training_suite;
extern const unit_suite checkpoints_suite;
extern const unit_suite paths_suite;
extern const unit_suite selection_suite;
extern const unit_suite certificates_suite;
extern const unit_suite start_suite;
extern const unit_suite passes_suite;
extern const unit_suite positions_suite;
extern const unit_suite processes_suite;
extern const unit_suite team_suite;
extern const unit_suite stream_suite;
extern const unit_suite oracle_suite;
extern const unit_suite merge_suite;
extern const unit_suite greedy_suite;
extern const unit_suite losses_suite;
extern const unit_suite loss_modules_suite;
extern const unit_suite structured_losses_suite;
extern const unit_suite structured_training_suite;
extern const unit_suite measures_suite;
extern const unit_suite comparison_suite;
extern const unit_suite field_files_suite;
extern const unit_suite kernels_suite;
extern const unit_suite kernel_factors_suite;
extern const unit_suite kernel_training_suite;
extern const unit_suite kernel_modules_suite;
extern const unit_suite groups_suite;
extern const unit_suite diversity_suite;
extern const unit_suite diverse_training_suite;
extern const unit_suite ratings_suite;
extern const unit_suite rating_features_suite;
extern const unit_suite rating_kernels_suite;
extern const unit_suite factorization_suite;
extern const unit_suite factors_suite;
extern const unit_suite trainers_suite;
extern const unit_suite lambdas_suite;
extern const unit_suite lambda_costs_suite;
extern const unit_suite lambda_check_suite;
extern const unit_suite lambda_texts_suite;
extern const unit_suite normalisations_suite;
extern const unit_suite trees_suite;
extern const unit_suite boosting_suite;
extern const unit_suite grow_suite;
extern const unit_suite tree_training_suite;
extern const unit_suite committee_suite;
extern const unit_suite blend_suite;
extern const unit_suite nets_suite;
extern const unit_suite missing_suite;
extern const unit_suite explain_suite;
extern const unit_suite probe_suite;
extern const unit_suite export_suite;
extern const unit_suite arguments_suite;
extern const unit_suite arrays_suite;
extern const unit_suite own_losses_suite;
extern const unit_suite weights_suite;
extern const unit_suite document_weights_suite;
extern const unit_suite weight_files_suite;
extern const unit_suite shares_suite;
extern const unit_suite clicks_suite;
extern const unit_suite propensities_suite;

/* A fresh context; fails the test and returns NULL when there is none. */
dorm_context *unit_context(void);
/* Checks that `status` is `expected` and, when text is given, that the
 * context's message contains it; prints what it saw otherwise. */
#define UNIT_FAILS(context, status, expected, text) unit_fails((context), (status), (expected), (text), __LINE__)
void unit_fails(dorm_context *context, dorm_status status, dorm_status expected, const char *text, int line);
#define UNIT_OK(context, status) UNIT_FAILS((context), (status), DORM_OK, NULL)
/* The weights of the linear part of the model that a training returned. */
const double *unit_weights(const dorm_training *training);
/* A data set of one query of these labels, without features. */
dorm_dataset *unit_one_query(dorm_context *context, size_t num_docs, const double *labels);
/* A data set of this LETOR text. */
dorm_dataset *unit_read_text(dorm_context *context, const char *text);
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
