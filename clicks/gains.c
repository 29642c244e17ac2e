/*
 * gains.c: computes gains of documents from clicks. A click on a document is weighted by the inverse of the mean
 * propensity of the document over all rankings that users saw,
 *
 *   N / (sum of shown_k p_k over the positions k at which the document was shown), N impressions of the query
 *
 * (Oosterhuis and de Rijke, "Policy-aware unbiased learning to rank for top-k rankings", SIGIR 2020). This weight makes
 * up for impressions that did not show the document. All clicks on a document have the same weight, so a click at a low
 * position in a rare ranking weighs no more than other clicks. Propensities below 0.01 are raised to 0.01, which
 * reduces the variance and adds bias.
 *
 * The gain of a document is the sum of the weights of its clicks, divided by N. The expected gain is the probability of
 * a click if the document is seen.
 *
 * A model of clicks (dorm_clicks_set_model) improves the gains of documents with few looks. The looks T_d at a document
 * are the sum of the propensities over the times that it was shown. The number of its clicks C_d is modelled as Poisson
 * with mean T_d s_d. The relevance s_d has a Gamma distribution with shape phi and mean
 *
 *   m_d = exp(b_0 + b_1 score_d + b_2 log(T_d / impressions)),  at most 1
 *
 * b maximises the likelihood of Poisson clicks by Newton steps, with a weak penalty on b_1 and b_2. phi, at most 1/2,
 * solves
 *
 *   sum [(C_d - T_d m_d)^2 - T_d m_d] = sum (T_d m_d)^2 / phi
 *
 * If many documents were shown alike, b_0 and b_1 correct the scale of the scores by the clicks, and b_2 uses that the
 * rankings showed relevant documents more. The gain is the mean of s_d given the clicks,
 *
 *   (phi + C_d) / (phi / m_d + T_d)  =  m_d + (C_d - T_d m_d) / (phi / m_d + T_d)
 *
 * The second form shows that the gain is doubly robust (Oosterhuis 2023): it is the value of the model plus a
 * correction by clicks minus expected clicks, whose weight is bounded if looks are few. O(documents) for each of at
 * most 50 steps.
 */
#include "base/linalg.h"
#include "clicks/log.h"

#include <math.h>
#include <string.h>

/* Returns the estimated probability of a click on a document that is seen. */
static double gain_of(const dorm_clicks *clicks, size_t doc)
{
  if (clicks->model)
    return fmax(clicks->phi + clicks->net[doc], 0) / (clicks->phi / clicks->model[doc] + clicks->looks[doc]);
  return clicks->net[doc] > 0 ? clicks->net[doc] / clicks->looks[doc] : 0;
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

/* ---- A model of clicks ------------------------------------------------------------------ */

enum { TERMS = 3, MOST_STEPS = 50 }; /* terms of the exponent of m_d, and Newton steps */
/* Prior precision of b, so that the Newton system is regular even if all scores are equal. */
static const double least_slope = 1e-3;
/* Bounds the weight of the model against clicks, because its errors for several documents may be alike. */
static const double largest_phi = 0.5;

/* Fills terms [num_docs][TERMS] with 1, the score and log(T_d / impressions). Scores are scaled to mean 0 and deviation
 * 1. Logarithms are shifted to mean 0. A document that was not shown has the least logarithm. */
static void fill_terms(const dorm_clicks *clicks, const double *scores, double *terms)
{
  double mean = 0, squares = 0, least = 0, mid = 0;
  size_t num_shown = 0;
  for (size_t j = 0; j < clicks->num_docs; j++) {
    double away = scores[j] - mean, share = log(clicks->looks[j] / clicks->impressions[clicks->query_of[j]]);
    terms[j * TERMS + 2] = share;
    mean += away / (double)(j + 1);
    squares += away * (scores[j] - mean);
    if (!(clicks->looks[j] > 0))
      continue;
    least = fmin(least, share);
    mid += (share - mid) / (double)++num_shown;
  }
  double spread = squares > 0 ? sqrt(squares / (double)clicks->num_docs) : 1;
  for (size_t j = 0; j < clicks->num_docs; j++) {
    terms[j * TERMS] = 1;
    terms[j * TERMS + 1] = (scores[j] - mean) / spread;
    terms[j * TERMS + 2] = (clicks->looks[j] > 0 ? terms[j * TERMS + 2] : least) - mid;
  }
}

/* Makes one Newton step of b, in which no entry changes by more than 1. Returns the largest change before this limit,
 * or 0 if the system cannot be solved. */
static double step(const dorm_clicks *clicks, const double *terms, double *b)
{
  double hessian[TERMS * TERMS] = {0}, slope[TERMS] = {0}, most = 0;
  for (size_t t = 0; t < TERMS; t++) {
    hessian[t * TERMS + t] = least_slope;
    slope[t] = t ? -least_slope * b[t] : 0;
  }
  for (size_t j = 0; j < clicks->num_docs; j++) {
    double expected = clicks->looks[j] * exp(fmin(dorm__dot_short(TERMS, b, terms + j * TERMS), 1));
    for (size_t t = 0; t < TERMS; t++) {
      slope[t] += (clicks->net[j] - expected) * terms[j * TERMS + t];
      for (size_t u = 0; u < TERMS; u++)
        hessian[t * TERMS + u] += expected * terms[j * TERMS + t] * terms[j * TERMS + u];
    }
  }
  if (!dorm__solve_positive_definite(TERMS, hessian, slope))
    return 0;
  for (size_t t = 0; t < TERMS; t++)
    most = fmax(most, fabs(slope[t]));
  for (size_t t = 0; t < TERMS; t++)
    b[t] += slope[t] * fmin(1, 1 / most);
  return most;
}

/* Fits b, and fills model [num_docs] with m_d. Returns phi. */
static double fill_model(const dorm_clicks *clicks, const double *terms, double *model)
{
  double b[TERMS] = {0}, all_looks = 0, all_clicks = 0, squares = 0, excess = 0;
  for (size_t j = 0; j < clicks->num_docs; j++) {
    all_looks += clicks->looks[j];
    all_clicks += clicks->net[j];
  }
  b[0] = log(fmax(all_clicks, 0.5) / all_looks);
  for (size_t i = 0; i < MOST_STEPS && step(clicks, terms, b) > 1e-9; i++) {
  }
  for (size_t j = 0; j < clicks->num_docs; j++) {
    model[j] = fmax(exp(fmin(dorm__dot_short(TERMS, b, terms + j * TERMS), 0)), 1e-9);
    double expected = clicks->looks[j] * model[j];
    squares += expected * expected;
    excess += pow(clicks->net[j] - expected, 2) - expected;
  }
  return excess * largest_phi > squares ? squares / excess : largest_phi;
}

dorm_status dorm_clicks_set_model(dorm_context *context, dorm_clicks *clicks, const dorm_dataset *dataset,
                                  const double *scores)
{
  if (DORM__LACKS(context, DORM__GIVEN(clicks), DORM__GIVEN(dataset), DORM__GIVEN(scores)))
    return DORM_BAD_USAGE;
  dorm_status status = dorm__clicks_check(context, clicks, dataset);
  for (size_t j = 0; status == DORM_OK && j < clicks->num_docs; j++)
    if (!isfinite(scores[j]))
      status = dorm__fail(context, DORM_BAD_USAGE, "scores: score %zu is not a finite number", j);
  if (status != DORM_OK)
    return status;
  DORM__FREED double *terms = dorm__alloc(clicks->num_docs, TERMS * sizeof *terms);
  if (terms && !clicks->model)
    clicks->model = dorm__alloc(clicks->num_docs, sizeof *clicks->model);
  if (!terms || !clicks->model)
    return dorm__out_of_memory(context, "clicks");
  fill_terms(clicks, scores, terms);
  clicks->phi = fill_model(clicks, terms, clicks->model);
  return DORM_OK;
}
