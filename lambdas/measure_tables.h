/* measure_tables.h: the tables of a measure for one query. */
#ifndef DORM_LAMBDAS_MEASURE_TABLES_H
#define DORM_LAMBDAS_MEASURE_TABLES_H

#include "base/base.h"
#include "lambdas/target.h"

/* The conventions of a measure, from its parameters. */
typedef struct dorm__measure_rules {
  size_t truncation; /* 0: all positions */
  bool linear_gain;
  bool letor_discount;
  double threshold; /* 0: the largest label of the query */
  bool has_two_levels;
  bool divides_by_reachable;
  double max_label;
  double half_life;
  double neutral;
  bool is_normalised;
  bool short_is_0; /* a query with fewer documents than the truncation counts 0 */
} dorm__measure_rules;

/* A measure that has tables. */
typedef struct dorm__measure_tables {
  const char *name;
  dorm__target_form form;
  /* Fills a and b [num_docs] and, in `made`, depth, scale and num_levels, from labels [num_docs], and those in falling
   * order. Positions and documents that are worth nothing stay 0. */
  void (*fill)(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a, double *b,
               dorm__target_query *made);
} dorm__measure_tables;

/* NULL for a measure that has no tables. */
const dorm__measure_tables *dorm__measure_tables_find(const char *name);
dorm__measure_rules dorm__measure_rules_of(const dorm_measure_info *info, const dorm_loss_value *values);

#endif
