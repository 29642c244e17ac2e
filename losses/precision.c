/*
 * precision.c: Precision@n (the paper, section 3.2), the share of relevant documents among the first n:
 *
 *   a[p] = 1/n for p < n, 0 from n on      b[j] = [label of j >= threshold]
 *
 * The divisor is n for queries of fewer documents, too.
 */
#include "losses/builtin.h"
#include "losses/gains.h"

static const dorm_loss_parameter parameters[] = {
    {"truncation", "10", NULL, 1, 1e9, 1, "positions that count"},
    DORM__ROW_THRESHOLD("1"),
};

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof parameters / sizeof *parameters, parameters, values, state);
}

static int fill_product(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  (void)host;
  const dorm__loss_rules *precision = state;
  dorm__fill_relevance(query, precision->threshold, b);
  for (size_t p = 0; p < query->num_docs; p++)
    a[p] = p < precision->truncation ? 1 / (double)precision->truncation : 0;
  return 0;
}

const dorm_loss_module dorm__loss_precision = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_loss_module),
    .name = "precision",
    .help = "best reachable Precision@n - Precision@n",
    .num_parameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .destroy = dorm__free,
    .fill_product = fill_product,
};
