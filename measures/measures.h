/* measures.h: rankings and their values under measures with all conventions made explicit, and comparisons of two sets
 * of scores. Measures share no code with losses/. Only minus_loss.c uses losses. */
#ifndef DORM_MEASURES_MEASURES_H
#define DORM_MEASURES_MEASURES_H

#include "base/base.h"
#include "data/data.h"

typedef enum dorm__tie_rule {
  DORM__TIES_ORDER,   /* the earlier document first */
  DORM__TIES_DOC_ID,  /* the larger document id first, as trec_eval does */
  DORM__TIES_WORST,   /* the smaller label first */
  DORM__TIES_EXPECTED /* documents of equal score stay tied */
} dorm__tie_rule;

/* The value of an empty query, in which there is nothing to find, such as no relevant document. */
typedef enum dorm__empty_rule { DORM__EMPTY_IS_0, DORM__EMPTY_IS_1, DORM__EMPTY_IS_SKIPPED } dorm__empty_rule;

typedef struct dorm__conventions {
  size_t truncation; /* number of first positions that count; 0 if all count */
  bool linear_gain;
  bool letor_discount;
  double threshold; /* smallest label of a relevant document; 0 for the query's largest label */
  bool has_two_levels;
  bool divides_by_reachable;
  double max_label;
  double half_life;
  double neutral;
  bool is_normalised;
  double alpha;
  double recall;      /* of iprec */
  double importance;  /* of set_f */
  double persistence; /* of rbp */
  bool short_is_0;    /* a query with fewer documents than the truncation has value 0 */
  bool repeats_are_irrelevant;
  const char *group; /* name of the group of exposure_share */
  dorm__empty_rule empty;
  dorm__tie_rule ties;
} dorm__conventions;

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
/* The name of the measure, or NULL for minus a loss. */
const char *dorm__measure_name(const dorm__measure *measure);
/* The loss of minus a loss, otherwise NULL. */
const dorm_loss *dorm__measure_loss(const dorm__measure *measure);
const dorm__conventions *dorm__measure_conventions(const dorm__measure *measure);
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
