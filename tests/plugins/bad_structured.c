/*
 * bad_structured.c: structured losses that must be refused, one for each fault that is named here; FAILING_LATER fails
 * once it is trained with. Without a fault the first document is to be above the last.
 */
#include <dorm/plugin.h>

#include <math.h>

#include "fault.h"

static int find_worst(const dorm_host *host, const void *state, const dorm_loss_query *query, const double *scores,
                      double *coefficients, double *delta)
{
  static int calls;
  size_t last = query->num_docs - 1;
  double wrong = last > 0 && scores[0] - scores[last] < (has("NOT_THE_WORST") ? 0.5 : 1);
  (void)state;
  calls++;
  if (has("NOT_FILLED")) {
    *delta = wrong;
    return 0;
  }
  if (has("BELOW_THE_RIGHT"))
    wrong = last > 0;
  if (has("FAILING"))
    return host->fail(host, "score %g is %s", scores[0], "not to its taste");
  if (has("FAILING_LATER") && last >= 6 && scores[0] != 0)
    return host->fail(host, "that many documents are too many");
  for (size_t j = 0; j <= last; j++)
    coefficients[j] = 0;
  coefficients[0] -= wrong;
  coefficients[last] += wrong;
  *delta = has("NEGATIVE_DELTA") ? -1 : has("NOT_THE_SAME_TWICE") ? wrong * calls : wrong;
  if (has("INFINITE"))
    coefficients[0] = INFINITY;
  if (has("OUT_OF_BOUNDS"))
    coefficients[last + 1] = 1;
  return 0;
}

static int prepare(const dorm_host *host, void *state, size_t num_queries, const dorm_loss_query *queries)
{
  (void)state;
  return host->fail(host, "%zu queries with label %g first are not enough", num_queries, queries[0].labels[0]);
}

const dorm_loss_module *dorm_loss_module_entry(void)
{
  static dorm_loss_module module = {.abi = DORM_PLUGIN_ABI,
                                    .struct_size = sizeof module,
                                    .name = "bad_structured",
                                    .help = "a bad structured loss",
                                    .find_worst = find_worst};
  module.prepare = has("FAILING_PREPARE") ? prepare : NULL;
  return &module;
}
