/* measures.h: rankings and their values under measures with all conventions made explicit, and comparisons of two sets
 * of scores. Measures share no code with losses/. Only minus_loss.c uses losses. */
#ifndef DORM_MEASURES_MEASURES_H
#define DORM_MEASURES_MEASURES_H

#include "base/base.h"
#include "data/data.h"

/* A measure with its conventions, from a text such as "ndcg@10:empty=skip", or "minus_loss(cost:file=costs.txt)" for a
 * loss that has no measure. */
typedef struct dorm__measure dorm__measure;

dorm_status dorm__measure_open(dorm_context *context, const char *spec, dorm__measure **measure);
/* Opens the measure that a loss optimises, with the loss's values for parameters of the same name. If this is
 * "minus_loss" of the loss, both share the loaded module, which is not loaded or checked again. */
dorm_status dorm__measure_open_for_loss(dorm_context *context, const dorm_loss *loss, dorm__measure **measure);
/* Whether calls change shared state, so that they must not run at the same time: minus a loss that sees each data set
 * first. */
bool dorm__measure_is_prepared(const dorm__measure *measure);
void dorm__measure_close(dorm__measure *measure);
DORM__OWNER(dorm__measure, dorm__measure_close)
/* The measure with all conventions made explicit. Owned by the measure. */
const char *dorm__measure_spec(const dorm__measure *measure);
/* Whether smaller values are better. */
bool dorm__measure_is_cost(const dorm__measure *measure);
/* Fails if the data set lacks groups or subtopics that the measure needs. */
dorm_status dorm__measure_check(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset);
/* Warns if the measure only distinguishes relevant documents, and nearly all queries with several documents contain no
 * others. No ranking is then better than another. Warns once per context. */
void dorm__measure_warn(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset);
/* Computes the mean over the queries that count, weighted by the queries' weights. per_query [num_queries] may be NULL.
 * It is NaN for queries that do not count. */
dorm_status dorm__measure_dataset(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                  const double *scores, double *per_query, dorm_evaluation *evaluation);
/* Does the same from values [num_queries] (NaN if a query does not count) of a measure other than minus a loss. */
dorm_status dorm__measure_summarise(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                    const double *values, dorm_evaluation *evaluation);

/* ---- moving.c ------------------------------------------------------------- */

/* Incremental evaluator for small changes of the scores of a query. Updates the previous ranking, and recomputes only
 * what changed. */
typedef struct dorm__moving dorm__moving;

/* Makes an evaluator for `num_threads` threads that call dorm__moving_value. Borrows measure and data set. */
dorm_status dorm__moving_new(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                             size_t num_threads, dorm__moving **moving);
void dorm__moving_free(dorm__moving *moving);
/* Computes *value of a query for scores[docs] of its documents, which must not be NaN. The result equals
 * dorm__measure_dataset, and is NaN if the query does not count. `thread` is below the number of threads.
 *
 * For the same query as in this thread's last call, costs O(l + pairs that changed places since), and the cost of the
 * measure if a label changed its position. For another query, costs a sort. Failures write to the context, so each
 * thread needs its own. */
dorm_status dorm__moving_value(dorm_context *context, dorm__moving *moving, size_t thread, size_t query,
                               const double *scores, double *value);

#endif
