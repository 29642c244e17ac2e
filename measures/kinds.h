/* kinds.h: the measures by name, with the parameters that each has. */
#ifndef DORM_MEASURES_KINDS_H
#define DORM_MEASURES_KINDS_H

#include "base/base.h"
#include "base/spec.h"
#include "measures/measure_values.h"
#include "measures/ranking.h"

enum { DORM__MOST_MEASURE_ROWS = 8 };

/* The value of one ranked query. *is_empty: there was nothing to find. */
typedef double (*dorm__query_value)(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);

/* What becomes of the values of the queries. */
typedef enum dorm__measure_summary {
  DORM__SUMMARY_MEAN,
  DORM__SUMMARY_GEOMETRIC, /* the values are logarithms, and the mean is the exponential of theirs */
  DORM__SUMMARY_SUM
} dorm__measure_summary;

typedef struct dorm__measure_kind {
  dorm_measure_info info;
  dorm__query_value value;
  dorm__measure_summary summary;
} dorm__measure_kind;

/* The number of "iprec@0.1" is the recall; dorm__spec_parse has called it a truncation. */
void dorm__measure_kind_name_number(const dorm__measure_kind *kind, dorm__spec *given);
/* NULL, and a message that names the nearest measure, when there is none of that name. */
const dorm__measure_kind *dorm__measure_kind_find(dorm_context *context, const char *name);
/* The spec with every parameter spelled out, as in "ndcg@10:gain=exp2,...": a truncation is the first row, and repeats
 * the last. NULL when out of memory; caller frees by dorm__free. */
char *dorm__measure_kind_text(const dorm__measure_kind *kind, const dorm_loss_value *values);
/* The conventions that the values [info.num_parameters] stand for. */
dorm__conventions dorm__measure_kind_rules(const dorm__measure_kind *kind, const dorm_loss_value *values);

/* ---- Trec names -------------------------------------------------------------------------------- */

/* "ndcg_cut_10" or "ndcg_cut.10:empty=skip" in dorm's words, "ndcg@10:gain=linear,ties=docid,empty=skip"; a copy of any
 * other text. What the text says itself goes before trec_eval's conventions. NULL when out of memory; caller frees by
 * dorm__free. */
char *dorm__trec_measure_text(const char *text);

#endif
