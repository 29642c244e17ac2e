/* diversity_values.h: the value of a ranked query under measures of its groups and subtopics. */
#ifndef DORM_MEASURES_DIVERSITY_VALUES_H
#define DORM_MEASURES_DIVERSITY_VALUES_H

#include "base/base.h"
#include "measures/measure_values.h"
#include "measures/ranking.h"

/* The label of each document that shares a group with one above it becomes 0, and the ideal ranking becomes that of the
 * best document of each group. */
void dorm__ranking_drop_repeats(dorm__ranking *ranking);

double dorm__value_redundancy(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_alpha_ndcg(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_err_ia(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_subtopic_recall(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);

#endif
