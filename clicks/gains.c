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
 *
 * A model of clicks decides where there are few looks (dorm_clicks_set_model). The clicks C_d of a document on which
 * T_d looks fell (the sum of propensities over the times that it was shown) are taken as Poisson with mean T_d s_d, and
 * s_d as drawn from a Gamma distribution of shape phi and mean
 *
 *   m_d = exp(b_0 + b_1 score_d + b_2 log(T_d / impressions)),  at most 1
 *
 * whose b maximise the likelihood of Poisson clicks (Newton steps); phi follows from sum (C - T m)^2 - T m =
 * sum (T m)^2 / phi. Where documents were shown alike, the clicks correct a wrong scale of the scores and what rankings
 * knew of relevance. The gain is the mean of s_d given its clicks,
 *
 *   (phi + C_d) / (phi / m_d + T_d)  =  m_d + (C_d - T_d m_d) / (phi / m_d + T_d)
 *
 * The second form is that of Oosterhuis (2023): the model, corrected by clicks less those that it expects, with weights
 * that are clipped where looks are few. O(documents) for each of some steps.
 */
#include "base/linalg.h"
#include "clicks/log.h"

#include <math.h>
#include <string.h>

static const double least_propensity = 0.01;

double dorm__click_looks(const dorm_clicks *clicks, size_t doc, double *num_clicks)
{
  double looks = 0;
  *num_clicks = 0;
  for (size_t i = clicks->cell_start[doc]; i < clicks->cell_start[doc + 1]; i++) {
    looks += clicks->cells[i].shown * fmax(clicks->curve.look[clicks->cells[i].position], least_propensity);
    *num_clicks += clicks->cells[i].clicks;
    *num_clicks -= clicks->curve.trust ? clicks->cells[i].shown * clicks->curve.trust[clicks->cells[i].position] : 0;
  }
  return looks;
}

double dorm__click_look_share(const dorm_clicks *clicks, size_t cell)
{
  double propensity = clicks->curve.look[clicks->cells[cell].position];
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

/* ---- A model of clicks ------------------------------------------------------------------ */

enum { TERMS = 3, MOST_STEPS = 50 };
static const double least_slope = 1e-3; /* of the prior precision of b, so that constant scores do no harm */
static const double largest_phi = 0.5;  /* so that errors that documents share count less than clicks */

typedef struct click_terms {
  const dorm_clicks *clicks;
  const double *scores;
  double mean, spread;     /* of the scores */
  double least_share, mid; /* the least and the mean log(T / impressions) */
} click_terms;

static void fill_terms(const click_terms *made, size_t doc, double looks, double *terms)
{
  double num = made->clicks->impressions[made->clicks->query_of[doc]];
  terms[0] = 1;
  terms[1] = (made->scores[doc] - made->mean) / made->spread;
  terms[2] = (looks > 0 && num > 0 ? log(looks / num) : made->least_share) - made->mid;
}

static void measure_terms(click_terms *made)
{
  const dorm_clicks *clicks = made->clicks;
  double count = 0, squares = 0, num_shown = 0, num_clicks;
  for (size_t j = 0; j < clicks->num_docs; j++) {
    double looks = dorm__click_looks(clicks, j, &num_clicks);
    double away = made->scores[j] - made->mean;
    made->mean += away / ++count;
    squares += away * (made->scores[j] - made->mean);
    if (!(looks > 0))
      continue;
    double share = log(looks / clicks->impressions[clicks->query_of[j]]);
    made->least_share = fmin(made->least_share, share);
    made->mid += (share - made->mid) / ++num_shown;
  }
  made->spread = squares > 0 ? sqrt(squares / count) : 1;
}

static double mean_of(const double *b, const double *terms)
{
  return fmin(exp(fmin(b[0] + b[1] * terms[1] + b[2] * terms[2], 0)), 1);
}

/* One Newton step; returns the largest change. */
static double step(const click_terms *made, double *b)
{
  double hessian[TERMS * TERMS] = {0}, slope[TERMS] = {0}, terms[TERMS], num_clicks, most = 0;
  for (size_t t = 0; t < TERMS; t++) {
    hessian[t * TERMS + t] = least_slope;
    slope[t] = t ? -least_slope * b[t] : 0;
  }
  for (size_t j = 0; j < made->clicks->num_docs; j++) {
    double looks = dorm__click_looks(made->clicks, j, &num_clicks);
    if (!(looks > 0))
      continue;
    fill_terms(made, j, looks, terms);
    double expected = looks * exp(fmin(b[0] + b[1] * terms[1] + b[2] * terms[2], 1));
    for (size_t t = 0; t < TERMS; t++) {
      slope[t] += (num_clicks - expected) * terms[t];
      for (size_t u = 0; u < TERMS; u++)
        hessian[t * TERMS + u] += expected * terms[t] * terms[u];
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

/* Fills model [num_docs]; returns phi. */
static double fill_model(const click_terms *made, double *model)
{
  const dorm_clicks *clicks = made->clicks;
  double b[TERMS] = {0}, terms[TERMS], all_looks = 0, all_clicks = 0, num_clicks, squares = 0, excess = 0;
  for (size_t j = 0; j < clicks->num_docs; j++) {
    all_looks += dorm__click_looks(clicks, j, &num_clicks);
    all_clicks += num_clicks;
  }
  b[0] = log(fmax(all_clicks, 0.5) / all_looks);
  for (size_t i = 0; i < MOST_STEPS && step(made, b) > 1e-9; i++) {
  }
  for (size_t j = 0; j < clicks->num_docs; j++) {
    double looks = dorm__click_looks(clicks, j, &num_clicks);
    fill_terms(made, j, looks, terms);
    model[j] = fmax(mean_of(b, terms), 1e-9);
    squares += pow(looks * model[j], 2);
    excess += pow(num_clicks - looks * model[j], 2) - looks * model[j];
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
  double *model = dorm__alloc(clicks->num_docs, sizeof *model);
  if (!model)
    return dorm__out_of_memory(context, "clicks");
  click_terms made = {.clicks = clicks, .scores = scores};
  measure_terms(&made);
  dorm__free(clicks->model);
  clicks->phi = fill_model(&made, model);
  clicks->model = model;
  return DORM_OK;
}
