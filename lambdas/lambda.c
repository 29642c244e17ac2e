/* lambda.c: helpers of the λ-functions: read a parameter, order the documents, check the target, count λ other than
 * 0. */
#include "lambdas/lambda.h"

double dorm__lambda_number(const dorm__lambda *lambda, const char *name)
{
  const dorm_lambda_info *info = &lambda->kind->info;
  return lambda->values[dorm__spec_row(info->num_parameters, info->parameters, name)].number;
}

void dorm__lambda_rank(const dorm__lambda_call *call)
{
  dorm__lambda_workspace *workspace = call->workspace;
  dorm__sort_descending(call->num_docs, call->scores, workspace->order, workspace->sorted, &workspace->sort);
}

void dorm__lambda_order_by_label(const dorm__lambda_call *call)
{
  dorm__lambda_workspace *workspace = call->workspace;
  dorm__sort_descending(call->num_docs, call->labels, workspace->order, workspace->sorted, &workspace->sort);
}

dorm_status dorm__lambda_needs_sum(dorm_context *context, const dorm__lambda_call *call)
{
  const dorm__target *target = call->lambda->target;
  if (target->form == DORM__TARGET_PRODUCT && !target->queries[call->query].lists.count)
    return DORM_OK;
  return dorm__fail(context, DORM_BAD_USAGE,
                    "lambda-function '%s' needs a measure that is a sum over positions, and %s is none",
                    call->lambda->kind->info.name, dorm__measure_spec(target->measure));
}

size_t dorm__lambda_count_moved(const dorm__lambda_call *call)
{
  size_t count = 0;
  for (size_t j = 0; j < call->num_docs; j++)
    count += call->lambdas[j] != 0;
  return count;
}
