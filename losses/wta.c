/*
 * wta.c: winner takes all (the paper, section 3.2): a ranking costs 0 if its first document has the largest label of
 * the query, else 1.
 *
 *   a[p] = 1 if p = 0, else 0      b[j] = 1 if the label of j is the largest, else 0
 */
#include "losses/builtin.h"
#include "losses/gains.h"

static int fill_product(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  (void)host;
  (void)state;
  double largest = dorm__largest_label(query);
  for (size_t j = 0; j < query->num_docs; j++) {
    a[j] = j == 0;
    b[j] = query->labels[j] == largest;
  }
  return 0;
}

const dorm_loss_module dorm__loss_wta = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_loss_module),
    .name = "wta",
    .help = "winner takes all: 1 unless the first document has the largest label of the query",
    .fill_product = fill_product,
};
