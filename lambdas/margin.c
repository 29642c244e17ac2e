/*
 * margin.c: constant forces that end at a margin (Burges, "Ranking as Learning Structured Outputs", equations 4 to 9).
 * For a pair of different label, with x = S_ij σ (g_i - g_j):
 *
 *   x < 0           λ_ij = S_ij              C = -x / σ
 *   0 <= x <= δ     λ_ij = S_ij (δ - x)      C = (x^2/2 - δ x) / σ
 *   x > δ           0                        C = -δ^2 / (2 σ)
 *
 * C is continuous. At x = 0 its slope jumps from -1 to -δ unless δ is 1, so C is convex for δ <= 1 and has a concave
 * kink for δ > 1. O(pairs of different label), since documents are visited by falling label.
 */
#include "lambdas/kinds.h"
#include "lambdas/lambda.h"

#include <math.h>

static const dorm_loss_parameter rows[] = {
    {"delta", "1", NULL, 0, 1e9, 0, "the margin, as in margin:0.5"}, DORM__ROW_SIGMA, DORM__ROW_ALPHA};

static double cost_of(double x, double delta)
{
  if (x < 0)
    return -x;
  return x <= delta ? x * x / 2 - delta * x : -delta * delta / 2;
}

static dorm_status fill(dorm_context *context, dorm__lambda_call *call)
{
  (void)context;
  const uint32_t *order = call->workspace->order;
  double sigma = call->lambda->sigma;
  double delta = dorm__lambda_number(call->lambda, "delta");
  dorm__lambda_order_by_label(call);
  for (size_t begin = 0, end = 0; begin < call->num_docs; begin = end) {
    while (end < call->num_docs && call->labels[order[end]] == call->labels[order[begin]])
      end++;
    for (size_t i = begin; i < end; i++)
      for (size_t k = end; k < call->num_docs; k++) {
        uint32_t upper = order[i];
        uint32_t lower = order[k];
        double x = sigma * (call->scores[upper] - call->scores[lower]);
        double force = x < 0 ? 1 : x <= delta ? delta - x : 0;
        double bend = x >= 0 && x <= delta ? sigma : 0;
        call->lambdas[upper] += force;
        call->lambdas[lower] -= force;
        call->curvature[upper] += bend;
        call->curvature[lower] += bend;
        call->num_pairs += force != 0;
        if (call->cost)
          *call->cost += cost_of(x, delta) / sigma;
      }
  }
  return DORM_OK;
}

const dorm__lambda_kind dorm__lambda_margin = {
    .info = {"margin", "S_ij for x < 0, S_ij (delta - x) for 0 <= x <= delta, 0 beyond, x = S_ij sigma (g_i - g_j)",
             "Burges, Ranking as Learning Structured Outputs, equations 4 to 9", 0, 1, 1, sizeof rows / sizeof *rows,
             rows},
    .fill = fill,
};
