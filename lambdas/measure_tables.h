/* measure_tables.h: the tables of a measure for one query. */
#ifndef DORM_LAMBDAS_MEASURE_TABLES_H
#define DORM_LAMBDAS_MEASURE_TABLES_H

#include "lambdas/target.h"

/* A query whose tables are filled. All arrays but `scratch` and judgements are [num_docs]. */
typedef struct dorm__table_query {
  const dorm__conventions *rules;
  const double *labels, *ideal; /* of the documents, and of an ideal ranking */
  double *a, *b;                /* 0 at first, and so where positions and documents have no value */
  const double *judgements;     /* in the subtopic form, by entry */
  double *scratch;              /* in the subtopic form, [num_docs + subtopics] */
  dorm__target_query *made;     /* depth is the truncation at first */
} dorm__table_query;

/* A measure that has tables. */
typedef struct dorm__measure_tables {
  const char *name;
  dorm__target_form form;
  /* Fills a, b and, in `made`, depth, scale and num_levels. In the subtopic form fills a and, in `made`, depth and the
   * gains and chances of the subtopics, and reads no other fields of them. */
  void (*fill)(const dorm__table_query *query);
  bool weighs;       /* b is a gain, so a document's weight can multiply it */
  bool has_ideal;    /* an ideal ranking is worth 1, also with weights (for eru see the rules) */
  bool is_of_groups; /* only one document of a group counts */
} dorm__measure_tables;

/* Returns NULL for a measure without tables. */
const dorm__measure_tables *dorm__measure_tables_find(const char *name);

/* ---- Measure queries --------------------------------------------------------------------------- */

/* Fills queries [num_queries] of a data set, which must have the subtopics or groups that the measure needs. Borrows
 * these from it. `text` names the measure in messages. The caller clears the region of the arrays, also on failure. */
dorm_status dorm__measure_queries_fill(dorm_context *context, const char *text, const dorm__measure_tables *kind,
                                       const dorm__conventions *rules, const dorm_dataset *dataset,
                                       dorm__measure_arrays *arrays, dorm__target_query *queries);
/* Returns the weight of the first position times the smallest difference between two documents' gains. scratch
 * [num_docs + 1]. */
double dorm__target_unit(const dorm__target_query *query, dorm__target_form form, double *scratch);

#endif
