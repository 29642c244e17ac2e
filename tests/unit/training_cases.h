/* training_cases.h: data and settings for the tests of dorm_train. */
#ifndef DORM_TESTS_TRAINING_CASES_H
#define DORM_TESTS_TRAINING_CASES_H

#include "solver/solver.h"

enum { TRAINING_WIDTH = 4, TRAINING_MOST_QUERIES = 60, TRAINING_MOST_DOCS = 12 };

/* Labels rise with feature 1 and fall with features 2 and 3. The first two
 * queries have labels that are all equal and train nothing. Values are
 * multiples of 1/16, so that shifted by whole numbers they are still exact. */
dorm_dataset *training_random_data(dorm_context *context, uint64_t seed, size_t num_queries, size_t num_docs,
                                   bool is_shifted);
/* Queries of 20 documents with 6 features. */
dorm_dataset *training_artificial_data(dorm_context *context, uint64_t seed, size_t num_queries);
/* Pairs of key and value, ended by NULL, on top of one convex problem of plain
 * values. */
dorm_settings *training_settings(dorm_context *context, const char *const *pairs);
/* Trains with them; the status is to be `expected`. */
dorm_training *training_run(dorm_context *context, const char *const *pairs, dorm_status expected,
                            const dorm_dataset *train, const dorm_dataset *validation);
const dorm_certificate *training_certificate(const dorm_training *training, size_t index);

#endif
