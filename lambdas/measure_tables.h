/* measure_tables.h: the tables of a measure for one query. */
#ifndef DORM_LAMBDAS_MEASURE_TABLES_H
#define DORM_LAMBDAS_MEASURE_TABLES_H

#include "base/base.h"
#include "data/data.h"
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
  double persistence;
  bool is_normalised;
  bool short_is_0; /* queries shorter than the truncation count 0 */
  double alpha;
  bool counts_groups_once;
} dorm__measure_rules;

/* A measure that has tables. */
typedef struct dorm__measure_tables {
  const char *name;
  dorm__target_form form;
  /* Fills a and b [num_docs] and, in `made`, depth, scale and num_levels, from labels [num_docs] and the labels of an
   * ideal ranking. Leaves positions and documents without value at 0. */
  void (*fill)(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a, double *b,
               dorm__target_query *made);
  /* Replaces `fill` in the subtopic form. Fills a and, in `made`, depth and the gains and chances of the subtopics, and
   * reads no other fields of them. judgements are by entry, scratch is [num_docs + subtopics]. */
  void (*fill_subtopics)(const dorm__measure_rules *rules, const double *judgements, double *scratch, double *a,
                         dorm__target_query *made);
  bool weighs;    /* b is a gain, so a document's weight can multiply it */
  bool has_ideal; /* an ideal ranking is worth 1, also with weights (for eru see the rules) */
} dorm__measure_tables;

/* Returns NULL for a measure without tables. */
const dorm__measure_tables *dorm__measure_tables_find(const char *name);
dorm__measure_rules dorm__measure_rules_of(const dorm_measure_info *info, const dorm_loss_value *values);

/* ---- Measure queries --------------------------------------------------------------------------- */

/* The memory to which the queries of a measure point. */
typedef struct dorm__measure_arrays {
  double *tables;          /* a and b: [2][num_docs of the data set] */
  double *entries;         /* gains and chances: [2][entries of the data set's subtopics], or NULL in other forms */
  uint32_t *group_numbers; /* [entries of the data set's groups], or NULL if groups do not count */
} dorm__measure_arrays;

/* Fills queries [num_queries] of a data set, which must have the subtopics or groups that the measure needs. Borrows
 * these from it. `text` names the measure in messages. The caller clears the arrays, also on failure. */
dorm_status dorm__measure_queries_fill(dorm_context *context, const char *text, const dorm__measure_tables *kind,
                                       const dorm__measure_rules *rules, const dorm_dataset *dataset,
                                       dorm__measure_arrays *arrays, dorm__target_query *queries);
void dorm__measure_arrays_clear(dorm__measure_arrays *arrays);
/* Returns the weight of the first position times the smallest difference between two documents' gains. scratch
 * [num_docs + 1]. */
double dorm__target_unit(const dorm__target_query *query, dorm__target_form form, double *scratch);

/* ---- Subtopic tables --------------------------------------------------------------------------- */

/* Each is a fill_subtopics of dorm__measure_tables. */
void dorm__fill_alpha_ndcg(const dorm__measure_rules *rules, const double *judgements, double *scratch, double *a,
                           dorm__target_query *made);
void dorm__fill_err_ia(const dorm__measure_rules *rules, const double *judgements, double *scratch, double *a,
                       dorm__target_query *made);
void dorm__fill_subtopic_recall(const dorm__measure_rules *rules, const double *judgements, double *scratch, double *a,
                                dorm__target_query *made);

#endif
