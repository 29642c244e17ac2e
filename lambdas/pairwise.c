/*
 * pairwise.c: functions whose force is RankNet's between pairs of different label, times a weight |ΔM_ij| (Donmez,
 * Svore and Burges 2009, equations 6 and 7). The factor 1/(1 + exp(S σ o)) is the derivative of the RankNet cost.
 *
 *   ranknet               weight 1. C = 1/σ sum of log(1 + exp(-σ S_ij (g_i - g_j))) over the pairs, which is convex.
 *                         O(pairs): the documents are taken by falling label, so that no pair of equal label is met
 *   ranknet-weight-pairs  weight |ΔM_ij| of the swap of i and j. It is 0 for pairs without a document at the first n
 *                         positions, the truncation of the measure: O(n l). A structured loss has values for
 *                         outputs, not for rankings; for it λ = -coefficients of the most violated output, which is
 *                         minus the gradient of C = max over y of Delta(y) + sum_j coefficient_j(y) g_j (plugin.h)
 *   misranked-pairs       the same for pairs whose swap raises M: j is above i, but should be below. For MRR these are
 *                         equations 10 and 11 (ibid.), by which only irrelevant documents above the first relevant one
 *                         have a force. For MAP these are equations 8 and 9, in which "documents i and j are misranked"
 *   spring-smooth         weight max(1, |ΔM_ij| / u), "the gain obtained by swapping a pair is lower-bounded by 1"
 *                         (ibid., section 7). The unit u of the gain is the weight of the first position times the
 *                         smallest difference of two documents' gains. For labels 0 and 1 it is 1 in DCG and
 *                         1/(ideal DCG) in NDCG
 *   lambdaloss            weight |ΔM_ij| + mu |a[d - 1] - a[d]| |b_i - b_j| at distance d in the ranking, for M a sum
 *                         of a times b over positions: NDCG-Loss2++ of Wang, Li, Golbandi, Bendersky and Najork 2018
 *   local-cost            weight |ΔM_ij| for neighbours in the ranking only, "a cost based on a document's neighbors"
 *                         (ibid.): the RankNet cost of j with the documents just above and below it. O(l log l)
 *
 * In measures with groups or subtopics, the document with the larger label is not always better above, because a second
 * document of a group is worth nothing. For them, S_ij is the sign of ΔM_ij: i rises if the measure is larger with i
 * above j, also for pairs of equal label. If the swap changes nothing, labels decide. Only spring-smooth has a force
 * for such pairs.
 */
#include "lambdas/kinds.h"
#include "lambdas/lambda.h"

#include <math.h>

static const dorm_loss_parameter rows[] = {DORM__ROW_SIGMA, DORM__ROW_ALPHA};

enum { NUM_ROWS = sizeof rows / sizeof *rows };

static const dorm_loss_parameter lambdaloss_rows[] = {
    {"mu", "10", NULL, 0, 1e9, 0, "factor of the weight by distance; 0: ranknet-weight-pairs"},
    DORM__ROW_SIGMA,
    DORM__ROW_ALPHA};

/* ---- ranknet --------------------------------------------------------------------------- */

/* Returns the cost of the pairs of place i with the places of smaller label. */
static double row_cost(const dorm__pairs *pairs, size_t i, size_t begin)
{
  double sum = 0;
  for (size_t k = begin; k < pairs->num_docs; k++)
    sum += dorm__softplus(-pairs->sigma * (pairs->scores[i] - pairs->scores[k]));
  return sum / pairs->sigma;
}

static dorm_status fill_ranknet(dorm_context *context, dorm__lambda_call *call)
{
  (void)context;
  dorm__pairs *pairs = &call->workspace->pairs;
  dorm__lambda_order_by_label(call);
  dorm__pairs_begin(call->num_docs, call->workspace->order, call->scores, call->labels, call->lambda->sigma, pairs);
  for (size_t begin = 0, end = 0; begin < call->num_docs; begin = end) {
    while (end < call->num_docs && pairs->labels[end] == pairs->labels[begin])
      end++;
    for (size_t i = begin; i < end; i++) {
      for (size_t k = end; k < call->num_docs; k++)
        pairs->weights[k] = 1;
      dorm__pairs_add_row(pairs, i, end, call->num_docs);
      if (call->cost)
        *call->cost += row_cost(pairs, i, end);
    }
  }
  dorm__pairs_end(pairs, call->workspace->order, call->lambdas, call->curvature);
  call->num_pairs = (size_t)pairs->count;
  return DORM_OK;
}

/* ---- Weights of swaps ---------------------------------------------------------------------- */

static dorm_status fill_structured(dorm_context *context, dorm__lambda_call *call)
{
  const dorm__lambda *lambda = call->lambda;
  double delta = 0;
  dorm_status status = dorm__loss_find_worst(context, dorm__measure_loss(lambda->target->measure), lambda->dataset,
                                             call->query, call->scores, call->lambdas, &delta);
  if (status != DORM_OK)
    return dorm__fail_within(context, status, "query '%.80s'", dorm_dataset_query_id(lambda->dataset, call->query));
  for (size_t j = 0; j < call->num_docs; j++) {
    delta += call->lambdas[j] * call->scores[j];
    call->lambdas[j] = call->lambdas[j] != 0 ? -call->lambdas[j] : 0;
  }
  if (call->cost)
    *call->cost = delta;
  call->num_pairs = dorm__lambda_count_moved(call);
  return DORM_OK;
}

/* Ranks the documents as far as the measure depends on their order. In the product form with a small truncation, the
 * order after the truncation is arbitrary. */
static void rank_for_swaps(const dorm__lambda_call *call)
{
  const dorm__target *target = call->lambda->target;
  dorm__lambda_workspace *workspace = call->workspace;
  size_t depth = target->queries[call->query].depth;
  size_t top = target->form == DORM__TARGET_PRODUCT && depth < call->num_docs ? depth : call->num_docs;
  dorm__sort_first(call->num_docs, top, call->scores, workspace->order, workspace->sorted, &workspace->sort);
}

/* Turns the changes of a row of swaps into the weights |ΔM| of the pairs of place p. If the measure has groups or
 * subtopics, also sets the labels of the row: 0 at p, and more at places whose document would be better at p. */
static void take_changes(const dorm__lambda_call *call, size_t p, size_t end)
{
  const uint32_t *order = call->workspace->order;
  dorm__pairs *pairs = &call->workspace->pairs;
  if (!dorm__target_follows_labels(call->lambda->target)) {
    pairs->labels[p] = 0;
    for (size_t q = p + 1; q < end; q++)
      pairs->labels[q] = pairs->weights[q] != 0 ? pairs->weights[q] : call->labels[order[q]] - call->labels[order[p]];
  }
  for (size_t q = p + 1; q < end; q++)
    pairs->weights[q] = fabs(pairs->weights[q]);
}

/* Adds the forces between each place and the `reach` places below it, weighted by swaps, for ranked documents. Changes
 * below `least` count as 0. If per_unit >= 0, weights are multiplied by it, but are at least 1. */
static void add_swaps(dorm__lambda_call *call, size_t reach, double least, double per_unit)
{
  dorm__swap *swap = &call->workspace->swap;
  dorm__pairs *pairs = &call->workspace->pairs;
  const uint32_t *order = call->workspace->order;
  dorm__swap_begin(call->lambda->target, call->query, order, swap);
  dorm__pairs_begin(call->num_docs, order, call->scores, call->labels, call->lambda->sigma, pairs);
  size_t num_rows = per_unit >= 0 ? call->num_docs : swap->depth;
  for (size_t p = 0; p < num_rows; p++) {
    size_t end = reach < call->num_docs - p ? p + 1 + reach : call->num_docs;
    dorm__swap_row(swap, p, end, pairs->weights + p + 1);
    for (size_t q = p + 1; q < end; q++)
      pairs->weights[q] = pairs->weights[q] < least ? 0 : pairs->weights[q];
    take_changes(call, p, end);
    for (size_t q = p + 1; per_unit >= 0 && q < end; q++)
      pairs->weights[q] = fmax(1, pairs->weights[q] * per_unit);
    dorm__pairs_add_row(pairs, p, p + 1, end);
  }
  dorm__pairs_end(pairs, order, call->lambdas, call->curvature);
  call->num_pairs = (size_t)pairs->count;
}

static dorm_status fill_weight_pairs(dorm_context *context, dorm__lambda_call *call)
{
  if (call->lambda->target->form == DORM__TARGET_STRUCTURED)
    return fill_structured(context, call);
  rank_for_swaps(call);
  add_swaps(call, SIZE_MAX, -INFINITY, -1);
  return DORM_OK;
}

static dorm_status fill_misranked_pairs(dorm_context *context, dorm__lambda_call *call)
{
  (void)context;
  rank_for_swaps(call);
  add_swaps(call, SIZE_MAX, 0, -1);
  return DORM_OK;
}

static dorm_status fill_spring_smooth(dorm_context *context, dorm__lambda_call *call)
{
  (void)context;
  double unit = call->lambda->target->queries[call->query].unit;
  dorm__lambda_rank(call);
  add_swaps(call, SIZE_MAX, -INFINITY, unit > 0 ? 1 / unit : 0);
  return DORM_OK;
}

static dorm_status fill_lambdaloss(dorm_context *context, dorm__lambda_call *call)
{
  const double *a = call->lambda->target->queries[call->query].a;
  dorm__swap *swap = &call->workspace->swap;
  dorm__pairs *pairs = &call->workspace->pairs;
  const uint32_t *order = call->workspace->order;
  double mu = dorm__lambda_number(call->lambda, "mu");
  dorm_status status = dorm__lambda_needs_sum(context, call);
  if (status != DORM_OK)
    return status;
  dorm__lambda_rank(call);
  dorm__swap_begin(call->lambda->target, call->query, order, swap);
  dorm__pairs_begin(call->num_docs, order, call->scores, call->labels, call->lambda->sigma, pairs);
  for (size_t p = 0; p < call->num_docs; p++) {
    dorm__swap_row(swap, p, call->num_docs, pairs->weights + p + 1);
    for (size_t q = p + 1; q < call->num_docs; q++)
      pairs->weights[q] = fabs(pairs->weights[q]) + mu * fabs((a[q - p - 1] - a[q - p]) * (swap->b[p] - swap->b[q]));
    dorm__pairs_add_row(pairs, p, p + 1, call->num_docs);
  }
  dorm__pairs_end(pairs, order, call->lambdas, call->curvature);
  call->num_pairs = (size_t)pairs->count;
  return DORM_OK;
}

static dorm_status fill_local_cost(dorm_context *context, dorm__lambda_call *call)
{
  (void)context;
  dorm__lambda_rank(call);
  add_swaps(call, 1, -INFINITY, -1);
  return DORM_OK;
}

/* ---- The functions --------------------------------------------------------------------------- */

const dorm__lambda_kind dorm__lambda_ranknet = {
    .info = {"ranknet", "lambda_ij = S_ij / (1 + exp(S_ij sigma (g_i - g_j))), pairs of different label",
             "RankNet (Burges et al. 2005); Donmez, Svore and Burges 2009, equations 4 to 6", 0, 1, 1, NUM_ROWS, rows},
    .fill = fill_ranknet,
};

const dorm__lambda_kind dorm__lambda_weight_pairs = {
    .info = {"ranknet-weight-pairs",
             "the lambda_ij of ranknet times |change of the measure when i and j swap positions|",
             "LambdaRank; Donmez, Svore and Burges 2009, equation 7", 1, 0, 1, NUM_ROWS, rows},
    .takes_structured = true,
    .fill = fill_weight_pairs,
};

const dorm__lambda_kind dorm__lambda_misranked_pairs = {
    .info = {"misranked-pairs", "the lambda_ij of ranknet-weight-pairs for pairs whose swap raises the measure",
             "LambdaRank; Donmez, Svore and Burges 2009, equations 8 to 11", 1, 0, 1, NUM_ROWS, rows},
    .fill = fill_misranked_pairs,
};

const dorm__lambda_kind dorm__lambda_spring_smooth = {
    .info = {"spring-smooth", "the lambda_ij of ranknet times max(1, |change of the measure| / unit)",
             "Donmez, Svore and Burges 2009, section 7", 1, 0, 1, NUM_ROWS, rows},
    .fill = fill_spring_smooth,
};

const dorm__lambda_kind dorm__lambda_lambdaloss = {
    .info = {"lambdaloss", "the lambda_ij of ranknet times (|change of the measure| + mu times a weight by distance)",
             "NDCG-Loss2++ (Wang et al. 2018)", 1, 0, 1, sizeof lambdaloss_rows / sizeof *lambdaloss_rows,
             lambdaloss_rows},
    .fill = fill_lambdaloss,
};

const dorm__lambda_kind dorm__lambda_local_cost = {
    .info = {"local-cost", "the lambda_ij of ranknet-weight-pairs for neighbours in the ranking alone",
             "Donmez, Svore and Burges 2009, section 7", 1, 0, 1, NUM_ROWS, rows},
    .fill = fill_local_cost,
};

/* ---- Margin ---------------------------------------------------------------------------------------- */

/* Constant forces that end at a margin (Burges, "Ranking as Learning Structured Outputs", equations 4 to 9).
 * For a pair of different label, with x = S_ij σ (g_i - g_j):
 *
 *   x < 0           λ_ij = S_ij              C = -x / σ
 *   0 <= x <= δ     λ_ij = S_ij (δ - x)      C = (x^2/2 - δ x) / σ
 *   x > δ           0                        C = -δ^2 / (2 σ)
 *
 * C is continuous. At x = 0 its slope jumps from -1 to -δ unless δ is 1, so C is convex for δ <= 1 and has a concave
 * kink for δ > 1. O(pairs of different label), since documents are visited by falling label. */

static const dorm_loss_parameter margin_rows[] = {
    {"delta", "1", NULL, 0, 1e9, 0, "the margin, as in margin:0.5"}, DORM__ROW_SIGMA, DORM__ROW_ALPHA};

static double margin_cost(double x, double delta)
{
  if (x < 0)
    return -x;
  return x <= delta ? x * x / 2 - delta * x : -delta * delta / 2;
}

static dorm_status fill_margin(dorm_context *context, dorm__lambda_call *call)
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
          *call->cost += margin_cost(x, delta) / sigma;
      }
  }
  return DORM_OK;
}

const dorm__lambda_kind dorm__lambda_margin = {
    .info = {"margin", "S_ij for x < 0, S_ij (delta - x) for 0 <= x <= delta, 0 beyond, x = S_ij sigma (g_i - g_j)",
             "Burges, Ranking as Learning Structured Outputs, equations 4 to 9", 0, 1, 1,
             sizeof margin_rows / sizeof *margin_rows, margin_rows},
    .fill = fill_margin,
};
