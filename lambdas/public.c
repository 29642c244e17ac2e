/* public.c: the λ-functions of include/dorm/lambdas.h. */
#include "base/status.h"
#include "base/team.h"
#include "lambdas/lambda.h"
#include "lambdas/lambdas.h"

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
