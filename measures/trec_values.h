/* trec_values.h: the measures of trec_eval that are not in measure_values.h, and rank-biased precision. */
#ifndef DORM_MEASURES_TREC_VALUES_H
#define DORM_MEASURES_TREC_VALUES_H

#include "measures/measure_values.h"

/* As in measure_values.h: *is_empty becomes true where there was nothing to find. */
double dorm__value_r_precision(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_bpref(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_success(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_iprec(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_rbp(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_set_precision(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_set_recall(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_set_f(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
/* Counts of documents; no query is empty for them. */
double dorm__value_num_ret(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_num_rel(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_num_rel_ret(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);

/* gm_map of a query is the logarithm of its average precision, which is dorm__log_of_precision of it. */
double dorm__value_gm_map(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__log_of_precision(double precision);

#endif
