/*
 * measures.h: rankings and what they are worth: measures with their conventions spelled out, and whether one set of
 * scores is better than another. Shares no code with losses/.
 */
#ifndef DORM_MEASURES_MEASURES_H
#define DORM_MEASURES_MEASURES_H

#include "base/base.h"
#include "data/data.h"

/* A measure with its conventions, from a text such as "ndcg@10:empty=skip", or
 * "minus_loss(cost:file=costs.txt)" for a loss that has no measure. */
typedef struct dorm__measure dorm__measure;

dorm_status dorm__measure_open(dorm_context *context, const char *spec, dorm__measure **measure);
void dorm__measure_close(dorm__measure *measure);
/* The measure with every convention spelled out; owned by the measure. */
const char *dorm__measure_spec(const dorm__measure *measure);
/* True where less is better. */
bool dorm__measure_is_cost(const dorm__measure *measure);
/* The spec of the measure `name` with the values of those parameters that it
 * has too. *spec: caller frees by dorm__free. */
dorm_status dorm__measure_spec_for(dorm_context *context, const char *name, size_t num_rows,
                                   const dorm_loss_parameter *rows, const dorm_loss_value *values, char **spec);
/* "minus_loss(SPEC)"; caller frees by dorm__free. */
dorm_status dorm__measure_minus_loss_spec(dorm_context *context, const char *loss_spec, char **spec);
/* Mean over the queries that count; per_query may be NULL. */
dorm_status dorm__measure_dataset(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                  const double *scores, double *per_query, dorm_evaluation *evaluation);

#endif
