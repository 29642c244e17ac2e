/*
 * eru.c: expected rank utility (Breese, Heckerman and Kadie 1998; the paper, section 3.2). A reader goes down the list
 * and stops somewhere. Half of the readers reach position h - 1 (from 0), with h the half-life.
 *
 *   a[p] = 2^(-p / (h - 1))      b[j] = max(label of j - d, 0)
 *
 * with the neutral vote d. normalised=yes divides b by the utility of an ideal ranking of the query, so that Delta lies
 * between 0 and 1.
 */
#include "losses/builtin.h"
#include "losses/gains.h"

#include <math.h>

static const dorm_loss_parameter parameters[] = {
    {"half_life", "5", NULL, 1.001, 1e9, 0, "position, counted from 1, that half of the readers reach"},
    {"neutral", "0", NULL, 0, 1e300, 0, "this label and smaller ones have no utility"},
    {"normalised", "yes", "yes, no", 0, 0, 0, "divide by the utility of an ideal ranking of the query"},
};

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof parameters / sizeof *parameters, parameters, values, state);
}

static int fill_product(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  const dorm__loss_rules *eru = state;
  for (size_t j = 0; j < query->num_docs; j++) {
    a[j] = exp2(-(double)j / (eru->half_life - 1));
    b[j] = fmax(query->labels[j] - eru->neutral, 0);
  }
  return eru->is_normalised ? dorm__divide_by_ideal(host, query->num_docs, a, b) : 0;
}

const dorm_loss_module dorm__loss_eru = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_loss_module),
    .name = "eru",
    .help = "ideal expected rank utility - expected rank utility",
    .num_parameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .destroy = dorm__free,
    .fill_product = fill_product,
};
