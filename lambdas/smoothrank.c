/*
 * smoothrank.c: a measure sum_p a[p] b of the document at p, smoothed as in SmoothRank (Chapelle and Wu 2010): each
 * position p holds a mixture of all documents, mostly of those with scores near the score of the document d(p) at p.
 *
 *   h_ip = exp(-(g_i - g_d(p))^2 / sigma^2) / sum_k exp(-(g_k - g_d(p))^2 / sigma^2)
 *   C = -sum_p a[p] B_p,   B_p = sum_i h_ip b_i
 *   -dC/dg_i gets 2 a[p] h_ip (B_p - b_i) (g_i - g_d(p)) / sigma^2 from position p, and g_d(p) gets the opposite
 *   h of i gets 2 a[p] h_ip |b_i - B_p| / sigma^2
 *
 * As sigma tends to 0, -C tends to the measure. For large sigma it hardly depends on the scores. C is continuous and
 * not convex. O(l log l + n l) for a measure of n positions.
 */
#include "lambdas/kinds.h"
#include "lambdas/lambda.h"

#include <math.h>

static const dorm_loss_parameter rows[] = {
    {"sigma", "1", NULL, 1e-9, 1e9, 0, "width of the Gaussians, in units of scores"}, DORM__ROW_ALPHA};

/* Fills `shares` with the share h of each document at the position of document d. Returns B - b of d, which is exactly
 * 0 if all b are equal. */
static double mix(const dorm__lambda_call *call, const double *b, uint32_t d, double *shares)
{
  double sigma = call->lambda->sigma;
  double sum = 0;
  double mixed = 0;
  for (size_t i = 0; i < call->num_docs; i++) {
    double distance = (call->scores[i] - call->scores[d]) / sigma;
    shares[i] = exp(-distance * distance);
    sum += shares[i]; /* at least 1, of d itself */
  }
  for (size_t i = 0; i < call->num_docs; i++) {
    shares[i] /= sum;
    mixed += shares[i] * (b[i] - b[d]);
  }
  return mixed;
}

static dorm_status fill(dorm_context *context, dorm__lambda_call *call)
{
  const dorm__target_query *query = &call->lambda->target->queries[call->query];
  double sigma = call->lambda->sigma;
  double *shares = call->workspace->keys;
  dorm_status status = dorm__lambda_needs_sum(context, call);
  if (status != DORM_OK)
    return status;
  dorm__lambda_rank(call);
  for (size_t p = 0; p < query->depth && p < call->num_docs; p++) {
    uint32_t d = call->workspace->order[p];
    double own = query->b[d];
    double mixed = mix(call, query->b, d, shares);
    for (size_t i = 0; i < call->num_docs; i++) {
      double slope = 2 * query->a[p] * shares[i] * (mixed - (query->b[i] - own)) / (sigma * sigma);
      double force = slope * (call->scores[i] - call->scores[d]);
      call->lambdas[i] += force;
      call->lambdas[d] -= force;
      call->curvature[i] += fabs(slope);
    }
    if (call->cost)
      *call->cost -= query->a[p] * (own + mixed);
  }
  call->num_pairs = dorm__lambda_count_moved(call);
  return DORM_OK;
}

const dorm__lambda_kind dorm__lambda_smoothrank = {
    .info = {"smoothrank", "slope of the measure when each position holds a Gaussian mixture of the documents",
             "SmoothRank (Chapelle and Wu 2010)", 1, 1, 1, sizeof rows / sizeof *rows, rows},
    .fill = fill,
};
