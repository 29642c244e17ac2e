/* measure_values.h: the conventions of measures, which their parameters set, and the value of one ranked query under
 * each measure. */
#ifndef DORM_MEASURES_MEASURE_VALUES_H
#define DORM_MEASURES_MEASURE_VALUES_H

#include "base/base.h"
#include "measures/ranking.h"

/* The value of an empty query, in which there is nothing to find, such as no relevant document. */
typedef enum dorm__empty_rule { DORM__EMPTY_IS_0, DORM__EMPTY_IS_1, DORM__EMPTY_IS_SKIPPED } dorm__empty_rule;

typedef struct dorm__conventions {
  size_t truncation; /* number of first positions that count; 0 if all count */
  bool linear_gain;
  bool letor_discount;
  double threshold; /* smallest label of a relevant document; 0 for the query's largest label */
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

/* Each function returns the value of one ranked query. *is_empty becomes true if there was nothing to find, such as no
 * relevant document. The value is NaN or infinite if a label is too large. */
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

/* Returns the threshold of the query. A document is relevant if its label is at least the threshold and above 0. */
double dorm__relevant_from(const dorm__conventions *rules, const dorm__ranking *ranking);
bool dorm__is_relevant(double label, double threshold);
/* Returns the label of the document at position p, or 0 if that document was not retrieved (num_found). */
double dorm__found_label(const dorm__ranking *ranking, size_t p);
size_t dorm__count_relevant(size_t num_docs, const double *labels, double threshold);
/* Replaces values [num_docs], which are by position, by their means over the documents of each tie. */
void dorm__average_over_ties(const dorm__ranking *ranking, double *values);

/* ---- Diversity values -------------------------------------------------------------------------- */

/* Sets the label of each document that shares a group with a document above it to 0. In the ideal ranking, only the
 * best document of each group keeps its label. */
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
/* Returns the index of the group with this name, or with this number if groups have no names. SIZE_MAX if there is
 * none. */
size_t dorm__find_group(const dorm_dataset *dataset, const char *name);

/* ---- Trec values ------------------------------------------------------------------------------- */

/* The measures of trec_eval. *is_empty is set as above. */
double dorm__value_r_precision(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_bpref(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_success(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_iprec(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_rbp(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_set_precision(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_set_recall(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_set_f(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
/* Numbers of documents: retrieved, relevant, and both. *is_empty is always false. */
double dorm__value_num_ret(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_num_rel(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_num_rel_ret(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);

/* Returns the logarithm of the query's average precision, by dorm__log_of_precision. */
double dorm__value_gm_map(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__log_of_precision(double precision);

#endif
