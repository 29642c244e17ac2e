/*
 * ndcg.c: normalised discounted cumulative gain at n (Jarvelin and Kekalainen
 * 2002; the paper, section 3.2):
 *
 *   a[p] = discount of position p for p < n, 0 behind it
 *   b[j] = gain(label of j) / DCG@n of an ideal ranking
 *
 * so that Delta = 1 - NDCG@n. A query without gain has b = 0: it costs nothing.
 */
#include "losses/losses.h"

#include <stdlib.h>
#include <string.h>

static const dorm_loss_parameter parameters[] = {
    DORM__ROW_TRUNCATION("10"),
    DORM__ROW_GAIN,
    DORM__ROW_DISCOUNT,
};

typedef struct ndcg_state {
  size_t truncation; /* 0: all positions */
  bool linear_gain;
  bool letor_discount;
} ndcg_state;

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  ndcg_state *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return host->fail(host, "out of memory");
  made->truncation = (size_t)values[0].number;
  made->linear_gain = strcmp(values[1].text, "linear") == 0;
  made->letor_discount = strcmp(values[2].text, "letor") == 0;
  *state = made;
  return 0;
}

static int descending(const void *x, const void *y)
{
  double left = *(const double *)x;
  double right = *(const double *)y;
  return (left < right) - (left > right);
}

static int fill_product(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  const ndcg_state *ndcg = state;
  size_t num_docs = query->num_docs;
  dorm__fill_discounts(ndcg->letor_discount, ndcg->truncation, num_docs, a);
  int failed = dorm__fill_gains(host, ndcg->linear_gain, query, b);
  if (failed)
    return failed;
  double *sorted = dorm__alloc(num_docs, sizeof *sorted);
  if (!sorted)
    return host->fail(host, "out of memory");
  memcpy(sorted, b, num_docs * sizeof *sorted);
  qsort(sorted, num_docs, sizeof *sorted, descending);
  double ideal = 0;
  for (size_t p = 0; p < num_docs; p++)
    ideal += a[p] * sorted[p];
  dorm__free(sorted);
  for (size_t j = 0; j < num_docs; j++)
    b[j] = ideal > 0 ? b[j] / ideal : 0;
  return 0;
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
