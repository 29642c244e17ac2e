/* kinds.h: the measures by name, with the parameters that each has. */
#ifndef DORM_MEASURES_KINDS_H
#define DORM_MEASURES_KINDS_H

#include "base/base.h"
#include "measures/measure_values.h"
#include "measures/ranking.h"

enum { DORM__MOST_MEASURE_ROWS = 8 };

/* The value of one ranked query. *is_empty: there was nothing to find. */
typedef double (*dorm__query_value)(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);

typedef struct dorm__measure_kind {
  dorm_measure_info info;
  dorm__query_value value;
} dorm__measure_kind;

/* NULL, and a message that names the nearest measure, when there is none of that name. */
const dorm__measure_kind *dorm__measure_kind_find(dorm_context *context, const char *name);
/* The spec with every parameter spelled out, as in "ndcg@10:gain=exp2,...": a truncation is the first row, and repeats
 * the last. NULL when out of memory; caller frees by dorm__free. */
char *dorm__measure_kind_text(const dorm__measure_kind *kind, const dorm_loss_value *values);
/* The conventions that the values [info.num_parameters] stand for. */
dorm__conventions dorm__measure_kind_rules(const dorm__measure_kind *kind, const dorm_loss_value *values);

#endif
