/* measure_values.h: the conventions of measures, and the value of one ranked query under each measure. */
#ifndef DORM_MEASURES_MEASURE_VALUES_H
#define DORM_MEASURES_MEASURE_VALUES_H

#include "base/base.h"
#include "measures/ranking.h"

typedef enum dorm__empty_rule { DORM__EMPTY_IS_0, DORM__EMPTY_IS_1, DORM__EMPTY_IS_SKIPPED } dorm__empty_rule;

typedef struct dorm__conventions {
  size_t truncation; /* 0 if all positions count */
  bool linear_gain;
  bool letor_discount;
  double threshold; /* 0 for the query's largest label */
  bool has_two_levels;
  bool divides_by_reachable;
  double max_label;
  double half_life;
  double neutral;
  bool is_normalised;
  double alpha;
  double recall;      /* of iprec */
  double importance;  /* of set_f */
  double persistence; /* of rbp */
  bool short_is_0;    /* a query with fewer documents than the truncation has value 0 */
  bool repeats_are_irrelevant;
  const char *group; /* name of the group of exposure_share */
  dorm__empty_rule empty;
  dorm__tie_rule ties;
} dorm__conventions;

/* *is_empty is set if there was nothing to find. The value is NaN or infinite if a label is too large. */
double dorm__value_dcg(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_ndcg(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_mean_ndcg(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_mwta(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_map(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_mrr(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_wta(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_precision(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_recall(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_err(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_eru(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_pair_error(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_roc_area(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_tau(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);

/* ---- Shared by the formulas ------------------------------------------------- */

/* The smallest label of a relevant document of the query. */
double dorm__relevant_from(const dorm__conventions *rules, const dorm__ranking *ranking);
bool dorm__is_relevant(double label, double threshold);
/* The label that a reader finds at position p, which is 0 after the last document that was found. */
double dorm__found_label(const dorm__ranking *ranking, size_t p);
size_t dorm__count_relevant(size_t num_docs, const double *labels, double threshold);
/* Replaces every value [num_docs] by the mean of its tie. */
void dorm__average_over_ties(const dorm__ranking *ranking, double *values);

/* ---- Diversity values -------------------------------------------------------------------------- */

/* Sets the label of each document that shares a group with one above it to 0. The ideal ranking keeps only the best
 * document of each group. */
void dorm__ranking_drop_repeats(dorm__ranking *ranking);

double dorm__value_redundancy(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_alpha_ndcg(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_err_ia(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_subtopic_recall(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_exposure_share(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_ee_l(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_ee_d(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_ee_r(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_gini(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
/* The group with this name, or with this number if groups have no names. SIZE_MAX if there is none. */
size_t dorm__find_group(const dorm_dataset *dataset, const char *name);

/* ---- Trec values ------------------------------------------------------------------------------- */

/* As in measure_values.h, *is_empty is set if there was nothing to find. */
double dorm__value_r_precision(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_bpref(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_success(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_iprec(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_rbp(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_set_precision(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_set_recall(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_set_f(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
/* Counts of documents. No query is empty for them. */
double dorm__value_num_ret(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_num_rel(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_num_rel_ret(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);

/* gm_map of a query is the logarithm of its average precision, by dorm__log_of_precision. */
double dorm__value_gm_map(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__log_of_precision(double precision);

#endif
