/* moving.c: the measure of a query whose scores change little between calls. Its value changes only if documents change
 * places, and for most measures only if labels change positions. */
#include "measures/measure.h"
#include "measures/measures.h"
#include "measures/ranking.h"

/* The state of a thread for the last query that it evaluated. */
typedef struct follower {
  bool has_query;
  size_t query;
  double value;
  dorm__ranking ranking;
} follower;

struct dorm__moving {
  const dorm__measure *measure;
  const dorm_dataset *dataset;
  dorm__minus_tables *tables; /* for minus_loss(LOSS), otherwise NULL */
  size_t num_followers;
  follower *followers; /* [num_followers] */
};

dorm_status dorm__moving_new(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                             size_t num_threads, dorm__moving **moving)
{
  *moving = NULL;
  dorm_status status = dorm__measure_check(context, measure, dataset);
  if (status != DORM_OK)
    return status;
  dorm__moving *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "an evaluation");
  *made = (dorm__moving){measure, dataset, NULL, 0, dorm__alloc_zero(num_threads, sizeof *made->followers)};
  bool is_whole = made->followers;
  for (; is_whole && made->num_followers < num_threads; made->num_followers++)
    is_whole = dorm__ranking_alloc(&made->followers[made->num_followers].ranking, dataset);
  return DORM__GIVE(DORM__ALL(is_whole ? DORM_OK : dorm__out_of_memory(context, "an evaluation"),
                              dorm__minus_tables_new(context, measure, dataset, num_threads, &made->tables)),
                    moving, made, dorm__moving_free);
}

void dorm__moving_free(dorm__moving *moving)
{
  if (!moving)
    return;
  for (size_t i = 0; i < moving->num_followers; i++)
    dorm__ranking_free(&moving->followers[i].ranking);
  dorm__free(moving->followers);
  dorm__minus_tables_free(moving->tables);
  dorm__free(moving);
}

/* Ranks the query. *is_same is set if the value stays unchanged. */
static dorm_status rank(dorm_context *context, const dorm__moving *moving, size_t query, const double *scores,
                        follower *one, bool *is_same)
{
  const dorm__measure *measure = moving->measure;
  dorm__tie_rule ties = measure->rules.ties;
  bool is_known = one->has_query && one->query == query && !measure->rules.repeats_are_irrelevant;
  *is_same = false;
  if (!is_known)
    return dorm__rank_query(context, moving->dataset, query, scores, ties, &one->ranking);
  dorm__reranking change = dorm__rank_query_again(scores, ties, &one->ranking);
  bool is_of_labels = !measure->loss && dorm__measure_needs_of(measure) == DORM__NEEDS_LABELS;
  *is_same = change == DORM__ORDER_STAYS || (change == DORM__LABELS_STAY && is_of_labels);
  return DORM_OK;
}

dorm_status dorm__moving_value(dorm_context *context, dorm__moving *moving, size_t thread, size_t query,
                               const double *scores, double *value)
{
  follower *one = &moving->followers[thread];
  bool is_empty = false;
  bool is_same = false;
  dorm_status status = rank(context, moving, query, scores, one, &is_same);
  if (status == DORM_OK && !is_same)
    status = dorm__measure_ranked(context, moving->measure, moving->tables, &one->ranking, &one->value, &is_empty);
  one->has_query = status == DORM_OK;
  one->query = query;
  *value = one->value;
  return status;
}
