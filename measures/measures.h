/*
 * measures.h: rankings and what they are worth: measures with their conventions spelled out, and whether one set of
 * scores is better than another. What a measure computes shares no code with losses/; only minus_loss.c knows losses.
 */
#ifndef DORM_MEASURES_MEASURES_H
#define DORM_MEASURES_MEASURES_H

#include "base/base.h"
#include "data/data.h"

/* A measure with its conventions, from a text such as "ndcg@10:empty=skip", or "minus_loss(cost:file=costs.txt)" for a
 * loss that has no measure. */
typedef struct dorm__measure dorm__measure;

dorm_status dorm__measure_open(dorm_context *context, const char *spec, dorm__measure **measure);
/* The measure that a loss optimises, with the loss's values for parameters of equal name. Where that is "minus_loss" of
 * the loss, the two share the loaded module, which is not loaded or self-checked again. */
dorm_status dorm__measure_open_for_loss(dorm_context *context, const dorm_loss *loss, dorm__measure **measure);
void dorm__measure_close(dorm__measure *measure);
/* The measure with every convention spelled out; owned by the measure. */
const char *dorm__measure_spec(const dorm__measure *measure);
/* True where less is better. */
bool dorm__measure_is_cost(const dorm__measure *measure);
/* The mean over the queries that count. per_query [num_queries] may be NULL; NaN where a query does not count. */
dorm_status dorm__measure_dataset(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                  const double *scores, double *per_query, dorm_evaluation *evaluation);

#endif
