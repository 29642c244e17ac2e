/* clicks_cases.h: data and logs that tests of clicks share. */
#ifndef DORM_TESTS_CLICKS_CASES_H
#define DORM_TESTS_CLICKS_CASES_H

#include "tests/unit/unit.h"

/* Three queries of 3, 2 and 1 documents, the last one never shown. */
extern const char clicks_data_text[];

dorm_clicks *clicks_read_log(dorm_context *context, const dorm_dataset *dataset, const char *text);
/* Users of these rankers, whose clicks are merged: `epsilon` is 0.1. */
dorm_click_simulation clicks_users(size_t num_impressions, double eta, size_t num_rankers, const double *const *scores);
dorm_clicks *clicks_simulate(dorm_context *context, const dorm_dataset *dataset, const dorm_click_simulation *users);
void clicks_set(dorm_context *context, dorm_clicks *clicks, const dorm_dataset *dataset, dorm_click_options options);
/* How many documents of its query, which has num_docs, have higher scores than a document. */
size_t clicks_rank(size_t num_docs, const double *scores, size_t doc);
/* The true DCG of the first `top` positions: the mean over queries of num_docs documents. */
double clicks_true_dcg(const dorm_dataset *dataset, size_t num_docs, const double *scores, size_t top);
/* Artificial data of 5 features. */
dorm_dataset *clicks_make_data(dorm_context *context, size_t num_queries, size_t num_docs);
/* Scores [num_docs] that have little to do with labels; `by` makes them different. */
void clicks_fill_scores(const dorm_dataset *dataset, double by, double *scores);

#endif
