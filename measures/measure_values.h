/* measure_values.h: the value of one ranked query under each measure. */
#ifndef DORM_MEASURES_MEASURE_VALUES_H
#define DORM_MEASURES_MEASURE_VALUES_H

#include "measures/measures.h"
#include "measures/ranking.h"

/* Returns the value of one ranked query. *is_empty becomes true if there was nothing to find, such as no relevant
 * document. The value is NaN or infinite if a label is too large. */
typedef double dorm__query_value(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
dorm__query_value dorm__value_dcg, dorm__value_ndcg, dorm__value_mean_ndcg, dorm__value_mwta, dorm__value_map,
    dorm__value_mrr, dorm__value_wta, dorm__value_precision, dorm__value_recall, dorm__value_err, dorm__value_eru,
    dorm__value_pair_error, dorm__value_roc_area, dorm__value_tau;

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

/* Returns the index of the group with this name, or with this number if groups have no names. SIZE_MAX if there is
 * none. */
size_t dorm__find_group(const dorm_dataset *dataset, const char *name);

/* Returns log max(precision, 0.00001), the value of a query under gm_map. */
double dorm__log_of_precision(double precision);

#endif
