/*
 * roc_area.c: the area under the ROC curve (Joachims 2005). An output is a set of pairs (relevant, irrelevant) in the
 * wrong order, and Delta is their share of all such pairs. The feature map is the mean over pairs of x_i - x_j, with
 * the other sign for pairs in the wrong order. It is halved here, so that a pair costs 1 - (g_i - g_j). levels=all
 * takes the pairs of any two labels, which is rsvm with pairs=mean.
 */
#include "losses/builtin.h"
#include "losses/gains.h"
#include "losses/pairs.h"

static const dorm_loss_parameter parameters[] = {
    {"levels", "two", "all, two", 0, 0, 0, "pairs of any two labels, or of relevant and irrelevant documents"},
    DORM__ROW_THRESHOLD("1"),
};

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof parameters / sizeof *parameters, parameters, values, state);
}

static int find_worst(const dorm_host *host, const void *state, const dorm_loss_query *query, const double *scores,
                      double *coefficients, double *delta)
{
  const dorm__loss_rules *roc = state;
  size_t num_docs = query->num_docs;
  if (!roc->has_two_levels)
    return dorm__pairs_find_worst(host, num_docs, query->labels, NULL, true, scores,
                                  &(const dorm__worst_pairs){coefficients, delta});
  DORM__FREED double *relevance = dorm__alloc(num_docs, sizeof *relevance);
  if (!relevance)
    return host->fail(host, "out of memory");
  dorm__fill_relevance(query, roc->threshold, relevance);
  int failed = dorm__pairs_find_worst(host, num_docs, relevance, NULL, true, scores,
                                      &(const dorm__worst_pairs){coefficients, delta});
  return failed;
}

const dorm_loss_module dorm__loss_roc_area = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_loss_module),
    .name = "roc_area",
    .help = "1 - area under the ROC curve: share of the pairs in the wrong order",
    .num_parameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .destroy = dorm__free,
    .find_worst = find_worst,
};
