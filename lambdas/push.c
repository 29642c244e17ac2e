/*
 * push.c: the p-norm push (Rudin 2009) with the logistic cost, which presses the highest of the less relevant documents
 * down most. Document k is pressed by all documents i of larger label. With ρ_ik = 1/(1 + exp(σ (g_i - g_k))):
 *
 *   L_k = 1/σ sum_i log(1 + exp(-σ (g_i - g_k)))      C = 1/p sum_k L_k^p
 *   λ_i gains L_k^(p-1) ρ_ik, λ_k loses it            h are the second derivatives of C
 *
 * C is convex. p = 1 is ranknet; as p grows, C tends to the infinite push, which sees the largest L_k alone. O(l^2).
 */
#include "lambdas/kinds.h"
#include "lambdas/lambda.h"

#include <math.h>

static const dorm_loss_parameter rows[] = {
    {"power", "4", NULL, 1, 100, 0, "the p of the norm; 1: ranknet"}, DORM__ROW_SIGMA, DORM__ROW_ALPHA};

static double share_of(const dorm__lambda_call *call, size_t i, size_t k)
{
  return 1 / (1 + exp(call->lambda->sigma * (call->scores[i] - call->scores[k])));
}

/* Returns L_k. */
static double pressure(const dorm__lambda_call *call, size_t k)
{
  double sigma = call->lambda->sigma;
  double sum = 0;
  for (size_t i = 0; i < call->num_docs; i++)
    if (call->labels[i] > call->labels[k])
      sum += dorm__softplus(-sigma * (call->scores[i] - call->scores[k])) / sigma;
  return sum;
}

static void press(dorm__lambda_call *call, size_t k, double power)
{
  double sigma = call->lambda->sigma;
  double total = pressure(call, k);
  double weight = pow(total, power - 1);
  double shares = 0;
  if (total <= 0)
    return;
  double bend = (power - 1) * weight / total;
  for (size_t i = 0; i < call->num_docs; i++) {
    if (call->labels[i] <= call->labels[k])
      continue;
    double share = share_of(call, i, k);
    double own = weight * sigma * share * (1 - share);
    shares += share;
    call->lambdas[i] += weight * share;
    call->lambdas[k] -= weight * share;
    call->curvature[i] += own + bend * share * share;
    call->curvature[k] += own;
    call->num_pairs += weight * share > 0;
  }
  call->curvature[k] += bend * shares * shares;
  if (call->cost)
    *call->cost += weight * total / power;
}

static dorm_status fill(dorm_context *context, dorm__lambda_call *call)
{
  (void)context;
  double power = dorm__lambda_number(call->lambda, "power");
  for (size_t k = 0; k < call->num_docs; k++)
    press(call, k, power);
  return DORM_OK;
}

const dorm__lambda_kind dorm__lambda_push = {
    .info = {"p-norm-push",
             "the lambda_ij of ranknet times (cost of the pairs of the less relevant document)^(power - 1)",
             "the p-norm push (Rudin 2009) with the logistic cost", 0, 1, 1, sizeof rows / sizeof *rows, rows},
    .fill = fill,
};
