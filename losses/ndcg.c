/*
 * ndcg.c: normalised discounted cumulative gain, of all positions or of the first n (Jarvelin and Kekalainen 2002; the
 * paper, section 3.2):
 *
 *   a[p] = discount of position p for p < n, 0 from n on
 *   b[j] = gain(label of j) / DCG@n of an ideal ranking
 *
 * so that Delta = 1 - NDCG@n. A query without gain has b = 0: it costs nothing.
 */
#include "losses/builtin.h"
#include "losses/gains.h"

static const dorm_loss_parameter parameters[] = {
    DORM__ROW_TRUNCATION("10"),
    DORM__ROW_GAIN,
    DORM__ROW_DISCOUNT,
};

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof parameters / sizeof *parameters, parameters, values, state);
}

static int fill_product(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  const dorm__loss_rules *ndcg = state;
  dorm__fill_discounts(ndcg, ndcg->truncation, query->num_docs, a);
  int failed = dorm__fill_gains(host, ndcg, query, b);
  return failed ? failed : dorm__divide_by_ideal(host, query->num_docs, a, b);
}

const dorm_loss_module dorm__loss_ndcg = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_loss_module),
    .name = "ndcg",
    .help = "1 - NDCG at the truncation",
    .num_parameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .destroy = dorm__free,
    .fill_product = fill_product,
};
