/* clicks_cases.h: data and logs that tests of clicks share. */
#ifndef DORM_TESTS_CLICKS_CASES_H
#define DORM_TESTS_CLICKS_CASES_H

#include "clicks/clicks.h"

/* Three queries of 3, 2 and 1 documents, the last one never shown. */
extern const char clicks_data_text[];

dorm_clicks *clicks_read_log(dorm_context *context, const dorm_dataset *dataset, const char *text);
/* Artificial data of 5 features. */
dorm_dataset *clicks_make_data(dorm_context *context, size_t num_queries, size_t num_docs);
/* Scores [num_docs] that have little to do with labels; `by` makes them different. */
void clicks_fill_scores(const dorm_dataset *dataset, double by, double *scores);

#endif
