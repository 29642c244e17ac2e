/* bad_lambda.c: gradient functions that dorm has to refuse; each definition makes another mistake. */
#include <dorm/plugin.h>

#include <math.h>

static int fill(const dorm_host *host, const void *state, const dorm_lambda_query *query, double *lambda,
                double *curvature, double *cost)
{
  (void)state;
  (void)host;
#ifdef FAILING
  if (query->num_docs == 3)
    return host->fail(host, "three documents are not to its taste");
#endif
  for (size_t j = 0; j < query->num_docs; j++) {
    lambda[j] = query->labels[j] - query->scores[j];
    curvature[j] = 1;
  }
  *cost = 0;
#ifdef NOT_A_NUMBER
  lambda[query->num_docs - 1] = NAN;
#endif
#ifdef NEGATIVE
  curvature[0] = -1;
#endif
#ifdef NEGATIVE_LATER
  if (query->num_docs > 10) /* more than the check tries */
    curvature[9] = -1;
#endif
#ifdef OUTSIDE
  lambda[query->num_docs] = 0;
#endif
#ifdef WITHOUT_COST
  *cost = INFINITY;
#endif
#ifdef CHANGING
  static int calls;
  lambda[0] += calls++;
#endif
  return 0;
}

#ifndef MISSING_SYMBOL
const dorm_lambda_module *dorm_lambda_module_entry(void)
{
  static const dorm_lambda_module module = {
#ifdef WRONG_ABI
      .abi = DORM_PLUGIN_ABI + 1,
#else
      .abi = DORM_PLUGIN_ABI,
#endif
#ifdef SMALL
      .struct_size = 40,
#else
      .struct_size = sizeof(dorm_lambda_module),
#endif
      .name = "bad_lambda",
      .help = "what dorm refuses",
#ifdef NOT_ZERO
      .sums_to_zero = 1,
#endif
      .has_cost = 1,
#ifndef WITHOUT_FILL
      .fill = fill,
#endif
  };
  return &module;
}
#endif
