/*
 * mwta.c: modified winner takes all (the paper, section 6.4): NDCG@n with n chosen for each query, so that few
 * positions matter, and at least one choice among them does:
 *
 *   - the three most relevant documents have one level: n is just past the position at which the next level first
 *     appears in an ideal ranking;
 *   - they have more levels: n = 3. The paper says so for three levels and is silent about two, which are treated
 *     alike.
 *
 * A query whose documents all have one level costs nothing whatever n is.
 */
#include "base/sort.h"
#include "losses/builtin.h"
#include "losses/gains.h"

#include <string.h>

static const dorm_loss_parameter parameters[] = {
    DORM__ROW_GAIN,
    DORM__ROW_DISCOUNT,
};

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof parameters / sizeof *parameters, parameters, values, state);
}

/* sorted [num_docs] falls. */
static size_t choose_truncation(size_t num_docs, const double *sorted)
{
  size_t level_end = 1;
  while (level_end < num_docs && sorted[level_end] == sorted[0])
    level_end++;
  return level_end < 3 ? 3 : level_end + 1;
}

static int fill_product(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  const dorm__loss_rules *mwta = state;
  double *sorted = dorm__alloc(query->num_docs, sizeof *sorted);
  if (!sorted)
    return host->fail(host, "out of memory");
  memcpy(sorted, query->labels, query->num_docs * sizeof *sorted);
  dorm__sort_values(query->num_docs, sorted);
  size_t truncation = choose_truncation(query->num_docs, sorted);
  dorm__free(sorted);
  dorm__fill_discounts(mwta, truncation, query->num_docs, a);
  int failed = dorm__fill_gains(host, mwta, query, b);
  return failed ? failed : dorm__divide_by_ideal(host, query->num_docs, a, b);
}

const dorm_loss_module dorm__loss_mwta = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_loss_module),
    .name = "mwta",
    .help = "1 - NDCG@n, n chosen for each query: 3, or just past the first change of level",
    .num_parameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .destroy = dorm__free,
    .fill_product = fill_product,
};
