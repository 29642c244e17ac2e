/*
 * product_losses.c: the losses of the product form (the paper, section 3.2). The formulas count positions p from 0.
 *
 *   loss       a[p]                      b[j]                              Delta
 *   wta        1 for p = 0, else 0       [label of j is the largest]       1 unless the first document is a best one
 *   mrr        1 / (p + 1)               1 for the top document            1 - 1 / (its rank + 1)
 *   precision  1/n for p < n, else 0     [label of j >= threshold]         best reachable Precision@n - Precision@n
 *   dcg        discount, 0 for p >= n    gain(label of j)                  DCG@n of an ideal ranking - DCG@n
 *   ndcg       as dcg                    gain / DCG@n of an ideal ranking  1 - NDCG@n
 *   mwta       as dcg                    as ndcg, with n per query         1 - NDCG@n
 *   eru        2^(-p / (half-life - 1))  max(label of j - neutral, 0)      ideal utility - utility
 *
 * DCG is discounted cumulative gain (Jarvelin and Kekalainen 2002). If all gains of a query are 0, its rankings have
 * loss 0. Precision@n is divided by n for queries of fewer documents, too.
 *
 * mrr: the paper has one top document per query. If several documents have the largest label (or, with a threshold,
 * several are relevant), top=any makes all of them top documents, which share the weight: b = 1 / (1 + 1/2 + ... + 1/m)
 * for m of them, so that Delta lies between 0 and 1. (The reciprocal rank of the highest of them alone is not a sum
 * over documents and positions.) With top=first, the first of them in the data is the top document. The order of the
 * lines then matters, and the model is asked to reproduce it.
 *
 * mwta: modified winner takes all. n is small, but so large that the order of the first n documents matters. If the
 * three most relevant documents have the same label, the first n positions of an ideal ranking end with the first
 * document that has the next smaller label. Otherwise n = 3. The paper says this for three different labels, and dorm
 * does the same for two.
 *
 * eru: expected rank utility (Breese, Heckerman and Kadie 1998). A reader goes down the list and stops somewhere. Half
 * of the readers reach position h - 1, with h the half-life. normalised=yes divides b by the utility of an ideal
 * ranking, so that Delta lies between 0 and 1.
 */
#include "base/sort.h"
#include "losses/gains.h"

#include <math.h>
#include <string.h>

/* ---- Winner takes all, reciprocal rank, precision --------------------------------------------- */

static int fill_wta(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  (void)host, (void)state;
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
    .fill_product = fill_wta,
};

static const dorm_loss_parameter mrr_rows[] = {
    {"top", "any", "any, first", 0, 0, 0, "of several top documents all count together, or the first listed"},
    DORM__ROW_THRESHOLD("0"),
};

static int create_mrr(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof mrr_rows / sizeof *mrr_rows, mrr_rows, values, state);
}

static int fill_mrr(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
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

const dorm_loss_module dorm__loss_mrr = DORM__LOSS("mrr", "1 - reciprocal rank of the top document", mrr_rows,
                                                   create_mrr, dorm__free, .fill_product = fill_mrr);

static const dorm_loss_parameter precision_rows[] = {
    {"truncation", "10", NULL, 1, 1e9, 1, "positions that count"},
    DORM__ROW_THRESHOLD("1"),
};

static int create_precision(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof precision_rows / sizeof *precision_rows, precision_rows, values, state);
}

static int fill_precision(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  (void)host;
  const dorm__loss_rules *precision = state;
  dorm__fill_relevance(query, precision->threshold, b);
  for (size_t p = 0; p < query->num_docs; p++)
    a[p] = p < precision->truncation ? 1 / (double)precision->truncation : 0;
  return 0;
}

const dorm_loss_module dorm__loss_precision =
    DORM__LOSS("precision", "best reachable Precision@n - Precision@n", precision_rows, create_precision, dorm__free,
               .fill_product = fill_precision);

/* ---- Discounted gain --------------------------------------------------------------------------- */

static const dorm_loss_parameter dcg_rows[] = {DORM__ROW_TRUNCATION("0"), DORM__ROW_GAIN, DORM__ROW_DISCOUNT};
static const dorm_loss_parameter ndcg_rows[] = {DORM__ROW_TRUNCATION("10"), DORM__ROW_GAIN, DORM__ROW_DISCOUNT};
static const dorm_loss_parameter mwta_rows[] = {DORM__ROW_GAIN, DORM__ROW_DISCOUNT};

static int create_dcg(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof dcg_rows / sizeof *dcg_rows, dcg_rows, values, state);
}

static int create_mwta(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof mwta_rows / sizeof *mwta_rows, mwta_rows, values, state);
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
  dorm__loss_rules mwta = *(const dorm__loss_rules *)state;
  DORM__FREED double *sorted = dorm__alloc(query->num_docs, sizeof *sorted);
  if (!sorted)
    return host->fail(host, "out of memory");
  memcpy(sorted, query->labels, query->num_docs * sizeof *sorted);
  dorm__sort_values(query->num_docs, sorted);
  mwta.truncation = choose_truncation(query->num_docs, sorted);
  return fill_ndcg(host, &mwta, query, a, b);
}

const dorm_loss_module dorm__loss_dcg =
    DORM__LOSS("dcg", "ideal DCG - DCG at the truncation", dcg_rows, create_dcg, dorm__free, .fill_product = fill_dcg);
const dorm_loss_module dorm__loss_ndcg =
    DORM__LOSS("ndcg", "1 - NDCG at the truncation", ndcg_rows, create_dcg, dorm__free, .fill_product = fill_ndcg);
const dorm_loss_module dorm__loss_mwta =
    DORM__LOSS("mwta", "1 - NDCG@n, n chosen for each query: 3, or just past the first change of level", mwta_rows,
               create_mwta, dorm__free, .fill_product = fill_mwta);

/* ---- Expected rank utility --------------------------------------------------------------------- */

static const dorm_loss_parameter eru_rows[] = {
    {"half_life", "5", NULL, 1.001, 1e9, 0, "position, counted from 1, that half of the readers reach"},
    {"neutral", "0", NULL, 0, 1e300, 0, "this label and smaller ones have no utility"},
    {"normalised", "yes", "yes, no", 0, 0, 0, "divide by the utility of an ideal ranking of the query"},
};

static int create_eru(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof eru_rows / sizeof *eru_rows, eru_rows, values, state);
}

static int fill_eru(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  const dorm__loss_rules *eru = state;
  for (size_t j = 0; j < query->num_docs; j++) {
    a[j] = exp2(-(double)j / (eru->half_life - 1));
    b[j] = fmax(query->labels[j] - eru->neutral, 0);
  }
  return eru->is_normalised ? dorm__divide_by_ideal(host, query->num_docs, a, b) : 0;
}

const dorm_loss_module dorm__loss_eru = DORM__LOSS("eru", "ideal expected rank utility - expected rank utility",
                                                   eru_rows, create_eru, dorm__free, .fill_product = fill_eru);
