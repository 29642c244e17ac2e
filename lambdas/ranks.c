/*
 * ranks.c: NDCG of ranks that change smoothly with the scores. With π_ij the degree to which j is above i:
 *
 * approx-ndcg (Qin, Liu and Li 2010) counts all positions. The rank of i is 1 plus the sum of its π_ij:
 *
 *   π_ij = 1/(1 + exp(-σ (g_j - g_i)))      r_i = 1 + sum_j π_ij      C = -sum_i b_i / log2(1 + r_i)
 *
 * softrank (Taylor, Guiver, Robertson and Minka 2008) draws scores from normal distributions around g, and takes all π
 * as independent. The position of i then is a sum of independent draws, and p_i(k) its chance to be at position k:
 *
 *   π_ij = Φ((g_j - g_i) / (√2 sigma))      C = -sum_i b_i sum_k a[k] p_i(k)
 *
 * A first pass over the documents j adds draw j to F, the distribution of the draws so far. A second pass back keeps
 * V[k], the expected a if draws so far sum to k. Draw j changes C by -b_i sum_k F_j[k] (V[k + 1] - V[k]) per π_ij.
 *
 * Let D_ij = -∂C/∂π_ij times the slope of π_ij by g_j. λ_j gains D_ij and λ_i loses it, and h of both gains
 * sigma |D_ij|, or |D_ij| / (√2 sigma). Neither cost is convex. O(l^2), and O(l^2 n) for a measure of n positions.
 */
#include "lambdas/kinds.h"
#include "lambdas/lambda.h"

#include <math.h>

static const dorm_loss_parameter approx_rows[] = {DORM__ROW_SIGMA, DORM__ROW_ALPHA};
static const dorm_loss_parameter soft_rows[] = {{"sigma", "1", NULL, 1e-9, 1e9, 0, "standard deviation of the scores"},
                                                DORM__ROW_ALPHA};

/* Adds the force of pair (i, j) for D = -∂C/∂π_ij and the slope of π_ij by g_j. */
static void add_force(const dorm__lambda_call *call, size_t i, size_t j, double force, double per_score)
{
  call->lambdas[j] += force;
  call->lambdas[i] -= force;
  call->curvature[i] += fabs(force) * per_score;
  call->curvature[j] += fabs(force) * per_score;
}

/* ---- approx-ndcg ------------------------------------------------------------------------------ */

/* Fills b with (2^r - 1) / ideal DCG, or with 0 if no label is above 0. */
static void fill_gains(const dorm__lambda_call *call, double *b)
{
  const uint32_t *order = call->workspace->order;
  double ideal = 0;
  dorm__lambda_order_by_label(call);
  double largest = call->labels[order[0]];
  for (size_t p = 0; p < call->num_docs; p++) {
    b[order[p]] = exp2(call->labels[order[p]] - largest) - exp2(-largest);
    ideal += b[order[p]] / log2((double)p + 2);
  }
  for (size_t j = 0; j < call->num_docs; j++)
    b[j] = largest > 0 && ideal > 0 ? b[j] / ideal : 0;
}

static dorm_status fill_approx(dorm_context *context, dorm__lambda_call *call)
{
  (void)context;
  const double *scores = call->scores;
  double sigma = call->lambda->sigma;
  double *b = call->workspace->keys;
  double *above = call->workspace->sorted;
  fill_gains(call, b);
  for (size_t i = 0; i < call->num_docs; i++) {
    double rank = 1;
    for (size_t j = 0; j < call->num_docs; j++) {
      above[j] = j == i ? 0 : 1 / (1 + exp(sigma * (scores[i] - scores[j])));
      rank += above[j];
    }
    double discount = log2(1 + rank);
    double slope = b[i] / (discount * discount * (1 + rank) * M_LN2);
    for (size_t j = 0; j < call->num_docs; j++)
      add_force(call, i, j, -slope * sigma * above[j] * (1 - above[j]), sigma);
    if (call->cost)
      *call->cost -= b[i] / discount;
  }
  call->num_pairs = dorm__lambda_count_moved(call);
  return DORM_OK;
}

const dorm__lambda_kind dorm__lambda_approx_ndcg = {
    .info = {"approx-ndcg", "slope of NDCG at the ranks r_i = 1 + sum over j of 1 / (1 + exp(sigma (g_i - g_j)))",
             "ApproxNDCG (Qin, Liu and Li 2010)", 0, 1, 1, sizeof approx_rows / sizeof *approx_rows, approx_rows},
    .fill = fill_approx,
};

/* ---- softrank --------------------------------------------------------------------------------- */

/* The scratch of a query. */
typedef struct draw_table {
  size_t depth;   /* n */
  double *before; /* [num_docs][depth] F_j */
  double *worth;  /* [depth + 1] V, 0 at depth */
} draw_table;

/* Fills the F_j of document i, for the chances in `above`, and V with a. */
static void begin_draws(const dorm__lambda_call *call, const double *a, size_t i, const double *above,
                        draw_table *table)
{
  size_t depth = table->depth;
  for (size_t k = 0; k < depth; k++) {
    table->before[k] = k == 0;
    table->worth[k] = a[k];
  }
  table->worth[depth] = 0;
  for (size_t j = 0; j + 1 < call->num_docs; j++) {
    const double *old = table->before + j * depth;
    double *new = table->before + (j + 1) * depth;
    double chance = j == i ? 0 : above[j];
    for (size_t k = 0; k < depth; k++)
      new[k] = old[k] * (1 - chance) + (k ? old[k - 1] * chance : 0);
  }
}

/* Adds the forces of document i, of gain b. Returns its expected a. */
static double add_draws(const dorm__lambda_call *call, double b, size_t i, const double *above, draw_table *table)
{
  double width = sqrt(2) * call->lambda->sigma;
  double *worth = table->worth;
  for (size_t j = call->num_docs; j-- > 0;) {
    const double *before = table->before + j * table->depth;
    double x = (call->scores[j] - call->scores[i]) / width;
    double density = exp(-x * x / 2) / sqrt(2 * M_PI) / width;
    double rise = 0;
    if (j == i)
      continue;
    for (size_t k = 0; k < table->depth; k++) {
      rise += before[k] * (worth[k + 1] - worth[k]);
      worth[k] += above[j] * (worth[k + 1] - worth[k]);
    }
    add_force(call, i, j, b * rise * density, 1 / width);
  }
  return worth[0];
}

static dorm_status fill_softrank(dorm_context *context, dorm__lambda_call *call)
{
  const dorm__target_query *query = &call->lambda->target->queries[call->query];
  double width = sqrt(2) * call->lambda->sigma;
  double *above = call->workspace->sorted;
  size_t depth = query->depth < call->num_docs ? query->depth : call->num_docs;
  dorm_status status = dorm__lambda_needs_sum(context, call);
  if (status != DORM_OK)
    return status;
  DORM__FREED double *room = dorm__alloc(call->num_docs * depth + depth + 1, sizeof *room);
  if (!room)
    return dorm__out_of_memory(context, "a lambda-function");
  draw_table table = {depth, room, room + call->num_docs * depth};
  for (size_t i = 0; i < call->num_docs; i++) {
    if (query->b[i] == 0)
      continue;
    for (size_t j = 0; j < call->num_docs; j++)
      above[j] = erfc((call->scores[i] - call->scores[j]) / width / sqrt(2)) / 2;
    begin_draws(call, query->a, i, above, &table);
    double expected = add_draws(call, query->b[i], i, above, &table);
    if (call->cost)
      *call->cost -= query->b[i] * expected;
  }
  call->num_pairs = dorm__lambda_count_moved(call);
  return DORM_OK;
}

const dorm__lambda_kind dorm__lambda_softrank = {
    .info = {"softrank",
             "slope of the expected measure, when scores are normal and documents are drawn above others apart",
             "SoftRank (Taylor et al. 2008)", 1, 1, 1, sizeof soft_rows / sizeof *soft_rows, soft_rows},
    .fill = fill_softrank,
};
