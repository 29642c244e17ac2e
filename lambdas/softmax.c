/*
 * softmax.c: functions of the probability that a document is chosen first, exp(σ g_j) / sum_k exp(σ g_k).
 *
 * softmax is ListNet's top-one cross entropy (Cao, Qin, Liu, Tsai and Li 2007). With y_j = exp(r_j) / sum_k exp(r_k) of
 * the labels and p_j = exp(σ g_j) / sum_k exp(σ g_k):
 *
 *   C = -1/σ sum_j y_j log p_j      λ = y - p      h = σ p (1 - p)
 *
 * C is convex. A query of one level also has gradients, which pull its scores together. O(l).
 *
 * listmle is ListMLE (Xia, Liu, Wang, Zhang and Li 2008): the likelihood of the ranking by label, in which each
 * document is chosen before all documents of smaller label. Documents of equal label do not compete. With z_i the
 * logarithm of the sum of exp(σ g) over i and the documents k of smaller label, and q_ik = exp(σ g_k - z_i),
 *
 *   C = 1/σ sum_i z_i - σ g_i      λ_i gains 1 - q_ii, λ_k loses q_ik      h_k gains σ q_ik (1 - q_ik)
 *
 * C is convex. O(pairs).
 */
#include "lambdas/kinds.h"
#include "lambdas/lambda.h"

#include <math.h>

static const dorm_loss_parameter rows[] = {DORM__ROW_SIGMA, DORM__ROW_ALPHA};

/* Fills shares[count] with exp(factor x_j) / sum. Returns the logarithm of the sum. */
static double softmax(size_t count, double factor, const double *x, double *shares)
{
  double largest = x[0];
  double sum = 0;
  for (size_t j = 1; j < count; j++)
    largest = x[j] > largest ? x[j] : largest;
  for (size_t j = 0; j < count; j++) {
    shares[j] = exp(factor * (x[j] - largest));
    sum += shares[j];
  }
  for (size_t j = 0; j < count; j++)
    shares[j] /= sum;
  return factor * largest + log(sum);
}

static dorm_status fill(dorm_context *context, dorm__lambda_call *call)
{
  (void)context;
  double sigma = call->lambda->sigma;
  double *wanted = call->workspace->keys;
  double *given = call->workspace->sorted;
  softmax(call->num_docs, 1, call->labels, wanted);
  double log_sum = softmax(call->num_docs, sigma, call->scores, given);
  for (size_t j = 0; j < call->num_docs; j++) {
    call->lambdas[j] = wanted[j] - given[j];
    call->curvature[j] = sigma * given[j] * (1 - given[j]);
    if (call->cost)
      *call->cost += wanted[j] * (log_sum - sigma * call->scores[j]) / sigma;
  }
  call->num_pairs = dorm__lambda_count_moved(call);
  return DORM_OK;
}

const dorm__lambda_kind dorm__lambda_softmax = {
    .info = {"softmax", "softmax of the labels - softmax of sigma g",
             "ListNet's top-one cross entropy (Cao et al. 2007)", 0, 1, 1, sizeof rows / sizeof *rows, rows},
    .fill = fill,
};

/* Adds the terms of choosing document i. */
static void add_choice(dorm__lambda_call *call, size_t i)
{
  const double *labels = call->labels;
  const double *scores = call->scores;
  double sigma = call->lambda->sigma;
  double largest = scores[i];
  double sum = 0;
  for (size_t k = 0; k < call->num_docs; k++)
    largest = labels[k] < labels[i] ? fmax(largest, scores[k]) : largest;
  for (size_t k = 0; k < call->num_docs; k++)
    sum += k == i || labels[k] < labels[i] ? exp(sigma * (scores[k] - largest)) : 0;
  for (size_t k = 0; k < call->num_docs; k++) {
    if (k != i && labels[k] >= labels[i])
      continue;
    double share = exp(sigma * (scores[k] - largest)) / sum;
    call->lambdas[k] += (k == i) - share;
    call->curvature[k] += sigma * share * (1 - share);
    call->num_pairs += k != i;
  }
  if (call->cost)
    *call->cost += largest - scores[i] + log(sum) / sigma;
}

static dorm_status fill_listmle(dorm_context *context, dorm__lambda_call *call)
{
  (void)context;
  for (size_t i = 0; i < call->num_docs; i++)
    add_choice(call, i);
  return DORM_OK;
}

const dorm__lambda_kind dorm__lambda_listmle = {
    .info = {"listmle",
             "1 - the chance to be chosen before documents of smaller label - the chances to be chosen early",
             "ListMLE (Xia et al. 2008), in which documents of equal label do not compete", 0, 1, 1,
             sizeof rows / sizeof *rows, rows},
    .fill = fill_listmle,
};
