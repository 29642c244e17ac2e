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
#include "losses/losses.h"

#include <math.h>

static const dorm_loss_parameter rows[] = {DORM__ROW_SIGMA, DORM__ROW_ALPHA};

enum { NUM_ROWS = sizeof rows / sizeof *rows };

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
  dorm_status status = dorm__loss_find_worst(context, dorm__target_structured_loss(lambda->target), lambda->dataset,
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
  size_t depth = dorm__target_query_of(target, call->query)->depth;
  if (dorm__target_form_of(target) == DORM__TARGET_PRODUCT && depth <= DORM__MOST_TOP_SORTED)
    dorm__sort_top(call->num_docs, depth < call->num_docs ? depth : call->num_docs, call->scores,
                   call->workspace->order);
  else
    dorm__lambda_rank(call);
}

static void begin_swaps(const dorm__lambda_call *call)
{
  const dorm__lambda *lambda = call->lambda;
  dorm__lambda_workspace *workspace = call->workspace;
  dorm__swap_begin(lambda->target, call->query, workspace->order, &workspace->swap);
  dorm__pairs_begin(call->num_docs, workspace->order, call->scores, call->labels, lambda->sigma, &workspace->pairs);
}

static void end_swaps(dorm__lambda_call *call)
{
  dorm__pairs_end(&call->workspace->pairs, call->workspace->order, call->lambdas, call->curvature);
  call->num_pairs = (size_t)call->workspace->pairs.count;
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

/* Adds the forces weighted by swaps. Changes below `least` count as 0. */
static void fill_swaps(dorm__lambda_call *call, double least)
{
  dorm__swap *swap = &call->workspace->swap;
  dorm__pairs *pairs = &call->workspace->pairs;
  rank_for_swaps(call);
  begin_swaps(call);
  for (size_t p = 0; p < swap->depth; p++) {
    dorm__swap_row(swap, p, call->num_docs, pairs->weights + p + 1);
    for (size_t q = p + 1; q < call->num_docs; q++)
      pairs->weights[q] = pairs->weights[q] < least ? 0 : pairs->weights[q];
    take_changes(call, p, call->num_docs);
    dorm__pairs_add_row(pairs, p, p + 1, call->num_docs);
  }
  end_swaps(call);
}

static dorm_status fill_weight_pairs(dorm_context *context, dorm__lambda_call *call)
{
  if (dorm__target_form_of(call->lambda->target) == DORM__TARGET_STRUCTURED)
    return fill_structured(context, call);
  fill_swaps(call, -INFINITY);
  return DORM_OK;
}

static dorm_status fill_misranked_pairs(dorm_context *context, dorm__lambda_call *call)
{
  (void)context;
  fill_swaps(call, 0);
  return DORM_OK;
}

static dorm_status fill_spring_smooth(dorm_context *context, dorm__lambda_call *call)
{
  (void)context;
  dorm__swap *swap = &call->workspace->swap;
  dorm__pairs *pairs = &call->workspace->pairs;
  dorm__lambda_rank(call);
  begin_swaps(call);
  double per_unit = swap->query->unit > 0 ? 1 / swap->query->unit : 0;
  for (size_t p = 0; p < call->num_docs; p++) {
    dorm__swap_row(swap, p, call->num_docs, pairs->weights + p + 1);
    take_changes(call, p, call->num_docs);
    for (size_t q = p + 1; q < call->num_docs; q++)
      pairs->weights[q] = fmax(1, pairs->weights[q] * per_unit);
    dorm__pairs_add_row(pairs, p, p + 1, call->num_docs);
  }
  end_swaps(call);
  return DORM_OK;
}

static dorm_status fill_local_cost(dorm_context *context, dorm__lambda_call *call)
{
  (void)context;
  dorm__pairs *pairs = &call->workspace->pairs;
  dorm__lambda_rank(call);
  begin_swaps(call);
  for (size_t p = 0; p + 1 < call->num_docs; p++) {
    dorm__swap_row(&call->workspace->swap, p, p + 2, pairs->weights + p + 1);
    take_changes(call, p, p + 2);
    dorm__pairs_add_row(pairs, p, p + 1, p + 2);
  }
  end_swaps(call);
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

const dorm__lambda_kind dorm__lambda_local_cost = {
    .info = {"local-cost", "the lambda_ij of ranknet-weight-pairs for neighbours in the ranking alone",
             "Donmez, Svore and Burges 2009, section 7", 1, 0, 1, NUM_ROWS, rows},
    .fill = fill_local_cost,
};
