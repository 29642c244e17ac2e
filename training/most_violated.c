/*
 * most_violated.c: the assignment oracle alone: for each query of a data set the ranking that a structured SVM finds
 * most violated at given scores,
 *
 *   maximise  sum_p c[p] g[order[p]] + Delta(order)
 *
 * with the position weights c. Also returns its value. Cost: one oracle call per query, or two for a loss of general
 * costs, since Delta is measured from their least sum.
 */
#include "training/training.h"

/* The data that the calls for all queries share. */
typedef struct oracle_call {
  dorm_context *context;
  const dorm_dataset *dataset;
  dorm__loss_tables *tables;
  dorm__position_weights weights;
  dorm__oracle_workspace *workspace;
  dorm__region memory;
  double *c, *zeros; /* [most documents of a query] */
  uint32_t *order;   /* likewise */
} oracle_call;

static dorm_status solve(const oracle_call *call, const dorm__oracle_plan *plan, size_t query, const double *scores,
                         double t, double *value)
{
  dorm_status status = dorm__oracle_solve(plan, call->workspace, scores, t, call->order, value);
  if (status == DORM_OK)
    return status;
  return dorm__fail(call->context, status, "query '%.80s': a score is not finite, or so large that sums overflow",
                    dorm_dataset_query_id(call->dataset, query));
}

/* Solves one query, with scores and order of the query. */
static dorm_status find(const oracle_call *call, size_t query, const double *scores, size_t *order, double *value,
                        double *delta)
{
  const dorm__query_loss *loss = dorm__loss_tables_query(call->tables, query);
  const double *c = call->weights.kind == DORM__WEIGHTS_OF_LOSS ? loss->a : call->c;
  dorm__oracle_plan *plan = NULL;
  double least = 0;
  if (c == call->c)
    dorm__position_weights_fill(&call->weights, loss->num_docs, call->c);
  dorm_status status =
      loss->cost ? dorm__oracle_plan_new_general(call->context, DORM__ORACLE_AUTO, loss->num_docs, loss->cost, c, &plan)
                 : dorm__oracle_plan_new(call->context, DORM__ORACLE_AUTO, loss->num_docs, loss->a, loss->b, c, &plan);
  if (status == DORM_OK && loss->cost)
    status = solve(call, plan, query, call->zeros, -1, &least);
  if (status == DORM_OK && loss->cost)
    dorm__loss_tables_set_minimum(call->tables, query, -least);
  if (status == DORM_OK)
    status = solve(call, plan, query, scores, 1, NULL);
  dorm__oracle_plan_free(plan);
  if (status != DORM_OK)
    return status;
  *value = *delta = dorm__query_loss_of(loss, call->order);
  for (size_t p = 0; p < loss->num_docs; p++) {
    *value += c[p] * scores[call->order[p]];
    order[p] = call->order[p];
  }
  return status;
}

static dorm_status open_call(oracle_call *call, const dorm__loss *loss, const char *position_weights)
{
  size_t most = dorm__dataset_max_docs(call->dataset);
  if (dorm__loss_is_structured(loss))
    return dorm__fail(call->context, DORM_BAD_USAGE, "loss '%s' has outputs of its own, not rankings",
                      dorm__loss_module_of(loss)->name);
  dorm_status status =
      dorm__position_weights_from(call->context, position_weights ? position_weights : "loss", &call->weights);
  if (status == DORM_OK && call->weights.kind == DORM__WEIGHTS_OF_LOSS && dorm__loss_is_general(loss))
    status = dorm__fail(call->context, DORM_BAD_USAGE,
                        "position_weights: a loss of general costs has none of its own; name others, for example "
                        "power:0.5");
  if (status == DORM_OK)
    status = DORM__ALL(dorm__loss_tables_build(call->context, loss, call->dataset, 1, &call->tables),
                       dorm__oracle_workspace_new(call->context, most, &call->workspace));
  call->c = dorm__region_take_zero(&call->memory, most, sizeof *call->c);
  call->zeros = dorm__region_take_zero(&call->memory, most, sizeof *call->zeros);
  call->order = dorm__region_take_zero(&call->memory, most, sizeof *call->order);
  return status == DORM_OK && call->memory.is_short ? dorm__out_of_memory(call->context, "an oracle") : status;
}

dorm_status dorm_most_violated(dorm_context *context, const char *loss, const dorm_dataset *dataset,
                               const char *position_weights, const double *scores, size_t *order, double *values,
                               double *deltas)
{
  if (DORM__LACKS(context, DORM__GIVEN(loss), DORM__GIVEN(dataset), DORM__GIVEN(scores), DORM__GIVEN(order)))
    return DORM_BAD_USAGE;
  oracle_call call = {.context = context, .dataset = dataset};
  DORM__OWNED(dorm__loss) *opened = NULL;
  dorm_status status = DORM__ALL(dorm__loss_open(context, loss, &opened), open_call(&call, opened, position_weights));
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++) {
    size_t first = dataset->query_start[q];
    double value = 0, delta = 0;
    status = find(&call, q, scores + first, order + first, &value, &delta);
    if (status == DORM_OK && values)
      values[q] = value;
    if (status == DORM_OK && deltas)
      deltas[q] = delta;
  }
  dorm__position_weights_clear(&call.weights);
  dorm__oracle_workspace_free(call.workspace);
  dorm__loss_tables_free(call.tables);
  dorm__region_clear(&call.memory);
  return status;
}
