/*
 * per_document.c: functions that treat one document at a time (Donmez, Svore and Burges 2009, section 7). Documents are
 * in the order of their scores. D(p, q) is the change of the measure when positions p and q change places.
 *
 *   local-gradient    "the change in accuracy with respect to the difference in scores between two adjacent documents
 *                     [...] A margin is added": with d = σ (difference of the two scores) + margin, to pass the
 *                     document above is worth D(p - 1, p) / d for each unit of score, and to let the document below
 *                     pass is worth -D(p, p + 1) / d. λ is the mean of the two, or the only one at the ends of the
 *                     ranking. At the ends the two forces of a pair are not opposite, so no cost exists. h is the
 *                     same mean of σ |D| / d^2.
 *   discrete-bounded  "the change in accuracy when a document is moved to its ideal position [...] upper-bounded by
 *                     1": t is the position of the document after a stable sort of the ranking by label, and the
 *                     document at t changes places with it. λ has the size min(1, D(p, t)) and points upwards if t is
 *                     above p, downwards if t is below p. h = 0, since λ is constant unless the order changes.
 *
 * O(l log l), but for `discrete-bounded` O(l^2) in the worst case.
 */
#include "lambdas/kinds.h"
#include "lambdas/lambda.h"

#include <math.h>

static const dorm_loss_parameter gradient_rows[] = {
    {"margin", "1", NULL, 1e-9, 1e9, 0, "added to the difference of two scores"}, DORM__ROW_SIGMA, DORM__ROW_ALPHA};
static const dorm_loss_parameter bounded_rows[] = {DORM__ROW_ALPHA};

static void rank_and_begin(const dorm__lambda_call *call)
{
  dorm__lambda_rank(call);
  dorm__swap_begin(call->lambda->target, call->query, call->workspace->order, &call->workspace->swap);
}

/* Adds an estimate to λ and h of one document. */
static void add_estimate(dorm__lambda_call *call, uint32_t doc, size_t position, double slope, double bend)
{
  bool is_at_end = position == 0 || position + 1 == call->num_docs;
  double share = is_at_end ? 1 : 0.5;
  call->lambdas[doc] += share * slope;
  call->curvature[doc] += share * bend;
}

static dorm_status fill_gradient(dorm_context *context, dorm__lambda_call *call)
{
  (void)context;
  const uint32_t *order = call->workspace->order;
  double margin = dorm__lambda_number(call->lambda, "margin");
  double sigma = call->lambda->sigma;
  rank_and_begin(call);
  for (size_t p = 0; p + 1 < call->num_docs; p++) {
    uint32_t upper = order[p];
    uint32_t lower = order[p + 1];
    double change;
    dorm__swap_row(&call->workspace->swap, p, p + 2, &change);
    if (change == 0)
      continue;
    double distance = sigma * (call->scores[upper] - call->scores[lower]) + margin;
    double bend = sigma * fabs(change) / (distance * distance);
    add_estimate(call, upper, p, -change / distance, bend);
    add_estimate(call, lower, p + 1, change / distance, bend);
    call->num_pairs++;
  }
  return DORM_OK;
}

static dorm_status fill_bounded(dorm_context *context, dorm__lambda_call *call)
{
  (void)context;
  dorm__lambda_workspace *workspace = call->workspace;
  const uint32_t *order = workspace->order;
  uint32_t *ideal = workspace->other_order;
  double *row = workspace->pairs.weights;
  rank_and_begin(call);
  for (size_t p = 0; p < call->num_docs; p++)
    workspace->keys[p] = call->labels[order[p]];
  dorm__sort_descending(call->num_docs, workspace->keys, ideal, workspace->sorted, &workspace->sort);
  for (size_t t = 0; t < call->num_docs; t++) {
    size_t p = ideal[t]; /* the document at position p belongs at position t */
    if (p == t)
      continue;
    size_t upper = p < t ? p : t;
    size_t lower = p < t ? t : p;
    dorm__swap_row(&workspace->swap, upper, lower + 1, row);
    double change = fmin(1, row[lower - upper - 1]);
    call->lambdas[order[p]] = t < p ? change : -change;
  }
  call->num_pairs = dorm__lambda_count_moved(call);
  return DORM_OK;
}

const dorm__lambda_kind dorm__lambda_local_gradient = {
    .info = {"local-gradient",
             "mean over the neighbours of j of the change of the measure when j passes one, over sigma times the "
             "difference of their scores plus a margin",
             "Donmez, Svore and Burges 2009, section 7", 1, 0, 0, sizeof gradient_rows / sizeof *gradient_rows,
             gradient_rows},
    .fill = fill_gradient,
};

const dorm__lambda_kind dorm__lambda_discrete_bounded = {
    .info = {"discrete-bounded", "min(1, change of the measure when j takes its ideal position), towards it",
             "Donmez, Svore and Burges 2009, section 7", 1, 0, 0, sizeof bounded_rows / sizeof *bounded_rows,
             bounded_rows},
    .fill = fill_bounded,
};
