/*
 * bad_structured.c: structured losses that must be refused, one a macro:
 * -DNOT_THE_WORST, -DNOT_FILLED, -DNEGATIVE_DELTA, -DBELOW_THE_RIGHT, -DINFINITE,
 * -DOUT_OF_BOUNDS, -DNOT_THE_SAME_TWICE, -DFAILING, -DFAILING_PREPARE; and with
 * -DFAILING_LATER one that fails once it is trained with. Without a macro the
 * first document is to be above the last.
 */
#include <dorm/plugin.h>

#include <math.h>

static int calls;

static int find_worst(const dorm_host *host, const void *state, const dorm_loss_query *query, const double *scores,
                      double *coefficients, double *delta)
{
  size_t last = query->num_docs - 1;
  double wrong = last > 0 && scores[0] - scores[last] < 1;
  (void)state;
  (void)host;
  calls++;
#if defined NOT_FILLED
  *delta = wrong;
  return 0;
#elif defined NOT_THE_WORST
  wrong = last > 0 && scores[0] - scores[last] < 0.5;
#elif defined BELOW_THE_RIGHT
  wrong = last > 0;
#elif defined FAILING
  return host->fail(host, "score %g is %s", scores[0], "not to its taste");
#elif defined FAILING_LATER
  if (last >= 6 && scores[0] != 0)
    return host->fail(host, "that many documents are too many");
#endif
  for (size_t j = 0; j <= last; j++)
    coefficients[j] = 0;
  coefficients[0] -= wrong;
  coefficients[last] += wrong;
  *delta = wrong;
#if defined NEGATIVE_DELTA
  *delta = -1;
#elif defined INFINITE
  coefficients[0] = INFINITY;
#elif defined OUT_OF_BOUNDS
  coefficients[last + 1] = 1;
#elif defined NOT_THE_SAME_TWICE
  *delta = wrong * calls;
#endif
  return 0;
}

#ifdef FAILING_PREPARE
static int prepare(const dorm_host *host, void *state, size_t num_queries, const dorm_loss_query *queries)
{
  (void)state;
  return host->fail(host, "%zu queries with label %g first are not enough", num_queries, queries[0].labels[0]);
}
#endif

static const dorm_loss_module module = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_loss_module),
    .name = "bad_structured",
    .help = "a bad structured loss",
    .find_worst = find_worst,
#ifdef FAILING_PREPARE
    .prepare = prepare,
#endif
};

const dorm_loss_module *dorm_loss_module_entry(void)
{
  return &module;
}
