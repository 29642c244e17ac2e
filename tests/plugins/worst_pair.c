/*
 * worst_pair.c: a structured loss. A ranking costs 1 if any relevant document is below one that is not relevant, else
 * 0. An output is one pair in the wrong order, or none. The pair of relevant i and other j has Delta = 1 and the
 * coefficients -1 of i and +1 of j, so the worst one reaches
 *
 *   max(0, 1 - lowest relevant score + highest other score).
 *
 *   cc -shared -fPIC -o worst_pair.so worst_pair.c
 */
#include <dorm/plugin.h>

#include <stdlib.h>

static const dorm_loss_parameter parameters[] = {
    {"threshold", "1", NULL, 0, 1e300, 0, "smallest label of a relevant document"},
};

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  double *threshold = malloc(sizeof *threshold);
  if (!threshold)
    return host->fail(host, "out of memory");
  *threshold = values[0].number;
  *state = threshold;
  return 0;
}

static int find_worst(const dorm_host *host, const void *state, const dorm_loss_query *query, const double *scores,
                      double *coefficients, double *delta)
{
  const double *threshold = state;
  const size_t none = query->num_docs;
  size_t lowest = none;  /* of the relevant */
  size_t highest = none; /* of the others */
  (void)host;
  for (size_t j = 0; j < query->num_docs; j++) {
    coefficients[j] = 0;
    if (query->labels[j] >= *threshold) {
      if (lowest == none || scores[j] < scores[lowest])
        lowest = j;
    } else if (highest == none || scores[j] > scores[highest]) {
      highest = j;
    }
  }
  *delta = 0;
  if (lowest == none || highest == none || scores[lowest] - scores[highest] >= 1)
    return 0;
  *delta = 1;
  coefficients[lowest] = -1;
  coefficients[highest] = 1;
  return 0;
}

static const dorm_loss_module module = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_loss_module),
    .name = "worst_pair",
    .help = "1 unless all relevant documents stand above all others",
    .num_parameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .destroy = free,
    .find_worst = find_worst,
};

const dorm_loss_module *dorm_loss_module_entry(void)
{
  return &module;
}
