/*
 * dcg.c: discounted cumulative gain, of all positions or of the first n, not normalised (Jarvelin and Kekalainen 2002;
 * the paper, section 3.2):
 *
 *   a[p] = discount of position p for p < n, 0 from n on
 *   b[j] = gain(label of j)
 *
 * so that Delta = DCG@n of an ideal ranking - DCG@n. Queries with much to gain weigh more than others.
 */
#include "losses/builtin.h"
#include "losses/gains.h"

static const dorm_loss_parameter parameters[] = {
    DORM__ROW_TRUNCATION("0"),
    DORM__ROW_GAIN,
    DORM__ROW_DISCOUNT,
};

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof parameters / sizeof *parameters, parameters, values, state);
}

static int fill_product(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  const dorm__loss_rules *dcg = state;
  dorm__fill_discounts(dcg, dcg->truncation, query->num_docs, a);
  return dorm__fill_gains(host, dcg, query, b);
}

const dorm_loss_module dorm__loss_dcg = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_loss_module),
    .name = "dcg",
    .help = "ideal DCG - DCG at the truncation",
    .num_parameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .destroy = dorm__free,
    .fill_product = fill_product,
};
