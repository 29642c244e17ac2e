/*
 * gains.c: gains of documents from clicks. A click at position k is worth the inverse of a propensity:
 *
 *   position  1 / p_k (Agarwal et al., "A general framework for counterfactual learning-to-rank", SIGIR 2019)
 *   policy    N / (sum over the positions k where the document was shown of shown_k p_k), N impressions of the query:
 *             the mean propensity over all rankings that users saw (Oosterhuis and de Rijke, "Policy-aware unbiased
 *             learning to rank for top-k rankings", SIGIR 2020). With one ranking per query both are the same.
 *             It makes up for impressions that did not show the document, and a click low in a ranking that was
 *             rare does not weigh more than others.
 *
 * The gain of a document is the sum over its clicks divided by N; its mean is the chance of a click where it is seen.
 */
#include "clicks/log.h"

#include <math.h>

double dorm__click_worth(const dorm_clicks *clicks, const dorm__click_cell *cell)
{
  double looks = 0;
  if (clicks->gains == DORM_CLICK_GAINS_POSITION)
    return 1 / fmax(clicks->propensity[cell->position], clicks->clip);
  for (size_t i = clicks->cell_start[cell->doc]; i < clicks->cell_start[cell->doc + 1]; i++)
    looks += clicks->cells[i].shown * fmax(clicks->propensity[clicks->cells[i].position], clicks->clip);
  return clicks->impressions[clicks->query_of[cell->doc]] / looks;
}

static double gain_of(const dorm_clicks *clicks, size_t doc)
{
  double sum = 0;
  for (size_t i = clicks->cell_start[doc]; i < clicks->cell_start[doc + 1]; i++)
    sum += clicks->cells[i].clicks > 0 ? clicks->cells[i].clicks * dorm__click_worth(clicks, &clicks->cells[i]) : 0;
  return sum > 0 ? sum / clicks->impressions[clicks->query_of[doc]] : 0;
}

dorm_status dorm_dataset_set_clicks(dorm_context *context, dorm_dataset *dataset, const dorm_clicks *clicks)
{
  if (DORM__LACKS(context, DORM__GIVEN(dataset), DORM__GIVEN(clicks)))
    return DORM_BAD_USAGE;
  dorm_status status = dorm__clicks_check(context, clicks, dataset);
  if (status == DORM_OK && !clicks->num_clicks)
    status = dorm__fail(context, DORM_BAD_DATA, "%s: no document was clicked in %zu impressions", clicks->path,
                        clicks->num_impressions);
  if (status != DORM_OK)
    return status;
  double *weights = dorm__alloc(dataset->num_queries, sizeof *weights);
  if (!weights)
    return dorm__out_of_memory(context, "clicks");
  for (size_t q = 0; q < dataset->num_queries; q++)
    weights[q] = clicks->impressions[q] * (dataset->query_weights ? dataset->query_weights[q] : 1);
  dorm__free(dataset->query_weights);
  dataset->query_weights = weights;
  for (size_t j = 0; j < dataset->num_docs; j++)
    dataset->labels[j] = gain_of(clicks, j);
  dorm__free(dataset->is_unjudged);
  dataset->is_unjudged = NULL;
  dorm__note(context, "%s: %zu impressions, %zu clicks: they take the place of the labels of %s", clicks->path,
             clicks->num_impressions, clicks->num_clicks, dataset->name);
  return DORM_OK;
}
