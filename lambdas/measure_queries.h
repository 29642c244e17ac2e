/* measure_queries.h: the queries of a target that is a measure. */
#ifndef DORM_LAMBDAS_MEASURE_QUERIES_H
#define DORM_LAMBDAS_MEASURE_QUERIES_H

#include "base/base.h"
#include "data/data.h"
#include "lambdas/measure_tables.h"
#include "lambdas/target.h"

/* What the queries of a measure point into. */
typedef struct dorm__measure_arrays {
  double *tables;          /* a and b: [2][num_docs of the data set] */
  double *entries;         /* gains and chances: [2][entries of the data set's subtopics]; NULL: no such form */
  uint32_t *group_numbers; /* [entries of the data set's groups]; NULL: groups do not count */
} dorm__measure_arrays;

/* Fills the queries [num_queries] of a data set, which has what the measure needs; subtopics and groups are borrowed
 * from it. `text` names the measure in messages. The arrays are to be cleared also on failure. */
dorm_status dorm__measure_queries_fill(dorm_context *context, const char *text, const dorm__measure_tables *kind,
                                       const dorm__measure_rules *rules, const dorm_dataset *dataset,
                                       dorm__measure_arrays *arrays, dorm__target_query *queries);
void dorm__measure_arrays_clear(dorm__measure_arrays *arrays);
/* The weight of the first position times the smallest difference of two documents' gains, of a measure or a loss.
 * scratch [num_docs + 1]. */
double dorm__target_unit(const dorm__target_query *query, dorm__target_form form, double *scratch);

#endif
