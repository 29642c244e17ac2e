/*
 * at.c: computes λ of one query, or of all queries of a data set in parallel, by the steps that all functions share.
 * Scores are checked to be finite, and outputs start at 0. At the end α g_j is subtracted from λ_j, "which amounts to
 * adding a positive constant along the diagonal of the Hessian" (Burges, "Ranking as Learning Structured Outputs",
 * section 3). The cost becomes C + α/2 sum_j g_j^2.
 */
#include "base/status.h"
#include "base/team.h"
#include "lambdas/lambda.h"
#include "lambdas/lambdas.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* ---- Workspaces ---------------------------------------------------------------------- */

dorm_status dorm__lambda_workspace_new(dorm_context *context, const dorm__lambda *lambda,
                                       dorm__lambda_workspace **workspace)
{
  size_t max_docs = dorm__dataset_max_docs(lambda->dataset);
  *workspace = NULL;
  dorm__lambda_workspace *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a lambda-function");
  made->max_docs = max_docs;
  made->keys = dorm__region_take(&made->memory, max_docs, sizeof *made->keys);
  made->sorted = dorm__region_take(&made->memory, max_docs, sizeof *made->sorted);
  made->order = dorm__region_take(&made->memory, max_docs, sizeof *made->order);
  made->other_order = dorm__region_take(&made->memory, max_docs, sizeof *made->other_order);
  dorm__pairs_alloc(max_docs, &made->memory, &made->pairs);
  if (lambda->target)
    dorm__swap_alloc(lambda->target, max_docs, &made->memory, &made->swap);
  made->sort = dorm__sort_scratch_in(&made->memory, max_docs);
  return DORM__GIVE(DORM__ALL(!made->memory.is_short ? DORM_OK : dorm__out_of_memory(context, "a lambda-function"),
                              lambda->kind->has_draws && !lambda->kind->draws_normal
                                  ? dorm__oracle_workspace_new(context, max_docs, &made->oracle)
                                  : DORM_OK),
                    workspace, made, dorm__lambda_workspace_free);
}

void dorm__lambda_workspace_free(dorm__lambda_workspace *workspace)
{
  if (!workspace)
    return;
  dorm__oracle_workspace_free(workspace->oracle);
  dorm__region_clear(&workspace->memory);
  dorm__free(workspace);
}

/* ---- One query -------------------------------------------------------------------------- */

static dorm_status check_scores(dorm_context *context, const dorm__lambda_call *call)
{
  for (size_t j = 0; j < call->num_docs; j++)
    if (!isfinite(call->scores[j]))
      return dorm__fail(context, DORM_BAD_DATA, "query '%.80s': the score of document %zu is not a finite number",
                        dorm_dataset_query_id(call->lambda->dataset, call->query), j + 1);
  return DORM_OK;
}

static void subtract_alpha(const dorm__lambda_call *call)
{
  double alpha = call->lambda->alpha;
  for (size_t j = 0; alpha > 0 && j < call->num_docs; j++) {
    call->lambdas[j] -= alpha * call->scores[j];
    call->curvature[j] += alpha;
    if (call->cost)
      *call->cost += alpha / 2 * call->scores[j] * call->scores[j];
  }
}

static dorm_status check_result(dorm_context *context, const dorm__lambda_call *call)
{
  for (size_t j = 0; j < call->num_docs; j++)
    if (!isfinite(call->lambdas[j]) || !isfinite(call->curvature[j]))
      return dorm__fail(context, DORM_NUMERICAL_FAILURE, "query '%.80s': %s left the range of numbers at document %zu",
                        dorm_dataset_query_id(call->lambda->dataset, call->query), call->lambda->text, j + 1);
  return DORM_OK;
}

/* Returns the values by which documents should be ranked: the labels or, if documents have weights, their weighted
 * gains. */
static const double *labels_of(const dorm__lambda *lambda, size_t query)
{
  const dorm_dataset *dataset = lambda->dataset;
  return dataset->doc_weights ? lambda->target->queries[query].b : dataset->labels + dataset->query_start[query];
}

void dorm__lambda_workspace_set_round(dorm__lambda_workspace *workspace, uint64_t round)
{
  workspace->round = round;
}

dorm_status dorm__lambda_at(dorm_context *context, const dorm__lambda *lambda, size_t query, const double *scores,
                            dorm__lambda_workspace *workspace, const dorm__lambda_result *result)
{
  const dorm_dataset *dataset = lambda->dataset;
  size_t start = dataset->query_start[query];
  double sum = 0;
  dorm__lambda_call call = {
      .lambda = lambda,
      .query = query,
      .num_docs = dataset->query_start[query + 1] - start,
      .labels = labels_of(lambda, query),
      .scores = scores,
      .workspace = workspace,
      .lambdas = result->lambdas,
      .curvature = result->curvature,
      .cost = result->cost && dorm__lambda_has_cost(lambda) ? &sum : NULL,
  };
  memset(result->lambdas, 0, call.num_docs * sizeof *result->lambdas);
  memset(result->curvature, 0, call.num_docs * sizeof *result->curvature);
  dorm_status status =
      DORM__ALL(check_scores(context, &call), call.num_docs ? lambda->kind->fill(context, &call) : DORM_OK);
  if (status != DORM_OK)
    return status;
  subtract_alpha(&call);
  status = check_result(context, &call);
  if (status != DORM_OK)
    return status;
  if (result->cost)
    *result->cost = call.cost ? sum : NAN;
  if (result->num_pairs)
    *result->num_pairs = call.num_pairs;
  return DORM_OK;
}

/* ---- All queries -------------------------------------------------------------------------- */

typedef struct query_result {
  double cost;
  size_t num_pairs;
} query_result;

/* Returns whether the query has a λ other than 0. */
static bool moves(const dorm_dataset *dataset, size_t query, const double *lambdas)
{
  for (size_t j = dataset->query_start[query]; j < dataset->query_start[query + 1]; j++)
    if (lambdas[j] != 0)
      return true;
  return false;
}

dorm_status dorm__lambdas_of_dataset(dorm_context *context, const dorm__lambda *lambda, uint64_t round,
                                     const double *scores, size_t num_threads, const dorm__lambdas_result *result)
{
  const dorm_dataset *dataset = lambda->dataset;
  size_t num_queries = dataset->num_queries;
  dorm__team *team = NULL;
  dorm_status status = dorm__team_new(context, num_threads, "a lambda-function", &team);
  DORM__FREED dorm__lambda_workspace **workspaces = dorm__alloc_zero(num_threads, sizeof *workspaces);
  DORM__FREED query_result *results = dorm__alloc_zero(num_queries, sizeof *results);
  if (status == DORM_OK && (!workspaces || !results))
    status = dorm__out_of_memory(context, "a lambda-function");
  for (size_t i = 0; status == DORM_OK && i < num_threads; i++) {
    status = dorm__lambda_workspace_new(context, lambda, &workspaces[i]);
    if (status == DORM_OK)
      dorm__lambda_workspace_set_round(workspaces[i], round);
  }
  if (status != DORM_OK)
    goto done;
#pragma omp parallel for schedule(dynamic, 8) num_threads((int)num_threads)
  for (size_t q = 0; q < num_queries; q++) {
    size_t start = dataset->query_start[q];
    if (!dorm__team_skips(team, q))
      dorm__team_note(team, q,
                      dorm__lambda_at(dorm__team_context(team), lambda, q, scores + start,
                                      workspaces[omp_get_thread_num()],
                                      &(const dorm__lambda_result){result->lambdas + start, result->curvature + start,
                                                                   result->summary ? &results[q].cost : NULL,
                                                                   &results[q].num_pairs}));
  }
  status = dorm__team_settle(context, team);
  if (status != DORM_OK || !result->summary)
    goto done;
  *result->summary = (dorm_lambda_summary){0};
  for (size_t q = 0; q < num_queries; q++) {
    result->summary->cost += results[q].cost;
    result->summary->num_pairs += results[q].num_pairs;
    result->summary->num_queries += moves(dataset, q, result->lambdas);
  }
done:
  for (size_t i = 0; workspaces && i < num_threads; i++)
    dorm__lambda_workspace_free(workspaces[i]);
  dorm__team_free(team);
  return status;
}

/* ---- Public functions ------------------------------------------------------------------------------ */

dorm_status dorm_lambda_open(dorm_context *context, const char *spec, const dorm_dataset *dataset, dorm_lambda **lambda)
{
  if (DORM__LACKS(context, DORM__GIVEN(spec), DORM__GIVEN(dataset), DORM__RESULT(lambda)))
    return DORM_BAD_USAGE;
  dorm__lambda *made = NULL;
  *lambda = NULL;
  return DORM__GIVE(DORM__ALL(dorm__lambda_open(context, spec, NULL, dataset, 1, &made),
                              dorm__lambda_workspace_new(context, made, &made->own_workspace)),
                    lambda, made, dorm_lambda_close);
}

void dorm_lambda_close(dorm_lambda *lambda)
{
  if (lambda)
    dorm__lambda_workspace_free(lambda->own_workspace);
  dorm__lambda_close(lambda);
}

const char *dorm_lambda_describe(const dorm_lambda *lambda)
{
  return lambda ? lambda->text : NULL;
}

dorm_status dorm_lambda_at(dorm_context *context, const dorm_lambda *lambda, size_t query, const double *scores,
                           double *lambdas, double *curvature, double *cost, size_t *num_pairs)
{
  if (DORM__LACKS(context, DORM__GIVEN(lambda), DORM__GIVEN(scores), DORM__GIVEN(lambdas), DORM__GIVEN(curvature)))
    return DORM_BAD_USAGE;
  if (query >= lambda->dataset->num_queries)
    return dorm__fail(context, DORM_BAD_USAGE, "there is no query number %zu: %s has %zu", query, lambda->dataset->name,
                      lambda->dataset->num_queries);
  return dorm__lambda_at(context, lambda, query, scores, lambda->own_workspace,
                         &(const dorm__lambda_result){lambdas, curvature, cost, num_pairs});
}

dorm_status dorm_lambdas(dorm_context *context, const char *spec, const dorm_dataset *dataset, const double *scores,
                         size_t num_threads, double *lambdas, double *curvature, dorm_lambda_summary *summary)
{
  if (DORM__LACKS(context, DORM__GIVEN(spec), DORM__GIVEN(dataset), DORM__GIVEN(scores), DORM__GIVEN(lambdas),
                  DORM__GIVEN(curvature)))
    return DORM_BAD_USAGE;
  DORM__OWNED(dorm__lambda) *lambda = NULL;
  dorm_lambda_summary made = {0};
  dorm_status status =
      summary ? dorm__struct_check(context, "summary", DORM__STRUCT(dorm_lambda_summary), summary) : DORM_OK;
  if (status != DORM_OK)
    return status;
  num_threads = dorm__threads_for(num_threads);
  status =
      DORM__ALL(dorm__lambda_open(context, spec, NULL, dataset, num_threads, &lambda),
                dorm__lambdas_of_dataset(context, lambda, 0, scores, num_threads,
                                         &(const dorm__lambdas_result){lambdas, curvature, summary ? &made : NULL}));
  if (status == DORM_OK && summary)
    dorm__struct_give(&made, summary);
  return status;
}
