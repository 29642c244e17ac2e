/* diversity_values.h: what diversity_values.c offers to the other files of this folder. */
#ifndef DORM_MEASURES_DIVERSITY_VALUES_H
#define DORM_MEASURES_DIVERSITY_VALUES_H

#include "base/base.h"
#include "measures/measure_values.h"
#include "measures/ranking.h"

/* ---- diversity_values.c ------------------------------------------------- */

/* Labels of documents that share a group with one above become 0, and the ideal
 * ranking that of the best of each group. */
void dorm__ranking_drop_repeats(dorm__ranking *ranking);

/* ---- diversity_values.c ------------------------------------------------- */

double dorm__value_redundancy(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_alpha_ndcg(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_err_ia(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_subtopic_recall(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);

#endif
