/*
 * ndcg.c: the losses of discounted cumulative gain (DCG), over all positions or the first n (Jarvelin and Kekalainen
 * 2002; the paper, sections 3.2 and 6.4):
 *
 *   a[p] = discount of position p for p < n, 0 from n on
 *
 *   loss   b[j]                                             Delta
 *   dcg    gain(label of j)                                 DCG@n of an ideal ranking - DCG@n
 *   ndcg   gain(label of j) / DCG@n of an ideal ranking     1 - NDCG@n
 *   mwta   as ndcg, with n chosen for each query            1 - NDCG@n (modified winner takes all)
 *
 * If all gains of a query are 0, ndcg and mwta set b = 0, so all its rankings have loss 0.
 */
#include "base/sort.h"
#include "losses/builtin.h"
#include "losses/gains.h"

#include <string.h>

#define MODULE(word, text, rows, make, fill)                                                                           \
  {                                                                                                                    \
    .abi = DORM_PLUGIN_ABI, .struct_size = sizeof(dorm_loss_module), .name = word, .help = text,                       \
    .num_parameters = sizeof rows / sizeof *rows, .parameters = rows, .create = make, .destroy = dorm__free,           \
    .fill_product = fill                                                                                               \
  }

/* ---- DCG and NDCG ------------------------------------------------------------------------------ */

static const dorm_loss_parameter of_dcg[] = {DORM__ROW_TRUNCATION("0"), DORM__ROW_GAIN, DORM__ROW_DISCOUNT};
static const dorm_loss_parameter of_ndcg[] = {DORM__ROW_TRUNCATION("10"), DORM__ROW_GAIN, DORM__ROW_DISCOUNT};

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof of_ndcg / sizeof *of_ndcg, of_ndcg, values, state);
}

static int fill_dcg(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  const dorm__loss_rules *dcg = state;
  dorm__fill_discounts(dcg, dcg->truncation, query->num_docs, a);
  return dorm__fill_gains(host, dcg, query, b);
}

static int fill_ndcg(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  int failed = fill_dcg(host, state, query, a, b);
  return failed ? failed : dorm__divide_by_ideal(host, query->num_docs, a, b);
}

const dorm_loss_module dorm__loss_dcg = MODULE("dcg", "ideal DCG - DCG at the truncation", of_dcg, create, fill_dcg);
const dorm_loss_module dorm__loss_ndcg = MODULE("ndcg", "1 - NDCG at the truncation", of_ndcg, create, fill_ndcg);

/* ---- mWTA -------------------------------------------------------------------------------------- */

/* NDCG@n, in which n is small, but so large that the order of the first n documents matters:
 *
 *   - If the three most relevant documents have the same label, the first n positions of an ideal ranking end with the
 *     first document that has the next smaller label.
 *   - Otherwise n = 3. The paper says this for three different labels, and dorm does the same for two.
 *
 * If all documents of a query have the same label, its rankings have loss 0 for any n. */
static const dorm_loss_parameter of_mwta[] = {DORM__ROW_GAIN, DORM__ROW_DISCOUNT};

static int create_mwta(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof of_mwta / sizeof *of_mwta, of_mwta, values, state);
}

/* Returns n. sorted [num_docs] has the labels in falling order. */
static size_t choose_truncation(size_t num_docs, const double *sorted)
{
  size_t level_end = 1;
  while (level_end < num_docs && sorted[level_end] == sorted[0])
    level_end++;
  return level_end < 3 ? 3 : level_end + 1;
}

static int fill_mwta(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
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

const dorm_loss_module dorm__loss_mwta =
    MODULE("mwta", "1 - NDCG@n, n chosen for each query: 3, or just past the first change of level", of_mwta,
           create_mwta, fill_mwta);
