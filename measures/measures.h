/*
 * measures.h: rankings and what they are worth: measures with their conventions spelled out, and whether one set of
 * scores is better than another. Measures share no code with losses/; only minus_loss.c knows losses.
 */
#ifndef DORM_MEASURES_MEASURES_H
#define DORM_MEASURES_MEASURES_H

#include "base/base.h"
#include "data/data.h"

/* A measure with its conventions, from a text such as "ndcg@10:empty=skip", or "minus_loss(cost:file=costs.txt)" for a
 * loss that has no measure. */
typedef struct dorm__measure dorm__measure;

dorm_status dorm__measure_open(dorm_context *context, const char *spec, dorm__measure **measure);
/* The measure that a loss optimises, with the loss's values for parameters of equal name. If that is "minus_loss" of
 * the loss, the two share the loaded module, which is not loaded or self-checked again. */
dorm_status dorm__measure_open_for_loss(dorm_context *context, const dorm_loss *loss, dorm__measure **measure);
/* Whether a call of it changes what it shares with other calls, so that they have to follow one another: minus a loss
 * that is shown each data set. */
bool dorm__measure_is_prepared(const dorm__measure *measure);
void dorm__measure_close(dorm__measure *measure);
DORM__OWNER(dorm__measure, dorm__measure_close)
/* The measure with every convention spelled out; owned by the measure. */
const char *dorm__measure_spec(const dorm__measure *measure);
/* True if less is better. */
bool dorm__measure_is_cost(const dorm__measure *measure);
/* Fails if the data set lacks groups or subtopics that the measure needs. */
dorm_status dorm__measure_check(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset);
/* Warns if the measure takes documents for relevant or not, and in nearly all queries of several documents takes all
 * for relevant: no ranking is better than another then. Warns once per context. */
void dorm__measure_warn(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset);
/* The mean over the queries that count, weighted by the queries' weights. per_query [num_queries] may be NULL; NaN
 * if a query does not count. */
dorm_status dorm__measure_dataset(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                  const double *scores, double *per_query, dorm_evaluation *evaluation);
/* The same from values [num_queries], NaN if a query does not count, of a measure that is not minus a loss. */
dorm_status dorm__measure_summarise(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                    const double *values, dorm_evaluation *evaluation);

/* ---- moving.c ------------------------------------------------------------- */

/* A measure of queries whose scores move by little: a ranking is found from the one before, and what did not change is
 * not computed again. */
typedef struct dorm__moving dorm__moving;

/* For `num_threads` threads that call dorm__moving_value. Measure and data set are borrowed. */
dorm_status dorm__moving_new(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                             size_t num_threads, dorm__moving **moving);
void dorm__moving_free(dorm__moving *moving);
/* *value of a query for scores[docs] of its documents alone, which must be numbers: what dorm__measure_dataset would
 * say of them; NaN if it does not count. `thread` is below the number of threads. For the query of the last call by
 * this thread it costs O(l + pairs that changed places since), and what the measure costs if a label changed its
 * position; for another query, a sort. Failing writes to the context, so that each thread needs its own. */
dorm_status dorm__moving_value(dorm_context *context, dorm__moving *moving, size_t thread, size_t query,
                               const double *scores, double *value);

#endif
