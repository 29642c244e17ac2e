/*
 * mrr.c: mean reciprocal rank (the paper, section 3.2): a[p] = 1 / (p + 1) and b = 1 for the top document of the query,
 * so that Delta = 1 - 1 / (rank + 1).
 *
 * The paper has one top document per query. If several documents have the largest label (or, with a threshold, several
 * are relevant):
 *
 *   top=any     all of them are top documents and share the weight: b = 1 / (1 + 1/2 + ... + 1/m) for m of them, so
 *               that Delta lies between 0 and 1. (The reciprocal rank of the highest of them alone is not a sum over
 *               documents and positions.)
 *   top=first   the first of them in the data is the top document. The order of the lines then matters, and the model
 *               is asked to reproduce it.
 */
#include "losses/builtin.h"
#include "losses/gains.h"

static const dorm_loss_parameter parameters[] = {
    {"top", "any", "any, first", 0, 0, 0, "of several top documents all count together, or the first listed"},
    DORM__ROW_THRESHOLD("0"),
};

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof parameters / sizeof *parameters, parameters, values, state);
}

static int fill_product(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  (void)host;
  const dorm__loss_rules *mrr = state;
  size_t num_top = 0;
  double weight = 0;
  dorm__fill_relevance(query, mrr->threshold, b);
  for (size_t j = 0; j < query->num_docs; j++) {
    bool is_top = b[j] > 0 && (mrr->counts_all || !num_top);
    a[j] = 1 / (double)(j + 1);
    b[j] = is_top;
    num_top += is_top;
    if (is_top)
      weight += 1 / (double)num_top;
  }
  for (size_t j = 0; j < query->num_docs; j++)
    b[j] = weight > 0 ? b[j] / weight : 0;
  return 0;
}

const dorm_loss_module dorm__loss_mrr = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_loss_module),
    .name = "mrr",
    .help = "1 - reciprocal rank of the top document",
    .num_parameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .destroy = dorm__free,
    .fill_product = fill_product,
};
