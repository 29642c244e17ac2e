/*
 * rsvm.c: the ranking SVM (Herbrich, Graepel and Obermayer 2000; Joachims 2002),
 *
 *   1/2 |w|^2 + C sum over pairs r_i > r_j of  max(0, 1 - <w, x_i - x_j>),
 *
 * with pairs within queries and one slack per query: the sum of the hinges of its pairs, or their mean, so that long
 * queries do not count more. An output is a set of pairs in the wrong order, and Delta is their number or share.
 */
#include "losses/builtin.h"
#include "losses/gains.h"
#include "losses/pairs.h"

static const dorm_loss_parameter parameters[] = {
    DORM__ROW_PAIRS,
};

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof parameters / sizeof *parameters, parameters, values, state);
}

static int find_worst(const dorm_host *host, const void *state, const dorm_loss_query *query, const double *scores,
                      double *coefficients, double *delta)
{
  const dorm__loss_rules *rsvm = state;
  return dorm__pairs_find_worst(host, query->num_docs, query->labels, NULL, rsvm->is_mean, scores,
                                &(const dorm__worst_pairs){coefficients, delta});
}

const dorm_loss_module dorm__loss_rsvm = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_loss_module),
    .name = "rsvm",
    .help = "ranking SVM: pairs in the wrong order",
    .num_parameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .destroy = dorm__free,
    .find_worst = find_worst,
};
