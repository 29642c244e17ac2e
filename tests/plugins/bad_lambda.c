/*
 * bad_lambda.c: gradient functions that dorm has to refuse, one for each fault that is named here. -DMISSING_SYMBOL: it
 * has no entry.
 */
#include <dorm/plugin.h>

#include <math.h>

#include "fault.h"

static int fill(const dorm_host *host, const void *state, const dorm_lambda_query *query, double *lambda,
                double *curvature, double *cost)
{
  static int calls;
  (void)state;
  if (has("FAILING") && query->num_docs == 3)
    return host->fail(host, "three documents are not to its taste");
  for (size_t j = 0; j < query->num_docs; j++) {
    lambda[j] = query->labels[j] - query->scores[j];
    curvature[j] = 1;
  }
  *cost = has("WITHOUT_COST") ? INFINITY : 0;
  if (has("NOT_A_NUMBER"))
    lambda[query->num_docs - 1] = NAN;
  if (has("NEGATIVE"))
    curvature[0] = -1;
  if (has("NEGATIVE_LATER") && query->num_docs > 10) /* more than the check tries */
    curvature[9] = -1;
  if (has("OUTSIDE"))
    lambda[query->num_docs] = 0;
  if (has("CHANGING"))
    lambda[0] += calls++;
  return 0;
}

#ifdef MISSING_SYMBOL
#define dorm_lambda_module_entry another_name
const dorm_lambda_module *another_name(void);
#endif

const dorm_lambda_module *dorm_lambda_module_entry(void)
{
  static dorm_lambda_module module;
  module = (dorm_lambda_module){
      .abi = DORM_PLUGIN_ABI + has("WRONG_ABI"),
      .struct_size = has("SMALL") ? 40 : sizeof module,
      .name = "bad_lambda",
      .help = "what dorm refuses",
      .sums_to_zero = has("NOT_ZERO"),
      .has_cost = 1,
      .fill = has("WITHOUT_FILL") ? NULL : fill,
  };
  return &module;
}
