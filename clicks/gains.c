/*
 * gains.c: gains of documents from clicks. A click on a document is worth the inverse of the mean propensity of the
 * document over all rankings that users saw,
 *
 *   N / (sum over the positions k where the document was shown of shown_k p_k), N impressions of the query
 *
 * (Oosterhuis and de Rijke, "Policy-aware unbiased learning to rank for top-k rankings", SIGIR 2020). It makes up for
 * impressions that did not show the document, and a click low in a ranking that was rare does not weigh more than
 * others. Propensities below 0.01 are raised to it, which trades bias for variance.
 *
 * The gain of a document is the sum over its clicks divided by N; its mean is the chance of a click where it is seen.
 */
#include "clicks/log.h"

#include <math.h>

static const double least_propensity = 0.01;

double dorm__click_looks(const dorm_clicks *clicks, size_t doc, double *num_clicks)
{
  double looks = 0;
  *num_clicks = 0;
  for (size_t i = clicks->cell_start[doc]; i < clicks->cell_start[doc + 1]; i++) {
    looks += clicks->cells[i].shown * fmax(clicks->propensity[clicks->cells[i].position], least_propensity);
    *num_clicks += clicks->cells[i].clicks;
    *num_clicks -= clicks->trust ? clicks->cells[i].shown * clicks->trust[clicks->cells[i].position] : 0;
  }
  return looks;
}

double dorm__click_worth(const dorm_clicks *clicks, size_t doc)
{
  double num_clicks, looks = dorm__click_looks(clicks, doc, &num_clicks);
  return clicks->impressions[clicks->query_of[doc]] / looks;
}

double dorm__click_look_share(const dorm_clicks *clicks, size_t cell)
{
  double propensity = clicks->propensity[clicks->cells[cell].position];
  return propensity > least_propensity ? clicks->cells[cell].shown * propensity : 0;
}

double dorm__click_gain(const dorm_clicks *clicks, size_t doc)
{
  double num_clicks, looks = dorm__click_looks(clicks, doc, &num_clicks);
  if (clicks->model)
    return fmax(clicks->phi + num_clicks, 0) / (clicks->phi / clicks->model[doc] + looks);
  return num_clicks > 0 ? num_clicks / looks : 0;
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
    dataset->labels[j] = dorm__click_gain(clicks, j);
  dorm__free(dataset->is_unjudged);
  dataset->is_unjudged = NULL;
  dorm__note(context, "%s: %zu impressions, %zu clicks: they take the place of the labels of %s", clicks->path,
             clicks->num_impressions, clicks->num_clicks, dataset->name);
  return DORM_OK;
}
