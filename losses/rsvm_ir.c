/*
 * rsvm_ir.c: the ranking SVM adapted to document retrieval (Cao, Xu, Liu, Li, Huang and Hon 2006), solved as a
 * quadratic programme (RSVM-IR-QP):
 *
 *   1/2 |w|^2 + C sum over pairs r_i > r_j of  tau(r_i, r_j) mu(query) max(0, 1 - <w, x_i - x_j>)
 *
 * mu is the largest number of pairs of any query divided by this query's number, so that each query counts alike. Here
 * it is 1 over the number of the query's pairs (pairs=mean), and C contains the constant. tau is the cost of an
 * exchange of two labels. From the data (tau=auto) it is the loss of NDCG@1 of an ideal ranking, on average over the
 * queries with both labels, when the documents of the two labels exchange their places at random. With n(r) and n(s)
 * such documents and gains G = 2^r - 1 that is
 *
 *   n(s) / (n(r) + n(s)) (1 - G(s) / G(r))   if r is the largest label of the query, else 0,
 *
 * since each of these documents is equally likely to come to the top. Otherwise tau is given, as "2 1 0.5 / 2 0 1 / 1 0
 * 0.3": the better label, the worse label and the weight.
 */
#include "losses/gains.h"
#include "losses/pairs.h"

#include <math.h>
#include <string.h>

enum { MOST_LABELS = 64 };

static const dorm_loss_parameter parameters[] = {
    DORM__ROW_PAIRS,
    {"tau", "auto", "", 0, 0, 0,
     "weights of pairs of labels, \"2 1 0.5 / 2 0 1 / 1 0 0.3\"; auto: what exchanging them costs NDCG@1"},
};

typedef struct rsvm_ir_state {
  bool is_mean;
  bool is_given;
  dorm__pair_weights tau; /* points to the two arrays below */
  double labels[MOST_LABELS];
  double weights[MOST_LABELS * MOST_LABELS]; /* NaN for none */
} rsvm_ir_state;

/* Returns the place of a label among the labels, or num_labels if it is not among them. */
static size_t place_of(const rsvm_ir_state *state, double label)
{
  size_t at = 0;
  while (at < state->tau.num_labels && state->labels[at] != label)
    at++;
  return at;
}

/* Inserts a label in rising order. Returns false if there are too many. */
static bool add_label(rsvm_ir_state *state, double label)
{
  size_t at = state->tau.num_labels;
  if (place_of(state, label) < at)
    return true;
  if (at == MOST_LABELS)
    return false;
  for (; at > 0 && state->labels[at - 1] > label; at--)
    state->labels[at] = state->labels[at - 1];
  state->labels[at] = label;
  state->tau.num_labels++;
  return true;
}

/* ---- Given ------------------------------------------------------------------------ */

/* Reads "better worse weight". *text moves past the '/'. */
static bool read_entry(const char **text, double numbers[3])
{
  const char *end = *text + strcspn(*text, "/");
  const char *at = *text;
  for (size_t i = 0; at && i < 3; i++) {
    at += strspn(at, " \t");
    at = dorm__parse_double(at, end, &numbers[i]);
  }
  if (!at || at + strspn(at, " \t") != end)
    return false;
  *text = *end ? end + 1 : end;
  return isfinite(numbers[0]) && numbers[0] > numbers[1] && numbers[2] >= 0 && isfinite(numbers[2]);
}

/* Reads all labels first, so that the places of the weights do not change. */
static int read_given(const dorm_host *host, const char *text, rsvm_ir_state *state)
{
  double numbers[3];
  for (const char *at = text; *at;) {
    if (!read_entry(&at, numbers))
      return host->fail(host,
                        "tau=%.200s: needs entries \"better worse weight\", the better label the larger one, "
                        "weights of 0 or more, '/' between them",
                        text);
    if (!add_label(state, numbers[0]) || !add_label(state, numbers[1]))
      return host->fail(host, "tau has more than %d labels", MOST_LABELS);
  }
  for (const char *at = text; *at && read_entry(&at, numbers);) {
    double *weight = &state->weights[place_of(state, numbers[0]) * MOST_LABELS + place_of(state, numbers[1])];
    if (!isnan(*weight))
      return host->fail(host, "tau has two weights for labels %g and %g", numbers[0], numbers[1]);
    *weight = numbers[2];
  }
  return 0;
}

/* ---- From the data ------------------------------------------------------------------ */

/* Sums over queries of the cost of an exchange of two labels, and the numbers of these queries. */
typedef struct exchange_sums {
  double costs[MOST_LABELS * MOST_LABELS];
  double queries[MOST_LABELS * MOST_LABELS];
} exchange_sums;

/* Adds a query that has counts[place] documents of each label. */
static void add_query(const rsvm_ir_state *state, const double *counts, exchange_sums *sums)
{
  size_t top = state->tau.num_labels - 1;
  while (top > 0 && !(counts[top] > 0))
    top--;
  double top_gain = exp2(state->labels[top]) - 1;
  for (size_t better = 1; better <= top; better++)
    for (size_t worse = 0; worse < better; worse++) {
      if (!(counts[better] > 0 && counts[worse] > 0))
        continue;
      sums->queries[better * MOST_LABELS + worse]++;
      if (better == top)
        sums->costs[better * MOST_LABELS + worse] +=
            counts[worse] / (counts[better] + counts[worse]) * (1 - (exp2(state->labels[worse]) - 1) / top_gain);
    }
}

/* Counts the labels of a query, which are all known, into counts[place]. */
static void count_labels(const rsvm_ir_state *state, const dorm_loss_query *query, double *counts)
{
  memset(counts, 0, MOST_LABELS * sizeof *counts);
  for (size_t j = 0; j < query->num_docs; j++)
    counts[place_of(state, query->labels[j])]++;
}

static int take_from_data(const dorm_host *host, rsvm_ir_state *state, size_t num_queries,
                          const dorm_loss_query *queries)
{
  double counts[MOST_LABELS];
  state->tau.num_labels = 0;
  for (size_t q = 0; q < num_queries; q++)
    for (size_t j = 0; j < queries[q].num_docs; j++)
      if (!add_label(state, queries[q].labels[j]))
        return host->fail(host, "more than %d different labels: tau is a weight of pairs of grades", MOST_LABELS);
  DORM__FREED exchange_sums *sums = dorm__alloc_zero(1, sizeof *sums);
  if (!sums)
    return host->fail(host, "out of memory");
  for (size_t q = 0; q < num_queries; q++)
    if (queries[q].num_docs) {
      count_labels(state, &queries[q], counts);
      add_query(state, counts, sums);
    }
  for (size_t i = 0; i < MOST_LABELS * MOST_LABELS; i++)
    state->weights[i] = sums->queries[i] > 0 ? sums->costs[i] / sums->queries[i] : NAN;
  return 0;
}

/* Checks that every pair of labels in the query has a weight. */
static int check_given(const dorm_host *host, const rsvm_ir_state *state, const dorm_loss_query *query)
{
  for (size_t i = 0; i < query->num_docs; i++)
    for (size_t j = 0; j < query->num_docs; j++) {
      if (query->labels[i] <= query->labels[j])
        continue;
      size_t better = place_of(state, query->labels[i]);
      size_t worse = place_of(state, query->labels[j]);
      size_t count = state->tau.num_labels;
      if (better == count || worse == count || isnan(state->weights[better * MOST_LABELS + worse]))
        return host->fail(host, "tau has no weight for labels %g and %g", query->labels[i], query->labels[j]);
    }
  return 0;
}

/* ---- The module ----------------------------------------------------------------------- */

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  rsvm_ir_state *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return host->fail(host, "out of memory");
  made->is_mean = strcmp(values[0].text, "mean") == 0;
  made->is_given = strcmp(values[1].text, "auto") != 0;
  made->tau = (dorm__pair_weights){.stride = MOST_LABELS, .labels = made->labels, .weights = made->weights};
  for (size_t i = 0; i < MOST_LABELS * MOST_LABELS; i++)
    made->weights[i] = NAN;
  int failed = made->is_given ? read_given(host, values[1].text, made) : 0;
  if (failed)
    dorm__free(made);
  else
    *state = made;
  return failed;
}

static int prepare(const dorm_host *host, void *state, size_t num_queries, const dorm_loss_query *queries)
{
  rsvm_ir_state *rsvm = state;
  if (!rsvm->is_given)
    return take_from_data(host, rsvm, num_queries, queries);
  int failed = 0;
  for (size_t q = 0; !failed && q < num_queries; q++)
    failed = check_given(host, rsvm, &queries[q]);
  return failed;
}

static int find_worst(const dorm_host *host, const void *state, const dorm_loss_query *query, const double *scores,
                      double *coefficients, double *delta)
{
  const rsvm_ir_state *rsvm = state;
  return dorm__pairs_find_worst(host, query->num_docs, query->labels, &rsvm->tau, rsvm->is_mean, scores,
                                &(const dorm__worst_pairs){coefficients, delta});
}

const dorm_loss_module dorm__loss_rsvm_ir =
    DORM__LOSS("rsvm_ir", "ranking SVM with weights of pairs of labels: what their exchange costs at the top",
               parameters, create, dorm__free, .find_worst = find_worst, .prepare = prepare);
